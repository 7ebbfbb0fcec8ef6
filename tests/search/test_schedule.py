"""How an annealing cools, how its walk is cut into legs, and how walks share its work out."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from clocks import Clock, Ticking
from graphs import clustered
from netveil.search import Control, Outcome
from netveil.search.annealing import chains as legs_module, walk as module
from netveil.search.annealing.chains import Allowance, Chains, Legs
from netveil.search.annealing.walk import Schedule
from searches import outcome_of

MANY = clustered(400, 1_600)
SHARES = np.linspace(0, 1, 41).tolist()
PLAIN = "vertex-refinement"  # states that are no two numbers, so that nobody knows of gaps


@pytest.mark.parametrize("options", [{}, {"curve": True}, {"time": 1.0}])
def test_a_search_knows_how_long_its_walks_are(
    options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the proposals that are planned, or by the time that there is; each number about it counts."""
    met: list[float] = []
    walk = Chains.walk

    def noted(self: Chains, schedule: Schedule, *more: Any, **settings: Any) -> Any:
        if self.problem.edge_count > 100:  # not that of the tiny network by which all is compiled
            met.append(schedule.steep[0])
        return walk(self, schedule, *more, **settings)

    def steepest() -> float:
        met.clear()
        run(**options, control=Control(clock=Ticking(0.01)))
        return max(met)

    monkeypatch.setattr(Chains, "walk", noted)
    monkeypatch.setattr(module, "FEWEST_EDGES", 1_000)
    monkeypatch.setattr(module, "SHORT", 0.001)
    monkeypatch.setattr(legs_module, "ABOUT_A_SECOND", 100_000)
    found = [steepest()]
    for name, value in (("FEWEST_EDGES", 2_000), ("SHORT", 0.002), ("LONG", 10_000), ("STEEP_IF_LONG", 0.9)):
        monkeypatch.setattr(module, name, value)
        found.append(steepest())
    if "time" in options:
        monkeypatch.setattr(legs_module, "ABOUT_A_SECOND", 50_000)
        found.append(steepest())

    assert len(set(found)) == len(found)


def run(measure: str = "count", **options: Any) -> Outcome:
    """A short search with a small budget, which cannot bring all risk to an end."""
    return outcome_of(clustered(100, 500), budget=12, attacker={"measures": measure}, **options)


def traced(outcome: Outcome) -> tuple[list[tuple[int, int, int]], list[int]]:
    """What a search found when, and in the end."""
    history = [(row.evaluations, row.at_risk, row.deleted) for row in outcome.history]
    return history, outcome.deleted_edges.tolist()


IF_PLAIN: dict[str, Any] = {"measure": PLAIN, "settings": {"effort": 0.1}}
FROM_KNOWN: dict[str, Any] = {"start": np.arange(1, 13), "settings": {"effort": 1.0}}
OTHERWISE: dict[str, tuple[float | tuple[float, ...], dict[str, Any]]] = {
    **{f"walk.{name}": (value, {}) for name, value in {
        "HOT": 3.0, "COLD": 0.15, "COOLED": 0.5, "COLDEST": 0.2, "STEEP": 0.9, "FLAT": 0.3,
        "MORE_FOR_HUBS": 0.4, "GROWTH": 0.6, "GROWN": 0.9, "MARGIN": 0.5, "NO_MARGIN": 0.1,
        "GUIDED": 0.5, "UNGUIDED": 0.9, "PROPOSED_A_NODE": 200, "ACCEPTED_A_NODE": 30, "MOST_GAPS": 10,
        "FIRST_UNIT": 1, "FIRST_REWARD": -2.0, "HUBS": 0.9, "TRIANGLE_EXPONENT": 2.0, "QUANTILES": 4,
    }.items()},
    **{f"walk.{name}": (value, IF_PLAIN) for name, value in {
        "HOT_IF_PLAIN": 1.0, "COLD_IF_PLAIN": 2.0, "WORTH": -5.0
    }.items()},
    "chains.EXCHANGES_IF_SHORT": (tuple(np.linspace(0.1, 0.9, 9)), FROM_KNOWN),
    "annealing.SMALL": (1, FROM_KNOWN),
    "annealing.TRIMMING_IF_SMALL": (0.1, FROM_KNOWN),
    "annealing.WARM": (0.95, FROM_KNOWN),
}  # fmt: skip
"""Another value for each number, and the search that it changes."""


