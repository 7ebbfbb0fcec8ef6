"""What the baselines ES and UA share: delete up to the budget in steps, and keep the best prefix met."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from netveil.search.control import Control, StopReason
from netveil.search.outcome import Found
from netveil.search.problem import Problem
from netveil.search.settings import Stepwise

if TYPE_CHECKING:
    from netveil.kernels.flips import FlipState

Choose = Callable[["FlipState", int], NDArray[np.int64]]
"""Which edges to delete next: given the state and how many, bit positions of edges that are still there."""


def delete_in_steps(problem: Problem, settings: Stepwise, control: Control, choose: Choose) -> Found:
    """Delete in equal steps up to the budget, recomputing who is at risk after each; the lowest met counts.

    The start counts too: where every step makes things worse, nothing is deleted.
    """
    from netveil.kernels.flips import AT_RISK, flip_edges

    state = problem.fresh_state()
    best_at_risk, best_words = int(state.totals[AT_RISK]), state.words.copy()
    control.record(0, 1, best_at_risk, best_at_risk, 0)
    targets = np.unique(np.linspace(0, problem.budget, min(settings.steps, problem.budget) + 1).astype(int))
    stopped_by: StopReason = "budget"
    step = 0
    for step, (before, after) in enumerate(
        zip(targets[:-1].tolist(), targets[1:].tolist(), strict=True), start=1
    ):
        if best_at_risk == 0:
            stopped_by = "solved"
            break
        asked = control.asked_to_stop()
        if asked is not None:
            stopped_by = asked
            break
        flip_edges(problem.topology, problem.rule, state, choose(state, after - before))
        at_risk = int(state.totals[AT_RISK])
        if at_risk < best_at_risk:
            best_at_risk, best_words = at_risk, state.words.copy()
        control.record(step, step + 1, best_at_risk, at_risk, after)
        control.keep(partial(problem.edges_deleted_by, best_words), best_at_risk)
    return Found(problem.edges_deleted_by(best_words), best_at_risk, stopped_by, evaluations=step + 1)
