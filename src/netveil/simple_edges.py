"""From pairs of nodes to the edges of a simple network: no loops, each edge once, sorted. With little memory.

Pairs may be a third of all that fits into memory, so that what is not needed any more is let go, and numbers
of 32 bits are not made larger.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from netveil.cores import available_cores
from netveil.errors import NetworkError
from netveil.kernels.arrays import IntMatrix, IntVector, index_type

KEYS_WORTH_A_THREAD = 1_000_000
_BLOCK = 1 << 16  # keys that stay in a cache while they are made
_BITS, _LOWER = 32, 2**32 - 1  # an edge as one number: its smaller node above, the larger below


class SimpleEdges(NamedTuple):
    """The edges, and what was left out."""

    edges: IntMatrix  # (m, 2): smaller node first, in ascending order
    self_loops: int
    duplicates: int
    pair_of_edge: IntVector | None  # the first pair that is this edge, if that was asked for


def simple_edges(
    pairs: ArrayLike, node_count: int, *, each_way: bool, find_pairs: bool, in_place: bool = False
) -> SimpleEdges:
    """The edges in pairs of nodes 0..node_count-1. With `each_way`, (u, v) is no duplicate of (v, u).

    With `in_place`, nobody needs the pairs any more.
    """
    given = np.asarray(pairs)
    if in_place and not (each_way or find_pairs) and given.dtype == np.int32 and given.flags.carray:
        return _edges_in_place(given, node_count, available_cores())
    if given.dtype not in (np.int32, np.int64):
        given = given.astype(np.int64)
    given = given.reshape(-1, 2)
    _check_numbers(given, node_count)
    keys = _keys(given, node_count, each_way=False)
    named = len(_sorted_once(_keys(given, node_count, each_way=True))) if each_way else None
    first = None
    if find_pairs:
        first = np.flatnonzero(given[:, 0] != given[:, 1])[np.unique(keys, return_index=True)[1]]
    loops, ties = len(given) - len(keys), len(keys)
    del given
    distinct = _sorted_once(keys)
    del keys
    edges = np.empty((len(distinct), 2), dtype=index_type(max(node_count, 2 * len(distinct))))
    np.divmod(distinct, max(node_count, 1), edges[:, 0], edges[:, 1], casting="unsafe")
    return SimpleEdges(edges, loops, ties - (len(distinct) if named is None else named), first)


def _check_numbers(pairs: IntMatrix, node_count: int) -> None:
    if pairs.size and (pairs.min() < 0 or pairs.max() >= node_count):
        raise NetworkError(f"node numbers must lie between 0 and {node_count - 1}")


def _edges_in_place(pairs: NDArray[np.int32], node_count: int, threads: int) -> SimpleEdges:
    """The edges where the pairs (rows, 2) were, with no copy; the same whatever the number of threads."""
    _check_numbers(pairs, node_count)
    keys = pairs.reshape(-1).view(np.int64)
    ties = 0
    for start in range(0, len(pairs), _BLOCK):
        one, other = pairs[start : start + _BLOCK].T.astype(np.int64)
        part = (np.minimum(one, other) << _BITS | np.maximum(one, other))[one != other]
        keys[ties : ties + len(part)] = part
        ties += len(part)
    _sort(keys[:ties], threads)
    count = _moved_up(keys[:ties])
    edges = pairs[:count]
    for start in range(0, count, _BLOCK):
        part = keys[start : min(start + _BLOCK, count)].copy()
        edges[start : start + _BLOCK, 0] = part >> _BITS
        edges[start : start + _BLOCK, 1] = part & _LOWER
    wide = index_type(max(node_count, 2 * count))
    return SimpleEdges(edges.astype(wide, copy=False), len(pairs) - ties, ties - count, None)


def _sort(keys: NDArray[np.int64], threads: int) -> None:
    """Sort where they are. Where most are in order already, as in files of ours, the others are merged in."""
    in_order = _start_of_order(keys)
    if in_order > len(keys) // 2:
        _sort_in_threads(keys, threads)
        return
    _sort_in_threads(keys[:in_order], threads)
    keys.sort(kind="stable")  # merges runs, with memory for the shorter one


def _start_of_order(keys: NDArray[np.int64]) -> int:
    """The place from which on numbers ascend."""
    for stop in range(len(keys), 1, -_BLOCK):  # from the end: where nothing is in order, this ends at once
        start = max(stop - _BLOCK - 1, 0)
        falls = np.flatnonzero(keys[start + 1 : stop] < keys[start : stop - 1])
        if len(falls):
            return start + int(falls[-1]) + 1
    return 0


def _sort_in_threads(keys: NDArray[np.int64], threads: int) -> None:
    """Sort where they are: parted at as many places as threads need, and each part sorted by one."""
    threads = min(threads, len(keys) // KEYS_WORTH_A_THREAD)
    if threads < 2:
        keys.sort()
        return
    cuts = np.linspace(0, len(keys), threads + 1).astype(np.int64).tolist()
    keys.partition(cuts[1:-1])
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(lambda part: keys[part[0] : part[1]].sort(), pairwise(cuts)))


def _keys(pairs: IntMatrix, node_count: int, *, each_way: bool) -> NDArray[np.int64]:
    """A number for each pair that is no loop; they ascend as pairs do. Made part by part."""
    keys, count = np.empty(len(pairs), dtype=np.int64), 0
    for start in range(0, len(pairs), _BLOCK):
        one, other = pairs[start : start + _BLOCK].T
        if not each_way:
            one, other = np.minimum(one, other), np.maximum(one, other)
        part = (one.astype(np.int64) * node_count + other)[one != other]
        keys[count : count + len(part)] = part
        count += len(part)
    return keys[:count]


def _sorted_once(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """The different numbers, ascending. They are sorted and moved up where they are: there is no copy."""
    keys.sort()
    return keys[: _moved_up(keys)]


def _moved_up(keys: NDArray[np.int64]) -> int:
    """Move the different ones of ascending numbers to the front; returns how many there are."""
    count, last = 0, None
    for start in range(0, len(keys), _BLOCK):
        part = keys[start : start + _BLOCK]
        is_new = np.append(last is None or part[0] != last, part[1:] != part[:-1])
        last = part[-1]
        if count == start and is_new.all():  # as in all parts before
            count += len(part)
            continue
        different = part[is_new]
        keys[count : count + len(different)] = different
        count += len(different)
    return count
