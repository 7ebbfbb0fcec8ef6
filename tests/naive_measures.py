"""Slow, obvious twins of the measures and of what is built on them: networkx, sets, counters, fractions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import networkx as nx

from naive import graph_without
from netveil.anonymity import Attacker
from netveil.network import Network

State = Hashable


def ball(graph: nx.Graph[int], node: int, distance: int) -> nx.Graph[int]:
    """The subgraph induced by the nodes within a distance."""
    around: nx.Graph[int] = nx.ego_graph(graph, node, radius=distance)
    return around


def balls(network: Network, distance: int) -> Iterator[list[nx.Graph[int]]]:
    """For each node, its surroundings at distances 1, 2, …."""
    graph = graph_without(network)
    for node in graph:
        yield [ball(graph, node, nearer) for nearer in range(1, distance + 1)]


def degree_states(network: Network, distance: int) -> list[State]:
    """Degrees."""
    return [degree for _, degree in graph_without(network).degree()]


def count_states(network: Network, distance: int) -> list[State]:
    """Nodes and edges of the surroundings at each distance."""
    return [
        tuple((around.number_of_nodes(), around.number_of_edges()) for around in of_node)
        for of_node in balls(network, distance)
    ]


def edge_count_states(network: Network, distance: int) -> list[State]:
    """Edges of the surroundings at each distance."""
    return [tuple(around.number_of_edges() for around in of_node) for of_node in balls(network, distance)]


def degree_distribution_states(network: Network, distance: int) -> list[State]:
    """Sorted degrees inside the surroundings at each distance."""
    return [
        tuple(tuple(sorted(degree for _, degree in around.degree())) for around in of_node)
        for of_node in balls(network, distance)
    ]


def ego_states(network: Network, distance: int) -> list[State]:
    """The number of the first node with the same rooted surroundings, found by trying (VF2)."""
    graph = graph_without(network)
    seen: list[tuple[int, nx.Graph[int]]] = []
    states: list[State] = []
    for node in graph:
        around = ball(graph, node, distance).copy()
        nx.set_node_attributes(around, {other: other == node for other in around}, "root")
        same = (first for first, other in seen if same_rooted(around, other))
        state = next(same, node)
        if state == node:
            seen.append((node, around))
        states.append(state)
    return states


def same_rooted(one: nx.Graph[int], other: nx.Graph[int]) -> bool:
    """Whether two graphs with one root each are isomorphic, roots on each other."""
    return bool(nx.is_isomorphic(one, other, node_match=lambda a, b: a["root"] == b["root"]))


def vertex_refinement_states(network: Network, distance: int) -> list[State]:
    """Multisets of neighbours' values, in as many rounds, starting from degrees."""
    graph = graph_without(network)
    values: dict[int, State] = dict(graph.degree())
    for _ in range(distance):
        values = {
            node: frozenset(Counter(values[neighbour] for neighbour in graph[node]).items()) for node in graph
        }
    return [values[node] for node in graph]


def hybrid_states(network: Network, distance: int) -> list[State]:
    """Both ego and vertex refinement."""
    return list(zip(ego_states(network, distance), vertex_refinement_states(network, distance), strict=True))


def same_partition(one: Sequence[Hashable], other: Sequence[Hashable]) -> bool:
    """Whether equal entries of one sequence are at the places of equal entries of the other."""
    assert len(one) == len(other)
    return len(set(zip(one, other, strict=True))) == len(set(one)) == len(set(other))


def similar_counts(
    references: Sequence[Sequence[int]], states: Sequence[Sequence[int]], fuzzy: Fraction
) -> list[int]:
    """How many states are within a share of each reference in every number."""
    return [
        sum(all(abs(a - b) <= fuzzy * a for a, b in zip(mine, state, strict=True)) for state in states)
        for mine in references
    ]


def fallen_counts(
    references: Sequence[Sequence[int]], states: Sequence[Sequence[int]], share: Fraction
) -> list[int]:
    """How many states have no number above that of each reference, or below it by more than a share."""
    return [
        sum(all((1 - share) * a <= b <= a for a, b in zip(mine, state, strict=True)) for state in states)
        for mine in references
    ]


def twin_classes(network: Network) -> list[frozenset[int]]:
    """For each node, all nodes with the same neighbours, itself included."""
    graph: Any = graph_without(network)
    open_sets = {node: set(graph[node]) for node in graph}
    return [
        frozenset(
            v for v in graph if open_sets[u] == open_sets[v] or open_sets[u] | {u} == open_sets[v] | {v}
        )
        for u in graph
    ]


def cascade_rounds(network: Network, states: Sequence[Hashable]) -> list[set[int]]:
    """Who is newly identified in each round, first the unique nodes, until there are none."""
    graph = graph_without(network)
    times = Counter(states)
    rounds = [{node for node in graph if times[states[node]] == 1}]
    while True:
        identified = set().union(*rounds)
        fresh = {
            neighbour
            for node in identified
            for neighbour in graph[node]
            if sum(states[other] == states[neighbour] for other in graph[node]) == 1
        } - identified
        if not fresh:
            return rounds
        rounds.append(fresh)


def slow_numbers(network: Network, attacker: Attacker) -> list[Hashable]:
    """The states; as tuples of the numbers that may be off where the attacker has doubts."""
    name, distance = attacker.measure.name, attacker.distance
    states = globals()[f"{name.replace('-', '_')}_states"](network, distance)
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
    twins = twin_classes(network)
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
    return similar_counts([reference], [other], fuzzy) == [1]
