"""Who can be singled out? One measure a file; `MEASURES` is the one list of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netveil.anonymity.measures import DEFAULT_MEASURE, MEASURES
from netveil.lazy import lazy_names

if TYPE_CHECKING:
    from netveil.anonymity.at_risk import anonymity_of
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
    from netveil.anonymity.partition import Anonymity, checked_k, classes_of
else:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "at_risk": ["anonymity_of"],
            "attacker": ["Attacker"],
            "attackers": ["AnyMeasure", "Attackers", "attackers_of", "find_measure", "recorded_attackers"],
            "cascading": ["Cascade", "cascade"],
            "measure": ["Measure", "Part", "Reach", "Weights"],
            "partition": ["Anonymity", "checked_k", "classes_of"],
        },
    )

__all__ = [
    "DEFAULT_MEASURE",
    "MEASURES",
    "Anonymity",
    "AnyMeasure",
    "Attacker",
    "Attackers",
    "Cascade",
    "Measure",
    "Part",
    "Reach",
    "Weights",
    "anonymity_of",
    "attackers_of",
    "cascade",
    "checked_k",
    "classes_of",
    "find_measure",
    "recorded_attackers",
]
