"""Who is at risk where one table cannot tell: several attackers, numbers known roughly, twins."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.compiled import inlined, internal
from netveil.kernels.following.attacker_arrays import AttackerArrays, AttackerColumn, PartColumn
from netveil.kernels.following.part_kinds import LINEAR
from netveil.kernels.following.signatures import write_keys
from netveil.kernels.following.state import FlipState, General, Total
from netveil.kernels.following.tables import EMPTY, NEVER_NEGATIVE, WHOLE_TABLE, mixed_value, seek
from netveil.kernels.sorting import sort_part

CLOSED = 0x5851F42D4C957F2D  # tells a node's neighbours and itself from another's neighbours alone


@internal
def judge(rule: AttackerArrays, state: FlipState, general: General) -> None:
    """Write who is exposed to any attacker, and how many are. O(n) an attacker, more with rough numbers."""
    exposed = general.exposed
    exposed[:] = 0
    n = exposed.shape[0]
    everybody = np.arange(n)
    counted = np.empty(n, np.uint8)
    for attacker in range(rule.attackers.shape[0]):
        write_keys(rule, general.signatures, state.keys, attacker, everybody)
        if rule.attackers[attacker, AttackerColumn.TWINS]:
            mark_one_of_each_twin_class(state, general, counted)
        else:
            counted[:] = 1
        if rule.attackers[attacker, AttackerColumn.OFF_OF] == 0:
            count_exactly(state, exposed, counted, rule.k)
        else:
            write_numbers(rule, state, general.numbers, attacker)
            count_roughly(rule, state, general, counted, attacker)
    at_risk = 0
    for node in range(n):
        at_risk += exposed[node]
    state.totals[Total.AT_RISK] = at_risk


@internal
def enter(table: NDArray[np.int64], key: int) -> int:
    """The slot of this key; writes the key where the slot is new."""
    slot = seek(table, key, WHOLE_TABLE, table.shape[0] - 1)
    table[slot, 0] = key
    return slot


@internal
def mark_one_of_each_twin_class(state: FlipState, general: General, counted: NDArray[np.uint8]) -> None:
    """Write 1 for the first node of each twin class among those with the same key, 0 for the others.

    Nodes are twins when they have the same neighbours, or the same once each is counted as its own.
    """
    table, slots = state.table, general.queues
    n = counted.shape[0]
    for node in range(n):
        # Keys and nodes are numbers from 0 on: as a number below 0, a key is no node of the circle.
        circle = general.circles[node] + mixed_value(~state.keys[node])
        slots[0, node] = enter(table, circle & NEVER_NEGATIVE)
        slots[1, node] = enter(table, ((circle + mixed_value(node)) ^ CLOSED) & NEVER_NEGATIVE)
        counted[node] = 1 - min(1, table[slots[0, node], 1] + table[slots[1, node], 1])
        table[slots[0, node], 1] = 1
        table[slots[1, node], 1] = 1
    for node in range(n):
        for way in range(2):
            table[slots[way, node], 0] = EMPTY
            table[slots[way, node], 1] = 0


@internal
def count_exactly(state: FlipState, exposed: NDArray[np.uint8], counted: NDArray[np.uint8], k: int) -> None:
    """Expose the nodes whose key fewer than k counted nodes have. Writes exposed; the table stays empty."""
    table, slots = state.table, state.slots
    n = counted.shape[0]
    for node in range(n):
        slots[node] = enter(table, state.keys[node])
        table[slots[node], 1] += counted[node]
    expose_and_clear(table, slots, exposed, k)


@internal
def write_numbers(rule: AttackerArrays, state: FlipState, numbers: NDArray[np.int64], attacker: int) -> None:
    """Write the numbers of a linear state; others are written where surroundings are looked at."""
    part, column = (
        rule.attackers[attacker, AttackerColumn.FIRST_PART],
        rule.attackers[attacker, AttackerColumn.FIRST_COLUMN],
    )
    if rule.parts[part, PartColumn.KIND] != LINEAR:
        return
    for number in range(2):
        per_degree = rule.parts[part, PartColumn.FIRST_NUMBER + 2 * number]
        per_triangle = rule.parts[part, PartColumn.FIRST_NUMBER + 2 * number + 1]
        for node in range(state.degrees.shape[0]):
            value = per_degree * state.degrees[node] + per_triangle * state.triangles[node]
            numbers[node, column + number] = value


@internal
def count_roughly(
    rule: AttackerArrays, state: FlipState, general: General, counted: NDArray[np.uint8], attacker: int
) -> None:
    """Expose the nodes to which fewer than k counted nodes are similar. Writes exposed.

    Works on one node of each state, in order of its first number, and looks no further than the k-th: a
    search only asks whether there are k. `counting.range_counts.counts_within` counts them all.
    """
    table, slots, numbers = state.table, state.slots, general.numbers
    off_by, off_of = (
        rule.attackers[attacker, AttackerColumn.OFF_BY],
        rule.attackers[attacker, AttackerColumn.OFF_OF],
    )
    column, last_column = (
        rule.attackers[attacker, AttackerColumn.FIRST_COLUMN],
        rule.attackers[attacker, AttackerColumn.LAST_COLUMN],
    )
    n = counted.shape[0]
    distinct = general.queues[0]
    found = np.int64(0)
    for node in range(n):
        slot = enter(table, state.keys[node])
        if table[slot, 1] == 0:
            distinct[found] = node
            found += 1
            table[slot, 1] = 1  # one more than there are, so that a state whose node does not count is known
        table[slot, 1] += counted[node]
        slots[node] = slot
    firsts = np.empty(found, np.uint64)
    order = np.empty(found, np.int64)
    for place in range(found):
        firsts[place] = np.uint64(numbers[distinct[place], column])
        order[place] = place
    sort_part(order, np.int64(0), found, firsts, np.empty(found, np.int64))
    similar = np.empty(found, np.int64)
    for place in range(found):
        node = distinct[order[place]]
        similar[place] = table[slots[node], 1] - 1
        for direction in (-1, 1):
            other_place = place + direction
            while 0 <= other_place < found and similar[place] < rule.k:
                other = distinct[order[other_place]]
                if not within(numbers[node, column], numbers[other, column], off_by, off_of):
                    break
                is_similar = True
                for entry in range(column + 1, last_column):
                    is_similar &= within(numbers[node, entry], numbers[other, entry], off_by, off_of)
                if is_similar:
                    similar[place] += table[slots[other], 1] - 1
                other_place += direction
    for place in range(found):
        table[slots[distinct[order[place]]], 1] = similar[place]
    expose_and_clear(table, slots, general.exposed, rule.k)


@inlined
def within(known: int, value: int, off_by: int, off_of: int) -> bool:
    """Whether a value is off from the known one by at most that share of it, in whole numbers."""
    return off_of * abs(known - value) <= off_by * known


@internal
def expose_and_clear(
    table: NDArray[np.int64], slots: NDArray[np.int64], exposed: NDArray[np.uint8], k: int
) -> None:
    """Expose the nodes whose slot counts fewer than k. Writes exposed, and empties the table."""
    for node in range(slots.shape[0]):
        if table[slots[node], 1] < k:
            exposed[node] = 1
    for node in range(slots.shape[0]):
        table[slots[node], 0] = EMPTY
        table[slots[node], 1] = 0
