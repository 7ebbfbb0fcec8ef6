"""Selection by roulette wheel, tournament and (μ + λ), against their definitions."""

from __future__ import annotations

import numpy as np
from hypothesis import given, strategies as st

from netveil.search.genetic import fittest, roulette_wheel, tournament

objectives_lists = st.lists(st.integers(0, 50), min_size=1, max_size=30)


def test_roulette_wheel_draws_in_proportion_to_the_distance_from_the_worst() -> None:
    """Objectives 10, 9, 7: merits 0, 1, 3, so a quarter and three quarters of the draws; the worst never."""
    drawn = roulette_wheel(np.array([10, 9, 7]), 40_000, np.random.default_rng(1))
    shares = np.bincount(drawn, minlength=3) / 40_000

    assert shares[0] == 0
    assert abs(shares[1] - 0.25) < 0.015
    assert abs(shares[2] - 0.75) < 0.015


def test_roulette_wheel_is_fair_where_all_are_equal() -> None:
    """No merit at all is no reason to fail."""
    drawn = roulette_wheel(np.array([5, 5, 5, 5]), 40_000, np.random.default_rng(1))

    assert np.abs(np.bincount(drawn) / 40_000 - 0.25).max() < 0.015


@given(objectives_lists, st.integers(1, 40), st.integers(0, 1000))
def test_tournament_winners_beat_at_least_their_opponents(
    objectives: list[int], size: int, seed: int
) -> None:
    """A winner of t distinct entrants has at least t - 1 rows that are no better."""
    rows = np.array(objectives)
    winners = tournament(rows, 20, size, np.random.default_rng(seed))

    assert len(winners) == 20
    for winner in winners:
        assert np.count_nonzero(rows >= rows[winner]) >= min(size, len(rows))


def test_larger_tournaments_select_harder() -> None:
    """The mean objective of winners falls with the tournament's size."""
    rows = np.arange(100)
    means = [tournament(rows, 2000, size, np.random.default_rng(1)).mean() for size in (1, 5, 20)]

    assert means[0] > means[1] > means[2]


@given(objectives_lists, st.integers(0, 1000), st.data())
def test_fittest_keeps_the_lowest_objectives_of_distinct_individuals(
    objectives: list[int], seed: int, data: st.DataObject
) -> None:
    """Nobody left out is better than anybody kept, among distinct rows; twins fill up only what is left."""
    count = data.draw(st.integers(1, len(objectives)))
    kinds = data.draw(st.lists(st.integers(0, 5), min_size=len(objectives), max_size=len(objectives)))
    # Equal individuals have equal objectives.
    rows = np.array([objectives[kinds.index(kind)] for kind in kinds])
    words = np.array(kinds, dtype=np.uint64)[:, np.newaxis]
    deleted = np.array(kinds)
    chosen = fittest(rows, deleted, words, count, np.random.default_rng(seed)).tolist()

    assert len(set(chosen)) == count
    distinct = sorted(rows[kinds.index(kind)] for kind in set(kinds))
    kept = [rows[row] for row in chosen]
    assert sorted(kept[: len(distinct)]) == distinct[:count]
    assert len({kinds[row] for row in chosen}) == min(count, len(distinct))


def test_fittest_prefers_more_deletions_among_equals_and_then_lets_chance_decide() -> None:
    """Of four equal individuals, the two that delete most are kept now and then, the others never."""
    words = np.arange(4, dtype=np.uint64)[:, np.newaxis]
    rng = np.random.default_rng(1)
    objectives, deleted = np.zeros(4, dtype=np.int64), np.array([7, 3, 7, 5])
    kept = {int(fittest(objectives, deleted, words, 1, rng)[0]) for _ in range(100)}

    assert kept == {0, 2}
