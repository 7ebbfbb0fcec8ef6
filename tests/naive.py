"""Slow, obvious twins of what netveil computes fast; networkx where it has the thing itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from itertools import combinations
from math import ceil, floor
from typing import TYPE_CHECKING, Any

import networkx as nx

from netveil.network import Network

if TYPE_CHECKING:
    from netveil.kernels.limits import Limits


def triangles_by_networkx(graph: nx.Graph[Any]) -> dict[Any, int]:
    """Triangles through each node."""
    found = nx.triangles(graph)
    assert isinstance(found, dict)
    return found


def count_states(network: Network, deleted: Iterable[int] = ()) -> list[tuple[int, int]]:
    """(degree, triangles) of each node without the edges of these numbers, by networkx."""
    graph = graph_without(network, deleted)
    triangles = triangles_by_networkx(graph)
    return [(graph.degree(node), triangles[node]) for node in graph]


def graph_without(network: Network, deleted: Iterable[int] = ()) -> nx.Graph[int]:
    """The network without the edges of these numbers, its nodes by number."""
    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(range(network.node_count))
    graph.add_edges_from(network.edges.tolist())
    graph.remove_edges_from(network.edges[list(deleted)].tolist())
    return graph


def mean_clustering(network: Network, deleted: Iterable[int] = ()) -> Fraction:
    """Exact mean of triangles over pairs of neighbours, of the nodes that have two neighbours; else 0."""
    values = [
        Fraction(2 * triangles, degree * (degree - 1))
        for degree, triangles in count_states(network, deleted)
        if degree >= 2
    ]
    return sum(values, Fraction(0)) / max(len(values), 1)


def largest_component(network: Network, deleted: Iterable[int] = ()) -> int:
    """Nodes of the largest connected component."""
    components = nx.connected_components(graph_without(network, deleted))
    return max((len(component) for component in components), default=0)


def contacts_lost(network: Network, deleted: Iterable[int]) -> list[tuple[int, int]]:
    """(contacts, contacts lost) of each node."""
    before, after = graph_without(network), graph_without(network, deleted)
    return [(before.degree(node), before.degree(node) - after.degree(node)) for node in before]


def violation(network: Network, limits: Limits | None, deleted: Iterable[int]) -> int:
    """By how much a deletion breaks limits, from the definitions in `kernels.limits`."""
    if limits is None:
        return 0
    deleted = list(deleted)
    lost: int = sum(
        max(0, lost - most)
        for (_, lost), most in zip(contacts_lost(network, deleted), limits.most_lost.tolist(), strict=True)
    )
    total, able = 0, 0
    for degree, triangles in count_states(network, deleted):
        if degree >= 2:
            total += floor(Fraction(2 * triangles * 2**32, degree * (degree - 1)) + Fraction(1, 2))
            able += 1
    able = max(able, 1)
    beyond = max(limits.clustering_least * able - total, total - limits.clustering_most * able, 0)
    missing = max(0, limits.least_component - largest_component(network, deleted))
    return lost + ceil(Fraction(beyond, 2**32)) + missing


def keeps(network: Network, shares: dict[str, Fraction], deleted: Iterable[int], margin: Fraction) -> bool:
    """Whether a deletion keeps limits as users understand them; `margin` more of the mean clustering."""
    deleted = list(deleted)

    def keeps_one(name: str, share: Fraction) -> bool:
        if name == "clustering":
            before, after = mean_clustering(network), mean_clustering(network, deleted)
            return abs(after - before) <= share * before + margin
        if name == "lcc":
            return largest_component(network, deleted) >= (1 - share) * largest_component(network)
        assert name == "degree"
        return all(lost <= share * contacts for contacts, lost in contacts_lost(network, deleted))

    return all(keeps_one(name, share) for name, share in shares.items())


def nodes_at_risk(states: list[tuple[int, int]], k: int) -> list[bool]:
    """For each node, whether fewer than k nodes have its state."""
    sizes = Counter(states)
    return [sizes[state] < k for state in states]


def best_deletion(
    network: Network, k: int, budget: int, enough: int = 0, limits: Limits | None = None
) -> tuple[int, int]:
    """(nodes at risk, deletions) of the best of all deletions: few enough at risk, then few deletions.

    Tries every set of edges within the budget, so only for tiny networks.
    """
    return min(
        (max(sum(nodes_at_risk(count_states(network, deleted), k)), enough), len(deleted))
        for count in range(budget + 1)
        for deleted in combinations(range(network.edge_count), count)
        if limits is None or violation(network, limits, deleted) == 0
    )


def objective(network: Network, deleted: list[int], k: int, budget: int) -> int:
    """f of Section 4.3 of the paper, from its definition."""
    penalty = max(0, len(deleted) - budget)
    return sum(nodes_at_risk(count_states(network, deleted), k)) + penalty


def touched_at_risk(network: Network, deleted: list[int], k: int, edge: int) -> int:
    """Nodes at risk among both ends of an edge and their common neighbours."""
    risk = nodes_at_risk(count_states(network, deleted), k)
    left = network.without_edges(deleted)
    u, v = network.edges[edge].tolist()
    common = set(left.neighbours(u).tolist()) & set(left.neighbours(v).tolist())
    return sum(risk[node] for node in {u, v} | common)


def greedy_order(network: Network, k: int, budget: int, per_change: int, per_exposed: int) -> list[int]:
    """Edges in the order in which a greedy search deletes them, until nobody is at risk.

    Each time the one of the best score, -per_change * (nodes at risk more) + per_exposed * (nodes at risk
    that it touches); of equals the least change, then the least number.
    """
    deleted: list[int] = []
    while len(deleted) < budget:
        before = objective(network, deleted, k, budget)
        if before == 0:
            break
        scored = []
        for edge in set(range(network.edge_count)) - set(deleted):
            change = objective(network, [*deleted, edge], k, budget) - before
            score = per_exposed * touched_at_risk(network, deleted, k, edge) - per_change * change
            scored.append((-score, change, edge))
        deleted.append(min(scored)[-1])
    return deleted


def cut_at(first: list[int], second: list[int], cuts: list[int]) -> list[int]:
    """n-point crossover: take from the first parent, and change over at every cut."""
    child, parents = [], [first, second]
    for position in range(len(first)):
        if position in cuts:
            parents.reverse()
        child.append(parents[0][position])
    return child
