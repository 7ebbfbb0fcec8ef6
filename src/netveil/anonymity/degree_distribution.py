"""Measure `degree-distribution`: the degrees inside G_d(v), as a multiset (DegDist of ANO-NET).

The attacker knows for each member of a person's circle how many of the others they know, but not who is who.
Inside G_1(v), the neighbour w has degree 1 + the number of triangles on the edge {v, w}: at distance 1, the
state is the multiset of triangles on v's edges. Farther away, degrees are looked at where these, and the
numbers of nodes and edges, leave people alike.
"""

from __future__ import annotations

from netveil.anonymity.circles import are_few, circles
from netveil.anonymity.count import numbers_around
from netveil.anonymity.measure import Part, Surroundings
from netveil.anonymity.partition import classes_of, told_apart
from netveil.kernels.arrays import IntMatrix, IntVector, numbered_by_appearance
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
        nearest = _nearest(network)
        if distance == 1:
            return nearest.reshape(-1, 1)
        by_numbers = told_apart(
            nearest, lambda nodes: classes_of(numbers_around(network, nodes, distance))[0]
        )
        return told_apart(by_numbers, lambda nodes: _farther(network, distance, nodes)).reshape(-1, 1)

    def parts(self, distance: int) -> tuple[Part, ...]:
        """The triangles on a node's edges; farther away, the degrees inside the surroundings."""
        return (Part(TIES),) if distance == 1 else (Part(DEGREES_AROUND, distance),)


def _nearest(network: Network) -> IntVector:
    """Class of each node at distance 1."""
    from netveil.kernels.classes import classes_of_rows, sort_rows
    from netveil.kernels.triangles import orient, triangles_per_edge

    triangles = triangles_per_edge(orient(network.edges, network.degrees, True, available_cores()))
    values = triangles[network.csr.edge_numbers]
    sort_rows(network.csr.offsets, values)
    return classes_of_rows(network.csr.offsets, values)[0]


def _farther(network: Network, distance: int, nodes: IntVector) -> IntVector:
    """A number for each of `nodes`: equal for equal multisets at all distances."""
    from netveil.kernels.balls import ball_degrees, in_threads
    from netveil.kernels.classes import classes_of_rows, joined_rows

    if are_few(network, nodes, distance):
        at_each = [
            [tuple(sorted(circle.degree())) for circle, _ in circles(network, nodes, step)]
            for step in range(1, distance + 1)
        ]
        return numbered_by_appearance(zip(*at_each, strict=True))
    parts = in_threads(ball_degrees, network.csr, nodes, distance, available_cores())
    return classes_of_rows(*joined_rows(parts))[0]
