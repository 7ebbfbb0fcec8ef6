"""Measure `count`: the state (degree, triangles) of Section 3.2 of the paper.

The attacker has counted a person's contacts and the ties among them. Equivalently, she knows the number of
nodes and of edges in the person's neighbourhood, G_1(v); with distance 2 also in G_2(v), and so on.
"""

from __future__ import annotations

import numpy as np

from netveil.anonymity.measure import Part, Surroundings, Weights
from netveil.kernels.arrays import IntMatrix, IntVector
from netveil.kernels.states import LINEAR, NUMBERS_AROUND
from netveil.network import Network
from netveil.progress import current_listener
from netveil.threads import available_cores


class Count(Surroundings):
    """State (degree, triangles): lookalikes have equally many contacts, with equally many ties among them."""

    name = "count"
    title = "counts contacts and the ties among them"
    attacker = "has counted a person's contacts and the ties among those contacts"
    numeric = True
    only_falls = True

    def states(self, network: Network, distance: int) -> IntMatrix:
        """Rows (degree, triangles), then (nodes, edges) of the surroundings at distances 2, 3, …."""
        from netveil.kernels.triangles import triangles_per_node

        triangles = triangles_per_node(network.edges, network.degrees, available_cores(), current_listener())
        nearest = (network.degrees, triangles)
        if distance == 1:
            return np.column_stack(nearest)
        numbers = numbers_around(network, np.arange(network.node_count), distance)
        return np.column_stack((*nearest, numbers[:, 2:]))

    def column_names(self, distance: int) -> tuple[str, ...]:
        """The two numbers at distance 1, then two for each farther one."""
        farther = [
            name for far in range(2, distance + 1) for name in (f"people within {far}", f"ties within {far}")
        ]
        return ("contacts", "ties among them", *farther)

    def parts(self, distance: int) -> tuple[Part, ...]:
        """Degree in the upper bits, below 2^23, triangles in the lower 40: more would not fit in memory."""
        if distance == 1:
            return (Part(LINEAR, 1, Weights(1 << 40, 1, numbers=((1, 0), (0, 1)))),)
        return (Part(NUMBERS_AROUND, distance),)


def numbers_around(network: Network, nodes: IntVector, distance: int) -> IntMatrix:
    """Rows (nodes, edges) of the surroundings of these nodes at distances 1, 2, …, one after the other."""
    from netveil.kernels.balls import ball_numbers, in_threads

    return np.concatenate(in_threads(ball_numbers, network.csr, nodes, distance, available_cores()))
