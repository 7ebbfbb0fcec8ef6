"""Shortest paths of a network from all its nodes, or from a random sample of them where it is large.

The sources are searched in a fixed number of batches whose results are added up in order, so nothing depends
on the number of threads. The batches of a sample also tell how far its results can be trusted.

Nodes without edges are sources like others, because otherwise the mean over a sample would not be that over
all nodes; but a search from them ends at once, so they do not count as work.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import IntVector
from netveil.network import Network

if TYPE_CHECKING:
    from netveil.kernels.counting.paths import PathTotals

BATCHES = 16  # pieces of work to share among threads, and groups for the standard error of a sample
EXACT_WORK = 5_000_000_000  # nodes and edge ends to look at: about half a minute on one core
SAMPLED_WORK = 1_000_000_000
FEWEST_SOURCES = 256  # in a sample, not counting nodes without edges; fewer say little about who is central


def batches_of_sources(network: Network, seed: int, exact: bool) -> list[IntVector]:
    """The nodes to search from: all if that is affordable or `exact`, else a sample without repetition."""
    n = network.node_count
    with_edges = int(np.count_nonzero(network.degrees))
    work = with_edges + 2 * network.edge_count
    if exact or with_edges * work <= EXACT_WORK:
        sources = np.arange(n)
    else:
        # Larger by the share of nodes without edges, so that about as many as wanted have edges.
        size = min(n, max(FEWEST_SOURCES, SAMPLED_WORK // work) * n // with_edges)
        sources = np.random.default_rng(seed).choice(n, size, replace=False)
    return np.array_split(sources, BATCHES)


@dataclass(frozen=True)
class PathSurvey:
    """What the shortest paths from k of a network's n nodes tell."""

    nodes: int
    distance_sums: NDArray[np.int64]  # (k): distances from each source to all other nodes it reaches
    reached: NDArray[np.int64]  # (k): how many nodes each source reaches
    diameter: int  # the largest finite distance from any source
    dependencies: tuple[NDArray[np.float64], ...]  # for each batch (n): how much each node is in between

    @classmethod
    def from_totals(cls, totals: Sequence[PathTotals], nodes: int) -> PathSurvey:
        """The survey from the results of the batches, in order."""
        return cls(
            nodes,
            np.concatenate([batch.distance_sums for batch in totals]),
            np.concatenate([batch.reached for batch in totals]),
            int(max(batch.farthest.max(initial=0) for batch in totals)),
            tuple(batch.dependencies for batch in totals),
        )

    @property
    def sources(self) -> int:
        """k, the number of nodes that were searched from."""
        return len(self.reached)

    @property
    def is_sample(self) -> bool:
        """Whether only some nodes were searched from, so that figures are estimates."""
        return self.sources < self.nodes

    @property
    def says(self) -> str:
        """The sentence for a record, empty if nothing was sampled."""
        return f"estimated from {self.sources:,} of {self.nodes:,} nodes" if self.is_sample else ""

    @cached_property
    def betweenness(self) -> NDArray[np.float64]:
        """For each node, over pairs of others, the sum of the share of their shortest paths through it."""
        # Each pair is seen from both ends, so a path counts half.
        return reduce(np.add, self.dependencies) * (self.nodes / max(self.sources, 1) / 2)

    @property
    def unseen_share(self) -> float:
        """The share of nodes that were not searched from, by which the variance of a sample is multiplied."""
        return 1 - self.sources / self.nodes if self.nodes else 0.0

    def betweenness_without(self, batch: int) -> NDArray[np.float64]:
        """Betweenness, up to a factor, as the other batches alone would have it."""
        return reduce(np.add, self.dependencies[:batch] + self.dependencies[batch + 1 :])
