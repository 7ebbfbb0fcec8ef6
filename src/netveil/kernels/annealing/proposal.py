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

from netveil.kernels.annealing.walk_state import (
    LimitState,
    Mesh,
    NodeColumn,
    Unlisted,
    Walk,
    WalkEdges,
    WalkNodes,
    change_cell,
    cost_of_moving,
    move_node,
    rows_on,
)
from netveil.kernels.arrays import IntMatrix, IntVector, constants
from netveil.kernels.compiled import inlined, internal
from netveil.kernels.limits import Limits, clustering_of, cut_off, limits_clustering
from netveil.kernels.states import Topology

MOST_FLIPS = 8
SLACK = 2.8  # what a proposal may cost too much before all of it is known: later moves can make it cheaper


@constants
class StepColumn(NamedTuple):
    """Columns of Proposal.steps, which has two lists: nodes that are touched, and moves that are made.

    A node that moves twice has two moves.
    """

    NODE: int = 0  # touched, and how much it changes
    DEGREE: int = 1
    TRIANGLES: int = 2
    MOVED: int = 3  # moved, out of which cell, and how much it changed
    FROM_CELL: int = 4
    DEGREE_MOVED: int = 5
    TRIANGLES_MOVED: int = 6


class Proposal(NamedTuple):
    """Scratch of one proposal after the other."""

    flips: NDArray[np.int64]  # (MOST_FLIPS): edges
    steps: NDArray[np.int32]  # (most moves, 7): see StepColumn
    alike_costs: NDArray[np.float64]  # (most alike): see moves._find_alike


class WalkScene(NamedTuple):
    """A walk with all that it takes to make proposals."""

    mesh: Mesh
    k: int
    present: NDArray[np.uint8]  # as in Walk
    people: WalkNodes
    edges: WalkEdges
    proposal: Proposal


class Bounds(NamedTuple):
    """Limits, what follows them, and the whole network; kernels get None where nothing is limited."""

    limits: Limits
    state: LimitState
    topology: Topology


class ProposalTotals(NamedTuple):
    """Progress of a proposal, handed from kernel to kernel: numbers that are not worth an array."""

    flipped: int  # flips that are made in `present`
    moved: int  # moves that are made
    energy: float  # what it costs so far
    risk: int  # how many more nodes are at risk so far


def new_scene(topology: Topology, counted: bool, k: int, walk: Walk) -> tuple[WalkScene, Unlisted | None]:
    """A walk with room for any proposal in its network, and what triangles are found by if not listed."""
    largest = int(np.diff(topology.csr.offsets).max(initial=0))
    mesh = Mesh(topology.ends, topology.first_row, topology.triangles, topology.listed, counted)
    proposal = Proposal(
        np.empty(MOST_FLIPS, np.int64),
        np.empty((MOST_FLIPS * (largest + 2), 7), np.int32),
        np.empty(walk.edges.alike.shape[1]),
    )
    rows = np.empty((largest, 3), topology.triangles.dtype)
    unlisted = None if topology.listed else Unlisted(topology.csr, rows)
    return WalkScene(mesh, k, walk.present, walk.people, walk.edges, proposal), unlisted


