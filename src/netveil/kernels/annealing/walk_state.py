"""The solution of an annealing chain while it moves, with all that makes proposals and flips quick.

Each node at risk costs more, the farther the nearest nodes are that it could join.
The number of nodes at risk does not tell whether one of them is close to having lookalikes. So each node has
a partner, the (k - 1)-th nearest other node as search/annealing/walk.py last found it, and a node at risk
costs Leg.costs[gap], where the gap to its partner is

    first_unit * |difference of the first numbers| + |difference of the second numbers|,

the second less what is usual with a degree. For measure count these are degree and triangles: an edge that
goes takes its triangles with it, so two nodes that differ by one edge and the triangles on it are near.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import Csr, IntMatrix, IntVector, constants
from netveil.kernels.basics import GOLDEN
from netveil.kernels.compiled import in_place, inlined, shared
from netveil.kernels.limits import Pieces
from netveil.kernels.states import EMPTY, home_slot, risk_when_left
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
    PARTNER: int = 3  # the node that it is to look like: see above
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


# Nearest points: who could become a node's partner.


FAR = np.int64(1) << 62


class PointRows(NamedTuple):
    """Points in a plane, in rows: those with one first number, ascending by the second."""

    firsts: NDArray[np.int64]  # (rows): the first number of each row, ascending
    starts: NDArray[np.int64]  # (rows + 1): where each row begins in `seconds`
    seconds: NDArray[np.int64]  # (n)


@in_place
def find_nearest(rows: PointRows, distances: IntVector, places: IntVector, nearest: IntVector) -> None:
    """Write for each point (n) another that has fewer than `rank` others nearer; itself if it is alone.

    Distances are sums of differences. The nearer rows are looked through first, until none can hold a nearer
    point. Writes `nearest`, places in `rows`; `distances` and `places` (rank) are scratch.
    """
    rank = distances.shape[0]
    for own_row in range(rows.firsts.shape[0]):
        for point in range(rows.starts[own_row], rows.starts[own_row + 1]):
            for spot in range(rank):
                distances[spot], places[spot] = FAR, point
            _look_through(rows, own_row, point, np.int64(0), distances, places)
            below, above = own_row - 1, own_row + 1
            while True:
                to_below = rows.firsts[own_row] - rows.firsts[below] if below >= 0 else FAR
                to_above = rows.firsts[above] - rows.firsts[own_row] if above < rows.firsts.shape[0] else FAR
                if to_below >= distances[rank - 1] and to_above >= distances[rank - 1]:
                    break
                if to_below <= to_above:
                    _look_through(rows, below, point, to_below, distances, places)
                    below -= 1
                else:
                    _look_through(rows, above, point, to_above, distances, places)
                    above += 1
            spot = rank - 1  # or the last that holds a point, where there are fewer than asked for
            while spot > 0 and distances[spot] == FAR:
                spot -= 1
            nearest[point] = places[spot]


@shared
def _look_through(
    rows: PointRows, row: int, point: int, between: int, distances: IntVector, places: IntVector
) -> None:
    """Enter the points of a row that are nearer than those found so far; `between` is how far the row is."""
    start, end, second = rows.starts[row], rows.starts[row + 1], rows.seconds[point]
    right, above, last = start, end, distances.shape[0] - 1
    while right < above:  # to the first that is not below
        middle = (right + above) // 2
        if rows.seconds[middle] < second:
            right = middle + 1
        else:
            above = middle
    left = right - 1
    while True:
        to_left = between + second - rows.seconds[left] if left >= start else FAR
        to_right = between + rows.seconds[right] - second if right < end else FAR
        found, distance = (right, to_right) if to_right <= to_left else (left, to_left)
        if distance >= distances[last]:
            return
        if found == right:
            right += 1
        else:
            left -= 1
        if found == point:
            continue
        spot = last
        while spot > 0 and distance < distances[spot - 1]:
            distances[spot], places[spot] = distances[spot - 1], places[spot - 1]
            spot -= 1
        distances[spot], places[spot] = distance, found


NO_CELL = np.int64(-1)


@inlined
def numbers_of(numbers: Numbers, degree: int, triangles: int) -> tuple[int, int]:
    """The two numbers of a state."""
    first = numbers.first_per_degree * degree + numbers.first_per_triangle * triangles
    return first, numbers.second_per_degree * degree + numbers.second_per_triangle * triangles


@inlined
def hashed_cell(keys: NDArray[np.int64], key: int) -> int:
    """The cell of a state, or the empty one where it would go."""
    last_cell = keys.shape[0] - 1
    cell = home_slot(key, last_cell)
    while keys[cell] != key and keys[cell] != EMPTY:
        cell = (cell + 1) & last_cell
    return cell


@inlined
def key_of(first: int, second: int) -> int:
    """Number that stands for a state where cells are hashed."""
    return (np.int64(first) << 32) | second


@inlined
def cell_of(states: StateCells, degree: int, triangles: int) -> int:
    """The cell of a state, NO_CELL if there can be no such state; where hashed, also an empty one."""
    first, second = numbers_of(states.numbers, degree, triangles)
    if first < 0 or second < 0 or first >= states.row_start.shape[0] - 1:
        return NO_CELL
    if states.keys.shape[0] > 1:
        return hashed_cell(states.keys, key_of(first, second))
    cell = states.row_start[first] + second
    return cell if cell < states.row_start[first + 1] else NO_CELL


@inlined
def size_of(states: StateCells, degree: int, triangles: int) -> int:
    """How many nodes have this degree and so many triangles, as far as the state tells them.

    None if there can be no such state. Writes nothing.
    """
    cell = cell_of(states, degree, triangles)
    return np.int64(0) if cell < 0 else np.int64(states.cells[cell, CellColumn.SIZE])


@inlined
def change_cell(
    nodes: IntMatrix, cells: IntMatrix, node: int, cell: int, more_degree: int, more_triangles: int
) -> None:
    """Change degree and triangles of a node and put it into this cell. Writes its record and both cells."""
    old = nodes[node, NodeColumn.CELL]
    following, before = nodes[node, NodeColumn.NEXT], nodes[node, NodeColumn.BEFORE]
    if before < 0:
        cells[old, CellColumn.FIRST] = following
    else:
        nodes[before, NodeColumn.NEXT] = following
    if following >= 0:
        nodes[following, NodeColumn.BEFORE] = before
    cells[old, CellColumn.SIZE] -= 1
    nodes[node, NodeColumn.DEGREE] += more_degree
    nodes[node, NodeColumn.TRIANGLES] += more_triangles
    there = cells[cell, CellColumn.FIRST]
    nodes[node, NodeColumn.NEXT] = there
    nodes[node, NodeColumn.BEFORE] = -1
    if there >= 0:
        nodes[there, NodeColumn.BEFORE] = node
    cells[cell, CellColumn.FIRST] = node
    cells[cell, CellColumn.SIZE] += 1
    nodes[node, NodeColumn.CELL] = cell


@inlined
def costs_of(
    nodes: IntMatrix, numbers: Numbers, costs: NDArray[np.float64], node: int, first: int, second: int
) -> tuple[float, float]:
    """Cost of a node at risk, now and after its two numbers change by so many more than its partner's."""
    partner = nodes[node, NodeColumn.PARTNER]
    degree, its_degree = np.int64(nodes[node, NodeColumn.DEGREE]), nodes[partner, NodeColumn.DEGREE]
    triangles = np.int64(nodes[node, NodeColumn.TRIANGLES]) - nodes[partner, NodeColumn.TRIANGLES]
    first_now, second_now = numbers_of(numbers, degree - its_degree, triangles)
    second_now -= np.int64(numbers.usual[degree]) - numbers.usual[its_degree]
    now = numbers.first_unit * abs(first_now) + abs(second_now)
    after = numbers.first_unit * abs(first_now + first) + abs(second_now + second)
    largest, row = costs.shape[1] - 1, nodes[node, NodeColumn.IS_HUB]
    now, after = now if now < largest else largest, after if after < largest else largest
    return costs[row, now], costs[row, after]


