"""A search from beginning to end: check what is asked, run an algorithm, recount what it found."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from netveil.anonymity import Attackers
from netveil.errors import SettingError, is_whole, unknown_name
from netveil.iterate import finished, retold
from netveil.kernels.arrays import IntVector
from netveil.network import Network
from netveil.search.algorithm import Algorithm, Search
from netveil.search.algorithms import ALGORITHMS
from netveil.search.announce_cost import announce_cost
from netveil.search.budget import edges_allowed
from netveil.search.control import Control
from netveil.search.edge_order import edge_order
from netveil.search.limits import kept_limits, parsed_limits
from netveil.search.outcome import Outcome
from netveil.search.problem import Problem
from netveil.search.progress import CurvePoint, Found, Progress, Step
from netveil.search.target import parsed_target
from netveil.search.verify import check_allowed, check_count, check_followed, check_start
from netveil.search.warm_up import warm_up
from netveil.share import Share, percent

NOTHING: IntVector = np.empty(0, dtype=np.int64)


def search(network: Network, attackers: Attackers, *, control: Control, **options: Any) -> Outcome:
    """What `searching` returns; its progress goes to the control's listener."""
    return finished(searching(network, attackers, control=control, **options), control.listener)


def searching(
    network: Network,
    attackers: Attackers,
    *,
    budget: str | int | float | None,
    algorithm: str,
    config: str | Path | None,
    changes: Mapping[str, Any],
    seed: int,
    threads: int,
    control: Control,
    start: IntVector | None = None,
    keep: Mapping[str, Share] | None = None,
    protected: IntVector | None = None,
    target: Share | None = None,
    curve: bool = False,
) -> Generator[Progress, None, Outcome]:
    """Search with one algorithm, and recount what it found from scratch before anybody sees it.

    Never worse than deleting nothing, nor than deleting the edges `start`, if given and allowed. What is
    returned keeps every limit in `keep` (see LIMITS) and all edges of the numbers in `protected`. With a
    `target` share of k-anonymous nodes, reaching it comes first and deleting few edges next; without one, as
    few nodes as possible are to be at risk. Without a budget, 5% of the edges may go, or all with a target.
    """
    for name, value, least in (("threads", threads, 1), ("seed", seed, 0)):
        if not is_whole(value) or value < least:
            raise SettingError(f"{name} {value}: give a whole number, {least} or more.")
    chosen, run = _chosen(algorithm, curve)
    settings = chosen.settings(config, changes)
    share = None if target is None else parsed_target(target)
    to_stay = NOTHING if protected is None else np.unique(protected)
    problem = Problem(
        network,
        attackers.each,
        attackers.k,
        edges_allowed(budget, share is not None, network.edge_count),
        edge_order(network),
        known=start,
        keep=parsed_limits(keep or {}),
        protected_edges=to_stay,
        target=share,
    )
    if start is not None:
        check_start(problem, start)
    at_risk_before, unique_before = problem.recount(NOTHING)
    problem.prepare()
    warm_up(run, settings, attackers.each, problem.keep)
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
        found = yield from retold(steps, partial(_noted, control, history))
    seconds = control.seconds

    recounted = [(at_risk_before, unique_before, NOTHING)]
    for edges in (found.deleted_edges,) if start is None else (found.deleted_edges, start):
        recounted.append((*problem.recount(edges), edges))
    check_count(algorithm, problem, found.at_risk, recounted[1][0])
    check_allowed(algorithm, problem, found.deleted_edges, problem.budget)
    at_risk, unique, deleted_edges = min(
        recounted, key=lambda row: (max(row[0], problem.enough), len(row[2]))
    )
    return Outcome(
        algorithm=algorithm,
        settings=asdict(settings),
        attackers=replace(attackers, k=problem.k),
        seed=int(seed),
        budget=problem.budget,
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
        curve=_recounted_curve(algorithm, problem, found.curve),
        history=tuple(history),
    )


def check_effort(algorithm: str, settings: Mapping[str, Any]) -> None:
    """Raise if the algorithm has no such setting, or if it is given there already."""
    able = [name for name, each in ALGORITHMS.items() if hasattr(each.default, "effort")]
    if algorithm in ALGORITHMS and algorithm not in able:
        raise SettingError(
            f"algorithm {algorithm} has no effort; leave it out, or choose {', '.join(able)}. "
            f"time limits every algorithm."
        )
    if "effort" in settings:
        raise SettingError("effort is given twice, by itself and among the settings; give it once.")


def _chosen(algorithm: str, curve: bool) -> tuple[Algorithm, Search]:
    """The algorithm of this name, and its search for the whole budget or for a curve."""
    if algorithm not in ALGORITHMS:
        raise unknown_name("algorithm", algorithm, ALGORITHMS)
    chosen = ALGORITHMS[algorithm]
    if not curve:
        return chosen, chosen.search
    if chosen.curve is None:
        able = ", ".join(name for name, each in ALGORITHMS.items() if each.curve is not None)
        raise SettingError(f"algorithm {algorithm} has no curve; leave out the curve, or choose {able}.")
    return chosen, chosen.curve


def _noted(control: Control, history: list[Progress], step: Step) -> Progress:
    """A step of an algorithm with its time, added to the history; its best is kept now and then."""
    progress = Progress(control.seconds, *step[:-1])
    history.append(progress)
    if step.best is not None:
        control.keep(step.best)
    return progress


def _recounted_curve(
    algorithm: str, problem: Problem, points: Sequence[CurvePoint]
) -> tuple[CurvePoint, ...]:
    """The points of a curve, each checked and counted from scratch."""
    recounted = []
    for point in points:
        check_allowed(algorithm, problem, point.deleted_edges, point.budget)
        at_risk = problem.recount(point.deleted_edges)[0]
        check_count(algorithm, problem, point.at_risk, at_risk)
        recounted.append(replace(point, at_risk=at_risk))
    return tuple(recounted)
