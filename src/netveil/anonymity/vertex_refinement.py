"""Measure `vertex-refinement`: how many contacts the contacts have (VRQ of Hay et al. 2007).

The attacker has counted a person's contacts and, for each of them, their contacts; with distance 2 also those
of the contacts' contacts, and so on. She does not know which of them know each other. In each round
a node's value becomes the multiset of its neighbours' values, starting from degrees.
"""

from __future__ import annotations

from netveil.anonymity.measure import Measure, Part, Reach
from netveil.kernels.arrays import IntMatrix
from netveil.kernels.states import CONTACTS
from netveil.network import Network


class VertexRefinement(Measure):
    """State multiset of the contacts' degrees: lookalikes have contacts with equally many contacts."""

    name = "vertex-refinement"
    title = "counts contacts and the contacts of each"
    attacker = "has counted a person's contacts and, for each of them, their contacts in turn"
    numeric = False

    def states(self, network: Network, distance: int) -> IntMatrix:
        """One column, the class of the value after as many rounds as the distance.

        A value contains those of all earlier rounds: a multiset has one member for each neighbour.
        """
        from netveil.kernels.classes import classes_of_rows, sort_rows

        value = network.degrees
        for _ in range(distance):
            of_neighbours = value[network.csr.neighbours]
            sort_rows(network.csr.offsets, of_neighbours)
            value, _classes = classes_of_rows(network.csr.offsets, of_neighbours)
        return value.reshape(-1, 1)

    def reach(self, distance: int) -> Reach:
        """A degree changes states as many steps away as there are rounds."""
        return Reach(distance, both=False)

    def parts(self, distance: int) -> tuple[Part, ...]:
        """The neighbours' values, after as many rounds as the distance."""
        return (Part(CONTACTS, distance),)
