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
    """Features of p people as the attacker expects them in the release, and of its n nodes; f features."""

    expected: Floats  # (p, f)
    published: Floats  # (n, f)
    scales: Floats  # (g, f, f): lower triangular; differences times this have the variance 1
    groups: IntVector  # (p): whose scale is a person's


class Windows(NamedTuple):
    """The nodes that each person is compared with: a stretch of the nodes in order of their degree."""

    order: IntVector  # (n): nodes by degree
    first: IntVector  # (p): places in `order`, the last of them excluded
    last: IntVector  # (p)


@inlined
def feature_distance(space: FeatureSpace, person: int, node: int, most: float) -> float:
    """Squared distance of a node's features from those expected of a person, in units of their noise.

    Mahalanobis' (1936). Where it is more than `most`, only some number that is more. O(f²).
    """
    scale = space.scales
    group = space.groups[person]
    features = space.expected.shape[1]
    total = 0.0
    for column in range(features):
        part = 0.0
        for row in range(column, features):
            difference = space.expected[person, row] - space.published[node, row]
            part += scale[group, row, column] * difference
        total += part * part
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
    """The candidates of each person whose features are nearest, best first; scores are minus half the distance.

    Writes `nodes` and `scores` (both p, c), which come filled with -1 and minus infinity.
    """
    last_place = nodes.shape[1] - 1
    for person in range(nodes.shape[0]):
        for place in range(windows.first[person], windows.last[person]):
            node = windows.order[place]
            most = -2.0 * scores[person, last_place]
            distance = feature_distance(space, person, node, most)
            insert_candidate(nodes, scores, person, node, -distance / 2)
