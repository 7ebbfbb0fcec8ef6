"""A chain of the annealing for states of every other kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from netveil.kernels.arrays import IntVector
from netveil.search.annealing.build_walk import poor_edges_first
from netveil.search.annealing.schedule import Schedule
from netveil.search.problem import Problem

if TYPE_CHECKING:
    from netveil.kernels.annealing.anneal_plainly import PlainWalk


class PlainChain:
    """One walk through the solutions, with its own random numbers. Looks at who is at risk and no further."""

    def __init__(self, problem: Problem, seed: int, picky: bool, known: IntVector | None = None) -> None:
        """A walk that starts from the whole network, or without the edges of the numbers `known`."""
        self.problem, self.picky = problem, picky
        self.walk = new_plain_walk(problem, known)
        self.random = np.array([seed], dtype=np.uint64)

    def advance(self, schedule: Schedule, proposals: int, since: float, until: float) -> None:
        """Make so many proposals, on the schedule from one share of the walk to another."""
        from netveil.kernels.annealing.anneal_plainly import anneal_plainly

        problem = self.problem
        leg = schedule.leg(proposals, since, until, self.picky)
        anneal_plainly(problem.topology, problem.rule, problem.limits, self.walk, leg, self.random)

    @property
    def at_risk(self) -> int:
        """Nodes at risk in the best solution met, or as many as are few enough."""
        from netveil.kernels.annealing.anneal_plainly import BEST_AT_RISK

        return int(self.walk.totals[BEST_AT_RISK])

    @property
    def deleted(self) -> int:
        """Deleted edges of the best solution met."""
        from netveil.kernels.annealing.anneal_plainly import BEST_DELETED

        return int(self.walk.totals[BEST_DELETED])


def new_plain_walk(problem: Problem, known: IntVector | None) -> PlainWalk:
    """A walk that starts from the whole network, or without the edges of the numbers `known`."""
    from netveil.kernels.annealing.anneal_plainly import PlainWalk
    from netveil.kernels.following.flips import flip_edges
    from netveil.kernels.following.state import AT_RISK

    topology, state = problem.topology, problem.fresh_state()
    gone = np.empty(0, dtype=np.int64)
    if known is not None:
        gone = np.flatnonzero(np.isin(problem.edge_order, known))
        flip_edges(topology, problem.rule, state, gone)
    if problem.rule.reach_of_both or problem.rule.reach == 0:
        touched = np.diff(topology.first_row)
    else:
        touched = problem.network.degrees[topology.ends].sum(axis=1)
    poor_first, quantiles = poor_edges_first(problem, touched)
    deleted, place_deleted = np.zeros((2, problem.edge_count), dtype=np.int64)
    deleted[: len(gone)], place_deleted[gone] = gone, np.arange(len(gone))
    return PlainWalk(
        state=state,
        poor_first=poor_first,
        quantiles=quantiles,
        deleted=deleted,
        place_deleted=place_deleted,
        best=state.present.copy(),
        totals=np.array([max(int(state.totals[AT_RISK]), problem.enough), len(gone)]),
    )
