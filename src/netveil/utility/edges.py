"""Metric edges: how many there are (Section 3.4 of the paper: the actual number of edges deleted)."""

from __future__ import annotations

from netveil.utility.metric import Property
from netveil.utility.side import Side


class Edges(Property):
    """The number of edges; its relative change is minus the share of edges deleted."""

    name = "edges"
    title = "edges"
    meaning = "How many of the relations between people are still in the data."

    def value(self, side: Side) -> float:
        """m."""
        return side.network.edge_count
