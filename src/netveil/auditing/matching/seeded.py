"""Attacks that go from people who are recognised beforehand to their contacts, in rounds.

Narayanan and Shmatikov (2009): a pair of people scores 1/√degree for each contact that is matched to a
contact. It is matched if the best score is far ahead of the second best, and the same match comes out when
both networks are exchanged. Matches are looked at again in every round.

Bumblebee, Gulyás, Simon and Imre (2016), has another score: a contact in common is worth the more the more
alike two people are in their number of contacts, (smaller / larger)^0.5. So a lower threshold does, and hubs
do not win everybody.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from netveil.auditing.matching.matcher import NOBODY, Claims, Situation, reversed_match
from netveil.kernels.arrays import Csr, IntVector
from netveil.kernels.matching import Fits, Likeness, best_fits
from netveil.network import Network

MOST_ROUNDS = 60


def started(situation: Situation) -> NDArray[np.int64]:
    """A match of nobody but the seeds."""
    match = np.full(situation.known.node_count, NOBODY, dtype=np.int64)
    match[situation.seeds] = situation.seed_nodes
    return match


def fits(known: Csr, released: Csr, match: IntVector, worth: NDArray[np.float64], power: float) -> Fits:
    """The node that fits each of `known` best, by contacts that are matched."""
    people = len(known.offsets) - 1
    best = Fits(np.full(people, NOBODY, dtype=np.int64), np.zeros(people), np.zeros(people), np.zeros(people))
    best_fits(known, released, match, Likeness(worth, power), best)
    return best


def eccentricity(best: Fits) -> NDArray[np.float64]:
    """Lead of the best score over the second best, in standard deviations of all scores."""
    ahead = best.scores - best.seconds
    return np.divide(ahead, best.spreads, out=np.zeros_like(ahead), where=best.spreads > 0)


def agreed(one: Fits, back: Fits, sure: NDArray[np.bool_], sure_back: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Match of pairs who fit each other best, where both sides are sure."""
    people = np.flatnonzero((one.nodes != NOBODY) & sure)
    people = people[(back.nodes[one.nodes[people]] == people) & sure_back[one.nodes[people]]]
    match = np.full(len(one.nodes), NOBODY, dtype=np.int64)
    match[people] = one.nodes[people]
    return match


def with_seeds(situation: Situation, match: NDArray[np.int64]) -> NDArray[np.int64]:
    """The match with the seeds as they are known to be."""
    match[np.isin(match, situation.seed_nodes)] = NOBODY
    match[situation.seeds] = situation.seed_nodes
    return match


@dataclass(frozen=True)
class Rule:
    """Rule by which a seeded attack matches two people."""

    theta: float  # the eccentricity that both ways need
    power: float = 0.0  # of the ratio of two degrees, as the worth of a contact in common
    by_degree: bool = False  # whether scores are divided by the root of the degree of whom is looked for


def propagated(situation: Situation, rule: Rule, go_on: Callable[[], None]) -> Claims:
    """Match everybody anew in each round, from the seeds on, until a match repeats."""
    known, released = situation.known, situation.released
    match, certainty = started(situation), np.zeros(known.node_count)
    seen: set[bytes] = set()
    while len(seen) < MOST_ROUNDS and match.tobytes() not in seen:
        go_on()
        seen.add(match.tobytes())
        there = fits(known.csr, released.csr, match, _worth(released, rule), rule.power)
        back_match = reversed_match(match, released.node_count)
        back = fits(released.csr, known.csr, back_match, _worth(known, rule), rule.power)
        certainty = eccentricity(there)
        match = agreed(there, back, certainty >= rule.theta, eccentricity(back) >= rule.theta)
        match = with_seeds(situation, match)
    return Claims(match, np.where(match == NOBODY, 0.0, certainty), match != NOBODY)


def _worth(among: Network, rule: Rule) -> NDArray[np.float64]:
    """Weight of a common contact, per candidate."""
    if not rule.by_degree:
        return np.ones(among.node_count)
    return 1 / np.sqrt(np.maximum(among.degrees, 1))


class NarayananShmatikov:
    """Goes from contact to contact, where the best match is far ahead of the second best."""

    name = "narayanan-shmatikov"
    title = "goes from people recognised to contacts who fit far better than others"
    paper = "Narayanan and Shmatikov (2009)"
    needs_seeds = True
    rule = Rule(theta=0.5, by_degree=True)

    def claims(self, situation: Situation, rng: np.random.Generator, go_on: Callable[[], None]) -> Claims:
        """Match from the seeds on, in rounds."""
        return propagated(situation, self.rule, go_on)


class Bumblebee(NarayananShmatikov):
    """Goes from contact to contact, and minds that both have about as many contacts."""

    name = "bumblebee"
    title = "goes from people recognised to contacts with about as many contacts"
    paper = "Gulyás, Simon and Imre (2016)"
    rule = Rule(theta=0.01, power=0.5)
