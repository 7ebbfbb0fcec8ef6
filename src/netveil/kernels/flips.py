"""Flips: edges are deleted and restored one at a time, and the states of few nodes follow."""

from __future__ import annotations

import numpy as np

from netveil.kernels.arrays import IntMatrix, IntVector, Words
from netveil.kernels.compiled import compiled, inlined, internal
from netveil.kernels.states import (
    CONTACTS,
    LINEAR,
    TIES,
    AttackerArrays,
    FlipState,
    General,
    Mark,
    PartColumn,
    Topology,
    Total,
    count_keys,
    follow_looks,
    judge,
    list_around,
    list_node,
    mixed_value,
    move,
    move_nodes,
    rows_for,
    touched_by,
    triangles_on,
    write_keys,
    write_signatures,
)


def start_linear(rule: AttackerArrays, state: FlipState) -> None:
    """Write all that follows from degrees and triangles: keys, slots, table and totals."""
    per_degree, per_triangle = rule.parts[0, PartColumn.PER_DEGREE], rule.parts[0, PartColumn.PER_TRIANGLE]
    state.keys[:] = per_degree * state.degrees + per_triangle * state.triangles
    at_risk, used = count_keys(state.keys, rule.k, state.table, state.slots)
    state.totals[Total.AT_RISK], state.totals[Total.SLOTS_USED] = at_risk, used


@compiled
def flip_linear(topology: Topology, rule: AttackerArrays, state: FlipState, edges: IntVector) -> None:
    """Flip these edges in turn, for one attacker whose state is a sum over degree and triangles.

    What `flip_general` does, twice as fast: the change of a sum is known at once, so a node is counted
    anew where it is met. Writes `state`. All arrays are taken out of their records first: numba counts
    references each time.
    """
    present, words, keys, slots = state.present, state.words, state.keys, state.slots
    table, touched, totals = state.table, state.touched, state.totals
    degrees, triangles, ends = state.degrees, state.triangles, topology.ends
    k = rule.k
    per_degree, per_triangle = rule.parts[0, PartColumn.PER_DEGREE], rule.parts[0, PartColumn.PER_TRIANGLE]
    last_slot = table.shape[0] - 1
    at_risk, used = totals[Total.AT_RISK], totals[Total.SLOTS_USED]
    rows = rows_for(topology, touched.shape[0])
    for edge in edges:
        u = ends[edge, 0]
        v = ends[edge, 1]
        sign = 1 - 2 * np.int64(present[edge])
        # The common neighbours come first, the two ends last.
        found = touched_by(topology, rule.count_triangles, edge, rows, present, touched) - 2
        for place in range(found):
            triangles[touched[place]] += sign
        triangles[u] += sign * found
        triangles[v] += sign * found
        degrees[u] += sign
        degrees[v] += sign

        change = sign * per_triangle
        change_at_ends = sign * (per_degree + per_triangle * found)
        for place in range(found + 2):
            node = touched[place]
            keys[node] += change if place < found else change_at_ends
            slots[node], more, newly_used = move(table, last_slot, slots[node], keys[node], k)
            at_risk += more
            used += newly_used
        present[edge] ^= 1
        words[edge >> 6] ^= np.uint64(1) << np.uint64(edge & 63)
        totals[Total.DELETED] -= sign
        # Keys that nobody has any more keep their slots until half the table is used.
        if 2 * used > table.shape[0]:
            at_risk, used = count_keys(keys, k, table, slots)
    totals[Total.AT_RISK] = at_risk
    totals[Total.SLOTS_USED] = used


# The state of a network while edges are deleted and restored, one flip at a time.
#
# Every node has a 63-bit key that stands for its state, and a hash table counts the nodes of each key. A
# flip of edge {u, v} changes the keys of few nodes (for most measures u, v and their common neighbours), so
# it costs little, however large the network is. Nodes that several flips in a row touch are counted anew
# once.


DEBRUIJN = np.uint64(0x03F79D71B4CB0A89)
BIT_OF_HASH = np.zeros(64, dtype=np.int64)
for _bit in range(64):
    BIT_OF_HASH[((int(DEBRUIJN) << _bit) & (2**64 - 1)) >> 58] = _bit


