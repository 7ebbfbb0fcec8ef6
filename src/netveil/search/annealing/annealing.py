"""Simulated annealing with a potential, the gap to lookalikes: what `anonymize` does unless asked otherwise.

    start each chain from the whole network, hot
    while there is time:
        propose to delete an edge, to restore one, or both
        accept what brings those at risk closer to lookalikes; what is worse, the more rarely the worse it is
            and the colder it has become
        let the temperature fall, and gaps count less and less, until only who is at risk counts
        now and then, let all chains go on from where the best stands
    keep the best of all chains, look for fewer deletions, and restore what need not be deleted

`walk_and_trim` is this course. With a target it first finds about how many deletions that needs
(`find_budget`); `annealing_curve` walks with one budget after the other. docs/search.md explains why, and
what was tried and did not help.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import pairwise
from math import sqrt
from operator import itemgetter
from typing import Self

import numpy as np

from netveil.errors import NetworkError
from netveil.kernels.arrays import Words
from netveil.progress import retold
from netveil.search.algorithm import Algorithm, Settings, check_setting
from netveil.search.annealing.around_risk import around_people_at_risk, is_searched_around, restricted_to
from netveil.search.annealing.chains import Allowance, Chains, Legs, Walking
from netveil.search.annealing.walk import WARM, Schedule
from netveil.search.control import Control, CurvePoint, Found, Step, Steps, StopReason
from netveil.search.finishing import within_budget, without_needless
from netveil.search.problem import Problem, check_memory

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


# The whole budget, or a target: where a network is large, around people at risk.


NOT_REACHED = "Around people at risk the target is not reached"


def annealing(
    problem: Problem, settings: Annealing, rng: np.random.Generator, control: Control, threads: int
) -> Steps:
    """Anneal several chains; return the best solution met, with needless deletions restored.

    In a large network the surroundings of people at risk are annealed; where a target is not reached there,
    wider ones. Without any edges all nodes look alike, so that a budget of all edges reaches every target at
    last: the whole network is searched where surroundings do not become any wider, if it fits into memory. Of
    a smaller budget nobody knows that, and the first surroundings are all that is searched.
    """
    work = Allowance(proposals_of(settings, problem), control, problem.is_slow)
    in_part, all_may_go = is_searched_around(problem), problem.budget >= problem.movable_count
    may_widen = in_part and problem.target is not None and all_may_go
    best: Found | None = None
    candidates = -1
    while True:
        part = around_people_at_risk(problem, control) if in_part else problem
        if best is not None and part.movable_count == candidates:
            try:
                check_memory(problem.network)
            except NetworkError as error:
                control.watcher.announce(f"{NOT_REACHED}. In the whole network, {error}")
                return best
            part = restricted_to(problem, ~problem.protected)
        candidates = part.movable_count
        if candidates == 0:
            found = yield from nothing_found(problem)
        else:
            chains = Chains(part, chains_of(settings, control, threads), rng, threads, problem.known)
            if best is None:
                control.start()
            else:
                chains.proposals = best.evaluations
            first = 0.0 if problem.known is None else WARM
            found = yield from walk_and_trim(part, chains, work, control, first)
        best = min(best or found, found, key=lambda each: problem.rank(each.at_risk, each.deleted_edges))
        is_over = found.stopped_by == "interrupted" or best.at_risk <= problem.enough
        if not may_widen or is_over or candidates == problem.movable_count:
            return best
        control.watcher.announce(f"{NOT_REACHED}: now in wider surroundings.")
        problem = replace(problem, known=best.deleted_edges)


def nothing_found(problem: Problem) -> Steps:
    """Search where every edge that could be deleted is protected."""
    at_risk = problem.at_risk_at_first
    yield Step(0, 1, at_risk, at_risk, deleted=0, share=1.0)
    return Found(np.empty(0, dtype=np.int64), at_risk, "budget", evaluations=1)


# A curve: the whole trade-off in one run, from little of the budget to all of it.


PERCENT = ("0.25", "0.5", "0.75", "1", "1.5", "2", "3", "4", "5", "7.5", "10", "15", "20", "30", "50", "75")
EFFORT = 2  # times that of a search for the whole budget


def budgets_on_the_way(budget: int, edges: int) -> list[int]:
    """The budgets of the points, in edges, ascending; the whole budget is the last."""
    shares = [int(Fraction(percent) / 100 * edges) for percent in PERCENT]
    return sorted({share for share in shares if 0 < share < budget} | {budget})


def annealing_curve(
    problem: Problem,
    settings: Annealing,
    rng: np.random.Generator,
    control: Control,
    threads: int,
    done: float = 0.0,
) -> Steps:
    """A solution for each part of the budget, and for all of it; in a large network around people at risk.

    One walk a point, from the smallest budget to the largest, with time in proportion to it: few deletions
    are soon arranged. A walk begins where the last one ended, and the best so far counts for it too. In the
    end each solution is tried for the next smaller budget, with what it deletes too much restored, and for
    the next larger. A target makes no difference to that: `annealing_with_curve` searches for it apart.

    `done` is the share of proposals, or of the time, that was spent on something else before.
    """
    if problem.known is not None:  # may be too much for the first points
        problem = replace(problem, known=None)
    budgets = budgets_on_the_way(problem.budget, problem.edge_count)
    proposals = EFFORT * proposals_of(settings, problem)
    part = around_people_at_risk(problem, control) if is_searched_around(problem) else problem
    if part.movable_count == 0:
        found = yield from nothing_found(problem)
        nothing = (CurvePoint(budget, found.deleted_edges, found.at_risk) for budget in budgets)
        return replace(found, curve=tuple(nothing))
    chains = Chains(part, chains_of(settings, control, threads), rng, threads, known=None)
    if done == 0:
        control.start()
    yield chains.step()
    bounds = done + (1 - done) * np.cumsum([0, *budgets]) / sum(budgets)
    solutions: list[tuple[Words, int]] = []
    stopped_by = None
    for budget, (since, until) in zip(budgets, pairwise(bounds.tolist()), strict=True):
        legs = Legs(max(1, int(proposals * (until - since))), control, (since, until), part.is_slow)
        schedule = Schedule.fit_for(part, budget, enough=0, proposals=legs.about)
        stopped_by = yield from chains.walk(schedule, legs, control)
        solutions.append(without_needless(part, chains.best_solution(), control, enough=0))
        if stopped_by is not None:
            break
    fewest = partial(min, key=itemgetter(1))  # at risk; of equals the first
    for place in range(len(solutions) - 1, 0, -1):
        less, _ = within_budget(part, solutions[place][0], control, budgets[place - 1])
        less_deleted = without_needless(part, less, control, enough=0)
        solutions[place - 1] = fewest(solutions[place - 1], less_deleted)
    for place in range(1, len(solutions)):
        solutions[place] = fewest(solutions[place], solutions[place - 1])
    points = [
        CurvePoint(budget, part.edges_deleted_by(words), at_risk)
        for budget, (words, at_risk) in zip(budgets, solutions, strict=False)
    ]
    last = points[-1]
    yield Step(chains.legs, chains.proposals, last.at_risk, last.at_risk, len(last.deleted_edges))
    stopped = stopped_by or "converged"
    return Found(last.deleted_edges, last.at_risk, stopped, chains.proposals, curve=tuple(points))


def annealing_with_curve(
    problem: Problem, settings: Annealing, rng: np.random.Generator, control: Control, threads: int
) -> Steps:
    """Anneal for parts of the budget, after annealing for the target if there is one.

    Half of the work is then done for the target: a curve alone gives few proposals to each of its points.
    """
    if problem.target is None:
        return (yield from annealing_curve(problem, settings, rng, control, threads))
    limit = control.time_limit
    if limit is not None:
        control.time_limit = limit / EFFORT
    steps = annealing(problem, settings, rng, control, threads)
    thrifty = yield from retold(steps, lambda step: step._replace(share=(step.share or 0.0) / EFFORT))
    control.time_limit = limit
    point = CurvePoint(max(1, len(thrifty.deleted_edges)), thrifty.deleted_edges, thrifty.at_risk)
    if thrifty.stopped_by == "interrupted":
        return replace(thrifty, curve=(point,))
    before, rank = thrifty.evaluations, problem.rank(thrifty.at_risk, thrifty.deleted_edges)

    def best_of_both(step: Step) -> Step:
        """Report the solution for the target until the curve has a better one."""
        step = step._replace(evaluations=before + step.evaluations)
        if (max(step.at_risk, problem.enough), step.deleted) < rank:
            return step
        at_risk, deleted = thrifty.at_risk, len(thrifty.deleted_edges)
        return step._replace(objective=at_risk, at_risk=at_risk, deleted=deleted, best=None)

    done = 1 / EFFORT if limit is None else min(1.0, control.seconds / limit)
    steps = annealing_curve(problem, settings, rng, control, threads, done)
    curve = yield from retold(steps, best_of_both)
    points = (point, *curve.curve)
    best = min(points, key=lambda each: problem.rank(each.at_risk, each.deleted_edges))
    stopped_by: StopReason = thrifty.stopped_by
    if curve.stopped_by in ("time", "interrupted"):
        stopped_by = curve.stopped_by
    elif best.at_risk <= problem.enough:
        stopped_by = "solved"
    return Found(best.deleted_edges, best.at_risk, stopped_by, before + curve.evaluations, points)


LEGS_BETWEEN_HALVINGS = 50  # of a walk that takes some 200: sooner, all are too hot to compare


ANNEALING = Algorithm(
    name="annealing",
    search=annealing,
    curve=annealing_with_curve,
    default=Annealing(),
    grid={"effort": (0.25, 0.5, 1.0), "chains": (1, 2, 4)},
    steps_between_halvings=LEGS_BETWEEN_HALVINGS,
    restricts=is_searched_around,
)
