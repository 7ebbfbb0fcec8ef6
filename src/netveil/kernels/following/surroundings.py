"""Whose surroundings an edge is in, when those reach further than to the neighbours."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import Csr, IntVector
from netveil.kernels.compiled import compiled, inlined, internal
from netveil.kernels.following.attacker_arrays import Rule
from netveil.kernels.following.linear_flips import common_neighbours
from netveil.kernels.following.state import FlipState, General, Topology, who_is_at_risk

LISTED, AROUND, SEEN = 1, 2, 4  # bits of FlipState.marks: in the list; to be looked around anew; seen first


@inlined
def list_node(node: int, bits: int, marks: NDArray[np.uint8], listed: IntVector, count: int) -> int:
    """Add a node to the first `count` in the list unless it is in it, with these bits; how many are now."""
    if marks[node] & LISTED == 0:
        listed[count] = node
        count += 1
    marks[node] |= LISTED | bits
    return count


@internal
def reached_from(
    csr: Csr,
    present: NDArray[np.uint8],
    root: int,
    distance: int,
    bit: int,
    marks: NDArray[np.uint8],
    queue: IntVector,
) -> int:
    """Write the nodes within the distance of `root` into `queue`, with this bit marked; returns how many."""
    queue[0] = root
    marks[root] |= bit
    found, first = 1, 0
    for _ in range(distance):
        last = found
        for place in range(first, last):
            node = queue[place]
            for entry in range(csr.offsets[node], csr.offsets[node + 1]):
                neighbour = csr.neighbours[entry]
                if present[csr.edge_numbers[entry]] and marks[neighbour] & bit == 0:
                    marks[neighbour] |= bit
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
    marks, listed = general.marks, general.listed
    from_u, from_v = general.queues[0], general.queues[1]
    near_u = reached_from(csr, present, u, distance, SEEN, marks, from_u)
    near_v = reached_from(csr, present, v, distance, 2 * SEEN, marks, from_v)
    for place in range(near_u):
        if marks[from_u[place]] & (2 * SEEN):
            count = list_node(from_u[place], AROUND, marks, listed, count)
    for place in range(near_u):
        marks[from_u[place]] &= LISTED | AROUND
    for place in range(near_v):
        marks[from_v[place]] &= LISTED | AROUND
    return count


def nodes_at_risk_touched(topology: Topology, rule: Rule, state: FlipState) -> IntVector:
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
        found = reached_from(csr, present, root, reach, SEEN, marks, queue)
        for place in range(found):
            node = queue[place]
            for entry in range(csr.offsets[node], csr.offsets[node + 1]):
                edge, neighbour = csr.edge_numbers[entry], csr.neighbours[entry]
                inside = marks[neighbour] & SEEN != 0
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

    What the general way comes to where knowledge ends at the neighbours. `touched` is scratch.
    """
    ends = topology.ends
    first_row, triangles = topology.first_row, topology.triangles
    counts = np.zeros(ends.shape[0], np.int64)
    for edge in range(ends.shape[0]):
        if present[edge] == 0:
            continue
        counts[edge] = exposed[ends[edge, 0]] + exposed[ends[edge, 1]]
        if not with_neighbours:
            continue
        if topology.listed:
            for row in range(first_row[edge], first_row[edge + 1]):
                if present[triangles[row, 0]] & present[triangles[row, 1]]:
                    counts[edge] += exposed[triangles[row, 2]]
        else:
            found = common_neighbours(topology.csr, present, touched, ends[edge, 0], ends[edge, 1])
            for place in range(found):
                counts[edge] += exposed[touched[place]]
    return counts
