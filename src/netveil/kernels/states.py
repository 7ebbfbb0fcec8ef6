"""States of nodes while edges go and come back: the kinds, the arrays, and who is at risk by them."""

from __future__ import annotations

from typing import NamedTuple, Protocol
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import Csr, IntMatrix, IntVector, Words, constants
from netveil.kernels.balls import ball_degrees, empty_ball, shapes_and_drawings, write_ball_numbers
from netveil.kernels.basics import GOLDEN, mixed, sort_part
from netveil.kernels.compiled import compiled, inlined, internal, objmode
from netveil.kernels.triangle_loops import intersect_rows

LINEAR = 0  # per_degree * degree + per_triangle * triangles
TIES = 1  # the triangles on each of a node's edges, as a multiset
CONTACTS = 2  # what the neighbours look like, as a multiset, in so many rounds
NUMBERS_AROUND = 3  # nodes and edges within distance 1, 2, …
EDGES_AROUND = 4  # edges within distance 1, 2, …
DEGREES_AROUND = 5  # degrees inside the surroundings at distance 1, 2, …, as multisets
SHAPES_AROUND = 6  # the surroundings at distance 1, 2, … up to isomorphism
GIVEN = 7  # what a user-defined measure says

AROUND_KINDS = (NUMBERS_AROUND, EDGES_AROUND, DEGREES_AROUND, SHAPES_AROUND)
"""Kinds that look at whole surroundings."""


# The table that counts the nodes of each key, and who is at risk by it.


EMPTY = -1  # key of an unused slot; keys of nodes are never negative
WHOLE_TABLE = np.int64(0)  # where a table begins that has one part, and the first part of one that has more
NEVER_NEGATIVE = (1 << 63) - 1  # mask that takes the sign off a sum


@inlined
def home_slot(key: int, last_slot: int) -> int:
    """Slot at which a table of last_slot + 1 slots, a power of two, looks first for `key`."""
    product = np.uint64(key) * GOLDEN
    # Folded, for the product's upper bits know most of the key and the mask keeps the lower ones.
    return np.int64((product ^ (product >> np.uint64(32))) & np.uint64(last_slot))


@inlined
def seek(table: IntMatrix, key: int, base: int, last_slot: int) -> int:
    """The slot that holds `key`, or the empty one where it would go, in the part of the table from `base`."""
    slot = base + home_slot(key, last_slot)
    while table[slot, 0] != key and table[slot, 0] != EMPTY:
        slot = base + ((slot + 1) & last_slot)
    return slot


@inlined
def mixed_value(value: int) -> int:
    """A whole number's value in a sum that stands for a multiset, which follows when one comes or goes."""
    return np.int64(mixed(np.uint64(value)))


@inlined
def risk_when_left(size: int, k: int) -> int:
    """How many more nodes are at risk when one leaves a class of `size` nodes; so many fewer if it joins."""
    return -1 if size < k else (k - 1 if size == k else 0)


@inlined
def move(table: NDArray[np.int64], last_slot: int, slot: int, key: int, k: int) -> tuple[int, int, int]:
    """Count a node of this slot under a new key. Writes the table.

    Returns its new slot, how many more nodes are at risk, and how many more slots are used.
    """
    size = table[slot, 1]
    table[slot, 1] = size - 1
    more = risk_when_left(size, k)
    slot = seek(table, key, WHOLE_TABLE, last_slot)
    used = 0
    if table[slot, 0] == EMPTY:
        table[slot, 0] = key
        used = 1
    size = table[slot, 1] + 1
    table[slot, 1] = size
    return slot, more - risk_when_left(size, k), used


