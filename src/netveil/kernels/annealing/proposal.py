"""A proposal on its way: whom its flips touch, and how the tables of all levels move with them.

The nodes touched are gathered first, each with the net change of its degree and triangles, for in a swap much
cancels out; then the tables are moved, and moved back if the proposal is rejected.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.annealing.levels import Levels, coarse_key
from netveil.kernels.annealing.walk_state import LevelCounts, NodeColumn, Walk
from netveil.kernels.arrays import IntMatrix, IntVector
from netveil.kernels.compiled import inlined, internal
from netveil.kernels.following.attacker_arrays import AttackerArrays, PartColumn
from netveil.kernels.following.edge_triangles import triangles_on
from netveil.kernels.following.state import Topology
from netveil.kernels.following.tables import EMPTY, risk_when_joined, risk_when_left, seek

REPAIRS = 2  # flips that may be added to a proposal
MOST_FLIPS = 2 + REPAIRS


class TouchedColumn(IntEnum):
    """Columns of Proposal.touched."""

    NODE = 0
    DEGREE_CHANGE = 1
    TRIANGLE_CHANGE = 2


class MoveColumn(IntEnum):
    """Columns of Proposal.moves: a node at a level goes from one slot of the table to another."""

    NODE = 0
    LEVEL = 1
    FROM = 2
    TO = 3


class Proposal(NamedTuple):
    """Scratch of one proposal after the other. How many rows are in use, the kernels hand to each other."""

    flips: IntVector  # (MOST_FLIPS): edges
    touched: IntMatrix  # (most touched, 3): see TouchedColumn
    moves: IntMatrix  # (most touched * (levels + 1), 4): see MoveColumn
    risk_change: IntVector  # (levels + 1): how many more nodes are at risk at each level
    rows: IntMatrix  # the triangles on edges: see following.edge_triangles.rows_for


@internal
def new_proposal(nodes: int, level_count: int, largest_degree: int, rows: IntMatrix) -> Proposal:
    """Room for any proposal in a network of so many nodes."""
    most = min(nodes, MOST_FLIPS * (largest_degree + 2))
    return Proposal(
        np.empty(MOST_FLIPS, np.int64),
        np.empty((most, 3), np.int64),
        np.empty((most * level_count, 4), np.int64),
        np.zeros(level_count, np.int64),
        rows,
    )


@inlined
def gather_flip(
    topology: Topology, rule: AttackerArrays, walk: Walk, proposal: Proposal, edge: int, found: int
) -> int:
    """Add those whom a flip touches to the first `found`; returns how many they are now.

    Flips the edge in `walk.present`, and writes in the nodes' records where they stand in `touched`.
    """
    present, nodes, ends = walk.present, walk.counts.nodes, topology.ends
    touched, rows = proposal.touched, proposal.rows
    sign = 1 - 2 * np.int64(present[edge])
    closed = 0
    first, last = triangles_on(topology, rule.count_triangles, edge, rows)
    for row in range(first, last):
        if present[rows[row, 0]] & present[rows[row, 1]]:
            closed += 1
            place, found = _place_of(nodes, touched, np.int64(rows[row, 2]), found)
            touched[place, TouchedColumn.TRIANGLE_CHANGE] += sign
    for side in range(2):
        place, found = _place_of(nodes, touched, np.int64(ends[edge, side]), found)
        touched[place, TouchedColumn.DEGREE_CHANGE] += sign
        touched[place, TouchedColumn.TRIANGLE_CHANGE] += sign * closed
    present[edge] ^= 1
    return found


@inlined
def _place_of(nodes: IntMatrix, touched: IntMatrix, node: int, found: int) -> tuple[int, int]:
    """Where a node stands in `touched`, entered if it is new; and how many stand there now."""
    place = nodes[node, NodeColumn.PLACE]
    if place >= 0:
        return place, found
    nodes[node, NodeColumn.PLACE] = found
    touched[found, TouchedColumn.NODE] = node
    touched[found, TouchedColumn.DEGREE_CHANGE] = 0
    touched[found, TouchedColumn.TRIANGLE_CHANGE] = 0
    return found, found + 1


@inlined
def move_tables(
    rule: AttackerArrays, levels: Levels, counts: LevelCounts, proposal: Proposal, found: int
) -> int:
    """Count the first `found` touched nodes under their new states, at all levels; returns how many moves.

    Writes the table, slots used, and of the proposal the moves and the change of risk.
    """
    nodes, table, used, slots = counts.nodes, counts.table, counts.used, counts.slots
    touched, moves, risk_change = proposal.touched, proposal.moves, proposal.risk_change
    numbers, first_rounded, second_rounded = levels.numbers, levels.first, levels.second
    per_degree, per_triangle = rule.parts[0, PartColumn.PER_DEGREE], rule.parts[0, PartColumn.PER_TRIANGLE]
    k, level_count = rule.k, used.shape[0]
    for level in range(level_count):
        risk_change[level] = 0
    count = 0
    for place in range(found):
        more_degree = touched[place, TouchedColumn.DEGREE_CHANGE]
        more_triangles = touched[place, TouchedColumn.TRIANGLE_CHANGE]
        state_change = per_degree * more_degree + per_triangle * more_triangles
        if state_change == 0:
            continue
        node = touched[place, TouchedColumn.NODE]
        old_degree, old_triangles = nodes[node, NodeColumn.DEGREE], nodes[node, NodeColumn.TRIANGLES]
        degree, triangles = old_degree + more_degree, old_triangles + more_triangles
        first_number = numbers[0, 0] * degree + numbers[0, 1] * triangles
        second_number = numbers[1, 0] * degree + numbers[1, 1] * triangles
        old_first = numbers[0, 0] * old_degree + numbers[0, 1] * old_triangles
        old_second = numbers[1, 0] * old_degree + numbers[1, 1] * old_triangles
        for level in range(level_count):
            slot = nodes[node, NodeColumn.SLOT + level]
            if level == 0:
                key = table[slot, 0] + state_change
            else:
                one = first_rounded[level - 1, first_number]
                other = second_rounded[level - 1, second_number]
                if (
                    one == first_rounded[level - 1, old_first]
                    and other == second_rounded[level - 1, old_second]
                ):
                    break  # and so at all levels above
                key = coarse_key(one, other)
            size = table[slot, 1]
            table[slot, 1] = size - 1
            risk_change[level] += risk_when_left(size, k)
            moves[count, MoveColumn.FROM] = slot
            slot = seek(table, key, level * slots, slots - 1)
            if table[slot, 0] == EMPTY:
                table[slot, 0] = key
                used[level] += 1
            size = table[slot, 1] + 1
            table[slot, 1] = size
            risk_change[level] += risk_when_joined(size, k)
            moves[count, MoveColumn.TO] = slot
            moves[count, MoveColumn.NODE] = node
            moves[count, MoveColumn.LEVEL] = level
            count += 1
    return count


@inlined
def move_tables_back(table: IntMatrix, moves: IntMatrix, count: int) -> None:
    """Undo the first `count` moves. Writes the table."""
    for move in range(count):
        table[moves[move, MoveColumn.TO], 1] -= 1
        table[moves[move, MoveColumn.FROM], 1] += 1


@inlined
def put_back(
    present: NDArray[np.uint8], nodes: IntMatrix, proposal: Proposal, count: int, found: int
) -> None:
    """Write `present` and the places of the touched nodes as they were before the proposal."""
    for place in range(found):
        node = proposal.touched[place, TouchedColumn.NODE]
        nodes[node, NodeColumn.PLACE] = -1
    for place in range(count):
        present[proposal.flips[place]] ^= 1


@inlined
def settle_nodes(counts: LevelCounts, proposal: Proposal, found: int, move_count: int) -> None:
    """Write what an accepted proposal changes in the records of nodes, and in how many are at risk."""
    nodes, touched, moves = counts.nodes, proposal.touched, proposal.moves
    for move in range(move_count):
        node, level = moves[move, MoveColumn.NODE], moves[move, MoveColumn.LEVEL]
        nodes[node, NodeColumn.SLOT + level] = moves[move, MoveColumn.TO]
    for place in range(found):
        node = touched[place, TouchedColumn.NODE]
        nodes[node, NodeColumn.DEGREE] += touched[place, TouchedColumn.DEGREE_CHANGE]
        nodes[node, NodeColumn.TRIANGLES] += touched[place, TouchedColumn.TRIANGLE_CHANGE]
    for level in range(counts.at_risk.shape[0]):
        counts.at_risk[level] += proposal.risk_change[level]
