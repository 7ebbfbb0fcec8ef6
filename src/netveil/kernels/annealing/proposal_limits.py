"""Whether a proposal that is about to be accepted would break a limit."""

from __future__ import annotations

import numpy as np

from netveil.kernels.annealing.proposal import MoveColumn
from netveil.kernels.annealing.walk_state import LimitState, NodeColumn, Walk
from netveil.kernels.arrays import IntMatrix, IntVector
from netveil.kernels.compiled import internal
from netveil.kernels.following.state import Topology
from netveil.kernels.limiting.components import cut_off
from netveil.kernels.limiting.limits import Limits, clustering_of, limits_clustering


@internal
def keeps_limits(
    topology: Topology,
    limits: Limits,
    walk: Walk,
    limit_state: LimitState,
    flips: IntVector,
    moves: IntMatrix,
) -> bool:
    """Whether a proposal that is made in `walk.present` and the records of nodes keeps all limits.

    `moves` are rows of Proposal.moves. Writes `limit_state.clustering_proposed`, and who is outside the
    largest component if all is kept.
    """
    nodes, offsets = walk.people.nodes, topology.csr.offsets
    total, able = limit_state.clustering
    # A node that moved twice has two rows: back through all of them, and forth again.
    for move in range(moves.shape[0] - 1, -1, -1):
        node = moves[move, MoveColumn.NODE]
        after, triangles_after = nodes[node, NodeColumn.DEGREE], nodes[node, NodeColumn.TRIANGLES]
        before = after - moves[move, MoveColumn.DEGREE_CHANGE]
        triangles = triangles_after - moves[move, MoveColumn.TRIANGLE_CHANGE]
        total += clustering_of(after, triangles_after) - clustering_of(before, triangles)
        able += np.int64(after >= 2) - np.int64(before >= 2)
        nodes[node, NodeColumn.DEGREE], nodes[node, NodeColumn.TRIANGLES] = before, triangles
    kept = True
    for move in range(moves.shape[0]):
        node = moves[move, MoveColumn.NODE]
        nodes[node, NodeColumn.DEGREE] += moves[move, MoveColumn.DEGREE_CHANGE]
        nodes[node, NodeColumn.TRIANGLES] += moves[move, MoveColumn.TRIANGLE_CHANGE]
    for move in range(moves.shape[0]):
        node = moves[move, MoveColumn.NODE]
        lost = offsets[node + 1] - offsets[node] - nodes[node, NodeColumn.DEGREE]
        kept = kept and lost <= limits.most_lost[node]
    least, most = limits.clustering_least * max(able, 1), limits.clustering_most * max(able, 1)
    if limits_clustering(limits):  # else nobody may have followed triangles
        kept = kept and least <= total <= most
    if not kept:
        return False
    limit_state.clustering_proposed[0], limit_state.clustering_proposed[1] = total, able
    return limits.least_component == 0 or _component_kept(topology, limits, walk, limit_state, flips)


@internal
def _component_kept(
    topology: Topology, limits: Limits, walk: Walk, limit_state: LimitState, flips: IntVector
) -> bool:
    """Whether the largest component keeps enough nodes; follows who is outside it, flip by flip."""
    present, ends = walk.present, topology.ends
    for edge in flips:
        present[edge] ^= 1
    crossed = 0
    for edge in flips:
        present[edge] ^= 1
        u, v = ends[edge, 0], ends[edge, 1]
        if present[edge] == 0 and limit_state.outside[u] == 0 and limit_state.outside[v] == 0:
            end, count = cut_off(topology, walk, limit_state.pieces, u, v)
            for place in range(count):
                crossed = _cross(limit_state, limit_state.pieces.queues[end, place], crossed)
        elif present[edge] == 1 and limit_state.outside[u] != limit_state.outside[v]:
            crossed = _come_inside(
                topology, walk, limit_state, u if limit_state.outside[u] == 1 else v, crossed
            )
    if limit_state.inside_count[0] >= limits.least_component:
        return True
    for place in range(crossed):
        _toggle(limit_state, limit_state.crossed[place])
    return False


@internal
def _cross(limit_state: LimitState, node: int, crossed: int) -> int:
    """Move a node out of the largest component, or into it, and note it; returns how many have crossed."""
    _toggle(limit_state, node)
    limit_state.crossed[crossed] = node
    return crossed + 1


@internal
def _toggle(limit_state: LimitState, node: int) -> None:
    """Move a node out of the largest component, or into it."""
    limit_state.outside[node] ^= 1
    limit_state.inside_count[0] += 1 - 2 * np.int64(limit_state.outside[node])


@internal
def _come_inside(topology: Topology, walk: Walk, limit_state: LimitState, start: int, crossed: int) -> int:
    """Move a node and all those outside that are joined to it into the largest component."""
    offsets, neighbours, edge_numbers = topology.csr
    queue = limit_state.pieces.queues[0]
    queue[0] = start
    crossed = _cross(limit_state, start, crossed)
    found = 1
    place = 0
    while place < found:
        node = queue[place]
        place += 1
        for entry in range(offsets[node], offsets[node + 1]):
            neighbour = neighbours[entry]
            if walk.present[edge_numbers[entry]] and limit_state.outside[neighbour] == 1:
                crossed = _cross(limit_state, neighbour, crossed)
                queue[found] = neighbour
                found += 1
    return crossed
