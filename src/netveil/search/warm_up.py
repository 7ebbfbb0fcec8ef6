"""A whole search on a tiny network, so that nothing is left to compile when the clock starts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

import numpy as np

from netveil.anonymity import Attacker
from netveil.anonymity.own import OwnMeasure
from netveil.iterate import finished
from netveil.network import Network
from netveil.search.algorithm import Search
from netveil.search.control import Control
from netveil.search.edge_order import edge_order
from netveil.search.exhaustive import looked_through
from netveil.search.problem import Problem
from netveil.search.settings import Settings

LEAVES = 8  # of the star: with its budget a curve has two points
BUDGET = 2


def warm_up(
    search: Search,
    settings: Settings,
    attackers: tuple[Attacker, ...],
    keep: Mapping[str, Fraction],
    looks: bool = False,
) -> None:
    """Search briefly on a star, whose hub is always unique: compiles all that the real search needs.

    And, if it `looks` through other deletions afterwards, what that needs.

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
    found = finished(search(problem, settings.brief(), np.random.default_rng(0), Control(), 1))
    if looks:
        looked_through(problem, found.deleted_edges, found.at_risk, Control())


def _hub_and_leaves(network: Network) -> list[int]:
    """The hub is unique and the leaves are alike, whatever is deleted."""
    return [1] + [0] * (network.node_count - 1)
