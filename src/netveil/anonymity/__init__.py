"""Who can be singled out? One measure a file; `MEASURES` is the one list of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netveil.anonymity.measures import DEFAULT_MEASURE as DEFAULT_MEASURE, MEASURES as MEASURES
from netveil.lazy import lazy_names

if TYPE_CHECKING:
    from netveil.anonymity.attacker import Attacker as Attacker
    from netveil.anonymity.attackers import (
        AnyMeasure as AnyMeasure,
        Attackers as Attackers,
        attackers_of as attackers_of,
        find_measure as find_measure,
        recorded_attackers as recorded_attackers,
    )
    from netveil.anonymity.cascading import Cascade as Cascade, cascade as cascade
    from netveil.anonymity.measure import Measure as Measure, Part as Part, Reach as Reach, Weights as Weights
    from netveil.anonymity.partition import (
        Anonymity as Anonymity,
        anonymity_of as anonymity_of,
        checked_k as checked_k,
        classes_of as classes_of,
    )
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
