"""Measure `degree-distribution`: the degrees inside G_d(v), as a multiset (DegDist of ANO-NET).

The attacker knows for each member of a person's circle how many of the others they know, but not who is who.
Inside G_1(v), the neighbour w has degree 1 + the number of triangles on the edge {v, w}: at distance 1, the
state is the multiset of triangles on v's edges.
"""

from __future__ import annotations

import numpy as np

from netveil.anonymity.measure import Part, Surroundings
from netveil.kernels.arrays import IntMatrix
from netveil.kernels.states import DEGREES_AROUND, TIES
from netveil.network import Network
from netveil.threads import available_cores


class DegreeDistribution(Surroundings):
    """State degrees inside the surroundings: members of lookalikes' circles know equally many others."""

    name = "degree-distribution"
    title = "knows how many of the circle each member knows"
    attacker = "knows for everybody in a person's circle how many others of the circle they know"
    numeric = False

    def states(self, network: Network, distance: int) -> IntMatrix:
        """One column, the class of the multisets at all distances."""
        from netveil.kernels.balls import ball_degrees, in_threads
        from netveil.kernels.classes import classes_of_rows, joined_rows, sort_rows
        from netveil.kernels.triangles import orient, triangles_per_edge

        if distance == 1:
            triangles = triangles_per_edge(orient(network.edges, network.degrees, True, available_cores()))
            offsets, values = network.csr.offsets, triangles[network.csr.edge_numbers]
            sort_rows(offsets, values)
        else:
            everyone = np.arange(network.node_count)
            parts = in_threads(ball_degrees, network.csr, everyone, distance, available_cores())
            offsets, values = joined_rows(parts)
        return classes_of_rows(offsets, values)[0].reshape(-1, 1)

    def parts(self, distance: int) -> tuple[Part, ...]:
        """The triangles on a node's edges; farther away, the degrees inside the surroundings."""
        return (Part(TIES),) if distance == 1 else (Part(DEGREES_AROUND, distance),)
