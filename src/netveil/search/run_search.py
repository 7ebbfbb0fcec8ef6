"""A search from beginning to end: check the job, run an algorithm, recount its result.

choose the algorithm and its settings, and put what is asked into a `Problem`
    check that it fits into memory, count who is at risk at first, set up arrays
    search a tiny network, so that all is compiled
    start the clock, run the algorithm, look through all deletions that could be better if they are few
    (where all deletions are few, nothing is searched before)
    recount what was found from scratch, and check budget, limits and protected edges

A search that miscounted or broke a limit raises AssertionError: nothing wrong is ever returned.
"""

from __future__ import annotations

import secrets
from collections.abc import Generator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from netveil.anonymity import Attackers, checked_k
from netveil.anonymity.measure import OwnMeasure
from netveil.attributes import Attributes
from netveil.files import protected_edges
from netveil.formatting import percent
from netveil.job import Anonymization, in_option
from netveil.kernels.arrays import IntVector
from netveil.network import Network, in_label_order, label_order
from netveil.progress import finished, heard_by, retold
from netveil.registries import ALGORITHMS, DEFAULT_ALGORITHM
from netveil.search.algorithm import Algorithm, Search, Settings
from netveil.search.budget import asked_share, edges_allowed, parsed_target
from netveil.search.control import Control, CurvePoint, Found, Progress, StopReason, Underway, undominated
from netveil.search.finishing import (
    MOST_SETS,
    Looked,
    can_be_looked_through,
    looked_through,
    sets_looked_at_once,
)
from netveil.search.limit import LimitKept, kept_limits, parsed_limits
from netveil.search.problem import Problem, check_memory, edge_order
from netveil.search.recount import check_allowed, check_count, check_followed, check_start, checked_start
from netveil.threads import available_cores

NOTHING: IntVector = np.empty(0, dtype=np.int64)
LEAVES = 8  # of the star: with its budget a curve has two points
BUDGET = 2
HUB_AND_LEAVES = OwnMeasure(lambda network: [1] + [0] * (network.node_count - 1), "hub and leaves")
"""Measure by which the hub of a star is unique and its leaves are alike, whatever is deleted."""


def warm_up(search: Search | None, settings: Settings, real: Problem, looks: bool) -> None:
    """Search briefly on a star, whose hub is always unique: compiles all that the real search needs.

    And, if it `looks` through other deletions afterwards, what that needs. None searches for nothing.

    A user's own measure may know the people of its own network only, so another stands in for it.
    """
    star = Network.from_numbered_edges([(0, leaf) for leaf in range(1, LEAVES + 1)], LEAVES + 1)
    equal = {name: [0] * star.node_count for name in real.attackers[0].known}
    star = replace(star, attributes=Attributes(equal))
    attackers = tuple(
        replace(each, measure=HUB_AND_LEAVES) if isinstance(each.measure, OwnMeasure) else each
        for each in real.attackers
    )
    order = edge_order(star)
    problem = Problem(
        star, attackers, k=2, budget=BUDGET, edge_order=order, keep=real.keep, guided=real.guided
    )
    deleted_edges, at_risk = NOTHING, star.node_count
    if search is not None:
        found = finished(search(problem, settings.brief(), np.random.default_rng(0), Control(), 1))
        deleted_edges, at_risk = found.deleted_edges, found.at_risk
    if looks:
        looked_through(problem, deleted_edges, at_risk, Control())


def random_seed() -> int:
    """A seed for a run that was given none; its record keeps it."""
    return secrets.randbits(32)


@dataclass(frozen=True, eq=False)
class Outcome:
    """A solution of the anonymization problem, recounted from scratch, with all that led to it."""

    algorithm: str
    settings: dict[str, Any]
    attackers: Attackers
    seed: int
    budget: int  # in edges
    budget_asked: str | None  # the share that it stands for, '5%'; None if a number of edges was given
    deleted_edges: IntVector
    at_risk_before: int
    at_risk_after: int
    unique_before: int
    unique_after: int
    objective: int
    evaluations: int
    generations: int | None
    seconds: float
    stopped_by: StopReason
    resumed: bool  # whether it went on from a solution known beforehand
    limits: tuple[LimitKept, ...]  # what was to be kept, measured from scratch
    protected_edges: IntVector  # numbers of the edges that were to stay
    target: str | None  # the share of k-anonymous nodes that was to be reached, if any: '95%'
    enough: int  # nodes at risk that were few enough: 0 without a target
    curve: tuple[CurvePoint, ...]  # solutions for parts of the budget, recounted, if they were asked for
    history: tuple[Progress, ...]
    asked: Mapping[str, Any]  # the job, as a document
    whole_budget: int | None = None  # of a point of a curve: the budget of the search, in edges
    least: bool = False  # whether fewer deletions, or fewer at risk within the budget, were shown impossible

    @property
    def k(self) -> int:
        """Number of nodes that must look alike."""
        return self.attackers.k


