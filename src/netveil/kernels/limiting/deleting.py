"""Delete edges one after the other, as far as the limits allow."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import IntVector
from netveil.kernels.compiled import compiled
from netveil.kernels.following.attacker_arrays import AttackerArrays
from netveil.kernels.following.state import FlipState, Topology
from netveil.kernels.limiting.components import cut_off, pieces_of, split
from netveil.kernels.limiting.limits import Limits, excess, flip_followed, standing_of


@compiled
def delete_allowed(
    topology: Topology,
    rule: AttackerArrays,
    limits: Limits,
    state: FlipState,
    edges: IntVector,
    most: int,
    may_go: NDArray[np.uint8],
) -> int:
    """Delete the first `most` of `edges` that can go without breaking a limit; returns how many.

    The others that were tried are left in place, and their entries of `may_go` (m) become 0. `state` keeps
    all limits, before and after. Writes `state` and `may_go`.
    """
    nodes = state.degrees.shape[0]
    least = limits.least_component
    standing = standing_of(topology, limits, state)
    pieces = pieces_of(topology.ends, state.present, nodes)
    large_enough = 0  # pieces that would do as the largest component
    for size in pieces.sizes:
        large_enough += size >= least
    edge = np.empty(1, np.int64)
    deleted = 0
    for place in range(edges.shape[0]):
        if deleted == most:
            break
        edge[0] = edges[place]
        u = topology.ends[edge[0], 0]
        v = topology.ends[edge[0], 1]
        flip_followed(topology, rule, limits, state, standing, edge)
        allowed = excess(limits, standing) == 0
        if allowed and least > 0:
            end, lost = cut_off(topology, state, pieces, u, v)
            if lost > 0:
                whole = pieces.sizes[pieces.piece[u]]
                left = large_enough - (whole >= least) + (lost >= least) + (whole - lost >= least)
                allowed = left > 0
                if allowed:
                    large_enough = left
                    split(pieces, end, lost)
        if allowed:
            deleted += 1
        else:
            flip_followed(topology, rule, limits, state, standing, edge)
            may_go[edge[0]] = 0
    return deleted
