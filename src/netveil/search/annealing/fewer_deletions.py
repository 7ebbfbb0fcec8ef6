"""Reach so few nodes at risk with fewer deletions: find a budget that is enough, then go below it."""

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

BUDGETS = 6  # that are tried for a target, with equal shares of the work
LOWEST = 0.0025  # share of the edges below which none is tried then
USUAL = 0.05  # share of the edges that is tried first, where no budget is given
CUT_FROM = 0.6  # share of the schedule that walks below leave out: they begin at a good solution
LARGEST_CUT = 1 / 8  # share of the deletions that a walk below does without, at most; the first does
PROPOSALS_AN_EDGE, FEWEST_PROPOSALS = 10, 20_000  # of each chain, in a short walk below
LONGEST_SHORT = 0.1  # share of the work that it takes, at most; where proposals are slow, always
MOST_RESTORED = 25_000  # edges, one by one with a look at many others each: some seconds
PATIENCE = 500  # walks with one deletion less that fail, one after the other, before no more are tried


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
    share = (1.0 - kept) / BUDGETS
    too_small = min(LOWEST * problem.edge_count, most / 2)
    budget = most if most < movable else min(most, max(1, int(USUAL * problem.edge_count)))
    stopped_by: StopReason | None = None
    for _ in range(BUDGETS):
        stopped_by = yield from _walk_with(budget, problem, chains, work.walk(share), control)
        if stopped_by not in (None, "solved"):
            break
        if stopped_by is None:
            too_small = budget
        is_reached = chains.best.at_risk <= problem.enough
        enough = chains.best.deleted if is_reached else most
        budget = round(sqrt(too_small * enough))
        if not work.is_left or not too_small < budget < enough:
            break
    if chains.best.at_risk <= problem.enough:
        return "solved" if stopped_by is None else stopped_by
    if stopped_by is None and work.is_left and most < movable:
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


def cut_down(
    problem: Problem, chains: Chains, work: Allowance, control: Control
) -> Generator[Step, None, StopReason | None]:
    """Look for solutions that leave no more at risk than the best, and delete less.

    Walks are short and begin at the best: there are many ways to do without an edge, and most of them are
    near. Where one succeeds, twice the cut is tried next; where one fails, half of it. Some of those that
    fail to do without a single edge are followed by longer ones. Ends when that has failed often enough, or
    when the work is done.
    """
    enough = chains.best.at_risk
    cut = _largest_cut(chains)
    short = _short_walk(problem, work)
    place, failures = chains.best_place(enough), 0
    while work.is_left and failures < PATIENCE and chains.best.deleted > 1:
        chains.go_back_to(place)
        schedule = Schedule.fit_for(problem, max(1, chains.best.deleted - cut), enough, CUT_FROM)
        legs = work.walk(short * luby(failures + 1))
        stopped_by = yield from chains.walk(schedule, legs, control, is_short=True)
        if stopped_by == "solved":
            place, failures = chains.best_place(enough), 0
            cut = min(2 * cut, _largest_cut(chains))
        elif stopped_by is not None:
            return stopped_by
        elif cut == 1:
            failures += 1
        else:
            cut //= 2
    # The clock may have run out since a walk was last asked whether to stop.
    return None if work.is_left else control.asked_to_stop()


def _largest_cut(chains: Chains) -> int:
    """How many deletions less than the best a walk may be asked for."""
    return max(1, int(LARGEST_CUT * chains.best.deleted))


def _short_walk(problem: Problem, work: Allowance) -> float:
    """Share of the work that a short walk below takes."""
    if problem.linear_weights is None:
        return LONGEST_SHORT
    proposals = max(PROPOSALS_AN_EDGE * problem.edge_count, FEWEST_PROPOSALS)
    return min(work.share_of(proposals), LONGEST_SHORT)


def luby(number: int) -> int:
    """The number-th of 1, 1, 2, 1, 1, 2, 4, 1, 1, 2, …: how long to try until one begins anew.

    Nearly as good as the best length, whatever that is: Luby, Sinclair and Zuckerman, Optimal speedup of Las
    Vegas algorithms, 1993.
    """
    bits = number.bit_length()
    if number == (1 << bits) - 1:
        return 1 << (bits - 1)
    return luby(number - (1 << (bits - 1)) + 1)