@compiled
def count_keys(keys: IntVector, k: int, table: NDArray[np.int64], slots: IntVector) -> tuple[int, int]:
    """Count all nodes anew by key (n). Writes table and slots; returns nodes at risk and slots used."""
    last_slot = table.shape[0] - 1
    table[:, 0] = EMPTY
    table[:, 1] = 0
    used = 0
    for node in range(keys.shape[0]):
        key = keys[node]
        slot = seek(table, key, WHOLE_TABLE, last_slot)
        if table[slot, 0] == EMPTY:
            table[slot, 0] = key
            used += 1
        table[slot, 1] += 1
        slots[node] = slot
    at_risk = 0
    for node in range(keys.shape[0]):
        at_risk += table[slots[node], 1] < k
    return at_risk, used


@internal
def move_nodes(
    nodes: IntVector, keys: IntVector, k: int, table: NDArray[np.int64], slots: IntVector
) -> tuple[int, int]:
    """Count these nodes under their new keys (n). Writes table, slots; changes: at risk, slots used."""
    last_slot = table.shape[0] - 1
    at_risk, used = 0, 0
    for node in nodes:
        if table[slots[node], 0] != keys[node]:
            slots[node], more, newly_used = move(table, last_slot, slots[node], keys[node], k)
            at_risk += more
            used += newly_used
    return at_risk, used


@compiled
def mixed_values(count: int) -> NDArray[np.int64]:
    """The mixed values of 0..count-1."""
    values = np.empty(count, np.int64)
    for value in range(count):
        values[value] = mixed_value(value)
    return values


def empty_table(slots: int) -> NDArray[np.int64]:
    """A table (slots, 2) that counts nobody; slots are a power of two."""
    table = np.zeros((slots, 2), dtype=np.int64)
    table[:, 0] = EMPTY
    return table


@constants
class PartColumn(NamedTuple):
    """Columns of AttackerArrays.parts: an ingredient of a state."""

    KIND: int = 0  # see the kinds above
    DISTANCE: int = 1  # how far it reaches
    PER_DEGREE: int = 2  # weights of degree and triangles in a linear one
    PER_TRIANGLE: int = 3
    FIRST_NUMBER: int = 4  # and its two numbers as multiples of degree and triangles: four columns
    FOLLOWER: int = 8  # of a user-defined one, the number of its follower
    OWNER: int = 9  # the attacker whose state it belongs to


@constants
class AttackerColumn(NamedTuple):
    """Columns of AttackerArrays.attackers."""

    FIRST_PART: int = 0  # the parts that make up the state, first and last + 1
    LAST_PART: int = 1
    OFF_BY: int = 2  # numbers may be off by the share OFF_BY / OFF_OF; OFF_OF is 0 if they are known exactly
    OFF_OF: int = 3
    TWINS: int = 4  # whether twins count as one
    FIRST_COLUMN: int = 5  # where General.numbers has the numbers, first column and last + 1
    LAST_COLUMN: int = 6


class AttackerArrays(NamedTuple):
    """The attackers' knowledge and k, as kernels take them."""

    k: int  # nodes that fewer than k look like, themselves included, are at risk
    parts: IntMatrix  # (parts, 10): see PartColumn
    attackers: IntMatrix  # (attackers, 7): see AttackerColumn
    one_table: bool  # whether counting keys tells who is at risk: one attacker, no doubts, no twins
    linear: bool  # and its state is a sum over degree and triangles
    count_triangles: bool  # whether a part or a limit looks at triangles; else nobody follows them
    count_edge_triangles: bool  # whether a part looks at the triangles on each edge
    know_circles: bool  # whether twins are followed
    around: int  # the largest distance at which a part looks at whole surroundings; 0 if none does
    looks: bool  # whether any part does, or does not follow flip by flip for another reason
    reach: int  # whose state a deletion can change: see anonymity.measure.Reach
    reach_of_both: bool


# The arrays of a search: what never changes, and the network with some edges deleted.


@constants
class Total(NamedTuple):
    """Entries of FlipState.totals."""

    AT_RISK: int = 0  # nodes
    SLOTS_USED: int = 1  # of the table
    DELETED: int = 2  # edges


