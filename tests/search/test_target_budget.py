"""Budgets are tried until it is known how many deletions a target needs; then deletions are cut down."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from clocks import Clock
from netveil.anonymity import attackers_of
from netveil.progress import finished
from netveil.search import Control, Problem
from netveil.search.annealing import annealing
from netveil.search.annealing.annealing import (
    BUDGETS_TRIED,
    LARGEST_CUT,
    LOWEST_BUDGET,
    PATIENCE,
    USUAL_BUDGET,
    cut_down,
    find_budget,
    luby,
)
from netveil.search.annealing.chains import Allowance
from netveil.search.control import Step, StopReason
from scripted_chains import MANY, Best, ScriptedChains, course_of_target, go, problem_for

KEPT = 0.1  # share of the work that is kept for cutting down


@pytest.fixture(autouse=True)
def _nothing_is_deleted_at_last(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Scripted chains have nothing to take a solution over with; tests/search/test_target.py has."""
    if "every_number" not in request.node.name:
        monkeypatch.setattr(annealing, "delete_everything", lambda problem, chains, control: None)


def find(
    problem: Problem, chains: Any, work: Allowance, control: Control
) -> Generator[Step, None, StopReason | None]:
    """Find a budget, and keep that."""
    return find_budget(problem, chains, work, control, KEPT)


@given(needed=st.integers(1, MANY.edge_count))
def test_budgets_close_in_on_what_the_target_needs(needed: int) -> None:
    """From the usual one up or down, each between one that was too small and one that was enough."""
    chains = ScriptedChains(needed, Best(99, 0))
    stopped_by, work = go(find, chains, MANY.edge_count)
    budgets = [walked.budget for walked in chains.asked]
    too_small, enough = LOWEST_BUDGET * MANY.edge_count, MANY.edge_count

    assert budgets[0] == int(USUAL_BUDGET * MANY.edge_count)
    for budget in budgets:
        assert too_small < budget <= enough
        too_small, enough = (too_small, budget) if budget >= needed else (budget, enough)
    assert stopped_by == ("solved" if chains.best.at_risk == 0 else None)
    assert len(budgets) == BUDGETS_TRIED or round((too_small * enough) ** 0.5) in (int(too_small), enough)
    assert all(walked.enough == problem_for(1).enough == 0 for walked in chains.asked)
    assert all(
        walked.part[1] - walked.part[0] == pytest.approx((1 - KEPT) / BUDGETS_TRIED)
        for walked in chains.asked
    )
    assert work.done <= 1 - KEPT + 1e-9


@given(budget=st.integers(1, MANY.edge_count - 1), needed=st.integers(1, MANY.edge_count))
def test_a_budget_that_is_given_is_tried_first_and_last(budget: int, needed: int) -> None:
    """Where it is not enough, all work that is left goes into one more walk with it."""
    chains = ScriptedChains(needed, Best(99, 0))
    stopped_by, work = go(find, chains, budget)
    budgets = [walked.budget for walked in chains.asked]

    assert budgets[0] == budget and max(budgets) == budget
    if budget >= needed:
        assert stopped_by == "solved" and work.is_left
    else:
        assert budgets == [budget, budget]
        assert chains.asked[1].part == pytest.approx((chains.asked[0].part[1], 1.0))
        assert not work.is_left


def test_no_budget_is_larger_than_what_may_be_deleted() -> None:
    """All but ten edges must stay, and the usual budget would be a hundred."""
    chains, control = ScriptedChains(10**9, Best(99, 0)), Control()
    stays = np.arange(10, MANY.edge_count)
    whole = MANY.edge_count
    problem = Problem(
        MANY, attackers_of("count"), 2, whole, np.arange(whole), protected_edges=stays, target=Fraction(1)
    )
    finished(find(problem, chains, Allowance(10**6, control, slow=False), control))

    assert [walked.budget for walked in chains.asked] == [10]


@pytest.mark.parametrize("work", [find, cut_down])
@pytest.mark.parametrize("reason", ["interrupted", "time"])
def test_whoever_wants_it_to_stop_is_heard(work: Any, reason: StopReason) -> None:
    """After the walk in which they asked."""
    chains = ScriptedChains(1_000, Best(5, 900), stop=reason)

    assert go(work, chains, 3_000)[0] == reason
    assert len(chains.asked) == 2


def test_under_limits_the_whole_network_is_tried_last() -> None:
    """For it may be too large to delete everything and to restore what limits forbid."""
    chains, control = ScriptedChains(MANY.edge_count, Best(99, 0)), Control()
    problem = replace(problem_for(MANY.edge_count, target=Fraction(9, 10)), keep={"degree": Fraction(1, 2)})
    work = Allowance(10**6, control, slow=False)

    assert finished(find(problem, chains, work, control)) == "solved"
    assert chains.asked[-1].budget == MANY.edge_count
    assert chains.asked[-1].part[1] == 1.0
    assert {walked.enough for walked in chains.asked} == {50}, "a tenth of five hundred may be at risk"


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


@pytest.mark.parametrize(("work", "reason"), [(find, None), (cut_down, "time")])
def test_the_time_is_kept(work: Any, reason: StopReason | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten seconds, and a leg at most. Cutting down comes last, and says for both that the clock ended it."""
    monkeypatch.setattr(annealing, "PATIENCE", 10**9)
    clock = Clock()
    control = Control(time_limit=10.0, clock=clock)
    chains = ScriptedChains(10**9, Best(5, 900), clock)
    stopped_by, allowance = go(work, chains, MANY.edge_count - 1, control=control)

    assert stopped_by == reason
    assert not allowance.is_left
    assert 10.0 <= clock.now < 10.2


@pytest.mark.parametrize(
    ("name", "value", "effort"),
    [
        ("BUDGETS_TRIED", 2, 0.05),
        ("USUAL_BUDGET", 0.5, 0.05),
        ("CUT_FROM", 0.0, 0.05),
        pytest.param("SHORT_WALK_AN_EDGE", 5_000, 2.0, marks=pytest.mark.thorough),
        pytest.param("SHORTEST_WALK", 5_000, 2.0, marks=pytest.mark.thorough),
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
    monkeypatch.setattr(annealing, name, value)

    assert course_of_target(effort) != before
