"""One side of a comparison: a network and what several metrics need to know about it, computed once."""

from __future__ import annotations

from concurrent.futures import Executor, Future
from dataclasses import dataclass
from functools import cached_property
from threading import Event
from typing import TYPE_CHECKING

import numpy as np

from netveil.errors import SettingError, unknown_name
from netveil.kernels.arrays import IntVector
from netveil.network import Network
from netveil.utility.path_survey import PathSurvey, batches_of_sources

if TYPE_CHECKING:
    import igraph

    from netveil.kernels.paths import PathTotals

CLUSTERING_WAYS = ("paper", "textbook")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What a user can decide about a comparison."""

    seed: int = 0  # decides what is random: communities, and sources where paths are sampled
    exact: bool = False  # never sample or shorten, however long it takes
    top: int | None = None  # nodes that count as central: 100, or a fifth of the nodes if that is less
    clustering: str = "paper"  # 'paper' leaves nodes with fewer than two neighbours out, 'textbook' counts 0

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise SettingError(f"seed {self.seed}: give a whole number, 0 or more.")
        if self.top is not None and self.top < 1:
            raise SettingError(f"top {self.top}: give the number of central nodes to compare, 1 or more.")
        if self.clustering not in CLUSTERING_WAYS:
            raise unknown_name("clustering", self.clustering, CLUSTERING_WAYS)


class Side:
    """A network before or after, for metrics to look at; both sides of a comparison share settings."""

    def __init__(self, network: Network, settings: Settings, like: Side | None = None) -> None:
        self.network = network
        self.settings = settings
        # Chosen by the original for both sides: figures from other sources differ although nothing changed.
        self._batches: list[IntVector] = (
            batches_of_sources(network, settings.seed, settings.exact) if like is None else like._batches
        )
        # Set when nobody waits for the answer any more.
        self.abandoned: Event = Event() if like is None else like.abandoned
        self._searches: list[Future[PathTotals]] | None = None

    def begin(self, executor: Executor) -> None:
        """Start the path search, the longest of the shared computations, in the background."""
        from netveil.kernels.paths import paths_from

        csr = self.network.csr
        self._searches = [executor.submit(paths_from, csr, batch) for batch in self._batches]

    @cached_property
    def paths(self) -> PathSurvey:
        """Shortest paths from every node, or from a sample of nodes where that would take minutes."""
        from netveil.kernels.paths import paths_from

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