@pytest.mark.quick(6)
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.thorough if options is FROM_KNOWN else [])
        for name, (_, options) in OTHERWISE.items()
    ],
)
def test_every_number_changes_the_search(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Same seed, another course; margins are large enough here to be whole edges."""
    value, options = OTHERWISE[name]
    if name == "walk.NO_MARGIN":
        monkeypatch.setattr(module, "MARGIN", 0.5)
    before = traced(run(**options))
    monkeypatch.setattr(f"netveil.search.annealing.{name}", value)

    assert traced(run(**options)) != before


@given(st.integers(1, 50_000_000))
def test_legs_of_fixed_length_add_up_to_what_was_planned(planned: int) -> None:
    """Exactly, and shares join from 0 to 1; the legs depend on nothing else."""
    walk = Legs(planned, Control())
    legs = []
    while not walk.at_the_end:
        legs.append(walk.next_leg())

    assert sum(proposals for proposals, _, _ in legs) == walk.made == planned
    assert all(proposals > 0 for proposals, _, _ in legs)
    assert (legs[0][1], legs[-1][2]) == (0.0, 1.0)
    assert all(one[2] == other[1] for one, other in pairwise(legs))


def test_legs_by_the_clock_share_out_the_time() -> None:
    """Each leg says how far the time will be gone after it, up to all of it."""
    clock = Clock()
    walk = Legs(1, Control(time_limit=10.0, clock=clock), part=(0.5, 1.0))
    shares = [0.0]
    clock.spend(5.0)
    while not walk.at_the_end:
        proposals, since, until = walk.next_leg()
        assert proposals >= 1
        assert since == shares[-1] <= until <= 1.0
        shares.append(until)
        clock.spend(0.1)

    assert shares[-1] == pytest.approx(1.0)
    assert clock.now >= 10.0


def walk_through(legs: Legs, clock: Clock | None = None) -> None:
    """Make all legs of a walk; each takes a tenth of a second."""
    while not legs.at_the_end:
        legs.next_leg()
        if clock is not None:
            clock.spend(0.1)


@given(st.integers(1, 10**8), st.lists(st.floats(0.001, 0.6), min_size=1, max_size=8))
def test_walks_share_out_the_proposals(proposals: int, shares: list[float]) -> None:
    """Each has its share, and the last one what is left; of hardly anything, each has one."""
    work = Allowance(proposals, Control(), slow=False)
    for share in shares:
        if not work.is_left:
            break
        done = work.done
        legs = work.walk(share)
        assert legs.part == (done, min(done + share, 1.0))
        assert legs.planned == max(1, round((legs.part[1] - done) * proposals))
        walk_through(legs)
        assert work.done == pytest.approx(min(1.0, done + legs.planned / proposals))
        assert legs.share_of_search == pytest.approx(legs.part[1])

    made = sum(legs.made for legs in work.walks)
    assert made <= proposals + len(shares)
    assert work.is_left is (made < proposals)


def test_walks_share_out_the_time() -> None:
    """By the clock: what one does not use, the next ones have."""
    clock = Clock()
    control = Control(time_limit=20.0, clock=clock)
    work = Allowance(10**9, control, slow=False)
    first = work.walk(0.25)
    walk_through(first, clock)
    assert first.part == (0.0, 0.25)
    assert clock.now == pytest.approx(5.0, abs=0.11)

    second = work.walk(0.7)
    second.next_leg()
    clock.spend(3.0)
    assert work.done == clock.now / 20.0
    third = work.walk(1.0)
    assert third.part == (work.done, 1.0)
    walk_through(third, clock)
    assert not work.is_left
    assert clock.now == pytest.approx(20.0, abs=0.11)
