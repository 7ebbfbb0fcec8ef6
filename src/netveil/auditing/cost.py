"""What an attack at a distance will cost: an estimate of the edges to be looked at."""

from __future__ import annotations

import numpy as np

from netveil.network import Network

MOST_EDGES_AROUND = 2_000_000_000
"""With more edges to look at, a distance is only tried on request. So many take about half a minute."""


def edges_around(network: Network, distance: int) -> int:
    """An upper bound on the edges around a person up to a distance, summed over all people.

    Walks from each person are counted as if they never met, up to the number of all edges.

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
