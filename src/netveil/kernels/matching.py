"""Matching of people with nodes of a release, by features and by matched contacts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import Csr, IntMatrix, IntVector
from netveil.kernels.compiled import in_place, inlined

Floats = NDArray[np.float64]
"""Numbers with fractions; of one, two or three dimensions."""


class FeatureSpace(NamedTuple):
    """Features of p people as the attacker expects them in the release, and of its n nodes; f features.

    In units of their noise, which is another one for each of g groups of people: who has more contacts has
    features that are less noisy.
    """

    expected: NDArray[np.float32]  # (p, f): in the units of the person's group
    published: NDArray[np.float32]  # (g, n, f): in the units of each group
    groups: IntVector  # (p): a person's group


class Windows(NamedTuple):
    """The nodes that each person is compared with: a stretch of the nodes in order of their degree."""

    order: IntVector  # (n): nodes by degree
    first: IntVector  # (p): places in `order`, the last of them excluded
    last: IntVector  # (p)


@inlined
def feature_distance(space: FeatureSpace, person: int, node: int, most: float) -> float:
    """Squared distance of a node's features from those expected of a person, in units of their noise.

    Mahalanobis' (1936). Where it is more than `most`, only some number that is more. O(f).
    """
    group = space.groups[person]
    total = 0.0
    for feature in range(space.expected.shape[1]):
        difference = space.expected[person, feature] - space.published[group, node, feature]
        total += difference * difference
        if total > most:
            break
    return total


@inlined
def insert_candidate(nodes: IntMatrix, scores: Floats, person: int, node: int, score: float) -> None:
    """Put a node among the best candidates of a person if its score is high enough; best first.

    Among equals who came first stays first. Writes row `person` of `nodes` and `scores` (both p, c).
    """
    place = nodes.shape[1] - 1
    if score <= scores[person, place]:
        return
    while place > 0 and scores[person, place - 1] < score:
        scores[person, place] = scores[person, place - 1]
        nodes[person, place] = nodes[person, place - 1]
        place -= 1
    scores[person, place] = score
    nodes[person, place] = node


@in_place
def nearest_by_features(space: FeatureSpace, windows: Windows, nodes: IntMatrix, scores: Floats) -> None:
    """The candidates of each person with the nearest features, best first; a score is minus half a distance.

    Writes `nodes` and `scores` (both p, c), which come filled with -1 and minus infinity.
    """
    last_place = nodes.shape[1] - 1
    for person in range(nodes.shape[0]):
        for place in range(windows.first[person], windows.last[person]):
            node = windows.order[place]
            most = -2.0 * scores[person, last_place]
            distance = feature_distance(space, person, node, most)
            insert_candidate(nodes, scores, person, node, -distance / 2)


# One round of the seeded attacks: how well nodes of two networks fit each other, by matched contacts.


class Marks(NamedTuple):
    """Room for the marks of one person's candidates, among n nodes."""

    sums: Floats  # (n): zero outside of a call
    touched: IntVector  # (n + 1)


def room_for_marks(nodes: int) -> Marks:
    """Marks of nobody yet."""
    return Marks(np.zeros(nodes), np.empty(nodes + 1, np.int64))


class Likeness(NamedTuple):
    """Weight of a common neighbour that is matched: the worth of the node, times how alike both sizes are."""

    worth: Floats  # (n): of a node that is looked for among; 0 where it is taken
    sizes: Floats  # (n): a power of its degree
    known_sizes: Floats  # (p): a power of the degree of each person


class Fits(NamedTuple):
    """For each of p nodes the one that fits it best, and by how much."""

    nodes: NDArray[np.int64]  # (p): -1 where there is none
    scores: Floats  # (p)
    seconds: Floats  # (p): of the one that fits second best
    spreads: Floats  # (p): standard deviation of the scores of all nodes


@in_place
def best_fits(
    known: Csr, released: Csr, match: IntVector, likeness: Likeness, scratch: Marks, best: Fits
) -> None:
    """Score all nodes of `released` for each of `known` by contacts that are matched (p) to contacts.

    Among equals the first stays. Writes `best`. O(sum over edges of the degree of the match).
    """
    marks, touched = scratch
    nodes = max(marks.shape[0], 1)
    for person in range(known.offsets.shape[0] - 1):
        found = 0
        for place in range(known.offsets[person], known.offsets[person + 1]):
            image = match[known.neighbours[place]]
            if image < 0:
                continue
            for further in range(released.offsets[image], released.offsets[image + 1]):
                # Written without asking and kept if it counts, as in `mark_candidates`.
                node = released.neighbours[further]
                touched[found] = node
                found += np.int64(marks[node] == 0.0)
                marks[node] += 1.0
        size = likeness.known_sizes[person]
        chosen, highest, second, total, squares = -1, 0.0, 0.0, 0.0, 0.0
        for place in range(found):
            node = touched[place]
            other = likeness.sizes[node]
            score = marks[node] * likeness.worth[node] * (min(size, other) / max(size, other))
            marks[node] = 0.0
            total += score
            squares += score * score
            if score > highest:
                chosen, highest, second = node, score, highest
            elif score > second:
                second = score
        mean = total / nodes
        best.nodes[person] = chosen
        best.scores[person] = highest
        best.seconds[person] = second
        best.spreads[person] = np.sqrt(max(squares / nodes - mean * mean, 0.0))


# One round of weighing candidates: what the candidates of a person's contacts say about the person's own.


LEAST_WEIGHT = 0.02  # candidates with less are passed over: they cost time and say next to nothing
SHARPNESS = 2.0  # of the evidence of contacts, in standard errors
FLOOR = 0.3  # marks: keeps a single mark where none is expected from being overwhelming
FEATURES_COUNT = 0.25  # of a feature's likelihood: their noise is less independent than is modelled
FARTHEST = 100.0  # squared distance of features: farther is no worse, for a hub may have lost much


class Beliefs(NamedTuple):
    """The c best candidates of each of p people, best first."""

    nodes: IntMatrix  # (p, c): nodes of the release; -1 from where there are no more
    weights: Floats  # (p, c): how likely each is, at most 1 in all


@in_place
def weigh_candidates(
    known: Csr,
    released: Csr,
    beliefs: Beliefs,
    space: FeatureSpace,
    only_deleted: bool,
    marks: Marks,
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
                # Written without asking and kept if it counts: a branch here is wrong every other time.
                node = released.neighbours[further]
                marks.touched[found] = node
                found += np.int64(marks.sums[node] == 0.0)
                marks.sums[node] += weight
    return found, given