class Topology(NamedTuple):
    """The network as it was at first, shared by all threads. Edges are numbered by bit position."""

    ends: IntMatrix  # (m, 2)
    first_row: NDArray[np.int64]  # (m + 1): triangles of edge e are rows first_row[e]:first_row[e + 1]
    triangles: IntMatrix  # (3 * triangles, 3): see triangles.list_triangles; (0, 3) if not listed
    csr: Csr  # adjacency, for networks with too many triangles to list them
    listed: bool  # whether triangles are
    movable: NDArray[np.uint8]  # (m): 1 where the edge may be deleted, 0 where it is protected


class General(NamedTuple):
    """Further arrays of a state that is no sum over degree and triangles."""

    mixed: NDArray[np.int64]  # (largest degree + 2): each number's value in a sum that stands for a multiset
    edge_triangles: NDArray[np.int64]  # (m, or 0): on each edge, or that it would be on if it were restored
    circles: NDArray[np.int64]  # (n, or 0): the neighbours of each node, as a sum of mixed values
    signatures: NDArray[np.int64]  # (parts, n): what stands for each part of a node's state
    numbers: NDArray[np.int64]  # (n, columns): the numbers of attackers who do not know them exactly
    exposed: NDArray[np.uint8]  # (n): 1 for nodes at risk; as it was at first where one table tells
    to_recount: NDArray[np.int64]  # (n): scratch, nodes to be counted anew
    marks: NDArray[np.uint8]  # (n): scratch, 0 at rest: see Mark
    queues: NDArray[np.int64]  # (2, n): scratch


class FlipState(NamedTuple):
    """The network with some edges deleted. Each thread has its own.

    `general` is None for one attacker whose state is a sum over degree and triangles (AttackerArrays.linear).
    A kernel that is given None compiles nothing of what it would do with the rest: see docs/decisions.md.
    """

    present: NDArray[np.uint8]  # (m): 1 while the edge is there
    words: Words  # (m / 64, rounded up): deleted edges as packed bits
    degrees: NDArray[np.int64]  # (n)
    triangles: NDArray[np.int64]  # (n): triangles through the node; as in the original if nobody follows them
    keys: NDArray[np.int64]  # (n): what stands for the whole state; scratch but where one table follows it
    slots: NDArray[np.int64]  # (n): where the table counts the node
    table: NDArray[np.int64]  # (slots, 2): key, number of nodes that have it
    touched: NDArray[np.int64]  # (largest degree + 2): scratch
    totals: NDArray[np.int64]  # (3): see Total
    general: General | None


@inlined
def is_at_risk(rule: AttackerArrays, state: FlipState, general: General | None, node: int) -> bool:
    """Whether an attacker can single the node out; `general` is the state's."""
    if general is not None and not rule.one_table:
        return general.exposed[node] != 0
    return state.table[state.slots[node], 1] < rule.k


def who_is_at_risk(rule: AttackerArrays, state: FlipState) -> NDArray[np.bool_]:
    """For each node (n), whether an attacker can single it out."""
    if state.general is not None and not rule.one_table:
        return state.general.exposed != 0
    return state.table[state.slots, 1] < rule.k


def copied(state: FlipState) -> FlipState:
    """A state of its own with the same content."""
    general = state.general
    own = None if general is None else General._make(array.copy() for array in general)
    return FlipState._make((*(array.copy() for array in state[:-1]), own))


# The triangles on an edge: listed beforehand, or found by going along the rows of both its ends.


@internal
def rows_for(topology: Topology, largest_degree: int) -> IntMatrix:
    """Rows in which `triangles_on` finds the triangles, if they are listed, or writes those of one edge."""
    if topology.listed:
        return topology.triangles
    return np.empty((largest_degree, 3), topology.triangles.dtype)


