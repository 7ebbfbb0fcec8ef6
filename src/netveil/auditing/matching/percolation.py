"""Percolation that expands when it is stuck: Kazemi, Hassani and Grossglauser (2015).

A matched pair gives a mark to every pair of their contacts. Pairs with two marks or more are matched, those
with most marks first, and stay so. When nothing is left to match, pairs with one mark give marks as if they
were matched: most are wrong, but wrong marks seldom meet.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from netveil.auditing.matching.matcher import NOBODY, Claims, Situation, reversed_match
from netveil.auditing.matching.seeded import MOST_ROUNDS, agreed, fits, started
from netveil.kernels.matching import Fits

MARKS = 2  # that a pair needs
TIE_BREAKER = 1e-4  # power of the ratio of degrees: of equal marks, those of similar degree come first


class Percolation:
    """Matches pairs with two matched contacts in common; when stuck, tries pairs with one."""

    name = "percolation"
    title = "goes from people recognised to those with two contacts in common"
    paper = "Kazemi, Hassani and Grossglauser (2015)"
    needs_seeds = True

    def claims(self, situation: Situation, rng: np.random.Generator, go_on: Callable[[], None]) -> Claims:
        """Match from the seeds on; expand as often as something new is matched."""
        match, marks = started(situation), np.zeros(situation.known.node_count)
        spread = match  # who gives marks
        for _ in range(MOST_ROUNDS):
            go_on()
            there, back = _fits_of_the_unmatched(situation, match, spread)
            new = agreed(there, back, _enough(there, MARKS), _enough(back, MARKS))
            if (new != NOBODY).any():
                match = np.where(new != NOBODY, new, match)
                marks = np.where(new != NOBODY, there.scores, marks)
                spread = match
                continue
            if spread is not match:
                break  # expanding did not help
            guesses = agreed(there, back, _enough(there, 1), _enough(back, 1))
            spread = np.where(match != NOBODY, match, guesses)
        return Claims(match, marks, match != NOBODY)


def _fits_of_the_unmatched(
    situation: Situation, match: NDArray[np.int64], spread: NDArray[np.int64]
) -> tuple[Fits, Fits]:
    """Best fits of the unmatched, seen from either network, by the marks of people in `spread`."""
    known, released = situation.known, situation.released
    free = np.ones(released.node_count)
    free[match[match != NOBODY]] = 0.0
    there = fits(known.csr, released.csr, spread, free, TIE_BREAKER)
    there.nodes[match != NOBODY] = NOBODY
    spread_back, unmatched = reversed_match(spread, released.node_count), (match == NOBODY).astype(float)
    return there, fits(released.csr, known.csr, spread_back, unmatched, TIE_BREAKER)


def _enough(best: Fits, marks: int) -> NDArray[np.bool_]:
    """Whether the best fit has that many marks; the tie-breaker takes off less than a tenth of one."""
    return best.scores > marks - 0.1
