"""Deletions are cut down: short walks from the best solution, and some longer ones."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

from clocks import Clock
from netveil.anonymity import attackers_of
from netveil.progress import finished
from netveil.search import Control, Problem
from netveil.search.annealing import targets
from netveil.search.annealing.chains import Allowance
from netveil.search.annealing.targets import (
    LARGEST_CUT,
    LONGEST_SHORT,
    PATIENCE,
    SHORT_WALK_AN_EDGE,
    SHORTEST_WALK,
    cut_down,
    luby,
)
from netveil.search.control import StopReason
from scripted_chains import MANY, Best, ScriptedChains, course_of_target, go, problem_for


@given(needed=st.integers(1, 500), first=st.integers(1, 500), early=st.sampled_from([None, 1]))
def test_deletions_are_cut_down_to_what_is_needed(needed: int, first: int, early: int | None) -> None:
    """Large cuts first, then smaller ones: in the end, one less has failed as often as patience allows."""
    first = max(first, needed)
    chains = ScriptedChains(needed, Best(7, first), ends_after=early)
    stopped_by, work = go(cut_down, chains, first)
    budgets = [walked.budget for walked in chains.asked]

    assert stopped_by is None
    assert chains.best.deleted == needed or not work.is_left
    assert all(1 <= budget < first for budget in budgets)
    assert all(walked.enough == 7 for walked in chains.asked)
    if first > 1:
        assert budgets[0] == first - max(1, int(LARGEST_CUT * first))
    if needed > 1 and work.is_left:
        assert budgets[-PATIENCE:] == [needed - 1] * PATIENCE
        assert budgets.count(needed - 1) <= 2 * PATIENCE


def test_a_cut_that_fails_is_halved() -> None:
    """An eighth of 160 is 20; then 10, 5, 2 and 1."""
    chains = ScriptedChains(160, Best(0, 160))
    go(cut_down, chains, 160)

    assert [160 - walked.budget for walked in chains.asked][:6] == [20, 10, 5, 2, 1, 1]


def test_a_cut_that_succeeds_is_doubled() -> None:
    """Up to an eighth of what is deleted: from 160 by 20, 17, 15; by 13, and so 95, fails, by 6 does not."""
    chains = ScriptedChains(100, Best(0, 160))
    go(cut_down, chains, 160)

    assert [walked.budget for walked in chains.asked][:4] == [140, 123, 108, 95]
    assert [walked.budget for walked in chains.asked][4:6] == [102, 90]


def test_every_walk_below_begins_at_the_best() -> None:
    """Not where the one before it failed."""
    chains = ScriptedChains(100, Best(0, 160), stands_at=160)
    go(cut_down, chains, 160)
    best = 160
    for began, walked in zip(chains.began_at, chains.asked, strict=True):
        assert began == best
        best = walked.budget if walked.budget >= 100 else best

    assert best == 100


def test_some_walks_below_are_longer_than_others() -> None:
    """All that do without several edges are short; of those that fail to do without one, some are not."""
    proposals = 10**10
    chains = ScriptedChains(160, Best(0, 160))
    go(cut_down, chains, 160, proposals=proposals)
    short = max(SHORT_WALK_AN_EDGE * MANY.edge_count, SHORTEST_WALK)
    lengths = [(end - start) * proposals / short for start, end in (walked.part for walked in chains.asked)]

    assert [round(length, 3) for length in lengths[:12]] == [1, 1, 1, 1, 1, 1, 2, 1, 1, 2, 4, 1]


def test_walks_below_are_short_again_after_success() -> None:
    """As many failures later, they are as long as before."""
    proposals, control = 10**10, Control()
    chains, work = ScriptedChains(160, Best(0, 160)), Allowance(proposals, control, slow=False)
    for _ in cut_down(problem_for(160), chains, work, control):  # type: ignore[arg-type]
        if len(chains.asked) == 10:  # the last six of them by one edge, in vain
            chains.needed = 150
    short = max(SHORT_WALK_AN_EDGE * MANY.edge_count, SHORTEST_WALK)
    lengths = [(end - start) * proposals / short for start, end in (walked.part for walked in chains.asked)]

    assert [walked.budget for walked in chains.asked[10:14]] == [159, 157, 153, 145]
    assert [round(length, 3) for length in lengths[10:14]] == [4, 1, 1, 1]


@given(st.integers(1, 2_000))
def test_lengths_are_those_of_luby(number: int) -> None:
    """After 2^n - 1 walks one of 2^(n-1), and between these the same again from the beginning."""

    def first(count: int) -> list[int]:
        lengths: list[int] = []
        power = 1
        while len(lengths) < count:
            lengths = [*lengths, *lengths, power]
            power *= 2
        return lengths[:count]

    assert luby(number) == first(number)[-1]


@pytest.mark.parametrize("attacker", ["count", "degree-distribution"])
def test_no_short_walk_takes_over_a_tenth_of_the_work(attacker: str) -> None:
    """Neither where there is little work, nor where proposals are slow: then it is always a tenth."""
    control = Control()
    problem = Problem(MANY, attackers_of(attacker), 2, 160, np.arange(MANY.edge_count), target=Fraction(1))
    for proposals in (10**5, 10**9):
        chains, work = ScriptedChains(1, Best(0, 160)), Allowance(proposals, control, slow=False)
        finished(cut_down(problem, chains, work, control))  # type: ignore[arg-type]
        start, end = chains.asked[0].part
        is_short = attacker == "count" and proposals == 10**9
        assert (end - start < LONGEST_SHORT / 10) if is_short else end - start == pytest.approx(LONGEST_SHORT)


@pytest.mark.parametrize("reason", ["interrupted", "time"])
def test_whoever_wants_it_to_stop_is_heard(reason: StopReason) -> None:
    """After the walk in which they asked."""
    chains = ScriptedChains(1_000, Best(5, 900), stop=reason)

    assert go(cut_down, chains, 3_000)[0] == reason
    assert len(chains.asked) == 2


def test_the_time_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten seconds, and a leg at most; whatever patience is left. It is said that the clock ended it."""
    monkeypatch.setattr(targets, "PATIENCE", 10**9)
    clock = Clock()
    control = Control(time_limit=10.0, clock=clock)
    stopped_by, work = go(cut_down, ScriptedChains(10**9, Best(5, 900), clock), 3_000, control=control)

    assert stopped_by == "time"
    assert not work.is_left
    assert 10.0 <= clock.now < 10.2


@pytest.mark.parametrize(
    ("name", "value", "effort"),
    [
        ("CUT_FROM", 0.0, 0.05),
        ("SHORT_WALK_AN_EDGE", 5_000, 2.0),
        ("SHORTEST_WALK", 5_000, 2.0),
        ("LONGEST_SHORT", 0.02, 0.05),
        ("LARGEST_CUT", 0.6, 0.05),
        ("PATIENCE", 2, 0.05),
    ],
)
def test_every_number_changes_the_search(
    name: str, value: float, effort: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Same seed, another course."""
    before = course_of_target(effort)
    monkeypatch.setattr(targets, name, value)

    assert course_of_target(effort) != before
