"""A search from beginning to end: check what is asked, run an algorithm, recount what it found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from netveil.anonymity import Attacker
from netveil.errors import SettingError, is_whole, unknown_name
from netveil.kernels.arrays import IntVector
from netveil.network import Network
from netveil.search.algorithms import ALGORITHMS
from netveil.search.announce_cost import announce_cost
from netveil.search.budget import edges_allowed
from netveil.search.control import Control
from netveil.search.edge_order import edge_order
from netveil.search.limits import Share, limits_kept, parsed
from netveil.search.outcome import Found, Outcome
from netveil.search.problem import Problem
from netveil.search.settings import to_dict
from netveil.search.target import parsed_target
from netveil.search.verify import check_allowed, check_count, check_followed, check_start
from netveil.search.warm_up import rehearse
from netveil.share import percent


def check_effort(algorithm: str, settings: Mapping[str, Any]) -> None:
    """Raise if the algorithm has no such setting, or if it is given there already."""
    able = [each.name for each in ALGORITHMS.values() if hasattr(each.default, "effort")]
    if algorithm in ALGORITHMS and algorithm not in able:
        raise SettingError(
            f"algorithm {algorithm} has no effort; leave it out, or choose {', '.join(able)}. "
            f"time limits every algorithm."
        )
    if "effort" in settings:
        raise SettingError("effort is given twice, by itself and among the settings; give it once.")


def search(
    network: Network,
    attackers: tuple[Attacker, ...],
    *,
    k: int,
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
) -> Outcome:
    """Search with one algorithm, and recount what it found from scratch before anybody sees it.

    Never worse than deleting nothing, nor than deleting the edges `start`, if given and allowed. What is
    returned keeps every limit in `keep` (see LIMITS) and all edges of the numbers in `protected`. With a
    `target` share of k-anonymous nodes, reaching it comes first and deleting few edges next; without one, as
    few nodes as possible are to be at risk. Without a budget, 5% of the edges may go, or all with a target.
    """
    if algorithm not in ALGORITHMS:
        raise unknown_name("algorithm", algorithm, ALGORITHMS)
    for name, value, least in (("threads", threads, 1), ("seed", seed, 0)):
        if not is_whole(value) or value < least:
            raise SettingError(f"{name} {value}: give a whole number, {least} or more.")
    chosen = ALGORITHMS[algorithm]
    settings = chosen.settings(config, changes)
    run = chosen.curve if curve else chosen.run
    if run is None:
        able = ", ".join(each.name for each in ALGORITHMS.values() if each.curve is not None)
        raise SettingError(f"algorithm {algorithm} has no curve; leave out the curve, or choose {able}.")
    share = None if target is None else parsed_target(target)
    allowed = edges_allowed(budget, share is not None, network.edge_count)
    shares = parsed(keep or {})
    nothing = np.empty(0, dtype=np.int64)
    to_stay = nothing if protected is None else np.unique(protected)
    problem = Problem(network, attackers, k, allowed, edge_order(network), start, shares, to_stay, share)
    if start is not None:
        check_start(problem, start)
    at_risk_before, unique_before = problem.recount(nothing)
    problem.prepare()
    rehearse(run, settings, attackers, shares)
    check_followed(problem)
    announce_cost(problem, settings, threads, control)
    control.start()
    if at_risk_before <= problem.enough:
        found = Found(nothing, at_risk_before, "solved", 1, chosen.generations_at_start)
    elif allowed == 0 or len(to_stay) == network.edge_count:
        found = Found(nothing, at_risk_before, "budget", 1, chosen.generations_at_start)
    else:
        found = run(problem, settings, np.random.default_rng(seed), control, threads)
    seconds = control.seconds
    recounted = [(at_risk_before, unique_before, nothing)]
    for edges in (found.deleted_edges,) if start is None else (found.deleted_edges, start):
        recounted.append((*problem.recount(edges), edges))
    check_count(algorithm, problem, found.at_risk, recounted[1][0])
    check_allowed(algorithm, problem, found.deleted_edges, allowed)
    at_risk, unique, deleted_edges = min(
        recounted, key=lambda row: (max(row[0], problem.enough), len(row[2]))
    )
    curve_points = []
    for point in found.curve:
        check_allowed(algorithm, problem, point.deleted_edges, point.budget)
        counted = problem.recount(point.deleted_edges)[0]
        check_count(algorithm, problem, point.at_risk, counted)
        curve_points.append(replace(point, at_risk=counted))
    return Outcome(
        algorithm=algorithm,
        settings=to_dict(settings),
        attackers=attackers,
        k=problem.k,
        seed=int(seed),
        budget=allowed,
        deleted_edges=deleted_edges,
        at_risk_before=at_risk_before,
        at_risk_after=at_risk,
        unique_before=unique_before,
        unique_after=unique,
        objective=problem.objective(at_risk, len(deleted_edges)),
        evaluations=found.evaluations,
        generations=found.generations,
        seconds=seconds,
        stopped_by=found.stopped_by,
        resumed=start is not None,
        limits=limits_kept(shares, network, network.without_edges(deleted_edges)),
        protected_edges=to_stay,
        target=None if share is None else percent(share),
        enough=problem.enough,
        curve=tuple(curve_points),
        history=tuple(control.history),
    )
