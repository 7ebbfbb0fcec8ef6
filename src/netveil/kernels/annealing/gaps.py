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

from netveil.kernels.annealing.walk_state import NONE, CellColumn, NodeColumn, Numbers, StateCells, WalkNodes
from netveil.kernels.arrays import IntMatrix, IntVector
from netveil.kernels.compiled import in_place, inlined, shared
from netveil.kernels.sorting import first_at_least
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
            nearest[point] = places[_farthest(distances)]


@shared
def _look_through(
    rows: PointRows, row: int, point: int, between: int, distances: IntVector, places: IntVector
) -> None:
    """Enter the points of a row that are nearer than those found so far; `between` is how far the row is."""
    start, end, second = rows.starts[row], rows.starts[row + 1], rows.seconds[point]
    right = first_at_least(rows.seconds, second, start, end)
    left = right - 1
    last = distances.shape[0] - 1
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


@inlined
def _farthest(distances: IntVector) -> int:
    """The last spot that holds a point, where there are fewer than asked for; 0 if none does."""
    spot = distances.shape[0] - 1
    while spot > 0 and distances[spot] == FAR:
        spot -= 1
    return spot


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
def hashed_cell(keys: NDArray[np.int64], first: int, second: int) -> tuple[int, int]:
    """The cell of a state, or the empty one where it would go; and what stands for the state."""
    key = (np.int64(first) << 32) | second
    last_cell = keys.shape[0] - 1
    cell = home_slot(key, last_cell)
    while keys[cell] != key and keys[cell] != EMPTY:
        cell = (cell + 1) & last_cell
    return cell, key


@inlined
def cell_of(states: StateCells, degree: int, triangles: int) -> int:
    """The cell of a state; where cells are hashed, an empty one is given to a state that had none."""
    first, second = first_of(states.numbers, degree, triangles), second_of(states.numbers, degree, triangles)
    if states.keys.shape[0] == 1:
        return states.row_start[first] + second
    cell, key = hashed_cell(states.keys, first, second)
    if states.keys[cell] == EMPTY:
        states.keys[cell] = key
        states.used[0] += 1
    return cell


@inlined
def cell_if_any(states: StateCells, degree: int, triangles: int) -> int:
    """The cell of a state, NO_CELL if there can be no such state. Writes nothing."""
    first, second = first_of(states.numbers, degree, triangles), second_of(states.numbers, degree, triangles)
    if first < 0 or second < 0 or first >= states.row_start.shape[0] - 1:
        return NO_CELL
    if states.keys.shape[0] > 1:
        return hashed_cell(states.keys, first, second)[0]
    cell = states.row_start[first] + second
    return cell if cell < states.row_start[first + 1] else NO_CELL


@inlined
def size_of(states: StateCells, degree: int, triangles: int) -> int:
    """How many nodes have this degree and so many triangles, as far as the state tells them.

    None if there can be no such state. Writes nothing.
    """
    cell = cell_if_any(states, degree, triangles)
    return np.int64(0) if cell < 0 else np.int64(states.cells[cell, CellColumn.SIZE])


@inlined
def enter_cell(nodes: IntMatrix, cells: IntMatrix, node: int, cell: int) -> None:
    """Put a node into a cell. Writes the records of nodes and the cell."""
    there = cells[cell, CellColumn.FIRST]
    nodes[node, NodeColumn.NEXT] = there
    nodes[node, NodeColumn.BEFORE] = -1
    if there >= 0:
        nodes[there, NodeColumn.BEFORE] = node
    cells[cell, CellColumn.FIRST] = node
    cells[cell, CellColumn.SIZE] += 1
    nodes[node, NodeColumn.CELL] = cell


@inlined
def leave_cell(nodes: IntMatrix, cells: IntMatrix, node: int) -> None:
    """Take a node out of its cell. Writes the records of nodes and the cell."""
    cell = nodes[node, NodeColumn.CELL]
    following, before = nodes[node, NodeColumn.NEXT], nodes[node, NodeColumn.BEFORE]
    if before < 0:
        cells[cell, CellColumn.FIRST] = following
    else:
        nodes[before, NodeColumn.NEXT] = following
    if following >= 0:
        nodes[following, NodeColumn.BEFORE] = before
    cells[cell, CellColumn.SIZE] -= 1


@inlined
def cost_of(nodes: IntMatrix, numbers: Numbers, costs: NDArray[np.float64], node: int) -> float:
    """Cost of a node at risk, by its gap."""
    return cost_after(nodes, numbers, costs, np.int64(node), np.int64(0), np.int64(0))


