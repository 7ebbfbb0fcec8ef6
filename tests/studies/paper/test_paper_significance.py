"""The rank-sum test: as scipy has it without ties, and by trying all ways to deal values out with them."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, strategies as st
from scipy import stats

from netveil.studies.paper.runs import LEVEL, rank_sum_p, smallest_p

values = st.lists(st.integers(0, 6), min_size=1, max_size=5)


@given(st.lists(st.integers(0, 10**6), min_size=2, max_size=40, unique=True), st.data())
def test_without_ties_it_is_scipys_exact_test(numbers: list[int], data: st.DataObject) -> None:
    """For any two groups, of different sizes too."""
    cut = data.draw(st.integers(1, len(numbers) - 1))
    first, second = numbers[:cut], numbers[cut:]

    expected = stats.mannwhitneyu(first, second, method="exact").pvalue

    assert rank_sum_p(first, second) == pytest.approx(float(expected), rel=1e-9)


@given(values, values)
def test_with_ties_it_counts_all_ways_to_deal_the_values_out(first: list[int], second: list[int]) -> None:
    """The slow twin: every choice of as many values as the first group has, by its sum of mean ranks."""
    ranks = stats.rankdata([*first, *second])
    found = sum(ranks[: len(first)])
    sums = [sum(chosen) for chosen in combinations(ranks, len(first))]
    lower = sum(total <= found for total in sums) / len(sums)
    higher = sum(total >= found for total in sums) / len(sums)

    assert rank_sum_p(first, second) == pytest.approx(min(1.0, 2 * min(lower, higher)))
    assert rank_sum_p(first, second) == pytest.approx(rank_sum_p(second, first))


@pytest.mark.parametrize("runs", range(1, 8))
def test_the_smallest_p_is_that_of_groups_apart(runs: int) -> None:
    """No two groups differ more than those without overlap; it takes four runs to reach 5%."""
    apart = rank_sum_p(list(range(runs)), list(range(100, 100 + runs)))

    assert smallest_p(runs, runs) == apart
    assert (apart < LEVEL) == (runs >= 4)


def test_twenty_runs_take_no_time() -> None:
    """137 billion ways, counted by their sums."""
    assert rank_sum_p(list(range(20)), list(range(10, 30))) < 0.01


def test_it_needs_values() -> None:
    """Nothing cannot be compared."""
    with pytest.raises(ValueError, match="both sides"):
        rank_sum_p([], [1.0])


def test_signed_ranks_of_five_pairs_cannot_reach_five_percent() -> None:
    """Why the signed-rank test is not used: its smallest p is 1/16."""
    smallest = stats.wilcoxon([1.0, 2.0, 3.0, 4.0, 5.0], method="exact").pvalue

    assert float(smallest) == 1 / 16 > LEVEL
