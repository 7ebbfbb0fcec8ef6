"""Measure `edge-count`: the number of edges of G_d(v) alone (EdgeCount of ANO-NET).

The attacker has counted the ties in a person's circle, those of the person and those among the contacts, in
one number: she does not know how many contacts there are.
"""

from __future__ import annotations

import numpy as np

from netveil.anonymity.count import Count
from netveil.anonymity.measure import Part, Surroundings, Weights
from netveil.kernels.arrays import IntMatrix
from netveil.kernels.states import EDGES_AROUND, LINEAR
from netveil.network import Network


class EdgeCount(Surroundings):
    """State degree + triangles, the edges of G_1(v): lookalikes have equally many ties in their circles."""

    name = "edge-count"
    title = "counts all ties of the circle in one number"
    attacker = "has counted all ties in a person's circle in one number, without counting the contacts"
    numeric = True
    only_falls = True

    def states(self, network: Network, distance: int) -> IntMatrix:
        """A column for each distance: the number of edges of the surroundings."""
        counts = Count().states(network, distance)
        return np.column_stack((counts[:, 0] + counts[:, 1], counts[:, 3::2]))

    def column_names(self, distance: int) -> tuple[str, ...]:
        """One number for each distance."""
        return ("ties in the circle", *(f"ties within {far}" for far in range(2, distance + 1)))

    def parts(self, distance: int) -> tuple[Part, ...]:
        """The sum of degree and triangles; farther away, edges are counted."""
        if distance == 1:
            return (Part(LINEAR, 1, Weights(1, 1, numbers=((1, 1), (0, 0)))),)
        return (Part(EDGES_AROUND, distance),)
