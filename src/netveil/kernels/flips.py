"""The state of a network while edges are deleted and restored, one flip at a time.

Every node has a 64-bit signature that stands for its state, and a hash table counts the nodes of each
signature. A flip of edge {u, v} changes the signatures of u, v and their common neighbours, so it costs
(triangles on the edge) + 2 table updates, however large the network is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import Csr, IntMatrix, IntVector, Words
from netveil.kernels.compiled import compiled, inlined
from netveil.kernels.random import GOLDEN

EMPTY = -1  # signature of an unused slot; signatures of nodes are never negative
AT_RISK, SLOTS_USED, DELETED = 0, 1, 2  # entries of FlipState.totals

DEBRUIJN = np.uint64(0x03F79D71B4CB0A89)
BIT_OF_HASH = np.zeros(64, dtype=np.int64)
for _bit in range(64):
    BIT_OF_HASH[((int(DEBRUIJN) << _bit) & (2**64 - 1)) >> 58] = _bit


class Topology(NamedTuple):
    """What never changes: shared by all threads. Edges are numbered by bit position."""

    ends: IntMatrix  # (m, 2)
    first_row: NDArray[np.int64]  # (m + 1): triangles of edge e are rows first_row[e]:first_row[e + 1]
    triangles: IntMatrix  # (3 * triangles, 3): see kernels.triangles.list_triangles; (0, 3) if not listed
    csr: Csr  # adjacency, for networks with too many triangles to list them
    listed: bool
    movable: NDArray[np.uint8]  # (m): 1 where the edge may be deleted, 0 where it is protected


class Rule(NamedTuple):
    """What the attacker sees, and how many must look alike."""

    k: int  # nodes in classes smaller than k are at risk
    per_degree: int  # signature = per_degree * degree + per_triangle * triangles
    per_triangle: int
    count_triangles: bool  # whether the attacker or a limit looks at triangles; else nobody follows them


class FlipState(NamedTuple):
    """The network with some edges deleted. Each thread has its own."""

    present: NDArray[np.uint8]  # (m): 1 while the edge is there
    words: Words  # (m / 64, rounded up): deleted edges as packed bits
    degrees: NDArray[np.int64]  # (n)
    triangles: NDArray[np.int64]  # (n): triangles through the node; as in the original if nobody follows them
    signatures: NDArray[np.int64]  # (n)
    slots: NDArray[np.int64]  # (n): where the table counts the node
    table: NDArray[np.int64]  # (slots, 2): signature, number of nodes that have it
    touched: NDArray[np.int64]  # (largest degree + 2): scratch
    totals: NDArray[np.int64]  # (3): nodes at risk, slots used, edges deleted


@inlined
def home_slot(signature: int, last_slot: int) -> int:
    """Where a table of last_slot + 1 slots, a power of two, looks first for `signature`."""
    mixed = np.uint64(signature) * GOLDEN
    # Folded, for the product's upper bits know most of the signature and the mask keeps the lower ones.
    return np.int64((mixed ^ (mixed >> np.uint64(32))) & np.uint64(last_slot))


@compiled
def recount(rule: Rule, state: FlipState) -> None:
    """Count all nodes anew from their signatures. Writes table, slots, totals."""
    table = state.table
    last_slot = table.shape[0] - 1
    table[:, 0] = EMPTY
    table[:, 1] = 0
    used = 0
    for node in range(state.signatures.shape[0]):
        signature = state.signatures[node]
        slot = home_slot(signature, last_slot)
        while table[slot, 0] != signature and table[slot, 0] != EMPTY:
            slot = (slot + 1) & last_slot
        if table[slot, 0] == EMPTY:
            table[slot, 0] = signature
            used += 1
        table[slot, 1] += 1
        state.slots[node] = slot
    at_risk = 0
    for slot in range(table.shape[0]):
        if table[slot, 1] < rule.k:
            at_risk += table[slot, 1]
    state.totals[AT_RISK] = at_risk
    state.totals[SLOTS_USED] = used


@compiled
def common_neighbours(csr: Csr, present: NDArray[np.uint8], touched: IntVector, u: int, v: int) -> int:
    """Write the nodes now adjacent to both u and v into `touched`; returns how many. Merges two rows."""
    found = 0
    a, b = csr.offsets[u], csr.offsets[v]
    end_a, end_b = csr.offsets[u + 1], csr.offsets[v + 1]
    while a < end_a and b < end_b:
        if csr.neighbours[a] < csr.neighbours[b]:
            a += 1
        elif csr.neighbours[a] > csr.neighbours[b]:
            b += 1
        else:
            if present[csr.edge_numbers[a]] & present[csr.edge_numbers[b]]:
                touched[found] = csr.neighbours[a]
                found += 1
            a += 1
            b += 1
    return found


@compiled
def touch(topology: Topology, rule: Rule, state: FlipState, edge: int) -> int:
    """Write the nodes that a flip of this edge touches, its ends last, into `state.touched`; how many."""
    present, touched = state.present, state.touched
    ends, first_row, triangles, csr = topology.ends, topology.first_row, topology.triangles, topology.csr
    found = 0
    if rule.count_triangles:
        if topology.listed:
            for row in range(first_row[edge], first_row[edge + 1]):
                if present[triangles[row, 0]] & present[triangles[row, 1]]:
                    touched[found] = triangles[row, 2]
                    found += 1
        else:
            found = common_neighbours(csr, present, touched, ends[edge, 0], ends[edge, 1])
    touched[found] = ends[edge, 0]
    touched[found + 1] = ends[edge, 1]
    return found + 2


@compiled
def flip_edges(topology: Topology, rule: Rule, state: FlipState, edges: IntVector) -> None:
    """Flip these edges in turn: delete those that are there, restore those that are deleted. Writes `state`.

    One call for many flips, and all arrays taken out of their tuples first: numba counts references each
    time an array leaves a tuple, which would cost more than the flip itself.
    """
    present, words, signatures, slots = state.present, state.words, state.signatures, state.slots
    table, touched, totals = state.table, state.touched, state.totals
    degrees, triangles_of = state.degrees, state.triangles
    ends, first_row, triangles, csr = topology.ends, topology.first_row, topology.triangles, topology.csr
    k = rule.k
    last_slot = table.shape[0] - 1
    at_risk, used = totals[AT_RISK], totals[SLOTS_USED]
    for edge in edges:
        u = ends[edge, 0]
        v = ends[edge, 1]
        found = 0
        sign = 1 - 2 * np.int64(present[edge])
        if rule.count_triangles:
            if topology.listed:
                for row in range(first_row[edge], first_row[edge + 1]):
                    if present[triangles[row, 0]] & present[triangles[row, 1]]:
                        touched[found] = triangles[row, 2]
                        triangles_of[triangles[row, 2]] += sign
                        found += 1
            else:
                found = common_neighbours(csr, present, touched, u, v)
                for place in range(found):
                    triangles_of[touched[place]] += sign
            triangles_of[u] += sign * found
            triangles_of[v] += sign * found
        touched[found] = u
        touched[found + 1] = v
        degrees[u] += sign
        degrees[v] += sign

        change = sign * rule.per_triangle
        change_at_ends = sign * (rule.per_degree + rule.per_triangle * found)
        for place in range(found + 2):
            node = touched[place]
            slot = slots[node]
            size = table[slot, 1]
            table[slot, 1] = size - 1
            if size < k:
                at_risk -= 1
            elif size == k:
                at_risk += k - 1
            signature = signatures[node] + (change if place < found else change_at_ends)
            signatures[node] = signature
            slot = home_slot(signature, last_slot)
            while table[slot, 0] != signature:
                if table[slot, 0] == EMPTY:
                    table[slot, 0] = signature
                    used += 1
                    break
                slot = (slot + 1) & last_slot
            size = table[slot, 1] + 1
            table[slot, 1] = size
            if size < k:
                at_risk += 1
            elif size == k:
                at_risk -= k - 1
            slots[node] = slot
        present[edge] ^= 1
        words[edge >> 6] ^= np.uint64(1) << np.uint64(edge & 63)
        totals[DELETED] -= sign
        # Signatures that nobody has any more keep their slots until half the table is used.
        if 2 * used > table.shape[0]:
            recount(rule, state)
            at_risk, used = totals[AT_RISK], totals[SLOTS_USED]
    totals[AT_RISK] = at_risk
    totals[SLOTS_USED] = used


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


@compiled
def nodes_at_risk_touched(topology: Topology, rule: Rule, state: FlipState) -> IntVector:
    """For each edge (m), how many nodes at risk its deletion would touch; 0 for deleted edges.

    Writes only scratch.
    """
    present, slots, table, touched = state.present, state.slots, state.table, state.touched
    ends, first_row, triangles, csr = topology.ends, topology.first_row, topology.triangles, topology.csr
    at_risk = np.zeros(slots.shape[0], np.int64)
    for node in range(slots.shape[0]):
        at_risk[node] = table[slots[node], 1] < rule.k
    counts = np.zeros(ends.shape[0], np.int64)
    for edge in range(ends.shape[0]):
        if present[edge] == 0:
            continue
        counts[edge] = at_risk[ends[edge, 0]] + at_risk[ends[edge, 1]]
        if rule.per_triangle == 0:
            continue
        if topology.listed:
            for row in range(first_row[edge], first_row[edge + 1]):
                if present[triangles[row, 0]] & present[triangles[row, 1]]:
                    counts[edge] += at_risk[triangles[row, 2]]
        else:
            found = common_neighbours(csr, present, touched, ends[edge, 0], ends[edge, 1])
            for place in range(found):
                counts[edge] += at_risk[touched[place]]
    return counts
