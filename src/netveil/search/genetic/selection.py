"""Selection in the genetic algorithm: rows of a population, chosen by their objective (lower is better).

Crossover and mutation work on packed bits and live in `kernels.genetic`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import Words

IntRow = NDArray[np.int64]


def roulette_wheel(objectives: IntRow, count: int, rng: np.random.Generator) -> IntRow:
    """Draw `count` rows with chance proportional to (largest objective - objective), with replacement.

    Where all objectives are equal, each row has the same chance.
    """
    merit = (objectives.max() - objectives).astype(float)
    total = merit.sum()
    if total == 0.0:
        return rng.integers(len(objectives), size=count)
    wheel = np.cumsum(merit)
    # side="right": a row of merit 0 has no width on the wheel and is never hit.
    hits: IntRow = np.searchsorted(wheel, rng.random(count) * wheel[-1], side="right")
    return hits


def tournament(objectives: IntRow, count: int, size: int, rng: np.random.Generator) -> IntRow:
    """Hold `count` tournaments among `size` distinct rows each; the lowest objective wins."""
    size = min(size, len(objectives))
    entrants = np.argsort(rng.random((count, len(objectives))), axis=1)[:, :size]
    winners = np.argmin(objectives[entrants], axis=1)
    won: IntRow = entrants[np.arange(count), winners]
    return won


def fittest(
    objectives: IntRow, deleted: IntRow, words: Words, count: int, rng: np.random.Generator
) -> IntRow:
    """The `count` rows of lowest objective, as in (μ + λ)-selection.

    Among equals those that delete more edges come first, then chance decides. A row that repeats another one
    comes only where distinct rows run out. See docs/decisions.md, "Equals in the population".
    """
    ranking = np.lexsort((rng.random(len(objectives)), -deleted, objectives)).tolist()
    first_of_its_kind: dict[bytes, int] = {}
    twins = []
    for row in ranking:
        if first_of_its_kind.setdefault(words[row].tobytes(), row) != row:
            twins.append(row)
    return np.array([*first_of_its_kind.values(), *twins][:count])
