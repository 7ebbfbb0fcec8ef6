"""The network: cleaned, immutable, consistent, and the same after a trip through another library."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace
from pathlib import Path
from typing import Any
from unittest import mock

import igraph
import networkx
import numpy as np
import pandas
import pytest
import scipy.sparse
from hypothesis import example, given, strategies as st

from graphs import SQUARE, TRIANGLE_WITH_TAIL, networks
from netveil import network as module
from netveil.errors import DirectionsWarning, NetworkError
from netveil.files import read
from netveil.kernels.arrays import index_type
from netveil.network import Dropped, Network, simple_edges

LABELS = st.one_of(st.integers(-3, 9), st.sampled_from(["a", "b", "Ünal", "c d"]))
# An isolated node, a label that is no text, and nodes that do not come in the order of their labels.
NAMED = Network.from_edges([("d", "a"), ("a", 7), (7, "d")], nodes=["alone", "d"])


@given(st.lists(st.tuples(LABELS, LABELS)), st.lists(LABELS))
def test_any_edges_make_the_network_that_networkx_makes(pairs: list[Any], nodes: list[Any]) -> None:
    network = Network.from_edges(pairs, nodes)
    graph: networkx.Graph[Any] = networkx.Graph(pairs)
    graph.add_nodes_from(nodes)
    graph.remove_edges_from(list(networkx.selfloop_edges(graph)))

    assert set(network.labels) == set(graph.nodes) and network.node_count == len(graph)
    assert {frozenset(edge) for edge in network.to_edges()} == {frozenset(edge) for edge in graph.edges}
    dropped = network.dropped
    assert network.edge_count + dropped.self_loops + dropped.duplicates == len(pairs)
    assert dropped.self_loops == sum(u == v for u, v in pairs)


@given(networks())
def test_rows_are_sorted_and_agree_with_the_edges(network: Network) -> None:
    """Row v lists the neighbours that networkx sees, ascending, each beside the number of the edge to it."""
    graph = network.to_networkx()
    csr = network.csr

    assert csr.offsets.tolist() == [0, *np.cumsum([graph.degree(node) for node in range(len(graph))])]
    for node in range(network.node_count):
        row = slice(csr.offsets[node], csr.offsets[node + 1])
        assert csr.neighbours[row].tolist() == sorted(graph[node]) == network.neighbours(node).tolist()
        for neighbour, edge in zip(csr.neighbours[row], csr.edge_numbers[row], strict=True):
            assert set(network.edges[edge].tolist()) == {node, int(neighbour)}


@given(networks(), st.data())
def test_without_edges_deletes_these_and_nothing_else(network: Network, data: st.DataObject) -> None:
    numbers = data.draw(st.lists(st.sampled_from(range(network.edge_count)))) if network.edge_count else []

    remaining = network.without_edges(numbers)

    assert remaining.labels == network.labels and remaining.node_count == network.node_count
    assert remaining.edges.tolist() == np.delete(network.edges, numbers, axis=0).tolist()
    assert remaining.degrees.sum() == 2 * remaining.edge_count


def test_nothing_of_a_network_can_be_changed() -> None:
    for network in (NAMED, NAMED.without_edges([1]), Network.from_numbered_edges([], 3)):
        for array in (network.edges, network.degrees, *network.csr, network.neighbours(1)):
            assert not array.flags.writeable
            with pytest.raises(ValueError, match="read-only"):
                array[...] = 0
        with pytest.raises(FrozenInstanceError):
            network.node_count = 9  # type: ignore[misc]


def test_indices_take_four_bytes_where_they_can() -> None:
    assert NAMED.edges.dtype == NAMED.csr.neighbours.dtype == NAMED.csr.edge_numbers.dtype == np.int32
    assert NAMED.without_edges([0]).edges.dtype == np.int32
    assert NAMED.csr.offsets.dtype == np.int64
    assert index_type(2**31 - 1) is np.int32
    assert index_type(2**31) is np.int64


def test_networks_are_equal_by_labels_and_edges() -> None:
    """Name, notes and what cleaning dropped make no difference; order of labels does."""
    again = Network.from_edges([("a", "b"), ("b", "c"), ("d", "c"), ("a", "d"), ("d", "a")], name="again")

    assert again == SQUARE
    assert replace(SQUARE, notes=("read",)) == SQUARE
    assert SQUARE.without_edges([0]) != SQUARE
    assert Network.from_edges([("a", "b"), ("b", "c"), ("c", "d"), ("d", "b")]) != SQUARE
    assert Network.from_edges([], nodes="ab") != Network.from_edges([], nodes="ba")
    assert SQUARE != "square"
    with pytest.raises(TypeError):
        hash(SQUARE)


@given(networks())
def test_numbered_networks_survive_every_trip(network: Network) -> None:
    """To networkx, igraph and scipy and back nothing changes, isolated nodes included."""
    assert Network.from_igraph(network.to_igraph()) == network
    assert Network.from_networkx(network.to_networkx()) == network
    assert Network.from_scipy(network.to_scipy()) == network
    assert Network.from_edges(network.to_edges(), network.labels) == network


@pytest.mark.parametrize(("kind", "dropped"), [
    (networkx.Graph, Dropped(1, 0)),
    (networkx.DiGraph, Dropped(1, 0)),
    (networkx.MultiGraph, Dropped(1, 2)),
    (networkx.MultiDiGraph, Dropped(1, 1)),
])  # fmt: skip
def test_any_networkx_graph_becomes_simple(kind: Any, dropped: Dropped) -> None:
    """Directions, repeats and self-loops go; the three nodes and two edges stay.

    An arc and its reverse are two sides of one edge, and neither is a repeat.
    """
    graph = kind([("a", "b"), ("b", "a"), ("a", "b"), ("c", "c"), ("c", "b")], name="club")

    network = Network.from_networkx(graph, warn=False)

    assert network.labels == ("a", "b", "c")
    assert network.to_edges() == [("a", "b"), ("b", "c")]
    assert (network.dropped, network.name) == (dropped, "club")


def test_igraph_vertices_of_one_name_are_refused() -> None:
    """Numbers instead of names would be a silent loss; some of the names are told, below the message."""
    twice = igraph.Graph(n=5, edges=[(0, 2)], vertex_attrs={"name": ["x", "x", "z", None, None]})
    many = igraph.Graph(n=20, vertex_attrs={"name": [f"p{number // 2}" for number in range(20)]})

    with pytest.raises(
        NetworkError, match=r"2 names are there more than once\. Make names different"
    ) as told:
        Network.from_igraph(twice)
    assert told.value.__notes__ == ["  more than once: 'x', None"]
    with pytest.raises(NetworkError, match="10 names are there more than once") as told:
        Network.from_igraph(many)
    assert told.value.__notes__ == ["  more than once: 'p0', 'p1', 'p2', 'p3', 'p4', …"]
    del twice.vs["name"]
    assert Network.from_igraph(twice).labels == range(5)


@pytest.mark.parametrize("graph", [
    networkx.DiGraph([("a", "b"), ("b", "a"), ("b", "c")]),
    igraph.Graph(n=3, edges=[(0, 1), (1, 0), (1, 2)], directed=True, vertex_attrs={"name": list("abc")}),
], ids=["networkx", "igraph"])  # fmt: skip
def test_directions_are_ignored_with_a_word(graph: Any) -> None:
    """A warning at the caller's line and a note; the two arcs of a pair are one edge and no repeat."""
    convert = Network.from_networkx if isinstance(graph, networkx.DiGraph) else Network.from_igraph
    with pytest.warns(DirectionsWarning, match="directions ignored: a directed graph was given") as caught:
        network = convert(graph)

    (warning,) = caught
    assert warning.filename == __file__
    assert network.notes == ("directions ignored",)
    assert network.dropped == Dropped()
    assert network.to_edges() == [("a", "b"), ("b", "c")]
    assert convert(graph, warn=False).notes == network.notes  # and no warning, which would fail this test


