"""Measures of anonymity, one a file, and the people whom they single out; `MEASURES` lists them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netveil.lazy import lazy_names
from netveil.registries import DEFAULT_MEASURE, MEASURES

if TYPE_CHECKING:
    from netveil.anonymity.attackers import (
        AnyMeasure,
        Attacker,
        Attackers,
        attackers_of,
        find_measure,
        recorded_attackers,
    )
    from netveil.anonymity.measure import Measure, Part, Reach, Weights
    from netveil.anonymity.partition import (
        Anonymity,
        Cascade,
        People,
        PersonAtRisk,
        anonymity_of,
        cascade,
        checked_k,
        classes_of,
    )
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
