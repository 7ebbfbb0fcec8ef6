"""Measure `degree`: the number of contacts (Liu & Terzi 2008: k-degree anonymity).

The attacker has counted a person's contacts, and knows nothing of the ties among them. The
distance makes no difference.
"""

from __future__ import annotations

from netveil.anonymity.measure import Measure, Part, Reach, Weights
from netveil.kernels.arrays import IntMatrix
from netveil.kernels.states import LINEAR
from netveil.network import Network


class Degree(Measure):
    """State degree: lookalikes have equally many contacts."""

    name = "degree"
    title = "counts contacts"
    attacker = "has counted a person's contacts"
    numeric = True
    only_falls = True

    def states(self, network: Network, distance: int) -> IntMatrix:
        """One column, the degrees, whatever the distance."""
        return network.degrees.reshape(-1, 1)

    def column_names(self, distance: int) -> tuple[str, ...]:
        """The one number."""
        return ("contacts",)

    def reach(self, distance: int) -> Reach:
        """An edge counts for its two ends only."""
        return Reach(0, both=False)

    def parts(self, distance: int) -> tuple[Part, ...]:
        """The degree itself."""
        return (Part(LINEAR, 1, Weights(1, 0, numbers=((1, 0), (0, 0)))),)
