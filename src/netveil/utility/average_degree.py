"""Metric average_degree: neighbours per node (Table 1 of the paper)."""

from __future__ import annotations

from netveil.utility.metric import Property, Undefined
from netveil.utility.side import Side


class AverageDegree(Property):
    """2 m / n."""

    name = "average_degree"
    title = "average degree"
    meaning = "How many contacts a person has on average."

    def value(self, side: Side) -> float:
        """The mean of the degrees."""
        if side.network.node_count == 0:
            raise Undefined("the network has no nodes")
        return 2 * side.network.edge_count / side.network.node_count