@inlined
def triangles_on(topology: Topology, counted: bool, edge: int, rows: IntMatrix) -> tuple[int, int]:
    """The triangles on an edge with all edges there: first and last + 1 of `rows`, which `rows_for` made.

    There are none unless triangles are counted. Writes `rows` where triangles are not listed.
    """
    if not counted:
        return np.int64(0), np.int64(0)
    if topology.listed:
        return topology.first_row[edge], topology.first_row[edge + 1]
    u, v = topology.ends[edge, 0], topology.ends[edge, 1]
    return np.int64(0), np.int64(intersect_rows(topology.csr, u, v, rows))


@inlined
def touched_by(
    topology: Topology,
    counted: bool,
    edge: int,
    rows: IntMatrix,
    present: NDArray[np.uint8],
    touched: IntVector,
) -> int:
    """Write the nodes that a flip of this edge touches into `touched`; returns how many.

    These are the common neighbours of its ends, as things are, if triangles are counted; and last its ends.
    """
    found = 0
    first, last = triangles_on(topology, counted, edge, rows)
    for row in range(first, last):
        if present[rows[row, 0]] & present[rows[row, 1]]:
            touched[found] = rows[row, 2]
            found += 1
    touched[found] = topology.ends[edge, 0]
    touched[found + 1] = topology.ends[edge, 1]
    return found + 2


# How compiled code asks a Python function for the states of a user-defined measure.
#
# A function cannot be handed to compiled code without losing the disk cache, so the code knows a number,
# and the function waits under it in `FOLLOWERS`.


class Follower(Protocol):
    """Tells the states of a network while edges are deleted and restored."""

    def follow(self, present: NDArray[np.uint8], flipped: IntVector, signatures: IntVector) -> IntVector:
        """Bring signatures (n) up to date after these edges were flipped; returns the nodes looked at."""
        ...


FOLLOWERS: WeakValueDictionary[int, Follower] = WeakValueDictionary()
"""By number. Whoever makes a follower keeps it alive as long as compiled code may ask for it."""


def ask(number: int, present: NDArray[np.uint8], flipped: IntVector, signatures: IntVector) -> IntVector:
    """Ask the follower of this number."""
    return FOLLOWERS[number].follow(present, flipped, signatures)


@internal
def follow_given(
    number: int, present: NDArray[np.uint8], flipped: IntVector, signatures: IntVector
) -> NDArray[np.int64]:
    """Ask Python for the signatures (n), which are written, of the network with these edges flipped."""
    with objmode(nodes="int64[::1]"):
        nodes = ask(number, present, flipped, signatures)
    return nodes


# Whose surroundings contain an edge, where surroundings reach further than to the neighbours.


@constants
class Mark(NamedTuple):
    """Bits of General.marks."""

    NONE: int = 0
    LISTED: int = 1  # in General.to_recount
    AROUND: int = 2  # its surroundings are to be looked at anew
    SEEN: int = 4  # reached from a node, or from one end of an edge
    SEEN_TOO: int = 8  # reached from the other end


@inlined
def list_node(node: int, mark: int, marks: NDArray[np.uint8], to_recount: IntVector, count: int) -> int:
    """Mark a node, and add it to the first `count` in the list unless it is there; how many are there now."""
    if marks[node] & Mark.LISTED == 0:
        to_recount[count] = node
        count += 1
    marks[node] |= Mark.LISTED | mark
    return count


@internal
def reached_from(
    csr: Csr,
    present: NDArray[np.uint8],
    root: int,
    distance: int,
    mark: int,
    marks: NDArray[np.uint8],
    queue: IntVector,
) -> int:
    """Write the nodes within the distance of `root` into `queue`, marked so; returns how many."""
    queue[0] = root
    marks[root] |= mark
    found, first = 1, 0
    for _ in range(distance):
        last = found
        for place in range(first, last):
            node = queue[place]
            for entry in range(csr.offsets[node], csr.offsets[node + 1]):
                neighbour = csr.neighbours[entry]
                if present[csr.edge_numbers[entry]] and marks[neighbour] & mark == 0:
                    marks[neighbour] |= mark
                    queue[found] = neighbour
                    found += 1
        first = last
    return found


