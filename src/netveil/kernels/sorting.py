"""Sorting and looking up inside kernels. numba's own sorts take longer to compile: docs/decisions.md."""

from __future__ import annotations

from netveil.kernels.arrays import IntVector, Words
from netveil.kernels.compiled import inlined, internal

RUN = 16  # so few are sorted by insertion


@inlined
def comes_before(keys: Words | None, one: int, other: int) -> bool:
    """Whether `one` goes before `other`: by their keys where there are any, else by themselves."""
    if keys is None:
        return one < other
    return keys[one] < keys[other]


@internal
def sort_part(values: IntVector, first: int, last: int, keys: Words | None, scratch: IntVector) -> None:
    """Sort values[first:last] ascending, by `keys` of the values if given; equal ones stay in order.

    Runs are sorted by insertion and then merged, two by two. Writes `values` and `scratch`, which has room
    for as many. O(n log n).
    """
    for start in range(first, last, RUN):
        for place in range(start + 1, min(start + RUN, last)):
            value = values[place]
            before = place
            while before > start and comes_before(keys, value, values[before - 1]):
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
                if right < end and comes_before(keys, values[right], scratch[left]):
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
