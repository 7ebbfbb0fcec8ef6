"""Metric clustering: the average clustering coefficient (Watts & Strogatz 1998; Section 3.1 of the paper).

The clustering coefficient of a node is the number of its triangles over its pairs of neighbours, which is
0/0 for a node with fewer than two neighbours. Textbooks and the formula in Section 3.1 count
that as 0; the figures in the paper's Table 1 leave such nodes out of the average (GRQC: 0.69, not 0.53).
"""

from __future__ import annotations

import math

from netveil.utility.metric import Property, Undefined
from netveil.utility.side import Side


class Clustering(Property):
    """The mean over nodes of triangles / (degree (degree - 1) / 2)."""

    name = "clustering"
    title = "average clustering coefficient"
    meaning = "How often two contacts of the same person also know each other."

    def value(self, side: Side) -> float:
        """cc(G), over the nodes with two neighbours or more, or over all."""
        from netveil.kernels.counting.triangles import triangles_per_node

        degrees = side.network.degrees
        able = degrees >= 2
        leave_out = side.settings.clustering == "paper"
        nodes = int(able.sum()) if leave_out else len(degrees)
        if nodes == 0:
            raise Undefined("no node has two neighbours" if len(degrees) else "the network has no nodes")
        triangles = triangles_per_node(side.network.edges, degrees)
        pairs = degrees * (degrees - 1) / 2
        # Summed exactly, so that the order of the nodes does not show in the last digits.
        return math.fsum(triangles[able] / pairs[able]) / nodes

    def note(self, before: Side, after: Side) -> str:
        """Which of the two definitions it is."""
        if before.settings.clustering == "paper":
            return "over nodes with at least two neighbours, as in the paper"
        return "over all nodes; fewer than two neighbours count as 0, as in textbooks"
