"""Rows of integers of any length, and which of them are equal: exact, however many there are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import IntVector, Words
from netveil.kernels.compiled import compiled
from netveil.kernels.random import mixed
from netveil.kernels.sorting import sort_part


def classes_of_rows(offsets: NDArray[np.int64], values: IntVector) -> tuple[NDArray[np.int64], int]:
    """The class of each row, equal rows in one class, numbered as they first occur; and how many there are.

    Row i is values[offsets[i]:offsets[i + 1]].
    """
    offsets = offsets.view()
    offsets.setflags(write=False)  # as those of a network are, or kernels would be compiled for both
    return classes_of_hashed_rows(offsets, values, hashes_of_rows(offsets, values))


@compiled
def hashes_of_rows(offsets: NDArray[np.int64], values: IntVector) -> Words:
    """One number a row (rows), the same for equal rows. Nothing is written."""
    rows = offsets.shape[0] - 1
    hashes = np.empty(rows, np.uint64)
    for row in range(rows):
        found = np.uint64(offsets[row + 1] - offsets[row])
        for place in range(offsets[row], offsets[row + 1]):
            found = mixed(found ^ np.uint64(values[place]))
        hashes[row] = found
    return hashes


@compiled
def classes_of_hashed_rows(
    offsets: NDArray[np.int64], values: IntVector, hashes: Words
) -> tuple[NDArray[np.int64], int]:
    """Classes of equal rows as in `classes_of_rows`; `hashes` (rows) only say where to look for an equal one.

    Whole rows are compared, so any hashes that agree on equal rows give the same answer. Nothing is written.
    """
    rows = offsets.shape[0] - 1
    size = 4
    while size < 2 * rows:
        size *= 2
    table = np.zeros(size, np.int64)  # 1 + the first row of the class that is kept here; 0 where none is
    class_of = np.empty(rows, np.int64)
    classes = 0
    for row in range(rows):
        length = offsets[row + 1] - offsets[row]
        slot = np.int64(hashes[row] & np.uint64(size - 1))
        found = False
        while table[slot] > 0 and not found:
            other = table[slot] - 1
            found = hashes[other] == hashes[row] and offsets[other + 1] - offsets[other] == length
            place = 0
            while found and place < length:
                found = values[offsets[other] + place] == values[offsets[row] + place]
                place += 1
            if found:
                class_of[row] = class_of[other]
            else:
                slot = (slot + 1) & (size - 1)
        if not found:
            table[slot] = row + 1
            class_of[row] = classes
            classes += 1
    return class_of, classes


@compiled
def sort_rows(offsets: NDArray[np.int64], values: IntVector) -> None:
    """Sort each row in place, so that equal multisets are equal rows. Writes `values`."""
    longest = 0
    for row in range(offsets.shape[0] - 1):
        longest = max(longest, offsets[row + 1] - offsets[row])
    scratch = np.empty(longest, values.dtype)
    for row in range(offsets.shape[0] - 1):
        sort_part(values, offsets[row], offsets[row + 1], None, scratch)


def joined_rows(
    parts: Sequence[tuple[NDArray[np.int64], NDArray[np.int64]]],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The rows of all parts, each given by its own offsets and values, one after the other."""
    lengths = [np.diff(offsets) for offsets, _ in parts]
    offsets = np.concatenate(([0], np.cumsum(np.concatenate(lengths))))
    return offsets, np.concatenate([values for _, values in parts])