@pytest.mark.parametrize("kind", [scipy.sparse.csr_array, scipy.sparse.coo_matrix, scipy.sparse.lil_array])
@pytest.mark.parametrize("half", [np.asarray, np.triu, np.tril])
def test_a_matrix_may_be_symmetric_or_a_triangle(kind: Any, half: Any) -> None:
    """One edge an entry or pair of entries, whatever its value; an entry on the diagonal is a self-loop."""
    dense = np.array([[0, 3, 0, 0], [3, 0, -1, 0], [0, -1, 1, 0], [0, 0, 0, 0]])

    network = Network.from_scipy(kind(half(dense)))

    assert network.edges.tolist() == [[0, 1], [1, 2]]
    assert (network.node_count, network.dropped) == (4, Dropped(self_loops=1))


def test_a_table_has_its_edges_in_two_columns() -> None:
    table = pandas.DataFrame({"when": [1, 2], "who": ["a", "b"], "whom": ["b", "c"]})

    assert Network.from_pandas(table, "who", "whom").to_edges() == [("a", "b"), ("b", "c")]
    assert Network.from_pandas(table[["who", "whom", "when"]]) == Network.from_pandas(table, "who", "whom")
    assert SQUARE.to_pandas().columns.tolist() == ["source", "target"]
    assert SQUARE.to_pandas().values.tolist() == [list(edge) for edge in SQUARE.to_edges()]


