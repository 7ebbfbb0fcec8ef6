"""A proposal on its way: whom its flips touch, what that costs, and how it is undone.

The ends of the flipped edges are moved first, then the nodes that stand over against them in triangles, each
with the net change of its triangles, for in a swap much cancels out. As soon as a proposal costs too much it
is given up: for most that is at the ends. Two edges of one triangle are the exception: there each node is
moved once, for after the ends alone somebody could be on fewer than no triangles.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.annealing.gaps import move_node, move_node_back
from netveil.kernels.annealing.walk_state import Edges, NodeColumn, People
from netveil.kernels.arrays import IntMatrix, IntVector, constants
from netveil.kernels.compiled import inlined, internal
from netveil.kernels.following.edge_triangles import triangles_on
from netveil.kernels.following.state import Topology
from netveil.kernels.sorting import first_at_least

MOST_FLIPS = 8
SLACK = 2.0  # what a proposal may cost too much before all of it is known: later moves can make it cheaper


@constants
class TouchedColumn(NamedTuple):
    """Columns of Proposal.touched."""

    NODE: int = 0
    DEGREE_CHANGE: int = 1
    TRIANGLE_CHANGE: int = 2


@constants
class MoveColumn(NamedTuple):
    """Columns of Proposal.moves: a node that was in this cell has changed so much."""

    NODE: int = 0
    CELL: int = 1
    DEGREE_CHANGE: int = 2
    TRIANGLE_CHANGE: int = 3


class Proposal(NamedTuple):
    """Scratch of one proposal after the other."""

    flips: NDArray[np.int64]  # (MOST_FLIPS): edges
    touched: NDArray[np.int32]  # (most touched, 3): see TouchedColumn
    moves: NDArray[np.int32]  # (most moves, 4): see MoveColumn; a node that is moved twice has two
    rows: IntMatrix  # the triangles on edges: see following.edge_triangles.rows_for
    risky: NDArray[np.int64]  # (n): the nodes at risk when they were last listed


class Scene(NamedTuple):
    """All that proposals of a leg look at and write."""

    topology: Topology
    counted: bool  # whether triangles count
    k: int
    present: NDArray[np.uint8]  # (m): see Walk
    people: People
    edges: Edges
    proposal: Proposal
    costs: NDArray[np.float64]  # see Leg


class Standing(NamedTuple):
    """How far a proposal has come. Handed from kernel to kernel: numbers that are not worth an array."""

    flipped: int  # flips that are made in `present`
    moved: int  # rows of `moves` in use
    energy: float  # what it costs so far
    risk: int  # how many more nodes are at risk so far


@internal
def new_proposal(nodes: int, largest_degree: int, rows: IntMatrix) -> Proposal:
    """Room for any proposal in a network of so many nodes."""
    most = min(nodes, 2 * (largest_degree + 2))
    return Proposal(
        np.empty(MOST_FLIPS, np.int64),
        np.empty((most, 3), np.int32),
        np.empty((MOST_FLIPS * (largest_degree + 2), 4), np.int32),
        rows,
        np.empty(nodes, np.int64),
    )


@inlined
def deleted_by(present: NDArray[np.uint8], flips: IntVector, first: int, last: int) -> int:
    """How many more edges flips[first:last] delete than restore; they are not made yet."""
    more = np.int64(0)
    for place in range(first, last):
        more += 2 * np.int64(present[flips[place]]) - 1
    return more


@inlined
def make_flips(scene: Scene, count: int, standing: Standing, limit: float) -> tuple[bool, Standing]:
    """Make the one or two flips that are not made yet, up to `count`; whether to the end, and what stands.

    Gives up when the cost is beyond `limit` by SLACK. Writes the records of nodes, the cells, `present` and
    the moves.
    """
    topology, counted, k, present, people, edges, proposal, costs = scene
    edge_triangles = edges.edge_triangles
    nodes, flips, touched, moves = people.nodes, proposal.flips, proposal.touched, proposal.moves
    flipped, moved, energy, risk = standing
    first = flipped
    # The triangles on an edge are known as long as no other flip is made; later they are counted on the way.
    ends_first = first == 0 and not (counted and count == 2 and close_triangle(topology, flips[0], flips[1]))
    for stage in range(0 if ends_first else 1, 2):
        found = np.int64(0)
        for place in range(first, count):
            edge = flips[place]
            sign = 1 - 2 * np.int64(present[edge])
            closed = np.int64(edge_triangles[edge]) if counted else np.int64(0)
            if stage == 1:
                closed, found = touch_opposite(scene, edge, found)
                present[edge] ^= 1
            if stage == 0 or not ends_first:
                found = touch_ends(topology.ends, nodes, touched, edge, sign, closed, found)
        if stage == 1:
            flipped = count
        forget_places(nodes, touched, found)
        for place in range(found):
            degrees = np.int64(touched[place, TouchedColumn.DEGREE_CHANGE])
            triangles = np.int64(touched[place, TouchedColumn.TRIANGLE_CHANGE])
            if degrees == 0 and triangles == 0:
                continue
            if energy > limit + SLACK:
                break
            node = np.int64(touched[place, TouchedColumn.NODE])
            moves[moved, MoveColumn.NODE] = node
            moves[moved, MoveColumn.CELL] = nodes[node, NodeColumn.CELL]
            moves[moved, MoveColumn.DEGREE_CHANGE] = degrees
            moves[moved, MoveColumn.TRIANGLE_CHANGE] = triangles
            moved += 1
            more_energy, more_risk = move_node(people, costs, k, node, degrees, triangles)
            energy += more_energy
            risk += more_risk
        if energy > limit + SLACK:
            break
    return energy <= limit + SLACK, Standing(flipped, moved, energy, risk)


@inlined
def touch_ends(
    ends: IntMatrix, nodes: IntMatrix, touched: IntMatrix, edge: int, sign: int, closed: int, found: int
) -> int:
    """Enter the ends of a flip on so many triangles into `touched`; returns how many stand there then."""
    for side in range(2):
        place, found = place_of(nodes, touched, np.int64(ends[edge, side]), found)
        touched[place, TouchedColumn.DEGREE_CHANGE] += sign
        touched[place, TouchedColumn.TRIANGLE_CHANGE] += sign * closed
    return found


@inlined
def close_triangle(topology: Topology, edge: int, other: int) -> bool:
    """Whether two edges are on a triangle of the whole network."""
    ends = topology.ends
    a, b, c, d = ends[edge, 0], ends[edge, 1], ends[other, 0], ends[other, 1]
    if a != c and a != d and b != c and b != d:
        return False
    one = b if a in (c, d) else a  # the ends that they do not share
    two = d if c in (a, b) else c
    offsets, neighbours, _ = topology.csr
    place = first_at_least(neighbours, two, offsets[one], offsets[one + 1])
    return bool(place < offsets[one + 1] and neighbours[place] == two)


@inlined
def touch_opposite(scene: Scene, edge: int, found: int) -> tuple[int, int]:
    """Enter those who stand over against a flip into `touched`; triangles on it, and how many stand there."""
    present, nodes = scene.present, scene.people.nodes
    touched, rows = scene.proposal.touched, scene.proposal.rows
    sign = 1 - 2 * np.int64(present[edge])
    closed = np.int64(0)
    first, last = triangles_on(scene.topology, scene.counted, edge, rows)
    for row in range(first, last):
        if present[rows[row, 0]] & present[rows[row, 1]]:
            closed += 1
            place, found = place_of(nodes, touched, np.int64(rows[row, 2]), found)
            touched[place, TouchedColumn.TRIANGLE_CHANGE] += sign
    return closed, found


@inlined
def place_of(nodes: IntMatrix, touched: IntMatrix, node: int, found: int) -> tuple[int, int]:
    """Where a node stands in `touched`, entered if it is new; and how many stand there now."""
    place = np.int64(nodes[node, NodeColumn.PLACE])
    if place >= 0:
        return place, found
    nodes[node, NodeColumn.PLACE] = found
    touched[found, TouchedColumn.NODE] = node
    touched[found, TouchedColumn.DEGREE_CHANGE] = 0
    touched[found, TouchedColumn.TRIANGLE_CHANGE] = 0
    return found, found + 1


@inlined
def forget_places(nodes: IntMatrix, touched: IntMatrix, found: int) -> None:
    """Write in the records of the first `found` touched nodes that they stand nowhere."""
    for place in range(found):
        nodes[touched[place, TouchedColumn.NODE], NodeColumn.PLACE] = -1


@inlined
def take_back(scene: Scene, standing: Standing) -> None:
    """Undo all of a proposal. Writes the records of nodes, the cells and `present`."""
    present, people, flips, moves = scene.present, scene.people, scene.proposal.flips, scene.proposal.moves
    for move in range(standing.moved - 1, -1, -1):
        move_node_back(
            people,
            np.int64(moves[move, MoveColumn.NODE]),
            np.int64(moves[move, MoveColumn.CELL]),
            np.int64(moves[move, MoveColumn.DEGREE_CHANGE]),
            np.int64(moves[move, MoveColumn.TRIANGLE_CHANGE]),
        )
    for place in range(standing.flipped):
        present[flips[place]] ^= 1
