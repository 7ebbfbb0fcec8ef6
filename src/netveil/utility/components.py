"""Metric components: the number of connected components."""

from __future__ import annotations

from netveil.utility.metric import Property
from netveil.utility.side import Side


class Components(Property):
    """Sets of nodes that paths connect; an isolated node is one of its own."""

    name = "components"
    title = "connected components"
    meaning = "Into how many separate pieces the network falls."

    def value(self, side: Side) -> float:
        """The number of components."""
        return len(side.component_sizes)
