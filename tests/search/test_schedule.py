"""How an annealing cools, and how its walk is cut into legs."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import ceil, floor

import numpy as np
import pytest
from hypothesis import given, strategies as st

from clocks import Clock
from graphs import clustered
from netveil.anonymity import attackers_of
from netveil.search import Control, Problem
from netveil.search.annealing.legs import Legs
from netveil.search.annealing.schedule import AMPLE, COLD, TIGHT, Schedule
from netveil.search.annealing.settings import Annealing, proposals_of
from searches import at_risk_without

MANY = clustered(400, 1_600)  # with many nodes at risk, so that budgets for each of them can be told apart


def schedule_for(budget: int, target: Fraction | None = None) -> Schedule:
    """The schedule of a problem for this budget."""
    edges = MANY.edge_count
    problem = Problem(MANY, attackers_of("count"), 2, edges, np.arange(edges), target=target)
    return Schedule.fit_for(problem, budget)


def test_an_ample_budget_is_begun_hotter_and_smoother_than_a_tight_one() -> None:
    """In between, in between; and beyond either end nothing changes any more."""
    at_risk = at_risk_without(MANY, [])
    budgets = (
        floor(TIGHT * at_risk / 2),
        floor(TIGHT * at_risk),
        round((TIGHT + AMPLE) / 2 * at_risk),
        ceil(AMPLE * at_risk),
        ceil(2 * AMPLE * at_risk),
    )
    below, tight, middle, ample, above = map(schedule_for, budgets)

    assert tuple(schedule.budget for schedule in (below, tight, middle, ample, above)) == budgets
    assert (below.hot, below.smoothing) == (tight.hot, tight.smoothing)
    assert (above.hot, above.smoothing) == (ample.hot, ample.smoothing)
    assert tight.hot < middle.hot < ample.hot
    assert tight.smoothing < middle.smoothing < ample.smoothing


def test_deletions_cost_something_only_where_there_is_a_target() -> None:
    """Else a budget is there to be spent."""
    assert schedule_for(30).price <= 0 < schedule_for(30, Fraction(9, 10)).price
    assert schedule_for(30, Fraction(9, 10)).enough == 40


def test_a_schedule_falls_from_hot_to_cold_and_ends_with_exact_states() -> None:
    """Successive legs join."""
    schedule = schedule_for(30)
    legs = [schedule.leg(100, share / 10, (share + 1) / 10, picky=True) for share in range(10)]
    temperatures = [leg.temperature for leg in legs]

    assert temperatures[0][0] == schedule.hot
    assert temperatures[-1][1] == pytest.approx(COLD)
    assert all(one[1] == other[0] for one, other in pairwise(temperatures))
    assert all(hotter > colder for hotter, colder in temperatures)
    assert (legs[0].smoothing[0], legs[-1].smoothing[1]) == (schedule.smoothing, 0.0)


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


def test_effort_is_in_proportion_to_the_proposals() -> None:
    """And at least one is made."""
    problem = Problem(clustered(), attackers_of("count"), 2, 5, np.arange(clustered().edge_count))
    one = proposals_of(Annealing(effort=1.0), problem)

    assert proposals_of(Annealing(effort=3.0), problem) == 3 * one
    assert proposals_of(Annealing(effort=1e-9), problem) == 1
