"""The energy of a walk: each node at risk costs more, the farther the nearest nodes are that it could join.

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

from netveil.kernels.annealing.walk_state import (
    NONE,
    CellColumn,
    NodeColumn,
    Numbers,
    StateCells,
    WalkCount,
    WalkNodes,
)
from netveil.kernels.arrays import IntMatrix, IntVector
from netveil.kernels.compiled import in_place, inlined, shared
from netveil.kernels.random import GOLDEN
from netveil.kernels.states import EMPTY, home_slot, risk_when_joined, risk_when_left

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
def first_of(numbers: Numbers, degree: int, triangles: int) -> int:
    """The first number of a state."""
    return numbers.first_per_degree * degree + numbers.first_per_triangle * triangles


@inlined
def second_of(numbers: Numbers, degree: int, triangles: int) -> int:
    """The second number of a state."""
    return numbers.second_per_degree * degree + numbers.second_per_triangle * triangles


@shared
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
    first, second = first_of(states.numbers, degree, triangles), second_of(states.numbers, degree, triangles)
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
    first_now = first_of(numbers, degree - its_degree, triangles)
    second_now = second_of(numbers, degree - its_degree, triangles)
    second_now -= np.int64(numbers.usual[degree]) - numbers.usual[its_degree]
    now = numbers.first_unit * abs(first_now) + abs(second_now)
    after = numbers.first_unit * abs(first_now + first) + abs(second_now + second)
    largest, row = costs.shape[1] - 1, nodes[node, NodeColumn.IS_HUB]
    return costs[row, min(now, largest)], costs[row, min(after, largest)]


@shared
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
    first = first_of(numbers, more_degree, more_triangles)
    second = second_of(numbers, more_degree, more_triangles)
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
        first, second = (
            first_of(states.numbers, degree, triangles),
            second_of(states.numbers, degree, triangles),
        )
        states.keys[cell] = key_of(first, second)
        counts[WalkCount.CELLS_USED] += 1
    change_cell(nodes, cells, node, cell, more_degree, more_triangles)
    return energy, risk + risk_when_joined(np.int64(cells[cell, CellColumn.SIZE]), k)


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
