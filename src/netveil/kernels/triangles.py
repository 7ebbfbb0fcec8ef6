"""Rows of neighbours, and triangles on each node and on each edge."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise, repeat
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import Csr, IntMatrix, IntVector, index_type
from netveil.kernels.compiled import compiled, inlined, internal


@compiled
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


# Each edge once, from its end of lower degree to the other: all that counting triangles needs.
#
# Rows then have at most sqrt(2m) entries, so finding all triangles is O(m^1.5) whatever hubs there are.
# Nodes are renumbered by falling degree (their rank): what is looked up most lies together in memory.


EDGES_WORTH_A_THREAD = 250_000  # below, starting a thread costs more than it saves


class Rows(NamedTuple):
    """Some nodes and whom each has an edge to."""

    offsets: NDArray[np.int64]  # (rows + 1): row r is targets[offsets[r]:offsets[r + 1]]
    targets: NDArray[Any]  # (edges)


class Oriented(NamedTuple):
    """Each edge once, in the row of its end of higher rank (lower degree)."""

    node_of_rank: IntVector  # (n)
    offsets: NDArray[np.int64]  # (n + 1): row of rank r is targets[offsets[r]:offsets[r + 1]]
    targets: NDArray[Any]  # (m): ranks, all lower than the row's own
    edge_numbers: NDArray[Any]  # (m), or (0) where they were not asked for

    @property
    def rows(self) -> Rows:
        """The rows alone."""
        return Rows(self.offsets, self.targets)


def ranked(degrees: IntVector) -> IntVector:
    """The nodes (n) by falling degree, those of one degree in the order of their numbers."""
    behind = int(degrees.max(initial=0)) - degrees
    # numpy sorts numbers of 16 bits in one go over them.
    narrow = behind.astype(np.uint16) if behind.max(initial=0) < 2**16 else behind
    return np.argsort(narrow, kind="stable").astype(index_type(len(degrees)))


def rank_of(node_of_rank: IntVector) -> IntVector:
    """The rank of each node (n)."""
    rank = np.empty_like(node_of_rank)
    rank[node_of_rank] = np.arange(len(rank), dtype=rank.dtype)
    return rank


def orient(edges: IntMatrix, degrees: IntVector, numbered: bool, threads: int = 1) -> Oriented:
    """Rows of an edge array (m, 2), with `degrees` (n); the same whatever the number of threads.

    What is made takes 4 bytes an edge, twice that if `numbered`, and 12 a node, each thread 8 a node more.
    O(n log n + m).
    """
    n, m = len(degrees), len(edges)
    node_of_rank = ranked(degrees)
    rank = rank_of(node_of_rank)
    workers = max(1, min(threads, m // EDGES_WORTH_A_THREAD, 2 * m // max(n, 1)))
    slices = list(pairwise(np.linspace(0, m, workers + 1).astype(np.int64).tolist()))
    places = [np.zeros(n + 1, np.int64) for _ in slices]
    targets = np.empty(m, index_type(n))
    edge_numbers = np.empty(m if numbered else 0, edges.dtype)

    def place(part: tuple[int, int], own: NDArray[np.int64], filling: bool) -> None:
        place_edges(edges, rank, *part, own, targets, edge_numbers, filling)

    # First each thread counts the entries that its edges have in each row, then it writes them there.
    _in_threads(place, slices, places, False)
    offsets = _start_of_parts(places)
    _in_threads(place, slices, places, True)
    return Oriented(node_of_rank, offsets, targets, edge_numbers)


def _in_threads(
    place: Callable[[tuple[int, int], NDArray[np.int64], bool], None],
    slices: list[tuple[int, int]],
    places: list[NDArray[np.int64]],
    filling: bool,
) -> None:
    """Place each slice in a thread of its own; a single one in this thread, which may hold numba's lock."""
    if len(slices) == 1:
        place(slices[0], places[0], filling)
        return
    with ThreadPoolExecutor(len(slices)) as pool:
        list(pool.map(place, slices, places, repeat(filling)))


