"""Simulated annealing on exact and coarser states: what `anonymize` does unless asked otherwise.

    start each chain from the whole network, hot
    while there is time:
        propose to delete an edge, to restore one, or both
        accept what leaves fewer nodes at risk, at all levels of coarseness; what is worse, the more rarely
            the worse it is and the colder it has become
        let the temperature fall, and with it the weight of the coarser levels
    keep the best of all chains, and restore what it need not delete

docs/search.md explains why, and what was tried and did not help.
"""

from __future__ import annotations

import numpy as np

from netveil.search.algorithm import Algorithm, Work
from netveil.search.annealing.chains import Chains
from netveil.search.annealing.curve import annealing_curve
from netveil.search.annealing.legs import Legs
from netveil.search.annealing.longer import TENFOLD
from netveil.search.annealing.schedule import Schedule
from netveil.search.annealing.settings import Annealing, proposals_of
from netveil.search.annealing.target_budgets import climb
from netveil.search.control import Control
from netveil.search.problem import Problem
from netveil.search.progress import Found, Step, Steps
from netveil.search.repair_and_prune import without_needless

LEGS_BETWEEN_HALVINGS = 50  # of a walk that takes some 200: sooner, all are too hot to compare


def annealing(
    problem: Problem, settings: Annealing, rng: np.random.Generator, control: Control, threads: int
) -> Steps:
    """Anneal several chains; the best solution that any of them met, without what it need not delete."""
    chains = Chains(problem, settings.chains, rng, threads, problem.known)
    control.start()
    yield chains.step()
    proposals = proposals_of(settings, problem)
    if problem.target is not None:
        stopped_by = yield from climb(problem, chains, proposals, control)
    else:
        known = problem.known is not None
        schedule = Schedule.warmed_up(problem) if known else Schedule.fit_for(problem, problem.budget)
        legs = Legs(proposals, control, slow=problem.is_slow)
        stopped_by = yield from chains.walk(schedule, legs, control)
    solution, at_risk = without_needless(problem, chains.best_solution(), control)
    deleted_edges = problem.edges_deleted_by(solution)
    yield Step(chains.legs, chains.proposals, at_risk, at_risk, len(deleted_edges))
    return Found(deleted_edges, at_risk, stopped_by or "converged", chains.proposals)


def work_of(problem: Problem, settings: Annealing) -> Work:
    """Each proposal is tried, and mostly undone."""
    return Work(2 * settings.chains * proposals_of(settings, problem), edges=2, is_least=False)


ANNEALING = Algorithm(
    name="annealing",
    search=annealing,
    curve=annealing_curve,
    default=Annealing(),
    work=work_of,
    grid={"effort": (0.25, 0.5, 1.0), "chains": (1, 2, 4)},
    steps_between_halvings=lambda tried: LEGS_BETWEEN_HALVINGS,
    tenfold=TENFOLD,
)
