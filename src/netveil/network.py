"""The network: simple, undirected and immutable, with numbered nodes and edges and its labels kept apart.

Nodes are numbered 0..n-1 in the order in which they were first met, edges 0..m-1 by their endpoints. Which
bit of an individual (Section 4.1 of the paper) stands for which edge is another order: `search/edge_order`.
Labels are only looked at when a network is read or written, so no algorithm can depend on them.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from netveil.attributes import (
    DIRECTIONS_IGNORED,
    NO_ATTRIBUTES,
    Attributes,
    direction_notes,
    igraph_labels,
    of_igraph,
    of_networkx,
    of_pandas,
    present,
)
from netveil.errors import NetworkError, check_kinds, needing
from netveil.formatting import counted, html_view
from netveil.kernels.arrays import EDGES_WORTH_COMPILING, Csr, IntMatrix, IntVector, index_type, stable_order

if TYPE_CHECKING:
    import igraph
    import networkx
    import pandas
    import scipy.sparse

    AnyGraph: TypeAlias = "Network | networkx.Graph[Any] | igraph.Graph"


def adjacency(edges: IntMatrix, degrees: IntVector) -> Csr:
    """Sorted adjacency rows of all nodes, from edges (m, 2) in ascending order."""
    offsets = np.concatenate(([0], np.cumsum(degrees)))
    fill = by_sorting if len(edges) < EDGES_WORTH_COMPILING else by_filling
    csr = Csr(offsets, *fill(edges, offsets))
    for array in csr:
        array.setflags(write=False)
    return csr


def by_sorting(edges: IntMatrix, offsets: NDArray[np.int64]) -> tuple[IntVector, IntVector]:
    """Neighbours of all nodes and the numbers of the edges to them (2m), by a stable sort."""
    smaller, larger = edges.T
    # Edges are sorted, so by a stable sort a row is its smaller neighbours and then its larger ones.
    order = stable_order(np.concatenate((larger, smaller)))
    neighbours = np.concatenate((smaller, larger))[order]
    return neighbours, (order % max(len(edges), 1)).astype(edges.dtype)


def by_filling(edges: IntMatrix, offsets: NDArray[np.int64]) -> tuple[IntVector, IntVector]:
    """Neighbours and edge numbers as `by_sorting`, by a kernel, in a fraction of the time and memory."""
    from netveil.kernels.triangle_loops import fill_rows

    neighbours, edge_numbers = (np.empty(2 * len(edges), dtype=edges.dtype) for _ in range(2))
    fill_rows(edges, offsets[:-1].copy(), neighbours, edge_numbers)
    return neighbours, edge_numbers


# From pairs of nodes to the edges of a simple network. Pairs may be a third of all that fits into memory, so
# that what is not needed any more is let go, and numbers of 32 bits are not made larger.


_BLOCK = 1 << 16  # keys that stay in a cache while they are made
_BITS, _LOWER = 32, 2**32 - 1  # an edge as one number: its smaller node above, the larger below


class SimpleEdges(NamedTuple):
    """Edges of a simple network, and what was left out."""

    edges: IntMatrix  # (m, 2): smaller node first, in ascending order
    self_loops: int
    duplicates: int
    pair_of_edge: IntVector | None  # the first pair that is this edge, if that was asked for


def simple_edges(
    pairs: ArrayLike, node_count: int, *, each_way: bool, find_pairs: bool, in_place: bool = False
) -> SimpleEdges:
    """Sort pairs of nodes 0..node_count-1 into edges: no loops, each edge once.

    With `each_way`, (u, v) is no duplicate of (v, u). With `in_place`, nobody needs the pairs any more.
    """
    given = np.asarray(pairs)
    if given.dtype not in (np.int32, np.int64):
        given = given.astype(np.int64)
    given = given.reshape(-1, 2)
    if given.size and (given.min() < 0 or given.max() >= node_count):
        raise NetworkError(f"node numbers must lie between 0 and {node_count - 1}")
    is_room = in_place and not (each_way or find_pairs) and given.dtype == np.int32 and given.flags.carray
    first, named = None, _sorted_once(_keys(given, each_way=True)) if each_way else None
    keys = _keys(given, given.reshape(-1).view(np.int64) if is_room else None)
    if find_pairs:
        first = np.flatnonzero(given[:, 0] != given[:, 1])[np.unique(keys, return_index=True)[1]]
    loops, ties, count = len(given) - len(keys), len(keys), _sorted_once(keys)
    kind = index_type(max(node_count, 2 * count))
    edges = given[:count] if is_room else np.empty((count, 2), kind)
    for start in range(0, count, _BLOCK):
        part = keys[start : min(start + _BLOCK, count)].copy()  # edges may be made where keys are
        edges[start : start + _BLOCK, 0] = part >> _BITS
        edges[start : start + _BLOCK, 1] = part & _LOWER
    return SimpleEdges(
        edges.astype(kind, copy=False), loops, ties - (count if named is None else named), first
    )


def _keys(
    pairs: IntMatrix, room: NDArray[np.int64] | None = None, *, each_way: bool = False
) -> NDArray[np.int64]:
    """Encode each pair that is no loop as a number, block by block; numbers ascend as pairs do.

    `room` for them may be where the pairs are: a key is written once its pair was read.
    """
    keys, count = np.empty(len(pairs), np.int64) if room is None else room, 0
    for start in range(0, len(pairs), _BLOCK):
        one, other = pairs[start : start + _BLOCK].T.astype(np.int64)
        smaller, larger = (one, other) if each_way else (np.minimum(one, other), np.maximum(one, other))
        part = (smaller << _BITS | larger)[one != other]
        keys[count : count + len(part)] = part
        count += len(part)
    return keys[:count]


def _sorted_once(keys: NDArray[np.int64]) -> int:
    """Sort keys in place, the distinct ones in front; returns how many these are."""
    keys.sort()
    count, last = 0, None
    for start in range(0, len(keys), _BLOCK):
        part = keys[start : start + _BLOCK]
        is_new = np.append(last is None or part[0] != last, part[1:] != part[:-1])
        last = part[-1]
        different = part[is_new]
        keys[count : count + len(different)] = different
        count += len(different)
    return count


# Record of how a file was read, shown wherever a person must be able to notice that it was read wrong.


DIRECTIONS, WEIGHTS = "directions", "weights"
"""Kinds of things that a network has no place for, as `Reading.dropped` has them."""

FIRST_TIES = 3
"""How many ties are shown as they were read."""


@dataclass(frozen=True)
class Reading:
    """Record of how a file became a network; None where it does not apply. Private: it holds labels."""

    format: str  # by its name in FORMATS
    separator: str | None = None  # between the cells of a table, in words: 'semicolon'
    columns: tuple[str, ...] | None = None  # where the people are: names of the header, or numbers from 1
    header: bool | None = None  # whether the first line names the columns
    encoding: str | None = None  # of a text
    first: tuple[tuple[str, str], ...] = ()  # the first ties, in the order of the file
    dropped: tuple[str, ...] = ()  # what was left out, in words: '2 further columns'
    oddities: tuple[str, ...] = ()  # what makes one doubt that this is the network that was meant
    nominations: bool | None = None  # whether a line was a person and named contacts
    sheet: str | None = None  # of a workbook
    both_ways: int = 0  # ties that were given once more from their other end: no repeats

    def sentence(self) -> str:
        """Say on one line how the file was read, without ties and oddities.

        >>> Reading("edge-list", "semicolon", ("Person A", "Person B"), True, "UTF-8").sentence()
        'read as edge-list: separator semicolon, people in columns Person A and Person B, header, UTF-8'
        """
        parts = []
        if self.sheet is not None:
            parts.append(f"sheet {self.sheet}")
        if self.separator is not None:
            parts.append(f"separator {self.separator}")
        if self.columns is not None and self.nominations:
            parts.append(f"nominations of {self.columns[0]} in columns {', '.join(self.columns[1:])}")
        elif self.columns is not None:
            parts.append(f"people in columns {' and '.join(self.columns)}")
        if self.header is not None:
            parts.append("header" if self.header else "no header")
        if self.encoding is not None:
            parts.append(self.encoding)
        if self.dropped:
            parts.append(f"dropped: {', '.join(self.dropped)}")
        return f"read as {self.format}" + (f": {', '.join(parts)}" if parts else "")

    def ties(self) -> str:
        """List the first ties on one line; empty where there are none.

        >>> Reading("edge-list", first=(("anna", "bob"), ("bob", "carl"))).ties()
        'first ties: anna – bob; bob – carl'
        """
        return f"first ties: {'; '.join(' – '.join(tie) for tie in self.first)}" if self.first else ""

    @classmethod
    def of_record(cls, record: dict[str, Any]) -> Reading:
        """Read back what `to_dict` wrote, from JSON, which has no tuples."""
        known = {each.name for each in fields(cls)}
        return cls(**{name: _in_tuples(value) for name, value in record.items() if name in known})

    def to_dict(self) -> dict[str, Any]:
        """The record under its names in the contract."""
        return asdict(self)


def _in_tuples(value: Any) -> Any:
    return tuple(map(_in_tuples, value)) if isinstance(value, list) else value


_EDGES_AT_ONCE = 1 << 22


@dataclass(frozen=True)
class Dropped:
    """Counts of what was left out to make a simple undirected network."""

    self_loops: int = 0
    duplicates: int = 0


@dataclass(frozen=True, eq=False)
class Network:
    """Simple undirected network. Make one with `nv.read` or a `from_…` method; it never changes.

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
        each_way: bool = False,
    ) -> Network:
        """Network from pairs of labels; `nodes`, numbered first, may name some without edges."""
        check_kinds(locals(), name="text", each_way="flag")
        if not (
            isinstance(edges, Iterable) and isinstance(nodes, Iterable) and isinstance(attributes, Attributes)
        ):
            raise NetworkError("give edges as pairs of labels, nodes as labels, attributes as Attributes.")
        flat = [label for pair in edges for label in _checked_pair(pair)]
        try:
            number = {label: index for index, label in enumerate(dict.fromkeys([*nodes, *flat]))}
        except TypeError:
            raise NetworkError(
                "a label is a text, a number or another hashable value; one given is not"
            ) from None
        pairs = np.fromiter(map(number.__getitem__, flat), dtype=np.int64, count=len(flat))
        return cls.from_numbered_edges(
            pairs, len(number), tuple(number), name=name, attributes=attributes, each_way=each_way
        )

    @property
    def edge_count(self) -> int:
        """m, the number of edges."""
        return len(self.edges)

    @cached_property
    def degrees(self) -> IntVector:
        """Number of neighbours of each node."""
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
        """SHA-256 of the edges by node number, labels apart."""
        digest = hashlib.sha256(str(self.node_count).encode())
        digest.update(np.ascontiguousarray(self.edges, dtype="<i8").tobytes())
        return digest.hexdigest()

    @cached_property
    def fingerprint_by_labels(self) -> str:
        """SHA-256 of labels and edges by label, in whatever order nodes and edges are numbered.

        >>> one, other = Network.from_edges(["ab", "bc"]), Network.from_edges(["cb", "ba"])
        >>> one.fingerprint_by_labels == other.fingerprint_by_labels
        True
        """
        labels = [str(label).encode(errors="backslashreplace") for label in self.labels]
        rank = np.empty(self.node_count, dtype=np.int64)
        order = sorted(range(self.node_count), key=labels.__getitem__)
        rank[order] = np.arange(self.node_count)
        edges = np.sort(rank[self.edges], axis=1)
        edges = edges[np.lexsort(edges.T[::-1])]
        digest = hashlib.sha256(b"\n".join(labels[node] for node in order))
        digest.update(np.ascontiguousarray(edges, dtype="<i8").tobytes())
        return digest.hexdigest()

    @property
    def edge_keys(self) -> NDArray[np.int64]:
        """Number of each edge {u, v}, u * n + v, in ascending order."""
        return self.edges[:, 0].astype(np.int64) * self.node_count + self.edges[:, 1]

    def are_edges(self, pairs: IntMatrix) -> NDArray[np.bool_]:
        """Whether each pair of node numbers is an edge of this network; a negative number is no node."""
        smaller, larger = np.sort(pairs.astype(np.int64), axis=1).T
        return np.isin(smaller * self.node_count + larger, self.edge_keys)

    def shared_edges(self, pairs: IntMatrix) -> int:
        """Number of pairs of node numbers that are edges of this network."""
        return int(np.count_nonzero(self.are_edges(pairs)))

    def neighbours(self, node: int) -> IntVector:
        """Sorted neighbours of a node."""
        return self.csr.neighbours[self.csr.offsets[node] : self.csr.offsets[node + 1]]

    def without_edges(self, edge_numbers: ArrayLike) -> Network:
        """Network without the edges of these numbers; every node stays."""
        kept = np.ones(self.edge_count, dtype=bool)
        kept[np.asarray(edge_numbers, dtype=np.int64)] = False
        edges = self.edges[kept]
        edges.setflags(write=False)
        left = self.attributes.of_edges(np.flatnonzero(kept)) if self.attributes.edge else self.attributes
        return replace(
            self, edges=edges, attributes=left, dropped=Dropped(), notes=(), file="", sha256="", reading=None
        )

    def relabelled(self, new_number: NDArray[np.int64]) -> Network:
        """Renumber nodes: node v becomes `new_number[v]`, with numbers as labels."""
        attributes = self.attributes.of_nodes(np.argsort(new_number))
        return Network.from_numbered_edges(
            new_number[self.edges], self.node_count, name=self.name, attributes=attributes
        )

    def edge_labels(self, edge_numbers: ArrayLike) -> list[tuple[Hashable, Hashable]]:
        """Labels at both ends of each of these edges."""
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
    def from_networkx(cls, graph: networkx.Graph[Any], *, warn: bool = True) -> Network:
        """Network with the nodes of a networkx graph as labels; `warn` (and `notes`) tell of directions."""
        _check_library(graph, "networkx", warn)
        pairs, notes = ((u, v) for u, v in graph.edges()), direction_notes(graph, warn=warn)
        name, attributes = graph.name or "network", of_networkx(graph)
        network = cls.from_edges(pairs, graph.nodes(), name=name, attributes=attributes, each_way=bool(notes))
        return replace(network, notes=notes)

    @classmethod
    def from_igraph(cls, graph: igraph.Graph, *, warn: bool = True) -> Network:
        """Network labelled by the vertex attribute `name`, or by number; see `from_networkx`."""
        _check_library(graph, "igraph", warn)
        labels, attributes = igraph_labels(graph), of_igraph(graph)
        pairs, notes = graph.get_edgelist(), direction_notes(graph, warn=warn)
        return cls.from_numbered_edges(
            pairs, graph.vcount(), labels, notes=notes, each_way=bool(notes), attributes=attributes
        )

    @classmethod
    def from_scipy(cls, matrix: Any) -> Network:
        """Network with an edge wherever a square scipy.sparse array or matrix has a non-zero entry."""
        if not (hasattr(matrix, "nonzero") and len(getattr(matrix, "shape", ())) == 2):
            raise NetworkError(f"a {type(matrix).__name__} is no matrix; give one of scipy.sparse or numpy")
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
        """Convert to a `networkx.Graph`."""
        with needing("networkx", "a networkx graph"):
            import networkx

        graph: networkx.Graph[Any] = networkx.Graph()
        graph.add_nodes_from(self.labels)
        graph.add_edges_from(self.to_edges())
        for name, values in self.attributes.node.items():
            networkx.set_node_attributes(graph, present(self.labels, values), name)
        for name, values in self.attributes.edge.items():
            networkx.set_edge_attributes(graph, present(self.to_edges(), values), name)
        return graph

    def to_igraph(self) -> igraph.Graph:
        """Convert to an `igraph.Graph`, labels in the vertex attribute `name` if there are any."""
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


