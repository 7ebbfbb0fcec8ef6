"""One side of a comparison: a network and what several metrics need to know about it, computed once."""

from __future__ import annotations

from concurrent.futures import Executor, Future
from functools import cached_property
from threading import Event
from typing import TYPE_CHECKING

import numpy as np

from netveil.kernels.arrays import IntVector
from netveil.network import Network
from netveil.utility.path_survey import PathSurvey, batches_of_sources
from netveil.utility.settings import MetricSettings

if TYPE_CHECKING:
    import igraph

    from netveil.kernels.counting.paths import PathTotals


class Side:
    """A network before or after, for metrics to look at; both sides of a comparison share settings."""

    def __init__(self, network: Network, settings: MetricSettings, like: Side | None = None) -> None:
        self.network = network
        self.settings = settings
        # Chosen by the original for both sides: figures from other sources differ although nothing changed.
        self._batches: list[IntVector] = (
            batches_of_sources(network, settings.seed, settings.exact) if like is None else like._batches
        )
        # Set when nobody waits for the answer any more.
        self.abandoned: Event = Event() if like is None else like.abandoned
        self._searches: list[Future[PathTotals]] | None = None

    @property
    def source_count(self) -> int:
        """How many nodes paths are searched from."""
        return sum(map(len, self._batches))

    def begin(self, executor: Executor) -> None:
        """Start the path search, the longest of the shared computations, in the background."""
        from netveil.kernels.counting.paths import paths_from

        csr = self.network.csr
        self._searches = [executor.submit(paths_from, csr, batch) for batch in self._batches]

    @cached_property
    def paths(self) -> PathSurvey:
        """Shortest paths from every node, or from a sample of nodes where that would take minutes."""
        from netveil.kernels.counting.paths import paths_from

        if self._searches is None:
            totals = [paths_from(self.network.csr, batch) for batch in self._batches]
        else:
            totals = [search.result() for search in self._searches]
        return PathSurvey.from_totals(totals, self.network.node_count)

    @cached_property
    def component_sizes(self) -> IntVector:
        """The number of nodes in each connected component."""
        from scipy.sparse.csgraph import connected_components

        if self.network.node_count == 0:
            return np.zeros(0, dtype=np.int64)
        _, component_of = connected_components(self.network.to_scipy(), directed=False)
        return np.bincount(component_of)

    @cached_property
    def with_edges(self) -> IntVector:
        """The nodes that have edges, in ascending order."""
        return np.flatnonzero(self.network.degrees)

    @property
    def isolated_count(self) -> int:
        """The number of nodes without edges."""
        return self.network.node_count - len(self.with_edges)

    @cached_property
    def graph(self) -> igraph.Graph:
        """The nodes that have edges, for igraph, without labels: its vertex i is node `with_edges[i]`."""
        import igraph

        edges = np.searchsorted(self.with_edges, self.network.edges)
        return igraph.Graph(n=len(self.with_edges), edges=edges)

    @cached_property
    def core_numbers(self) -> IntVector:
        """For each node, the largest k such that it belongs to the k-core."""
        numbers = np.zeros(self.network.node_count, dtype=np.int64)
        numbers[self.with_edges] = self.graph.coreness()
        return numbers
