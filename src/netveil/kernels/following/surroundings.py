"""Whose surroundings contain an edge, where surroundings reach further than to the neighbours."""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import Csr, IntVector
from netveil.kernels.compiled import compiled, inlined, internal
from netveil.kernels.following.attacker_arrays import AttackerArrays
from netveil.kernels.following.edge_triangles import rows_for, triangles_on
from netveil.kernels.following.state import FlipState, General, Topology, who_is_at_risk


class Mark(IntEnum):
    """Bits of General.marks."""

    NONE = 0
    LISTED = 1  # in General.to_recount
    AROUND = 2  # its surroundings are to be looked at anew
    SEEN = 4  # reached from a node, or from one end of an edge
    SEEN_TOO = 8  # reached from the other end


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
def mark_around(
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
