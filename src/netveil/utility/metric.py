"""Metrics: a question about two networks, and the figures that answer it.

A metric is given a `Side` for each network: what several metrics need to know about it, computed once.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from math import inf
from threading import Event, Lock
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from netveil.errors import SettingError, check_kinds, unknown_name
from netveil.kernels.arrays import IntVector, components
from netveil.network import Network
from netveil.registries import CLUSTERING_WAYS

if TYPE_CHECKING:
    import igraph

    from netveil.kernels.shortest_paths import PathTotals


# igraph has one random generator for the whole process: whoever seeds it does so here, one thread at a time.
_generator_in_use = Lock()


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Seed igraph's random generator within the block; afterwards it is Python's own, as at the start."""
    import igraph

    with _generator_in_use:
        igraph.set_random_number_generator(random.Random(seed))
        try:
            yield
        finally:
            igraph.set_random_number_generator(random)


@dataclass(frozen=True, kw_only=True)
class MetricSettings:
    """Options of a comparison."""

    seed: int = 0  # decides what is random: communities, and sources where paths are sampled
    exact: bool = False  # never sample or shorten, however long it takes
    top: int | None = None  # nodes that count as central: 100, or a fifth of the nodes if that is less
    clustering: str = "paper"  # 'paper' leaves nodes with fewer than two neighbours out, 'textbook' counts 0

    def __post_init__(self) -> None:
        check_kinds(vars(self), seed="whole", exact="flag", top="whole?", clustering="text")
        if self.seed < 0:
            raise SettingError(f"seed {self.seed}: give a whole number, 0 or more.")
        if self.top is not None and self.top < 1:
            raise SettingError(f"top {self.top}: give the number of central nodes to compare, 1 or more.")
        if self.clustering not in CLUSTERING_WAYS:
            raise unknown_name("clustering", self.clustering, CLUSTERING_WAYS)


BATCHES = 16  # pieces of work to share among threads, and groups for the standard error of a sample
EXACT_WORK = 5_000_000_000  # nodes and edge ends to look at: about half a minute on one core
SAMPLED_WORK = 1_000_000_000
FEWEST_SOURCES = 256  # in a sample, not counting nodes without edges; fewer say little about who is central


def batches_of_sources(network: Network, seed: int, exact: bool) -> list[IntVector]:
    """Choose the nodes to search paths from: all if affordable or `exact`, else a sample without repetition.

    The number of batches is fixed and their results are added up in order, so nothing depends on the number
    of threads; the batches of a sample also tell how far its results can be trusted. Nodes without edges are
    sources like others, else the mean over a sample would not be that over all nodes; but a search from them
    ends at once, so they do not count as work.
    """
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
    """Figures of the shortest paths from k of a network's n nodes."""

    nodes: int
    distance_sums: NDArray[np.int64]  # (k): distances from each source to all other nodes it reaches
    reached: NDArray[np.int64]  # (k): how many nodes each source reaches
    diameter: int  # the largest finite distance from any source
    dependencies: tuple[NDArray[np.float64], ...]  # for each batch (n): how much each node is in between

    @classmethod
    def from_totals(cls, totals: Sequence[PathTotals], nodes: int) -> PathSurvey:
        """Add up the results of the batches, in order."""
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
        """Note on the sample, empty if all nodes were searched from."""
        return f"estimated from {self.sources:,} of {self.nodes:,} nodes" if self.is_sample else ""

    @cached_property
    def betweenness(self) -> NDArray[np.float64]:
        """Sum, over pairs of other nodes, of the share of their shortest paths through each node."""
        # Each pair is seen from both ends, so a path counts half.
        return reduce(np.add, self.dependencies) * (self.nodes / max(self.sources, 1) / 2)

    @property
    def unseen_share(self) -> float:
        """Share of nodes that were not searched from; it scales the variance of a sample."""
        return 1 - self.sources / self.nodes if self.nodes else 0.0

    def betweenness_without(self, batch: int) -> NDArray[np.float64]:
        """Betweenness by all batches but this one, up to a factor."""
        return reduce(np.add, self.dependencies[:batch] + self.dependencies[batch + 1 :])


class Side:
    """Network before or after, with what several metrics need; both sides of a comparison share settings."""

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

    def begin(self, executor: Executor) -> None:
        """Start the path search, the longest of the shared computations, in the background."""
        from netveil.kernels.shortest_paths import paths_from

        csr = self.network.csr
        self._searches = [executor.submit(paths_from, csr, batch) for batch in self._batches]

    @cached_property
    def paths(self) -> PathSurvey:
        """Shortest paths from every node, or from a sample of nodes where that would take minutes."""
        from netveil.kernels.shortest_paths import paths_from

        if self._searches is None:
            totals = [paths_from(self.network.csr, batch) for batch in self._batches]
        else:
            totals = [search.result() for search in self._searches]
        return PathSurvey.from_totals(totals, self.network.node_count)

    @cached_property
    def component_sizes(self) -> IntVector:
        """The number of nodes in each connected component."""
        return np.unique(components(self.network.edges, self.network.node_count), return_counts=True)[1]

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
        """Subgraph of the nodes that have edges, for igraph: its vertex i is node `with_edges[i]`."""
        import igraph

        edges = np.searchsorted(self.with_edges, self.network.edges)
        return igraph.Graph(n=len(self.with_edges), edges=edges)

    @cached_property
    def core_numbers(self) -> IntVector:
        """Largest k such that a node belongs to the k-core, per node."""
        numbers = np.zeros(self.network.node_count, dtype=np.int64)
        numbers[self.with_edges] = self.graph.coreness()
        return numbers


