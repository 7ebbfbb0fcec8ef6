"""Metric diameter: the largest finite distance (Section 3.1 of the paper)."""

from __future__ import annotations

from netveil.utility.metric import Property, Undefined
from netveil.utility.side import Side


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
