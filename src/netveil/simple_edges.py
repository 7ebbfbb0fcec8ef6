"""From pairs of nodes to the edges of a simple network: no loops, each edge once, sorted. With little memory.

Pairs may be a third of all that fits into memory, so that what is not needed any more is let go, and numbers
of 32 bits are not made larger.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from netveil.errors import NetworkError
from netveil.kernels.arrays import IntMatrix, IntVector, index_type

_BLOCK = 1 << 20


class SimpleEdges(NamedTuple):
    """The edges, and what was left out."""

    edges: IntMatrix  # (m, 2): smaller node first, in ascending order
    self_loops: int
    duplicates: int
    pair_of_edge: IntVector | None  # the first pair that is this edge, if that was asked for


def simple_edges(pairs: ArrayLike, node_count: int, *, each_way: bool, find_pairs: bool) -> SimpleEdges:
    """The edges in pairs of nodes 0..node_count-1. With `each_way`, (u, v) is no duplicate of (v, u)."""
    given = np.asarray(pairs)
    if given.dtype not in (np.int32, np.int64):
        given = given.astype(np.int64)
    given = given.reshape(-1, 2)
    if given.size and (given.min() < 0 or given.max() >= node_count):
        raise NetworkError(f"node numbers must lie between 0 and {node_count - 1}")
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
    is_new = np.append(True, keys[1:] != keys[:-1])[: len(keys)]
    if is_new.all():
        return keys
    place = 0
    for start in range(0, len(keys), _BLOCK):
        part = keys[start : start + _BLOCK][is_new[start : start + _BLOCK]]
        keys[place : place + len(part)] = part
        place += len(part)
    return keys[:place]
