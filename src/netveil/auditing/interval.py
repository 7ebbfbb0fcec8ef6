"""How far a rate of success can be trusted: an interval around the mean of numbers between 0 and 1."""

from __future__ import annotations

from math import sqrt

Z_OF_95_PERCENT = 1.959963984540054  # a normal variable is farther than this from its mean 1 time in 20


def score_interval(mean: float, people: int) -> tuple[float, float]:
    """The 95% interval of Wilson (1927) for a mean over people, each of whom counts from 0 to 1.

    The people are taken for a sample of those whom such a network could hold. The interval holds every mean m
    from which the observed one is at most 1.96 standard errors away, with the variance m (1 - m). That is the
    variance of hits and misses, and the largest that numbers between 0 and 1 with the mean m can have: people
    who count as 1/candidates vary less, so the interval errs towards being too wide. It never leaves 0 to 1,
    and has a width where everybody or nobody is found, unlike mean ± 1.96 standard errors. Nothing is random.

    >>> score_interval(0.0, 100)  # doctest: +ELLIPSIS
    (0.0, 0.0369...)
    """
    square = Z_OF_95_PERCENT**2
    centre = (mean + square / (2 * people)) / (1 + square / people)
    reach = sqrt(mean * (1 - mean) / people + square / (4 * people**2)) * Z_OF_95_PERCENT
    reach /= 1 + square / people
    low = 0.0 if mean == 0 else max(0.0, centre - reach)
    high = 1.0 if mean == 1 else min(1.0, centre + reach)
    return low, high
