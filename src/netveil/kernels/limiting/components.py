"""Connected components while edges come back or go: how large they are, and what a deletion cuts off."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import IntMatrix, IntVector
from netveil.kernels.compiled import compiled, inlined
from netveil.kernels.following.state import Topology


class Forest(NamedTuple):
    """Components as trees of nodes (union-find): quick where edges only come back."""

    parents: IntVector  # (n): a root is its own parent
    sizes: IntVector  # (n): at a root, the nodes of its component


@inlined
def root_of(parents: IntVector, node: int) -> int:
    """The root of a node's tree. Halves the way to it: writes `parents`."""
    while parents[node] != node:
        parents[node] = parents[parents[node]]
        node = parents[node]
    return node


@inlined
def unite(parents: IntVector, sizes: IntVector, u: int, v: int) -> int:
    """Put an edge between u and v; returns the nodes of their component. Writes both arrays of a forest."""
    one = root_of(parents, u)
    other = root_of(parents, v)
    if one != other:
        if sizes[one] < sizes[other]:
            one, other = other, one
        parents[other] = one
        sizes[one] += sizes[other]
    return sizes[one]


@compiled
def forest_of(ends: IntMatrix, present: NDArray[np.uint8], nodes: int) -> tuple[Forest, int]:
    """Components of nodes 0..nodes-1 and those edges (m, 2) that are present (m); the size of the largest."""
    parents = np.arange(nodes)
    sizes = np.ones(nodes, np.int64)
    largest = min(nodes, 1)
    for edge in range(ends.shape[0]):
        if present[edge]:
            largest = max(largest, unite(parents, sizes, ends[edge, 0], ends[edge, 1]))
    return Forest(parents, sizes), largest


@compiled
def united_size(forest: Forest, u: int, v: int) -> int:
    """Nodes of the component that u and v are in, or would be in with an edge between them."""
    one = root_of(forest.parents, u)
    other = root_of(forest.parents, v)
    return forest.sizes[one] if one == other else forest.sizes[one] + forest.sizes[other]


class Edges(Protocol):
    """Whatever knows which edges are there: a FlipState, for one."""

    @property
    def present(self) -> NDArray[np.uint8]:
        """1 while the edge is there (m)."""
        ...


class Pieces(NamedTuple):
    """Components as numbered pieces: quick where edges only go."""

    piece: IntVector  # (n): the number of each node's piece
    sizes: IntVector  # (n): the nodes of each piece, 0 for numbers not used yet
    reached: IntVector  # (n), scratch: positive or negative, from which end a look came by, and which look
    queues: IntMatrix  # (2, n), scratch: nodes reached from either end
    counts: IntVector  # (2): pieces so far, looks so far


@compiled
def pieces_of(ends: IntMatrix, present: NDArray[np.uint8], nodes: int) -> Pieces:
    """The pieces of a network. Nothing is written."""
    forest, _ = forest_of(ends, present, nodes)
    number_of_root = np.full(nodes, -1, np.int64)
    pieces = Pieces(
        np.empty(nodes, np.int64),
        np.zeros(nodes, np.int64),
        np.zeros(nodes, np.int64),
        np.empty((2, nodes), np.int64),
        np.zeros(2, np.int64),
    )
    for node in range(nodes):
        root = root_of(forest.parents, node)
        if number_of_root[root] < 0:
            number_of_root[root] = pieces.counts[0]
            pieces.counts[0] += 1
        pieces.piece[node] = number_of_root[root]
        pieces.sizes[number_of_root[root]] += 1
    return pieces


@compiled
def cut_off(topology: Topology, state: Edges, pieces: Pieces, u: int, v: int) -> tuple[int, int]:
    """Which end of the deleted edge {u, v}, 0 for u, has lost the other, and with how many nodes (0: none).

    Looks from both ends in turns until the looks meet or one has nowhere to go on: what is cut off is mostly
    small, and two people of a social network are mostly near each other, so few nodes are looked at. The
    nodes cut off are the first in that end's queue. Writes scratch of `pieces`.
    """
    offsets, neighbours, edge_numbers = topology.csr
    present, reached, queues = state.present, pieces.reached, pieces.queues
    pieces.counts[1] += 1
    look = pieces.counts[1]
    queues[0, 0], queues[1, 0] = u, v
    reached[u], reached[v] = look, -look
    looked_from = np.zeros(2, np.int64)
    found = np.ones(2, np.int64)
    while True:
        for end in range(2):
            if looked_from[end] == found[end]:
                return end, found[end]
            node = queues[end, looked_from[end]]
            looked_from[end] += 1
            mine = reached[node]
            for place in range(offsets[node], offsets[node + 1]):
                neighbour = neighbours[place]
                if present[edge_numbers[place]] == 0 or reached[neighbour] == mine:
                    continue
                if reached[neighbour] == -mine:
                    return 0, 0
                reached[neighbour] = mine
                queues[end, found[end]] = neighbour
                found[end] += 1


@compiled
def split(pieces: Pieces, end: int, nodes: int) -> None:
    """Make the first `nodes` nodes in the queue of `end`, as `cut_off` left it, a piece of their own."""
    old = pieces.piece[pieces.queues[end, 0]]
    new = pieces.counts[0]
    pieces.counts[0] += 1
    pieces.sizes[old] -= nodes
    pieces.sizes[new] = nodes
    for place in range(nodes):
        pieces.piece[pieces.queues[end, place]] = new
