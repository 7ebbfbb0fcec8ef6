"""The solution of an annealing chain while it moves, with all that makes proposals and flips quick."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import Csr, IntMatrix, IntVector, constants
from netveil.kernels.compiled import inlined, shared
from netveil.kernels.limits import Pieces
from netveil.kernels.triangle_loops import intersect_rows


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
def temperature_at(first: float, last: float, passed: float) -> float:
    """The temperature when this share of a leg is done: it falls by the same factor in equal times."""
    return first * (last / first) ** passed


@inlined
def is_best(enough: int, at_risk: int, deleted: int, best_totals: IntVector) -> bool:
    """Whether a solution is better than the best so far; its totals are then written as the best's."""
    at_risk = at_risk if at_risk > enough else enough
    fewest = best_totals[Best.AT_RISK]
    if at_risk > fewest or (at_risk == fewest and deleted >= best_totals[Best.DELETED]):
        return False
    best_totals[Best.AT_RISK], best_totals[Best.DELETED] = at_risk, deleted
    return True


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


NODE_COLUMNS = 16
"""Columns of WalkNodes.nodes: what a proposal looks at of a node is one line of a processor's cache."""


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
    FIRST_EDGE: int = 8  # its movable edges in `incident`, those that are there first:
    FIRST_DELETED: int = 9  # from here on they are deleted,
    LAST_EDGE: int = 10  # up to here
    FIRST_POINTING: int = 11  # the nodes whose partner it is, in the rows of POINTING,
    LAST_POINTING: int = 12  # up to here
    POINTING: int = 13  # the nodes by partner: of all, not of this node
    RISKY: int = 14  # the nodes at risk when they were last listed: of all, not of this node


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


class WalkNodes(NamedTuple):
    """The nodes, their states, and who is to look like whom."""

    nodes: NDArray[np.int32]  # (n, 16): see NodeColumn
    states: StateCells


class WalkEdges(NamedTuple):
    """The edges as proposals draw them. Protected ones are in none of the lists."""

    edge_triangles: NDArray[np.int32]  # (m): triangles on each edge, or that it would be on if restored
    poor_first: IntVector  # edges on few triangles first
    quantiles: NDArray[np.int64]  # (parts + 1): places in poor_first, as likely to be drawn between any two
    incident: IntVector  # movable edges by node
    places: IntMatrix  # (m, 3): where an edge stands: see PlaceColumn; -1 in `incident` if it is protected
    deleted: IntVector  # (m): the deleted edges come first
    alike: NDArray[np.int32]  # (m, or 0; most alike): see moves.draw_alike; UNKNOWN until needed
    counts: NDArray[np.int64]  # (6): see WalkCount


@constants
class PlaceColumn(NamedTuple):
    """Columns of WalkEdges.places."""

    AT_FIRST_END: int = 0  # in `incident`, in the row of its first end
    AT_SECOND_END: int = 1
    AMONG_DELETED: int = 2


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
    CELLS_USED: int = 5  # cells that have a state, where they are hashed


@shared
def write_best(present: NDArray[np.uint8], best: NDArray[np.uint8], journal: IntVector, flips: int) -> None:
    """Write the best: the walk as it is, with all flips since, the first of the journal, undone."""
    for edge in range(best.shape[0]):
        best[edge] = present[edge]
    for place in range(flips):
        best[journal[place]] ^= 1


@inlined
def list_risky(nodes: IntMatrix, cells: IntMatrix, k: int, counts: IntVector) -> None:
    """Write the nodes at risk that have movable edges into their column, and how many they are."""
    count = 0
    for node in range(nodes.shape[0]):
        at_risk = cells[nodes[node, NodeColumn.CELL], CellColumn.SIZE] < k
        if at_risk and nodes[node, NodeColumn.FIRST_EDGE] < nodes[node, NodeColumn.LAST_EDGE]:
            nodes[count, NodeColumn.RISKY] = node
            count += 1
    counts[WalkCount.LISTED] = count


class Mesh(NamedTuple):
    """Edges and triangles of a network as a walk looks at them. It never changes."""

    ends: IntMatrix  # (m, 2)
    first_row: NDArray[np.int64]  # (m + 1): triangles of edge e are rows first_row[e]:first_row[e + 1]
    triangles: IntMatrix  # (3 * triangles, 3): see triangles.list_triangles; (0, 3) if not listed
    listed: bool  # whether triangles are
    counted: bool  # whether triangles count


class Unlisted(NamedTuple):
    """What triangles are found by where they are too many to be listed; kernels get None where they are."""

    csr: Csr
    rows: IntMatrix  # (largest degree, 3): scratch, the triangles on one edge


@inlined
def rows_on(mesh: Mesh, unlisted: Unlisted | None, edge: int) -> tuple[int, int]:
    """The triangles on an edge with all edges there: first and last + 1 of the rows that `rows_in` has."""
    if not mesh.counted:
        return np.int64(0), np.int64(0)
    if unlisted is None:
        return mesh.first_row[edge], mesh.first_row[edge + 1]
    u, v = mesh.ends[edge, 0], mesh.ends[edge, 1]
    return np.int64(0), np.int64(intersect_rows(unlisted.csr, u, v, unlisted.rows))


@inlined
def settle_flip(
    mesh: Mesh,
    unlisted: Unlisted | None,
    present: NDArray[np.uint8],
    nodes: IntMatrix,
    edges: WalkEdges,
    edge: int,
) -> None:
    """Enter a flip that is made in `present` into `edges` and the rows of its ends.

    Where several flips are made, all but this one and those settled before must stand in `present` as they
    were before.
    """
    edge_triangles, incident, places, counts = (
        edges.edge_triangles,
        edges.incident,
        edges.places,
        edges.counts,
    )
    rows = mesh.triangles if unlisted is None else unlisted.rows
    sign = 2 * np.int32(present[edge]) - 1
    first, last = rows_on(mesh, unlisted, edge)
    for row in range(first, last):
        one, other = rows[row, 0], rows[row, 1]
        if present[one]:
            edge_triangles[other] += sign
        if present[other]:
            edge_triangles[one] += sign
    # In the row of each end it changes places with the one at the border between edges there and deleted.
    for side in range(2):
        node = mesh.ends[edge, side]
        border = nodes[node, NodeColumn.FIRST_DELETED] + (sign - 1) // 2
        nodes[node, NodeColumn.FIRST_DELETED] += sign
        there, place = incident[border], places[edge, side]
        incident[border], incident[place] = edge, there
        places[there, np.int64(mesh.ends[there, 0] != node)] = place
        places[edge, side] = border
    # Of the list of deleted edges, where one is restored, the last takes its place.
    count = counts[WalkCount.DELETED]
    if sign < 0:
        edges.deleted[count], places[edge, PlaceColumn.AMONG_DELETED] = edge, count
    else:
        place, moved = places[edge, PlaceColumn.AMONG_DELETED], edges.deleted[count - 1]
        edges.deleted[place], places[moved, PlaceColumn.AMONG_DELETED] = moved, place
    counts[WalkCount.DELETED] -= sign
