"""Reach so few nodes at risk with fewer deletions: climb to a budget that is enough, then go below it."""

from __future__ import annotations

from collections.abc import Generator, Iterator

import numpy as np

from netveil.kernels.arrays import Words
from netveil.search.annealing.chains import Chains
from netveil.search.annealing.legs import Allowance
from netveil.search.annealing.schedule import Schedule
from netveil.search.control import Control
from netveil.search.problem import Problem
from netveil.search.progress import Step, StopReason
from netveil.search.repair_and_prune import within_budget, without_needless

RUNG = 0.05  # share of the work that each walk takes, at most, until the target is reached
LOWEST = 0.0025  # share of the edges that the first walk may delete
STEP = 1.7  # times as many for the next
SHORTEST_WALK = 0.1  # share of the work, of those that go below
CUT_FROM = 0.4  # share of the schedule that they leave out: they begin near a good solution
LARGEST_CUT = 1 / 8  # share of the deletions that the first walk below does without
MOST_RESTORED = 25_000  # edges, one by one with a look at many others each: some seconds
PATIENCE = 50  # walks with one deletion less that fail, one after the other, before no more are tried


def climb(
    problem: Problem, chains: Chains, work: Allowance, control: Control
) -> Generator[Step, None, StopReason | None]:
    """Walk with one budget after the other, until one is enough for the target or all is used.

    Where none was enough, all is deleted that may be: without any edges all nodes look alike. Not in a large
    network of which much would have to be restored, for the budget or for limits, one edge after the other.
    """
    stopped_by: StopReason | None = None
    for budget, share in _rungs(problem):
        if not work.is_left:
            break
        schedule = Schedule.fit_for(problem, budget, problem.enough)
        stopped_by = yield from chains.walk(schedule, work.walk(share), control, is_short=True)
        if stopped_by in ("solved", "interrupted"):
            return stopped_by
        if stopped_by is not None:
            break
    delete_everything(problem, chains, control)
    is_reached = stopped_by is None and chains.best.at_risk <= problem.enough
    return "solved" if is_reached else stopped_by


def _rungs(problem: Problem) -> Iterator[tuple[int, float]]:
    """Budgets to climb to the target by, and the share of the work that the walk with each may take.

    Where the whole budget was not enough and there are more edges than that, all work that is left is for it.
    """
    movable = int(np.count_nonzero(~problem.protected))
    most = min(problem.budget, movable)
    budget = min(most, max(1, int(LOWEST * problem.edge_count)))
    yield budget, RUNG
    while budget < most:
        budget = min(most, max(budget + 1, int(STEP * budget)))
        yield budget, RUNG
    if most < movable:
        yield most, 1.0


def delete_everything(problem: Problem, chains: Chains, control: Control) -> None:
    """Delete all that may be, and restore what need not be; the best of the chains, if it is better."""
    movable = int(np.count_nonzero(~problem.protected))
    if movable - (0 if problem.keep else problem.budget) > MOST_RESTORED:
        return
    solution, at_risk = everything_deleted(problem, control)
    if at_risk < chains.best.at_risk:
        chains.set_best(solution, max(at_risk, problem.enough))


def everything_deleted(problem: Problem, control: Control) -> tuple[Words, int]:
    """Everything deleted, what is beyond budget and limits restored, and then what need not be deleted."""
    everything, _ = within_budget(problem, problem.individual_marking(~problem.protected), control)
    return without_needless(problem, everything, control)


def cut_down(
    problem: Problem, chains: Chains, work: Allowance, control: Control
) -> Generator[Step, None, StopReason | None]:
    """Look for solutions that leave no more at risk than the best, and delete less.

    Large cuts come first; where one fails, half of it is tried. Ends when a cut of one edge has failed often
    enough, or when the work is done.
    """
    enough = chains.best.at_risk
    cut = max(1, int(LARGEST_CUT * chains.best.deleted))
    length = max(SHORTEST_WALK, work.walks[-1].share_of_search - work.walks[-1].part[0])
    failures = 0
    while work.is_left and failures < PATIENCE and chains.best.deleted > 1:
        schedule = Schedule.fit_for(problem, max(1, chains.best.deleted - cut), enough, CUT_FROM)
        stopped_by = yield from chains.walk(schedule, work.walk(length), control, is_short=True)
        if stopped_by is None:
            failures += cut == 1
            cut = max(1, cut // 2)
        elif stopped_by == "solved":
            failures = 0
        else:
            return stopped_by
    # The clock may have run out since a walk was last asked whether to stop.
    return None if work.is_left else control.asked_to_stop()