def start(topology: Topology, rule: AttackerArrays, state: FlipState) -> None:
    """Write all that follows from `present`, degrees and triangles: keys and who is at risk."""
    if state.general is None:
        start_linear(rule, state)
    else:
        write_signatures(topology, rule, state, state.general)
        recount(rule, state, state.general)


@compiled
def recount(rule: AttackerArrays, state: FlipState, general: General) -> None:
    """Count all nodes anew from their signatures. Writes keys, table, slots, exposed, totals."""
    if not rule.one_table:
        judge(rule, state, general)
        return
    write_keys(rule, general.signatures, state.keys, 0, np.arange(state.degrees.shape[0]))
    at_risk, used = count_keys(state.keys, rule.k, state.table, state.slots)
    state.totals[Total.AT_RISK], state.totals[Total.SLOTS_USED] = at_risk, used


def flip_edges(topology: Topology, rule: AttackerArrays, state: FlipState, edges: IntVector) -> None:
    """Flip these edges in turn: delete those that are there, restore those deleted. Writes `state`."""
    edges = np.array(edges, dtype=np.int64)  # as kernels hand them over, or they would be compiled for both
    if state.general is None:
        flip_linear(topology, rule, state, edges)
    else:
        flip_general(topology, rule, state, state.general, edges)


@inlined
def flip(
    topology: Topology, rule: AttackerArrays, state: FlipState, general: General | None, edges: IntVector
) -> None:
    """Flip edges from within a kernel, as `flip_edges` does; `general` is the state's.

    It is an argument of its own because numba knows before it compiles which arguments are None, and of
    fields of a record it does not.
    """
    if general is None:
        flip_linear(topology, rule, state, edges)
    else:
        flip_general(topology, rule, state, general, edges)


@compiled
def flip_general(
    topology: Topology, rule: AttackerArrays, state: FlipState, general: General, edges: IntVector
) -> None:
    """Flip these edges in turn, whatever the attackers see. Writes `state`.

    One call for many flips, and all arrays are taken out of their records first: numba counts references each
    time, which would cost more than the flip itself.
    """
    present, words, signatures = state.present, state.words, general.signatures
    touched, totals, marks, to_recount = state.touched, state.totals, general.marks, general.to_recount
    degrees, triangles = state.degrees, state.triangles
    ends, csr = topology.ends, topology.csr
    parts, part_count = rule.parts, rule.parts.shape[0]
    mark = Mark.AROUND if rule.around == 1 else Mark.NONE
    around = rule.around if rule.around > 1 else 0
    rows = rows_for(topology, touched.shape[0])
    count = 0
    if around > 0 and 2 * edges.shape[0] >= degrees.shape[0]:
        # So many flips touch nearly everybody: looking around all is less work than finding out whom.
        for node in range(degrees.shape[0]):
            count = list_node(node, Mark.AROUND, marks, to_recount, count)
        around = 0
    for edge in edges:
        u = ends[edge, 0]
        v = ends[edge, 1]
        sign = 1 - 2 * np.int64(present[edge])
        # The common neighbours come first, the two ends last.
        found = touched_by(topology, rule.count_triangles, edge, rows, present, touched) - 2
        for place in range(found + 2):
            count = list_node(touched[place], mark, marks, to_recount, count)
        for place in range(found):
            triangles[touched[place]] += sign
        triangles[u] += sign * found
        triangles[v] += sign * found

        for part in range(part_count):
            if parts[part, PartColumn.KIND] == LINEAR:
                change = sign * parts[part, PartColumn.PER_TRIANGLE]
                if change != 0:
                    for place in range(found):
                        signatures[part, touched[place]] += change
                at_ends = sign * parts[part, PartColumn.PER_DEGREE] + change * found
                signatures[part, u] += at_ends
                signatures[part, v] += at_ends
            elif parts[part, PartColumn.KIND] == CONTACTS and parts[part, PartColumn.DISTANCE] == 1:
                count = follow_contacts(topology, state, general, edge, sign, part, count)
        if rule.count_edge_triangles:
            follow_edge_triangles(topology, rule, state, general, edge, sign, rows)
        if rule.know_circles:
            general.circles[u] += sign * mixed_value(v)
            general.circles[v] += sign * mixed_value(u)
        if around > 0 and sign < 0:
            count = list_around(csr, present, general, u, v, around, count)
        degrees[u] += sign
        degrees[v] += sign
        present[edge] ^= 1
        if around > 0 and sign > 0:
            count = list_around(csr, present, general, u, v, around, count)
        words[edge >> 6] ^= np.uint64(1) << np.uint64(edge & 63)
        totals[Total.DELETED] -= sign
    settle(topology, rule, state, general, edges, count)


