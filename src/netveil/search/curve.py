"""The whole trade-off in one run: nodes at risk against edges deleted, from little of the budget to all.

The chains walk at the smallest budget first. Then the budget grows step by step, and at each they go on from
where they are, warmed up a little: what was good for 1% of the edges is a good start for 1.5%.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from netveil.search.annealing import Chains, proposals_of
from netveil.search.control import Control
from netveil.search.finish import without_needless
from netveil.search.outcome import CurvePoint, Found
from netveil.search.pace import Pace
from netveil.search.problem import Problem
from netveil.search.schedule import Schedule
from netveil.search.settings import Annealing

PERCENT = ("0.25", "0.5", "0.75", "1", "1.5", "2", "3", "4", "5", "7.5", "10", "15", "20", "30", "50", "75")
EFFORT = 2  # times that of a search for the whole budget


def budgets_on_the_way(budget: int, edges: int) -> list[int]:
    """The budgets of the points, in edges, ascending; the whole budget is the last."""
    shares = [int(Fraction(percent) / 100 * edges) for percent in PERCENT]
    return sorted({share for share in shares if 0 < share < budget} | {budget})


def annealing_curve(
    problem: Problem, settings: Annealing, rng: np.random.Generator, control: Control, threads: int
) -> Found:
    """A solution for each part of the budget, and for all of it."""
    chains = Chains(problem, settings.chains, rng, threads)
    at_risk = chains.best.at_risk
    control.record(0, 0, at_risk, at_risk, 0)
    budgets = budgets_on_the_way(problem.budget, problem.edge_count)
    proposals = max(1, EFFORT * proposals_of(settings, problem) // len(budgets))
    points: list[CurvePoint] = []
    stopped_by = None
    for number, budget in enumerate(budgets):
        part = (number / len(budgets), (number + 1) / len(budgets))
        schedule = Schedule.warmed_up(problem, budget)
        stopped_by = chains.walk(schedule, Pace(proposals, control, part), control)
        solution, at_risk = without_needless(problem, chains.best_solution())
        points.append(CurvePoint(budget, problem.edges_deleted_by(solution), at_risk))
        if stopped_by is not None:
            break
    last = points[-1]
    control.record(chains.legs, chains.proposals, last.at_risk, last.at_risk, len(last.deleted_edges))
    return Found(
        last.deleted_edges, last.at_risk, stopped_by or "converged", chains.proposals, curve=tuple(points)
    )
