"""Metric path_length: the average shortest path length (Sections 3.1 and 3.4 of the paper)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from netveil.utility.metric import Property, Undefined
from netveil.utility.side import PathSurvey, Side


class PathLength(Property):
    """The mean of d(v, w) over all pairs of nodes that a path connects; other pairs are left out."""

    name = "path_length"
    title = "average shortest path length"
    meaning = "Through how many hands something passes between two people, on average."

    def value(self, side: Side) -> float:
        """The distances from all sources over the nodes reached from them."""
        pairs = int(side.paths.reached.sum())
        if pairs == 0:
            raise Undefined("no two nodes are connected")
        return int(side.paths.distance_sums.sum()) / pairs

    def note(self, before: Side, after: Side) -> str:
        """Whether it is an estimate."""
        return before.paths.says

    def standard_error(self, before: Side, after: Side) -> dict[str, float]:
        """Of a ratio of two sums over a random sample of sources, drawn without repetition (linearised)."""
        if not before.paths.is_sample:
            return {}
        deviations_before, deviations_after = self._deviations(before), self._deviations(after)
        return {
            "before": _standard_error(deviations_before, before.paths),
            "after": _standard_error(deviations_after, after.paths),
            # The sources are the same nodes in both, so most of the error cancels.
            "change": _standard_error(deviations_after - deviations_before, before.paths),
        }

    def _deviations(self, side: Side) -> NDArray[np.float64]:
        paths = side.paths
        deviations = paths.distance_sums - self.value(side) * paths.reached
        return np.asarray(deviations / paths.reached.mean())


def _standard_error(deviations: NDArray[np.float64], paths: PathSurvey) -> float:
    return math.sqrt(float(deviations.var(ddof=1)) * paths.unseen_share / paths.sources)


# Metric diameter: the largest finite distance (Section 3.1 of the paper).


class Diameter(Property):
    """The largest d(v, w) over all pairs of nodes that a path connects."""

    name = "diameter"
    title = "diameter"
    meaning = "How far apart the two people are who are farthest from each other, yet connected."

    def value(self, side: Side) -> float:
        """D(G), or a lower bound on it if not all nodes were searched from."""
        if side.network.edge_count == 0:
            raise Undefined("no two nodes are connected")
        return side.paths.diameter

    def note(self, before: Side, after: Side) -> str:
        """Whether it is a lower bound."""
        says = before.paths.says
        return f"a lower bound, {says}" if says else ""