@internal
def follow_contacts(
    topology: Topology, state: FlipState, general: General, edge: int, sign: np.int64, part: int, count: int
) -> int:
    """Write the signatures of both ends' neighbours, who see another degree, and list them; how many now.

    Called before the flip: the degrees are those of before.
    """
    csr, mixed, signatures, degrees = topology.csr, general.mixed, general.signatures, state.degrees
    present, marks, to_recount = state.present, general.marks, general.to_recount
    for side in range(2):
        node, other = topology.ends[edge, side], topology.ends[edge, 1 - side]
        change = mixed[degrees[node] + sign] - mixed[degrees[node]]
        for place in range(csr.offsets[node], csr.offsets[node + 1]):
            if present[csr.edge_numbers[place]] and csr.neighbours[place] != other:
                signatures[part, csr.neighbours[place]] += change
                count = list_node(csr.neighbours[place], Mark.NONE, marks, to_recount, count)
        signatures[part, other] += mixed[degrees[node] + 1] if sign > 0 else -mixed[degrees[node]]
    return count


@internal
def follow_edge_triangles(
    topology: Topology,
    rule: AttackerArrays,
    state: FlipState,
    general: General,
    edge: int,
    sign: np.int64,
    rows: IntMatrix,
) -> None:
    """Update the edges that make triangles with this one, on one more or less, and their ends' signatures.

    Called before the flip. All whose signature changes are touched by the flip.
    """
    ends, mixed, present, counts = topology.ends, general.mixed, state.present, general.edge_triangles
    first, last = triangles_on(topology, True, edge, rows)
    for part in range(rule.parts.shape[0]):
        if rule.parts[part, PartColumn.KIND] != TIES:
            continue
        signatures = general.signatures[part]
        for row in range(first, last):
            if present[rows[row, 0]] & present[rows[row, 1]]:
                for side in range(2):
                    tie = rows[row, side]
                    change = mixed[counts[tie] + sign] - mixed[counts[tie]]
                    signatures[ends[tie, 0]] += change
                    signatures[ends[tie, 1]] += change
        for side in range(2):
            signatures[ends[edge, side]] += sign * mixed[counts[edge]]
    for row in range(first, last):
        for side in range(2):
            if present[rows[row, 1 - side]]:
                counts[rows[row, side]] += sign


@internal
def settle(
    topology: Topology,
    rule: AttackerArrays,
    state: FlipState,
    general: General,
    flipped: IntVector,
    count: int,
) -> None:
    """Count the first `count` nodes of the list anew after these edges were flipped. Writes all but edges."""
    marks, to_recount, totals = general.marks, general.to_recount, state.totals
    if rule.looks:
        around = np.empty(count, np.int64)
        found = 0
        for place in range(count):
            if marks[to_recount[place]] & Mark.AROUND:
                around[found] = to_recount[place]
                found += 1
        count = follow_looks(topology, rule, state, general, flipped, around[:found], count)
    for place in range(count):
        marks[to_recount[place]] = Mark.NONE
    if not rule.one_table:
        judge(rule, state, general)
        return
    write_keys(rule, general.signatures, state.keys, 0, to_recount[:count])
    at_risk, used = move_nodes(to_recount[:count], state.keys, rule.k, state.table, state.slots)
    totals[Total.AT_RISK] += at_risk
    totals[Total.SLOTS_USED] += used
    # Keys that nobody has any more keep their slots until half the table is used.
    if 2 * totals[Total.SLOTS_USED] > state.table.shape[0]:
        recount(rule, state, general)


@compiled
def differing_edges(state: FlipState, words: Words, edges: IntVector) -> int:
    """Write the edges that `words` deletes and `state` does not, or the reverse, into `edges`; how many."""
    now = state.words
    found = 0
    for index in range(words.shape[0]):
        different = now[index] ^ words[index]
        while different != 0:
            lowest = different & (~different + np.uint64(1))
            edges[found] = 64 * index + BIT_OF_HASH[(lowest * DEBRUIJN) >> np.uint64(58)]
            found += 1
            different ^= lowest
    return found
