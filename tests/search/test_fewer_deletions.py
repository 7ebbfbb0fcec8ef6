"""Targets are climbed to with one budget after the other, and then fewer deletions are looked for."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from clocks import Clock
from graphs import clustered
from netveil.anonymity import attackers_of
from netveil.iterate import finished
from netveil.search import Control, Problem
from netveil.search.annealing import fewer_deletions
from netveil.search.annealing.fewer_deletions import (
    LARGEST_CUT,
    LOWEST,
    PATIENCE,
    RUNG,
    SHORTEST_WALK,
    STEP,
    climb,
    cut_down,
)
from netveil.search.annealing.legs import Allowance, Legs
from netveil.search.annealing.schedule import Schedule
from netveil.search.progress import Step, StopReason
from searches import outcome_of

MANY = clustered(500, 3_000)


@dataclass
class Best:
    """What the chains have found: so many at risk with so many deletions."""

    at_risk: int
    deleted: int


@dataclass
class Walked:
    """A walk that the chains were asked for."""

    budget: int
    enough: int
    part: tuple[float, float]


@dataclass
class ScriptedChains:
    """Chains that find a solution as soon as a budget is large enough, at the end of their walk or early."""

    needed: int
    best: Best
    clock: Clock | None = None
    seconds: float = 0.1  # that a leg takes
    ends_after: int | None = None  # legs of a walk that finds something; all if None
    stop: StopReason | None = None  # instead of the second walk
    asked: list[Walked] = field(default_factory=list)

    def walk(
        self, schedule: Schedule, legs: Legs, control: Control, *, is_short: bool = True
    ) -> Generator[Step, None, StopReason | None]:
        """Make the legs, and say how it ended."""
        assert is_short
        self.asked.append(Walked(schedule.budget, schedule.enough, legs.part))
        finds = schedule.budget >= self.needed
        made = 0
        while not legs.at_the_end and not (finds and made == self.ends_after):
            legs.next_leg()
            made += 1
            if self.clock is not None:
                self.clock.spend(self.seconds)
            yield Step(made, made, 0, 0, 0)
        if self.stop is not None and len(self.asked) == 2:
            return self.stop
        if not finds:
            return None
        self.best = Best(schedule.enough, schedule.budget)
        return "solved"


@pytest.fixture(autouse=True)
def _nothing_is_deleted_at_last(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Scripted chains have nothing to take a solution over with; tests/search/test_targets_reached.py has."""
    if "every_number" not in request.node.name:
        monkeypatch.setattr(fewer_deletions, "delete_everything", lambda problem, chains, control: None)


def problem_for(budget: int, target: Fraction | None = Fraction(1)) -> Problem:
    """A problem on a larger network, whose edges are never flipped here."""
    return Problem(MANY, attackers_of("count"), 2, budget, np.arange(MANY.edge_count), target=target)


Way = Callable[[Problem, Any, Allowance, Control], Generator[Step, None, StopReason | None]]


def go(
    way: Way, chains: ScriptedChains, budget: int, proposals: int = 10**7, control: Control | None = None
) -> tuple[StopReason | None, Allowance]:
    """Climb or cut down with scripted chains."""
    control = control or Control()
    work = Allowance(proposals, control, slow=False)
    if way is cut_down:
        for _ in chains.walk(Schedule.fit_for(problem_for(1), 0, 0), work.walk(RUNG), control):
            pass
        chains.asked.clear()
    return finished(way(problem_for(budget), chains, work, control)), work


