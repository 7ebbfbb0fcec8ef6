"""Who can be singled out? One measure a file; `MEASURES` is the one list of them."""

from __future__ import annotations

from netveil.anonymity.count import Count
from netveil.anonymity.measure import Measure, Weights
from netveil.anonymity.partition import Anonymity, checked_k, classes_of
from netveil.errors import SettingError, unknown_name
from netveil.network import Network

MEASURES: dict[str, Measure] = {measure.name: measure for measure in (Count(),)}

__all__ = [
    "MEASURES",
    "Anonymity",
    "Measure",
    "Weights",
    "anonymity_of",
    "checked_k",
    "classes_of",
    "find_measure",
]


def find_measure(name: str, distance: int = 1) -> Measure:
    """The measure of this name at this distance."""
    if name not in MEASURES:
        raise unknown_name("measure", name, MEASURES)
    if distance != 1:
        raise SettingError(f"distance {distance}: measure {name} is available at distance 1.")
    return MEASURES[name]


def anonymity_of(network: Network, measure: Measure, k: int) -> Anonymity:
    """Classes and nodes at risk of a network, from scratch."""
    checked_k(k, network.node_count)
    class_of, sizes = classes_of(measure.states(network))
    return Anonymity(
        network=network.name,
        nodes=network.node_count,
        edges=network.edge_count,
        measure=measure.name,
        distance=1,
        k=k,
        class_of=class_of,
        sizes=sizes,
    )