@internal
def list_around(
    csr: Csr, present: NDArray[np.uint8], general: General, u: int, v: int, distance: int, count: int
) -> int:
    """List those who have the edge {u, v}, which is there, in their surroundings; how many are listed now.

    They are those who have both ends within the distance, and are to be looked around anew.
    """
    marks, to_recount = general.marks, general.to_recount
    from_u, from_v = general.queues[0], general.queues[1]
    near_u = reached_from(csr, present, u, distance, Mark.SEEN, marks, from_u)
    near_v = reached_from(csr, present, v, distance, Mark.SEEN_TOO, marks, from_v)
    for place in range(near_u):
        if marks[from_u[place]] & Mark.SEEN_TOO:
            count = list_node(from_u[place], Mark.AROUND, marks, to_recount, count)
    for place in range(near_u):
        marks[from_u[place]] &= Mark.LISTED | Mark.AROUND
    for place in range(near_v):
        marks[from_v[place]] &= Mark.LISTED | Mark.AROUND
    return count


def nodes_at_risk_touched(topology: Topology, rule: AttackerArrays, state: FlipState) -> IntVector:
    """For each edge (m), how many nodes at risk its deletion would touch; 0 for deleted edges.

    A deletion touches those who have both ends, or either, within the reach. Writes only scratch.
    """
    exposed = who_is_at_risk(rule, state).astype(np.int64)
    if rule.reach == (1 if rule.reach_of_both else 0):
        return ends_and_common_neighbours(topology, state.present, exposed, rule.reach > 0, state.touched)
    return either_or_both_within_reach(topology, state.present, exposed, rule.reach, rule.reach_of_both)


@compiled
def either_or_both_within_reach(
    topology: Topology, present: NDArray[np.uint8], exposed: IntVector, reach: int, both: bool
) -> IntVector:
    """For each edge (m) that is there, the `exposed` (n) who have either end, or both, within reach."""
    ends, csr = topology.ends, topology.csr
    marks = np.zeros(exposed.shape[0], np.uint8)
    queue = np.empty(exposed.shape[0], np.int64)
    counts = np.zeros(ends.shape[0], np.int64)
    for root in range(exposed.shape[0]):
        if not exposed[root]:
            continue
        found = reached_from(csr, present, root, reach, Mark.SEEN, marks, queue)
        for place in range(found):
            node = queue[place]
            for entry in range(csr.offsets[node], csr.offsets[node + 1]):
                edge, neighbour = csr.edge_numbers[entry], csr.neighbours[entry]
                inside = marks[neighbour] & Mark.SEEN != 0
                # An edge with both ends inside is met twice, and counts at the first.
                if present[edge] and ((inside and node < neighbour) or not (inside or both)):
                    counts[edge] += 1
        for place in range(found):
            marks[queue[place]] = 0
    return counts


@compiled
def ends_and_common_neighbours(
    topology: Topology,
    present: NDArray[np.uint8],
    exposed: IntVector,
    with_neighbours: bool,
    touched: IntVector,
) -> IntVector:
    """For each edge (m) that is there, the exposed among its ends and, if asked, their common neighbours.

    What the general way comes to where knowledge ends at the neighbours. `touched` is as long as any row.
    """
    ends = topology.ends
    rows = rows_for(topology, touched.shape[0])
    counts = np.zeros(present.shape[0], np.int64)
    for edge in range(present.shape[0]):
        if present[edge]:
            # Summed in the array itself: with a variable for the sum, LLVM makes code three times as slow.
            counts[edge] = exposed[ends[edge, 0]] + exposed[ends[edge, 1]]
            first, last = triangles_on(topology, with_neighbours, edge, rows)
            for row in range(first, last):
                if present[rows[row, 0]] & present[rows[row, 1]]:
                    counts[edge] += exposed[rows[row, 2]]
    return counts


