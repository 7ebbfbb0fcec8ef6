"""The network laid out to be drawn: whole if it can be seen so, else a sample around those at risk."""

from __future__ import annotations

from collections import deque
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import IntVector
from netveil.network import Network
from netveil.utility.metric import seeded
from netveil.web.work.loading import measured, release_of

MOST_NODES = 3000  # that a page draws smoothly
MOST_EDGES = 30_000
NEIGHBOURS_TAKEN = 12  # of each node in a sample: a hub would fill it alone
STARTS = 30  # people at risk, spread over all of them, around whom a sample is taken
FAR_OFF = (
    0.005  # share of the nodes that may lie beyond each border: one that flies off would shrink the rest
)

Flags = NDArray[np.bool_]


def drawing(order: dict[str, Any]) -> dict[str, Any]:
    """A network laid out, with who is at risk."""
    network, anonymity = measured(order["network"], order["attackers"])
    nobody = np.empty(0, dtype=np.int64)
    columns = (anonymity.nodes_at_risk, anonymity.lookalikes)
    drawn, edges = _drawn(network, anonymity.nodes_at_risk, nobody, columns)
    return {**drawn, "edges": edges[:, :2].tolist()}


def drawing_of_release(order: dict[str, Any]) -> dict[str, Any]:
    """The original of a release laid out, with the ties that were deleted, and who was and is at risk."""
    release = release_of(order["release"])
    before, after = release.before, release.after
    risky = after.nodes_at_risk if after.at_risk else before.nodes_at_risk
    columns = (before.nodes_at_risk, after.nodes_at_risk, before.lookalikes, after.lookalikes)
    drawn, edges = _drawn(release.original, risky, release.outcome.deleted_edges, columns)
    return {**drawn, "edges": edges.tolist()}


def _drawn(
    network: Network, at_risk: Flags, deleted: IntVector, columns: tuple[NDArray[Any], ...]
) -> tuple[dict[str, Any], NDArray[np.int64]]:
    """Nodes with position, columns, degree and number, and sizes; and edges, with whether each is deleted."""
    shown, place_of, edges = _shown(network, at_risk, deleted)
    ends = place_of[network.edges[edges]]
    figures = np.column_stack([each[shown].astype(np.int64) for each in (*columns, network.degrees)])
    places = _positions(len(shown), tuple(map(tuple, ends.tolist())))
    rows = zip(places.tolist(), figures.tolist(), shown.tolist(), strict=True)
    whole = len(shown) == network.node_count
    note = f"A sample of {len(shown):,} of {network.node_count:,} people, around those at risk."
    drawn = {
        "whole": whole,
        "shown": len(shown),
        "people": network.node_count,
        "edges_shown": len(edges),
        "note": "" if whole else note,
        "nodes": [[*place, *row, node] for place, row, node in rows],
    }
    return drawn, np.column_stack((ends, np.isin(edges, deleted).astype(np.int64)))


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


@lru_cache(6)
def _positions(nodes: int, edges: tuple[tuple[int, int], ...]) -> NDArray[np.float64]:
    """Lay out a graph in the unit square, always in one and the same way."""
    import igraph

    with seeded(1):
        graph = igraph.Graph(n=nodes, edges=edges)
        layout = graph.layout_fruchterman_reingold(niter=500 if nodes <= 300 else 200)
    positions = np.array(layout.coords, dtype=float).reshape(nodes, 2)
    if nodes == 0:
        return positions
    beyond = FAR_OFF if nodes > 300 else 0.0
    low, high = np.quantile(positions, (beyond, 1 - beyond), axis=0)
    placed: NDArray[np.float64] = np.round(np.clip((positions - low) / np.maximum(high - low, 1e-9), 0, 1), 4)
    return placed
