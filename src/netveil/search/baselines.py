"""The baselines ES and UA: delete up to the budget in steps, and keep the best prefix met.

ES draws edges with equal chance. UA draws those more often that touch many nodes at risk.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.flips import flip_edges
from netveil.kernels.limits import delete_allowed
from netveil.kernels.states import FlipState, Total, nodes_at_risk_touched
from netveil.search.algorithm import Algorithm, Settings, check_setting
from netveil.search.control import Checkpoint, Control, Found, Step, Steps, StopReason
from netveil.search.problem import Problem

Choose = Callable[[FlipState, NDArray[np.int64], int], NDArray[np.int64]]
"""Function that chooses edges to delete next: how many of the given bit positions, in order, by the state."""

EDGES_AT_ONCE = 5_000  # tried against limits before the caller is asked whether to go on


@dataclass(frozen=True, kw_only=True)
class Stepwise(Settings):
    """Settings of the baselines ES and UA."""

    steps: int = 100  # how often uniqueness is recomputed on the way to the budget

    def __post_init__(self) -> None:
        check_setting("steps", self.steps, self.steps >= 1, "1 or more")


def delete_in_steps(problem: Problem, settings: Stepwise, control: Control, choose: Choose) -> Steps:
    """Delete in equal steps up to the budget, recomputing who is at risk after each; the lowest met counts.

    The start counts too: where every step makes things worse, nothing is deleted. Protected edges are never
    chosen. An edge whose deletion would break a limit stays for good, and others are tried in its place.
    """
    state = problem.fresh_state()
    may_go = problem.topology.movable.copy()
    best_at_risk, best_words = int(state.totals[Total.AT_RISK]), state.words.copy()
    control.start()
    yield Step(0, 1, best_at_risk, best_at_risk, 0)
    targets = np.unique(np.linspace(0, problem.budget, min(settings.steps, problem.budget) + 1).astype(int))
    stopped_by: StopReason = "budget"
    step = 0
    for step, target in enumerate(targets[1:].tolist(), start=1):
        left = np.flatnonzero(state.present & may_go)
        reason = "solved" if best_at_risk <= problem.enough else control.asked_to_stop()
        if reason is not None or len(left) == 0:
            stopped_by = reason or "converged"
            break
        wanted = min(target - int(state.totals[Total.DELETED]), len(left))
        if problem.limits is None:
            flip_edges(problem.topology, problem.rule, state, choose(state, left, wanted))
        else:
            arrays, edges = (
                (problem.topology, problem.rule, problem.limits, state),
                choose(state, left, len(left)),
            )
            for first in range(0, len(edges), EDGES_AT_ONCE):
                some = edges[first : first + EDGES_AT_ONCE]
                wanted -= delete_allowed(*arrays, some, wanted, may_go)  # clears `may_go` of what breaks one
                if wanted == 0 or control.asked_to_stop() is not None:
                    break
        at_risk = int(state.totals[Total.AT_RISK])
        if at_risk < best_at_risk:
            best_at_risk, best_words = at_risk, state.words.copy()
        best = Checkpoint(partial(problem.edges_deleted_by, best_words), best_at_risk)
        share = step / (len(targets) - 1)
        yield Step(step, step + 1, best_at_risk, at_risk, int(state.totals[Total.DELETED]), best, share)
    return Found(problem.edges_deleted_by(best_words), best_at_risk, stopped_by, evaluations=step + 1)


def edge_sampling(
    problem: Problem, settings: Stepwise, rng: np.random.Generator, control: Control, threads: int
) -> Steps:
    """ES: each step deletes edges drawn with equal chance (Romanini, Lehmann & Kivelä 2021)."""

    def choose(state: FlipState, left: NDArray[np.int64], count: int) -> NDArray[np.int64]:
        return rng.choice(left, count, replace=False)

    return delete_in_steps(problem, settings, control, choose)


EDGE_SAMPLING = Algorithm(
    name="es",
    search=edge_sampling,
    default=Stepwise(),
    grid={"steps": (10, 25, 50, 100, 200)},
    shown_beside="every release",
)


def affected_unique(
    problem: Problem, settings: Stepwise, rng: np.random.Generator, control: Control, threads: int
) -> Steps:
    """UA: each step draws edges with chance proportional to the nodes at risk touched (de Jong et al. 2024).

    1/|E| is added to each edge's share, so that no edge is impossible.
    """

    def choose(state: FlipState, left: NDArray[np.int64], count: int) -> NDArray[np.int64]:
        touched = nodes_at_risk_touched(problem.topology, problem.rule, state)[left]
        weights = touched + 1 / problem.edge_count
        # When edge e rings after an exponential time of rate weights[e], the first to ring are a draw without
        # replacement in proportion to the weights (Efraimidis & Spirakis 2006).
        rings = rng.exponential(size=len(left)) / weights
        return left[np.argsort(rings, kind="stable")[:count]]

    return delete_in_steps(problem, settings, control, choose)


AFFECTED_UNIQUE = replace(EDGE_SAMPLING, name="ua", search=affected_unique)
