"""Attack by inference: are these two people tied, and was this tie deleted?

The attacker knows which nodes of the release two people are, and ranks pairs: published ties first, then by a
predictor of ties. Adamic & Adar (2003) sum 1 / log(degree) over common neighbours; preferential attachment
(Newman 2001) multiplies degrees. Liben-Nowell & Kleinberg (2007) compare such predictors. The area under the
curve (Hanley & McNeil 1982) is the chance that a tie ranks above a pair without one: 1/2 is guessing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from netveil.kernels.arrays import IntMatrix
from netveil.kernels.matching import Floats
from netveil.network import Network

MOST_PAIRS = 2_000  # drawn of ties, and of pairs without one
MOST_LISTED = 20_000  # pairs of people; where there are more, pairs without a tie are drawn
DRAWS_A_PAIR = 4  # in a network so dense that most draws are ties, fewer pairs are found
PAIRS_AT_ONCE = 100  # whose neighbours are looked at together: hubs have many


Question = Literal["tied", "deleted"]
Predictor = Callable[[Network, IntMatrix], Floats]


@dataclass(frozen=True)
class Inference:
    """Areas under the curve of the better predictor for one question."""

    question: Question
    predictor: str
    ties: int  # drawn, and told from
    others: int  # pairs without a tie
    release: float
    original: float | None = None  # the same pairs in the original
    random_deletion: float | None = None  # where as many ties were deleted at random


def infer_ties(original: Network, released: Network, seed: int) -> tuple[Inference, ...]:
    """Try both questions on a release, node v of which is node v of the original.

    None is asked that has no answer: whether a tie was deleted where none was, and nothing where everybody is
    tied to everybody.
    """
    rng = np.random.default_rng([seed, 0x1FE2])  # apart from what other attackers draw
    others = untied_pairs(original, rng)
    missing = np.flatnonzero(~released.are_edges(original.edges))
    if not len(others) or not original.edge_count:
        return ()
    thinned = rng.choice(original.edge_count, len(missing), replace=False)
    at_random = original.without_edges(thinned)
    tied = sampled(original.edges, rng)
    asked: dict[Question, tuple[IntMatrix, IntMatrix]] = {"tied": (tied, tied)}  # and after random deletions
    if len(missing):
        asked["deleted"] = (sampled(original.edges[missing], rng), sampled(original.edges[thinned], rng))
    found = []
    for question, (ties, by_chance) in asked.items():
        tried = {"release": (released, ties), "original": (original, ties)}
        tried["random_deletion"] = (at_random, by_chance)
        areas = {
            name: {where: _area(question, score, *told, others) for where, told in tried.items()}
            for name, score in PREDICTORS.items()
        }
        best = max(areas, key=lambda name: areas[name]["release"])
        found.append(Inference(question, best, len(ties), len(others), **areas[best]))
    return tuple(found)


def _area(
    question: Question, score: Predictor, network: Network, ties: IntMatrix, others: IntMatrix
) -> float:
    """Area under the curve of a predictor, in what somebody sees of a network."""

    def scores(pairs: IntMatrix) -> Floats:
        seen = network.are_edges(pairs) & (question == "tied")  # who sees a tie need not predict it
        return np.where(seen, np.inf, score(network, pairs))

    return area_under_curve(scores(ties), scores(others))


def untied_pairs(network: Network, rng: np.random.Generator) -> IntMatrix:
    """Pairs of nodes without an edge, at random; all of them where there are few."""
    nodes = network.node_count
    if nodes * (nodes - 1) // 2 <= MOST_LISTED:
        pairs = np.column_stack(np.triu_indices(nodes, 1))
    else:
        pairs = rng.integers(nodes, size=(DRAWS_A_PAIR * MOST_PAIRS, 2))
        pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    return sampled(pairs[~network.are_edges(pairs)], rng)


def sampled(pairs: IntMatrix, rng: np.random.Generator) -> IntMatrix:
    """At most MOST_PAIRS of these pairs."""
    return pairs if len(pairs) <= MOST_PAIRS else rng.choice(pairs, MOST_PAIRS, replace=False)


def area_under_curve(ties: Floats, others: Floats) -> float:
    """Chance that one of the ties has a larger score than one of the others; equal ones count half.

    >>> area_under_curve(np.array([2.0, 1.0]), np.array([1.0, 0.0]))
    0.875
    """
    ascending = np.sort(others)
    below = np.searchsorted(ascending, ties, "left") + np.searchsorted(ascending, ties, "right")
    return round(float(below.mean() / (2 * len(others))), 4)


def adamic_adar(network: Network, pairs: IntMatrix) -> Floats:
    """Sum of 1 / log(degree) over common neighbours, which have two edges or more."""
    weight = 1 / np.log(np.maximum(network.degrees, 2))
    contacts = network.to_scipy()
    parts = np.array_split(pairs, len(pairs) // PAIRS_AT_ONCE + 1)
    return np.concatenate([contacts[part[:, 0]].multiply(contacts[part[:, 1]]) @ weight for part in parts])


def preferential_attachment(network: Network, pairs: IntMatrix) -> Floats:
    """Product of the degrees."""
    degrees: Floats = network.degrees[pairs].astype(np.float64)
    return degrees[:, 0] * degrees[:, 1]


PREDICTORS: dict[str, Predictor] = {
    "Adamic-Adar": adamic_adar,
    "preferential attachment": preferential_attachment,
}
"""Scores of pairs by what is published; two that differ in what they look at."""
