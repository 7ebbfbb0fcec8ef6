"""Slow, obvious twins: who is at risk to any of some attackers, straight from the definitions."""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction

import naive_measures
from netveil.anonymity import Attacker
from netveil.network import Network


def slow_numbers(network: Network, attacker: Attacker) -> list[Hashable]:
    """The states; as tuples of the numbers that may be off where the attacker has doubts."""
    name, distance = attacker.measure.name, attacker.distance
    states = getattr(naive_measures, f"{name.replace('-', '_')}_states")(network, distance)
    if attacker.fuzzy is None or name == "edge-count":
        return list(states)
    if name == "degree":
        return [(degree,) for degree in states]
    # At distance 1 she has counted contacts and ties among them, farther away all nodes and edges.
    return [
        (first[0] - 1, first[1] - first[0] + 1, *(number for pair in farther for number in pair))
        for first, *farther in states
    ]


def slow_risk(network: Network, those: tuple[Attacker, ...], k: int) -> list[bool]:
    """For each node, whether to any attacker fewer than k look like it, from the definitions."""
    n = network.node_count
    twins = naive_measures.twin_classes(network)
    at_risk = [False] * n
    for attacker in those:
        states = slow_numbers(network, attacker)
        for node in range(n):
            alike = {other for other in range(n) if looks_like(states[node], states[other], attacker.fuzzy)}
            lookalikes = {twins[other] for other in alike} if attacker.twins else alike
            at_risk[node] |= len(lookalikes) < k
    return at_risk


def looks_like(reference: Hashable, other: Hashable, fuzzy: Fraction | None) -> bool:
    """Whether states are the same, or each number is off by that share of the reference's at most."""
    if fuzzy is None:
        return reference == other
    assert isinstance(reference, tuple) and isinstance(other, tuple)
    return naive_measures.similar_counts([reference], [other], fuzzy) == [1]
