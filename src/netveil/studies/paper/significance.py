"""Is one algorithm better than another, or was it chance? The Wilcoxon rank-sum test, exact, ties included.

The paper says "a Wilcoxon test" and no more. The signed-rank test of that name is for pairs, and runs of two
algorithms are not paired: an equal seed makes them no more alike. With 5 pairs its two-sided p cannot be less
than 1/16 either, so nothing could be significant at 5%. The rank-sum test (Mann and Whitney's U test) is the
one for independent runs; with 5 against 5 its p can be as small as 2/252.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

LEVEL = 0.05
"""A p below this is called significant. It is not corrected for the number of comparisons."""


def rank_sum_p(first: Sequence[float], second: Sequence[float]) -> float:
    """The two-sided p of the Wilcoxon rank-sum test, from all ways to deal the values out to the two.

    >>> rank_sum_p([1, 2, 3, 4, 5], [6, 7, 8, 9, 10]) == 2 / 252
    True
    >>> rank_sum_p([4, 4], [4, 4])
    1.0
    """
    if not first or not second:
        raise ValueError("the test needs a value on both sides")
    ranks = _doubled_ranks([*first, *second])
    found = sum(ranks[: len(first)])
    ways = _ways_to_sums(ranks, len(first))
    lower = sum(count for total, count in ways.items() if total <= found)
    higher = sum(count for total, count in ways.items() if total >= found)
    return min(1.0, 2 * min(lower, higher) / comb(len(ranks), len(first)))


def smallest_p(first: int, second: int) -> float:
    """The smallest p that the test can give: 10% with 3 against 3 runs, 0.8% with 5 against 5."""
    return min(1.0, 2 / comb(first + second, first))


def _doubled_ranks(values: Sequence[float]) -> list[int]:
    """Twice the rank of each value; equal ones share the mean of their ranks, so that twice it is whole."""
    return [
        sum(other < value for other in values) + sum(other <= value for other in values) + 1
        for value in values
    ]


def _ways_to_sums(ranks: Sequence[int], size: int) -> dict[int, int]:
    """For each sum, in how many ways `size` of the ranks add up to it."""
    ways: list[dict[int, int]] = [{0: 1}, *({} for _ in range(size))]
    for rank in ranks:
        for chosen in range(size, 0, -1):
            for total, count in ways[chosen - 1].items():
                ways[chosen][total + rank] = ways[chosen].get(total + rank, 0) + count
    return ways[size]