@pytest.mark.parametrize("network", [Network.from_edges([]), Network.from_numbered_edges([], 2)])
def test_a_network_may_have_no_edge_or_no_node(network: Network) -> None:
    assert network.to_edges() == []
    assert network.degrees.tolist() == [0] * network.node_count
    assert network.csr.offsets.tolist() == [0] * (network.node_count + 1)
    assert network.to_networkx().number_of_edges() == network.to_igraph().ecount() == 0
    assert network.to_scipy().shape == (network.node_count, network.node_count)
    assert len(network.to_pandas()) == 0
    assert network.without_edges([]) == network


PAIRS = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=60)


def plainly(pairs: list[tuple[int, int]]) -> tuple[list[tuple[int, int]], int, int]:
    """Edges, loops and duplicates, one pair after the other."""
    edges, loops = set(), 0
    for one, other in pairs:
        loops += one == other
        if one != other:
            edges.add((min(one, other), max(one, other)))
    return sorted(edges), loops, len(pairs) - loops - len(edges)


@example([(0, 1), (1, 0), (0, 1)], False, False, 1)  # the same edge on both sides of an end of a block
@given(PAIRS, st.booleans(), st.booleans(), st.integers(1, 20))
def test_simple_edges_are_those_of_a_plain_loop(
    pairs: list[tuple[int, int]], each_way: bool, in_place: bool, block: int
) -> None:
    """Whatever the size of a block; in the memory of the pairs only if that is asked for, and can be."""
    given_pairs = np.array(pairs, dtype=np.int32).reshape(-1, 2)
    with mock.patch.object(module, "_BLOCK", block):
        found = simple_edges(given_pairs, 13, each_way=each_way, find_pairs=not in_place, in_place=in_place)
    edges, loops, duplicates = plainly(pairs)
    named = {(u, v) for u, v in pairs if u != v}
    is_there = in_place and not each_way

    assert [tuple(edge) for edge in found.edges.tolist()] == edges and found.edges.dtype == np.int32
    assert found.self_loops == loops
    assert found.duplicates == (len(pairs) - loops - len(named) if each_way else duplicates)
    assert np.shares_memory(found.edges, given_pairs) == (is_there and len(edges) > 0)
    if found.pair_of_edge is not None:
        either_way = [tuple(sorted(pair)) for pair in pairs]
        assert found.pair_of_edge.tolist() == [either_way.index(edge) for edge in edges]
    if not is_there:
        assert given_pairs.tolist() == [list(pair) for pair in pairs]


def test_nodes_are_numbered_as_they_are_met_and_edges_by_their_ends() -> None:
    """Given nodes first, the smaller end first; loops and repeats are counted, and their nodes stay."""
    cleaned = Network.from_edges([(1, 2), (2, 1), (3, 3), (1, 2), (2, 1), (1, 1)])
    last = 2_000_000  # the product of two node numbers is beyond 32 bits
    far = Network.from_numbered_edges([(last, last - 1), (0, last), (last - 1, last)], last + 1)

    assert NAMED.labels == ("alone", "d", "a", 7)
    assert NAMED.edges.tolist() == [[1, 2], [1, 3], [2, 3]]
    assert NAMED.to_edges() == [("d", "a"), ("d", 7), ("a", 7)]
    assert (NAMED.node_count, NAMED.edge_count, NAMED.degrees.tolist()) == (4, 3, [0, 2, 2, 2])
    assert repr(replace(NAMED, name="club")) == "Network('club', 4 nodes, 3 edges)"
    assert (cleaned.to_edges(), cleaned.labels) == ([(1, 2)], (1, 2, 3))
    assert cleaned.dropped == Dropped(self_loops=2, duplicates=3)
    assert far.edges.tolist() == [[0, last], [last - 1, last]] and far.dropped.duplicates == 1


