"""Coarser views of states, and the tables that count the nodes of each.

A node that is unique may be close to having a lookalike or far from it; the number of unique nodes alone does
not tell. So states are also looked at through rounded numbers: level 0 is the exact state, level 1 keeps many
leading binary digits of the numbers, higher levels keep fewer. A node with company at level 3 and none at
level 2 has somebody near. Each level refines the next: nodes together at one are together at all above.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.annealing.walk_state import LevelCounts, NodeColumn
from netveil.kernels.arrays import IntMatrix
from netveil.kernels.compiled import compiled, inlined
from netveil.kernels.following.attacker_arrays import AttackerArrays, PartColumn
from netveil.kernels.following.tables import EMPTY, seek


class Levels(NamedTuple):
    """How states are rounded. Number i of a node is numbers[i, 0] * degree + numbers[i, 1] * triangles."""

    numbers: IntMatrix  # (2, 2): two numbers that tell roughly where a state lies
    first: IntMatrix  # (levels, largest first number + 1): each rounded, from level 1 on
    second: IntMatrix  # (levels, largest second number + 1)
    weights: NDArray[np.float64]  # (levels): what a node alone at a level counts, against each other; sum 1


@inlined
def coarse_key(first: int, second: int) -> int:
    """Two rounded numbers as one that is never negative."""
    return (np.int64(first) << 32) | np.int64(second)


@inlined
def count_level(rule: AttackerArrays, levels: Levels, counts: LevelCounts, level: int) -> None:
    """Count all nodes anew at one level. Writes its part of the table, slots in `nodes`, used and at_risk."""
    nodes, table, used, at_risk, slots = counts.nodes, counts.table, counts.used, counts.at_risk, counts.slots
    base = level * slots
    table[base : base + slots, 0] = EMPTY
    table[base : base + slots, 1] = 0
    used[level] = 0
    numbers = levels.numbers
    for node in range(nodes.shape[0]):
        degree, triangles = nodes[node, NodeColumn.DEGREE], nodes[node, NodeColumn.TRIANGLES]
        if level == 0:
            key = rule.parts[0, PartColumn.PER_DEGREE] * degree
            key += rule.parts[0, PartColumn.PER_TRIANGLE] * triangles
        else:
            first = numbers[0, 0] * degree + numbers[0, 1] * triangles
            second = numbers[1, 0] * degree + numbers[1, 1] * triangles
            key = coarse_key(levels.first[level - 1, first], levels.second[level - 1, second])
        slot = seek(table, key, base, slots - 1)
        if table[slot, 0] == EMPTY:
            table[slot, 0] = key
            used[level] += 1
        table[slot, 1] += 1
        nodes[node, NodeColumn.SLOT + level] = slot
    at_risk[level] = 0
    for slot in range(base, base + slots):
        if table[slot, 1] < rule.k:
            at_risk[level] += table[slot, 1]


@compiled
def count_levels(rule: AttackerArrays, levels: Levels, counts: LevelCounts) -> None:
    """Count all nodes anew at all levels. Writes `counts` as `count_level` does."""
    for level in range(counts.used.shape[0]):
        count_level(rule, levels, counts, level)


@inlined
def recount_crowded_levels(rule: AttackerArrays, levels: Levels, counts: LevelCounts) -> None:
    """Count levels anew that use half their slots. Due before each proposal: each may bring many states."""
    for level in range(counts.used.shape[0]):
        if 2 * counts.used[level] > counts.slots:
            count_level(rule, levels, counts, level)
