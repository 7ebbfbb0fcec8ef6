"""Shortest paths from given source nodes: distances and betweenness in one pass (Brandes 2001).

Brandes, A faster algorithm for betweenness centrality, Journal of Mathematical Sociology 25 (2001): a search
in breadth from each source counts the shortest paths, then walking back from the farthest nodes adds up how
much of them each node carries.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import Csr, IntVector
from netveil.kernels.compiled import compiled


class PathTotals(NamedTuple):
    """What the shortest paths from k sources tell about a network of n nodes."""

    distance_sums: NDArray[np.int64]  # (k): distances to all other nodes that the source reaches
    reached: NDArray[np.int64]  # (k): how many these are
    farthest: NDArray[np.int64]  # (k): the largest of the distances; 0 if none is reached
    dependencies: NDArray[np.float64]  # (n): sum over sources s and targets t of the share of paths through v


@compiled
def paths_from(csr: Csr, sources: IntVector) -> PathTotals:
    """Search from each of `sources` (k) in turn. Nothing is written. O(k (n + m))."""
    offsets = csr.offsets
    neighbours = csr.neighbours
    n = offsets.shape[0] - 1
    k = sources.shape[0]
    distance_sums = np.zeros(k, np.int64)
    reached = np.zeros(k, np.int64)
    farthest = np.zeros(k, np.int64)
    dependencies = np.zeros(n)
    distance = np.full(n, -1, np.int32)
    paths = np.zeros(n)  # shortest paths from the source, as floats: their number outgrows 64 bits
    carried = np.zeros(n)  # a node's dependency, on the way back
    order = np.empty(n, neighbours.dtype)  # nodes as they are met, nearest first

    for index in range(k):
        source = sources[index]
        distance[source] = 0
        paths[source] = 1.0
        order[0] = source
        met = 1
        looked_at = 0
        while looked_at < met:
            v = order[looked_at]
            looked_at += 1
            next_distance = distance[v] + 1
            paths_to_v = paths[v]
            for place in range(offsets[v], offsets[v + 1]):
                w = neighbours[place]
                if distance[w] < 0:
                    distance[w] = next_distance
                    order[met] = w
                    met += 1
                if distance[w] == next_distance:
                    paths[w] += paths_to_v
            distance_sums[index] += distance[v]
        reached[index] = met - 1
        farthest[index] = distance[order[met - 1]]

        for place_in_order in range(met - 1, 0, -1):
            w = order[place_in_order]
            next_distance = distance[w] + 1
            total = 0.0
            for place in range(offsets[w], offsets[w + 1]):
                x = neighbours[place]
                if distance[x] == next_distance:
                    total += carried[x]
            dependency = total * paths[w]
            dependencies[w] += dependency
            carried[w] = (1.0 + dependency) / paths[w]
        for place_in_order in range(met):
            v = order[place_in_order]
            distance[v] = -1
            paths[v] = 0.0
            carried[v] = 0.0
    return PathTotals(distance_sums, reached, farthest, dependencies)
