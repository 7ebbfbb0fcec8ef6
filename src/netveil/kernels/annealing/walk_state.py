"""The solution of an annealing chain while it moves, with all that makes proposals and flips quick."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import IntMatrix, IntVector, constants
from netveil.kernels.compiled import inlined, shared
from netveil.kernels.limits import Pieces
from netveil.kernels.states import Topology, triangles_on


class Leg(NamedTuple):
    """A stretch of the walk, until the caller looks again. The temperature goes from one value to another."""

    proposals: int
    begun: int  # proposals of the leg that are made already
    partners_hold: tuple[int, int]  # proposals made, and accepted, until partners are to be found anew
    budget: int  # edges that may be deleted in the end: the best never deletes more
    allowed: int  # edges that may be deleted now
    wanted: int  # edges that had better be deleted now: a controller sees to it
    enough: int  # nodes at risk that are few enough: the walk is over when no more are
    temperature: tuple[float, float]
    worth: float  # what a deletion is worth to a walk without a controller, in nodes at risk
    guided: float  # share of the proposals that are guided chains
    costs: NDArray[np.float64]  # (2, gaps): what a node at risk costs by its gap, for most nodes and for hubs
    given: NDArray[np.int64] = np.empty(
        0, np.int64
    )  # (proposals, or 0): edges to flip, instead of drawn ones
    forced: bool = False  # whether given flips are accepted whatever they cost and break


@constants
class Best(NamedTuple):
    """Entries of `best_totals` of a walk."""

    AT_RISK: int = 0  # as far as fewer are better
    DELETED: int = 1


@inlined
def temperature_at(leg: Leg, passed: float) -> float:
    """The temperature when this share of the leg is done: it falls by the same factor in equal times."""
    return leg.temperature[0] * (leg.temperature[1] / leg.temperature[0]) ** passed


@inlined
def is_best(leg: Leg, at_risk: int, deleted: int, best_totals: IntVector) -> bool:
    """Whether a solution is better than the best so far; its totals are then written as the best's."""
    at_risk = at_risk if at_risk > leg.enough else leg.enough
    fewest = best_totals[Best.AT_RISK]
    if at_risk > fewest or (at_risk == fewest and deleted >= best_totals[Best.DELETED]):
        return False
    best_totals[Best.AT_RISK], best_totals[Best.DELETED] = at_risk, deleted
    return True


@inlined
def is_solved(leg: Leg, best_totals: IntVector) -> bool:
    """Whether no more are at risk than may be."""
    return best_totals[Best.AT_RISK] <= leg.enough


@inlined
def relist(deleted: IntVector, place_deleted: IntVector, count: int, edge: int, is_deleted: bool) -> int:
    """Update the list of `count` deleted edges after a flip of this one; returns its length.

    Where an edge is restored, the last of the list takes its place.
    """
    if is_deleted:
        deleted[count], place_deleted[edge] = edge, count
        return count + 1
    place, last = place_deleted[edge], deleted[count - 1]
    deleted[place], place_deleted[last] = last, place
    return count - 1


NONE = np.int64(-1)  # where an edge or a node could be


@constants
class NodeColumn(NamedTuple):
    """Columns of WalkNodes.nodes."""

    DEGREE: int = 0
    TRIANGLES: int = 1
    CELL: int = 2  # which cell has its state
    PARTNER: int = 3  # the node that it is to look like: see gaps.py
    IS_HUB: int = 4  # 1 for the best connected: which row of Leg.costs counts
    NEXT: int = 5  # the next node in its cell; -1 for the last
    BEFORE: int = 6  # the one before; -1 for the first
    PLACE: int = 7  # where the node stands among those whom the proposal touches; -1 if it does not


@constants
class CellColumn(NamedTuple):
    """Columns of StateCells.cells."""

    SIZE: int = 0  # nodes in the cell
    FIRST: int = 1  # one of them; -1 if there is none


class LimitState(NamedTuple):
    """Totals that limits look at, kept in step with the walk, which never breaks a limit."""

    clustering: IntVector  # (2): sum of the clustering of all nodes, nodes with two neighbours or more
    clustering_proposed: IntVector  # (2): the same after the proposal
    outside: NDArray[np.uint8]  # (n): 1 for nodes that are not in the largest component
    inside_count: IntVector  # (1): nodes that are
    pieces: Pieces  # scratch for looks from both ends of an edge
    crossed: IntVector  # (flips of a proposal * n): scratch, the nodes that a proposal moves in or out


class Numbers(NamedTuple):
    """The two numbers that make up a state, as multiples of degree and triangles."""

    first_per_degree: int
    first_per_triangle: int
    second_per_degree: int
    second_per_triangle: int
    first_unit: int  # how many units of the second number one of the first is worth, in a gap
    usual: NDArray[np.int32]  # (degrees): part of the second number that is usual with a degree; not in gaps


class StateCells(NamedTuple):
    """The nodes of each state, one cell a state."""

    numbers: Numbers
    cells: NDArray[np.int32]  # (cells, 2): see CellColumn
    row_start: NDArray[np.int64]  # (largest first number + 2): the cell of that and second number 0
    keys: NDArray[np.int64]  # (cells): the state of each cell where cells are hashed; else (1)
    used: NDArray[np.int64]  # (1): cells that have a state, where they are hashed


