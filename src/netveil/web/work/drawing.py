"""The network laid out to be drawn: whole if it can be seen so, else a sample around those at risk."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import IntVector
from netveil.network import Network
from netveil.utility.side import seeded
from netveil.web.work.reading import Memory, measured, release_of

MOST_NODES = 3000  # that a page draws smoothly
MOST_EDGES = 30_000
NEIGHBOURS_TAKEN = 12  # of each node in a sample: a hub would fill it alone
STARTS = 30  # people at risk, spread over all of them, around whom a sample is taken
FAR_OFF = (
    0.005  # share of the nodes at each border that may lie on it: one that flies off would shrink the rest
)

Flags = NDArray[np.bool_]

_LAYOUTS = Memory(6)


def drawing(order: dict[str, Any]) -> dict[str, Any]:
    """A network, coloured by who is at risk."""
    network, anonymity = measured(order["network"], order["attackers"])
    shown, place_of, edges = _shown(network, anonymity.nodes_at_risk, np.empty(0, dtype=np.int64))
    positions = _positions(network, shown, place_of[network.edges[edges]])
    rows = zip(
        positions.tolist(),
        anonymity.nodes_at_risk[shown].astype(int).tolist(),
        anonymity.lookalikes[shown].tolist(),
        network.degrees[shown].tolist(),
        shown.tolist(),
        strict=True,
    )
    return {
        **_size(network, shown, edges),
        "nodes": [[*place, *figures] for place, *figures in rows],
        "edges": place_of[network.edges[edges]].tolist(),
    }


def drawing_of_release(order: dict[str, Any]) -> dict[str, Any]:
    """The original of a release, with the ties that were deleted, and who was and is at risk."""
    release = release_of(order["release"])
    network, before, after = release.original, release.before, release.after
    deleted = np.zeros(network.edge_count, dtype=bool)
    deleted[release.outcome.deleted_edges] = True
    risky = after.nodes_at_risk if after.at_risk else before.nodes_at_risk
    shown, place_of, edges = _shown(network, risky, release.outcome.deleted_edges)
    positions = _positions(network, shown, place_of[network.edges[edges]])
    rows = zip(
        positions.tolist(),
        before.nodes_at_risk[shown].astype(int).tolist(),
        after.nodes_at_risk[shown].astype(int).tolist(),
        before.lookalikes[shown].tolist(),
        after.lookalikes[shown].tolist(),
        network.degrees[shown].tolist(),
        shown.tolist(),
        strict=True,
    )
    return {
        **_size(network, shown, edges),
        "nodes": [[*place, *figures] for place, *figures in rows],
        "edges": np.column_stack((place_of[network.edges[edges]], deleted[edges].astype(np.int64))).tolist(),
    }


def _size(network: Network, shown: IntVector, edges: IntVector) -> dict[str, Any]:
    whole = len(shown) == network.node_count
    note = (
        "" if whole else f"A sample of {len(shown):,} of {network.node_count:,} people, around those at risk."
    )
    sizes = {"shown": len(shown), "people": network.node_count, "edges_shown": len(edges)}
    return {"whole": whole, **sizes, "note": note}


def _shown(network: Network, at_risk: Flags, deleted: IntVector) -> tuple[IntVector, IntVector, IntVector]:
    """The nodes to draw, the place of each node among them, and the edges between them."""
    if network.node_count <= MOST_NODES and network.edge_count <= MOST_EDGES:
        everybody = np.arange(network.node_count)
        return everybody, everybody, np.arange(network.edge_count)
    in_order, most = _around(network, at_risk, deleted), MOST_NODES
    while True:
        shown = np.sort(in_order[:most])
        place_of = np.full(network.node_count, -1)
        place_of[shown] = np.arange(len(shown))
        edges = np.flatnonzero((place_of[network.edges] >= 0).all(axis=1))
        if len(edges) <= MOST_EDGES or most < 2:
            return shown, place_of, edges
        most = most * 2 // 3


def _around(network: Network, at_risk: Flags, deleted: IntVector) -> IntVector:
    """Nodes around some of those at risk, found breadth first; deleted edges and those at risk come first."""
    risky = np.flatnonzero(at_risk) if at_risk.any() else np.argsort(-network.degrees, kind="stable")[:STARTS]
    is_deleted = np.zeros(network.edge_count, dtype=bool)
    is_deleted[deleted] = True
    starts = risky[np.unique(np.linspace(0, len(risky) - 1, STARTS).astype(int))].tolist()
    taken = dict.fromkeys(starts)
    queue = deque(starts)
    while queue and len(taken) < MOST_NODES:
        node = queue.popleft()
        row = slice(network.csr.offsets[node], network.csr.offsets[node + 1])
        neighbours, edges = network.csr.neighbours[row], network.csr.edge_numbers[row]
        interest = 2 * is_deleted[edges].astype(int) + at_risk[neighbours]
        for neighbour in neighbours[np.argsort(-interest, kind="stable")[:NEIGHBOURS_TAKEN]].tolist():
            if neighbour not in taken and len(taken) < MOST_NODES:
                taken[neighbour] = None
                queue.append(neighbour)
    return np.array(list(taken), dtype=np.int64)


def _positions(network: Network, shown: IntVector, edges: NDArray[np.int64]) -> NDArray[np.float64]:
    """Positions in the unit square, the same whenever the same is drawn."""
    key = (network.fingerprint, shown.tobytes())
    return _LAYOUTS.get(key, lambda: _laid_out(len(shown), edges))


def _laid_out(nodes: int, edges: NDArray[np.int64]) -> NDArray[np.float64]:
    import igraph

    with seeded(1):
        graph = igraph.Graph(n=nodes, edges=edges.tolist())
        layout = graph.layout_fruchterman_reingold(niter=500 if nodes <= 300 else 200)
    positions = np.array(layout.coords, dtype=float).reshape(nodes, 2)
    if nodes == 0:
        return positions
    low, high = np.quantile(positions, (FAR_OFF, 1 - FAR_OFF), axis=0) if nodes > 300 else _borders(positions)
    return np.round(np.clip((positions - low) / np.maximum(high - low, 1e-9), 0, 1), 4)


def _borders(positions: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return positions.min(axis=0), positions.max(axis=0)
