"""What an attack at a distance costs, before it is tried: the edges to be looked at."""

from __future__ import annotations

import numpy as np

from netveil.network import Network

MOST_EDGES_AROUND = 2_000_000_000
"""Where more edges are to be looked at, a distance must be asked for. These take about half a minute."""


def edges_around(network: Network, distance: int) -> int:
    """At most so many edges are around people up to a distance, summed over all people.

    Walks are followed from each node, as if they never met, and nobody has more around than all edges.

    >>> edges_around(Network.from_edges([("a", "b"), ("b", "c")]), 1)
    6
    """
    if network.edge_count == 0:
        return 0
    first, second = network.edges[:, 0], network.edges[:, 1]
    degrees = network.degrees.astype(float)
    around = degrees
    for _ in range(distance):
        beyond = np.bincount(first, around[second], network.node_count)
        beyond += np.bincount(second, around[first], network.node_count)
        around = np.minimum(beyond, network.edge_count)
    return int(around.sum())