@inlined
def cost_of_moving(
    people: WalkNodes, costs: NDArray[np.float64], k: int, node: int, more_degree: int, more_triangles: int
) -> float:
    """How much more the walk would cost after `move_node`. Writes nothing.

    Costs change of the node, of those at risk whose partner it is, and of those whom it leaves or joins where
    they become too few or enough.
    """
    nodes, cells, numbers = people.nodes, people.states.cells, people.states.numbers
    old = nodes[node, NodeColumn.CELL]
    degree = np.int64(nodes[node, NodeColumn.DEGREE]) + more_degree
    triangles = np.int64(nodes[node, NodeColumn.TRIANGLES]) + more_triangles
    new = cell_of(people.states, degree, triangles)
    if new == old:
        return 0.0
    first, second = numbers_of(numbers, more_degree, more_triangles)
    second -= np.int64(numbers.usual[degree]) - numbers.usual[degree - more_degree]
    left, joined = np.int64(cells[old, CellColumn.SIZE]), np.int64(0)
    if new >= 0:
        joined = np.int64(cells[new, CellColumn.SIZE])
    energy = 0.0
    if left < k or joined < k - 1:
        now, after = costs_of(nodes, numbers, costs, np.int64(node), first, second)
        if left < k:
            energy -= now
        if joined < k - 1:
            energy += after
    for place in range(nodes[node, NodeColumn.FIRST_POINTING], nodes[node, NodeColumn.LAST_POINTING]):
        other = nodes[place, NodeColumn.POINTING]
        cell = nodes[other, NodeColumn.CELL]
        if cells[cell, CellColumn.SIZE] < k and (cell != new or joined < k - 1):
            now, after = costs_of(nodes, numbers, costs, np.int64(other), -first, -second)
            energy -= now
            energy += after
    for side in range(2):  # those whom it leaves too few, then those whom it makes enough
        other, sign = NONE, 1.0
        if side == 0:
            if left == k:
                other = np.int64(cells[old, CellColumn.FIRST])
        elif joined == k - 1 and joined > 0:
            other, sign = np.int64(cells[new, CellColumn.FIRST]), -1.0
        while other >= 0:
            if other != node:
                away = np.int64(0)
                if side == 0 and nodes[other, NodeColumn.PARTNER] == node:
                    away = np.int64(-1)
                now, after = costs_of(nodes, numbers, costs, other, away * first, away * second)
                energy += sign * after
            other = np.int64(nodes[other, NodeColumn.NEXT])
    return energy


