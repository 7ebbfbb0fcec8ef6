"""Settings of the annealing, the budget that a target needs, and fewer deletions at the end of a walk.

`walk_and_trim` is the course of every annealing: with a target, first find about how many deletions it needs
(`find_budget`); without one, one long walk with the whole budget; then look for as few at risk with fewer
deletions (`cut_down`), and restore what need not be deleted.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt
from typing import Self

from netveil.search.algorithm import Settings, check_setting
from netveil.search.annealing.chains import Allowance, Chains, Legs, Walking
from netveil.search.annealing.walk import Schedule
from netveil.search.control import Control, Found, Step, Steps, StopReason
from netveil.search.finishing import within_budget, without_needless
from netveil.search.problem import Problem

MOST_CHAINS = 256  # each takes some 50 bytes an edge
TINY_EFFORT = 1e-9  # a proposal a walk
FEWEST_PROPOSALS = 6_000_000  # of each chain, at effort 1
PROPOSALS_PER_EDGE = 750
MOST_PROPOSALS = 30_000_000  # of each chain, at effort 1
COST_OF_PROPOSAL = (1, 4, 30, 60, 500, 1000)
"""Relative cost of a proposal, by `Problem.kind_of_state`: no result may depend on a clock."""


@dataclass(frozen=True, kw_only=True)
class Annealing(Settings):
    """Settings of the annealing. Temperatures are not among them: the schedule fits itself to the problem."""

    effort: float = 1.0  # how long to search where time is not limited: 750 proposals an edge and chain
    chains: int = 2  # walks side by side, of which the best counts; with limited time, one a thread at most

    def __post_init__(self) -> None:
        check_setting("effort", self.effort, 0 < self.effort <= 1e6, "more than 0 and at most 1,000,000")
        check_setting("chains", self.chains, 1 <= self.chains <= MOST_CHAINS, f"between 1 and {MOST_CHAINS}")

    def brief(self) -> Self:
        """Settings for one proposal a walk."""
        return replace(self, effort=TINY_EFFORT)


def proposals_of(settings: Annealing, problem: Problem) -> int:
    """Proposals that each chain makes where time is not limited; fewer where they take longer."""
    at_effort_one = min(max(PROPOSALS_PER_EDGE * problem.edge_count, FEWEST_PROPOSALS), MOST_PROPOSALS)
    return max(1, int(settings.effort * at_effort_one / COST_OF_PROPOSAL[problem.kind_of_state]))


def chains_of(settings: Annealing, control: Control, threads: int) -> int:
    """Chains that walk: where time is limited no more than threads, for one long walk beats two short."""
    return settings.chains if control.time_limit is None else min(settings.chains, threads)


# The budget that a target needs.


BUDGETS_TRIED = 6  # with equal shares of the work
LOWEST_BUDGET = 0.0025  # share of the edges below which none is tried
USUAL_BUDGET = 0.05  # share of the edges that is tried first, where no budget is given
MOST_RESTORED = 25_000  # edges, one by one with a look at many others each: some seconds


def find_budget(problem: Problem, chains: Chains, work: Allowance, control: Control, kept: float) -> Walking:
    """Walk with one budget after the other until it is known about how many deletions the target needs.

    Each is the geometric mean of the largest that was too small and the fewest deletions that were enough;
    the first is the whole budget, if one is given. All walks are long, for with a short one no budget may be
    enough. That share of the work is kept for cutting down.

    Where the whole budget was not enough, all work that is left is for one more walk with it. Where nothing
    was, all is deleted that may be: without any edges all nodes look alike. Not in a large network of which
    much would have to be restored, for the budget or for limits, one edge after the other.
    """

    def walk_with(budget: int, legs: Legs) -> Walking:
        schedule = Schedule.fit_for(problem, budget, problem.enough, proposals=legs.about)
        return chains.walk(schedule, legs, control)

    movable = problem.movable_count
    most = min(problem.budget, movable)
    share = (1.0 - kept) / BUDGETS_TRIED
    too_small = min(LOWEST_BUDGET * problem.edge_count, most / 2)
    budget = most if most < movable else min(most, max(1, int(USUAL_BUDGET * problem.edge_count)))
    stopped_by: StopReason | None = None
    for _ in range(BUDGETS_TRIED):
        stopped_by = yield from walk_with(budget, work.walk(share))
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
        return stopped_by or "solved"
    if stopped_by is None and work.is_left and (most < movable or problem.keep):
        stopped_by = yield from walk_with(most, work.walk(1.0))
    if stopped_by in ("solved", "interrupted"):
        return stopped_by
    delete_everything(problem, chains, control)
    is_reached = stopped_by is None and chains.best.at_risk <= problem.enough
    return "solved" if is_reached else stopped_by


def delete_everything(problem: Problem, chains: Chains, control: Control) -> None:
    """Delete all movable edges; restore those beyond budget and limits, then needless deletions.

    Becomes the chains' best if it is better.
    """
    if problem.movable_count - (0 if problem.keep else problem.budget) > MOST_RESTORED:
        return
    everything, _ = within_budget(problem, problem.individual_marking(~problem.protected), control)
    solution, at_risk = without_needless(problem, everything, control)
    if at_risk < chains.best.at_risk:
        chains.set_best(solution, max(at_risk, problem.enough))


# As few nodes at risk as in the best solution, with fewer deletions.


CUT_FROM = 0.6  # share of the schedule that walks leave out: they begin at a good solution
LARGEST_CUT = 1 / 8  # share of the deletions that a walk does without, at most; the first does
SHORT_WALK_AN_EDGE, SHORTEST_WALK = 10, 20_000  # proposals of each chain in a short walk
LONGEST_SHORT = 0.1  # share of the work that it takes, at most; where proposals are slow, always
PATIENCE = 500  # walks with one deletion less that fail, one after the other, before no more are tried


def cut_down(problem: Problem, chains: Chains, work: Allowance, control: Control) -> Walking:
    """Look for solutions that leave no more at risk than the best, and delete less.

    Walks are short and begin at the best: there are many ways to do without an edge, and most of them are
    near. Where one succeeds, twice the cut is tried next; where one fails, half of it. Some of those that
    fail to do without a single edge are followed by longer ones. Ends when that has failed often enough, or
    when the work is done.
    """

    def largest_cut() -> int:
        return max(1, int(LARGEST_CUT * chains.best.deleted))

    enough, cut = chains.best.at_risk, largest_cut()
    short = LONGEST_SHORT  # share of the work that a short walk takes
    if problem.linear_weights is not None:
        proposals = max(SHORT_WALK_AN_EDGE * problem.edge_count, SHORTEST_WALK)
        short = min(work.share_of(proposals), LONGEST_SHORT)
    saved, failures = chains.saved_best(enough), 0
    while work.is_left and failures < PATIENCE and chains.best.deleted > 1:
        chains.go_back_to(saved)
        schedule = Schedule.fit_for(problem, max(1, chains.best.deleted - cut), enough, CUT_FROM)
        legs = work.walk(short * luby(failures + 1))
        stopped_by = yield from chains.walk(schedule, legs, control, is_short=True)
        if stopped_by == "solved":
            saved, failures = chains.saved_best(enough), 0
            cut = min(2 * cut, largest_cut())
        elif stopped_by is not None:
            return stopped_by
        elif cut == 1:
            failures += 1
        else:
            cut //= 2
    # The clock may have run out since a walk was last asked whether to stop.
    return None if work.is_left else control.asked_to_stop()


def luby(number: int) -> int:
    """Luby's sequence 1, 1, 2, 1, 1, 2, 4, 1, 1, 2, …: lengths of walks before a restart.

    Nearly as good as the best length, whatever that is: Luby, Sinclair and Zuckerman, Optimal speedup of Las
    Vegas algorithms, 1993.
    """
    bits = number.bit_length()
    if number == (1 << bits) - 1:
        return 1 << (bits - 1)
    return luby(number - (1 << (bits - 1)) + 1)


# A walk to the end of its schedule, then fewer deletions: for a whole problem, or part of one.


TRIMMING = 0.03  # share of the work that is kept for finding as few at risk with fewer deletions
TRIMMING_IF_SMALL, SMALL = 0.5, 5_000  # the same where there are hardly any edges; so many are not few


def walk_and_trim(
    problem: Problem, chains: Chains, work: Allowance, control: Control, first: float = 0.0
) -> Steps:
    """Walk from share `first` of the schedule, look for fewer deletions, restore needless ones."""
    smallness = max(0.0, 1.0 - problem.edge_count / SMALL)  # a small network is soon searched
    kept = TRIMMING + (TRIMMING_IF_SMALL - TRIMMING) * smallness
    yield chains.step()
    if problem.target is not None:
        stopped_by = yield from find_budget(problem, chains, work, control, kept)
    else:
        legs = work.walk(1.0 - kept)
        schedule = Schedule.fit_for(problem, problem.budget, problem.enough, first, legs.about)
        stopped_by = yield from chains.walk(schedule, legs, control, is_short=first > 0)
    is_reached = problem.target is None or chains.best.at_risk <= problem.enough
    if is_reached and stopped_by in (None, "solved"):
        cut_off = yield from cut_down(problem, chains, work, control)
        stopped_by = cut_off or stopped_by
    deleted_edges, at_risk = chains.restore_needless(control)
    yield Step(chains.legs, chains.proposals, at_risk, at_risk, len(deleted_edges), share=1.0)
    return Found(deleted_edges, at_risk, stopped_by or "converged", chains.proposals)
