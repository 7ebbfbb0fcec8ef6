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

from dataclasses import replace

import numpy as np

from netveil.progress import retold
from netveil.search.algorithm import Algorithm, Work
from netveil.search.annealing.around_risk import annealing_around_risk, is_searched_around
from netveil.search.annealing.chains import Allowance, Chains
from netveil.search.annealing.curve import EFFORT, annealing_curve
from netveil.search.annealing.targets import Annealing, chains_of, proposals_of, walk_and_trim
from netveil.search.annealing.walk import WARM
from netveil.search.control import Control, CurvePoint, Found, Step, Steps, StopReason
from netveil.search.problem import Problem

LEGS_BETWEEN_HALVINGS = 50  # of a walk that takes some 200: sooner, all are too hot to compare


def annealing(
    problem: Problem, settings: Annealing, rng: np.random.Generator, control: Control, threads: int
) -> Steps:
    """Anneal several chains; return the best solution met, with needless deletions restored."""
    if is_searched_around(problem):
        return (yield from annealing_around_risk(problem, settings, rng, control, threads))
    chains = Chains(problem, chains_of(settings, control, threads), rng, threads, problem.known)
    control.start()
    work = Allowance(proposals_of(settings, problem), control, problem.is_slow)
    first = 0.0 if problem.known is None else WARM
    return (yield from walk_and_trim(problem, chains, work, control, first))


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


def work_of(problem: Problem, settings: Annealing) -> Work:
    """Work of an annealing: each proposal is tried, and mostly undone."""
    return Work(2 * settings.chains * proposals_of(settings, problem), edges=2, is_least=False)


ANNEALING = Algorithm(
    name="annealing",
    search=annealing,
    curve=annealing_with_curve,
    default=Annealing(),
    work=work_of,
    grid={"effort": (0.25, 0.5, 1.0), "chains": (1, 2, 4)},
    steps_between_halvings=lambda tried: LEGS_BETWEEN_HALVINGS,
    restricts=is_searched_around,
)