class WalkNodes(NamedTuple):
    """The nodes, their states, and who is to look like whom."""

    nodes: NDArray[np.int32]  # (n, 8): see NodeColumn
    states: StateCells
    first_pointing: NDArray[np.int32]  # (n + 1): where the row of a node begins in `pointing`
    pointing: NDArray[np.int32]  # (n): the nodes whose partner it is


class WalkEdges(NamedTuple):
    """The edges as proposals draw them. Protected ones are in none of the lists."""

    edge_triangles: NDArray[np.int32]  # (m): triangles on each edge, or that it would be on if restored
    poor_first: IntVector  # edges on few triangles first
    quantiles: NDArray[np.int64]  # (parts + 1): places in poor_first, as likely to be drawn between any two
    first_place: NDArray[np.int64]  # (n + 1): where the row of a node begins in `incident`
    first_deleted: NDArray[np.int64]  # (n): from here on, the edges of the row are deleted
    incident: IntVector  # movable edges by node
    places: IntMatrix  # (m, 2): where an edge stands in `incident`, in the row of each of its ends
    deleted: IntVector  # (m): the deleted edges come first
    place_deleted: IntVector  # (m): where an edge stands there
    alike: NDArray[np.int32]  # (m, or 0; most alike): see moves.draw_alike; UNKNOWN until needed
    counts: NDArray[np.int64]  # (5): see WalkCount


class Walk(NamedTuple):
    """A solution on its way, with the best that was met. Each chain has its own."""

    present: NDArray[np.uint8]  # (m): 1 while the edge is there
    people: WalkNodes
    edges: WalkEdges
    reward: NDArray[np.float64]  # (1): what a deletion has lately been worth, in multiples of the temperature
    best: NDArray[np.uint8]  # (m): `present` of the best solution met
    best_totals: IntVector  # (2): see Best

    @property
    def at_risk(self) -> int:
        """Nodes at risk where the walk is."""
        return int(self.edges.counts[WalkCount.AT_RISK])

    @property
    def deletions(self) -> int:
        """Deleted edges where the walk is."""
        return int(self.edges.counts[WalkCount.DELETED])


@constants
class WalkCount(NamedTuple):
    """Entries of WalkEdges.counts."""

    DELETED: int = 0  # edges
    AT_RISK: int = 1  # nodes
    PROPOSED: int = 2  # proposals so far
    ACCEPTED: int = 3
    LISTED: int = 4  # nodes at risk when they were last listed


@shared
def write_best(present: NDArray[np.uint8], best: NDArray[np.uint8], flipped_since: IntVector) -> None:
    """Write the best: the walk as it is, with all flips since undone."""
    for edge in range(best.shape[0]):
        best[edge] = present[edge]
    for edge in flipped_since:
        best[edge] ^= 1


@inlined
def list_risky(
    people: WalkNodes, first_place: IntVector, k: int, risky: IntVector, counts: IntVector
) -> None:
    """Write the nodes at risk that have movable edges into `risky`, and how many they are."""
    nodes, cells = people.nodes, people.states.cells
    count = 0
    for node in range(nodes.shape[0]):
        at_risk = cells[nodes[node, NodeColumn.CELL], CellColumn.SIZE] < k
        if at_risk and first_place[node] < first_place[node + 1]:
            risky[count] = node
            count += 1
    counts[WalkCount.LISTED] = count


@inlined
def settle_flip(
    topology: Topology,
    counted: bool,
    present: NDArray[np.uint8],
    edges: WalkEdges,
    edge: int,
    rows: IntMatrix,
) -> None:
    """Enter a flip that is made in `present` into `edges`, all but the records of nodes.

    `rows` are the listed triangles, or scratch. Where several flips are made, all but this one and those
    settled before must stand in `present` as they were before.
    """
    edge_triangles = edges.edge_triangles
    sign = 2 * np.int32(present[edge]) - 1
    first, last = triangles_on(topology, counted, edge, rows)
    for row in range(first, last):
        one, other = rows[row, 0], rows[row, 1]
        if present[one]:
            edge_triangles[other] += sign
        if present[other]:
            edge_triangles[one] += sign
    for side in range(2):
        _move_over_border(topology.ends, edges.first_deleted, edges.incident, edges.places, edge, side, sign)
    edges.counts[WalkCount.DELETED] = relist(
        edges.deleted, edges.place_deleted, edges.counts[WalkCount.DELETED], edge, present[edge] == 0
    )


@inlined
def _move_over_border(
    ends: IntMatrix,
    first_deleted: IntVector,
    incident: IntVector,
    places: IntMatrix,
    edge: int,
    side: int,
    sign: int,
) -> None:
    """Swap the edge, in the row of one end, with the one at the border between edges there and deleted."""
    node = ends[edge, side]
    border = first_deleted[node] if sign > 0 else first_deleted[node] - 1
    first_deleted[node] += sign
    there = incident[border]
    place = places[edge, side]
    incident[border] = edge
    incident[place] = there
    places[there, 0 if ends[there, 0] == node else 1] = place
    places[edge, side] = border