@inlined
def move_node(
    people: WalkNodes,
    costs: NDArray[np.float64],
    k: int,
    node: int,
    more_degree: int,
    more_triangles: int,
    counts: IntVector,
) -> tuple[float, int]:
    """Change degree and triangles of a node; how much more the walk costs, and how many more are at risk.

    Writes the records of nodes and the cells.
    """
    nodes, states, cells = people.nodes, people.states, people.states.cells
    energy = cost_of_moving(people, costs, k, node, more_degree, more_triangles)
    risk = risk_when_left(np.int64(cells[nodes[node, NodeColumn.CELL], CellColumn.SIZE]), k)
    degree = np.int64(nodes[node, NodeColumn.DEGREE]) + more_degree
    triangles = np.int64(nodes[node, NodeColumn.TRIANGLES]) + more_triangles
    cell = cell_of(states, degree, triangles)
    if states.keys.shape[0] > 1 and states.keys[cell] == EMPTY:
        first, second = numbers_of(states.numbers, degree, triangles)
        states.keys[cell] = key_of(first, second)
        counts[WalkCount.CELLS_USED] += 1
    change_cell(nodes, cells, node, cell, more_degree, more_triangles)
    return energy, risk - risk_when_left(np.int64(cells[cell, CellColumn.SIZE]), k)


def count_cells(people: WalkNodes, k: int, counts: IntVector) -> int:
    """Put all nodes into their cells anew; how many are at risk. Writes cells, nodes and counts."""
    nodes, (numbers, cells, row_start, keys) = people.nodes, people.states
    degrees, triangles = nodes[:, [NodeColumn.DEGREE, NodeColumn.TRIANGLES]].T.astype(np.int64)
    first = numbers.first_per_degree * degrees + numbers.first_per_triangle * triangles
    second = numbers.second_per_degree * degrees + numbers.second_per_triangle * triangles
    if len(keys) == 1:
        cell = row_start[first] + second
    else:
        states, which = np.unique((first << 32) | second, return_inverse=True)
        cell, counts[WalkCount.CELLS_USED] = _hash_anew(keys, states)[which], len(states)
    cells[:, CellColumn.SIZE] = np.bincount(cell, minlength=len(cells))
    nodes[:, NodeColumn.CELL] = cell
    # In the list of its cell, a node with a larger number comes before one with a smaller.
    order = np.argsort(cell, kind="stable")
    joined = np.append(np.diff(cell[order]) == 0, False)
    nodes[order, NodeColumn.BEFORE] = np.where(joined, np.roll(order, -1), -1)
    nodes[order, NodeColumn.NEXT] = np.where(np.roll(joined, 1), np.roll(order, 1), -1)
    cells[:, CellColumn.FIRST] = -1
    cells[cell[order[~joined]], CellColumn.FIRST] = order[~joined]
    return int(np.count_nonzero(cells[cell, CellColumn.SIZE] < k))


def _hash_anew(keys: IntVector, states: IntVector) -> IntVector:
    """The cell of each of these states, all different, in `keys`, which has no others then."""
    keys[:] = EMPTY
    product = states.astype(np.uint64) * GOLDEN
    cell = ((product ^ (product >> np.uint64(32))) & np.uint64(len(keys) - 1)).astype(
        np.int64
    )  # see home_slot
    while True:
        looking = np.flatnonzero(keys[cell] != states)
        if len(looking) == 0:
            return cell
        free = looking[keys[cell[looking]] == EMPTY]
        keys[cell[free]] = states[free]
        others = looking[keys[cell[looking]] != states[looking]]
        cell[others] = (cell[others] + 1) & (len(keys) - 1)
