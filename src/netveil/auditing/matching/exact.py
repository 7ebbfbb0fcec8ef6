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
    nodes = np.argsort(theirs.places)[hers.places]
    alone = ~hers.is_moved()
    return Claims(nodes.astype(np.int64), 1.0 + alone.astype(np.float64), alone)


def _with_seeds(situation: Situation) -> tuple[tuple[Network, IntVector], tuple[Network, IntVector]]:
    return (situation.known, situation.seeds), (situation.released, situation.seed_nodes)


@dataclass(frozen=True, eq=False)
class _Form:
    """A network renumbered so that isomorphic ones become the same; seeds stay apart from all others."""

    graph: igraph.Graph
    colours: list[int]
    places: IntVector  # the new number of each node
    keys: IntVector  # of the edges by new numbers, in ascending order

    @classmethod
    def of(cls, network: Network, seeds: IntVector) -> _Form:
        import igraph

        graph = igraph.Graph(n=network.node_count, edges=network.edges)
        colours = np.zeros(network.node_count, dtype=np.int64)
        colours[seeds] = np.arange(1, len(seeds) + 1)
        places = np.asarray(graph.canonical_permutation(color=colours.tolist()), dtype=np.int64)
        one, other = np.sort(places[network.edges], axis=1).T
        return cls(graph, colours.tolist(), places, np.sort(one * network.node_count + other))

    def is_moved(self) -> NDArray[np.bool_]:
        """Whether some automorphism takes a node to another one."""
        moved = np.zeros(len(self.places), dtype=bool)
        for generator in self.graph.automorphism_group(color=self.colours):
            moved |= np.asarray(generator) != np.arange(len(self.places))
        return moved
