"""What an attacker knows of the original: which of its ties, and whom she recognises beforehand."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from netveil.auditing.matching.features import thinned
from netveil.kernels.arrays import IntVector
from netveil.network import Network

Chosen = Literal["random", "best-connected"]
"""Whom an attacker recognises beforehand."""


@dataclass(frozen=True)
class Knowledge:
    """What is varied."""

    known: float = 1.0  # share of the original's ties
    ties: Literal["random", "community"] = "random"  # which: any, or all within one group of people
    seeds: int = 0  # people whom she recognises beforehand
    chosen: Chosen = "random"  # which people those are

    def __str__(self) -> str:
        share = f"{100 * self.known:g}% of the ties"
        where = ", one community" if self.ties == "community" else ""
        seeds = f", {self.seeds:,} {self.chosen} seeds" if self.seeds else ""
        return f"{share}{where}{seeds}"


@dataclass(frozen=True, eq=False)
class Known:
    """What she holds of one original: a network of her people, by numbers of her own."""

    network: Network
    people: IntVector  # the original's node that each of hers is
    share: float  # of the ties of her people, how many she knows
    seeds: IntVector  # her nodes whom she recognises


def draw_known(original: Network, knowledge: Knowledge, rng: np.random.Generator) -> Known:
    """Draw what she knows; the order of her people tells nothing."""
    if knowledge.ties == "community" and knowledge.known < 1:
        members = np.sort(grow_community(original, knowledge.known, rng))
    else:
        members = np.arange(original.node_count)
    within = _induced(original, members)
    if knowledge.ties == "random":
        within = thinned(within, knowledge.known, rng)
    new_number = rng.permutation(len(members))
    network = within.relabelled(new_number)
    people = members[np.argsort(new_number)]
    ends = int(original.degrees[members].sum())
    share = 2 * network.edge_count / ends if ends else 1.0
    return Known(network, people, share, _seeds(network, knowledge, rng))


def _induced(original: Network, members: IntVector) -> Network:
    """The network of these people and the ties among them, numbered in their order, without labels."""
    number = np.full(original.node_count, -1, dtype=np.int64)
    number[members] = np.arange(len(members))
    ends = number[original.edges]
    return Network.from_numbered_edges(ends[(ends >= 0).all(axis=1)], len(members))


def _seeds(network: Network, knowledge: Knowledge, rng: np.random.Generator) -> IntVector:
    """Whom she recognises: any of those with ties, or those with most; fewer if there are not so many."""
    somebody = rng.permutation(np.flatnonzero(network.degrees > 0))
    if knowledge.chosen == "best-connected":
        somebody = somebody[np.argsort(-network.degrees[somebody], kind="stable")]
    return np.sort(somebody[: knowledge.seeds])


def grow_community(original: Network, share: float, rng: np.random.Generator) -> NDArray[np.int64]:
    """People among whom there is this share of all ties: a group that grows around somebody.

    Whoever has the largest part of their contacts in the group joins it next. Where nobody outside has any,
    the group goes on around somebody else. O(m log m).
    """
    goal = share * original.edge_count
    inside = np.zeros(original.node_count, dtype=bool)
    contacts_inside = [0] * original.node_count
    degrees = original.degrees.tolist()
    luck = rng.random(original.node_count).tolist()  # decides among equals
    starts = iter(rng.permutation(original.node_count).tolist())
    waiting: list[tuple[float, float, int]] = []
    ties = 0
    while ties < goal:
        joins = heapq.heappop(waiting)[-1] if waiting else next(starts)
        if inside[joins]:
            continue
        inside[joins] = True
        ties += contacts_inside[joins]
        for contact in original.neighbours(joins).tolist():
            if not inside[contact]:
                contacts_inside[contact] += 1
                heapq.heappush(
                    waiting, (-contacts_inside[contact] / degrees[contact], luck[contact], contact)
                )
    return np.flatnonzero(inside)