def _start_of_parts(places: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Turn the counts of each part into where its entries of a row begin; returns where rows do (n + 1)."""
    offsets = np.zeros(len(places[0]), np.int64)
    np.cumsum(sum(own[:-1] for own in places), out=offsets[1:])
    begin = offsets.copy()
    for own in places:
        begin_of_next = begin + own
        own[:] = begin
        begin = begin_of_next
    return offsets


@compiled
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


# Triangles of a network: how many on each node, and which on each edge.
#
# All kernels here look at each edge from its end of lower degree to the other: see `orient`.


PARTS = 128  # of a large network, in which to count; a bar moves after each
ROOM_FOR_COUNTS = 2**32  # bytes for the counts of all threads: with more nodes, fewer threads count

Listener = Callable[[float], None]
"""Hears the share of the work that is done, from 0 to 1."""


class TriangleCounts(NamedTuple):
    """Counts of triangles u, v, w, u having the highest rank, and scratch."""

    of_u: NDArray[np.int64]  # (rows of u)
    of_v: NDArray[np.int64]  # (rows of v)
    of_w: NDArray[np.int64]  # (those that w may be)
    marked: NDArray[np.uint8]  # (those that w may be): all 0 between calls


@compiled
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


def triangles_per_node(
    edges: IntMatrix, degrees: IntVector, threads: int = 1, listener: Listener | None = None
) -> NDArray[np.int64]:
    """Triangles through each node (n) of the network with these edges (m, 2) and degrees (n).

    The same whatever the number of threads. Takes 4 bytes an edge and 28 a node, and 9 a node for each
    thread; `listener` hears the share that is done.
    """
    oriented = orient(edges, degrees, False, threads)
    n = len(degrees)

    def room() -> TriangleCounts:
        counts = np.zeros(n, np.int64)
        return TriangleCounts(counts, counts, counts, np.zeros(n, np.uint8))

    threads = min(threads, max(2, ROOM_FOR_COUNTS // (9 * max(n, 1))))
    rows = oriented.rows
    by_rank, *others = (found.of_u for found in counted_in_threads(rows, rows, rows, room, threads, listener))
    for counts in others:
        by_rank += counts
    triangles = np.empty(n, np.int64)
    triangles[oriented.node_of_rank] = by_rank
    return triangles


def counted_in_threads(
    uv: Rows,
    uw: Rows,
    vw: Rows,
    room: Callable[[], TriangleCounts],
    threads: int,
    listener: Listener | None = None,
) -> list[TriangleCounts]:
    """Counts of each thread, for the caller to sum up; `room` makes the arrays of a thread."""
    edges = len(uv.targets)
    workers = max(1, min(threads, edges // EDGES_WORTH_A_THREAD))
    parts = 1 if edges < 2 * EDGES_WORTH_A_THREAD else PARTS
    bounds = np.searchsorted(uv.offsets, np.linspace(0, edges, parts + 1))
    bounds[0], bounds[-1] = 0, len(uv.offsets) - 1
    # Edges do not all take the same time: whoever is done first takes the next part.
    waiting = iter(list(pairwise(bounds.tolist())))
    lock = Lock()
    done = 0

    def work() -> TriangleCounts:
        nonlocal done
        found = room()
        while True:
            with lock:
                part = next(waiting, None)
            if part is None:
                return found
            count_triangles(uv, uw, vw, *part, found)
            with lock:
                done += 1
                if listener is not None:
                    listener(done / parts)

    if workers == 1:
        return [work()]
    with ThreadPoolExecutor(workers) as pool:
        futures = [pool.submit(work) for _ in range(workers)]
        return [future.result() for future in futures]


def triangles_per_edge(oriented: Oriented) -> NDArray[np.int64]:
    """Triangles on each edge (m). Nothing is written."""
    counts = np.zeros(len(oriented.targets), dtype=np.int64)
    write_triangles(oriented, counts, np.empty((0, 3), dtype=oriented.edge_numbers.dtype))
    return counts


def list_triangles(oriented: Oriented, first_row: NDArray[np.int64]) -> IntMatrix:
    """The triangles on each edge {u, v}, as rows (number of {u, w}, number of {v, w}, w).

    `first_row` (m + 1) is the running sum of `triangles_per_edge`; the rows of edge e are
    first_row[e]:first_row[e + 1]. Returns (3 * triangles, 3). Nothing is written.
    """
    rows = np.empty((first_row[-1], 3), dtype=oriented.edge_numbers.dtype)
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


# Triangles on each edge between blocks of nodes: what `count_triangles` counts on nodes, counted on edges.


@compiled
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
