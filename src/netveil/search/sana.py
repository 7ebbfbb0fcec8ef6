"""SANA, an annealing for uniqueness (Arsene, de Jong, Takes & Latour 2025), from notes on its paper's rules.

    draw an edge of the original: restore it if it is deleted, delete it if the budget allows
    keep the change if fewer nodes are unique, else with chance exp(-(Δu + η) / T): u is the share of unique
    nodes, η is normal with deviation 0.0001, T = 0.1 · 0.75^t
    until patience ends, after 100 steps for each edge, or when nobody is unique

The notes leave open what t counts (here: steps, so that T is practically 0 after some dozens), what is a
gain (here: fewer unique nodes than ever before) and what is returned (here: the best met). Where k > 2, nodes
at risk stand for unique ones. A change that breaks a limit is undone.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import inf

import numpy as np

from netveil.kernels.search_steps import SanaWalk, sana_steps
from netveil.kernels.states import Total
from netveil.search.algorithm import Algorithm, Settings, check_setting
from netveil.search.control import Checkpoint, Control, Found, Step, Steps
from netveil.search.problem import Problem

STEPS_FOR_AN_EDGE = 100
SHARE_WITHOUT_GAIN = 0.3  # of all steps, after which the search ends at the latest
STEPS_AT_ONCE = 500  # before the caller is asked whether to go on
STEPS_AT_ONCE_IF_SLOW = 5


@dataclass(frozen=True, kw_only=True)
class Sana(Settings):
    """Settings of SANA; the defaults are the paper's."""

    temperature: float = 0.1  # at first
    cooling: float = 0.75  # factor of the temperature, each step
    noise: float = 0.0001  # standard deviation of what is added to a change of uniqueness
    patience: int = 8_000  # steps without gain before stopping

    def __post_init__(self) -> None:
        for name in ("temperature", "noise"):
            value = getattr(self, name)
            check_setting(name, value, 0 <= value < inf, "0 or more, and finite")
        check_setting("cooling", self.cooling, 0 <= self.cooling <= 1, "between 0 and 1")
        check_setting("patience", self.patience, self.patience >= 1, "1 or more")


def sana(problem: Problem, settings: Sana, rng: np.random.Generator, control: Control, threads: int) -> Steps:
    """Walk until patience or steps end, few enough are at risk or the caller stops it; the best counts."""
    state = problem.fresh_state()
    at_first = int(state.totals[Total.AT_RISK])
    walk = SanaWalk(
        np.array([0, 0, at_first]),
        state.words.copy(),
        rng.integers(2**64, size=1, dtype=np.uint64),
        np.array([settings.temperature]),
    )
    most = STEPS_FOR_AN_EDGE * problem.edge_count
    patience = min(settings.patience, int(SHARE_WITHOUT_GAIN * most))
    chances = settings.cooling, settings.noise, patience
    at_once = STEPS_AT_ONCE_IF_SLOW if problem.is_slow else STEPS_AT_ONCE
    control.start()
    yield Step(0, 1, at_first, at_first, 0)
    while (reason := control.asked_to_stop()) is None:
        steps, without_gain, fewest = walk.totals.tolist()
        if fewest <= problem.enough or steps >= most or without_gain >= patience:
            break
        arrays = problem.topology, problem.rule, problem.limits, state, walk
        sana_steps(*arrays, problem.budget, problem.enough, *chances, min(at_once, most - steps))
        steps, _, fewest = walk.totals.tolist()
        best = Checkpoint(partial(problem.edges_deleted_by, walk.best.copy()), fewest)
        at_risk, deleted = int(state.totals[Total.AT_RISK]), int(state.totals[Total.DELETED])
        yield Step(steps, steps + 1, fewest, at_risk, deleted, best)
    steps, _, fewest = walk.totals.tolist()
    stopped_by = "solved" if fewest <= problem.enough else reason or "converged"
    return Found(problem.edges_deleted_by(walk.best), fewest, stopped_by, steps + 1)


SANA = Algorithm(
    name="sana",
    search=sana,
    default=Sana(),
    grid={"cooling": (0.75, 0.999, 0.9999), "temperature": (0.001, 0.1), "patience": (8_000, 80_000)},
    steps_between_halvings=STEPS_AT_ONCE,
)
