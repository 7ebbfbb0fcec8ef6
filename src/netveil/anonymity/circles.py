"""Circles G_d(v): how much is around people, and where there is little, circles as graphs of igraph."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from netveil.anonymity.count import numbers_around
from netveil.kernels.arrays import EDGES_WORTH_COMPILING, IntVector
from netveil.network import Network

if TYPE_CHECKING:
    import igraph

PAIRS_A_CIRCLE = 50  # to look at a circle costs as much as so many pairs of nodes in it


def edges_around(network: Network, distance: int) -> NDArray[np.float64]:
    """An upper bound on the edges around each person (n) up to a distance.

    Walks from the person are counted as if they never met, up to the number of all edges.

    >>> edges_around(Network.from_edges([("a", "b"), ("b", "c")]), 1)
    array([2., 2., 2.])
    """
    one, other = network.edges.T
    around = network.degrees.astype(np.float64)
    for _ in range(distance):
        walks = np.bincount(one, around[other], network.node_count)
        walks += np.bincount(other, around[one], network.node_count)
        around = np.minimum(walks, float(network.edge_count))
    return around


def are_few(network: Network, nodes: IntVector, distance: int) -> bool:
    """Whether these nodes have so few and small circles that compiled code would take longer to load.

    BLISS takes the third power of the nodes of a circle where they look alike, as in a star.
    """
    left = EDGES_WORTH_COMPILING - network.edge_count - PAIRS_A_CIRCLE * len(nodes)
    if left <= 0:  # told before anybody is looked at
        return False
    members = network.degrees[nodes] + 1
    if distance > 1:
        members = numbers_around(network, nodes, distance)[:, -2]
    return bool((members.astype(np.float64) ** 2).sum() < left)


def circles(network: Network, nodes: IntVector, distance: int) -> Iterator[tuple[igraph.Graph, int]]:
    """The circle of each of these nodes, and the number of the node in it."""
    import igraph

    graph = igraph.Graph(n=network.node_count, edges=network.edges)
    for node in nodes.tolist():
        around = sorted(graph.neighborhood(node, order=distance))
        yield graph.induced_subgraph(around), around.index(node)
