"""Metric degree_distribution: the Kolmogorov-Smirnov distance between the degrees before and after."""

from __future__ import annotations

import numpy as np

from netveil.utility.metric import LOWER, Finding, Metric
from netveil.utility.side import Side


class DegreeDistribution(Metric):
    """The largest difference, over all k, between the shares of nodes with at most k neighbours.

    Before is 0.0, the distance of a network from itself; after is the distance.
    """

    name = "degree_distribution"
    title = "distance between degree distributions"
    better = LOWER
    meaning = (
        "How much the picture of who has many contacts and who has few has shifted: 0 not at all, 1 wholly."
    )

    def compare(self, before: Side, after: Side) -> Finding:
        """The distance, between 0 and 1."""
        nodes = before.network.node_count
        if nodes == 0:
            return Finding(self.title, None, None, self.better, note="the networks have no nodes")
        largest = int(max(before.network.degrees.max(), after.network.degrees.max()))
        counts_before = np.bincount(before.network.degrees, minlength=largest + 1)
        counts_after = np.bincount(after.network.degrees, minlength=largest + 1)
        apart = int(np.abs(np.cumsum(counts_before - counts_after)).max())
        return Finding(self.title, 0.0, apart / nodes, self.better, note="Kolmogorov-Smirnov")