# Numbers that stand for states while edges go and come back.
#
# Nodes with equal states have equal signatures. A multiset is kept as the sum of mixed values, so unequal
# states have equal ones only by a chance of 1 in 2^63, or where surroundings are hard to tell apart: a
# search's final answer is recounted from the states themselves.


@internal
def write_keys(
    rule: AttackerArrays,
    signatures: NDArray[np.int64],
    keys: NDArray[np.int64],
    attacker: int,
    nodes: IntVector,
) -> None:
    """Write the keys of these nodes: all parts of what the attacker sees, in one number."""
    first = rule.attackers[attacker, AttackerColumn.FIRST_PART]
    last = rule.attackers[attacker, AttackerColumn.LAST_PART]
    if last == first + 1:
        for node in nodes:
            keys[node] = signatures[first, node] & NEVER_NEGATIVE
        return
    for node in nodes:
        key = np.int64(0)
        for part in range(first, last):
            key = mixed_value(key ^ signatures[part, node])
        keys[node] = key & NEVER_NEGATIVE


@compiled
def write_contacts(
    csr: Csr, present: NDArray[np.uint8], degrees: IntVector, signatures: IntVector, rounds: int
) -> None:
    """Write the signatures (n) of what neighbours look like after so many rounds. O(rounds * m)."""
    n = degrees.shape[0]
    before = np.empty(n, np.int64)
    for node in range(n):
        signatures[node] = degrees[node]
    for _ in range(rounds):
        for node in range(n):
            before[node] = mixed_value(signatures[node])
        for node in range(n):
            total = np.int64(0)
            for place in range(csr.offsets[node], csr.offsets[node + 1]):
                if present[csr.edge_numbers[place]]:
                    total += before[csr.neighbours[place]]
            signatures[node] = total


