"""All deletions that could be better are looked through where there are few: the result is the least then."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

import netveil as nv
from clocks import Clock, watcher_of
from graphs import PATH_OF_THREE, SQUARE, clustered, limits, networks
from naive import count_states, nodes_at_risk, violation
from netveil.kernels.arrays import IntVector
from netveil.network import Network
from netveil.search import ALGORITHMS, Control, Problem, finishing
from netveil.search.finishing import can_be_looked_through, looked_through
from searches import at_risk_without, contacts, outcome_of, problem_of, small_network

NOTHING: IntVector = np.empty(0, dtype=np.int64)


def best_rank(problem: Problem) -> tuple[int, int]:
    """(People at risk, deletions) of the best of all allowed deletions: each counted from scratch."""
    movable = sorted(set(range(problem.edge_count)) - set(problem.edge_order[problem.protected].tolist()))
    allowed = (
        deleted
        for count in range(problem.budget + 1)
        for deleted in combinations(movable, count)
        if violation(problem.network, problem.limits, deleted) == 0
    )
    return min(
        (max(sum(nodes_at_risk(count_states(problem.network, each), problem.k)), problem.enough), len(each))
        for each in allowed
    )


@given(data=st.data())
def test_the_best_of_all_deletions_is_found(data: st.DataObject) -> None:
    """Whatever was found before, and however many sets are looked at at once; each set from scratch.

    With budget, target, protected edges and limits.
    """
    network = data.draw(networks(min_nodes=5, max_nodes=8, min_edges=3), "network")
    assume(network.edge_count <= 11)
    numbers = range(network.edge_count)
    stay = data.draw(st.sets(st.sampled_from(numbers), max_size=3), "protected")
    problem = problem_of(
        network,
        data.draw(st.integers(0, network.edge_count), "budget"),
        data.draw(st.integers(2, 3), "k"),
        keep=data.draw(limits(), "limits"),
        protected_edges=np.array(sorted(stay), dtype=np.int64),
        target=data.draw(st.none() | st.sampled_from([Fraction(1, 2), Fraction(4, 5), Fraction(1)])),
    )
    found = data.draw(allowed_deletions(problem), "found")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(finishing, "SETS_AT_ONCE", data.draw(st.sampled_from([1, 3, 20_000]), "at once"))
        at_risk = at_risk_without(network, found.tolist(), problem.k)
        looked = looked_through(problem, found, at_risk, Control())
    deleted = looked.deleted_edges.tolist()

    assert looked.least
    assert problem.rank(looked.at_risk, looked.deleted_edges) == best_rank(problem)
    assert looked.at_risk == at_risk_without(network, deleted, problem.k)
    assert deleted == sorted(set(deleted) - stay) and len(deleted) <= problem.budget
    assert violation(network, problem.limits, deleted) == 0


@st.composite
def allowed_deletions(draw: st.DrawFn, problem: Problem) -> IntVector:
    """Any deletion that a search might return."""
    movable = problem.edge_order[~problem.protected].tolist()
    most = min(problem.budget, len(movable))
    chosen = draw(st.sets(st.sampled_from(movable), max_size=most)) if most else set()
    kept = violation(problem.network, problem.limits, chosen) == 0
    return np.array(sorted(chosen) if kept else [], dtype=np.int64)


@pytest.mark.parametrize(
    "attacker",
    [
        {"measures": "degree"},
        {"measures": "degree-distribution"},
        {"measures": "vertex-refinement"},
        {"measures": "ego"},
        {"distance": 2},
        {"fuzzy": "30%"},
        {"twins": True},
        {"measures": ["count", "vertex-refinement"]},
        {"measures": contacts},
    ],
    ids=lambda attacker: ", ".join(
        f"{name} {getattr(value, '__name__', value)}" for name, value in attacker.items()
    ),
)
def test_it_works_for_every_attacker(attacker: dict[str, Any]) -> None:
    network = small_network(9, 0, nodes=8)
    outcome = outcome_of(network, attacker=attacker, budget=3, settings={"effort": 1e-6})
    problem = problem_of(network, 3, attacker=attacker)
    ranks = [
        problem.rank(problem.recount(np.array(deleted, dtype=np.int64))[0], np.array(deleted))
        for count in range(4)
        for deleted in combinations(range(9), count)
    ]

    assert outcome.least
    assert (outcome.at_risk_after, len(outcome.deleted_edges)) == min(ranks) < ranks[0]


def test_a_count_that_was_too_hopeful_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where surroundings that differ look alike to the search, the recount counts."""
    network = nv.load("karate")
    honest = outcome_of(network, budget=1)
    recount = Problem.recount

    def more(problem: Problem, deleted: IntVector) -> tuple[int, int]:
        at_risk, unique = recount(problem, deleted)
        return (at_risk + 1, unique + 1) if len(deleted) else (at_risk, unique)

    monkeypatch.setattr(Problem, "may_be_too_hopeful", True)
    monkeypatch.setattr(Problem, "recount", more)
    outcome = outcome_of(network, budget=1)

    assert honest.least and honest.at_risk_after + 1 == outcome.at_risk_after < outcome.at_risk_before
    assert not outcome.least


def test_a_target_is_looked_through_with_a_curve_too() -> None:
    """It deletes no more than without the curve. Taken as a point, it is not said to be the least."""
    asked: dict[str, Any] = {"budget": 4, "target": "79%", "seed": 1, "effort": 1e-9}
    plain = nv.anonymize(nv.load("karate"), **asked)
    curved = nv.anonymize(nv.load("karate"), curve=True, **asked)
    deleted = len(plain.deleted_edges)

    assert plain.outcome.least and curved.outcome.least
    assert len(curved.deleted_edges) == deleted == len(curved.at(deleted).deleted_edges)
    assert not curved.at(deleted).outcome.least


@pytest.mark.parametrize(
    ("network", "algorithm", "options"),
    [
        ("les-miserables", "annealing", {"budget": 5}),
        ("karate", "annealing", {"budget": 3, "curve": True}),
        *(("karate", name, {"budget": 3}) for name in ALGORITHMS if name != "annealing"),
    ],
)
def test_what_is_not_looked_through_is_not_shown(
    network: str, algorithm: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Too many sets, a curve, and the algorithms of the paper, however few sets there are."""
    monkeypatch.setattr(finishing, "look_through", None)
    outcome = outcome_of(nv.load(network), algorithm, **options)

    assert outcome.at_risk_after > 0 and not outcome.least


def test_a_problem_may_be_too_large_to_be_looked_through() -> None:
    """Then nothing is compiled for it; what turns out too many in the end is not shown either."""
    five = outcome_of(nv.load("karate"), budget=5)  # 21,111,090 sets; of three edges there are 76,076

    assert five.at_risk_after > 0 and not five.least
    assert can_be_looked_through(problem_of(clustered(), 2))
    assert not can_be_looked_through(problem_of(clustered(), 5))


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
    control = Control(watcher=watcher_of(step=lambda progress: control.interrupt()))
    outcome = outcome_of(nv.load("karate"), budget=4, control=control)

    assert (outcome.stopped_by, outcome.least) == ("interrupted", False)


def test_where_all_deletions_are_few_nothing_is_searched_before() -> None:
    outcome = outcome_of(nv.load("karate"), budget=3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(finishing, "MOST_SETS_AFTERWARDS", 0)
        searched = outcome_of(nv.load("karate"), budget=3)

    assert (outcome.history, outcome.evaluations, outcome.least) == ((), 79_157, True)
    assert searched.history and searched.least
    assert outcome.at_risk_after == searched.at_risk_after
    assert len(outcome.deleted_edges) == len(searched.deleted_edges)
