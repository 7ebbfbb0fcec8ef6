"""SANA: the steps of its slow twin, and its settings."""

from __future__ import annotations

from math import cos, log, pi, sqrt
from typing import Any

import numpy as np
from hypothesis import given, strategies as st

from graphs import clustered, networks
from naive import objective
from netveil.network import Network
from netveil.progress import finished
from netveil.search import Control
from netveil.search.sana import Sana, sana
from searches import outcome_of, problem_of

MASK = 2**64 - 1


class SplitMix:
    """Random numbers as kernels draw them (Steele, Lea & Flood 2014)."""

    def __init__(self, state: int) -> None:
        self.state = state

    def unit(self) -> float:
        """A number in [0, 1)."""
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        bits = self.state
        bits = ((bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        bits = ((bits ^ (bits >> 27)) * 0x94D049BB133111EB) & MASK
        return ((bits ^ (bits >> 31)) >> 11) / 2**53


def slow_sana(network: Network, order: list[int], budget: int, settings: Sana, seed: int) -> tuple[int, int]:
    """Fewest at risk, and steps: every deletion counted from scratch; `order` has the numbers of bits."""
    draw = SplitMix(int(np.random.default_rng(seed).integers(2**64, size=1, dtype=np.uint64)[0]))
    most, deleted = 100 * network.edge_count, set[int]()
    fewest = now = objective(network, [], 2, budget)
    steps = without_gain = 0
    temperature = settings.temperature
    while fewest and steps < most and without_gain < min(settings.patience, int(0.3 * most)):
        steps, without_gain, temperature = steps + 1, without_gain + 1, temperature * settings.cooling
        changed = deleted ^ {order[int(draw.unit() * network.edge_count)]}
        if len(changed) > budget:
            continue
        after = objective(network, list(changed), 2, budget)
        change = (after - now) / network.node_count
        if change >= 0:
            noise = settings.noise * sqrt(-2 * log(1 - draw.unit())) * cos(2 * pi * draw.unit())
            if change + noise >= -temperature * log(1 - draw.unit()):
                continue
        deleted, now = changed, after
        if now < fewest:
            fewest, without_gain = now, 0
    return fewest, steps


@given(network=networks(min_nodes=4, max_nodes=7, min_edges=3), seed=st.integers(0, 99), warm=st.booleans())
def test_steps_are_those_of_the_slow_twin(network: Network, seed: int, warm: bool) -> None:
    """With the paper's cooling and with a slower one."""
    settings = Sana(patience=30, cooling=0.99 if warm else 0.75)
    problem = problem_of(network, max(1, network.edge_count // 3))
    found = finished(sana(problem, settings, np.random.default_rng(seed), Control(), 1))
    fewest, steps = slow_sana(network, problem.edge_order.tolist(), problem.budget, settings, seed)

    assert (found.at_risk, found.evaluations) == (fewest, steps + 1)
    assert found.stopped_by == ("solved" if fewest == 0 else "converged")


def test_every_setting_changes_the_run() -> None:
    """The history of nodes at risk and deletions is another one."""
    changes: dict[str, Any] = {"temperature": 1e-9, "cooling": 0.999, "noise": 0.1, "patience": 200}
    several: list[dict[str, Any]] = [{}, *({name: value} for name, value in changes.items())]
    histories = {
        tuple((row.at_risk, row.deleted) for row in outcome_of(clustered(), "sana", each).history)
        for each in several
    }

    assert changes.keys() == Sana.__dataclass_fields__.keys()
    assert len(histories) == len(several)
