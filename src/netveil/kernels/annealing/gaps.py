"""The energy of a walk: each node at risk costs more, the farther the nearest nodes are that it could join.

The number of nodes at risk does not tell whether one of them is close to having lookalikes. So each node has
a partner, the (k - 1)-th nearest other node when partners were last found, and a node at risk costs
Leg.costs[gap], where the gap to its partner is

    first_unit * |difference of the first numbers| + |difference of the second numbers|.

For measure count these are degree and triangles.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.annealing.walk_state import CellColumn, Cells, NodeColumn, Numbers, People
from netveil.kernels.arrays import IntMatrix, IntVector
from netveil.kernels.compiled import compiled, inlined, internal
from netveil.kernels.following.tables import EMPTY, home_slot
from netveil.kernels.sorting import sort_part


@inlined
def first_of(numbers: Numbers, degree: int, triangles: int) -> int:
    """The first number of a state."""
    return numbers.first_per_degree * degree + numbers.first_per_triangle * triangles


@inlined
def second_of(numbers: Numbers, degree: int, triangles: int) -> int:
    """The second number of a state."""
    return numbers.second_per_degree * degree + numbers.second_per_triangle * triangles


@internal
def hashed_cell(keys: NDArray[np.int64], first: int, second: int) -> tuple[int, int]:
    """The cell of a state, or the empty one where it would go; and what stands for the state."""
    key = (first << 32) | second
    last_cell = keys.shape[0] - 1
    cell = home_slot(key, last_cell)
    while keys[cell] != key and keys[cell] != EMPTY:
        cell = (cell + 1) & last_cell
    return cell, key


@inlined
def cell_of(states: Cells, degree: int, triangles: int) -> int:
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
def size_of(states: Cells, degree: int, triangles: int) -> int:
    """How many nodes have this degree and so many triangles, as far as the state tells them.

    None if there can be no such state. Writes nothing.
    """
    first, second = first_of(states.numbers, degree, triangles), second_of(states.numbers, degree, triangles)
    if first < 0 or second < 0 or first >= states.row_start.shape[0] - 1:
        return np.int64(0)
    cell = states.row_start[first] + second
    if states.keys.shape[0] > 1:
        cell = hashed_cell(states.keys, first, second)[0]
    elif cell >= states.row_start[first + 1]:
        return np.int64(0)
    return np.int64(states.cells[cell, CellColumn.SIZE])


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
    """What the node costs if it is at risk."""
    partner = nodes[node, NodeColumn.PARTNER]
    degrees = np.int64(nodes[node, NodeColumn.DEGREE]) - nodes[partner, NodeColumn.DEGREE]
    triangles = np.int64(nodes[node, NodeColumn.TRIANGLES]) - nodes[partner, NodeColumn.TRIANGLES]
    gap = numbers.first_unit * abs(first_of(numbers, degrees, triangles))
    gap += abs(second_of(numbers, degrees, triangles))
    return costs[nodes[node, NodeColumn.IS_HUB], min(gap, costs.shape[1] - 1)]


@inlined
def move_node(
    people: People, costs: NDArray[np.float64], k: int, node: int, more_degree: int, more_triangles: int
) -> tuple[float, int]:
    """Change degree and triangles of a node; how much more the walk costs, and how many more are at risk.

    Costs change of the node, of those at risk whose partner it is, and of those whom it leaves or joins where
    they become too few or enough. Writes the records of nodes and the cells.
    """
    nodes, cells, numbers = people.nodes, people.states.cells, people.states.numbers
    pointing, start, end = people.pointing, people.first_pointing[node], people.first_pointing[node + 1]
    energy, risk = 0.0, 0
    old = nodes[node, NodeColumn.CELL]
    if cells[old, CellColumn.SIZE] < k:
        energy -= cost_of(nodes, numbers, costs, node)
        risk -= 1
    for place in range(start, end):
        other = pointing[place]
        if cells[nodes[other, NodeColumn.CELL], CellColumn.SIZE] < k:
            energy -= cost_of(nodes, numbers, costs, other)
    leave_cell(nodes, cells, node)
    if cells[old, CellColumn.SIZE] == k - 1:
        other = cells[old, CellColumn.FIRST]
        while other >= 0:
            risk += 1
            if nodes[other, NodeColumn.PARTNER] != node:
                energy += cost_of(nodes, numbers, costs, other)
            other = nodes[other, NodeColumn.NEXT]
    nodes[node, NodeColumn.DEGREE] += more_degree
    nodes[node, NodeColumn.TRIANGLES] += more_triangles
    new = cell_of(people.states, nodes[node, NodeColumn.DEGREE], nodes[node, NodeColumn.TRIANGLES])
    if cells[new, CellColumn.SIZE] == k - 1:
        other = cells[new, CellColumn.FIRST]
        while other >= 0:
            risk -= 1
            if nodes[other, NodeColumn.PARTNER] != node:
                energy -= cost_of(nodes, numbers, costs, other)
            other = nodes[other, NodeColumn.NEXT]
    enter_cell(nodes, cells, node, new)
    if cells[new, CellColumn.SIZE] < k:
        energy += cost_of(nodes, numbers, costs, node)
        risk += 1
    for place in range(start, end):
        other = pointing[place]
        if cells[nodes[other, NodeColumn.CELL], CellColumn.SIZE] < k:
            energy += cost_of(nodes, numbers, costs, other)
    return energy, risk


@inlined
def move_node_back(people: People, node: int, cell: int, more_degree: int, more_triangles: int) -> None:
    """Undo `move_node`: the node was in this cell. Writes the records of nodes and the cells."""
    nodes, cells = people.nodes, people.states.cells
    leave_cell(nodes, cells, node)
    nodes[node, NodeColumn.DEGREE] -= more_degree
    nodes[node, NodeColumn.TRIANGLES] -= more_triangles
    enter_cell(nodes, cells, node, cell)


@compiled
def count_cells(people: People, k: int) -> int:
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


@compiled
def find_partners(people: People, k: int) -> None:
    """Make the (k - 1)-th nearest other node the partner of each. Writes partners and who points at whom.

    Nodes are sorted by their two numbers; each looks along its own row, the nodes with the same first number,
    and along those above and below as long as these are near enough.
    """
    nodes, numbers = people.nodes, people.states.numbers
    n = nodes.shape[0]
    nearest = max(1, min(k - 1, n - 1))
    firsts, seconds = np.empty(n, np.int64), np.empty(n, np.int64)
    keys = np.empty(n, np.uint64)
    order, scratch = np.arange(n), np.empty(n, np.int64)
    for node in range(n):
        degree, triangles = nodes[node, NodeColumn.DEGREE], nodes[node, NodeColumn.TRIANGLES]
        firsts[node], seconds[node] = (
            first_of(numbers, degree, triangles),
            second_of(numbers, degree, triangles),
        )
        keys[node] = (np.uint64(firsts[node]) << np.uint64(32)) | np.uint64(seconds[node])
    sort_part(order, 0, n, keys, scratch)
    rows, row_of = _rows(firsts, order)
    gaps, found = np.empty(nearest, np.int64), np.empty(nearest, np.int64)
    for place in range(n):
        node = order[place]
        count = 0
        row = row_of[place]
        for direction in (-1, 1):
            other = row if direction < 0 else row + 1
            while 0 <= other < rows.shape[0] - 1:
                away = numbers.first_unit * abs(firsts[order[rows[other]]] - firsts[node])
                if count == nearest and away >= gaps[nearest - 1]:
                    break
                middle = (
                    place
                    if other == row
                    else _first_not_below(order, seconds, seconds[node], rows[other], rows[other + 1])
                )
                # Outwards from there, to both sides.
                for side in (-1, 1):
                    at = middle - 1 if side < 0 else middle
                    if other == row and side > 0:
                        at += 1
                    while rows[other] <= at < rows[other + 1]:
                        gap = away + abs(seconds[order[at]] - seconds[node])
                        if count == nearest and gap >= gaps[nearest - 1]:
                            break
                        count = _insert(gaps, found, count, nearest, gap, order[at])
                        at += side
                other += direction
        nodes[node, NodeColumn.PARTNER] = found[count - 1] if count > 0 else node
    _list_pointing(people)


@internal
def _rows(firsts: IntVector, order: IntVector) -> tuple[IntVector, IntVector]:
    """Where the rows of equal first numbers begin in `order` (and its end), and the row of each place."""
    n = order.shape[0]
    starts, row_of = np.empty(n + 1, np.int64), np.empty(n, np.int64)
    count = 0
    for place in range(n):
        if place == 0 or firsts[order[place]] != firsts[order[place - 1]]:
            starts[count] = place
            count += 1
        row_of[place] = count - 1
    starts[count] = n
    return starts[: count + 1], row_of


@inlined
def _first_not_below(order: IntVector, seconds: IntVector, bound: int, first: int, last: int) -> int:
    """The first place in first..last-1 whose node has a second number of `bound` or more, or `last`."""
    while first < last:
        middle = (first + last) // 2
        if seconds[order[middle]] < bound:
            first = middle + 1
        else:
            last = middle
    return first


@inlined
def _insert(gaps: IntVector, found: IntVector, count: int, most: int, gap: int, node: int) -> int:
    """Insert a node by its gap into the nearest so far, ascending, at most so many; returns how many."""
    place = min(count, most - 1)
    while place > 0 and gaps[place - 1] > gap:
        gaps[place], found[place] = gaps[place - 1], found[place - 1]
        place -= 1
    gaps[place], found[place] = gap, node
    return min(count + 1, most)


@inlined
def _list_pointing(people: People) -> None:
    """Write for each node the nodes whose partner it is."""
    nodes, first_pointing, pointing = people.nodes, people.first_pointing, people.pointing
    n = nodes.shape[0]
    for node in range(n + 1):
        first_pointing[node] = 0
    for node in range(n):
        first_pointing[nodes[node, NodeColumn.PARTNER]] += 1
    total = 0
    for node in range(n + 1):  # now where each row ends
        total += first_pointing[node]
        first_pointing[node] = total
    for node in range(n - 1, -1, -1):
        partner = nodes[node, NodeColumn.PARTNER]
        first_pointing[partner] -= 1
        pointing[first_pointing[partner]] = node
