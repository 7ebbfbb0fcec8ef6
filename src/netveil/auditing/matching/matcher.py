"""Matchers: somebody who holds a network of the same people matches it with the release.

What she knows is drawn from the original: which ties, and whom she recognises beforehand.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import IntVector
from netveil.network import Network

NOBODY = -1  # in place of a node, where none is claimed


def _nobody() -> IntVector:
    return np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Situation:
    """Input of a matcher: both networks, how complete they are, and the seeds."""

    known: Network  # the ties that she knows; her node numbers tell nothing about the release's
    released: Network
    known_share: float = 1.0  # of the ties of the people in `known`, how many she knows
    released_share: float = 1.0  # of all ties, how many are published
    added_share: float = 0.0  # of the published ties, how many are made up; 1 if each may be, degrees too
    only_deleted: bool = True  # whether every published tie between people whom she knows is one of hers
    seeds: IntVector = field(default_factory=_nobody)  # nodes of `known` whom she recognises beforehand
    seed_nodes: IntVector = field(default_factory=_nobody)  # nodes of `released` that they are


@dataclass(frozen=True, eq=False)
class Claims:
    """Output of a matcher: guesses, certainty, and which guesses she stands by."""

    nodes: NDArray[np.int64]  # (p): the best guess for each of her people, or NOBODY
    certainty: NDArray[np.float64]  # (p): larger where she is surer; only the order counts
    claimed: NDArray[np.bool_]  # (p): whether she stands by the guess; two people never claim one node


class GoOn(Protocol):
    """Counts what a round takes, and raises where that is too much or nobody waits any longer."""

    def __call__(self, share: float = 1.0) -> None:
        """A round that takes this share of looking at the contacts of everybody's contacts."""


class Matcher(Protocol):
    """Protocol of an attack on the whole network, an entry of the registry."""

    name: str  # what the registry calls it
    title: str  # what she does, as the end of "somebody who …"
    paper: str  # where it was published, or whose it is
    needs_seeds: bool  # whether she must recognise somebody beforehand

    def claims(self, situation: Situation, rng: np.random.Generator, go_on: GoOn) -> Claims:
        """Match everybody; `go_on` is called in every round, and raises to stop."""


def reversed_match(match: IntVector, nodes: int) -> NDArray[np.int64]:
    """Inverse of a match: the person matched to each node."""
    back = np.full(nodes, NOBODY, dtype=np.int64)
    matched = np.flatnonzero(match != NOBODY)
    back[match[matched]] = matched
    return back


# Knowledge of an attacker: which ties of the original, and whom she recognises beforehand.


Chosen = Literal["random", "best-connected"]
"""How seeds are chosen: people whom the attacker recognises beforehand."""


@dataclass(frozen=True)
class Knowledge:
    """Kind of knowledge: share and choice of ties, number and choice of seeds."""

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
    """Knowledge drawn from one original: a network of her people, by numbers of her own."""

    network: Network
    people: IntVector  # the original's node that each of hers is
    share: float  # of the ties of her people, how many she knows
    seeds: IntVector  # her nodes whom she recognises


def draw_known(original: Network, knowledge: Knowledge, rng: np.random.Generator) -> Known:
    """Draw an attacker's knowledge; the order of her people tells nothing."""
    members = np.arange(original.node_count)
    if knowledge.ties == "community" and knowledge.known < 1:
        members = grow_community(original, knowledge.known, rng)
    number = np.full(original.node_count, NOBODY)
    number[members] = np.arange(len(members))
    ends = number[original.edges]
    within = Network.from_numbered_edges(ends[(ends != NOBODY).all(axis=1)], len(members))
    if knowledge.ties == "random":
        within = thinned(within, knowledge.known, rng)
    new_number = rng.permutation(len(members))
    network = within.relabelled(new_number)
    people = members[np.argsort(new_number)]
    contacts = int(original.degrees[members].sum())
    share = 2 * network.edge_count / contacts if contacts else 1.0
    # Seeds have ties; there are fewer where there are not enough people.
    somebody = rng.permutation(np.flatnonzero(network.degrees > 0))
    if knowledge.chosen == "best-connected":
        somebody = somebody[np.argsort(-network.degrees[somebody], kind="stable")]
    return Known(network, people, share, np.sort(somebody[: knowledge.seeds]))


def grow_community(original: Network, share: float, rng: np.random.Generator) -> NDArray[np.int64]:
    """Grow a group around somebody until it holds this share of all ties.

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


def thinned(network: Network, share: float, rng: np.random.Generator) -> Network:
    """Keep each tie of a network with this probability."""
    if share >= 1:
        return network
    return network.without_edges(np.flatnonzero(rng.random(network.edge_count) >= share))
