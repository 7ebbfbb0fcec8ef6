"""A whole search on a tiny network, so that nothing is left to compile when the clock starts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from netveil.anonymity import Attacker
from netveil.anonymity.own import OwnMeasure
from netveil.network import Network
from netveil.search.control import Control, StopReason
from netveil.search.edge_order import edge_order
from netveil.search.outcome import Found
from netveil.search.problem import Problem
from netveil.search.settings import Annealing, Settings

Run = Callable[[Problem, Any, np.random.Generator, Control, int], Found]
"""Searches: given the problem, settings, random numbers, the control and the number of threads.

Starts the control's clock as soon as everything of the size of the network is set up.
"""

STEPS = 3  # of a search that has no effort to be made small
TINY_EFFORT = 1e-9  # a proposal a walk
LEAVES = 8  # of the star: with its budget a curve has two points
BUDGET = 2


class _Rehearsal(Control):
    """Stops a search after a few steps, but for one that is short by its settings."""

    short = False

    def asked_to_stop(self) -> StopReason | None:
        return None if self.short or len(self.history) < STEPS else "time"


def _hub_and_leaves(network: Network) -> list[int]:
    """The hub is unique and the leaves are alike, whatever is deleted."""
    return [1] + [0] * (network.node_count - 1)


def rehearse(
    run: Run, settings: Settings, attackers: tuple[Attacker, ...], keep: Mapping[str, Fraction]
) -> None:
    """Search on a star, whose hub is always unique: compiles all that is needed before the clock starts.

    A user's own measure may know the people of its own network only, so another stands in for it.
    """
    star = Network.from_numbered_edges([(0, leaf) for leaf in range(1, LEAVES + 1)], LEAVES + 1)
    attackers = tuple(
        replace(each, measure=OwnMeasure(_hub_and_leaves, "hub and leaves"))
        if isinstance(each.measure, OwnMeasure)
        else each
        for each in attackers
    )
    problem = Problem(star, attackers, k=2, budget=BUDGET, edge_order=edge_order(star), keep=keep)
    control = _Rehearsal()
    if isinstance(settings, Annealing):
        settings, control.short = replace(settings, effort=TINY_EFFORT), True
    run(problem, settings, np.random.default_rng(0), control, 1)
