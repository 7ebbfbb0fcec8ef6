"""How long a search will take, said beforehand where each solution takes long to judge."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from netveil.network import Network
from netveil.search.algorithm import Work
from netveil.search.control import Control
from netveil.search.problem import Problem
from netveil.words import duration

SECONDS_OF_TRIAL = 0.2
MOST_TRIALS = 50
FEW = 100  # solutions in all the time there is: too few to find much
LARGE = 1_000_000  # edges: so many take seconds to set up
SECONDS_TO_SET_UP, BYTES_TO_SET_UP = 7e-7, 100  # an edge, of one core: docs/scale.md, rounded up
WORTH_TELLING = 5.0  # seconds of a search: whoever has to wait longer wants to know


def announce_cost(problem: Problem, work: Work, threads: int, control: Control) -> None:
    """Say how long the search will take, unless that is short or states are sums that follow at once."""
    if problem.linear_weights is not None:
        return
    solutions, edges, is_least = work
    each = seconds_a_solution(problem, edges, control.clock)
    at_once = 1 if problem.followers else min(threads, solutions)
    total = each * solutions / at_once
    limit = control.time_limit
    few = limit is not None and limit < FEW * each
    if not few and min(total, np.inf if limit is None else limit) < WORTH_TELLING:
        return
    measures = " + ".join(attacker.name for attacker in problem.attackers)
    told = f"{measures}: about {duration(each)} for each solution tried"
    if limit is not None and limit < total:
        control.announce(
            f"{told}, so about {int(limit / each * at_once):,} within the time of {duration(limit)}."
        )
    else:
        least = "at least " if is_least else ""
        control.announce(
            f"{told}; {least}{solutions:,} take about {duration(total)}. A time limit ends it earlier."
        )


def announce_setting_up(network: Network, control: Control) -> None:
    """Say about how long a search of a large network is set up, and how much memory that takes."""
    edges = network.edge_count
    if edges >= LARGE:
        seconds = SECONDS_TO_SET_UP * edges
        memory = round(BYTES_TO_SET_UP * edges / 1e6, -2)
        control.announce(f"Setting up the search: about {duration(seconds)} and {memory:,.0f} MB …")


def seconds_a_solution(problem: Problem, edges: int, clock: Callable[[], float]) -> float:
    """How long it takes to judge a solution that differs from the last in so many edges, by trying."""
    from netveil.kernels.following.flips import flip_edges

    state, rng = problem.fresh_state(), np.random.default_rng(0)
    edges = min(max(edges, 1), problem.edge_count)
    times: list[float] = []
    while sum(times) < SECONDS_OF_TRIAL and len(times) < MOST_TRIALS:
        some = rng.choice(problem.edge_count, edges, replace=False)
        began = clock()
        flip_edges(problem.topology, problem.rule, state, some)
        times.append(clock() - began)
    return float(np.mean(times))
