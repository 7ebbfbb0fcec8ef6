"""Measure `ego`: G_d(v) rooted at v, up to isomorphism (Zhou & Pei 2008; de Jong et al. 2023: d-k-anonymity).

The attacker knows exactly who in a person's circle knows whom. Nobody can know more about it.

Whether two circles are isomorphic is decided in three steps, each for the circles that the step before could
not decide: by a number that isomorphic circles share; by drawings, which are lists of edges in a standard
order (equal drawings prove isomorphism); and by canonical forms (BLISS, Junttila & Kaski 2007).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from netveil.anonymity.measure import Part, Surroundings
from netveil.anonymity.partition import classes_of
from netveil.kernels.arrays import IntMatrix, IntVector
from netveil.kernels.states import SHAPES_AROUND
from netveil.network import Network
from netveil.threads import available_cores

BATCHES = 64  # drawings are made and compared in batches, so that not all are in memory at once
LEAST_BATCH = 1024  # nodes


class Ego(Surroundings):
    """State shape of the surroundings: lookalikes have isomorphic circles."""

    name = "ego"
    title = "knows who in the circle knows whom"
    attacker = "knows exactly who in a person's circle knows whom"
    numeric = False

    def states(self, network: Network, distance: int) -> IntMatrix:
        """One column, the class of the rooted surroundings, which contain those at shorter distances."""
        from netveil.kernels.balls import ball_shapes, in_threads

        everyone = np.arange(network.node_count)
        shapes = np.concatenate(in_threads(ball_shapes, network.csr, everyone, distance, available_cores()))
        _, shape_of, sizes = np.unique(shapes, return_inverse=True, return_counts=True)
        form_of = np.zeros(network.node_count, dtype=np.int64)
        for nodes in _batches(shape_of, sizes):
            form_of[nodes] = _forms(network, distance, nodes, shape_of[nodes])
        return classes_of(np.column_stack((shape_of, form_of)))[0].reshape(-1, 1)

    def parts(self, distance: int) -> tuple[Part, ...]:
        """The surroundings as far as colour refinement can tell them apart."""
        return (Part(SHAPES_AROUND, distance),)


def _batches(shape_of: IntVector, sizes: IntVector) -> Iterator[IntVector]:
    """Batches of nodes that share their shape with others; nodes of one shape stay together."""
    shared = np.flatnonzero(sizes[shape_of] > 1)
    at_once = max(LEAST_BATCH, len(shape_of) // BATCHES)
    in_order = shared[np.argsort(shape_of[shared], kind="stable")]
    ends = np.cumsum(sizes[sizes > 1])
    first = 0
    while first < len(in_order):
        end_of_shape = ends[np.searchsorted(ends, first, side="right")]
        wanted = max(first + at_once, end_of_shape)
        last = ends[np.searchsorted(ends, wanted, side="right") - 1]
        yield in_order[first:last]
        first = last


def _forms(network: Network, distance: int, nodes: IntVector, shape_of: IntVector) -> IntVector:
    """A number for each of `nodes`; among those of the same shape, equal exactly for isomorphic ones."""
    from netveil.kernels.balls import ball_drawings, in_threads
    from netveil.kernels.classes import classes_of_rows, joined_rows

    offsets, values = joined_rows(in_threads(ball_drawings, network.csr, nodes, distance, available_cores()))
    drawing_of, drawings = classes_of_rows(offsets, values)
    an_example = np.empty(drawings, dtype=np.int64)
    an_example[drawing_of] = np.arange(len(nodes))
    form_of = np.zeros(drawings, dtype=np.int64)
    shapes, drawings_of_shape = np.unique(shape_of[an_example], return_counts=True)
    undecided = np.isin(shape_of[an_example], shapes[drawings_of_shape > 1])
    number: dict[bytes, int] = {}
    for drawing in np.flatnonzero(undecided).tolist():
        example = an_example[drawing]
        form = canonical_form(values[offsets[example] : offsets[example + 1]])
        form_of[drawing] = number.setdefault(form, len(number))
    return form_of[drawing_of]


def canonical_form(drawing: NDArray[np.int64]) -> bytes:
    """Equal exactly for the drawings of isomorphic rooted graphs: the edges after a canonical renumbering."""
    import igraph

    size = int(drawing[0])
    graph = igraph.Graph(n=size, edges=np.column_stack(np.divmod(drawing[1:], size)))
    graph.vs["root"] = [vertex == 0 for vertex in range(size)]
    # igraph 1.0 reversed the direction of canonical_permutation; permute_vertices agrees in every version.
    canonical = graph.permute_vertices(graph.canonical_permutation(color=[0] + [1] * (size - 1)))
    ends = np.sort(np.array(canonical.get_edgelist(), dtype=np.int64).reshape(-1, 2), axis=1)
    edges = np.sort(ends[:, 0] * size + ends[:, 1])
    return np.append(edges, (size, canonical.vs["root"].index(True))).tobytes()
