"""Attack by inference: are these two people tied, and was this tie deleted?

The attacker knows which nodes of the release two people are, and ranks pairs: published ties first, then by a
predictor of ties. Adamic & Adar (2003) sum 1 / log(degree) over common neighbours; preferential attachment
(Newman 2001) multiplies degrees. Liben-Nowell & Kleinberg (2007) compare such predictors. The area under the
curve (Hanley & McNeil 1982) is the chance that a tie ranks above a pair without one: 1/2 is guessing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from netveil.kernels.arrays import IntMatrix, IntVector
from netveil.kernels.matching import Floats
from netveil.network import Network

MOST_PAIRS = 2_000  # drawn of ties, and of pairs without one
MOST_LISTED = 20_000  # pairs of people; where there are more, pairs without a tie are drawn
DRAWS_A_PAIR = 4  # in a network so dense that most draws are ties, fewer pairs are found
MOST_AT_ONCE = 2_000_000  # neighbours that are looked at together


@dataclass(frozen=True)
class Inference:
    """Areas under the curve of the better predictor for one question."""

    question: Literal["tied", "deleted"]
    predictor: str
    ties: int  # drawn, and told from
    others: int  # pairs without a tie
    release: float
    original: float | None = None  # the same pairs in the original
    random_deletion: float | None = None  # where as many ties were deleted at random

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and texts."""
        return asdict(self)


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
    found = [_stronger("tied", tied, others, released, original, at_random, tied)]
    if len(missing):
        deleted, by_chance = (sampled(original.edges[each], rng) for each in (missing, thinned))
        found.append(_stronger("deleted", deleted, others, released, original, at_random, by_chance))
    return tuple(found)


def _stronger(
    question: Literal["tied", "deleted"],
    ties: IntMatrix,
    others: IntMatrix,
    released: Network,
    original: Network,
    at_random: Network,
    ties_at_random: IntMatrix,
) -> Inference:
    """The predictor with the larger area in the release, and its area beside it."""

    def area(predictor: str, network: Network, positive: IntMatrix) -> float:
        scores = [PREDICTORS[predictor](network, pairs) for pairs in (positive, others)]
        if question == "tied":  # who sees a tie need not predict it
            scores[0] = np.where(network.are_edges(positive), np.inf, scores[0])
            scores[1] = np.where(network.are_edges(others), np.inf, scores[1])
        return area_under_curve(*scores)

    best = max(PREDICTORS, key=lambda name: area(name, released, ties))
    return Inference(
        question,
        best,
        len(ties),
        len(others),
        area(best, released, ties),
        area(best, original, ties),
        area(best, at_random, ties_at_random),
    )


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
    weight = np.divide(1, np.log(np.maximum(network.degrees, 2)))
    scores = np.zeros(len(pairs))
    for part in _parts(np.minimum(*network.degrees[pairs].T)):
        fewer = np.where(network.degrees[pairs[part, 0]] <= network.degrees[pairs[part, 1]], 0, 1)
        here, there = pairs[part, fewer], pairs[part, 1 - fewer]
        many = network.degrees[here]
        start = np.repeat(network.csr.offsets[here] - np.cumsum(many) + many, many)
        common = network.csr.neighbours[start + np.arange(len(start))]
        is_common = network.are_edges(np.column_stack((common, np.repeat(there, many))))
        owner = np.repeat(np.arange(len(here)), many)
        scores[part] = np.bincount(owner, weight[common] * is_common, len(here))
    return scores


def _parts(sizes: IntVector) -> Iterator[IntVector]:
    """Places of pairs, as many together as have MOST_AT_ONCE neighbours or fewer."""
    part = np.cumsum(sizes) // MOST_AT_ONCE
    return (np.flatnonzero(part == each) for each in np.unique(part))


def preferential_attachment(network: Network, pairs: IntMatrix) -> Floats:
    """Product of the degrees."""
    degrees: Floats = network.degrees[pairs].astype(np.float64)
    return degrees[:, 0] * degrees[:, 1]


PREDICTORS = {"Adamic-Adar": adamic_adar, "preferential attachment": preferential_attachment}
"""Scores of pairs by what is published; two that differ in what they look at."""
