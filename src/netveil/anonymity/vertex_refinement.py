"""Measure `vertex-refinement`: what the contacts look like, and theirs (VRQ of Hay et al. 2007).

The attacker has counted a person's contacts and, for each of them, theirs; with distance 2 also what the
contacts of the contacts look like, and so on. She does not know who among them know each other. In each round
a node's value becomes the multiset of its neighbours' values, starting from degrees.
"""

from __future__ import annotations

from netveil.anonymity.measure import Part, Reach
from netveil.kernels.arrays import IntMatrix
from netveil.kernels.following.part_kinds import CONTACTS
from netveil.network import Network


class VertexRefinement:
    """State multiset of the contacts' degrees: as many contacts, who have as many contacts."""

    name = "vertex-refinement"
    attacker = "has counted a person's contacts and, for each of them, their contacts in turn"
    numeric = False

    def states(self, network: Network, distance: int) -> IntMatrix:
        """One column, the class of the value after as many rounds as the distance.

        A multiset has as many members as the node has neighbours, so a value tells all earlier ones.
        """
        from netveil.kernels.counting.multisets import classes_of_rows, sort_rows

        value = network.degrees
        for _ in range(distance):
            of_neighbours = value[network.csr.neighbours]
            sort_rows(network.csr.offsets, of_neighbours)
            value, _classes = classes_of_rows(network.csr.offsets, of_neighbours)
        return value.reshape(-1, 1)

    def reach(self, distance: int) -> Reach:
        """A degree is felt as far away as there are rounds."""
        return Reach(distance, both=False)

    def parts(self, distance: int) -> tuple[Part, ...]:
        """What the neighbours look like, in as many rounds."""
        return (Part(CONTACTS, distance),)
