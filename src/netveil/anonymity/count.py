"""Measure `count`: the state (degree, triangles) of Section 3.2 of the paper.

The attacker has counted a person's contacts and the ties among them. Equivalently, she knows the number of
nodes and of edges in the person's neighbourhood.
"""

from __future__ import annotations

import numpy as np

from netveil.anonymity.measure import Weights
from netveil.cores import available_cores
from netveil.kernels.arrays import IntMatrix, IntVector
from netveil.network import Network


class Count:
    """State (degree, triangles): as many contacts, and as many ties among them."""

    name = "count"
    attacker = "has counted a person's contacts and the ties among those contacts"

    def states(self, network: Network) -> IntMatrix:
        """Rows (degree, triangles)."""
        from netveil.kernels.triangles import triangles_per_node

        triangles = triangles_per_node(network.edges, network.degrees, threads=available_cores())
        return np.column_stack((network.degrees, triangles))

    def touched(self, network: Network, edge: int) -> IntVector:
        """Both ends of the edge and their common neighbours."""
        u, v = network.edges[edge]
        common = np.intersect1d(network.neighbours(u), network.neighbours(v), assume_unique=True)
        return np.append(common, (u, v))

    def weights(self) -> Weights:
        """Degree in the upper bits, below 2^23, triangles in the lower 40: more would not fit in memory."""
        return Weights(per_degree=1 << 40, per_triangle=1, numbers=((1, 0), (0, 1)))
