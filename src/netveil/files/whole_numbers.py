"""Columns of whole numbers as node numbers, part by part: nodes are numbered in the order they are met."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import IntMatrix

MOST_ROWS = 2**30 - 1
"""Rows whose people can all be numbered in 32 bits, even if no two are the same."""

SMALLEST_TABLE = 1 << 22
ENTRIES_A_ROW = 2
"""A table of 32-bit places may have so many entries for a row of the file, or that many anyway."""

_LARGEST = np.iinfo(np.int64).max
_SMALLEST = np.iinfo(np.int64).min


class WholeNumbers:
    """The different whole numbers in two columns. `rows` says about how many rows there will be."""

    def __init__(self, rows: int) -> None:
        self._largest_table = max(SMALLEST_TABLE, ENTRIES_A_ROW * rows)
        self._low = 0  # the number that has the first place in the table
        self._seen: tuple[int, int] | None = (
            None  # the lowest and the highest number, as long as there is one
        )
        self._place_of: NDArray[np.int32] | None = np.empty(0, np.int32)  # None once numbers are hashed
        self._slots = np.empty(0, np.int32)
        self._met_numbers = np.empty(0, np.int64)
        self._counts = np.zeros(2, np.int64)

    def __len__(self) -> int:
        return int(self._counts[0])

    def met(self) -> NDArray[np.int64]:
        """All of them, in the order in which they were met."""
        return self._met_numbers[: len(self)].copy()

    def number(self, first: NDArray[np.int64], second: NDArray[np.int64], pairs: IntMatrix) -> bool:
        """Write the places of further rows in that order into `pairs` (rows, 2), which are int32.

        False, and nothing to go on with, if numbers were chosen so that hashing them takes long.
        """
        from netveil.kernels.whole_numbers import number_by_hashing, number_in_range

        if not len(first):
            return True
        self._make_room(2 * len(first))
        low, high = int(min(first.min(), second.min())), int(max(first.max(), second.max()))
        if self._place_of is not None and self._covers(low, high):
            number_in_range(first, second, self._low, self._place_of, self._met_numbers, self._counts, pairs)
            return True
        self._place_of = None
        if not self._has_slots(2 * len(first)):
            return False
        return number_by_hashing(first, second, self._slots, self._met_numbers, self._counts, pairs)

    def _make_room(self, more: int) -> None:
        needed = len(self) + more
        if needed > len(self._met_numbers):
            # Memory that is not written yet takes no room: only addresses.
            larger = np.empty(max(needed, 2 * len(self._met_numbers)), np.int64)
            larger[: len(self)] = self._met_numbers[: len(self)]
            self._met_numbers = larger

    def _covers(self, low: int, high: int) -> bool:
        """Have the table reach from one number to another; False if it would be too large."""
        assert self._place_of is not None
        before = self._seen
        seen = self._seen = (min(low, before[0]), max(high, before[1])) if before else (low, high)
        size = seen[1] - seen[0] + 1
        if size > self._largest_table:
            return False
        if self._low <= seen[0] and seen[1] < self._low + len(self._place_of):
            return True
        # Half of it to spare, to the side where it was too short: numbers may go up, or down, for long.
        spare = min(size, self._largest_table - size) if before else 0
        start = max(seen[0] - spare, _SMALLEST) if before and low < before[0] else seen[0]
        table = np.full(min(size + spare, _LARGEST - start + 1), -1, np.int32)
        if before:
            kept = self._place_of[before[0] - self._low : before[1] - self._low + 1]
            table[before[0] - start : before[1] - start + 1] = kept
        self._low, self._place_of = start, table
        return True

    def _has_slots(self, more: int) -> bool:
        """Have slots for all numbers and as many again; False if those met already collide too often."""
        from netveil.kernels.whole_numbers import fill_slots

        needed = 2 * (len(self) + more)
        if needed <= len(self._slots):
            return True
        self._slots = np.full(1 << needed.bit_length(), -1, np.int32)
        return fill_slots(self._slots, self._met_numbers, len(self))
