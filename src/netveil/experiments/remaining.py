"""How long the rest of an experiment takes, estimated from finished runs of the same kind."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from statistics import fmean, median
from typing import NamedTuple

SECONDS_OF_A_LONG_RUN = 60.0  # beside which it does not matter that a worker first loads and compiles


class Kind(NamedTuple):
    """Runs of the same kind take about as long."""

    network: str  # by its name in the plan
    algorithm: str
    edges: int  # of the network: with more of them, runs take longer


@dataclass
class Durations:
    """How long runs took."""

    seconds: dict[Kind, list[float]] = field(default_factory=lambda: defaultdict(list))

    def add(self, kind: Kind, seconds: float, is_first: bool = False) -> None:
        """Learn from a run; not from a short one that was the first of its worker."""
        if not is_first or seconds >= SECONDS_OF_A_LONG_RUN:
            self.seconds[kind].append(seconds)

    def remaining(self, kinds: Iterable[Kind], workers: int) -> float | None:
        """Seconds that runs of these kinds take on this many workers; None while nothing is known.

        A run takes the median of its kind, as the first run of a worker takes longer. Where no run of the
        kind is finished, it takes as long for each edge as runs of its algorithm on other networks, or as all
        runs.

        >>> durations = Durations()
        >>> durations.add(Kind("small", "ga", 100), 4.0)
        >>> durations.remaining([Kind("small", "ga", 100), Kind("large", "ga", 1000)], workers=2)
        22.0
        """
        if not self.seconds:
            return None
        return sum(count * self._expected(kind) for kind, count in Counter(kinds).items()) / workers

    def _expected(self, kind: Kind) -> float:
        if kind in self.seconds:
            return median(self.seconds[kind])
        alike = [known for known in self.seconds if known.algorithm == kind.algorithm] or list(self.seconds)
        return kind.edges * fmean(median(self.seconds[known]) / max(known.edges, 1) for known in alike)
