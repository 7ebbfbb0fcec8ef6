"""Measure `hybrid`: the whole circle and what its members look like from outside (de Jong et al. 2024).

The attacker knows who in a person's circle knows whom, as with `ego`, and how many contacts each of them has
in all, as with `vertex-refinement`, though not which of them has how many.
"""

from __future__ import annotations

import numpy as np

from netveil.anonymity.ego import Ego
from netveil.anonymity.measure import Measure, Part, Reach
from netveil.anonymity.vertex_refinement import VertexRefinement
from netveil.kernels.arrays import IntMatrix
from netveil.network import Network


class Hybrid(Measure):
    """State (ego, vertex-refinement): lookalikes have isomorphic circles, contacts of equal degrees."""

    name = "hybrid"
    title = "knows the circle, and counts the contacts of each"
    attacker = "knows who in a person's circle knows whom, and has counted the contacts of each contact"
    numeric = False
    ego = Ego()
    vertex_refinement = VertexRefinement()

    def states(self, network: Network, distance: int) -> IntMatrix:
        """Two columns, the classes of both measures."""
        both = (self.ego, self.vertex_refinement)
        return np.hstack([measure.states(network, distance) for measure in both])

    def reach(self, distance: int) -> Reach:
        """Vertex refinement reaches farther than the shape: its neighbours' contacts may be outside."""
        return self.vertex_refinement.reach(distance)

    def parts(self, distance: int) -> tuple[Part, ...]:
        """Parts of both measures."""
        return self.ego.parts(distance) + self.vertex_refinement.parts(distance)
