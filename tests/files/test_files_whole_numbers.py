"""Whole numbers are numbered in the order in which they are met, however they come."""

from __future__ import annotations

from collections.abc import Iterator
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

from netveil.files import arrow
from netveil.files.arrow import WholeNumbers
from netveil.kernels import cell_codes as kernels

NUMBERS = st.one_of(st.integers(-5, 20), st.integers(-(2**63), 2**63 - 1), st.integers(10**6, 10**6 + 300))
BATCH = st.lists(st.tuples(NUMBERS, NUMBERS), max_size=30)


def as_met(batches: list[list[tuple[int, int]]]) -> tuple[list[int], list[list[int]]]:
    """The different numbers, and the places of those in each row, by a dictionary."""
    place_of: dict[int, int] = {}
    rows = [
        [place_of.setdefault(number, len(place_of)) for number in row] for batch in batches for row in batch
    ]
    return list(place_of), rows


def numbered(batches: list[list[tuple[int, int]]], numbers: WholeNumbers) -> list[list[int]]:
    """The places of all rows."""
    rows: list[list[int]] = []
    for batch in batches:
        columns: NDArray[np.int64] = np.array(batch, dtype=np.int64).reshape(-1, 2)
        pairs = np.empty((len(batch), 2), np.int32)
        numbers.number(columns[:, 0].copy(), columns[:, 1].copy(), pairs)
        rows += pairs.tolist()
    return rows


@pytest.fixture(autouse=True, scope="module")
def _by_the_kernel() -> Iterator[None]:
    """However few the rows are."""
    with mock.patch.object(arrow, "MANY", 0):
        yield


@given(st.lists(BATCH, max_size=6), st.sampled_from([1, 30, 400, 1 << 20]))
def test_numbers_have_the_order_in_which_they_are_met(
    batches: list[list[tuple[int, int]]], smallest_table: int
) -> None:
    """By a table as long as they lie close together, then by hashing: the same places either way."""
    with mock.patch.object(arrow, "SMALLEST_TABLE", smallest_table):
        numbers = WholeNumbers(1)
        places = numbered(batches, numbers)
    met, rows = as_met(batches)

    assert places == rows
    assert numbers.met().tolist() == met and len(numbers) == len(met)


def test_a_table_is_used_for_numbers_that_lie_close_together() -> None:
    """As many as twice the rows may lie apart; a table grows to both sides."""
    with mock.patch.object(arrow, "SMALLEST_TABLE", 1):
        close, apart = WholeNumbers(100), WholeNumbers(99)
        batches = [[(1000, 1010)], [(990, 1000)], [(900, 950)], [(1099, 1000)]]
        for numbers in (close, apart):
            assert numbered(batches, numbers) == [[0, 1], [2, 0], [3, 4], [5, 0]]

    assert close._place_of is not None and apart._place_of is None


def test_numbers_that_all_want_one_slot_are_numbered_by_a_dict() -> None:
    """Somebody may have chosen them so that each takes longer than the one before."""
    unmixed = [inverse(place << 40) for place in range(3000)]
    batches = [[(1, 2)], [(number, number) for number in unmixed], [(2, unmixed[7])]]
    with mock.patch.object(arrow, "SMALLEST_TABLE", 1):
        numbers, late = WholeNumbers(0), WholeNumbers(0)
        assert (numbered(batches, numbers), numbers.met().tolist()) == as_met(batches)[::-1]
        assert numbers._by_dict is not None
        # Those that a table has met are put into slots, too, once it is too small.
        late._place_of, late._met_numbers = None, np.array(unmixed, dtype=np.int64)
        late._counts[kernels.MET] = len(unmixed)
        assert numbered([[(1, unmixed[5])]], late) == [[3000, 5]] and late._by_dict is not None


def inverse(word: int) -> int:
    """The number that is mixed to this one: SplitMix64 backwards."""
    mask = 2**64 - 1

    def unshifted(value: int, by: int) -> int:
        found = value
        for _ in range(64 // by + 1):
            found = value ^ (found >> by)
        return found

    word = unshifted(word, 31) * pow(0x94D049BB133111EB, -1, 2**64) & mask
    word = unshifted(word, 27) * pow(0xBF58476D1CE4E5B9, -1, 2**64) & mask
    word = (unshifted(word, 30) - 0x9E3779B97F4A7C15) & mask
    return word - 2**64 if word >= 2**63 else word
