"""A search from beginning to end: check what is asked, run an algorithm, recount what it found."""

from __future__ import annotations

import secrets
from collections.abc import Generator
from dataclasses import asdict, replace
from functools import partial

import numpy as np

from netveil.cores import available_cores
from netveil.errors import SettingError, is_whole, unknown_name
from netveil.files import Protect, protected_edges
from netveil.iterate import retold
from netveil.kernels.arrays import IntVector
from netveil.listening import heard_by
from netveil.network import Network
from netveil.search.algorithm import Algorithm, Search
from netveil.search.algorithms import ALGORITHMS, DEFAULT_ALGORITHM
from netveil.search.announce_cost import announce_cost, announce_setting_up
from netveil.search.budget import asked_share, edges_allowed, parsed_target
from netveil.search.control import Control, checked_time
from netveil.search.edge_order import edge_order
from netveil.search.exhaustive import MOST_SETS, can_be_looked_through, looked_through
from netveil.search.limits.keep_limits import kept_limits, parsed_limits
from netveil.search.memory import check_memory
from netveil.search.outcome import Outcome
from netveil.search.problem import Problem
from netveil.search.progress import CurvePoint, Found, Progress, Step, Underway, undominated
from netveil.search.request import Request
from netveil.search.settings import Settings
from netveil.search.verify import check_allowed, check_count, check_followed, check_start
from netveil.search.warm_up import warm_up
from netveil.share import percent

NOTHING: IntVector = np.empty(0, dtype=np.int64)
COUNTED = 0.3  # share of setting up that is done when those at risk are counted, about


def searching(network: Network, request: Request, control: Control) -> Generator[Underway, None, Outcome]:
    """Search with one algorithm, and recount what it found from scratch before anybody sees it.

    Never worse than deleting nothing, nor than deleting the edges to start from, if given and allowed. What
    is returned keeps every limit and all protected edges. With a target share of k-anonymous nodes, reaching
    it comes first and deleting few edges next; without one, as few nodes as possible are to be at risk.
    """
    if request.time is not None:
        control.time_limit = checked_time(request.time)
    chosen, run, settings = _chosen(request)
    seed = secrets.randbits(32) if request.seed is None else request.seed
    threads = available_cores() if request.threads is None else request.threads
    for name, value, least in (("threads", threads, 1), ("seed", seed, 0)):
        if not is_whole(value) or value < least:
            raise SettingError(f"{name} {value}: give a whole number, {least} or more.")
    share = None if request.target is None else parsed_target(request.target)
    to_stay, start = _numbers(network, request.protect), request.start
    problem = Problem(
        network,
        request.attackers.each,
        request.attackers.k,
        edges_allowed(request.budget, share is not None, network.edge_count),
        np.arange(network.edge_count, dtype=network.edges.dtype),
        known=start,
        keep=parsed_limits(request.keep),
        protected_edges=to_stay,
        target=share,
    )
    if start is not None:
        check_start(problem, start)
    in_part = chosen.takes_excerpt(problem, settings)
    check_memory(network, in_part=in_part)
    announce_setting_up(network, control)
    counting = "counting who is at risk"
    with heard_by(lambda share: control.preparing(counting, COUNTED * share)):
        if in_part:
            at_risk_before, unique_before = (problem.at_first.below(least) for least in (problem.k, 2))
        else:
            at_risk_before, unique_before = problem.recount(NOTHING)
    control.preparing("arranging what the search looks at", COUNTED)
    if not in_part:
        problem = replace(problem, edge_order=edge_order(network))
        problem.prepare()
    # What the paper's algorithms find is left as they found it, for comparison. The points of a curve are as
    # they were found too, but a target is reached with as few deletions as without one.
    is_left_as_found = request.algorithm != DEFAULT_ALGORITHM or (request.curve and share is None)
    looks = not is_left_as_found and can_be_looked_through(problem)
    warm_up(run, settings, request.attackers.each, problem.keep, looks)
    check_followed(problem)
    announce_cost(problem, chosen.work(problem, settings), threads, control)

    control.start()
    history: list[Progress] = []
    if at_risk_before <= problem.enough:
        found = Found(NOTHING, at_risk_before, "solved", evaluations=1)
    elif problem.budget == 0 or len(to_stay) == network.edge_count:
        found = Found(NOTHING, at_risk_before, "budget", evaluations=1)
    else:
        steps = run(problem, settings, np.random.default_rng(seed), control, threads)
        found = yield from retold(steps, partial(_noted, control, history, at_risk_before, problem.enough))
    looked = looked_through(problem, found.deleted_edges, found.at_risk, control, MOST_SETS if looks else 0)
    seconds = control.seconds

    # The points of a curve first: of equals the first is released, and the release is to be one of them.
    solutions = [*found.curve, CurvePoint(problem.budget, found.deleted_edges, found.at_risk)]
    if looked.deleted_edges is not found.deleted_edges:
        solutions.append(CurvePoint(problem.budget, looked.deleted_edges, looked.at_risk))
    recounted = []
    for solution in solutions:
        recounted.append((*problem.recount(solution.deleted_edges), solution.deleted_edges))
        check_count(request.algorithm, problem, solution.at_risk, recounted[-1][0])
        check_allowed(request.algorithm, problem, solution.deleted_edges, solution.budget)
    if start is not None:
        recounted.append((*problem.recount(start), start))
    recounted.append((at_risk_before, unique_before, NOTHING))
    at_risk, unique, deleted_edges = min(recounted, key=lambda row: problem.rank(row[0], row[2]))
    curve = [replace(point, at_risk=row[0]) for point, row in zip(found.curve, recounted, strict=False)]
    if curve and all(point.deleted_edges is not deleted_edges for point in curve):
        curve.append(CurvePoint(max(1, len(deleted_edges)), deleted_edges, at_risk))
    # Surroundings that are hard to tell apart may look alike to a search: then nothing was shown.
    as_looked = problem.rank(at_risk, deleted_edges) == problem.rank(looked.at_risk, looked.deleted_edges)
    return Outcome(
        algorithm=request.algorithm,
        settings=asdict(settings),
        attackers=replace(request.attackers, k=problem.k),
        seed=int(seed),
        budget=problem.budget,
        budget_asked=asked_share(request.budget, share is not None),
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
        limits=kept_limits(problem.keep, network, network.without_edges(deleted_edges)),
        protected_edges=to_stay,
        target=None if share is None else percent(share),
        enough=problem.enough,
        curve=undominated(curve),
        history=tuple(history),
        least=looked.least and as_looked,
    )


