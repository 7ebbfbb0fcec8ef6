"""Shortest paths from given sources: distances and betweenness in one pass.

Brandes, A faster algorithm for betweenness centrality, Journal of Mathematical Sociology 25 (2001): a search
in breadth from each source counts its shortest paths; the way back adds up what each node carries of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import Csr, IntVector
from netveil.kernels.compiled import in_place


class PathTotals(NamedTuple):
    """The shortest paths from k sources in a network of n nodes, summed up."""

    distance_sums: NDArray[np.int64]  # (k): distances to all other nodes that the source reaches
    reached: NDArray[np.int64]  # (k): how many these are
    farthest: NDArray[np.int64]  # (k): the largest of the distances; 0 if none is reached
    dependencies: NDArray[np.float64]  # (n): over sources and targets, the share of shortest paths through v


class Search(NamedTuple):
    """Scratch of one search after the other; `distance` is -1 between them, and `paths` 0."""

    distance: NDArray[np.int32]  # (n): from the source
    paths: NDArray[np.float64]  # (n): shortest ones from the source; their number outgrows 64 bits
    carried: NDArray[np.float64]  # (n): (1 + dependency on the node) / paths
    order: IntVector  # (n): nodes as they are met, nearest first
    onward: IntVector  # (m + 1): steps from the source, by `order`
    first_onward: NDArray[np.int64]  # (n + 1)


def paths_from(csr: Csr, sources: IntVector) -> PathTotals:
    """Search from each of `sources` (k) in turn. Nothing is written. O(k (n + m))."""
    n, k, kind = len(csr.offsets) - 1, len(sources), csr.neighbours.dtype
    sums, reached, farthest = (np.zeros(k, np.int64) for _ in range(3))
    totals = PathTotals(sums, reached, farthest, np.zeros(n))
    edges = len(csr.neighbours) // 2
    search = Search(
        np.full(n, -1, np.int32),
        np.zeros(n),
        np.empty(n),
        np.empty(n, kind),
        np.empty(edges + 1, kind),
        np.empty(n + 1, np.int64),
    )
    _search_from(csr.offsets, csr.neighbours, sources, totals, search)
    return totals


@in_place
def _search_from(
    offsets: NDArray[np.int64], neighbours: IntVector, sources: IntVector, totals: PathTotals, search: Search
) -> None:
    """Search from each of `sources` (k) in turn. Writes `totals`, and `search` is scratch."""
    distance_sums, reached, farthest, dependencies = totals
    distance, paths, carried, order, onward, first_onward = search
    for index in range(sources.shape[0]):
        source = sources[index]
        distance[source] = 0
        paths[source] = 1.0
        order[0] = source
        met = 1
        steps = 0
        looked_at = 0
        while looked_at < met:
            v = order[looked_at]
            first_onward[looked_at] = steps
            looked_at += 1
            one_further = distance[v] + 1
            for place in range(offsets[v], offsets[v + 1]):
                w = neighbours[place]
                if distance[w] < 0:
                    distance[w] = one_further
                    order[met] = w
                    met += 1
                # Written without asking and kept if it counts: a branch here is wrong every other time.
                onward[steps] = w
                steps += distance[w] == one_further
            for step in range(first_onward[looked_at - 1], steps):
                paths[onward[step]] += paths[v]
        first_onward[met] = steps
        reached[index] = met - 1
        farthest[index] = distance[order[met - 1]]

        for place in range(met - 1, 0, -1):
            v = order[place]
            total = 0.0
            for step in range(first_onward[place], first_onward[place + 1]):
                total += carried[onward[step]]
            dependencies[v] += total * paths[v]
            carried[v] = total + 1.0 / paths[v]
            distance_sums[index] += distance[v]
            distance[v] = -1
            paths[v] = 0.0
        distance[source] = -1
        paths[source] = 0.0
