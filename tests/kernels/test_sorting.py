"""Sorting inside kernels does what Python's own does."""

from __future__ import annotations

from bisect import bisect_left

import numpy as np
from hypothesis import given, strategies as st

from netveil.kernels import sorting
from way_in import way_in

sort_part, first_at_least = way_in(sorting.sort_part), way_in(sorting.first_at_least)

NUMBERS = st.lists(st.integers(-50, 50), max_size=100)
"""Often more than a run, so that runs are merged; and with many that are equal."""


@given(before=NUMBERS, part=NUMBERS, after=NUMBERS)
def test_a_part_is_sorted_and_the_rest_is_left_alone(
    before: list[int], part: list[int], after: list[int]
) -> None:
    """Whatever its length."""
    values = np.array([*before, *part, *after], dtype=np.int64)
    scratch = np.empty(len(part), dtype=np.int64)

    sort_part(values, len(before), len(before) + len(part), None, scratch)

    assert values.tolist() == [*before, *sorted(part), *after]


@given(st.lists(st.integers(0, 9) | st.just(2**64 - 1), max_size=100))
def test_values_are_sorted_by_their_keys_and_equal_ones_stay_in_order(keys: list[int]) -> None:
    """As Python sorts by a key; keys use all 64 bits."""
    order = np.arange(len(keys))
    sort_part(order, 0, len(keys), np.array(keys, dtype=np.uint64), np.empty_like(order))

    assert order.tolist() == sorted(range(len(keys)), key=keys.__getitem__)


@given(NUMBERS.map(sorted), st.integers(-60, 60), st.data())
def test_the_first_value_that_is_large_enough_is_found(
    values: list[int], bound: int, data: st.DataObject
) -> None:
    """In any part of the values, as Python's bisection finds it."""
    first = data.draw(st.integers(0, len(values)))
    last = data.draw(st.integers(first, len(values)))

    found = first_at_least(np.array(values, dtype=np.int64), bound, first, last)

    assert found == bisect_left(values, bound, first, last)
