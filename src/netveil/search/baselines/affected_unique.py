"""Affected unique nodes (UA): prefer edges whose deletion touches many nodes at risk (de Jong et al. 2024).

The paper's second baseline.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from netveil.search.baselines.stepwise import Stepwise, baseline, delete_in_steps
from netveil.search.control import Control
from netveil.search.problem import Problem
from netveil.search.progress import Steps

if TYPE_CHECKING:
    from netveil.kernels.following.state import FlipState


def affected_unique(
    problem: Problem, settings: Stepwise, rng: np.random.Generator, control: Control, threads: int
) -> Steps:
    """Each step draws edges, without replacement, with chance proportional to the nodes at risk they touch.

    1/|E| is added to each edge's share, so that no edge is impossible.
    """
    from netveil.kernels.following.surroundings import nodes_at_risk_touched

    def choose(state: FlipState, left: NDArray[np.int64], count: int) -> NDArray[np.int64]:
        touched = nodes_at_risk_touched(problem.topology, problem.rule, state)[left]
        weights = touched + 1 / problem.edge_count
        # When edge e rings after an exponential time of rate weights[e], the first to ring are a draw without
        # replacement in proportion to the weights (Efraimidis & Spirakis 2006).
        rings = rng.exponential(size=len(left)) / weights
        return left[np.argsort(rings, kind="stable")[:count]]

    return delete_in_steps(problem, settings, control, choose)


AFFECTED_UNIQUE = baseline("ua", affected_unique)
