"""Where nothing was deleted: an isomorphism tells who is who, but for people who mirror each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from netveil.auditing.matching.matcher import Claims, Situation
from netveil.kernels.arrays import IntVector
from netveil.network import Network

if TYPE_CHECKING:
    import igraph

MOST_NODES = 2_000  # of more, the automorphisms take too much room


def exact_claims(situation: Situation) -> Claims | None:
    """Everybody whom no automorphism moves, found; None where the networks are not the same, or too large.

    Found by canonical forms: Junttila and Kaski (2007), from igraph.
    """
    known, released = situation.known, situation.released
    same_size = known.node_count == released.node_count and known.edge_count == released.edge_count
    if not same_size or not 0 < known.node_count <= MOST_NODES:
        return None
    hers, theirs = (_Form.of(network, seeds) for network, seeds in _with_seeds(situation))
    if not np.array_equal(hers.keys, theirs.keys):
        return None
    nodes = np.empty(known.node_count, dtype=np.int64)
    nodes[hers.order] = theirs.order
    alone = ~hers.is_moved()
    return Claims(nodes, 1.0 + alone.astype(np.float64), alone)


def _with_seeds(situation: Situation) -> tuple[tuple[Network, IntVector], tuple[Network, IntVector]]:
    return (situation.known, situation.seeds), (situation.released, situation.seed_nodes)


@dataclass(frozen=True, eq=False)
class _Form:
    """A network renumbered so that isomorphic ones become the same; seeds stay apart from all others."""

    graph: igraph.Graph
    colours: list[int]
    order: IntVector  # the node that each new number stands for
    keys: IntVector  # of the edges by new numbers, in ascending order

    @classmethod
    def of(cls, network: Network, seeds: IntVector) -> _Form:
        import igraph

        graph = igraph.Graph(n=network.node_count, edges=network.edges)
        graph.vs["node"] = range(network.node_count)
        colours = np.zeros(network.node_count, dtype=np.int64)
        colours[seeds] = np.arange(1, len(seeds) + 1)
        # What a permutation of igraph's maps to what has changed in its version 1.0: only igraph is asked.
        form = graph.permute_vertices(graph.canonical_permutation(color=colours.tolist()))
        one, other = np.sort(np.array(form.get_edgelist(), dtype=np.int64).reshape(-1, 2), axis=1).T
        order = np.array(form.vs["node"], dtype=np.int64)
        return cls(graph, colours.tolist(), order, np.sort(one * network.node_count + other))

    def is_moved(self) -> NDArray[np.bool_]:
        """Whether some automorphism takes a node to another one."""
        moved = np.zeros(len(self.order), dtype=bool)
        for generator in self.graph.automorphism_group(color=self.colours):
            moved |= np.asarray(generator) != np.arange(len(self.order))
        return moved
