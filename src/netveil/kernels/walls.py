"""Limits as walls: whether a proposal that is about to be accepted would break one."""

from __future__ import annotations

import numpy as np

from netveil.kernels.arrays import IntVector
from netveil.kernels.compiled import internal
from netveil.kernels.components import cut_off
from netveil.kernels.levels import DEGREE, TRIANGLES
from netveil.kernels.limits import Limits, clustering_of, limits_clustering
from netveil.kernels.state import Topology
from netveil.kernels.walk import Walk, Walls


@internal
def limits_kept(
    topology: Topology,
    limits: Limits,
    walk: Walk,
    walls: Walls,
    flips: IntVector,
    who: IntVector,
    degree_change: IntVector,
    triangle_change: IntVector,
) -> bool:
    """Whether the proposal keeps all limits; edges of `flips` are flipped in `walk.present` already.

    Writes `walls.clustering_proposed`, and which nodes are outside the largest component if all is kept.
    """
    offsets = topology.csr.offsets
    total, able = walls.clustering
    for place in range(who.shape[0]):
        node = who[place]
        before = walk.nodes[node, DEGREE]
        after = before + degree_change[place]
        lost = offsets[node + 1] - offsets[node] - after
        if lost > limits.most_lost[node]:
            return False
        triangles = walk.nodes[node, TRIANGLES]
        total += clustering_of(after, triangles + triangle_change[place]) - clustering_of(before, triangles)
        able += (after >= 2) - np.int64(before >= 2)
    least, most = limits.clustering_least * max(able, 1), limits.clustering_most * max(able, 1)
    if limits_clustering(limits) and not least <= total <= most:  # else nobody may have followed triangles
        return False
    walls.clustering_proposed[0], walls.clustering_proposed[1] = total, able
    return limits.least_component == 0 or _component_kept(topology, limits, walk, walls, flips)


@internal
def _component_kept(topology: Topology, limits: Limits, walk: Walk, walls: Walls, flips: IntVector) -> bool:
    """Whether the largest component keeps enough nodes; follows who is outside it, flip by flip."""
    present, ends = walk.present, topology.ends
    for edge in flips:
        present[edge] ^= 1
    crossed = 0
    for edge in flips:
        present[edge] ^= 1
        u, v = ends[edge, 0], ends[edge, 1]
        if present[edge] == 0 and walls.outside[u] == 0 and walls.outside[v] == 0:
            end, count = cut_off(topology, walk, walls.pieces, u, v)
            for place in range(count):
                crossed = _cross(walls, walls.pieces.queues[end, place], crossed)
        elif present[edge] == 1 and walls.outside[u] != walls.outside[v]:
            crossed = _come_inside(topology, walk, walls, u if walls.outside[u] == 1 else v, crossed)
    if walls.inside_count[0] >= limits.least_component:
        return True
    for place in range(crossed):
        _toggle(walls, walls.crossed[place])
    return False


@internal
def _cross(walls: Walls, node: int, crossed: int) -> int:
    """Move a node out of the largest component, or into it, and note it; returns how many have crossed."""
    _toggle(walls, node)
    walls.crossed[crossed] = node
    return crossed + 1


@internal
def _toggle(walls: Walls, node: int) -> None:
    """Move a node out of the largest component, or into it."""
    walls.outside[node] ^= 1
    walls.inside_count[0] += 1 - 2 * np.int64(walls.outside[node])


@internal
def _come_inside(topology: Topology, walk: Walk, walls: Walls, start: int, crossed: int) -> int:
    """Move a node and all those outside that are joined to it into the largest component."""
    offsets, neighbours, edge_numbers = topology.csr
    queue = walls.pieces.queues[0]
    queue[0] = start
    crossed = _cross(walls, start, crossed)
    found = 1
    place = 0
    while place < found:
        node = queue[place]
        place += 1
        for entry in range(offsets[node], offsets[node + 1]):
            neighbour = neighbours[entry]
            if walk.present[edge_numbers[entry]] and walls.outside[neighbour] == 1:
                crossed = _cross(walls, neighbour, crossed)
                queue[found] = neighbour
                found += 1
    return crossed