@inlined
def make_flips(
    scene: WalkScene,
    unlisted: Unlisted | None,
    costs: NDArray[np.float64],
    count: int,
    standing: ProposalTotals,
    limit: float,
) -> tuple[bool, ProposalTotals]:
    """Make the one or two flips that are not made yet, up to `count`; whether to the end, and what stands.

    Gives up when the cost is beyond `limit` by SLACK. Writes the records of nodes, the cells, `present` and
    the moves.
    """
    mesh, k, present, people, edges, proposal = scene
    nodes, flips, steps = people.nodes, proposal.flips, proposal.steps
    flipped, moved, energy, risk = standing
    limit += SLACK
    found = np.int64(0)
    for place in range(flipped, count):
        sign = 1 - 2 * np.int64(present[flips[place]])
        closed = np.int64(edges.edge_triangles[flips[place]]) if mesh.counted else np.int64(0)
        found = touch_ends(mesh.ends, nodes, steps, flips[place], sign, sign * closed, found)
    if flipped == 0:  # first as if each end moved alone, and nobody else
        cost = 0.0
        for place in range(found):
            if cost <= limit:
                node = np.int64(steps[place, StepColumn.NODE])
                degrees = np.int64(steps[place, StepColumn.DEGREE])
                triangles = np.int64(steps[place, StepColumn.TRIANGLES])
                cost += cost_of_moving(people, costs, k, node, degrees, triangles)
        # Ends that go together tell nothing: alone, each would lose the other.
        given_up = cost > limit
        for place in range(1, found if given_up else 1):
            for before in range(place):
                given_up = given_up and not go_together(nodes, steps, before, place)
        if given_up:
            forget_places(nodes, steps, found)
            return False, standing
    for place in range(found):
        steps[place, StepColumn.TRIANGLES] = 0  # until all triangles are looked at
    for place in range(flipped, count):
        sign = 1 - 2 * np.int64(present[flips[place]])
        closed, found = touch_opposite(mesh, unlisted, present, nodes, steps, flips[place], found)
        found = touch_ends(mesh.ends, nodes, steps, flips[place], np.int64(0), sign * closed, found)
        present[flips[place]] ^= 1
    forget_places(nodes, steps, found)
    for place in range(found):
        degrees = np.int64(steps[place, StepColumn.DEGREE])
        triangles = np.int64(steps[place, StepColumn.TRIANGLES])
        if degrees == 0 and triangles == 0:
            continue
        if energy > limit:
            break
        node = np.int64(steps[place, StepColumn.NODE])
        steps[moved, StepColumn.MOVED] = node
        steps[moved, StepColumn.FROM_CELL] = nodes[node, NodeColumn.CELL]
        steps[moved, StepColumn.DEGREE_MOVED] = degrees
        steps[moved, StepColumn.TRIANGLES_MOVED] = triangles
        moved += 1
        more_energy, more_risk = move_node(people, costs, k, node, degrees, triangles, edges.counts)
        energy += more_energy
        risk += more_risk
    return energy <= limit, ProposalTotals(count, moved, energy, risk)


@inlined
def go_together(nodes: IntMatrix, steps: IntMatrix, one: int, other: int) -> bool:
    """Whether two touched nodes leave the same state, or come to the same degree and triangles."""
    a, b = steps[one, StepColumn.NODE], steps[other, StepColumn.NODE]
    if nodes[a, NodeColumn.CELL] == nodes[b, NodeColumn.CELL]:
        return True
    degrees = nodes[a, NodeColumn.DEGREE] + steps[one, StepColumn.DEGREE]
    triangles = nodes[a, NodeColumn.TRIANGLES] + steps[one, StepColumn.TRIANGLES]
    return bool(
        degrees == nodes[b, NodeColumn.DEGREE] + steps[other, StepColumn.DEGREE]
        and triangles == nodes[b, NodeColumn.TRIANGLES] + steps[other, StepColumn.TRIANGLES]
    )


@inlined
def touch_ends(
    ends: IntMatrix, nodes: IntMatrix, steps: IntMatrix, edge: int, degrees: int, triangles: int, found: int
) -> int:
    """Add so many contacts and triangles to both ends of an edge; returns how many nodes are touched."""
    for side in range(2):
        place, found = place_of(nodes, steps, np.int64(ends[edge, side]), found)
        steps[place, StepColumn.DEGREE] += degrees
        steps[place, StepColumn.TRIANGLES] += triangles
    return found


@inlined
def touch_opposite(
    mesh: Mesh,
    unlisted: Unlisted | None,
    present: NDArray[np.uint8],
    nodes: IntMatrix,
    steps: IntMatrix,
    edge: int,
    found: int,
) -> tuple[int, int]:
    """Touch the third node of each triangle on the edge; returns triangles, and how many are touched."""
    rows = mesh.triangles if unlisted is None else unlisted.rows
    sign = 1 - 2 * np.int64(present[edge])
    closed = np.int64(0)
    first, last = rows_on(mesh, unlisted, edge)
    for row in range(first, last):
        if present[rows[row, 0]] & present[rows[row, 1]]:
            closed += 1
            place, found = place_of(nodes, steps, np.int64(rows[row, 2]), found)
            steps[place, StepColumn.TRIANGLES] += sign
    return closed, found