Recounted: TypeAlias = tuple[int, int, IntVector]
"""Nodes at risk, unique nodes, and the edges whose deletion leaves so many."""
COUNTED = 0.3  # share of setting up that is done when those at risk are counted, about


def check_fits(job: Anonymization, nodes: int, edges: int) -> None:
    """Raise OptionError for an option that cannot be, or does not fit a network of this size."""
    job.check()
    with in_option("k"):
        checked_k(job.attackers.k, nodes)
    with in_option("budget"):
        edges_allowed(job.budget, job.target is not None, edges)


def by_labels(network: Network) -> tuple[Network, IntVector | None]:
    """The network with nodes in the order of their labels, and the number that each edge had, if another."""
    ordered = in_label_order(network)
    if ordered is network:
        return network, None
    ends = np.sort(np.argsort(label_order(network.labels))[network.edges], axis=1)
    return ordered, np.lexsort((ends[:, 1], ends[:, 0]))


def searching(
    network: Network, job: Anonymization, control: Control, start: IntVector | None = None
) -> Generator[Underway, None, Outcome]:
    """Search with one algorithm, and recount what it found from scratch before anybody sees it.

    Never worse than deleting nothing, nor than deleting the edges to start from, if given and allowed. What
    is returned keeps every limit and all protected edges. With a target share of k-anonymous nodes, reaching
    it comes first and deleting few edges next; without one, as few nodes as possible are to be at risk.

    The search sees nodes in the order of their labels, so that neither the order of nodes nor that of edges
    in a file decides what is found. A user's own measure may know nodes by their numbers, which stay then.
    """
    job.check()
    if job.time is not None:
        control.time_limit = float(job.time)
    chosen, run, settings = _chosen(job)
    seed = random_seed() if job.seed is None else int(job.seed)
    threads = available_cores() if job.threads is None else int(job.threads)
    problem, at_risk_before, unique_before = _set_up(network, job, start, control)
    looks = _may_look_through(job) and can_be_looked_through(problem)
    sets = sets_looked_at_once(problem) if looks and not job.curve else 0
    warm_up(None if sets else run, settings, problem, looks)
    check_followed(problem)

    control.start()
    history: list[Progress] = []
    found = _found_without_search(problem, at_risk_before, sets)
    if found is None:
        steps = run(problem, settings, np.random.default_rng(seed), control, threads)
        found = yield from retold(steps, partial(control.noted, history, at_risk_before, problem.enough))
    looked = looked_through(problem, found.deleted_edges, found.at_risk, control, MOST_SETS if looks else 0)
    seconds = control.seconds
    if sets and not looked.least and found.stopped_by == "converged":
        found = replace(found, stopped_by="interrupted")

    (at_risk, unique, deleted_edges), curve = _best_recounted(
        job.algorithm, problem, found, looked, (at_risk_before, unique_before, NOTHING)
    )
    # Surroundings that are hard to tell apart may look alike to a search: then nothing was shown.
    as_looked = problem.rank(at_risk, deleted_edges) == problem.rank(looked.at_risk, looked.deleted_edges)
    return Outcome(
        algorithm=job.algorithm,
        settings=asdict(settings),
        attackers=replace(job.attackers, k=problem.k),
        seed=seed,
        budget=problem.budget,
        budget_asked=asked_share(job.budget, problem.target is not None),
        deleted_edges=deleted_edges,
        at_risk_before=at_risk_before,
        at_risk_after=at_risk,
        unique_before=unique_before,
        unique_after=unique,
        objective=problem.objective(at_risk, len(deleted_edges)),
        evaluations=found.evaluations,
        generations=(history[-1].step if history else 0) if chosen.counts_generations else None,
        seconds=seconds,
        stopped_by=found.stopped_by,
        resumed=start is not None,
        limits=kept_limits(problem.keep, problem.network, problem.without(deleted_edges)),
        protected_edges=NOTHING if problem.protected_edges is None else problem.protected_edges,
        target=None if problem.target is None else percent(problem.target),
        enough=problem.enough,
        curve=curve,
        history=tuple(history),
        asked={**job.to_document(), "seed": seed},
        least=looked.least and as_looked,
    )


