"""Triangles on each node and on each edge: with numpy in small networks, by compiled loops in others.

Compiling takes longer than numpy for some thousand edges. Both find the same triangles in the same order.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise, repeat
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import EDGES_WORTH_COMPILING, IntMatrix, IntVector, index_type, stable_order

# Each edge once, from its end of lower degree to the other: all that counting triangles needs.
#
# Rows then have at most sqrt(2m) entries, so finding all triangles is O(m^1.5) whatever hubs there are.
# Nodes are renumbered by falling degree (their rank): what is looked up most lies together in memory.


WEDGES_WORTH_COMPILING = (
    1_000_000  # to close; below, numpy takes a tenth of a second, and 200 MB at the very most
)
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
    return stable_order(behind).astype(index_type(len(degrees)))


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
    if m < EDGES_WORTH_COMPILING:
        one, other = rank[edges[:, 0]], rank[edges[:, 1]]
        row = np.maximum(one, other)
        order = stable_order(row)
        targets = np.minimum(one, other)[order]
        offsets = np.concatenate(([0], np.cumsum(np.bincount(row, minlength=n)))).astype(np.int64)
        return Oriented(node_of_rank, offsets, targets, order[: m if numbered else 0].astype(edges.dtype))
    from netveil.kernels.triangle_loops import place_edges

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


def triangles_per_node(
    edges: IntMatrix, degrees: IntVector, threads: int = 1, listener: Listener | None = None, times: int = 1
) -> NDArray[np.int64]:
    """Triangles through each node (n) of the network with these edges (m, 2) and degrees (n).

    The same whatever the number of threads. Takes 4 bytes an edge and 28 a node, and 9 a node for each
    thread; `listener` hears the share that is done. `times` is how many networks of this size will be
    counted: compiled loops take a tenth of numpy's time, so many small ones are worth compiling as well.
    """
    oriented = orient(edges, degrees, False, threads)
    n = len(degrees)

    def room() -> TriangleCounts:
        counts = np.zeros(n, np.int64)
        return TriangleCounts(counts, counts, counts, np.zeros(n, np.uint8))

    threads = min(threads, max(2, ROOM_FOR_COUNTS // (9 * max(n, 1))))
    rows = oriented.rows
    if has_few_wedges(rows, times):
        uv, uw, _ = triangle_places(oriented)
        row_of = np.repeat(np.arange(n), np.diff(rows.offsets))
        corners = np.concatenate((row_of[uv], rows.targets[uv], rows.targets[uw]))
        triangles = np.empty(n, np.int64)
        triangles[oriented.node_of_rank] = np.bincount(corners, minlength=n)
        if listener is not None:
            listener(1.0)
        return triangles
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
    from netveil.kernels.triangle_loops import count_triangles

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


def has_few_wedges(rows: Rows, times: int = 1) -> bool:
    """Whether numpy finds the triangles: few pairs of edges are to be closed in all networks of this size."""
    if times * len(rows.targets) >= WEDGES_WORTH_COMPILING:
        return False
    return bool(times * np.diff(rows.offsets)[rows.targets].sum() < WEDGES_WORTH_COMPILING)


def triangle_places(oriented: Oriented) -> IntMatrix:
    """Places of the edges {u, v}, {u, w} and {v, w} of each triangle (3, triangles) in the rows, by numpy.

    In the order in which `write_triangles` finds them: by u, then v, then w. Nothing is written.
    """
    offsets, targets = oriented.rows
    n, m = len(offsets) - 1, len(targets)
    row_of = np.repeat(np.arange(n), np.diff(offsets))
    further = np.diff(offsets)[targets]
    uv = np.repeat(np.arange(m), further)
    begin = offsets[targets] - np.cumsum(further) + further
    vw = np.repeat(begin, further) + np.arange(len(uv))
    keys = row_of * n + targets
    by_key = np.argsort(keys)
    wanted = row_of[uv] * n + targets[vw]
    uw = by_key[np.minimum(np.searchsorted(keys, wanted, sorter=by_key), m - 1)]
    closed = keys[uw] == wanted
    return np.stack((uv[closed], uw[closed], vw[closed]))


def triangles_per_edge(oriented: Oriented) -> NDArray[np.int64]:
    """Triangles on each edge (m). Nothing is written."""
    m = len(oriented.targets)
    if has_few_wedges(oriented.rows):
        return np.bincount(oriented.edge_numbers[triangle_places(oriented)].ravel(), minlength=m)
    from netveil.kernels.triangle_loops import write_triangles

    counts = np.zeros(m, dtype=np.int64)
    no_room = np.empty((0, 3), dtype=oriented.edge_numbers.dtype)
    write_triangles(oriented, counts, no_room, np.empty(len(oriented.node_of_rank), np.int64))
    return counts


def list_triangles(oriented: Oriented, first_row: NDArray[np.int64]) -> IntMatrix:
    """The triangles on each edge {u, v}, as rows (number of {u, w}, number of {v, w}, w).

    `first_row` (m + 1) is the running sum of `triangles_per_edge`; the rows of edge e are
    first_row[e]:first_row[e + 1]. Returns (3 * triangles, 3). Nothing is written.
    """
    node_of_rank, offsets, targets, edge_numbers = oriented
    if has_few_wedges(oriented.rows):
        places = triangle_places(oriented)
        uv, uw, vw = edge_numbers[places]
        row_of = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
        u, v, w = node_of_rank[np.stack((row_of[places[0]], targets[places[0]], targets[places[1]]))]
        # (3, 3, triangles): the rows of the three edges in turn, and each row's three columns.
        rows = np.array([[uw, vw, w], [uv, vw, v], [uv, uw, u]]).transpose(2, 0, 1).reshape(-1, 3)
        order = stable_order(np.stack((uv, uw, vw), axis=1).ravel())
        return rows[order].astype(edge_numbers.dtype)
    from netveil.kernels.triangle_loops import write_triangles

    rows = np.empty((first_row[-1], 3), dtype=edge_numbers.dtype)
    write_triangles(oriented, first_row[:-1].copy(), rows, np.empty(len(node_of_rank), np.int64))
    return rows