def _check_library(graph: Any, library: str, warn: bool) -> None:
    """Raise unless this is a graph of that library."""
    check_kinds(locals(), warn="flag")
    if (found := kind_of(graph)) != library:
        raise NetworkError(f"this is a graph of {found}, not of {library}; give it to Network.from_{found}")


def _checked_pair(pair: tuple[Hashable, Hashable]) -> tuple[Hashable, Hashable]:
    try:
        u, v = pair
    except (TypeError, ValueError):
        raise NetworkError("an edge is a pair of two labels; one of the given edges is not") from None
    return u, v


_WHOLE_NUMBER = re.compile(r"-?[0-9]{1,18}")


def label_order(labels: Sequence[Hashable]) -> NDArray[np.int64]:
    """Order nodes by label: by number where all labels are whole numbers, else as text.

    Whoever sees nodes and edges in this order learns nothing of the order that they had in a file.

    >>> label_order(["10", "9", "-1"]).tolist(), label_order(["10", "9", "b"]).tolist()
    ([2, 1, 0], [0, 1, 2])
    """
    texts = list(map(str, labels))
    by_number = all(map(_WHOLE_NUMBER.fullmatch, texts))
    keys = [(int(text) if by_number else 0, text) for text in texts]
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64)


def in_label_order(network: Network) -> Network:
    """Renumber nodes in the order of their labels, and edges with them.

    >>> in_label_order(Network.from_edges([("carol", "bob"), ("bob", "ann")])).to_edges()
    [('ann', 'bob'), ('bob', 'carol')]
    """
    if isinstance(network.labels, range):
        return network
    labels = list(network.labels)
    order = label_order(labels)
    if (np.diff(order) == 1).all():
        return network
    sorted_labels = tuple(labels[node] for node in order.tolist())
    numbered = network.relabelled(np.argsort(order))
    is_range = sorted_labels == tuple(numbered.labels)
    return numbered if is_range else replace(numbered, labels=sorted_labels)


