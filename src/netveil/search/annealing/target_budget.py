"""Find about how many deletions a target needs."""

from __future__ import annotations

from collections.abc import Generator
from math import sqrt

import numpy as np

from netveil.kernels.arrays import Words
from netveil.search.annealing.chains import Chains
from netveil.search.annealing.legs import Allowance, Legs
from netveil.search.annealing.schedule import Schedule
from netveil.search.control import Control
from netveil.search.problem import Problem
from netveil.search.progress import Step, StopReason
from netveil.search.repair_and_prune import within_budget, without_needless

BUDGETS_TRIED = 6  # with equal shares of the work
LOWEST_BUDGET = 0.0025  # share of the edges below which none is tried
USUAL_BUDGET = 0.05  # share of the edges that is tried first, where no budget is given
MOST_RESTORED = 25_000  # edges, one by one with a look at many others each: some seconds


def find_budget(
    problem: Problem, chains: Chains, work: Allowance, control: Control, kept: float
) -> Generator[Step, None, StopReason | None]:
    """Walk with one budget after the other until it is known about how many deletions the target needs.

    Each is the geometric mean of the largest that was too small and the fewest deletions that were enough;
    the first is the whole budget, if one is given. All walks are long, for with a short one no budget may be
    enough. That share of the work is kept for cutting down.

    Where the whole budget was not enough, all work that is left is for one more walk with it. Where nothing
    was, all is deleted that may be: without any edges all nodes look alike. Not in a large network of which
    much would have to be restored, for the budget or for limits, one edge after the other.
    """
    movable = int(np.count_nonzero(~problem.protected))
    most = min(problem.budget, movable)
    share = (1.0 - kept) / BUDGETS_TRIED
    too_small = min(LOWEST_BUDGET * problem.edge_count, most / 2)
    budget = most if most < movable else min(most, max(1, int(USUAL_BUDGET * problem.edge_count)))
    stopped_by: StopReason | None = None
    for _ in range(BUDGETS_TRIED):
        stopped_by = yield from _walk_with(budget, problem, chains, work.walk(share), control)
        if stopped_by not in (None, "solved"):
            break
        if stopped_by is None:
            too_small = budget
        is_reached = chains.best.at_risk <= problem.enough
        largest = chains.best.deleted if is_reached else most
        budget = round(sqrt(too_small * largest))
        if not work.is_left or not too_small < budget < largest:
            break
    if chains.best.at_risk <= problem.enough:
        return "solved" if stopped_by is None else stopped_by
    if stopped_by is None and work.is_left and (most < movable or problem.keep):
        stopped_by = yield from _walk_with(most, problem, chains, work.walk(1.0), control)
    if stopped_by in ("solved", "interrupted"):
        return stopped_by
    delete_everything(problem, chains, control)
    is_reached = stopped_by is None and chains.best.at_risk <= problem.enough
    return "solved" if is_reached else stopped_by


def _walk_with(
    budget: int, problem: Problem, chains: Chains, legs: Legs, control: Control
) -> Generator[Step, None, StopReason | None]:
    """Walk with a budget until few enough are at risk for the target."""
    schedule = Schedule.fit_for(problem, budget, problem.enough, proposals=legs.about)
    return (yield from chains.walk(schedule, legs, control))


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
