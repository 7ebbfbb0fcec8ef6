"""One round of weighing candidates: what the candidates of a person's contacts say about the person's own."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from netveil.kernels.arrays import Csr, IntMatrix, IntVector
from netveil.kernels.compiled import compiled, inlined
from netveil.kernels.matching.features import FeatureSpace, Floats, feature_distance, insert_candidate

LEAST_WEIGHT = 0.02  # candidates with less are passed over: they cost time and say next to nothing
SHARPNESS = 2.0  # of the evidence of contacts, in standard errors
FLOOR = 0.3  # marks: keeps a single mark where none is expected from being overwhelming
FEATURES_COUNT = (
    0.25  # of a feature's likelihood: features depend on each other's noise more than is modelled
)
FARTHEST = 100.0  # squared distance of features: farther is no worse, for a hub may have lost much


class Beliefs(NamedTuple):
    """The c best candidates of each of p people, best first."""

    nodes: IntMatrix  # (p, c): nodes of the release; -1 from where there are no more
    weights: Floats  # (p, c): how likely each is, at most 1 in all


class Marks(NamedTuple):
    """Room for the marks of one person's candidates."""

    sums: Floats  # (n): zero outside of a call
    touched: IntVector  # (n)


@compiled
def weigh_candidates(
    known: Csr,
    released: Csr,
    beliefs: Beliefs,
    space: FeatureSpace,
    only_deleted: bool,
    nodes: IntMatrix,
    scores: Floats,
) -> None:
    """The best candidates of each person by the marks that contacts give, and by features; best first.

    A contact marks the contacts of its candidates, by the weight of each. A score is by how many standard
    errors a node has more marks than one of its degree gets by chance, less the distance of its features. If
    edges are `only_deleted`, nobody has more contacts than the attacker knows of. Writes `nodes` and `scores`
    (both p, c), which come filled with -1 and minus infinity. O(sum over edges of the degrees of candidates).
    """
    size = released.offsets.shape[0] - 1
    marks = Marks(np.zeros(size), np.empty(size, np.int64))
    last_place = nodes.shape[1] - 1
    ends = max(released.offsets[size], 1)
    for person in range(nodes.shape[0]):
        degree = known.offsets[person + 1] - known.offsets[person]
        found, given = mark_candidates(known, released, beliefs, person, marks)
        for place in range(found):
            node = marks.touched[place]
            got = marks.sums[node]
            marks.sums[node] = 0.0
            released_degree = released.offsets[node + 1] - released.offsets[node]
            if only_deleted and released_degree > degree:
                continue
            by_chance = given * released_degree / ends
            score = SHARPNESS * (got - by_chance) / np.sqrt(by_chance + FLOOR)
            if score > scores[person, last_place]:
                distance = feature_distance(space, person, node, FARTHEST)
                score -= FEATURES_COUNT * min(distance, FARTHEST) / 2
                insert_candidate(nodes, scores, person, node, score)


@inlined
def mark_candidates(
    known: Csr, released: Csr, beliefs: Beliefs, person: int, marks: Marks
) -> tuple[int, float]:
    """Let a person's contacts mark nodes; returns how many nodes have marks, and all marks together.

    Writes `marks`: the sum of each node that is touched, and which those are.
    """
    found, given = 0, 0.0
    for place in range(known.offsets[person], known.offsets[person + 1]):
        contact = known.neighbours[place]
        for rank in range(beliefs.nodes.shape[1]):
            candidate = beliefs.nodes[contact, rank]
            weight = beliefs.weights[contact, rank]
            if candidate < 0:
                break
            if weight < LEAST_WEIGHT:
                continue
            first, last = released.offsets[candidate], released.offsets[candidate + 1]
            given += weight * (last - first)
            for further in range(first, last):
                node = released.neighbours[further]
                if marks.sums[node] == 0.0:
                    marks.touched[found] = node
                    found += 1
                marks.sums[node] += weight
    return found, given