TABLE = pandas.DataFrame({"who": ["a", "b"], "whom": ["b", None]})


@pytest.mark.parametrize(
    ("make", "given_as", "what"),
    [
        *(
            (Network.from_edges, [(1, 2), edge], "an edge is a pair of two labels")
            for edge in ((1,), (1, 2, 3), 5)
        ),
        (Network.from_scipy, scipy.sparse.csr_array((2, 3)), "this one is 2 by 3"),
        (Network.from_pandas, TABLE[["who"]], "an edge table has two columns; this one has 1"),
        (Network.from_pandas, TABLE, "column 'whom' has empty cells"),
        (
            lambda table: Network.from_pandas(table, "where", "whom"),
            TABLE,
            "there is no column 'where'; the columns are who, whom",
        ),
    ],
)
def test_what_holds_no_edges_is_refused(make: Any, given_as: Any, what: str) -> None:
    """An edge that is no pair, a matrix that is not square, a table without two full columns."""
    with pytest.raises(NetworkError, match=what):
        make(given_as)


@pytest.mark.parametrize("pair", [(0, 6), (-1, 2)])
def test_a_number_that_is_no_node_is_told(pair: tuple[int, int]) -> None:
    with pytest.raises(NetworkError, match="node numbers must lie between 0 and 5"):
        Network.from_numbered_edges([(1, 2), pair], 6)


def test_labels_survive_the_trips_that_have_a_place_for_them() -> None:
    """A table has none for nodes without edges, and a matrix none for labels; igraph's are names."""
    assert Network.from_networkx(NAMED.to_networkx()) == NAMED
    assert Network.from_igraph(NAMED.to_igraph()) == NAMED
    assert Network.from_edges(NAMED.to_edges(), NAMED.labels) == NAMED
    assert Network.from_pandas(NAMED.to_pandas()).to_edges() == NAMED.to_edges()
    assert Network.from_scipy(NAMED.to_scipy()).edges.tolist() == NAMED.edges.tolist()
    assert NAMED.to_igraph().vs["name"] == ["alone", "d", "a", 7]
    assert Network.from_numbered_edges([(0, 1)], 2).to_igraph().vs.attributes() == []
    named = igraph.Graph(n=3, edges=[(0, 2), (2, 0), (1, 1)], vertex_attrs={"name": ["x", "y", "z"]})
    plain = Network.from_igraph(igraph.Graph(n=3, edges=[(0, 2)]))
    assert Network.from_igraph(named) == Network.from_edges([("x", "z")], nodes=["x", "y", "z"])
    assert Network.from_igraph(named).dropped == Dropped(self_loops=1, duplicates=1)
    assert (plain.labels, plain.edges.tolist()) == (range(3), [[0, 2]])


def test_a_matrix_is_symmetric_ones_and_an_explicit_zero_no_edge() -> None:
    matrix = scipy.sparse.coo_array(([0, 1], ([0, 1], [1, 2])), shape=(3, 3))
    dense = TRIANGLE_WITH_TAIL.to_scipy().toarray()

    assert dense.tolist() == [[0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 0, 1], [0, 0, 1, 0]]
    assert Network.from_scipy(matrix).edges.tolist() == [[1, 2]]


def test_without_edges_it_is_no_longer_the_network_of_its_file(tmp_path: Path) -> None:
    (tmp_path / "ties.txt").write_text("a b\nb c\na b\n")
    network = read(tmp_path / "ties.txt")
    left = network.without_edges([0])

    assert network.file == "ties.txt" and network.sha256 and network.reading and network.dropped.duplicates
    assert (left.file, left.sha256, left.reading, left.dropped, left.notes) == ("", "", None, Dropped(), ())
