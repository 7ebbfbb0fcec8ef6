"""The whole trade-off in one run: nodes at risk against edges deleted, from little of the budget to all.

One walk a point, from the smallest budget to the largest, with time in proportion to it: few deletions
are soon arranged. A walk begins where the last one ended, and the best so far counts for it too. In the end
each solution is tried for the next smaller budget, with what it deletes too much restored, and for the
next larger. A target makes no difference to that: it is searched for apart (annealing.py).
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import pairwise
from operator import itemgetter

import numpy as np

from netveil.kernels.arrays import Words
from netveil.search.annealing import around_risk
from netveil.search.annealing.around_risk import is_searched_around
from netveil.search.annealing.chains import Chains, Legs
from netveil.search.annealing.targets import Annealing, chains_of, proposals_of
from netveil.search.annealing.walk import Schedule
from netveil.search.control import Control, CurvePoint, Found, Step, Steps
from netveil.search.finishing import within_budget, without_needless
from netveil.search.problem import Problem

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

    `done` is the share of proposals, or of the time, that was spent on something else before.
    """
    if problem.known is not None:  # may be too much for the first points
        problem = replace(problem, known=None)
    budgets = budgets_on_the_way(problem.budget, problem.edge_count)
    proposals = EFFORT * proposals_of(settings, problem)
    searched = around_risk.around_people_at_risk(problem, control) if is_searched_around(problem) else problem
    if searched is not problem and searched.movable_count == 0:
        found = yield from around_risk.nothing_found(problem)
        points = (CurvePoint(budget, found.deleted_edges, found.at_risk) for budget in budgets)
        return replace(found, curve=tuple(points))
    chains = Chains(searched, chains_of(settings, control, threads), rng, threads, known=None)
    walked = _walked(searched, chains, budgets, proposals, control, done)
    if isinstance(searched, around_risk.RestrictedProblem):
        walked = around_risk.steps_of_network(walked, searched)
    return (yield from walked)


def _walked(
    problem: Problem, chains: Chains, budgets: list[int], proposals: int, control: Control, done: float
) -> Steps:
    """One walk a point; all of them make the proposals of each chain that are not done yet."""
    if done == 0:
        control.start()
    yield chains.step()
    bounds = done + (1 - done) * np.cumsum([0, *budgets]) / sum(budgets)
    solutions: list[tuple[Words, int]] = []
    stopped_by = None
    for budget, part in zip(budgets, pairwise(bounds.tolist()), strict=True):
        own = max(1, int(proposals * (part[1] - part[0])))
        legs = Legs(own, control, part, problem.is_slow)
        schedule = Schedule.fit_for(problem, budget, enough=0, proposals=legs.about)
        stopped_by = yield from chains.walk(schedule, legs, control)
        solutions.append(without_needless(problem, chains.best_solution(), control, enough=0))
        if stopped_by is not None:
            break
    fewest = partial(min, key=itemgetter(1))  # at risk; of equals the first
    for place in range(len(solutions) - 1, 0, -1):
        less, _ = within_budget(problem, solutions[place][0], control, budgets[place - 1])
        less_deleted = without_needless(problem, less, control, enough=0)
        solutions[place - 1] = fewest(solutions[place - 1], less_deleted)
    for place in range(1, len(solutions)):
        solutions[place] = fewest(solutions[place], solutions[place - 1])
    points = [
        CurvePoint(budget, problem.edges_deleted_by(words), at_risk)
        for budget, (words, at_risk) in zip(budgets, solutions, strict=False)
    ]
    last = points[-1]
    yield Step(chains.legs, chains.proposals, last.at_risk, last.at_risk, len(last.deleted_edges))
    stopped = stopped_by or "converged"
    return Found(last.deleted_edges, last.at_risk, stopped, chains.proposals, curve=tuple(points))
