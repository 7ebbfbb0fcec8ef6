"""Flips for one attacker whose state is a sum over degree and triangles: degree, count, edge-count."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import Csr, IntVector
from netveil.kernels.compiled import compiled, internal
from netveil.kernels.following.attacker_arrays import PER_DEGREE, PER_TRIANGLE, Rule
from netveil.kernels.following.state import AT_RISK, DELETED, SLOTS_USED, FlipState, Topology
from netveil.kernels.following.tables import count_keys, move


@internal
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


def start_linear(rule: Rule, state: FlipState) -> None:
    """Write all that follows from degrees and triangles: keys, slots, table and totals."""
    per_degree, per_triangle = rule.parts[0, PER_DEGREE], rule.parts[0, PER_TRIANGLE]
    state.keys[:] = per_degree * state.degrees + per_triangle * state.triangles
    at_risk, used = count_keys(state.keys, rule.k, state.table, state.slots)
    state.totals[AT_RISK], state.totals[SLOTS_USED] = at_risk, used


@compiled
def flip_linear(topology: Topology, rule: Rule, state: FlipState, edges: IntVector) -> None:
    """Flip these edges in turn, for one attacker whose state is a sum over degree and triangles.

    What `flips.flip_general` does, twice as fast: the change of a sum is known at once, so a node is counted
    anew where it is met. Writes `state`. All arrays are taken out of their tuples first: numba counts
    references each time one leaves.
    """
    present, words, keys, slots = state.present, state.words, state.keys, state.slots
    table, touched, totals = state.table, state.touched, state.totals
    degrees, triangles_of = state.degrees, state.triangles
    ends, first_row, triangles, csr = topology.ends, topology.first_row, topology.triangles, topology.csr
    k, per_degree, per_triangle = rule.k, rule.parts[0, PER_DEGREE], rule.parts[0, PER_TRIANGLE]
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
        totals[DELETED] -= sign
        # Keys that nobody has any more keep their slots until half the table is used.
        if 2 * used > table.shape[0]:
            at_risk, used = count_keys(keys, k, table, slots)
    totals[AT_RISK] = at_risk
    totals[SLOTS_USED] = used
