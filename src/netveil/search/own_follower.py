"""Follows the states of a user's own measure while a search deletes and restores edges."""

from __future__ import annotations

from collections.abc import Hashable
from itertools import count
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from netveil.anonymity.own import OwnMeasure
from netveil.kernels.arrays import IntVector
from netveil.network import Network

if TYPE_CHECKING:
    from netveil.search.problem import Problem

_numbers = count()


class OwnFollower:
    """Asks a user's measure for states, for as few nodes as it allows, and numbers them.

    Equal states have equal numbers, exactly: they are looked up, not hashed down. Threads take turns.
    """

    def __init__(self, measure: OwnMeasure, network: Network, edge_order: IntVector) -> None:
        from netveil.kernels.following.user_measures import FOLLOWERS

        self.measure, self.network, self.edge_order = measure, network, edge_order
        self.number = next(_numbers)
        self.number_of: dict[Hashable, int] = {}
        self.lock = Lock()
        FOLLOWERS[self.number] = self

    def follow(
        self, present: NDArray[np.uint8], flipped: IntVector, signatures: IntVector
    ) -> NDArray[np.int64]:
        """Bring signatures (n) up to date after these edges were flipped; returns the nodes looked at."""
        with self.lock:
            nodes = self._touched(present, flipped)
            states = self.measure.states_of(self._network_with(present), nodes)
            if nodes is None:
                nodes = np.arange(self.network.node_count)
            numbers = [self.number_of.setdefault(state, len(self.number_of)) for state in states]
            signatures[nodes] = numbers
            return nodes

    def _network_with(self, present: NDArray[np.uint8]) -> Network:
        """The network with the edges that are there."""
        return self.network.without_edges(self.edge_order[present == 0])

    def _touched(self, present: NDArray[np.uint8], flipped: IntVector) -> NDArray[np.int64] | None:
        """The nodes whose state may have changed; None where nobody knows, or when all edges were flipped.

        A measure says whom the deletion of an edge touches that is there, so it is asked about the network
        with all the flipped edges there.
        """
        if not self.measure.says_touched or len(flipped) >= self.network.edge_count:
            return None
        whole = present.copy()
        whole[flipped] = 1
        network = self._network_with(whole)
        ends = self.network.edges[self.edge_order[np.unique(flipped)]].tolist()
        nobody = np.empty(0, dtype=np.int64)  # a child may be like the one before
        return np.unique(np.concatenate([nobody, *(self.measure.touched(network, u, v) for u, v in ends)]))


def followers_of(problem: Problem) -> tuple[OwnFollower, ...]:
    """A follower for each attacker with a measure of the user's, in order."""
    return tuple(
        OwnFollower(attacker.measure, problem.network, problem.edge_order)
        for attacker in problem.attackers
        if isinstance(attacker.measure, OwnMeasure)
    )
