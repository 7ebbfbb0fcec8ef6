"""Classes of equal rows of integers, and counts over states: exact, however many there are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import Csr, IntMatrix, IntVector, Words
from netveil.kernels.basics import first_at_least, mixed, sort_part
from netveil.kernels.compiled import compiled


def classes_of_rows(offsets: NDArray[np.int64], values: IntVector) -> tuple[NDArray[np.int64], int]:
    """The class of each row, equal rows in one class, numbered as they first occur; and how many there are.

    Row i is values[offsets[i]:offsets[i + 1]].
    """
    offsets, values = offsets.view(), values.view()
    for rows in (offsets, values):  # as those of a network are, or kernels would be compiled for both
        rows.setflags(write=False)
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


# Who is found from whom, once some people are identified.


@compiled
def identify_neighbours(
    csr: Csr, class_of: IntVector, found: IntVector, identified: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """The nodes that are newly identified as the only neighbour in their class of one of `found`.

    Writes `identified` (n). O(n + the sum of degrees of `found`).
    """
    times = np.zeros(class_of.shape[0], np.int64)  # by class: how many neighbours of the node at hand
    fresh = np.empty(class_of.shape[0], np.int64)
    count = 0
    for node in found:
        for place in range(csr.offsets[node], csr.offsets[node + 1]):
            times[class_of[csr.neighbours[place]]] += 1
        for place in range(csr.offsets[node], csr.offsets[node + 1]):
            neighbour = csr.neighbours[place]
            if times[class_of[neighbour]] == 1 and not identified[neighbour]:
                identified[neighbour] = True
                fresh[count] = neighbour
                count += 1
        for place in range(csr.offsets[node], csr.offsets[node + 1]):
            times[class_of[csr.neighbours[place]]] = 0
    return fresh[:count].copy()


# How many states lie within given bounds.


@compiled
def counts_within(
    lowest: IntMatrix, highest: IntMatrix, states: IntMatrix, how_often: IntVector
) -> NDArray[np.int64]:
    """For each row of bounds (r, c), how many states lie within them in every column; c is at least 2.

    `states` (s, c) are different and in ascending order, first column first; each counts `how_often` (s).
    Nothing is written. Per row: the values of the first column within bounds, times log s, for two columns.
    """
    rows = states.shape[0]
    columns = states.shape[1]
    first_column, second_column = states[:, 0].copy(), states[:, 1].copy()
    before = np.zeros(rows + 1, np.int64)
    for row in range(rows):
        before[row + 1] = before[row] + how_often[row]
    block_end = np.empty(rows, np.int64)  # the end of the states with the same first value
    for row in range(rows - 1, -1, -1):
        same = row + 1 < rows and first_column[row + 1] == first_column[row]
        block_end[row] = block_end[row + 1] if same else row + 1

    counts = np.zeros(lowest.shape[0], np.int64)
    for reference in range(lowest.shape[0]):
        low, high = lowest[reference], highest[reference]
        row = first_at_least(first_column, low[0], np.int64(0), rows)
        while row < rows and first_column[row] <= high[0]:
            end = block_end[row]
            first = first_at_least(second_column, low[1], row, end)
            last = first_at_least(second_column, high[1] + 1, row, end)
            if columns == 2:
                counts[reference] += before[max(first, last)] - before[first]
            else:
                for candidate in range(first, last):
                    within = True
                    for column in range(2, columns):
                        value = states[candidate, column]
                        within = within and low[column] <= value <= high[column]
                    if within:
                        counts[reference] += how_often[candidate]
            row = end
    return counts
