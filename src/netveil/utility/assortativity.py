"""Assortativity: do the well-connected know each other? (Newman, Assortative mixing in networks, 2002)."""

from __future__ import annotations

from netveil.utility.metric import Property, Undefined
from netveil.utility.side import Side


class Assortativity(Property):
    """Pearson's correlation between the degrees at the two ends of an edge."""

    name = "assortativity"
    title = "degree assortativity"
    meaning = "Whether people with many contacts know each other (above 0) or people with few (below 0)."

    def value(self, side: Side) -> float:
        """r, between -1 and 1."""
        network = side.network
        one, other = network.degrees[network.edges].T
        # Newman's formula times 4 m^2: whole numbers, so nothing is lost and a zero variance is a zero.
        ends = int((one + other).sum())
        squares = int((one * one + other * other).sum())
        variance = 2 * network.edge_count * squares - ends * ends
        if variance == 0:
            alike = "all edges have ends of the same degree"
            raise Undefined(alike if network.edge_count else "the network has no edges")
        return (4 * network.edge_count * int((one * other).sum()) - ends * ends) / variance
