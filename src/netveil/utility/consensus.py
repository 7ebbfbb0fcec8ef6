"""Consensus clustering: one division into communities out of many that differ by chance.

Lancichinetti & Fortunato, Consensus clustering in complex networks, Scientific Reports 2 (2012), the way
netneurotools does it, which the paper uses:

    D := for each two nodes, the share of the M divisions that put them together
    tau := what D would be on average if the labels within each division were shuffled
    repeat
        divide the network of the D that are at least tau, 10 times
        D := for each two nodes, the share of these divisions that put them together
    until all 10 agree

tau is computed exactly here, where netneurotools shuffles once: it is the sum of s (s - 1) over all
communities of s nodes in all divisions, divided by M n^2. Nodes that are alone in every division add nothing
to D, so they need not be given; but they count in n.

Nodes that every division puts together are one node of D, with an edge to itself for the edges among them.
Louvain itself merges communities in this way. Nothing is lost, and D stays small.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from netveil.kernels.arrays import IntMatrix, IntVector

if TYPE_CHECKING:
    import igraph

DIVISIONS_OF_AGREEMENT = 10
MOST_ROUNDS = 50  # far more than it takes; a guard against going round in circles
MOST_PAIRS = 4_000_000  # entries of D: ten seconds and 200 megabytes

Divide = Callable[["igraph.Graph", "list[float]"], IntVector]
"""Divides a graph with weighted edges into communities: the number of each node's."""


def consensus(divisions: IntMatrix, divide: Divide, isolated: int = 0) -> IntVector | None:
    """The community of each node that the `divisions` (M, n) agree on; None where D would be too large.

    `isolated` is the number of nodes that are alone in every division, which are not among the n.
    """
    numerator, denominator = _threshold(divisions, isolated)
    for _ in range(MOST_ROUNDS):
        group_of, members, first = _always_together(divisions)
        grouped = divisions[:, first]
        if _pairs_at_most(grouped) > MOST_PAIRS:
            return None
        # D >= tau in whole numbers, so that rounding does not decide.
        fewest = max(1, -(-numerator * len(divisions) // denominator))
        graph, weights = _agreement(grouped, members, fewest)
        divided = [divide(graph, weights)[group_of] for _ in range(DIVISIONS_OF_AGREEMENT)]
        divisions = np.array([_numbered_by_appearance(division) for division in divided])
        if (divisions == divisions[0]).all():
            return np.asarray(divisions[0])
    return None


def _threshold(divisions: IntMatrix, isolated: int = 0) -> tuple[int, int]:
    """tau as a fraction: numerator and denominator."""
    runs, nodes = divisions.shape[0], divisions.shape[1] + isolated
    sizes = [np.bincount(division) for division in divisions]
    return sum(int((size * (size - 1)).sum()) for size in sizes), runs * nodes * nodes


def _always_together(divisions: IntMatrix) -> tuple[IntVector, IntVector, IntVector]:
    """Groups of nodes that no division parts: each node's group, the size of each group, a node of each."""
    _, first, group_of, members = np.unique(
        divisions, axis=1, return_index=True, return_inverse=True, return_counts=True
    )
    return group_of.ravel(), members, first


def _pairs_at_most(grouped: IntMatrix) -> int:
    """An upper bound on the entries of D, without making it."""
    groups: int = grouped.shape[1]
    together = sum(int((np.bincount(division).astype(np.int64) ** 2).sum()) for division in grouped)
    return min(groups * groups, together)


def _agreement(grouped: IntMatrix, members: IntVector, fewest: int) -> tuple[igraph.Graph, list[float]]:
    """The graph of the groups that at least `fewest` divisions put together, weighted by D and by members."""
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


def _numbered_by_appearance(division: IntVector) -> IntVector:
    """The same division with communities numbered in the order of their first nodes, to compare it by."""
    _, first, number = np.unique(division, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[number.ravel()]
