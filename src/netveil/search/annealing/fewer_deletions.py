"""As few nodes at risk as in the best solution, with fewer deletions."""

from __future__ import annotations

from collections.abc import Generator

from netveil.search.annealing.chains import Chains
from netveil.search.annealing.legs import Allowance
from netveil.search.annealing.schedule import Schedule
from netveil.search.control import Control
from netveil.search.problem import Problem
from netveil.search.progress import Step, StopReason

CUT_FROM = 0.6  # share of the schedule that walks leave out: they begin at a good solution
LARGEST_CUT = 1 / 8  # share of the deletions that a walk does without, at most; the first does
SHORT_WALK_AN_EDGE, SHORTEST_WALK = 10, 20_000  # proposals of each chain in a short walk
LONGEST_SHORT = 0.1  # share of the work that it takes, at most; where proposals are slow, always
PATIENCE = 500  # walks with one deletion less that fail, one after the other, before no more are tried


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
    saved, failures = chains.saved_best(enough), 0
    while work.is_left and failures < PATIENCE and chains.best.deleted > 1:
        chains.go_back_to(saved)
        schedule = Schedule.fit_for(problem, max(1, chains.best.deleted - cut), enough, CUT_FROM)
        legs = work.walk(short * luby(failures + 1))
        stopped_by = yield from chains.walk(schedule, legs, control, is_short=True)
        if stopped_by == "solved":
            saved, failures = chains.saved_best(enough), 0
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
    proposals = max(SHORT_WALK_AN_EDGE * problem.edge_count, SHORTEST_WALK)
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
