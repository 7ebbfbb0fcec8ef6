"""Each edge once, from its end of lower degree to the other: all that counting triangles needs.

Rows then have at most sqrt(2m) entries, so finding all triangles is O(m^1.5) whatever hubs there are. Nodes
are renumbered by falling degree (their rank): what is looked up most lies together in memory.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise, repeat
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import IntMatrix, IntVector, index_type
from netveil.kernels.compiled import compiled

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
