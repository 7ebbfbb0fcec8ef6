"""Circles G_d(v) one by one, as graphs of igraph: few are looked at before a kernel would be compiled."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import EDGES_WORTH_COMPILING, IntVector
from netveil.network import Network

if TYPE_CHECKING:
    import igraph

EDGES_A_CIRCLE = 50  # to look at a circle costs as much as so many edges in it


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
        around = np.minimum(walks, network.edge_count)
    return around


def are_few(network: Network, nodes: IntVector, distance: int) -> bool:
    """Whether there is so little around these nodes that compiled code would take longer to load."""
    looked_at = edges_around(network, distance)[nodes].sum() + EDGES_A_CIRCLE * len(nodes)
    return bool(network.edge_count + looked_at < EDGES_WORTH_COMPILING)


def circles(network: Network, nodes: IntVector, distance: int) -> Iterator[tuple[igraph.Graph, int]]:
    """The circle of each of these nodes, and the number of the node in it."""
    import igraph

    graph = igraph.Graph(n=network.node_count, edges=network.edges)
    for node in nodes.tolist():
        around = sorted(graph.neighborhood(node, order=distance))
        yield graph.induced_subgraph(around), around.index(node)
