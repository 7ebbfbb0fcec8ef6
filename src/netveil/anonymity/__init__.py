"""Who can be singled out? One measure a file; `MEASURES` is the one list of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netveil.anonymity.measures import DEFAULT_MEASURE, MEASURES
from netveil.lazy import lazy_names

if TYPE_CHECKING:
    from netveil.anonymity.attacker import Attacker
    from netveil.anonymity.attackers import (
        AnyMeasure,
        Attackers,
        attackers_of,
        find_measure,
        recorded_attackers,
    )
    from netveil.anonymity.cascading import Cascade, cascade
    from netveil.anonymity.measure import Measure, Part, Reach, Weights
    from netveil.anonymity.partition import Anonymity, anonymity_of, checked_k, classes_of
    from netveil.anonymity.people import People, PersonAtRisk
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
