"""Measure `ego`: G_d(v) rooted at v, up to isomorphism (Zhou & Pei 2008; de Jong et al. 2023: d-k-anonymity).

The attacker knows exactly who in a person's circle knows whom. Nobody can know more about it.

Circles that are isomorphic have equal degrees inside, so people whom `degree-distribution` tells apart are
told apart. This settles most large circles. Whether those of the others are isomorphic is decided in three
steps, each for the circles that the step before could not decide: by a number that isomorphic circles share;
by drawings, which are lists of edges in a standard order (equal drawings prove isomorphism); and by canonical
forms (BLISS, Junttila & Kaski 2007). Where few and small ones are left, canonical forms alone decide.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from netveil.anonymity.circles import are_few, circles
from netveil.anonymity.degree_distribution import DegreeDistribution
from netveil.anonymity.measure import Part, Surroundings
from netveil.anonymity.partition import classes_of, told_apart
from netveil.kernels.arrays import IntMatrix, IntVector, numbered_by_appearance
from netveil.kernels.states import SHAPES_AROUND
from netveil.network import Network
from netveil.threads import available_cores

if TYPE_CHECKING:
    import igraph

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
        by_degrees = DegreeDistribution().states(network, distance)[:, 0]
        return told_apart(by_degrees, lambda nodes: _classes(network, distance, nodes)).reshape(-1, 1)

    def parts(self, distance: int) -> tuple[Part, ...]:
        """The surroundings as far as colour refinement can tell them apart."""
        return (Part(SHAPES_AROUND, distance),)


def _classes(network: Network, distance: int, nodes: IntVector) -> IntVector:
    """A number for each of `nodes`: equal exactly for isomorphic circles."""
    from netveil.kernels.balls import ball_shapes, in_threads

    if are_few(network, nodes, distance):
        one_by_one = circles(network, nodes, distance)
        return numbered_by_appearance(canonical_form(circle, root) for circle, root in one_by_one)
    shapes = np.concatenate(in_threads(ball_shapes, network.csr, nodes, distance, available_cores()))
    _, shape_of, sizes = np.unique(shapes, return_inverse=True, return_counts=True)
    form_of = np.zeros(len(nodes), dtype=np.int64)
    for some in _batches(shape_of, sizes):
        form_of[some] = _forms(network, distance, nodes[some], shape_of[some])
    return classes_of(np.column_stack((shape_of, form_of)))[0]


def _batches(shape_of: IntVector, sizes: IntVector) -> Iterator[IntVector]:
    """Batches of places in `shape_of` that share a shape with others; those of one shape stay together."""
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
    undecided = np.flatnonzero(np.isin(shape_of[an_example], shapes[drawings_of_shape > 1]))
    rows = (values[offsets[example] : offsets[example + 1]] for example in an_example[undecided].tolist())
    form_of[undecided] = numbered_by_appearance(canonical_form(_graph_of(row), 0) for row in rows)
    return form_of[drawing_of]


def _graph_of(drawing: IntVector) -> igraph.Graph:
    """The graph of a drawing, whose root is 0."""
    import igraph

    size = int(drawing[0])
    return igraph.Graph(n=size, edges=np.column_stack(np.divmod(drawing[1:], size)))


def canonical_form(graph: igraph.Graph, root: int) -> bytes:
    """Equal exactly for isomorphic rooted graphs: the edges after a canonical renumbering."""
    size = graph.vcount()
    is_root = [vertex == root for vertex in range(size)]
    graph.vs["root"] = is_root
    # igraph 1.0 reversed the direction of canonical_permutation; permute_vertices agrees in every version.
    canonical = graph.permute_vertices(graph.canonical_permutation(color=[not each for each in is_root]))
    ends = np.sort(np.array(canonical.get_edgelist(), dtype=np.int64).reshape(-1, 2), axis=1)
    edges = np.sort(ends[:, 0] * size + ends[:, 1])
    return np.append(edges, (size, canonical.vs["root"].index(True))).tobytes()
