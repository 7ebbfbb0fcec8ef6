"""About how long a search still takes, said so that it can be read while it changes."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

from netveil.words import duration

if TYPE_CHECKING:
    from netveil.search.progress import Underway

LEAST_SHARE, LEAST_SECONDS = 0.01, 1.0  # of a search, before anything can be said
TOLERANCE = 0.05  # of the whole time, by which an estimate may be off before it is corrected
TOO_EARLY = "about … left"
FINE = 20  # seconds; more than these are said in steps of 5


class TimeLeft:
    """What is left of the time limit; without one, an estimate from the share of the search that is done.

    An estimate is kept as long as it is about right, and counts down by the clock: each step of a search
    would give a slightly different one.
    """

    def __init__(self, limit: float | None) -> None:
        """`limit` in seconds, if the search has one."""
        self.limit = limit
        self.end: float | None = None  # when the search is expected to end, in seconds since its start

    def words(self, progress: Underway) -> str:
        """'about 48 s left', with dots where it is too early to tell; nothing where it cannot be told."""
        share, passed = progress.share, progress.seconds
        if self.limit is not None:
            if passed >= self.limit:
                return "finishing"
            at_most = "at most " if share is None else ""  # what has no share may stop by itself at any time
            return f"{at_most}{duration(ceil(self.limit - passed))} left"
        if share is None and self.end is None:
            return ""
        if share is None or share >= 1:  # what comes after the last share is not counted
            return "finishing"
        if share < LEAST_SHARE or passed < LEAST_SECONDS:
            return TOO_EARLY
        estimate = passed / share
        if self.end is None or abs(estimate - self.end) > max(1.0, TOLERANCE * estimate):
            self.end = estimate
        return f"about {duration(_rounded(self.end - passed))} left"


def _rounded(seconds: float) -> int:
    """Whole seconds, from 20 on in steps of 5, and never none while a search goes on."""
    return max(1, ceil(seconds)) if seconds <= FINE else 5 * ceil(seconds / 5)
