"""Attacks that go from people who are recognised beforehand to their contacts, in rounds.

Narayanan and Shmatikov (2009): a pair of people scores 1/√degree for each contact that is matched to a
contact. It is matched if the best score is far ahead of the second best, and the same match comes out when
both networks are exchanged. Matches are looked at again in every round.

Bumblebee, Gulyás, Simon and Imre (2016), has another score: a contact in common is worth the more the more
alike two people are in their number of contacts, (smaller / larger)^0.5. So a lower threshold does, and hubs
do not win everybody.

Percolation that expands when it is stuck, Kazemi, Hassani and Grossglauser (2015): a matched pair gives a
mark to every pair of their contacts. Pairs with two marks or more are matched, those with most marks first,
and stay so. When nothing is left to match, pairs with one mark give marks as if they were matched: most are
wrong, but wrong marks seldom meet.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from netveil.auditing.matching.matcher import NOBODY, Claims, GoOn, Situation, reversed_match
from netveil.kernels.arrays import Csr, IntVector
from netveil.kernels.matching import Fits, Likeness, best_fits, room_for_marks
from netveil.network import Network

MOST_ROUNDS = 60


def started(situation: Situation) -> NDArray[np.int64]:
    """A match of nobody but the seeds."""
    return with_seeds(situation, np.full(situation.known.node_count, NOBODY, dtype=np.int64))


def with_seeds(situation: Situation, match: NDArray[np.int64]) -> NDArray[np.int64]:
    """The match with the seeds as they are known to be."""
    match[np.isin(match, situation.seed_nodes)] = NOBODY
    match[situation.seeds] = situation.seed_nodes
    return match


def share_of_round(known: Network, released: Network, match: NDArray[np.int64]) -> float:
    """Work of a round, to look at all contacts and those of their matches; 1 where everybody is matched."""
    matched = np.flatnonzero(match != NOBODY)
    looked_at = 2 * known.edge_count + int(known.degrees[matched] @ released.degrees[match[matched]])
    return looked_at / max(1, int(known.degrees @ known.degrees))


def fits(known: Csr, released: Csr, match: IntVector, worth: NDArray[np.float64], power: float) -> Fits:
    """The node that fits each of `known` best, by contacts that are matched."""
    sizes, known_sizes = (np.diff(csr.offsets).astype(np.float64) ** power for csr in (released, known))
    people = len(known_sizes)
    best = Fits(np.full(people, NOBODY, dtype=np.int64), np.zeros(people), np.zeros(people), np.zeros(people))
    best_fits(known, released, match, Likeness(worth, sizes, known_sizes), room_for_marks(len(worth)), best)
    return best


def agreed(one: Fits, back: Fits, sure: NDArray[np.bool_], sure_back: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Match of pairs who fit each other best, where both sides are sure."""
    people = np.flatnonzero((one.nodes != NOBODY) & sure)
    people = people[(back.nodes[one.nodes[people]] == people) & sure_back[one.nodes[people]]]
    match = np.full(len(one.nodes), NOBODY, dtype=np.int64)
    match[people] = one.nodes[people]
    return match


@dataclass
class Propagation:
    """Matches everybody anew in each round, from the seeds on, until a match repeats."""

    name: str
    title: str
    paper: str
    theta: float  # eccentricity that both ways need
    power: float = 0.0  # of the ratio of two degrees, as the worth of a contact in common
    by_degree: bool = False  # whether scores are divided by the root of the degree of whom is looked for
    needs_seeds: ClassVar[bool] = True

    def claims(self, situation: Situation, rng: np.random.Generator, go_on: GoOn) -> Claims:
        """Match from the seeds on, in rounds."""
        known, released = situation.known, situation.released
        match, certainty = started(situation), np.zeros(known.node_count)
        seen: set[bytes] = set()
        while len(seen) < MOST_ROUNDS and match.tobytes() not in seen:
            go_on(share_of_round(known, released, match))
            seen.add(match.tobytes())
            there = fits(known.csr, released.csr, match, self._worth(released), self.power)
            back_match = reversed_match(match, released.node_count)
            back = fits(released.csr, known.csr, back_match, self._worth(known), self.power)
            certainty = eccentricity(there)
            match = agreed(there, back, certainty >= self.theta, eccentricity(back) >= self.theta)
            match = with_seeds(situation, match)
        return Claims(match, np.where(match == NOBODY, 0.0, certainty), match != NOBODY)

    def _worth(self, among: Network) -> NDArray[np.float64]:
        """Weight of a common contact, per candidate."""
        degrees = np.maximum(among.degrees, 1) if self.by_degree else np.ones(among.node_count)
        return np.asarray(1 / np.sqrt(degrees))


def eccentricity(best: Fits) -> NDArray[np.float64]:
    """Lead of the best score over the second best, in standard deviations of all scores."""
    ahead = best.scores - best.seconds
    return np.divide(ahead, best.spreads, out=np.zeros_like(ahead), where=best.spreads > 0)


NARAYANAN_SHMATIKOV = Propagation(
    "narayanan-shmatikov",
    "goes from people recognised to contacts who fit far better than others",
    "Narayanan and Shmatikov (2009)",
    theta=0.5,
    by_degree=True,
)
BUMBLEBEE = Propagation(
    "bumblebee",
    "goes from people recognised to contacts with about as many contacts",
    "Gulyás, Simon and Imre (2016)",
    theta=0.01,
    power=0.5,
)

MARKS = 2  # that a pair needs
TIE_BREAKER = 1e-4  # power of the ratio of degrees: of equal marks, those of similar degree come first
BROKEN = 0.1  # of a mark: more than the tie-breaker takes off


class Percolation:
    """Matches pairs with two matched contacts in common; when stuck, tries pairs with one."""

    name = "percolation"
    title = "goes from people recognised to those with two contacts in common"
    paper = "Kazemi, Hassani and Grossglauser (2015)"
    needs_seeds = True

    def claims(self, situation: Situation, rng: np.random.Generator, go_on: GoOn) -> Claims:
        """Match from the seeds on; expand as often as something new is matched."""
        known, released = situation.known, situation.released
        match, marks = started(situation), np.zeros(known.node_count)
        spread = match  # who gives marks
        for _ in range(MOST_ROUNDS):
            go_on(share_of_round(known, released, spread))
            unmatched, free = match == NOBODY, reversed_match(match, released.node_count) == NOBODY
            there = fits(known.csr, released.csr, spread, free.astype(float), TIE_BREAKER)
            spread_back = reversed_match(spread, released.node_count)
            back = fits(released.csr, known.csr, spread_back, unmatched.astype(float), TIE_BREAKER)
            many, one = (
                agreed(there, back, there.scores > least - BROKEN, back.scores > least - BROKEN)
                for least in (MARKS, 1)
            )
            new = many != NOBODY
            if new.any():
                match, marks = np.where(new, many, match), np.where(new, there.scores, marks)
                spread = match
            elif spread is match:
                spread = np.where(unmatched, one, match)
            else:
                break  # expanding did not help
        return Claims(match, marks, match != NOBODY)
