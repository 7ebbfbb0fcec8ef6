"""Drawing pairs of nodes, none of them twice."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netveil.simulated.generator import Pairs


def distinct_numbers(total: int, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """`count` different numbers below `total`, every choice as likely, in ascending order."""
    if count > total / 2:
        kept = np.ones(total, dtype=bool)
        kept[distinct_numbers(total, total - count, rng)] = False
        return np.flatnonzero(kept)
    drawn = np.empty(0, dtype=np.int64)
    while len(drawn) < count:
        # As many as are missing, so that none must be taken away again, which would favour some.
        drawn = np.union1d(drawn, rng.integers(total, size=count - len(drawn)))
    return drawn


def independent_pairs(
    first: NDArray[np.int64], last: NDArray[np.int64], chance: float, rng: np.random.Generator
) -> Pairs:
    """Each pair (u, v) with first[v] <= u < last[v] by the same chance, independently of the others."""
    ends = np.cumsum(last - first)
    total = int(ends[-1])
    numbers = distinct_numbers(total, int(rng.binomial(total, chance)), rng)
    larger = np.searchsorted(ends, numbers, side="right")
    smaller = last[larger] - (ends[larger] - numbers)
    return np.column_stack((smaller, larger))
