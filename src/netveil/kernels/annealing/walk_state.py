"""The solution of an annealing chain while it moves, with all that makes proposals and flips quick."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.annealing.levels import PLACE, SLOT
from netveil.kernels.arrays import IntMatrix, IntVector
from netveil.kernels.compiled import compiled, inlined, internal
from netveil.kernels.counting.triangles import triangles_on
from netveil.kernels.following.attacker_arrays import Rule
from netveil.kernels.following.state import Topology
from netveil.kernels.limiting.components import Pieces

DELETED, BEST_AT_RISK, BEST_DELETED, ACCEPTED = 0, 1, 2, 3  # entries of Walk.totals


class LimitState(NamedTuple):
    """What the limits look at: a walk does not pass them."""

    clustering: IntVector  # (2): sum of the clustering of all nodes, nodes with two neighbours or more
    clustering_proposed: IntVector  # (2): the same after the proposal
    outside: NDArray[np.uint8]  # (n): 1 for nodes that are not in the largest component
    inside_count: IntVector  # (1): nodes that are
    pieces: Pieces  # scratch for looks from both ends of an edge
    crossed: IntVector  # (flips of a proposal * n): scratch, the nodes that a proposal moves in or out


class Walk(NamedTuple):
    """A solution on its way, with the best that was met. Each chain has its own."""

    present: NDArray[np.uint8]  # (m): 1 while the edge is there
    nodes: IntMatrix  # (n, 3 + levels + 1): degree, triangles, scratch (-1 at rest), slot at each level
    table: IntMatrix  # (slots * (levels + 1), 2): state at a level, number of nodes that have it
    used: IntVector  # (levels + 1): slots in use
    at_risk: IntVector  # (levels + 1)
    support: NDArray[np.int32]  # (m): triangles on each edge, or that it would be on if it were restored
    poor_first: IntVector  # edges that are not protected, those on few triangles first
    quantiles: IntVector  # (parts + 1): places in poor_first, equally likely to be drawn from between two
    first_place: (
        IntVector  # (n + 1): a node's movable edges are incident[first_place[v] : first_place[v + 1]]
    )
    first_deleted: IntVector  # (n): and from here on they are deleted
    incident: IntVector  # movable edges by node
    places: IntMatrix  # (m, 2): where an edge stands in `incident`, in the row of each of its ends
    deleted: IntVector  # (m): the deleted edges come first
    place_deleted: IntVector  # (m): where an edge stands there
    best: NDArray[np.uint8]  # (m): `present` when the fewest were at risk
    totals: IntVector  # (4): deleted edges, nodes at risk and deleted edges of the best, accepted proposals


@internal
def largest_degree(offsets: IntVector) -> int:
    """The longest of the rows that begin at offsets (n + 1)."""
    largest = 0
    for node in range(offsets.shape[0] - 1):
        largest = max(largest, offsets[node + 1] - offsets[node])
    return largest


@internal
def write_best(present: NDArray[np.uint8], best: NDArray[np.uint8], journal: IntVector) -> None:
    """Write the best: the walk as it is, with all flips since undone."""
    for edge in range(best.shape[0]):
        best[edge] = present[edge]
    for edge in journal:
        best[edge] ^= 1


@internal
def list_risky(nodes: IntMatrix, table: IntMatrix, k: int, first_place: IntVector, risky: IntVector) -> int:
    """Write the nodes at risk that have movable edges into `risky`; returns how many."""
    count = 0
    for node in range(nodes.shape[0]):
        if table[nodes[node, SLOT], 1] < k and first_place[node] < first_place[node + 1]:
            risky[count] = node
            count += 1
    return count


@inlined
def gather_flip(
    edge: int,
    ends: IntMatrix,
    rows: IntMatrix,
    first: int,
    last: int,
    present: NDArray[np.uint8],
    nodes: IntMatrix,
    who: IntVector,
    degree_change: IntVector,
    triangle_change: IntVector,
    found: int,
) -> int:
    """Add those whom a flip touches to the first `found` of `who`, with their changes; returns how many now.

    rows[first:last] are the triangles on the edge. Writes `present`, the changes, and in the nodes' records
    where they stand in `who`.
    """
    sign = 1 - 2 * np.int64(present[edge])
    closed = 0
    for row in range(first, last):
        if present[rows[row, 0]] & present[rows[row, 1]]:
            closed += 1
            node = np.int64(rows[row, 2])
            place = nodes[node, PLACE]
            if place < 0:
                nodes[node, PLACE] = found
                who[found] = node
                degree_change[found] = 0
                triangle_change[found] = sign
                found += 1
            else:
                triangle_change[place] += sign
    for side in range(2):
        node = np.int64(ends[edge, side])
        place = nodes[node, PLACE]
        if place < 0:
            place = found
            nodes[node, PLACE] = place
            who[place] = node
            degree_change[place] = 0
            triangle_change[place] = 0
            found += 1
        degree_change[place] += sign
        triangle_change[place] += sign * closed
    present[edge] ^= 1
    return found


@inlined
def settle_flip(
    edge: int,
    ends: IntMatrix,
    rows: IntMatrix,
    first: int,
    last: int,
    present: NDArray[np.uint8],
    support: NDArray[np.int32],
    first_deleted: IntVector,
    incident: IntVector,
    places: IntMatrix,
    deleted: IntVector,
    place_deleted: IntVector,
    totals: IntVector,
) -> None:
    """Flip one edge for good: rows[first:last] are the triangles it is on. Writes all from `present` on."""
    sign = 1 - 2 * np.int32(present[edge])
    for row in range(first, last):
        one, other = rows[row, 0], rows[row, 1]
        if present[one]:
            support[other] += sign
        if present[other]:
            support[one] += sign
    present[edge] ^= 1
    for side in range(2):
        # In the row of each end, change places with the edge at the border between those left and deleted.
        node = ends[edge, side]
        border = first_deleted[node] if sign > 0 else first_deleted[node] - 1
        first_deleted[node] += sign
        there = incident[border]
        place = places[edge, side]
        incident[border] = edge
        incident[place] = there
        places[there, 0 if ends[there, 0] == node else 1] = place
        places[edge, side] = border
    if sign < 0:
        place_deleted[edge] = totals[DELETED]
        deleted[totals[DELETED]] = edge
        totals[DELETED] += 1
    else:
        totals[DELETED] -= 1
        place = place_deleted[edge]
        there = deleted[totals[DELETED]]
        deleted[place] = there
        place_deleted[there] = place


@compiled
def settle_flips(topology: Topology, rule: Rule, walk: Walk, edges: IntVector) -> None:
    """Flip edges for good, all but the records and tables of nodes. Writes `walk`."""
    for edge in edges:
        rows, first, last = topology.triangles, topology.first_row[edge], topology.first_row[edge + 1]
        if not rule.count_triangles:
            last = first
        elif not topology.listed:
            rows, last = triangles_on(topology.csr, topology.ends[edge, 0], topology.ends[edge, 1])
            first = 0
        settle_flip(
            edge, topology.ends, rows, first, last, walk.present, walk.support, walk.first_deleted,
            walk.incident, walk.places, walk.deleted, walk.place_deleted, walk.totals,
        )  # fmt: skip
