"""Numbers that stand for states while edges go and come back.

Nodes with equal states have equal signatures. A multiset is kept as the sum of mixed values, so unequal
states have equal ones only by a chance of 1 in 2^63, or where surroundings are hard to tell apart: a search's
final answer is recounted from the states themselves.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import Csr, IntVector
from netveil.kernels.compiled import compiled, internal
from netveil.kernels.counting.balls import ball_degrees, ball_numbers, ball_shapes
from netveil.kernels.following.attacker_arrays import AttackerArrays, AttackerColumn, PartColumn
from netveil.kernels.following.part_kinds import (
    AROUND_KINDS,
    CONTACTS,
    DEGREES_AROUND,
    EDGES_AROUND,
    GIVEN,
    LINEAR,
    NUMBERS_AROUND,
    SHAPES_AROUND,
    TIES,
)
from netveil.kernels.following.state import FlipState, General, Topology
from netveil.kernels.following.surroundings import Mark, list_node
from netveil.kernels.following.tables import NEVER_NEGATIVE, mixed_value
from netveil.kernels.following.user_measures import follow_given


@internal
def write_keys(
    rule: AttackerArrays,
    signatures: NDArray[np.int64],
    keys: NDArray[np.int64],
    attacker: int,
    nodes: IntVector,
) -> None:
    """Write the keys of these nodes: all parts of what the attacker sees, in one number."""
    first, last = (
        rule.attackers[attacker, AttackerColumn.FIRST_PART],
        rule.attackers[attacker, AttackerColumn.LAST_PART],
    )
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
    """What the neighbours look like, after so many rounds: writes signatures (n). O(rounds * m)."""
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
        shapes = ball_shapes(csr, present, nodes, distance)
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
        numbers = ball_numbers(csr, present, nodes, distance)
        step = 2 if kind == EDGES_AROUND else 1
        if kind == NUMBERS_AROUND:
            # At distance 1 the numbers are degree and triangles: not the same where they are known roughly.
            numbers[:, 0] -= 1
            numbers[:, 1] -= numbers[:, 0]
        owner = rule.parts[part, PartColumn.OWNER]
        column, last = (
            rule.attackers[owner, AttackerColumn.FIRST_COLUMN],
            rule.attackers[owner, AttackerColumn.LAST_COLUMN],
        )
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
