"""The paper's Figure 1 for any network: nodes at risk, deleted edges, laid out to be drawn.

A network too large to see is shown in part: the surroundings of one of its riskiest nodes.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import IntVector
from netveil.network import Network
from netveil.utility.randomness import seeded

NODES_SEEN_WHOLE = 120  # a larger network is shown in part
NODES_OF_A_PART = 45
NEIGHBOURS_TAKEN = 12  # of each node in a part: a hub would fill it alone

Flags = NDArray[np.bool_]


def drawing_of(
    network: Network, deleted_edges: IntVector, at_risk_before: Flags, at_risk_after: Flags
) -> dict[str, Any]:
    """Positions of nodes in 0..1 with who is at risk, and the edges among them with which were deleted."""
    deleted = np.zeros(network.edge_count, dtype=bool)
    deleted[deleted_edges] = True
    whole = network.node_count <= NODES_SEEN_WHOLE
    shown = np.arange(network.node_count) if whole else _part(network, deleted, at_risk_before, at_risk_after)
    place_of = {int(node): place for place, node in enumerate(shown)}
    among_shown = np.flatnonzero(np.isin(network.edges, shown).all(axis=1))
    edges = [
        [place_of[int(u)], place_of[int(v)], bool(deleted[edge])]
        for edge, (u, v) in zip(among_shown, network.edges[among_shown], strict=True)
    ]
    positions = _layout(len(shown), [(u, v) for u, v, _ in edges])
    return {
        "whole": whole,
        "nodes": [
            [round(float(x), 4), round(float(y), 4), bool(at_risk_before[node]), bool(at_risk_after[node])]
            for (x, y), node in zip(positions, shown, strict=True)
        ],
        "edges": edges,
    }


def _part(network: Network, deleted: Flags, before: Flags, after: Flags) -> NDArray[np.int64]:
    """Nodes around a risky one, found breadth first; deleted edges and nodes at risk are followed first."""
    risky = np.flatnonzero(after) if after.any() else np.flatnonzero(before)
    if len(risky) == 0:
        risky = np.flatnonzero(network.degrees == network.degrees.max())
    # The one of median degree: typical of those at risk, and seldom a hub.
    start = int(risky[np.argsort(network.degrees[risky], kind="stable")[len(risky) // 2]])
    taken = {start: None}
    queue = deque([start])
    while queue and len(taken) < NODES_OF_A_PART:
        node = queue.popleft()
        row = slice(network.csr.offsets[node], network.csr.offsets[node + 1])
        neighbours, edges = network.csr.neighbours[row], network.csr.edge_numbers[row]
        interest = 2 * deleted[edges].astype(int) + before[neighbours]
        for place in np.argsort(-interest, kind="stable")[:NEIGHBOURS_TAKEN]:
            if len(taken) < NODES_OF_A_PART and int(neighbours[place]) not in taken:
                taken[int(neighbours[place])] = None
                queue.append(int(neighbours[place]))
    return np.array(list(taken))


def _layout(nodes: int, edges: list[tuple[int, int]]) -> NDArray[np.float64]:
    """Positions in the unit square by force-directed layout, the same for the same network."""
    import igraph

    with seeded(1):
        layout = igraph.Graph(n=nodes, edges=edges).layout_fruchterman_reingold(niter=500)
    positions = np.array(layout.coords, dtype=float).reshape(nodes, 2)
    if nodes == 0:
        return positions
    low, high = positions.min(axis=0), positions.max(axis=0)
    scaled: NDArray[np.float64] = (positions - low) / np.maximum(high - low, 1e-9)
    return scaled
