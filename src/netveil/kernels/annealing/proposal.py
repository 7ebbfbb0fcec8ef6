"""A proposal on its way: whom its flips touch, what that costs, and how it is undone.

First the ends of the flipped edges are looked at: most proposals cost too much there and are given up before
anything is written, unless two ends go together, as lookalikes do who remain such. Then the ends are moved,
and the nodes that stand over against them in triangles, each with the net change of its triangles, for in a
swap much cancels out. As soon as that costs too much it is given up as well.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.annealing.gaps import cost_of_moving, move_node, move_node_back
from netveil.kernels.annealing.walk_state import LimitState, NodeColumn, Walk, WalkEdges, WalkNodes
from netveil.kernels.arrays import IntMatrix, IntVector, constants
from netveil.kernels.compiled import inlined, internal
from netveil.kernels.limits import Limits, clustering_of, cut_off, limits_clustering
from netveil.kernels.states import Topology, triangles_on

MOST_FLIPS = 8
JOURNAL = np.int64(1 << 16)  # flips since the best, at most
SLACK = 2.8  # what a proposal may cost too much before all of it is known: later moves can make it cheaper


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
    rows: IntMatrix  # (largest degree, 3): triangles on an edge where they are not listed
    risky: NDArray[np.int64]  # (n): the nodes at risk when they were last listed
    journal: NDArray[np.int64]  # (JOURNAL): flips since the best
    alike_costs: NDArray[np.float64]  # (most alike): see moves._find_alike


class WalkScene(NamedTuple):
    """A walk with all that it takes to make proposals."""

    topology: Topology
    counted: bool  # whether triangles count
    k: int
    present: NDArray[np.uint8]  # as in Walk
    people: WalkNodes
    edges: WalkEdges
    proposal: Proposal


class ProposalTotals(NamedTuple):
    """Progress of a proposal, handed from kernel to kernel: numbers that are not worth an array."""

    flipped: int  # flips that are made in `present`
    moved: int  # rows of `moves` in use
    energy: float  # what it costs so far
    risk: int  # how many more nodes are at risk so far


def new_scene(topology: Topology, counted: bool, k: int, walk: Walk) -> WalkScene:
    """A walk with room for any proposal in its network."""
    nodes, largest = walk.people.nodes.shape[0], int(np.diff(topology.csr.offsets).max(initial=0))
    proposal = Proposal(
        np.empty(MOST_FLIPS, np.int64),
        np.empty((min(nodes, 2 * (largest + 2)), 3), np.int32),
        np.empty((MOST_FLIPS * (largest + 2), 4), np.int32),
        np.empty((0 if topology.listed else largest, 3), topology.triangles.dtype),
        np.empty(nodes, np.int64),
        np.empty(JOURNAL, np.int64),
        np.empty(walk.edges.alike.shape[1]),
    )
    return WalkScene(topology, counted, k, walk.present, walk.people, walk.edges, proposal)


@inlined
def deleted_by(present: NDArray[np.uint8], flips: IntVector, first: int, last: int) -> int:
    """How many more edges flips[first:last] delete than restore; they are not made yet."""
    more = np.int64(0)
    for place in range(first, last):
        more += 2 * np.int64(present[flips[place]]) - 1
    return more


@inlined
def make_flips(
    scene: WalkScene, costs: NDArray[np.float64], count: int, standing: ProposalTotals, limit: float
) -> tuple[bool, ProposalTotals]:
    """Make the one or two flips that are not made yet, up to `count`; whether to the end, and what stands.

    Gives up when the cost is beyond `limit` by SLACK. Writes the records of nodes, the cells, `present` and
    the moves.
    """
    k, present, people, proposal = scene.k, scene.present, scene.people, scene.proposal
    nodes, flips, touched, moves = people.nodes, proposal.flips, proposal.touched, proposal.moves
    flipped, moved, energy, risk = standing
    if flipped == 0 and cost_at_ends(scene, costs, count, limit + SLACK) > limit + SLACK:
        return False, standing
    found = np.int64(0)
    for place in range(flipped, count):
        sign = 1 - 2 * np.int64(present[flips[place]])
        found = touch_ends(scene, flips[place], sign, np.int64(0), found)
    for place in range(flipped, count):
        sign = 1 - 2 * np.int64(present[flips[place]])
        closed, found = touch_opposite(scene, flips[place], found)
        found = touch_ends(scene, flips[place], np.int64(0), sign * closed, found)
        present[flips[place]] ^= 1
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
    return energy <= limit + SLACK, ProposalTotals(count, moved, energy, risk)


@inlined
def cost_at_ends(scene: WalkScene, costs: NDArray[np.float64], count: int, limit: float) -> float:
    """Cost of the first `count` flips if each of their ends moved alone, and nobody else.

    None of them is made yet. Where it is beyond the limit, not all ends are looked at. Nothing is told, 0, of
    ends that go together: alone, each would lose the other. Writes `touched`.
    """
    people, proposal = scene.people, scene.proposal
    touched = proposal.touched
    found = np.int64(0)
    for place in range(count):
        edge = proposal.flips[place]
        sign = 1 - 2 * np.int64(scene.present[edge])
        closed = np.int64(scene.edges.edge_triangles[edge]) if scene.counted else np.int64(0)
        found = touch_ends(scene, edge, sign, sign * closed, found)
    forget_places(people.nodes, touched, found)
    cost = 0.0
    for place in range(found):
        if cost > limit:
            break
        node = np.int64(touched[place, TouchedColumn.NODE])
        degrees = np.int64(touched[place, TouchedColumn.DEGREE_CHANGE])
        triangles = np.int64(touched[place, TouchedColumn.TRIANGLE_CHANGE])
        cost += cost_of_moving(people, costs, scene.k, node, degrees, triangles)
    if cost > limit:
        for place in range(1, found):
            for before in range(place):
                if go_together(people.nodes, touched, before, place):
                    return 0.0
    return cost


@inlined
def go_together(nodes: IntMatrix, touched: IntMatrix, one: int, other: int) -> bool:
    """Whether two touched nodes leave the same state, or come to the same degree and triangles."""
    a, b = touched[one, TouchedColumn.NODE], touched[other, TouchedColumn.NODE]
    if nodes[a, NodeColumn.CELL] == nodes[b, NodeColumn.CELL]:
        return True
    degrees = nodes[a, NodeColumn.DEGREE] + touched[one, TouchedColumn.DEGREE_CHANGE]
    triangles = nodes[a, NodeColumn.TRIANGLES] + touched[one, TouchedColumn.TRIANGLE_CHANGE]
    return bool(
        degrees == nodes[b, NodeColumn.DEGREE] + touched[other, TouchedColumn.DEGREE_CHANGE]
        and triangles == nodes[b, NodeColumn.TRIANGLES] + touched[other, TouchedColumn.TRIANGLE_CHANGE]
    )


@inlined
def touch_ends(scene: WalkScene, edge: int, degrees: int, triangles: int, found: int) -> int:
    """Add so many contacts and triangles to both ends in `touched`; returns the rows in use."""
    nodes, touched = scene.people.nodes, scene.proposal.touched
    for side in range(2):
        place, found = place_of(nodes, touched, np.int64(scene.topology.ends[edge, side]), found)
        touched[place, TouchedColumn.DEGREE_CHANGE] += degrees
        touched[place, TouchedColumn.TRIANGLE_CHANGE] += triangles
    return found


@inlined
def touch_opposite(scene: WalkScene, edge: int, found: int) -> tuple[int, int]:
    """Record the third node of each triangle on the edge; returns triangles, and rows of `touched` in use."""
    present, nodes = scene.present, scene.people.nodes
    touched = scene.proposal.touched
    rows = scene.topology.triangles if scene.topology.listed else scene.proposal.rows
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
    """Row of a node in `touched`, entered if it is new, and the number of rows in use."""
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
    """Clear the place of the first `found` touched nodes."""
    for place in range(found):
        nodes[touched[place, TouchedColumn.NODE], NodeColumn.PLACE] = -1


@inlined
def take_back(scene: WalkScene, standing: ProposalTotals) -> None:
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


# Whether a proposal that is about to be accepted would break a limit.


@internal
def keeps_limits(
    scene: WalkScene, limits: Limits, limit_state: LimitState, flips: IntVector, moves: IntMatrix
) -> bool:
    """Whether a proposal that is made in `present` and the records of nodes keeps all limits.

    `moves` are rows of Proposal.moves. Writes `limit_state.clustering_proposed`, and who is outside the
    largest component if all is kept.
    """
    nodes, offsets = scene.people.nodes, scene.topology.csr.offsets
    total, able = limit_state.clustering
    # A node that moved twice has two rows: back through all of them, and forth again.
    for move in range(moves.shape[0] - 1, -1, -1):
        node = moves[move, MoveColumn.NODE]
        after, triangles_after = nodes[node, NodeColumn.DEGREE], nodes[node, NodeColumn.TRIANGLES]
        before = after - moves[move, MoveColumn.DEGREE_CHANGE]
        triangles = triangles_after - moves[move, MoveColumn.TRIANGLE_CHANGE]
        total += clustering_of(after, triangles_after) - clustering_of(before, triangles)
        able += np.int64(after >= 2) - np.int64(before >= 2)
        nodes[node, NodeColumn.DEGREE], nodes[node, NodeColumn.TRIANGLES] = before, triangles
    kept = True
    for move in range(moves.shape[0]):
        node = moves[move, MoveColumn.NODE]
        nodes[node, NodeColumn.DEGREE] += moves[move, MoveColumn.DEGREE_CHANGE]
        nodes[node, NodeColumn.TRIANGLES] += moves[move, MoveColumn.TRIANGLE_CHANGE]
    for move in range(moves.shape[0]):
        node = moves[move, MoveColumn.NODE]
        lost = offsets[node + 1] - offsets[node] - nodes[node, NodeColumn.DEGREE]
        kept = kept and lost <= limits.most_lost[node]
    least, most = limits.clustering_least * max(able, 1), limits.clustering_most * max(able, 1)
    if limits_clustering(limits):  # else nobody may have followed triangles
        kept = kept and least <= total <= most
    if not kept:
        return False
    limit_state.clustering_proposed[0], limit_state.clustering_proposed[1] = total, able
    return limits.least_component == 0 or _component_kept(
        scene.topology, limits, scene.present, limit_state, flips
    )


@internal
def _component_kept(
    topology: Topology, limits: Limits, present: NDArray[np.uint8], limit_state: LimitState, flips: IntVector
) -> bool:
    """Whether the largest component keeps enough nodes; follows who is outside it, flip by flip."""
    ends = topology.ends
    for edge in flips:
        present[edge] ^= 1
    crossed = 0
    for edge in flips:
        present[edge] ^= 1
        u, v = ends[edge, 0], ends[edge, 1]
        if present[edge] == 0 and limit_state.outside[u] == 0 and limit_state.outside[v] == 0:
            end, count = cut_off(topology, present, limit_state.pieces, u, v)
            for place in range(count):
                crossed = _cross(limit_state, limit_state.pieces.queues[end, place], crossed)
        elif present[edge] == 1 and limit_state.outside[u] != limit_state.outside[v]:
            start = u if limit_state.outside[u] == 1 else v
            crossed = _come_inside(topology, present, limit_state, start, crossed)
    if limit_state.inside_count[0] >= limits.least_component:
        return True
    for place in range(crossed):
        _toggle(limit_state, limit_state.crossed[place])
    return False


@internal
def _cross(limit_state: LimitState, node: int, crossed: int) -> int:
    """Move a node out of the largest component, or into it, and note it; returns how many have crossed."""
    _toggle(limit_state, node)
    limit_state.crossed[crossed] = node
    return crossed + 1


@internal
def _toggle(limit_state: LimitState, node: int) -> None:
    """Move a node out of the largest component, or into it."""
    limit_state.outside[node] ^= 1
    limit_state.inside_count[0] += 1 - 2 * np.int64(limit_state.outside[node])


@internal
def _come_inside(
    topology: Topology, present: NDArray[np.uint8], limit_state: LimitState, start: int, crossed: int
) -> int:
    """Move a node and all those outside that are joined to it into the largest component."""
    offsets, neighbours, edge_numbers = topology.csr
    queue = limit_state.pieces.queues[0]
    queue[0] = start
    crossed = _cross(limit_state, start, crossed)
    found = 1
    place = 0
    while place < found:
        node = queue[place]
        place += 1
        for entry in range(offsets[node], offsets[node + 1]):
            neighbour = neighbours[entry]
            if present[edge_numbers[entry]] and limit_state.outside[neighbour] == 1:
                crossed = _cross(limit_state, neighbour, crossed)
                queue[found] = neighbour
                found += 1
    return crossed
