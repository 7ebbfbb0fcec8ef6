"""How many states lie within given bounds."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import IntMatrix, IntVector
from netveil.kernels.compiled import compiled
from netveil.kernels.sorting import first_at_least


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