# Base classes of metrics.


CLOSER = "closer to before is better"
HIGHER = "higher is better"
LOWER = "lower is better"


class Undefined(Exception):  # noqa: N818  # not an error: there is no answer, and the text says why
    """Raised by a metric that has no value for a network; its text says why."""


@dataclass(frozen=True)
class Finding:
    """Figures of a metric for two networks. A figure that does not exist is None, and `note` says why."""

    title: str
    before: float | None
    after: float | None
    better: str  # which direction is better: CLOSER, HIGHER or LOWER
    score: float | None = None  # similarities only: 1.0 = same
    is_similarity: bool = False
    note: str = ""  # how the figures came about
    standard_error: Mapping[str, float] = field(default_factory=dict)  # of each figure that is an estimate
    details: Mapping[str, float] = field(default_factory=dict)  # further figures by name

    @property
    def change(self) -> float | None:
        """Difference between after and before."""
        return None if self.before is None or self.after is None else self.after - self.before

    @property
    def relative_change(self) -> float | None:
        """The change as a share of the figure before."""
        return self.change / abs(self.before) if self.change is not None and self.before else None

    @property
    def size_of_change(self) -> float:
        """How much changed: 1 - score of a similarity, else the share, or the change; inf if unknown."""
        if self.is_similarity:
            return inf if self.score is None else 1 - self.score
        changed = self.change if self.relative_change is None else self.relative_change
        return inf if changed is None else abs(changed)

    def to_dict(self) -> dict[str, Any]:
        """The figures under their names in JSON, and the note."""
        names = ("title", "before", "after", "change", "relative_change", "better")
        figures = {name: getattr(self, name) for name in names}
        if self.is_similarity:
            figures["score"] = self.score
        if self.standard_error:
            figures["standard_error"] = dict(self.standard_error)
        if self.note:
            figures["note"] = self.note
        return figures | dict(self.details)


class Metric(ABC):
    """One question about what a network still tells after edges were deleted."""

    name: ClassVar[str]
    title: ClassVar[str]
    better: ClassVar[str]  # CLOSER, HIGHER or LOWER
    meaning: ClassVar[str]  # what it says to people who work with the data, in one sentence
    needs_paths: ClassVar[bool] = False  # whether it asks for `Side.paths`, which are then searched at once
    holds_interpreter: ClassVar[bool] = False  # whether it is slow and blocks other Python threads

    @abstractmethod
    def compare(self, before: Side, after: Side) -> Finding:
        """Compute the figures of both networks, whose nodes have the same numbers."""


class Property(Metric):
    """Metric that is a number of each network by itself."""

    better = CLOSER

    @abstractmethod
    def value(self, side: Side) -> float:
        """Compute the number of one network; raise Undefined where there is none."""

    def note(self, before: Side, after: Side) -> str:
        """Note on how the number was computed; empty if nothing is special."""
        return ""

    def standard_error(self, before: Side, after: Side) -> dict[str, float]:
        """The standard error of each figure that is an estimate."""
        return {}

    def details(self, before: Side, after: Side) -> dict[str, float]:
        """Further figures by name."""
        return {}

    def compare(self, before: Side, after: Side) -> Finding:
        """Compute the number before and the number after."""
        numbers: dict[str, float | None] = {"before": None, "after": None}
        reasons = []
        for when, side in (("before", before), ("after", after)):
            try:
                numbers[when] = self.value(side)
            except Undefined as reason:
                reasons.append(f"{when}: {reason}")
        finding = Finding(
            self.title, numbers["before"], numbers["after"], self.better, note="; ".join(reasons)
        )
        if reasons:
            return finding
        return replace(
            finding,
            note=self.note(before, after),
            standard_error=self.standard_error(before, after),
            details=self.details(before, after),
        )


class Similarity(Metric):
    """Metric that is a number of the two networks together: 1.0 where they are the same.

    Before is 1.0, because a network is the same as itself, and after is the score.
    """

    better = HIGHER

    @abstractmethod
    def similarity(self, before: Side, after: Side) -> Finding:
        """Compute the finding with `found`; raise Undefined where there is no score."""

    def found(
        self, score: float, note: str, details: dict[str, float], standard_error: float | None = None
    ) -> Finding:
        """Make the finding with this score."""
        errors = {} if standard_error is None else {"score": standard_error}
        return Finding(self.title, 1.0, score, self.better, score, True, note, errors, details)

    def compare(self, before: Side, after: Side) -> Finding:
        """Compute the score, or say why there is none."""
        try:
            return self.similarity(before, after)
        except Undefined as reason:
            return Finding(self.title, None, None, self.better, is_similarity=True, note=str(reason))
