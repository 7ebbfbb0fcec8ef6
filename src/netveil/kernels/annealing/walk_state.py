"""The solution of an annealing chain while it moves, with all that makes proposals and flips quick."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.annealing.metropolis import relist
from netveil.kernels.arrays import IntMatrix, IntVector, constants
from netveil.kernels.compiled import compiled, inlined, internal
from netveil.kernels.following.attacker_arrays import AttackerArrays
from netveil.kernels.following.edge_triangles import rows_for, triangles_on
from netveil.kernels.following.state import Topology
from netveil.kernels.limiting.components import Pieces


@constants
class NodeColumn(NamedTuple):
    """Columns of LevelCounts.nodes."""

    DEGREE: int = 0
    TRIANGLES: int = 1
    PLACE: int = 2  # where the node stands among those whom the proposal touches; -1 if it does not
    SLOT: int = 3  # where the table counts the node at level 0; the other levels follow


class LimitState(NamedTuple):
    """What is followed for the limits, which a walk never breaks."""

    clustering: IntVector  # (2): sum of the clustering of all nodes, nodes with two neighbours or more
    clustering_proposed: IntVector  # (2): the same after the proposal
    outside: NDArray[np.uint8]  # (n): 1 for nodes that are not in the largest component
    inside_count: IntVector  # (1): nodes that are
    pieces: Pieces  # scratch for looks from both ends of an edge
    crossed: IntVector  # (flips of a proposal * n): scratch, the nodes that a proposal moves in or out


class LevelCounts(NamedTuple):
    """The records of nodes, and how many nodes have each state, as seen at each level."""

    nodes: IntMatrix  # (n, 3 + levels + 1): see NodeColumn
    table: IntMatrix  # (slots * (levels + 1), 2): state at a level, number of nodes that have it
    slots: int  # slots of each level, a power of two
    used: IntVector  # (levels + 1): slots in use
    at_risk: IntVector  # (levels + 1)


class Walk(NamedTuple):
    """A solution on its way, with the best that was met. Each chain has its own."""

    present: NDArray[np.uint8]  # (m): 1 while the edge is there
    counts: LevelCounts
    edge_triangles: NDArray[np.int32]  # (m): triangles on each edge, or that it would be on if restored
    poor_first: IntVector  # edges that are not protected, those on few triangles first
    quantiles: IntVector  # (parts + 1): places in poor_first, equally likely to be drawn from between two
    first_place: IntVector  # (n + 1): where the row of a node begins in `incident`
    first_deleted: IntVector  # (n): from here on, the edges of the row are deleted
    incident: IntVector  # movable edges by node
    places: IntMatrix  # (m, 2): where an edge stands in `incident`, in the row of each of its ends
    deleted: IntVector  # (m): the deleted edges come first
    place_deleted: IntVector  # (m): where an edge stands there
    deleted_count: IntVector  # (1)
    accepted_count: IntVector  # (1): proposals accepted so far
    best: NDArray[np.uint8]  # (m): `present` of the best solution met
    best_totals: IntVector  # (2): see metropolis.Best


@internal
def largest_degree(offsets: IntVector) -> int:
    """The longest of the rows that begin at offsets (n + 1)."""
    largest = 0
    for node in range(offsets.shape[0] - 1):
        largest = max(largest, offsets[node + 1] - offsets[node])
    return largest


@internal
def write_best(present: NDArray[np.uint8], best: NDArray[np.uint8], flipped_since: IntVector) -> None:
    """Write the best: the walk as it is, with all flips since undone."""
    for edge in range(best.shape[0]):
        best[edge] = present[edge]
    for edge in flipped_since:
        best[edge] ^= 1


@inlined
def list_risky(counts: LevelCounts, first_place: IntVector, k: int, risky: IntVector) -> int:
    """Write the nodes at risk that have movable edges into `risky`; returns how many."""
    nodes, table = counts.nodes, counts.table
    count = 0
    for node in range(nodes.shape[0]):
        if table[nodes[node, NodeColumn.SLOT], 1] < k and first_place[node] < first_place[node + 1]:
            risky[count] = node
            count += 1
    return count


@inlined
def settle_flip(topology: Topology, rule: AttackerArrays, walk: Walk, edge: int, rows: IntMatrix) -> None:
    """Flip one edge for good, all but the records and tables of nodes. Writes `walk`.

    `rows` are from `rows_for`.
    """
    present, edge_triangles = walk.present, walk.edge_triangles
    sign = 1 - 2 * np.int32(present[edge])
    first, last = triangles_on(topology, rule.count_triangles, edge, rows)
    for row in range(first, last):
        one, other = rows[row, 0], rows[row, 1]
        if present[one]:
            edge_triangles[other] += sign
        if present[other]:
            edge_triangles[one] += sign
    present[edge] ^= 1
    for side in range(2):
        _move_over_border(topology.ends, walk.first_deleted, walk.incident, walk.places, edge, side, sign)
    walk.deleted_count[0] = relist(
        walk.deleted, walk.place_deleted, walk.deleted_count[0], edge, present[edge] == 0
    )


@inlined
def _move_over_border(
    ends: IntMatrix,
    first_deleted: IntVector,
    incident: IntVector,
    places: IntMatrix,
    edge: int,
    side: int,
    sign: int,
) -> None:
    """In the row of one end, swap the edge with the one at the border between those left and deleted."""
    node = ends[edge, side]
    border = first_deleted[node] if sign > 0 else first_deleted[node] - 1
    first_deleted[node] += sign
    there = incident[border]
    place = places[edge, side]
    incident[border] = edge
    incident[place] = there
    places[there, 0 if ends[there, 0] == node else 1] = place
    places[edge, side] = border


@compiled
def settle_flips(topology: Topology, rule: AttackerArrays, walk: Walk, edges: IntVector) -> None:
    """Flip edges for good, all but the records and tables of nodes. Writes `walk`."""
    rows = rows_for(topology, largest_degree(topology.csr.offsets))
    for edge in edges:
        settle_flip(topology, rule, walk, edge, rows)
