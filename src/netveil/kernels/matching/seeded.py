"""One round of the seeded attacks: how well nodes of two networks fit each other, by matched contacts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import Csr, IntVector
from netveil.kernels.compiled import compiled, inlined
from netveil.kernels.matching.features import Floats


class Likeness(NamedTuple):
    """What a matched contact in common is worth to a pair of nodes, by their degrees."""

    worth: Floats  # (n): of a node that is looked for among; 0 where it is taken
    power: float  # of the ratio of the two degrees, the smaller over the larger


class Fits(NamedTuple):
    """For each of p nodes the one that fits it best, and by how much."""

    nodes: NDArray[np.int64]  # (p): -1 where there is none
    scores: Floats  # (p)
    seconds: Floats  # (p): of the one that fits second best
    spreads: Floats  # (p): standard deviation of the scores of all nodes


@compiled
def best_fits(known: Csr, released: Csr, match: IntVector, likeness: Likeness, best: Fits) -> None:
    """Score all nodes of `released` for each of `known` by contacts that are matched (p) to contacts.

    Among equals the first stays. Writes `best`. O(sum over edges of the degree of the match).
    """
    size = released.offsets.shape[0] - 1
    marks = np.zeros(size)
    touched = np.empty(size, np.int64)
    for person in range(known.offsets.shape[0] - 1):
        found = 0
        for place in range(known.offsets[person], known.offsets[person + 1]):
            image = match[known.neighbours[place]]
            if image < 0:
                continue
            for further in range(released.offsets[image], released.offsets[image + 1]):
                node = released.neighbours[further]
                if marks[node] == 0.0:
                    touched[found] = node
                    found += 1
                marks[node] += 1.0
        degree = known.offsets[person + 1] - known.offsets[person]
        choose_best(released, degree, marks, touched, found, likeness, best, person)


@inlined
def choose_best(
    released: Csr,
    degree: int,
    marks: Floats,
    touched: NDArray[np.int64],
    found: int,
    likeness: Likeness,
    best: Fits,
    person: int,
) -> None:
    """The best and the second best of `found` nodes touched. Writes a row of `best`, and clears `marks`."""
    size = max(marks.shape[0], 1)
    chosen, highest, second, total, squares = -1, 0.0, 0.0, 0.0, 0.0
    for place in range(found):
        node = touched[place]
        other = released.offsets[node + 1] - released.offsets[node]
        ratio = min(degree, other) / max(degree, other)
        score = marks[node] * likeness.worth[node] * ratio**likeness.power
        marks[node] = 0.0
        total += score
        squares += score * score
        if score > highest:
            chosen, highest, second = node, score, highest
        elif score > second:
            second = score
    mean = total / size
    best.nodes[person] = chosen
    best.scores[person] = highest
    best.seconds[person] = second
    best.spreads[person] = np.sqrt(max(squares / size - mean * mean, 0.0))
