"""Who can be singled out? One measure a file; `MEASURES` is the one list of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from typing import Any, TypeAlias

import numpy as np

from netveil.anonymity.attacker import Attacker
from netveil.anonymity.cascade import Cascade, cascade
from netveil.anonymity.count import Count
from netveil.anonymity.degree import Degree
from netveil.anonymity.degree_distribution import DegreeDistribution
from netveil.anonymity.edge_count import EdgeCount
from netveil.anonymity.ego import Ego
from netveil.anonymity.fuzzy import parsed_fuzzy
from netveil.anonymity.hybrid import Hybrid
from netveil.anonymity.measure import Measure, Part, Reach, Weights
from netveil.anonymity.own import OwnMeasure, imported
from netveil.anonymity.partition import Anonymity, checked_k, classes_of
from netveil.anonymity.vertex_refinement import VertexRefinement
from netveil.errors import SettingError, unknown_name
from netveil.network import Network

MEASURES: dict[str, Measure] = {
    measure.name: measure
    for measure in (
        Degree(),
        Count(),
        EdgeCount(),
        DegreeDistribution(),
        Ego(),
        VertexRefinement(),
        Hybrid(),
    )
}
DEFAULT_MEASURE = "count"

AnyMeasure: TypeAlias = str | Measure | Callable[..., Any]
"""A name in MEASURES, `module:function`, a measure, or a function from a network to one state a node."""

__all__ = [
    "DEFAULT_MEASURE",
    "MEASURES",
    "Anonymity",
    "AnyMeasure",
    "Attacker",
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


def find_measure(given: AnyMeasure) -> Measure:
    """The measure of this name, or a user's own."""
    if isinstance(given, str):
        if given in MEASURES:
            return MEASURES[given]
        if ":" in given:
            return imported(given)
        raise unknown_name("measure", given, MEASURES)
    if isinstance(given, Measure) and not isinstance(given, type):
        return given
    if callable(given):
        return OwnMeasure(given, getattr(given, "__name__", "own measure"))
    raise SettingError(f"measure {given!r}: give the name of a measure, module:function, or a function.")


def attackers_of(
    measures: AnyMeasure | Sequence[AnyMeasure],
    distance: int = 1,
    fuzzy: str | int | float | None = None,
    twins: bool = False,
) -> tuple[Attacker, ...]:
    """An attacker for each measure, all with the same reach and doubts."""
    given = measures if isinstance(measures, Sequence) and not isinstance(measures, str) else [measures]
    if not given:
        raise SettingError("no measure is given; give the name of one, such as count.")
    share = None if fuzzy is None else parsed_fuzzy(fuzzy)
    attackers = [Attacker(find_measure(each), distance, share, twins) for each in given]
    return tuple(dict.fromkeys(attackers))


def recorded_attackers(rows: Sequence[Mapping[str, Any]], own: Mapping[str, Measure]) -> tuple[Attacker, ...]:
    """The attackers whose `to_dict` is in a record; measures of these names are the user's `own`."""
    return tuple(
        Attacker(
            own.get(row["measure"]) or find_measure(row["measure"]),
            row["distance"],
            None if row["fuzzy"] is None else Fraction(row["fuzzy"]),
            row["twins"],
        )
        for row in rows
    )


def anonymity_of(network: Network, attackers: Sequence[Attacker], k: int) -> Anonymity:
    """Who is at risk in a network, from scratch: those whom any of the attackers can single out."""
    k = checked_k(k, network.node_count)
    each = tuple(_to_one(network, attacker, k) for attacker in attackers)
    if len(each) == 1:
        return each[0]
    class_of, _ = classes_of(np.column_stack([alone.class_of for alone in each]))
    return replace(
        each[0],
        measure=" + ".join(alone.measure for alone in each),
        class_of=class_of,
        lookalikes=reduce(np.minimum, (alone.lookalikes for alone in each)),
        each=each,
    )


def _to_one(network: Network, attacker: Attacker, k: int) -> Anonymity:
    states = attacker.states(network)
    class_of, _ = classes_of(states)
    return Anonymity(
        network=network.name,
        nodes=network.node_count,
        edges=network.edge_count,
        measure=attacker.measure.name,
        distance=attacker.distance,
        k=k,
        class_of=class_of,
        lookalikes=attacker.lookalikes(network, states, class_of),
        fuzzy=attacker.fuzzy,
        twins=attacker.twins,
    )
