"""The arrays that kernels and the rest of netveil hand to each other. Free of numba, so quick to import."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

Constants = TypeVar("Constants")

EDGES_WORTH_COMPILING = 250_000  # or other steps; below, compiled code takes longer to load than it saves

IntVector = NDArray[np.signedinteger[Any]]
"""One integer an entry; int32 or int64."""

IntMatrix = NDArray[np.signedinteger[Any]]
"""Two-dimensional; int32 or int64."""

Words = NDArray[np.uint64]
"""Bits packed 64 to a word: bit b of an individual is bit b % 64 of word b // 64."""


class Csr(NamedTuple):
    """Adjacency of a network with n nodes and m edges, row after row."""

    offsets: NDArray[np.int64]  # (n + 1): row v is neighbours[offsets[v]:offsets[v + 1]]
    neighbours: IntVector  # (2m): sorted in each row
    edge_numbers: IntVector  # (2m): the number of the edge to that neighbour


def constants(named: type[Constants]) -> Constants:
    """Named places in an array, or bits of a number: a NamedTuple whose fields have them as defaults.

    Every numba knows the fields of a constant tuple; only the newest know members of an IntEnum as places.
    """
    return named()


def index_type(largest: int) -> type[np.signedinteger[Any]]:
    """Narrowest of int32 and int64 that holds indices up to `largest`."""
    return np.int32 if largest <= np.iinfo(np.int32).max else np.int64


def stable_order(values: IntVector) -> NDArray[np.int64]:
    """Places of whole numbers from 0 on, ascending; equal ones stay in order.

    numpy sorts numbers of 16 bits in one go over them, in a fifth of the time.
    """
    narrow = values.astype(np.uint16) if values.max(initial=0) < 2**16 else values
    return np.argsort(narrow, kind="stable")


def components(edges: IntMatrix, nodes: int) -> NDArray[np.int64]:
    """Connected component of each node: the smallest node in it.

    Components take the smallest number among those that they are tied to, until no edge is between two.
    """
    smallest = np.arange(nodes)
    one, other = edges.T
    while len(one):
        np.minimum.at(smallest, np.maximum(one, other), np.minimum(one, other))
        while (smallest[smallest] != smallest).any():
            smallest = smallest[smallest]
        one, other = smallest[one], smallest[other]
        apart = one != other
        one, other = one[apart], other[apart]
    return smallest


def numbered_by_appearance(states: Iterable[Hashable]) -> NDArray[np.int64]:
    """Number states in the order in which they first come; equal ones have one number.

    >>> numbered_by_appearance("abba")
    array([0, 1, 1, 0])
    """
    number: dict[Hashable, int] = {}
    return np.array([number.setdefault(state, len(number)) for state in states], dtype=np.int64)
