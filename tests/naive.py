"""Slow, obvious twins of what netveil computes fast; networkx where it has the thing itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import networkx as nx

from netveil.network import Network


def triangles_by_networkx(graph: nx.Graph[Any]) -> dict[Any, int]:
    """Triangles through each node."""
    found = nx.triangles(graph)
    assert isinstance(found, dict)
    return found


def count_states(network: Network, deleted: Iterable[int] = ()) -> list[tuple[int, int]]:
    """(degree, triangles) of each node without the edges of these numbers, by networkx."""
    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(range(network.node_count))
    graph.add_edges_from(network.edges.tolist())
    graph.remove_edges_from(network.edges[list(deleted)].tolist())
    triangles = triangles_by_networkx(graph)
    return [(graph.degree(node), triangles[node]) for node in graph]


def nodes_at_risk(states: list[tuple[int, int]], k: int) -> list[bool]:
    """For each node, whether fewer than k nodes have its state."""
    sizes = Counter(states)
    return [sizes[state] < k for state in states]


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


def cut_at(first: list[int], second: list[int], cuts: list[int]) -> list[int]:
    """n-point crossover: take from the first parent, and change over at every cut."""
    child, parents = [], [first, second]
    for position in range(len(first)):
        if position in cuts:
            parents.reverse()
        child.append(parents[0][position])
    return child
