"""Classes of equal rows of integers, and counts over states: exact, however many there are."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import (
    EDGES_WORTH_COMPILING,
    Csr,
    IntMatrix,
    IntVector,
    Words,
    numbered_by_appearance,
)
from netveil.kernels.basics import first_at_least, mixed
from netveil.kernels.compiled import compiled, in_place

AT_ONCE = 1_000_000  # values of rows that are sorted together


def classes_of_rows(offsets: NDArray[np.int64], values: IntVector) -> tuple[NDArray[np.int64], int]:
    """The class of each row, equal rows in one class, numbered as they first occur; and how many there are.

    Row i is values[offsets[i]:offsets[i + 1]].
    """
    if len(offsets) + len(values) < EDGES_WORTH_COMPILING:
        all_rows, ends = values.tobytes(), (offsets * values.itemsize).tolist()
        class_of = numbered_by_appearance(all_rows[first:last] for first, last in pairwise(ends))
        return class_of, int(class_of.max(initial=-1)) + 1
    offsets, values = offsets.view(), values.view()
    for rows in (offsets, values):  # as those of a network are, or kernels would be compiled for both
        rows.setflags(write=False)
    hashes = np.empty(len(offsets) - 1, np.uint64)
    write_hashes(offsets, values, hashes)
    return classes_of_hashed_rows(offsets, values, hashes)


@in_place
def write_hashes(offsets: NDArray[np.int64], values: IntVector, hashes: Words) -> None:
    """Write one number a row (rows), the same for equal rows."""
    for row in range(hashes.shape[0]):
        found = np.uint64(offsets[row + 1] - offsets[row])
        for place in range(offsets[row], offsets[row + 1]):
            found = mixed(found ^ np.uint64(values[place]))
        hashes[row] = found


def classes_of_hashed_rows(
    offsets: NDArray[np.int64], values: IntVector, hashes: Words
) -> tuple[NDArray[np.int64], int]:
    """Classes of equal rows as in `classes_of_rows`; `hashes` (rows) only say where to look for an equal one.

    Whole rows are compared, so any hashes that agree on equal rows give the same answer. Nothing is written.
    """
    table = np.zeros(1 << max(2, (2 * len(hashes) - 1).bit_length()), np.int64)
    class_of = np.empty(len(hashes), np.int64)
    return class_of, _write_classes(offsets, values, hashes, table, class_of)


@in_place
def _write_classes(
    offsets: NDArray[np.int64],
    values: IntVector,
    hashes: Words,
    table: NDArray[np.int64],
    class_of: NDArray[np.int64],
) -> int:
    """Write `class_of` (rows); returns how many classes there are.

    A slot of `table` (a power of two, all 0 at first) holds 1 + the first row of its class; 0 if it has none.
    """
    size = table.shape[0]
    classes = 0
    for row in range(hashes.shape[0]):
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
    return classes


def sort_rows(offsets: NDArray[np.int64], values: IntVector) -> None:
    """Sort each row in place, so that equal multisets are equal rows. Writes `values`, numbers below 2^42."""
    row = 0
    while row < len(offsets) - 1:
        last = max(int(np.searchsorted(offsets, offsets[row] + AT_ONCE, side="right")) - 1, row + 1)
        part = values[offsets[row] : offsets[last]]
        low, high = int(part.min(initial=0)), int(part.max(initial=0))
        apart = np.arange(last - row) * (high - low + 1) - low  # rows do not mix: each has numbers of its own
        shift = np.repeat(apart, np.diff(offsets[row : last + 1]))
        part[:] = np.sort(part + shift) - shift
        row = last


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


def counts_within(
    lowest: IntMatrix, highest: IntMatrix, states: IntMatrix, how_often: IntVector
) -> NDArray[np.int64]:
    """For each row of bounds (r, c), how many states lie within them in every column; c is at least 2.

    `states` (s, c) are different and in ascending order, first column first; each counts `how_often` (s).
    Nothing is written. Per row: the values of the first column within bounds, times log s, for two columns.
    """
    first, second = np.ascontiguousarray(states[:, :2].T)
    before = np.concatenate(([0], np.cumsum(how_often)))
    block_end = np.searchsorted(first, first, side="right")  # the end of the states with the same first value
    counts = np.zeros(len(lowest), np.int64)
    _count_within(lowest, highest, states, first, second, before, block_end, counts)
    return counts


@in_place
def _count_within(
    lowest: IntMatrix,
    highest: IntMatrix,
    states: IntMatrix,
    first_column: IntVector,
    second_column: IntVector,
    before: IntVector,
    block_end: IntVector,
    counts: IntVector,
) -> None:
    """Write `counts` (r) of `counts_within`; `before` (s + 1) tells how many nodes have earlier states."""
    rows, columns = states.shape
    for reference in range(lowest.shape[0]):
        row = first_at_least(first_column, lowest[reference, 0], np.int64(0), rows)
        while row < rows and first_column[row] <= highest[reference, 0]:
            end = block_end[row]
            first = first_at_least(second_column, lowest[reference, 1], row, end)
            last = first_at_least(second_column, highest[reference, 1] + 1, row, end)
            if columns == 2:
                counts[reference] += before[max(first, last)] - before[first]
            else:
                for candidate in range(first, last):
                    within = True
                    for column in range(2, columns):
                        value = states[candidate, column]
                        within = within and lowest[reference, column] <= value <= highest[reference, column]
                    if within:
                        counts[reference] += before[candidate + 1] - before[candidate]
            row = end
