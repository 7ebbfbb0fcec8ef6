"""Metric communities: does the network still fall into the same groups? (Sections 3.4 and 5 of the paper)

Communities are found by the Louvain algorithm (Blondel et al. 2008), run 100 times, and consensus clustering
of the results. They are compared by normalized mutual information (Danon et al. 2005): how much the community
of a node before says about its community after.

Louvain is random, so even an unchanged network does not always get the same communities. `stability` tells
how much that matters: the NMI between the communities of the original found from one half of the runs and
from the other. A score about as high as that says that nothing was lost.

A node without edges is a community of its own in every run. So Louvain and consensus only look at the nodes
that have edges, and the others join at the end: the same communities, whatever the number of isolated nodes.
"""

from __future__ import annotations

from concurrent.futures import CancelledError
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from netveil.digits import figure
from netveil.kernels.arrays import IntMatrix, IntVector
from netveil.utility.consensus import consensus
from netveil.utility.metric import Finding, Similarity, Undefined
from netveil.utility.randomness import seeded
from netveil.utility.side import Side

if TYPE_CHECKING:
    import igraph

RUNS = 100  # runs of Louvain, as in the paper
FEWEST_RUNS = 10  # for a consensus; with fewer, the best of them is taken
WORK = 10_000_000  # nodes and edge ends that the runs may look at: ten seconds, more without communities


class Communities(Similarity):
    """The normalized mutual information between the communities before and after."""

    name = "communities"
    title = "similarity of communities (NMI)"
    meaning = "Whether a study of the data would still find the same groups of people."
    holds_interpreter = True

    def similarity(self, before: Side, after: Side) -> Finding:
        """NMI, between 0 and 1."""
        for when, side in (("original", before), ("released network", after)):
            if side.network.edge_count == 0:
                raise Undefined(f"the {when} has no edges, so no communities")
        runs = number_of_runs(before)
        with seeded(before.settings.seed):
            divisions_before = _divisions(before, runs)
            agreed_before = divisions_before.agreed()
            halves = [half.agreed_or_best() for half in divisions_before.halves()]
        # Seeded anew, so that a network that did not change gets the same communities.
        with seeded(before.settings.seed):
            divisions_after = _divisions(after, runs)
            agreed_after = divisions_after.agreed()
        note = f"consensus of {runs:,} runs of Louvain"
        if agreed_before is None or agreed_after is None:
            # Never a consensus on one side only: the communities must come about in the same way.
            agreed_before, agreed_after = divisions_before.best, divisions_after.best
            which = "one run of Louvain" if runs == 1 else f"best of {runs:,} runs of Louvain by modularity"
            note = f"{which}, because a consensus takes too long"
        details = {
            "communities_before": _count(agreed_before) + before.isolated_count,
            "communities_after": _count(agreed_after) + after.isolated_count,
            "modularity_before": before.graph.modularity(agreed_before.tolist()),
            "modularity_after": after.graph.modularity(agreed_after.tolist()),
            "runs": runs,
        }
        if halves:
            details["stability"] = _nmi(*(_of_all_nodes(before, half) for half in halves))
            note += f"; two halves of the runs on the original agree by {figure(details['stability'])}"
        score = _nmi(_of_all_nodes(before, agreed_before), _of_all_nodes(after, agreed_after))
        return self.found(score, note, details)


def number_of_runs(side: Side) -> int:
    """100, or fewer on large networks unless exact figures are asked for."""
    if side.settings.exact:
        return RUNS
    return min(RUNS, max(1, WORK // (len(side.with_edges) + 2 * side.network.edge_count)))


@dataclass(frozen=True)
class Divisions:
    """What several runs of Louvain found among the nodes that have edges."""

    side: Side
    communities: IntMatrix  # (runs, nodes with edges): the community of each
    modularities: list[float]  # (runs): how good each division is

    @property
    def best(self) -> IntVector:
        """The first division of the highest modularity."""
        best: IntVector = self.communities[int(np.argmax(self.modularities))]
        return best

    def halves(self) -> list[Divisions]:
        """The first and the second half of the runs; nothing if there are not enough."""
        middle = len(self.modularities) // 2
        if middle == 0:
            return []
        cuts = (slice(0, middle), slice(middle, 2 * middle))
        return [Divisions(self.side, self.communities[cut], self.modularities[cut]) for cut in cuts]

    def agreed(self) -> IntVector | None:
        """What the runs agree on; None if there are too few runs, or the network is too large to find out."""
        if len(self.modularities) < FEWEST_RUNS:
            return None
        return consensus(
            self.communities,
            lambda graph, weights: _membership(_louvain(self.side, graph, weights)),
            isolated=self.side.isolated_count,
        )

    def agreed_or_best(self) -> IntVector:
        """What the runs agree on, or else the best of them."""
        agreed = self.agreed()
        return self.best if agreed is None else agreed


def _divisions(side: Side, runs: int) -> Divisions:
    communities = np.empty((runs, len(side.with_edges)), dtype=np.int32)
    modularities = []
    for run in range(runs):
        found = _louvain(side, side.graph)
        communities[run] = _membership(found)
        modularities.append(found.modularity)
    return Divisions(side, communities, modularities)


def _louvain(side: Side, graph: igraph.Graph, weights: list[float] | None = None) -> igraph.VertexClustering:
    """One run of Louvain on a graph that is about a side of the comparison."""
    if side.abandoned.is_set():
        raise CancelledError
    return graph.community_multilevel(weights=weights)


def _membership(division: igraph.VertexClustering) -> IntVector:
    return np.array(division.membership, dtype=np.int32)


def _of_all_nodes(side: Side, communities: IntVector) -> IntVector:
    """The community of each node, from those of the nodes with edges; the others are alone."""
    everybody = np.empty(side.network.node_count, dtype=np.int32)
    everybody[side.with_edges] = communities
    everybody[side.network.degrees == 0] = communities.max() + 1 + np.arange(side.isolated_count)
    return everybody


def _nmi(one: IntVector, other: IntVector) -> float:
    import igraph

    return float(igraph.compare_communities(one.tolist(), other.tolist(), method="nmi"))


def _count(communities: IntVector) -> int:
    return len(np.unique(communities))
