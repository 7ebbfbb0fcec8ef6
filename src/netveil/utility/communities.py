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

from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from typing import TYPE_CHECKING

import numpy as np

from netveil.formatting import figure
from netveil.kernels.arrays import IntMatrix, IntVector, numbered_by_appearance
from netveil.utility.metric import Finding, Side, Similarity, Undefined, seeded

if TYPE_CHECKING:
    import igraph


# Consensus clustering: one division into communities out of many that differ by chance.
#
# Lancichinetti & Fortunato, Consensus clustering in complex networks, Scientific Reports 2 (2012), the way
# netneurotools does it, which the paper uses:
#
#     D := for each two nodes, the share of the M divisions that put them together
#     tau := what D would be on average if the labels within each division were shuffled
#     repeat
#         divide the network of the D that are at least tau, 10 times
#         D := for each two nodes, the share of these divisions that put them together
#     until all 10 agree
#
# tau is computed exactly here, where netneurotools shuffles once: it is the sum of s (s - 1) over all
# communities of s nodes in all divisions, divided by M n^2. Nodes that are alone in every division add
# nothing to D, so they need not be given; but they count in n.
#
# Nodes that every division puts together are one node of D, with an edge to itself for the edges among
# them. Louvain itself merges communities in this way. Nothing is lost, and D stays small.


DIVISIONS_OF_AGREEMENT = 10
MOST_ROUNDS = 50  # far more than it takes; a guard against going round in circles
MOST_PAIRS = 4_000_000  # entries of D: ten seconds and 200 megabytes

Divide = Callable[["igraph.Graph", "list[float]"], IntVector]
"""Divides a graph with weighted edges into communities: the number of each node's."""