def _found_without_search(problem: Problem, at_risk: int, sets: int) -> Found | None:
    """Result of deleting nothing, where no search is needed or all `sets` of edges are tried afterwards."""
    if at_risk <= problem.enough:
        return Found(NOTHING, at_risk, "solved", evaluations=1)
    if problem.budget == 0 or problem.protected.all():
        return Found(NOTHING, at_risk, "budget", evaluations=1)
    return Found(NOTHING, at_risk, "converged", evaluations=sets) if sets else None


def _may_look_through(job: Anonymization) -> bool:
    """Whether all deletions may be looked through afterwards.

    What the paper's algorithms find is left as they found it, for comparison. The points of a curve are as
    they were found too, but a target is reached with as few deletions as without one.
    """
    return job.algorithm == DEFAULT_ALGORITHM and not (job.curve and job.target is None)


def _chosen(job: Anonymization) -> tuple[Algorithm, Search, Settings]:
    """The algorithm of a job, its search for the whole budget or for a curve, and its settings."""
    chosen, changes = ALGORITHMS[job.algorithm], dict(job.settings)
    if job.effort is not None:
        changes["effort"] = job.effort
    search = chosen.curve if job.curve else chosen.search
    assert search is not None, "the job was checked"
    return chosen, search, chosen.settings(job.config, changes)


def _set_up(
    network: Network, job: Anonymization, start: IntVector | None, control: Control
) -> tuple[Problem, int, int]:
    """Set up the problem that is asked for; also count nodes at risk and unique nodes before the search."""
    protected = NOTHING if job.protect is None else job.protect
    if not isinstance(protected, np.ndarray):
        protected = protected_edges(network, protected)
    numbers, own = None, any(isinstance(attacker.measure, OwnMeasure) for attacker in job.attackers.each)
    if not own and not _chosen(job)[2].keeps_order:
        network, numbers = by_labels(network)
    target = None if job.target is None else parsed_target(job.target)
    problem = Problem(
        network,
        job.attackers.each,
        job.attackers.k,
        edges_allowed(job.budget, target is not None, network.edge_count),
        np.arange(network.edge_count, dtype=network.edges.dtype),
        known=None if start is None else checked_start(start, network.edge_count),
        keep=parsed_limits(job.keep),
        protected_edges=np.unique(protected),
        target=target,
        numbers=numbers,
    )
    if problem.known is not None:
        check_start(problem, problem.known)
    in_part = ALGORITHMS[job.algorithm].restricts(problem)
    check_memory(network, in_part=in_part)
    with heard_by(lambda share: control.watcher.prepare("counting who is at risk", COUNTED * share)):
        if in_part:
            at_risk, unique = (problem.at_first.below(least) for least in (problem.k, 2))
        else:
            at_risk, unique = problem.recount(NOTHING)
    control.watcher.prepare("arranging what the search looks at", COUNTED)
    if not in_part:
        problem = replace(problem, edge_order=edge_order(network))
        problem.prepare()
    return problem, at_risk, unique


def _best_recounted(
    algorithm: str, problem: Problem, found: Found, looked: Looked, unchanged: Recounted
) -> tuple[Recounted, tuple[CurvePoint, ...]]:
    """The best of the solutions, the one to start from and deleting nothing, and the curve with it.

    Each solution is checked and counted from scratch. Of equals the first is released, and the release is to
    be a point of the curve: so its points come first.
    """
    solutions = [*found.curve, CurvePoint(problem.budget, found.deleted_edges, found.at_risk)]
    if looked.deleted_edges is not found.deleted_edges:
        solutions.append(CurvePoint(problem.budget, looked.deleted_edges, looked.at_risk))
    recounted: list[Recounted] = []
    for solution in solutions:
        recounted.append((*problem.recount(solution.deleted_edges), solution.deleted_edges))
        check_count(algorithm, problem, solution.at_risk, recounted[-1][0])
        check_allowed(algorithm, problem, solution.deleted_edges, solution.budget)
    curve = [replace(point, at_risk=row[0]) for point, row in zip(found.curve, recounted, strict=False)]
    if problem.known is not None:
        recounted.append((*problem.recount(problem.known), problem.known))
    recounted.append(unchanged)
    # Of those that reach a target with equal deletions, the one with the fewest at risk is on the curve.
    best = min(recounted, key=lambda row: (problem.rank(row[0], row[2]), row[0]))
    if curve and all(point.deleted_edges is not best[2] for point in curve):
        curve.append(CurvePoint(max(1, len(best[2])), best[2], best[0]))
    return best, undominated(curve)
