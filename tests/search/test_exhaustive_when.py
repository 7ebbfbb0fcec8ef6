"""When all deletions are looked through, for how long, and what is said where they are not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import netveil as nv
from clocks import Clock
from graphs import PATH_OF_THREE, SQUARE, clustered
from netveil.kernels.arrays import IntVector
from netveil.network import Network
from netveil.search import ALGORITHMS, Control, Outcome, finishing
from netveil.search.finishing import can_be_looked_through, cost_of_set, looked_through
from searches import at_risk_without, contacts, outcome_of, problem_of

NOTHING: IntVector = np.empty(0, dtype=np.int64)


def test_a_large_problem_is_not_looked_through(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is compiled for it, nothing looked at, and nothing said to be the least."""
    monkeypatch.setattr(finishing, "_Look", None)
    outcome = outcome_of(clustered(), budget=5)

    assert can_be_looked_through(problem_of(clustered(), 2))
    assert not can_be_looked_through(problem_of(clustered(), 5))
    assert outcome.at_risk_after > 0 and not outcome.least


def test_a_small_network_with_too_many_deletions_to_try_is_not_shown() -> None:
    """Of the 78 edges of the karate club, 21,111,090 sets of five; of three there are 76,076."""
    five, three = (outcome_of(nv.load("karate"), budget=budget) for budget in (5, 3))

    assert five.at_risk_after > 0 and not five.least
    assert three.at_risk_after > 0 and three.least


@pytest.mark.parametrize("algorithm", [name for name in ALGORITHMS if name != "annealing"])
def test_the_algorithms_of_the_paper_stay_as_they_are(
    algorithm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No look at other deletions, however few there are."""
    monkeypatch.setattr(finishing, "_Look", None)
    outcome = outcome_of(nv.load("karate"), algorithm, budget=3)

    assert outcome.at_risk_after > 0 and not outcome.least


def test_a_curve_is_not_looked_through(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor are the points of it said to be the least."""
    monkeypatch.setattr(finishing, "_Look", None)
    release = nv.anonymize(nv.load("karate"), 3, seed=1, effort=0.02, curve=True)

    assert not release.outcome.least and not release.at(2).outcome.least


def test_a_target_is_looked_through_with_a_curve_too() -> None:
    """It deletes no more than without the curve. Taken as a point, it is not said to be the least."""
    asked: dict[str, Any] = {"budget": 4, "target": "79%", "seed": 1, "effort": 1e-9}
    plain = nv.anonymize(nv.load("karate"), **asked)
    curved = nv.anonymize(nv.load("karate"), curve=True, **asked)
    deleted = len(plain.deleted_edges)

    assert plain.outcome.least and curved.outcome.least
    assert len(curved.deleted_edges) == deleted == len(curved.at(deleted).deleted_edges)
    assert not curved.at(deleted).outcome.least


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize(("network", "budget"), [(SQUARE, 2), (PATH_OF_THREE, 0)])
def test_where_nothing_else_is_allowed_or_wanted_it_is_the_least(
    algorithm: str, network: Network, budget: int
) -> None:
    """Nobody at risk in a square; nothing to spend on a path."""
    outcome = outcome_of(network, algorithm, budget=budget)

    assert (len(outcome.deleted_edges), outcome.least) == (0, True)


class Asked(Control):
    """A control that is asked to stop after it was heard so many times."""

    def __init__(self, why: Any, after: int) -> None:
        super().__init__()
        self.why, self.after, self.heard = why, after, 0

    def asked_to_stop(self) -> Any:
        """Why, from then on."""
        self.heard += 1
        return self.why if self.heard > self.after else None


def test_it_stops_when_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between two chunks of sets: with the best so far, which is not said to be the least."""
    monkeypatch.setattr(finishing, "SETS_AT_ONCE", 10)
    problem = problem_of(nv.load("karate"), 3)
    before = at_risk_without(nv.load("karate"), [])
    ends = []
    for after in (0, 3, 4000, 10**9):
        control = Asked("interrupted", after)
        looked = looked_through(problem, NOTHING, before, control)
        ends.append((looked.at_risk, looked.least))
        assert control.heard == min(after + 1, 8 + 301 + 7608)
        assert looked.at_risk == at_risk_without(nv.load("karate"), looked.deleted_edges.tolist())

    assert ends[0] == (before, False)
    assert [least for _, least in ends] == [False, False, False, True]
    assert before > ends[1][0] > ends[2][0] >= ends[3][0]


@pytest.mark.parametrize(("afterwards", "least"), [(79_156, False), (79_157, True)])
def test_once_the_time_is_over_only_a_little_is_looked_at(
    afterwards: int, least: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As many sets as that takes no time worth speaking of, or none at all; of three edges 79,157 here."""
    monkeypatch.setattr(finishing, "MOST_SETS_AFTERWARDS", afterwards)
    clock = Clock()
    control = Control(time_limit=1.0, clock=clock)
    clock.spend(2.0)
    problem = problem_of(nv.load("karate"), 3)
    looked = looked_through(problem, NOTHING, at_risk_without(nv.load("karate"), []), control)

    assert looked.least == least
    assert (len(looked.deleted_edges) > 0) == least


def test_an_interrupted_search_is_not_looked_through() -> None:
    """Whoever presses Ctrl-C wants to have what there is."""
    control = Control(listener=lambda progress: control.interrupt())
    outcome = outcome_of(nv.load("karate"), budget=3, control=control)

    assert (outcome.stopped_by, outcome.least) == ("interrupted", False)


def test_what_takes_longer_is_looked_at_less() -> None:
    """By kind of state, by limits and by size, and never by a clock."""
    karate = nv.load("karate")
    kinds: Iterable[dict[str, Any]] = (
        {"measures": "count"},
        {"measures": "vertex-refinement"},
        {"fuzzy": "10%"},
        {"measures": "ego"},
        {"distance": 2},
        {"measures": contacts},
    )
    costs = [cost_of_set(problem_of(karate, 3, attacker=attacker)) for attacker in kinds]

    assert costs[0] == 1 and costs == sorted(set(costs))
    assert cost_of_set(problem_of(karate, 3, keep={"lcc": Fraction(1, 2)})) > 1
    for attacker in kinds:
        small, large = (
            cost_of_set(problem_of(network, 3, attacker=attacker)) for network in (karate, nv.load("demo"))
        )
        assert small < large or attacker == {"measures": "count"}


def test_the_outcome_is_not_the_least_unless_somebody_says_so() -> None:
    """Whatever makes an outcome without having shown it."""
    outcome = outcome_of(nv.load("karate"), budget=3)

    fields = {name: value for name, value in vars(outcome).items() if name != "least"}
    assert outcome.least and not Outcome(**fields).least
    assert not replace(outcome, least=False).least