@inlined
def cost_after(
    nodes: IntMatrix, numbers: Numbers, costs: NDArray[np.float64], node: int, first: int, second: int
) -> float:
    """Cost of a node at risk after its two numbers change by so many more than its partner's."""
    partner = nodes[node, NodeColumn.PARTNER]
    degree, its_degree = np.int64(nodes[node, NodeColumn.DEGREE]), nodes[partner, NodeColumn.DEGREE]
    triangles = np.int64(nodes[node, NodeColumn.TRIANGLES]) - nodes[partner, NodeColumn.TRIANGLES]
    first += first_of(numbers, degree - its_degree, triangles)
    second += second_of(numbers, degree - its_degree, triangles)
    second -= np.int64(numbers.usual[degree]) - numbers.usual[its_degree]
    gap = numbers.first_unit * abs(first) + abs(second)
    largest = costs.shape[1] - 1
    return costs[nodes[node, NodeColumn.IS_HUB], gap if gap < largest else largest]


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
    new = cell_if_any(people.states, degree, triangles)
    if new == old:
        return 0.0
    first = first_of(numbers, more_degree, more_triangles)
    second = second_of(numbers, more_degree, more_triangles)
    second -= np.int64(numbers.usual[degree]) - numbers.usual[degree - more_degree]
    left = np.int64(cells[old, CellColumn.SIZE])
    joined = np.int64(0) if new < 0 else np.int64(cells[new, CellColumn.SIZE])
    energy = 0.0
    if left < k:
        energy -= cost_of(nodes, numbers, costs, node)
    if joined < k - 1:
        energy += cost_after(nodes, numbers, costs, node, first, second)
    for place in range(people.first_pointing[node], people.first_pointing[node + 1]):
        other = people.pointing[place]
        cell = nodes[other, NodeColumn.CELL]
        if cells[cell, CellColumn.SIZE] < k and (cell != new or joined < k - 1):
            energy -= cost_of(nodes, numbers, costs, other)
            energy += cost_after(nodes, numbers, costs, np.int64(other), -first, -second)
    for is_joined in range(2):  # those whom it leaves too few, then those whom it makes enough
        other = NONE
        if not is_joined and left == k:
            other = cells[old, CellColumn.FIRST]
        elif is_joined and 0 < joined == k - 1:
            other = cells[new, CellColumn.FIRST]
        while other >= 0:
            if other != node:
                away = np.int64(not is_joined and nodes[other, NodeColumn.PARTNER] == node)
                cost = cost_after(nodes, numbers, costs, np.int64(other), -away * first, -away * second)
                energy += -cost if is_joined else cost
            other = nodes[other, NodeColumn.NEXT]
    return energy


@inlined
def move_node(
    people: WalkNodes, costs: NDArray[np.float64], k: int, node: int, more_degree: int, more_triangles: int
) -> tuple[float, int]:
    """Change degree and triangles of a node; how much more the walk costs, and how many more are at risk.

    Writes the records of nodes and the cells.
    """
    nodes, cells = people.nodes, people.states.cells
    energy = cost_of_moving(people, costs, k, node, more_degree, more_triangles)
    risk = risk_when_left(np.int64(cells[nodes[node, NodeColumn.CELL], CellColumn.SIZE]), k)
    leave_cell(nodes, cells, node)
    nodes[node, NodeColumn.DEGREE] += more_degree
    nodes[node, NodeColumn.TRIANGLES] += more_triangles
    cell = cell_of(people.states, nodes[node, NodeColumn.DEGREE], nodes[node, NodeColumn.TRIANGLES])
    enter_cell(nodes, cells, node, cell)
    return energy, risk + risk_when_joined(np.int64(cells[cell, CellColumn.SIZE]), k)


@inlined
def move_node_back(people: WalkNodes, node: int, cell: int, more_degree: int, more_triangles: int) -> None:
    """Undo `move_node`: the node was in this cell. Writes the records of nodes and the cells."""
    nodes, cells = people.nodes, people.states.cells
    leave_cell(nodes, cells, node)
    nodes[node, NodeColumn.DEGREE] -= more_degree
    nodes[node, NodeColumn.TRIANGLES] -= more_triangles
    enter_cell(nodes, cells, node, cell)


@in_place
def count_cells(people: WalkNodes, k: int) -> int:
    """Put all nodes into their cells anew; how many are at risk. Writes cells and records of nodes."""
    nodes, states = people.nodes, people.states
    cells, keys = states.cells, states.keys
    for cell in range(cells.shape[0]):
        cells[cell, CellColumn.SIZE] = 0
        cells[cell, CellColumn.FIRST] = -1
    for cell in range(keys.shape[0]):
        keys[cell] = EMPTY
    states.used[0] = 0
    for node in range(nodes.shape[0]):
        cell = cell_of(states, nodes[node, NodeColumn.DEGREE], nodes[node, NodeColumn.TRIANGLES])
        enter_cell(nodes, cells, node, cell)
    at_risk = 0
    for node in range(nodes.shape[0]):
        at_risk += cells[nodes[node, NodeColumn.CELL], CellColumn.SIZE] < k
    return at_risk
