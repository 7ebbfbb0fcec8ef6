"""Compiled loops over rows of neighbours and triangles, for networks that are too large for numpy.

`triangles.py` calls them, and has what they take and return.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import Csr, IntMatrix, IntVector
from netveil.kernels.compiled import in_place, internal
from netveil.kernels.triangles import Oriented, Rows, TriangleCounts


@in_place
def fill_rows(
    edges: IntMatrix, places: NDArray[np.int64], neighbours: IntVector, edge_numbers: IntVector
) -> None:
    """Write the neighbours of each node and the numbers of the edges to them (2m), sorted in each row.

    `edges` (m, 2) are in ascending order, so that a row gets its smaller neighbours first and all in order;
    `places` (n) are where rows begin. Writes all but `edges`; `places` moves on to where rows end.
    """
    for edge in range(edges.shape[0]):
        smaller, larger = edges[edge, 0], edges[edge, 1]
        neighbours[places[smaller]], edge_numbers[places[smaller]] = larger, edge
        neighbours[places[larger]], edge_numbers[places[larger]] = smaller, edge
        places[smaller] += 1
        places[larger] += 1


@in_place
def place_edges(
    edges: IntMatrix,
    rank: IntVector,
    first: int,
    last: int,
    places: NDArray[np.int64],
    targets: IntVector,
    edge_numbers: IntVector,
    filling: bool,
) -> None:
    """Count the edges first..last-1 of each row in `places` (n + 1), or write them where `places` says.

    Writes `places`, which moves on; if `filling`, `targets` (m) too, and `edge_numbers` if they are (m).
    """
    numbered = edge_numbers.shape[0] > 0
    for edge in range(first, last):
        one, other = rank[edges[edge, 0]], rank[edges[edge, 1]]
        row = max(one, other)
        if filling:
            targets[places[row]] = min(one, other)
            if numbered:
                edge_numbers[places[row]] = edge
        places[row] += 1


@in_place
def count_triangles(uv: Rows, uw: Rows, vw: Rows, first: int, last: int, found: TriangleCounts) -> None:
    """Count the triangles with u in rows first..last-1. Writes `found`.

    u has an edge to v in `uv`, and to w in `uw`; v has one to w in `vw`. In a whole network all three are the
    same, and so are the counts; of a network in blocks, u, v and w are each in a block.
    """
    of_u, of_v, of_w, marked = found
    wedges, closed = 0, 0
    for u in range(first, last):
        if uv.offsets[u] == uv.offsets[u + 1]:
            continue
        for place in range(uw.offsets[u], uw.offsets[u + 1]):
            marked[uw.targets[place]] = 1
        of_this = 0
        # Where wedges are often closed, a branch is wrong half the time and adding 0 or 1 without asking is
        # quicker; where they seldom are, the branch is.
        seldom = 16 * closed < wedges
        for place in range(uv.offsets[u], uv.offsets[u + 1]):
            v = uv.targets[place]
            begin, end = vw.offsets[v], vw.offsets[v + 1]
            wedges += end - begin
            of_both = 0
            if seldom:
                for further in range(begin, end):
                    if marked[vw.targets[further]]:
                        of_both += 1
                        of_w[vw.targets[further]] += 1
            else:
                for further in range(begin, end):
                    one_or_none = np.int64(marked[vw.targets[further]])
                    of_both += one_or_none
                    of_w[vw.targets[further]] += one_or_none
            of_v[v] += of_both
            of_this += of_both
        of_u[u] += of_this
        closed += of_this
        for place in range(uw.offsets[u], uw.offsets[u + 1]):
            marked[uw.targets[place]] = 0


@in_place
def write_triangles(
    oriented: Oriented, filled: NDArray[np.int64], rows: IntMatrix, place_of: NDArray[np.int64]
) -> None:
    """Find all triangles; `filled` (m) advances by one for each on an edge, from where its rows begin.

    Writes them into `rows` as `list_triangles` says; only counts where there is no room, `rows` being (0, 3).
    `place_of` (n) is scratch.
    """
    node_of_rank, offsets, targets, edge_numbers = oriented
    listing = rows.shape[0] > 0
    n = offsets.shape[0] - 1
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


@internal
def _write_row(rows: IntMatrix, row: int, other: int, third: int, node: int) -> None:
    """Write one triangle: its other two edges and the node that is on both."""
    rows[row, 0] = other
    rows[row, 1] = third
    rows[row, 2] = node


@internal
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


@in_place
def count_on_edges(
    uv: Rows,
    uw: Rows,
    vw: Rows,
    on_uv: NDArray[np.int32],
    on_uw: NDArray[np.int32],
    on_vw: NDArray[np.int32],
    place_of: NDArray[np.int64],
) -> None:
    """Add each triangle u, v, w to its three edges. Writes the counts, which are as long as the targets.

    The rows are those of `count_triangles`: where two of the three are the same, so are their counts.
    `place_of` has room for each node that w may be, and is 0 between calls.
    """
    for u in range(uv.offsets.shape[0] - 1):
        if uv.offsets[u] == uv.offsets[u + 1]:
            continue
        for place in range(uw.offsets[u], uw.offsets[u + 1]):
            place_of[uw.targets[place]] = place + 1
        for place in range(uv.offsets[u], uv.offsets[u + 1]):
            v = uv.targets[place]
            for further in range(vw.offsets[v], vw.offsets[v + 1]):
                closing = place_of[vw.targets[further]]
                if closing > 0:
                    on_uv[place] += 1
                    on_uw[closing - 1] += 1
                    on_vw[further] += 1
        for place in range(uw.offsets[u], uw.offsets[u + 1]):
            place_of[uw.targets[place]] = 0