def kind_of(graph: AnyGraph) -> Literal["network", "networkx", "igraph"]:
    """Library whose graph this is; an error for anything else."""
    if isinstance(graph, Network):
        return "network"
    # A graph of a library comes with the library imported: no need to import any to recognise it.
    networkx, igraph = sys.modules.get("networkx"), sys.modules.get("igraph")
    if networkx is not None and isinstance(graph, networkx.Graph):
        return "networkx"
    if igraph is not None and isinstance(graph, igraph.Graph):
        return "igraph"
    raise NetworkError(
        f"a {type(graph).__name__} is not a network; give a netveil.Network (Network.from_edges, from_scipy, "
        f"from_pandas make one), a networkx.Graph, an igraph.Graph, or the name of a file."
    )


LOSSES = {
    DIRECTIONS: "directions are ignored: whichever way a tie goes, it is one tie",
    WEIGHTS: "weights are ignored: all ties count alike",
    "repeated ties": "repeated ties are one tie",
    "self-loops": "ties of people with themselves are left out",
}
"""Sentence on each kind of information that a network cannot hold."""


def losses(network: Any) -> dict[str, str]:
    """Kinds of things that were lost when a network, or blocks of one, was made, each with a sentence.

    Without counts: kinds may be published.
    """
    attributes = getattr(network, "attributes", NO_ATTRIBUTES)  # blocks have none
    told = () if network.reading is None else network.reading.dropped
    is_lost = {
        DIRECTIONS: DIRECTIONS_IGNORED in network.notes or any(each.startswith("direction") for each in told),
        WEIGHTS: WEIGHTS in told or WEIGHTS.rstrip("s") in attributes.edge,
        "repeated ties": network.dropped.duplicates > 0,
        "self-loops": network.dropped.self_loops > 0,
    }
    return {kind: sentence for kind, sentence in LOSSES.items() if is_lost[kind]}


def is_directed(given: object) -> bool:
    """Whether the given thing is a directed graph of another library."""
    tell = getattr(given, "is_directed", None)  # networkx and igraph both call it so
    return tell is not None and bool(tell())


def as_network(graph: AnyGraph, *, warn: bool = True) -> Network:
    """Convert a graph of any library to a Network; `warn` of directions that are ignored."""
    if isinstance(graph, Network):
        return graph
    made_from = Network.from_networkx if kind_of(graph) == "networkx" else Network.from_igraph
    return made_from(graph, warn=warn)
