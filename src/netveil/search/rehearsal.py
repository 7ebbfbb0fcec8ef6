"""One step of a search on a tiny network, so that nothing is left to compile when the clock starts."""

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
from netveil.search.settings import Settings

Run = Callable[[Problem, Any, np.random.Generator, Control, int], Found]
"""Searches: given the problem, settings, random numbers, the caller's hand and the number of threads."""


class _Rehearsal(Control):
    """Stops a search after its first step."""

    def asked_to_stop(self) -> StopReason | None:
        return None if len(self.history) < 2 else "time"


def _all_alike(network: Network) -> list[int]:
    """One state for all."""
    return [0] * network.node_count


def rehearse(
    run: Run, settings: Settings, attackers: tuple[Attacker, ...], keep: Mapping[str, Fraction]
) -> None:
    """Take one step on a star of four nodes: compiles all that the search needs before its clock starts.

    A user's own measure may know the people of its own network only, so another stands in for it.
    """
    star = Network.from_numbered_edges([(0, 1), (0, 2), (0, 3)], 4)
    attackers = tuple(
        replace(each, measure=OwnMeasure(_all_alike, "all alike"))
        if isinstance(each.measure, OwnMeasure)
        else each
        for each in attackers
    )
    problem = Problem(star, attackers, k=2, budget=1, edge_order=edge_order(star), keep=keep)
    run(problem, settings, np.random.default_rng(0), _Rehearsal(), 1)
