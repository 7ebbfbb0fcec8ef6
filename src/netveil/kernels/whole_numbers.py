"""Whole numbers renumbered in the order in which they are met, part by part of two columns.

Numbers that lie close together are looked up in a table with a place for each; others by hashing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import IntMatrix
from netveil.kernels.compiled import compiled, inlined
from netveil.kernels.random import mixed

MOST_LOOKS = 32  # at slots a number, in a table that fills them well
FREE_LOOKS = 1 << 15

MET, LOOKS = 0, 1
"""Places in the `counts` of both kernels: numbers met so far, and looks at slots that others had taken."""


@compiled
def number_in_range(
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    low: int,
    place_of: NDArray[np.int32],
    met_numbers: NDArray[np.int64],
    counts: NDArray[np.int64],
    pairs: IntMatrix,
) -> None:
    """Number what is in two columns (rows), all of it from `low` to `low` + len(place_of) - 1.

    Writes the place of each number into `pairs` (rows, 2) and, of those not met before, into `place_of`,
    where the others are -1; the numbers themselves into `met_numbers`, which has room; and `counts`. O(rows).
    """
    met = counts[MET]
    for row in range(first.shape[0]):
        for column in range(2):
            value = first[row] if column == 0 else second[row]
            place = place_of[value - low]
            if place < 0:
                place = np.int32(met)
                place_of[value - low] = place
                met_numbers[met] = value
                met += 1
            pairs[row, column] = place
    counts[MET] = met


@inlined
def slot_of(value: int, slots: NDArray[np.int32]) -> int:
    """Where to look for a number first; `slots` are a power of 2."""
    return np.int64(mixed(np.uint64(value)) & np.uint64(slots.shape[0] - 1))


@compiled
def number_by_hashing(
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    slots: NDArray[np.int32],
    met_numbers: NDArray[np.int64],
    counts: NDArray[np.int64],
    pairs: IntMatrix,
) -> bool:
    """Number what is in two columns (rows), whatever it is; `slots` have room for twice as many.

    Writes as `number_in_range` does, `slots` (-1 where they are free) instead of its table. Returns False,
    with work left undone, if numbers collide so often that somebody must have meant it. O(rows).
    """
    met, looks = counts[MET], counts[LOOKS]
    most = looks + FREE_LOOKS + MOST_LOOKS * 2 * first.shape[0]
    for row in range(first.shape[0]):
        for column in range(2):
            value = first[row] if column == 0 else second[row]
            slot = slot_of(value, slots)
            while slots[slot] >= 0 and met_numbers[slots[slot]] != value and looks <= most:
                slot = (slot + 1) & (slots.shape[0] - 1)
                looks += 1
            if looks > most:
                return False
            if slots[slot] < 0:
                slots[slot] = np.int32(met)
                met_numbers[met] = value
                met += 1
            pairs[row, column] = slots[slot]
    counts[MET], counts[LOOKS] = met, looks
    return True


@compiled
def fill_slots(slots: NDArray[np.int32], met_numbers: NDArray[np.int64], met: int) -> bool:
    """Put the first numbers into free slots; writes `slots`. False if they collide too often. O(met)."""
    looks = 0
    for place in range(met):
        slot = slot_of(met_numbers[place], slots)
        while slots[slot] >= 0:
            slot = (slot + 1) & (slots.shape[0] - 1)
            looks += 1
            if looks > FREE_LOOKS + MOST_LOOKS * met:
                return False
        slots[slot] = np.int32(place)
    return True
