"""Metric isolated: nodes without any edge."""

from __future__ import annotations

from netveil.utility.metric import Property
from netveil.utility.side import Side


class IsolatedNodes(Property):
    """The number of nodes of degree 0."""

    name = "isolated"
    title = "isolated nodes"
    meaning = "How many people have no contact left in the data."

    def value(self, side: Side) -> float:
        """The number of such nodes."""
        return side.isolated_count
