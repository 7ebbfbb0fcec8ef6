"""Targets: enough k-anonymous people first, few deletions next."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from fractions import Fraction
from math import floor
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, strategies as st

import netveil as nv
from clocks import on_a_machine_of
from graphs import PATH_OF_THREE, clustered, networks
from naive import best_deletion
from netveil.errors import SettingError
from netveil.network import Network
from netveil.progress import finished
from netveil.search import ALGORITHMS, Control, Outcome
from netveil.search.annealing import annealing
from netveil.search.annealing.annealing import luby
from netveil.search.annealing.chains import Allowance, Legs, Walking
from netveil.search.annealing.walk import Schedule
from netveil.search.budget import parsed_target
from searches import at_risk_without, outcome_of, problem_of

MANY = problem_of(clustered(500, 3_000), 3_000)


@pytest.mark.quick(3)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@given(
    network=networks(min_nodes=4, min_edges=2),
    share=st.integers(1, 20).map(lambda twentieths: Fraction(twentieths, 20)),
    budget=st.none() | st.integers(0, 4),
    k=st.integers(2, 3),
)
def test_every_algorithm_says_what_is_enough_and_keeps_the_budget(
    algorithm: str, network: Network, share: Fraction, budget: int | None, k: int
) -> None:
    """All edges may go without a budget; figures as by networkx; never worse than to delete nothing."""
    if budget is not None:
        budget = min(budget, network.edge_count)
    outcome = outcome_of(network, algorithm, budget=budget, target=share, k=k)
    deleted = outcome.deleted_edges.tolist()

    assert outcome.budget == (network.edge_count if budget is None else budget)
    assert len(deleted) <= outcome.budget
    assert outcome.enough == floor((1 - share) * network.node_count)
    assert outcome.target == f"{float(100 * share):g}%"
    assert outcome.at_risk_after == at_risk_without(network, deleted, k)
    if outcome.at_risk_before <= outcome.enough:
        assert (deleted, outcome.stopped_by) == ([], "solved")
    else:
        assert outcome.at_risk_after <= outcome.at_risk_before


def test_without_a_target_nobody_at_risk_is_enough() -> None:
    outcome = outcome_of(clustered(), budget=None)

    assert (outcome.target, outcome.enough) == (None, 0)
    assert outcome.budget == clustered().edge_count // 20


def test_a_target_that_cannot_be_reached_leaves_as_few_at_risk_as_can_be() -> None:
    """Somebody is alone in a path of three, and still with one edge less; with none left all are alike."""
    outcome = outcome_of(PATH_OF_THREE, budget=1, target=1, settings={"effort": 1.0})
    whole = outcome_of(PATH_OF_THREE, budget=None, target=1, settings={"effort": 1.0})

    assert (outcome.at_risk_after, len(outcome.deleted_edges)) == best_deletion(PATH_OF_THREE, 2, 1)
    assert (whole.at_risk_after, len(whole.deleted_edges)) == (0, 2)


@pytest.mark.parametrize("given", ["95%", "0.95", " 95 % ", 0.95, Fraction(19, 20), "19/20", "9.5e-1"])
def test_a_target_is_exact_however_it_is_written(given: Any) -> None:
    """No floating-point number is 19/20."""
    assert parsed_target(given) == Fraction(19, 20)


@pytest.mark.parametrize(
    ("target", "what"),
    [
        *((given, f"target {given} is not a share") for given in (0, "0%", -0.5, "-5%", 1.01, "101%", 95)),
        *(
            (given, f"target '{given}' is not a number")
            for given in ("most", "", "1/0", "1e-99999", True, False)
        ),
        *((float(given), f"target '{given}' is not a number") for given in ("nan", "inf")),
    ],
)
def test_what_is_no_target(target: Any, what: str) -> None:
    with pytest.raises(SettingError) as caught:
        outcome_of(clustered(), target=target)

    assert (
        str(caught.value)
        == f"{what}; give a share of the people, more than 0% and up to 100%, such as 95% or 0.95."
    )


def found(outcome: Outcome) -> tuple[int, int]:
    """Nodes at risk and deletions."""
    return outcome.at_risk_after, len(outcome.deleted_edges)


@pytest.mark.quick(3)
@pytest.mark.parametrize(
    ("network", "options"),
    [
        *(("karate", {"k": 2}), ("karate", {"k": 5}), ("les-miserables", {"k": 3})),
        *(
            ("karate", {"attacker": {"measures": name}})
            for name in ("degree", "edge-count", "vertex-refinement")
        ),
    ],
)
def test_full_anonymity_is_reached_wherever_all_edges_may_go(network: str, options: dict[str, Any]) -> None:
    original = nv.load(network)
    outcome = outcome_of(original, budget=None, target="100%", settings={"effort": 0.2}, **options)

    assert (outcome.at_risk_after, outcome.stopped_by) == (0, "solved")
    assert len(outcome.deleted_edges) < original.edge_count


def test_a_search_without_a_target_trims_before_it_stops() -> None:
    outcome = outcome_of(clustered(), budget=120, settings={"effort": 0.1})
    solved = [row.deleted for row in outcome.history if row.at_risk == 0]

    assert outcome.stopped_by == "solved"
    assert found(outcome) == (0, solved[-1])
    assert solved == sorted(solved, reverse=True)
    assert solved[-1] < solved[0]


@pytest.mark.parametrize("target", [None, "95%"])
def test_trimming_keeps_the_time(target: str | None) -> None:
    """Solved long before: the rest of the time is for fewer deletions, or is not needed."""
    control = on_a_machine_of(50_000, time_limit=2.0)
    outcome = outcome_of(clustered(), budget=120, target=target, control=control)

    assert outcome.at_risk_after <= outcome.enough
    assert outcome.seconds < 2.2
    assert outcome.stopped_by in ("time", "solved")


def course_of(effort: float = 0.05, **options: Any) -> list[tuple[int, int, int]]:
    """Proposals, nodes at risk and deletions after each leg of a search for full anonymity."""
    asked = {"budget": None, "target": "100%", "settings": {"effort": effort}, **options}
    return [(row.evaluations, row.at_risk, row.deleted) for row in outcome_of(clustered(), **asked).history]


@pytest.mark.parametrize(
    ("options", "digest"),
    [
        ({}, "3b7e891da388"),
        ({"effort": 1.0}, "42ba1a161845"),
        ({"budget": 20}, "5bb00d3810b2"),
        ({"budget": 5}, "7b6f24d81620"),
        ({"keep": {"degree": "50%"}}, "49569a48655c"),
        ({"keep": {"degree": "5%"}}, "a0ef6c21cab5"),
        ({"protect": range(10, 60)}, "b4ae6b54f14a"),
        ({"budget": 150, "effort": 2.0}, "0af50f7e4b6b"),
        ({"protect": range(12, 60), "budget": 100}, "6dee4ea49862"),
    ],
    ids=str,
)
def test_budgets_and_cuts_are_tried_in_a_frozen_order(options: dict[str, Any], digest: str) -> None:
    """Golden, as the runs of test_golden.py: how the budget is found that a target needs, and cut down."""
    assert hashlib.sha256(repr(course_of(**options)).encode()).hexdigest()[:12] == digest


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
    before = course_of(effort)
    monkeypatch.setattr(annealing, name, value)

    assert course_of(effort) != before


@dataclass
class ScriptedChains:
    """Chains that find something whenever the budget is large enough, at the end of each walk."""

    needed: int
    best: SimpleNamespace
    budgets: list[int] = field(default_factory=list)

    def saved_best(self, enough: int) -> None:
        """Nothing: a script needs no position."""
        assert enough == 7

    def go_back_to(self, saved: None) -> None:
        """Stay."""

    def walk(self, schedule: Schedule, legs: Legs, control: Control, *, is_short: bool) -> Walking:
        """Make all legs, and say how it ended."""
        self.budgets.append(schedule.budget)
        while not legs.at_the_end:
            legs.next_leg()
        yield from ()
        if schedule.budget < self.needed:
            return None
        self.best = SimpleNamespace(at_risk=schedule.enough, deleted=schedule.budget)
        return "solved"


@given(needed=st.integers(1, 500), first=st.integers(1, 500))
def test_deletions_are_cut_down_to_what_is_needed(needed: int, first: int) -> None:
    """Large cuts first, then smaller ones: in the end, one less has failed as often as patience allows."""
    first = max(first, needed)
    chains: Any = ScriptedChains(needed, SimpleNamespace(at_risk=7, deleted=first))
    work = Allowance(10**7, Control(), slow=False)

    assert finished(annealing.cut_down(MANY, chains, work, Control())) is None
    assert chains.best.deleted == needed or not work.is_left
    if first > 1:
        assert chains.budgets[0] == first - max(1, int(annealing.LARGEST_CUT * first))
    if needed > 1 and work.is_left:
        assert chains.budgets[-annealing.PATIENCE :] == [needed - 1] * annealing.PATIENCE
        assert chains.budgets.count(needed - 1) <= 2 * annealing.PATIENCE


def test_lengths_of_walks_are_those_of_luby() -> None:
    assert [luby(number) for number in range(1, 17)] == [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8, 1]


@pytest.mark.parametrize("budget", [None, 60])
def test_a_target_beyond_reach_takes_the_time_and_no_more(budget: int | None) -> None:
    control = on_a_machine_of(50_000, time_limit=2.0)
    outcome = outcome_of(clustered(500, 3_000), budget=budget, target=1, control=control)

    assert outcome.stopped_by == "time"
    assert 2.0 <= outcome.seconds < 2.2
