"""Similarity circle (the S¹ model): people with given expected degrees on a circle know those who are near.

Everybody has a place on a circle, for what they are like, and an expected degree, drawn around the average
(gamma distribution, `spread` = standard deviation over mean). Two people at distance d with expected degrees
a and b know each other by the chance 1 / (1 + (d / (μ a b))^β), where β = 1 / `temperature`. The warmer, the
less the distance matters: clustering falls, paths get shorter, and the expected degrees stay. So clustering
can be changed alone, up to that of real social networks.
Serrano, Krioukov and Boguñá, Self-similarity of complex networks and hidden metric spaces (2008).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from netveil.studies.generators.base import DegreeSpread, Generator, Pairs, Rules, Share, Simulated

MOST_NODES = 30_000  # every pair is looked at

_COLDEST = 1e-3  # a chance that is 0 or 1 nearly everywhere
_PAIRS_AT_ONCE = 1 << 20
_PAIRS_TO_FIT = 1 << 18
_HALVINGS = 30

Numbers = NDArray[np.float64]


class SimilarityCircle(Simulated):
    """Settings of similarity circles."""

    degree: float  # neighbours of a node, on average
    temperature: Share  # 0: distance decides, most clustering; 1: it hardly matters
    spread: DegreeSpread = 0.5  # of expected degrees: standard deviation over mean

    def rules(self) -> Rules:
        """Rules of these settings."""
        yield self.nodes <= MOST_NODES, f"nodes must be at most {MOST_NODES:,} for this kind"
        yield from self.degree_rules(self.degree)
        yield 0 < 2 * self.degree <= self.nodes, "degree must be above 0, at most half the nodes"


@dataclass(frozen=True)
class Circle:
    """Places of nodes on a circle of circumference 1, and the logarithms of their expected degrees."""

    place: Numbers
    log_degree: Numbers
    beta: float

    def nearness(self, one: NDArray[np.int64], other: NDArray[np.int64]) -> Numbers:
        """log(a b / d) of pairs of people, or of everybody in one row with everybody in one column."""
        apart = np.abs(self.place[one] - self.place[other])
        distance = np.maximum(np.minimum(apart, 1 - apart), 1e-12)
        return np.asarray(self.log_degree[one] + self.log_degree[other] - np.log(distance))

    def chance(self, nearness: Numbers, log_scale: float) -> Numbers:
        """Probability of an edge between pairs; `log_scale` is log μ."""
        exponent = np.clip(-self.beta * (nearness + log_scale), -700, 700)
        return np.asarray(1 / (1 + np.exp(exponent)))


def draw(settings: SimilarityCircle, rng: np.random.Generator) -> Pairs:
    """Draw the edges of a network."""
    circle = _circle(settings, rng)
    log_scale = _fitted_scale(circle, settings, rng)
    rows_at_once = max(1, _PAIRS_AT_ONCE // settings.nodes)
    found = []
    for start in range(0, settings.nodes, rows_at_once):
        stop = min(start + rows_at_once, settings.nodes)
        larger, smaller = np.ogrid[start:stop, 0:stop]
        chance = circle.chance(circle.nearness(larger, smaller), log_scale)
        joined = (rng.random(chance.shape) < chance) & (smaller < larger)
        found.append(np.argwhere(joined) + np.array([start, 0]))
    return np.concatenate(found)


def _circle(settings: SimilarityCircle, rng: np.random.Generator) -> Circle:
    place = rng.random(settings.nodes)
    log_degree = np.zeros(settings.nodes)
    if settings.spread > 0:
        shape = settings.spread**-2
        log_degree = np.log(np.maximum(rng.gamma(shape, 1 / shape, settings.nodes), 1e-9))
    return Circle(place, log_degree, 1 / max(settings.temperature, _COLDEST))


def _fitted_scale(circle: Circle, settings: SimilarityCircle, rng: np.random.Generator) -> float:
    """The log μ at which the average degree is the wanted one, judged by all pairs or a sample of them."""
    nodes = settings.nodes
    if nodes * (nodes - 1) // 2 <= _PAIRS_TO_FIT:
        one, other = np.triu_indices(nodes, k=1)
    else:
        one = rng.integers(nodes, size=_PAIRS_TO_FIT)
        other = (one + rng.integers(1, nodes, size=_PAIRS_TO_FIT)) % nodes
    nearness = circle.nearness(one, other)
    low, high = -60.0, 60.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if circle.chance(nearness, middle).mean() * (nodes - 1) < settings.degree:
            low = middle
        else:
            high = middle
    return (low + high) / 2


GENERATOR = Generator("similarity-circle", SimilarityCircle, draw)
