"""Which nodes of a release have the features that a person is expected to have there."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import IntMatrix, IntVector
from netveil.kernels.compiled import compiled, inlined

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


@compiled
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
