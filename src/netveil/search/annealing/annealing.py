"""Simulated annealing with a potential, the gap to lookalikes: what `anonymize` does unless asked otherwise.

    start each chain from the whole network, hot
    while there is time:
        propose to delete an edge, to restore one, or both
        accept what brings those at risk closer to lookalikes; what is worse, the more rarely the worse it is
            and the colder it has become
        let the temperature fall, and gaps count less and less, until only who is at risk counts
        now and then, let all chains go on from where the best stands
    keep the best of all chains, look for fewer deletions, and restore what need not be deleted

docs/search.md explains why, and what was tried and did not help.
"""

from __future__ import annotations

import numpy as np

from netveil.search.algorithm import Algorithm, Work
from netveil.search.annealing.chains import Chains
from netveil.search.annealing.curve import annealing_curve
from netveil.search.annealing.fewer_deletions import climb, cut_down
from netveil.search.annealing.legs import Allowance
from netveil.search.annealing.longer import TENFOLD
from netveil.search.annealing.schedule import WARM, Schedule
from netveil.search.annealing.settings import Annealing, proposals_of
from netveil.search.control import Control
from netveil.search.problem import Problem
from netveil.search.progress import Found, Step, Steps
from netveil.search.repair_and_prune import without_needless

TRIMMING = 0.03  # share of the work that is kept for finding as few at risk with fewer deletions
TRIMMING_IF_SMALL, SMALL = 0.5, 5_000  # the same where there are hardly any edges; so many are not few
LEGS_BETWEEN_HALVINGS = 50  # of a walk that takes some 200: sooner, all are too hot to compare


def annealing(
    problem: Problem, settings: Annealing, rng: np.random.Generator, control: Control, threads: int
) -> Steps:
    """Anneal several chains; the best solution that any of them met, without what it need not delete."""
    chains = Chains(problem, settings.chains, rng, threads, problem.known)
    control.start()
    yield chains.step()
    work = Allowance(proposals_of(settings, problem), control, problem.is_slow)
    if problem.target is not None:
        stopped_by = yield from climb(problem, chains, work, control)
    else:
        first = 0.0 if problem.known is None else WARM
        schedule = Schedule.fit_for(problem, problem.budget, problem.enough, first)
        stopped_by = yield from chains.walk(schedule, work.walk(1.0 - trimming_of(problem)), control)
    if stopped_by is None or stopped_by == "solved":
        cut_off = yield from cut_down(problem, chains, work, control)
        stopped_by = cut_off or stopped_by
    solution, at_risk = without_needless(problem, chains.best_solution(), control)
    deleted_edges = problem.edges_deleted_by(solution)
    yield Step(chains.legs, chains.proposals, at_risk, at_risk, len(deleted_edges), share=1.0)
    return Found(deleted_edges, at_risk, stopped_by or "converged", chains.proposals)


def trimming_of(problem: Problem) -> float:
    """Share of the work that is kept for fewer deletions: a small network is soon searched."""
    smallness = max(0.0, 1.0 - problem.edge_count / SMALL)
    return TRIMMING + (TRIMMING_IF_SMALL - TRIMMING) * smallness


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