def consensus(divisions: IntMatrix, divide: Divide, isolated: int = 0) -> IntVector | None:
    """Community of each node that the `divisions` (M, n) agree on; None where D would be too large.

    `isolated` is the number of nodes that are alone in every division, which are not among the n.
    """
    numerator, denominator = _threshold(divisions, isolated)
    for _ in range(MOST_ROUNDS):
        # Groups of nodes that no division parts.
        _, first, group_of, members = np.unique(
            divisions, axis=1, return_index=True, return_inverse=True, return_counts=True
        )
        grouped = divisions[:, first]
        together = sum(int((np.bincount(division).astype(np.int64) ** 2).sum()) for division in grouped)
        if min(grouped.shape[1] ** 2, together) > MOST_PAIRS:  # at least the entries of D
            return None
        # D >= tau in whole numbers, so that rounding does not decide.
        fewest = max(1, -(-numerator * len(divisions) // denominator))
        graph, weights = _agreement(grouped, members, fewest)
        divided = [divide(graph, weights)[group_of.ravel()] for _ in range(DIVISIONS_OF_AGREEMENT)]
        divisions = np.array([numbered_by_appearance(division.tolist()) for division in divided])
        if (divisions == divisions[0]).all():
            return np.asarray(divisions[0])
    return None


def _threshold(divisions: IntMatrix, isolated: int = 0) -> tuple[int, int]:
    """Compute tau as a fraction: numerator and denominator."""
    runs, nodes = divisions.shape[0], divisions.shape[1] + isolated
    sizes = [np.bincount(division) for division in divisions]
    return sum(int((size * (size - 1)).sum()) for size in sizes), runs * nodes * nodes


def _agreement(grouped: IntMatrix, members: IntVector, fewest: int) -> tuple[igraph.Graph, list[float]]:
    """Make the graph of groups that at least `fewest` divisions put together, weighted by D and members."""
    import igraph
    from scipy.sparse import csr_array

    runs, groups = grouped.shape
    first_number = np.concatenate(([0], np.cumsum(grouped.max(axis=1) + 1)))
    community = (grouped + first_number[:-1, None]).T.ravel()
    belongs = csr_array(
        (np.ones(community.size, np.int32), community, np.arange(groups + 1) * runs),
        shape=(groups, first_number[-1]),
    )
    together = (belongs @ belongs.T).tocoo()
    one, other, times = together.row, together.col, together.data
    kept = (one <= other) & (times >= fewest)
    one, other, times = one[kept], other[kept], times[kept]
    pairs = np.where(one == other, members[one] * (members[one] - 1) / 2, members[one] * members[other])
    joined = pairs > 0  # a group of one node has no pair within
    graph = igraph.Graph(n=groups, edges=np.column_stack((one[joined], other[joined])))
    return graph, (times[joined] / runs * pairs[joined]).tolist()


RUNS = 100  # runs of Louvain, as in the paper
FEWEST_RUNS = 10  # for a consensus; with fewer, the best of them is taken
WORK = 10_000_000  # nodes and edge ends that the runs may look at: ten seconds, more without communities


class Communities(Similarity):
    """Normalized mutual information between the communities before and after."""

    name = "communities"
    title = "similarity of communities (NMI)"
    meaning = "Whether a study of the data would still find the same groups of people."
    holds_interpreter = True

    def similarity(self, before: Side, after: Side) -> Finding:
        """Compute the NMI, between 0 and 1."""
        for when, side in (("original", before), ("released network", after)):
            if side.network.edge_count == 0:
                raise Undefined(f"the {when} has no edges, so no communities")
        runs = number_of_runs(before)
        half = runs // 2
        with seeded(before.settings.seed):
            found_before = _divisions(before, runs)
            agreed_before = _agreed(before, found_before)
            parts = (found_before[:half], found_before[half : 2 * half]) if half else ()
            halves = [_best(part) if (both := _agreed(before, part)) is None else both for part in parts]
        # Seeded anew, so that a network that did not change gets the same communities.
        with seeded(before.settings.seed):
            found_after = _divisions(after, runs)
            agreed_after = _agreed(after, found_after)
        note = f"consensus of {runs:,} runs of Louvain"
        if agreed_before is None or agreed_after is None:
            # Never a consensus on one side only: the communities must come about in the same way.
            agreed_before, agreed_after = _best(found_before), _best(found_after)
            which = "one run of Louvain" if runs == 1 else f"best of {runs:,} runs of Louvain by modularity"
            note = f"{which}, because a consensus takes too long"
        details = {
            "communities_before": len(np.unique(agreed_before)) + before.isolated_count,
            "communities_after": len(np.unique(agreed_after)) + after.isolated_count,
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
    """Runs of Louvain: 100, or fewer on large networks unless exact figures are asked for."""
    if side.settings.exact:
        return RUNS
    return min(RUNS, max(1, WORK // (len(side.with_edges) + 2 * side.network.edge_count)))


def _divisions(side: Side, runs: int) -> list[igraph.VertexClustering]:
    """Communities that several runs of Louvain find among the nodes that have edges."""
    return [_louvain(side, side.graph) for _ in range(runs)]


def _best(divisions: Sequence[igraph.VertexClustering]) -> IntVector:
    """The first division of the highest modularity."""
    return _membership(max(divisions, key=lambda division: float(division.modularity)))


def _agreed(side: Side, divisions: Sequence[igraph.VertexClustering]) -> IntVector | None:
    """Consensus of the runs; None if there are too few runs, or the network is too large."""
    if len(divisions) < FEWEST_RUNS:
        return None

    def divide(graph: igraph.Graph, weights: list[float]) -> IntVector:
        return _membership(_louvain(side, graph, weights))

    return consensus(np.array([*map(_membership, divisions)]), divide, side.isolated_count)


def _louvain(side: Side, graph: igraph.Graph, weights: list[float] | None = None) -> igraph.VertexClustering:
    """Run Louvain once on a graph that is about a side; CancelledError once nobody waits."""
    if side.abandoned.is_set():
        raise CancelledError
    return graph.community_multilevel(weights=weights)


def _membership(division: igraph.VertexClustering) -> IntVector:
    return np.array(division.membership, dtype=np.int32)


def _of_all_nodes(side: Side, communities: IntVector) -> IntVector:
    """Community of each node, from those of the nodes with edges; the others are alone."""
    everybody = np.empty(side.network.node_count, dtype=np.int32)
    everybody[side.with_edges] = communities
    everybody[side.network.degrees == 0] = communities.max() + 1 + np.arange(side.isolated_count)
    return everybody


def _nmi(one: IntVector, other: IntVector) -> float:
    import igraph

    return float(igraph.compare_communities(one.tolist(), other.tolist(), method="nmi"))
