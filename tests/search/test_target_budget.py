"""Budgets are tried until it is known about how many deletions a target needs."""

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
from netveil.search.annealing import targets
from netveil.search.annealing.chains import Allowance
from netveil.search.annealing.targets import BUDGETS_TRIED, LOWEST_BUDGET, USUAL_BUDGET, find_budget
from netveil.search.control import Step, StopReason
from scripted_chains import MANY, Best, ScriptedChains, course_of_target, go, problem_for

KEPT = 0.1  # share of the work that is kept for cutting down


def find(
    problem: Problem, chains: Any, work: Allowance, control: Control
) -> Generator[Step, None, StopReason | None]:
    """Find a budget, and keep that."""
    return find_budget(problem, chains, work, control, KEPT)


@pytest.fixture(autouse=True)
def _nothing_is_deleted_at_last(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Scripted chains have nothing to take a solution over with; tests/search/test_targets_reached.py has."""
    if "every_number" not in request.node.name:
        monkeypatch.setattr(targets, "delete_everything", lambda problem, chains, control: None)


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


def test_six_budgets_come_near_to_what_is_needed() -> None:
    """Of two thousand edges 60 are needed: at most 63 are found."""
    chains = ScriptedChains(60, Best(99, 0))
    go(find, chains, MANY.edge_count)

    assert 60 <= chains.best.deleted <= 63


def test_no_budget_is_tried_below_the_lowest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Though one edge would be enough."""
    for share in (LOWEST_BUDGET, 0.04):
        monkeypatch.setattr(targets, "LOWEST_BUDGET", share)
        chains = ScriptedChains(1, Best(99, 0))
        go(find, chains, MANY.edge_count)
        lowest = min(walked.budget for walked in chains.asked)

        assert share * MANY.edge_count < lowest < share * MANY.edge_count + 2


def test_budgets_are_for_as_many_at_risk_as_the_target_leaves() -> None:
    """A tenth of five hundred."""
    chains = ScriptedChains(50, Best(99, 0))
    control = Control()
    problem = problem_for(400, target=Fraction(9, 10))
    steps = find(problem, chains, Allowance(10**6, control, slow=False), control)

    assert finished(steps) == "solved"
    assert {walked.enough for walked in chains.asked} == {50}


@pytest.mark.parametrize("reason", ["interrupted", "time"])
def test_whoever_wants_it_to_stop_is_heard(reason: StopReason) -> None:
    """After the walk in which they asked."""
    chains = ScriptedChains(1_000, Best(5, 900), stop=reason)

    assert go(find, chains, 3_000)[0] == reason
    assert len(chains.asked) == 2


def test_the_time_is_kept() -> None:
    """Ten seconds, and a leg at most. Cutting down comes last, and says for both that the clock ended it."""
    clock = Clock()
    control = Control(time_limit=10.0, clock=clock)
    chains = ScriptedChains(10**9, Best(5, 900), clock)
    stopped_by, work = go(find, chains, MANY.edge_count - 1, control=control)

    assert stopped_by is None
    assert not work.is_left
    assert 10.0 <= clock.now < 10.2


def test_under_limits_the_whole_network_is_tried_last() -> None:
    """For it may be too large to delete everything and to restore what limits forbid."""
    chains, control = ScriptedChains(MANY.edge_count, Best(99, 0)), Control()
    problem = replace(problem_for(MANY.edge_count), keep={"degree": Fraction(1, 2)})
    work = Allowance(10**6, control, slow=False)

    assert finished(find(problem, chains, work, control)) == "solved"
    assert chains.asked[-1].budget == MANY.edge_count
    assert chains.asked[-1].part[1] == 1.0


@pytest.mark.parametrize(
    ("name", "value", "effort"), [("BUDGETS_TRIED", 2, 0.05), ("USUAL_BUDGET", 0.5, 0.05)]
)
def test_every_number_changes_the_search(
    name: str, value: float, effort: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Same seed, another course."""
    before = course_of_target(effort)
    monkeypatch.setattr(targets, name, value)

    assert course_of_target(effort) != before
