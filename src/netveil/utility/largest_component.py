"""Metric lcc: robustness, the share of nodes in the largest component (Section 3.4 of the paper)."""

from __future__ import annotations

from netveil.utility.metric import Property, Undefined
from netveil.utility.side import Side


class LargestComponent(Property):
    """Nodes in the largest connected component over all nodes."""

    name = "lcc"
    title = "share of nodes in the largest component"
    meaning = "How many people are part of the largest connected piece."

    def value(self, side: Side) -> float:
        """The share, between 0 and 1."""
        if side.network.node_count == 0:
            raise Undefined("the network has no nodes")
        return int(side.component_sizes.max()) / side.network.node_count