@given(budget=st.integers(1, MANY.edge_count), needed=st.integers(1, MANY.edge_count))
def test_budgets_grow_until_one_is_enough(budget: int, needed: int) -> None:
    """By a factor, or by one; the last is the whole budget, and no walk takes more than its share.

    Where the whole budget is not enough and there are more edges, one more walk takes all that is left.
    """
    chains = ScriptedChains(needed, Best(99, 0))
    stopped_by, work = go(climb, chains, budget)
    if budget < min(needed, MANY.edge_count):
        rest = chains.asked.pop()
        assert rest.budget == chains.asked[-1].budget == budget
        assert rest.part == pytest.approx((chains.asked[-1].part[1], 1.0))
        assert not work.is_left
    budgets = [walked.budget for walked in chains.asked]

    assert budgets[0] == min(budget, max(1, int(LOWEST * MANY.edge_count)))
    for one, other in pairwise(budgets):
        assert one < other <= budget
        assert other in (one + 1, int(STEP * one), budget)
    assert stopped_by == ("solved" if needed <= budget else None)
    assert budgets[-1] == budget or budgets[-1] >= needed
    assert all(smaller < needed for smaller in budgets[:-1])
    assert all(walked.enough == problem_for(budget).enough == 0 for walked in chains.asked)
    assert all(walked.part[1] - walked.part[0] <= RUNG + 1e-9 for walked in chains.asked)


def test_a_climb_to_the_whole_network_leaves_work_for_the_rest() -> None:
    """Also where the target needs all edges."""
    chains = ScriptedChains(MANY.edge_count, Best(99, 0))
    stopped_by, work = go(climb, chains, MANY.edge_count)

    assert stopped_by == "solved"
    assert work.done < 0.9


def test_a_climb_is_for_as_many_at_risk_as_the_target_leaves() -> None:
    """A tenth of five hundred."""
    chains = ScriptedChains(50, Best(99, 0))
    control = Control()
    problem = problem_for(400, target=Fraction(9, 10))
    steps = climb(problem, chains, Allowance(10**6, control, slow=False), control)  # type: ignore[arg-type]

    assert finished(steps) == "solved"
    assert {walked.enough for walked in chains.asked} == {50}


@pytest.mark.parametrize("way", [climb, cut_down], ids=["climb", "cut down"])
@pytest.mark.parametrize("reason", ["interrupted", "time"])
def test_whoever_wants_it_to_stop_is_heard(way: Way, reason: StopReason) -> None:
    """After the walk in which they asked."""
    chains = ScriptedChains(1_000, Best(5, 900), stop=reason)

    assert go(way, chains, 3_000)[0] == reason
    assert len(chains.asked) == 2


@pytest.mark.parametrize("way", [climb, cut_down], ids=["climb", "cut down"])
def test_the_time_is_kept(way: Way, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten seconds, and a leg at most; whatever patience is left. It is said that the clock ended it.

    Cutting down comes last, and says it for both.
    """
    monkeypatch.setattr(fewer_deletions, "PATIENCE", 10**9)
    clock = Clock()
    control = Control(time_limit=10.0, clock=clock)
    chains = ScriptedChains(10**9, Best(5, 900), clock)
    stopped_by, work = go(way, chains, MANY.edge_count - 1 if way is climb else 3_000, control=control)

    assert stopped_by == (None if way is climb else "time")
    assert not work.is_left
    assert 10.0 <= clock.now < 10.2


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


def test_walks_below_are_as_long_as_the_one_that_found_the_way() -> None:
    """Or as long as they must at least be."""
    chains = ScriptedChains(160, Best(0, 160), ends_after=10)
    _, work = go(cut_down, chains, 160)
    lengths = {round(end - start, 9) for start, end in (walked.part for walked in chains.asked) if end < 1.0}

    assert lengths == {max(RUNG, SHORTEST_WALK)}
    assert work.walks[0].part == (0.0, RUNG)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("RUNG", 0.2),
        ("LOWEST", 0.05),
        ("STEP", 3.0),
        ("SHORTEST_WALK", 0.3),
        ("CUT_FROM", 0.0),
        ("LARGEST_CUT", 0.6),
        ("PATIENCE", 2),
    ],
)
def test_every_number_of_the_way_to_a_target_changes_the_search(
    name: str, value: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Same seed, another course."""

    def course() -> list[tuple[int, int, int]]:
        outcome = outcome_of(clustered(), budget=None, target="95%", settings={"effort": 0.05})
        return [(row.evaluations, row.at_risk, row.deleted) for row in outcome.history]

    before = course()
    monkeypatch.setattr(fewer_deletions, name, value)

    assert course() != before
