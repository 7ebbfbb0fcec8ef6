"""A chain of the annealing for states that are sums over degree and triangles."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from netveil.kernels.arrays import IntVector
from netveil.search.annealing.build_walk import new_limit_state, new_walk
from netveil.search.annealing.schedule import Schedule
from netveil.search.problem import Problem

if TYPE_CHECKING:
    from netveil.kernels.annealing.levels import Levels
    from netveil.kernels.annealing.walk_state import LimitState, Walk


class Chain:
    """One walk through the solutions, with its own random numbers."""

    def __init__(
        self, problem: Problem, levels: Levels, seed: int, picky: bool, known: IntVector | None = None
    ) -> None:
        """A walk that starts from the whole network, or without the edges of the numbers `known`.

        Where edges are on many triangles, being picky about which to flip pays off; where they are on few it
        does harm. So chains take turns.
        """
        self.problem = problem
        self.levels, self.picky = levels, picky
        self.walk: Walk = new_walk(problem, levels, known)
        self.limit_state: LimitState | None = new_limit_state(problem, self.walk)
        self.random = np.array([seed], dtype=np.uint64)

    def advance(self, schedule: Schedule, proposals: int, since: float, until: float) -> None:
        """Make so many proposals, on the schedule from one share of the walk to another."""
        from netveil.kernels.annealing.anneal import anneal

        problem = self.problem
        leg = schedule.leg(proposals, since, until, self.picky)
        anneal(
            problem.topology,
            problem.rule,
            self.levels,
            problem.limits,
            self.walk,
            self.limit_state,
            leg,
            self.random,
        )

    @property
    def at_risk(self) -> int:
        """Nodes at risk in the best solution met, or as many as are few enough."""
        from netveil.kernels.annealing.walk_state import BEST_AT_RISK

        return int(self.walk.totals[BEST_AT_RISK])

    @property
    def deleted(self) -> int:
        """Deleted edges of the best solution met."""
        from netveil.kernels.annealing.walk_state import BEST_DELETED

        return int(self.walk.totals[BEST_DELETED])
