"""Triangles of a network: how many on each node, and which on each edge.

All kernels here look at each edge from its end of lower degree to the other. Rows then have at most sqrt(2m)
entries, so finding all triangles is O(m^1.5) whatever hubs there are. Nodes are renumbered by falling degree
(their rank): what is looked up most lies together in memory.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import Csr, IntMatrix, IntVector
from netveil.kernels.compiled import compiled, inlined

WEDGES_WORTH_A_THREAD = 2_000_000  # below, starting a thread costs more than it saves
EDGES_WORTH_COUNTING = 10_000  # m edges have at most m times the root of 2m wedges: too few below


class Oriented(NamedTuple):
    """Each edge once, in the row of its end of higher rank (lower degree)."""

    node_of_rank: IntVector  # (n)
    offsets: NDArray[np.int64]  # (n + 1): row of rank r is targets[offsets[r]:offsets[r + 1]]
    targets: NDArray[Any]  # (m): ranks, all lower than the row's own
    edge_numbers: NDArray[Any]  # (m), or (0) where they were not asked for


@compiled
def orient(edges: IntMatrix, degrees: IntVector, numbered: bool) -> Oriented:
    """Rows of an edge array (m, 2), with `degrees` (n). Nothing is written. O(n + m)."""
    n = degrees.shape[0]
    m = edges.shape[0]
    largest = 0
    for v in range(n):
        largest = max(largest, degrees[v])
    first = np.zeros(largest + 2, np.int64)
    for v in range(n):
        first[largest - degrees[v] + 1] += 1
    for place in range(largest + 1):
        first[place + 1] += first[place]
    rank = np.empty(n, edges.dtype)
    node_of_rank = np.empty(n, edges.dtype)
    for v in range(n):
        place = largest - degrees[v]
        rank[v] = first[place]
        node_of_rank[first[place]] = v
        first[place] += 1

    offsets = np.zeros(n + 1, np.int64)
    row_and_target = np.empty((m, 2), edges.dtype)
    for edge in range(m):
        one = rank[edges[edge, 0]]
        other = rank[edges[edge, 1]]
        row_and_target[edge, 0] = max(one, other)
        row_and_target[edge, 1] = min(one, other)
        offsets[row_and_target[edge, 0] + 1] += 1
    for r in range(n):
        offsets[r + 1] += offsets[r]
    filled = offsets[:-1].copy()
    targets = np.empty(m, edges.dtype)
    edge_numbers = np.empty(m if numbered else 0, edges.dtype)
    for edge in range(m):
        place = filled[row_and_target[edge, 0]]
        targets[place] = row_and_target[edge, 1]
        filled[row_and_target[edge, 0]] = place + 1
        if numbered:
            edge_numbers[place] = edge
    return Oriented(node_of_rank, offsets, targets, edge_numbers)


@compiled
def wedges_before(oriented: Oriented) -> NDArray[np.int64]:
    """Running sum (n + 1) over ranks of the pairs of edges that finding triangles looks at."""
    offsets = oriented.offsets
    n = offsets.shape[0] - 1
    total = np.zeros(n + 1, np.int64)
    for u in range(n):
        wedges = 0
        for place in range(offsets[u], offsets[u + 1]):
            v = oriented.targets[place]
            wedges += offsets[v + 1] - offsets[v]
        total[u + 1] = total[u] + wedges
    return total


@compiled
def triangles_of_rows(oriented: Oriented, first: int, last: int) -> NDArray[np.int64]:
    """For each rank (n), its triangles among those found from rows first..last-1. Nothing is written."""
    offsets = oriented.offsets
    targets = oriented.targets
    n = offsets.shape[0] - 1
    triangles = np.zeros(n, np.int64)
    marked = np.zeros(n, np.uint8)
    wedges, closed = 0, 0
    for u in range(first, last):
        for place in range(offsets[u], offsets[u + 1]):
            marked[targets[place]] = 1
        found_u = 0
        # Where wedges are often closed, a branch is wrong half the time and adding 0 or 1 without asking is
        # quicker; where they seldom are, the branch is.
        seldom = 16 * closed < wedges
        for place in range(offsets[u], offsets[u + 1]):
            v = targets[place]
            wedges += offsets[v + 1] - offsets[v]
            found = 0
            if seldom:
                for further in range(offsets[v], offsets[v + 1]):
                    if marked[targets[further]]:
                        found += 1
                        triangles[targets[further]] += 1
            else:
                for further in range(offsets[v], offsets[v + 1]):
                    one_or_none = np.int64(marked[targets[further]])
                    found += one_or_none
                    triangles[targets[further]] += one_or_none
            triangles[v] += found
            found_u += found
        triangles[u] += found_u
        closed += found_u
        for place in range(offsets[u], offsets[u + 1]):
            marked[targets[place]] = 0
    return triangles


def triangles_per_node(edges: IntMatrix, degrees: IntVector, threads: int = 1) -> NDArray[np.int64]:
    """Triangles through each node (n) of the network with these edges (m, 2) and degrees (n)."""
    oriented = orient(edges, degrees, False)
    n = len(degrees)
    workers = 1
    if threads > 1 and len(edges) > EDGES_WORTH_COUNTING:
        wedges = wedges_before(oriented)
        workers = int(max(1, min(threads, wedges[-1] // WEDGES_WORTH_A_THREAD)))
    if workers == 1:
        by_rank = triangles_of_rows(oriented, 0, n)
    else:
        # Two parts a thread: wedges are not all equally quick, and who is done first takes the next part.
        bounds = np.searchsorted(wedges, np.linspace(0, wedges[-1], 2 * workers + 1))
        bounds[0], bounds[-1] = 0, n
        firsts, lasts = bounds[:-1].tolist(), bounds[1:].tolist()
        with ThreadPoolExecutor(workers) as pool:
            parts = pool.map(triangles_of_rows, [oriented] * len(firsts), firsts, lasts)
            by_rank = np.sum(list(parts), axis=0)
    triangles = np.empty(n, np.int64)
    triangles[oriented.node_of_rank] = by_rank
    return triangles


def triangles_per_edge(oriented: Oriented) -> NDArray[np.int64]:
    """Triangles on each edge (m). Nothing is written."""
    counts = np.zeros(len(oriented.targets), dtype=np.int64)
    write_triangles(oriented, counts, np.empty((0, 3), dtype=oriented.targets.dtype))
    return counts


def list_triangles(oriented: Oriented, first_row: NDArray[np.int64]) -> IntMatrix:
    """The triangles on each edge {u, v}, as rows (number of {u, w}, number of {v, w}, w).

    `first_row` (m + 1) is the running sum of `triangles_per_edge`; the rows of edge e are
    first_row[e]:first_row[e + 1]. Returns (3 * triangles, 3). Nothing is written.
    """
    rows = np.empty((first_row[-1], 3), dtype=oriented.targets.dtype)
    write_triangles(oriented, first_row[:-1].copy(), rows)
    return rows


@compiled
def write_triangles(oriented: Oriented, filled: NDArray[np.int64], rows: IntMatrix) -> None:
    """Find all triangles; `filled` (m) advances by one for each on an edge, from where its rows begin.

    Writes them into `rows` as `list_triangles` says; only counts where there is no room, `rows` being (0, 3).
    """
    node_of_rank, offsets, targets, edge_numbers = oriented
    listing = rows.shape[0] > 0
    n = offsets.shape[0] - 1
    place_of = np.empty(n, np.int64)
    for u in range(n):
        place_of[u] = -1
    for u in range(n):
        for place in range(offsets[u], offsets[u + 1]):
            place_of[targets[place]] = place
        for place in range(offsets[u], offsets[u + 1]):
            v = targets[place]
            for further in range(offsets[v], offsets[v + 1]):
                w = targets[further]
                closing = place_of[w]
                if closing < 0:
                    continue
                uv, uw, vw = edge_numbers[place], edge_numbers[closing], edge_numbers[further]
                if listing:
                    _write_row(rows, filled[uv], uw, vw, node_of_rank[w])
                    _write_row(rows, filled[uw], uv, vw, node_of_rank[v])
                    _write_row(rows, filled[vw], uv, uw, node_of_rank[u])
                filled[uv] += 1
                filled[uw] += 1
                filled[vw] += 1
        for place in range(offsets[u], offsets[u + 1]):
            place_of[targets[place]] = -1


@inlined
def _write_row(rows: IntMatrix, row: int, other: int, third: int, node: int) -> None:
    """Write one triangle: its other two edges and the node that is on both."""
    rows[row, 0] = other
    rows[row, 1] = third
    rows[row, 2] = node


@inlined
def intersect_rows(csr: Csr, u: int, v: int, rows: IntMatrix) -> int:
    """Write the triangles on {u, v} with all edges there, as `list_triangles` does; returns how many."""
    offsets, neighbours, edge_numbers = csr
    found = 0
    a, b = offsets[u], offsets[v]
    while a < offsets[u + 1] and b < offsets[v + 1]:
        if neighbours[a] < neighbours[b]:
            a += 1
        elif neighbours[a] > neighbours[b]:
            b += 1
        else:
            _write_row(rows, found, edge_numbers[a], edge_numbers[b], neighbours[a])
            found += 1
            a += 1
            b += 1
    return found