@inlined
def place_of(nodes: IntMatrix, steps: IntMatrix, node: int, found: int) -> tuple[int, int]:
    """Row of a touched node, entered if it is new, and how many are touched."""
    place = np.int64(nodes[node, NodeColumn.PLACE])
    if place >= 0:
        return place, found
    nodes[node, NodeColumn.PLACE] = found
    steps[found, StepColumn.NODE] = node
    steps[found, StepColumn.DEGREE] = 0
    steps[found, StepColumn.TRIANGLES] = 0
    return found, found + 1


@inlined
def forget_places(nodes: IntMatrix, steps: IntMatrix, found: int) -> None:
    """Clear the place of the first `found` touched nodes."""
    for place in range(found):
        nodes[steps[place, StepColumn.NODE], NodeColumn.PLACE] = -1


@inlined
def take_back(
    present: NDArray[np.uint8],
    nodes: IntMatrix,
    cells: IntMatrix,
    proposal: Proposal,
    standing: ProposalTotals,
) -> None:
    """Undo all of a proposal. Writes the records of nodes, the cells and `present`."""
    flips, steps = proposal.flips, proposal.steps
    for move in range(standing.moved - 1, -1, -1):
        change_cell(
            nodes,
            cells,
            np.int64(steps[move, StepColumn.MOVED]),
            np.int64(steps[move, StepColumn.FROM_CELL]),
            -np.int64(steps[move, StepColumn.DEGREE_MOVED]),
            -np.int64(steps[move, StepColumn.TRIANGLES_MOVED]),
        )
    for place in range(standing.flipped):
        present[flips[place]] ^= 1


# Whether a proposal that is about to be accepted would break a limit.


@internal
def keeps_limits(
    bounds: Bounds, present: NDArray[np.uint8], nodes: IntMatrix, flips: IntVector, steps: IntMatrix
) -> bool:
    """Whether a proposal that is made in `present` and the records of nodes keeps all limits.

    `steps` are the rows of its moves. Writes `clustering_proposed` of the limits' state, and who is outside
    the largest component if all is kept.
    """
    limits, limit_state, topology = bounds
    offsets = topology.csr.offsets
    total, able = limit_state.clustering
    # A node that moved twice has two rows: back through all of them, and forth again.
    for move in range(steps.shape[0] - 1, -1, -1):
        node = steps[move, StepColumn.MOVED]
        after, triangles_after = nodes[node, NodeColumn.DEGREE], nodes[node, NodeColumn.TRIANGLES]
        before = after - steps[move, StepColumn.DEGREE_MOVED]
        triangles = triangles_after - steps[move, StepColumn.TRIANGLES_MOVED]
        total += clustering_of(after, triangles_after) - clustering_of(before, triangles)
        able += np.int64(after >= 2) - np.int64(before >= 2)
        nodes[node, NodeColumn.DEGREE], nodes[node, NodeColumn.TRIANGLES] = before, triangles
    kept = True
    for move in range(steps.shape[0]):
        node = steps[move, StepColumn.MOVED]
        nodes[node, NodeColumn.DEGREE] += steps[move, StepColumn.DEGREE_MOVED]
        nodes[node, NodeColumn.TRIANGLES] += steps[move, StepColumn.TRIANGLES_MOVED]
    for move in range(steps.shape[0]):
        node = steps[move, StepColumn.MOVED]
        lost = offsets[node + 1] - offsets[node] - nodes[node, NodeColumn.DEGREE]
        kept = kept and lost <= limits.most_lost[node]
    least, most = limits.clustering_least * max(able, 1), limits.clustering_most * max(able, 1)
    if limits_clustering(limits):  # else nobody may have followed triangles
        kept = kept and least <= total <= most
    if not kept:
        return False
    limit_state.clustering_proposed[0], limit_state.clustering_proposed[1] = total, able
    return limits.least_component == 0 or _component_kept(topology, limits, present, limit_state, flips)


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
