"""What many kernels need: random numbers, sorting, and looking up. numba's own sorts take longer to compile.

Random numbers are SplitMix64 (Steele, Lea & Flood 2014), its state handed in by the caller. A kernel seeds it
from a number that the run's own generator drew for that piece of work, so results do not depend on which
thread does the work, or when.
"""

from __future__ import annotations

import numpy as np

from netveil.kernels.arrays import IntVector, Words
from netveil.kernels.compiled import inlined, shared

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FIRST_MIX = np.uint64(0xBF58476D1CE4E5B9)
SECOND_MIX = np.uint64(0x94D049BB133111EB)
UNIT = 1.0 / (1 << 53)


@inlined
def mixed(word: np.uint64) -> np.uint64:
    """64 bits that each depend on every bit of `word`; different for different words (SplitMix64)."""
    bits = word + GOLDEN
    bits = (bits ^ (bits >> np.uint64(30))) * FIRST_MIX
    bits = (bits ^ (bits >> np.uint64(27))) * SECOND_MIX
    return bits ^ (bits >> np.uint64(31))


@inlined
def next_word(state: Words) -> np.uint64:
    """64 random bits. `state` (1) advances."""
    bits = mixed(state[0])
    state[0] += GOLDEN
    return bits


@inlined
def next_unit(state: Words) -> float:
    """A random number in [0, 1). `state` (1) advances."""
    bits = mixed(state[0])
    state[0] += GOLDEN
    return (bits >> np.uint64(11)) * UNIT


@inlined
def next_below(state: Words, limit: int) -> int:
    """A random whole number in 0..limit-1, or 0 if `limit` is 0. `state` (1) advances."""
    return np.int64(next_unit(state) * limit)


RUN = 16  # so few are sorted by insertion


@shared
def sort_part(values: IntVector, first: int, last: int, keys: Words, scratch: IntVector) -> None:
    """Sort values[first:last] by their `keys`, ascending; equal ones stay in order.

    Runs are sorted by insertion and then merged, two by two. Writes `values` and `scratch`, which has room
    for as many. O(n log n).
    """
    for start in range(first, last, RUN):
        for place in range(start + 1, min(start + RUN, last)):
            value = values[place]
            before = place
            while before > start and keys[value] < keys[values[before - 1]]:
                values[before] = values[before - 1]
                before -= 1
            values[before] = value
    width = RUN
    while width < last - first:
        for start in range(first, last - width, 2 * width):
            right, end = start + width, min(start + 2 * width, last)
            for place in range(width):
                scratch[place] = values[start + place]
            left, place = 0, start
            while left < width:
                if right < end and keys[values[right]] < keys[scratch[left]]:
                    values[place] = values[right]
                    right += 1
                else:
                    values[place] = scratch[left]
                    left += 1
                place += 1
        width *= 2


@inlined
def first_at_least(values: IntVector, bound: int, first: int, last: int) -> int:
    """The first place in first..last-1 whose value is `bound` or more, or `last`; values ascend. O(log n)."""
    while first < last:
        middle = (first + last) // 2
        if values[middle] < bound:
            first = middle + 1
        else:
            last = middle
    return first
