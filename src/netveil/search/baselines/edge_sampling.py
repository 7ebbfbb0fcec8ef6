"""Edge sampling (ES), the paper's first baseline: delete random edges (Romanini, Lehmann & Kivelä 2021)."""

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


def edge_sampling(
    problem: Problem, settings: Stepwise, rng: np.random.Generator, control: Control, threads: int
) -> Steps:
    """Each step deletes edges drawn with equal chance from those that are left."""

    def choose(state: FlipState, left: NDArray[np.int64], count: int) -> NDArray[np.int64]:
        return rng.choice(left, count, replace=False)

    return delete_in_steps(problem, settings, control, choose)


EDGE_SAMPLING = baseline("es", edge_sampling)