@internal
def write_surroundings(
    csr: Csr, present: NDArray[np.uint8], rule: AttackerArrays, general: General, part: int, nodes: IntVector
) -> None:
    """Look around these nodes: writes their signatures of a part, and numbers that are known roughly."""
    kind, distance = rule.parts[part, PartColumn.KIND], rule.parts[part, PartColumn.DISTANCE]
    signatures = general.signatures[part]
    if kind == SHAPES_AROUND:
        shapes, _, _ = shapes_and_drawings(csr, present, nodes, distance, False)
        for place in range(nodes.shape[0]):
            signatures[nodes[place]] = np.int64(shapes[place])
    elif kind == DEGREES_AROUND:
        offsets, values = ball_degrees(csr, present, nodes, distance)
        for place in range(nodes.shape[0]):
            signature = np.int64(0)
            for entry in range(offsets[place], offsets[place + 1]):
                signature = mixed_value(signature ^ values[entry])
            signatures[nodes[place]] = signature
    else:
        ball = empty_ball(csr.offsets.shape[0] - 1, distance)
        numbers = np.empty((nodes.shape[0], 2 * distance), np.int64)
        write_ball_numbers(csr, present, nodes, ball, numbers)
        step = 2 if kind == EDGES_AROUND else 1
        if kind == NUMBERS_AROUND:
            # At distance 1 the numbers are degree and triangles: not the same where they are known roughly.
            numbers[:, 0] -= 1
            numbers[:, 1] -= numbers[:, 0]
        owner = rule.parts[part, PartColumn.OWNER]
        column = rule.attackers[owner, AttackerColumn.FIRST_COLUMN]
        last = rule.attackers[owner, AttackerColumn.LAST_COLUMN]
        for place in range(nodes.shape[0]):
            signature = np.int64(0)
            for entry in range(step - 1, 2 * distance, step):
                signature = mixed_value(signature ^ numbers[place, entry])
                if column < last:
                    general.numbers[nodes[place], column + entry // step] = numbers[place, entry]
            signatures[nodes[place]] = signature


@internal
def follow_looks(
    topology: Topology,
    rule: AttackerArrays,
    state: FlipState,
    general: General,
    flipped: IntVector,
    around: IntVector,
    count: int,
) -> int:
    """Bring the parts up to date that do not follow flip by flip.

    Surroundings are looked at anew from the nodes `around`; the neighbours' looks, and what Python tells,
    from all. `flipped` are the edges that were. Writes signatures, numbers, and adds nodes that may look
    different to the first `count` in the list; returns how many are in it.
    """
    csr, present, marks, to_recount = topology.csr, state.present, general.marks, general.to_recount
    for part in range(rule.parts.shape[0]):
        kind, distance = rule.parts[part, PartColumn.KIND], rule.parts[part, PartColumn.DISTANCE]
        signatures = general.signatures[part]
        if kind in AROUND_KINDS:
            write_surroundings(csr, present, rule, general, part, around)
        elif kind == CONTACTS and distance > 1:
            before = signatures.copy()
            write_contacts(csr, present, state.degrees, signatures, distance)
            for node in range(before.shape[0]):
                if before[node] != signatures[node]:
                    count = list_node(node, Mark.NONE, marks, to_recount, count)
        elif kind == GIVEN:
            nodes = follow_given(rule.parts[part, PartColumn.FOLLOWER], present, flipped, signatures)
            for node in nodes:
                count = list_node(node, Mark.NONE, marks, to_recount, count)
    return count


@compiled
def write_signatures(topology: Topology, rule: AttackerArrays, state: FlipState, general: General) -> None:
    """Write everything that stands for states, from scratch; `present`, degrees and triangles are right."""
    ends, csr, present = topology.ends, topology.csr, state.present
    n = state.degrees.shape[0]
    everybody = np.arange(n)
    if rule.know_circles:
        general.circles[:] = 0
        for edge in range(ends.shape[0]):
            if present[edge]:
                general.circles[ends[edge, 0]] += mixed_value(ends[edge, 1])
                general.circles[ends[edge, 1]] += mixed_value(ends[edge, 0])
    for part in range(rule.parts.shape[0]):
        kind, signatures = rule.parts[part, PartColumn.KIND], general.signatures[part]
        if kind == LINEAR:
            for node in range(n):
                signatures[node] = rule.parts[part, PartColumn.PER_DEGREE] * state.degrees[node]
                signatures[node] += rule.parts[part, PartColumn.PER_TRIANGLE] * state.triangles[node]
        elif kind == TIES:
            signatures[:] = 0
            for edge in range(ends.shape[0]):
                if present[edge]:
                    for side in range(2):
                        signatures[ends[edge, side]] += general.mixed[general.edge_triangles[edge]]
        elif kind == CONTACTS:
            write_contacts(csr, present, state.degrees, signatures, rule.parts[part, PartColumn.DISTANCE])
    # All edges flipped: whoever follows by flips starts anew.
    follow_looks(topology, rule, state, general, np.arange(ends.shape[0]), everybody, 0)
    general.marks[:] = 0


# Who is at risk where one table cannot tell: several attackers, numbers known roughly, twins.


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
    part = rule.attackers[attacker, AttackerColumn.FIRST_PART]
    column = rule.attackers[attacker, AttackerColumn.FIRST_COLUMN]
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
    search only asks whether there are k. `classes.counts_within` counts them all.
    """
    table, slots, numbers = state.table, state.slots, general.numbers
    off_by = rule.attackers[attacker, AttackerColumn.OFF_BY]
    off_of = rule.attackers[attacker, AttackerColumn.OFF_OF]
    column = rule.attackers[attacker, AttackerColumn.FIRST_COLUMN]
    last_column = rule.attackers[attacker, AttackerColumn.LAST_COLUMN]
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
