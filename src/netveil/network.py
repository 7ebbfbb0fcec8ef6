"""The network: simple, undirected and immutable, with numbered nodes and edges and its labels kept apart.

Nodes are numbered 0..n-1 in the order in which they were first met, edges 0..m-1 by their endpoints. Which
bit of an individual (Section 4.1 of the paper) stands for which edge is another order: `search/edge_order`.
Labels are only looked at when a network is read or written, so no algorithm can depend on them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from netveil.adjacency import adjacency
from netveil.attributes import NO_ATTRIBUTES, Attributes, of_igraph, of_networkx, of_pandas
from netveil.errors import NetworkError, needing
from netveil.kernels.arrays import Csr, IntMatrix, IntVector
from netveil.notebook import html_view
from netveil.reading import Reading
from netveil.simple_edges import simple_edges
from netveil.words import counted

if TYPE_CHECKING:
    import igraph
    import networkx
    import pandas
    import scipy.sparse


_EDGES_AT_ONCE = 1 << 22


@dataclass(frozen=True)
class Dropped:
    """What was left out to make a simple undirected network."""

    self_loops: int = 0
    duplicates: int = 0


@dataclass(frozen=True, eq=False)
class Network:
    """A simple undirected network. Make one with `nv.read` or a `from_…` method; it never changes.

    >>> square = Network.from_edges([("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")])
    >>> square.node_count, square.edge_count, square.degrees.tolist()
    (4, 4, [2, 2, 2, 2])
    """

    node_count: int
    edges: IntMatrix  # (m, 2): the two nodes of each edge, smaller first, in ascending order
    labels: Sequence[Hashable]  # labels[v] is the label of node v; range(n) where nodes have no names
    name: str = "network"
    dropped: Dropped = Dropped()
    notes: tuple[str, ...] = ()  # what a reader understood from the file, in sentences
    file: str = ""  # name of the file that it was read from, if it was, without its folder
    sha256: str = ""  # of that file
    reading: Reading | None = None  # how that file was read
    attributes: Attributes = NO_ATTRIBUTES  # of nodes and edges: no algorithm looks at them

    @classmethod
    def from_numbered_edges(
        cls,
        pairs: ArrayLike,
        node_count: int,
        labels: Sequence[Hashable] | None = None,
        *,
        name: str = "network",
        notes: tuple[str, ...] = (),
        each_way: bool = False,
        attributes: Attributes = NO_ATTRIBUTES,
        in_place: bool = False,
    ) -> Network:
        """Network of nodes 0..node_count-1 from pairs of numbers; counts loops and duplicates dropped.

        With `each_way`, (u, v) and (v, u) name an edge from its two sides: neither is a duplicate. Attributes
        of edges are given by pair; of duplicates the first counts. With `in_place`, pairs are an array
        (rows, 2) that is not needed any more: where its numbers have 32 bits, edges are made in its memory.
        """
        find_pairs = bool(attributes.edge)
        found = simple_edges(pairs, node_count, each_way=each_way, find_pairs=find_pairs, in_place=in_place)
        if found.pair_of_edge is not None:
            attributes = attributes.of_edges(found.pair_of_edge)
        found.edges.setflags(write=False)
        return cls(
            node_count,
            found.edges,
            range(node_count) if labels is None else labels,
            name,
            Dropped(self_loops=found.self_loops, duplicates=found.duplicates),
            notes,
            attributes=attributes,
        )

    @classmethod
    def from_edges(
        cls,
        edges: Iterable[tuple[Hashable, Hashable]],
        nodes: Iterable[Hashable] = (),
        *,
        name: str = "network",
        attributes: Attributes = NO_ATTRIBUTES,
    ) -> Network:
        """Network from pairs of labels; `nodes`, numbered first, may name some without edges."""
        flat = [label for pair in edges for label in _checked_pair(pair)]
        number = {label: index for index, label in enumerate(dict.fromkeys([*nodes, *flat]))}
        pairs = np.fromiter(map(number.__getitem__, flat), dtype=np.int64, count=len(flat))
        return cls.from_numbered_edges(pairs, len(number), tuple(number), name=name, attributes=attributes)

    @property
    def edge_count(self) -> int:
        """m, the number of edges."""
        return len(self.edges)

    @cached_property
    def degrees(self) -> IntVector:
        """The number of neighbours of each node."""
        degrees = np.zeros(self.node_count, dtype=np.int64)
        for start in range(0, self.edge_count, _EDGES_AT_ONCE):  # bincount makes 64 bits of 32
            ends = self.edges[start : start + _EDGES_AT_ONCE].ravel()
            degrees += np.bincount(ends, minlength=self.node_count)
        degrees.setflags(write=False)
        return degrees

    @cached_property
    def csr(self) -> Csr:
        """Adjacency as arrays, each row sorted; the form that kernels take."""
        return adjacency(self.edges, self.degrees)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the edges by node number: tells whether two networks are the same, labels apart."""
        digest = hashlib.sha256(str(self.node_count).encode())
        digest.update(np.ascontiguousarray(self.edges, dtype="<i8").tobytes())
        return digest.hexdigest()

    @property
    def edge_keys(self) -> NDArray[np.int64]:
        """A number for each edge {u, v}, u * n + v, in ascending order."""
        return self.edges[:, 0].astype(np.int64) * self.node_count + self.edges[:, 1]

    def are_edges(self, pairs: IntMatrix) -> NDArray[np.bool_]:
        """Which of these pairs of node numbers are edges of this network; a negative number is no node."""
        smaller, larger = np.sort(pairs.astype(np.int64), axis=1).T
        return np.isin(smaller * self.node_count + larger, self.edge_keys)

    def shared_edges(self, pairs: IntMatrix) -> int:
        """How many of these pairs of node numbers are edges of this network."""
        return int(np.count_nonzero(self.are_edges(pairs)))

    def neighbours(self, node: int) -> IntVector:
        """Sorted neighbours of a node."""
        return self.csr.neighbours[self.csr.offsets[node] : self.csr.offsets[node + 1]]

    def without_edges(self, edge_numbers: ArrayLike) -> Network:
        """The network less the edges with these numbers; every node stays."""
        kept = np.ones(self.edge_count, dtype=bool)
        kept[np.asarray(edge_numbers, dtype=np.int64)] = False
        edges = self.edges[kept]
        edges.setflags(write=False)
        left = self.attributes.of_edges(np.flatnonzero(kept)) if self.attributes.edge else self.attributes
        return replace(
            self, edges=edges, attributes=left, dropped=Dropped(), notes=(), file="", sha256="", reading=None
        )

    def relabelled(self, new_number: NDArray[np.int64]) -> Network:
        """The network whose node `new_number[v]` is this one's node v, with numbers as labels."""
        attributes = self.attributes.of_nodes(np.argsort(new_number))
        return Network.from_numbered_edges(
            new_number[self.edges], self.node_count, name=self.name, attributes=attributes
        )

    def edge_labels(self, edge_numbers: ArrayLike) -> list[tuple[Hashable, Hashable]]:
        """The labels at both ends of each of these edges."""
        ends = self.edges[np.asarray(edge_numbers, dtype=np.int64)].tolist()
        return [(self.labels[u], self.labels[v]) for u, v in ends]

    def __eq__(self, other: object) -> bool:
        """Same labels in the same order and the same edges; name and notes do not count."""
        if not isinstance(other, Network):
            return NotImplemented
        return list(self.labels) == list(other.labels) and np.array_equal(self.edges, other.edges)

    def __repr__(self) -> str:
        size = f"{counted(self.node_count, 'node')}, {counted(self.edge_count, 'edge')}"
        return f"Network({self.name!r}, {size})"

    def _repr_html_(self) -> str:
        told = [f"attributes: {', '.join(self.attributes.names)}"] if self.attributes.names else []
        told += [] if self.reading is None else [self.reading.sentence()]
        return html_view(repr(self), remarks=told)

    @classmethod
    def from_networkx(cls, graph: networkx.Graph[Any]) -> Network:
        """Network with the nodes of a networkx graph as labels; directions and multiplicity are dropped."""
        pairs, name = ((u, v) for u, v in graph.edges()), graph.name or "network"
        return cls.from_edges(pairs, graph.nodes(), name=name, attributes=of_networkx(graph))

    @classmethod
    def from_igraph(cls, graph: igraph.Graph) -> Network:
        """Network labelled by the vertex attribute `name` where it tells vertices apart, else by number."""
        names = graph.vs["name"] if "name" in graph.vs.attributes() else []
        labels = tuple(names) if len(set(names)) == graph.vcount() else None
        attributes = of_igraph(graph, [] if labels is None else ["name"])
        return cls.from_numbered_edges(graph.get_edgelist(), graph.vcount(), labels, attributes=attributes)

    @classmethod
    def from_scipy(cls, matrix: Any) -> Network:
        """Network with an edge wherever a square scipy.sparse array or matrix has a non-zero entry."""
        if matrix.shape[0] != matrix.shape[1]:
            raise NetworkError(
                f"an adjacency matrix is square; this one is {matrix.shape[0]} by {matrix.shape[1]}"
            )
        pairs = np.unique(np.column_stack(matrix.nonzero()), axis=0)
        return cls.from_numbered_edges(pairs, matrix.shape[0], each_way=True)

    @classmethod
    def from_pandas(
        cls, table: pandas.DataFrame, source: Hashable | None = None, target: Hashable | None = None
    ) -> Network:
        """Network from a table with one edge a row, in the columns `source` and `target` (the first two).

        Further columns are attributes of edges.
        """
        first, second, attributes = of_pandas(table, source, target)
        return cls.from_edges(zip(first, second, strict=True), attributes=attributes)

    def to_edges(self) -> list[tuple[Hashable, Hashable]]:
        """All edges as pairs of labels."""
        return self.edge_labels(np.arange(self.edge_count))

    def to_networkx(self) -> networkx.Graph[Any]:
        """The same network as a `networkx.Graph`."""
        with needing("networkx", "a networkx graph"):
            import networkx

        graph: networkx.Graph[Any] = networkx.Graph()
        graph.add_nodes_from(self.labels)
        graph.add_edges_from(self.to_edges())
        for name, values in self.attributes.node.items():
            networkx.set_node_attributes(graph, _present(self.labels, values), name)
        for name, values in self.attributes.edge.items():
            networkx.set_edge_attributes(graph, _present(self.to_edges(), values), name)
        return graph

    def to_igraph(self) -> igraph.Graph:
        """The same network as an `igraph.Graph`, labels in the vertex attribute `name` if there are any."""
        import igraph

        graph = igraph.Graph(n=self.node_count, edges=self.edges)
        if not isinstance(self.labels, range):
            graph.vs["name"] = list(self.labels)
        for sequence, columns in ((graph.vs, self.attributes.node), (graph.es, self.attributes.edge)):
            for name, values in columns.items():
                sequence[name] = list(values)
        return graph

    def to_scipy(self) -> scipy.sparse.csr_array:
        """Adjacency as a symmetric sparse array of ones, rows and columns in node order."""
        from scipy.sparse import csr_array

        ones = np.ones(2 * self.edge_count, dtype=np.int8)
        shape = (self.node_count, self.node_count)
        return csr_array((ones, self.csr.neighbours.copy(), self.csr.offsets.copy()), shape=shape)

    def to_pandas(self) -> pandas.DataFrame:
        """One row per edge: `source`, `target`, attributes of edges. Isolated nodes have no row."""
        with needing("pandas", "a table"):
            import pandas

        table = pandas.DataFrame(self.to_edges(), columns=["source", "target"])
        for name, values in self.attributes.edge.items():
            table.insert(table.shape[1], name, list(values), allow_duplicates=True)
        return table


def _checked_pair(pair: tuple[Hashable, Hashable]) -> tuple[Hashable, Hashable]:
    try:
        u, v = pair
    except (TypeError, ValueError):
        raise NetworkError("an edge is a pair of two labels; one of the given edges is not") from None
    return u, v


def _present(keys: Iterable[Any], values: Iterable[Any]) -> dict[Any, Any]:
    """Those that have a value."""
    return {key: value for key, value in zip(keys, values, strict=True) if value is not None}
