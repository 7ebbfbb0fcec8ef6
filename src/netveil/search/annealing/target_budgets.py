"""Reach a target with few deletions: climb from small budgets to one that is enough, then go below it."""

from __future__ import annotations

from collections.abc import Generator

from netveil.search.annealing.chains import Chains
from netveil.search.annealing.legs import Legs
from netveil.search.annealing.schedule import Schedule
from netveil.search.control import Control
from netveil.search.problem import Problem
from netveil.search.progress import Step, StopReason

RUNGS = 14  # walks, of equal length
LOWEST = 0.0025  # share of the edges that the first walk may delete
STEP = 1.7  # times as many for the next, until the target is reached


def climb(
    problem: Problem, chains: Chains, proposals: int, control: Control
) -> Generator[Step, None, StopReason | None]:
    """Walk with one budget after the other; chains remember the fewest deletions that reach the target."""
    too_few = 0  # deletions with which a walk did not reach the target
    budget = min(problem.budget, max(1, int(LOWEST * problem.edge_count)))
    for rung in range(RUNGS):
        part = (rung / RUNGS, (rung + 1) / RUNGS)
        legs = Legs(max(1, proposals // RUNGS), control, part, problem.is_slow)
        stopped_by = yield from chains.walk(Schedule.fit_for(problem, budget), legs, control)
        if stopped_by is not None:
            return stopped_by
        best = chains.best
        if best.at_risk <= problem.enough:
            if best.deleted > budget:
                too_few = budget
            budget = max(1, (too_few + best.deleted) // 2)
        else:
            too_few = budget
            budget = min(problem.budget, max(budget + 1, int(STEP * budget)))
    return None