def _chosen(request: Request) -> tuple[Algorithm, Search, Settings]:
    """The algorithm that is asked for, its search for the whole budget or for a curve, and its settings."""
    name, changes = request.algorithm, dict(request.settings)
    if name not in ALGORITHMS:
        raise unknown_name("algorithm", name, ALGORITHMS)
    chosen = ALGORITHMS[name]
    if request.effort is not None:
        if not hasattr(chosen.default, "effort"):
            able = ", ".join(other for other in ALGORITHMS if hasattr(ALGORITHMS[other].default, "effort"))
            raise SettingError(
                f"algorithm {name} has no effort; leave it out, or choose {able}. "
                f"time limits every algorithm."
            )
        if "effort" in changes:
            raise SettingError("effort is given twice, by itself and among the settings; give it once.")
        changes["effort"] = request.effort
    search = chosen.curve if request.curve else chosen.search
    if search is None:
        able = ", ".join(other for other, each in ALGORITHMS.items() if each.curve is not None)
        raise SettingError(f"algorithm {name} has no curve; leave out the curve, or choose {able}.")
    return chosen, search, chosen.settings(request.config, changes)


def _numbers(network: Network, protect: Protect | IntVector | None) -> IntVector:
    """The numbers of the edges that must stay, ascending."""
    if protect is None:
        return NOTHING
    return np.unique(protect if isinstance(protect, np.ndarray) else protected_edges(network, protect))


def _noted(control: Control, history: list[Progress], at_first: int, enough: int, step: Step) -> Underway:
    """A step of an algorithm with its time, added to the history; its best is kept now and then."""
    progress = Progress(
        control.seconds, step.number, step.evaluations, step.objective, step.at_risk, step.deleted
    )
    history.append(progress)
    if step.best is not None:
        control.keep(step.best)
    return Underway(**vars(progress), at_first=at_first, enough=enough, share=step.share)
