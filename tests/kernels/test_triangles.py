"""Rows of neighbours, triangles, and edges around nodes, against networkx and definitions by sets."""

from __future__ import annotations

from itertools import combinations
from random import Random
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

from graphs import networks
from naive import triangles_by_networkx
from netveil import network as adjacency
from netveil.kernels import triangles
from netveil.kernels.balls import mark_around, mark_closing
from netveil.kernels.triangles import (
    has_few_wedges,
    list_triangles,
    orient,
    triangles_per_edge,
    triangles_per_node,
)
from netveil.network import Network


@given(networks(max_nodes=15))
def test_triangles_per_node_equal_networkx(network: Network) -> None:
    """On any small network."""
    expected = triangles_by_networkx(network.to_networkx())
    found = triangles_per_node(network.edges, network.degrees)

    assert found.tolist() == [expected[node] for node in range(network.node_count)]


@pytest.mark.parametrize("hub", [False, True])
def test_threads_find_the_same_triangles(monkeypatch: pytest.MonkeyPatch, hub: bool) -> None:
    """In many parts, over three threads, the counts are those of one; also if one person knows everybody."""
    graph = nx.gnm_random_graph(80, 900, seed=1)
    graph.add_edges_from((0, other) for other in range(1, 80) if hub)
    network = Network.from_networkx(graph)
    alone = triangles_per_node(network.edges, network.degrees, threads=1)
    monkeypatch.setattr(triangles, "EDGES_WORTH_COMPILING", 0)
    monkeypatch.setattr(triangles, "WEDGES_WORTH_COMPILING", 0)
    monkeypatch.setattr(triangles, "EDGES_WORTH_A_THREAD", 1)
    heard: list[float] = []
    together = triangles_per_node(network.edges, network.degrees, threads=3, listener=heard.append)

    assert alone.sum() > 0
    assert (alone == together).all()
    assert heard == [part / triangles.PARTS for part in range(1, triangles.PARTS + 1)]


def test_loops_are_compiled_by_the_pairs_of_edges_to_close(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clique of 20 has 1,140, a star with as many edges none; of many networks, all count."""
    monkeypatch.setattr(triangles, "WEDGES_WORTH_COMPILING", 1_140)
    clique, star = (Network.from_networkx(graph) for graph in (nx.complete_graph(20), nx.star_graph(190)))
    rows, rows_of_star = (orient(each.edges, each.degrees, False).rows for each in (clique, star))

    assert not has_few_wedges(rows) and has_few_wedges(rows_of_star)
    assert not has_few_wedges(rows_of_star, times=6)  # edges alone are too many then
    monkeypatch.setattr(triangles, "WEDGES_WORTH_COMPILING", 1_141)
    assert has_few_wedges(rows) and not has_few_wedges(rows, times=2)


@given(networks(max_nodes=15), st.integers(1, 5), st.randoms())
def test_numpy_and_compiled_loops_find_the_same_in_the_same_order(
    network: Network, threads: int, random: Random
) -> None:
    """Rows, counts and lists, with their types; edges in any order, whatever the number of threads."""
    edges = network.edges[random.sample(range(network.edge_count), network.edge_count)].reshape(-1, 2)
    found: list[list[NDArray[Any]]] = []
    for worth_compiling in (10_000, 0):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(triangles, "EDGES_WORTH_COMPILING", worth_compiling)
            patch.setattr(triangles, "WEDGES_WORTH_COMPILING", worth_compiling)
            patch.setattr(triangles, "EDGES_WORTH_A_THREAD", 1)
            oriented = orient(edges, network.degrees, True, threads)
            on_edges = triangles_per_edge(oriented)
            first_row = np.concatenate(([0], np.cumsum(on_edges)))
            on_nodes = triangles_per_node(edges, network.degrees, threads)
            often = triangles_per_node(edges, network.degrees, times=10_000)  # compiled, however small
            assert often.tolist() == on_nodes.tolist()
            found.append([*oriented, on_edges, list_triangles(oriented, first_row), on_nodes])
    rows = np.repeat(np.arange(network.node_count), np.diff(oriented.offsets))

    for one, other in zip(*found, strict=True):
        assert (one.dtype, one.tolist()) == (other.dtype, other.tolist())
    assert (oriented.targets < rows).all()
    ends = oriented.node_of_rank[np.column_stack((rows, oriented.targets))]
    assert np.array_equal(np.sort(ends, axis=1), edges[oriented.edge_numbers])
    assert (np.diff(network.degrees[oriented.node_of_rank]) <= 0).all()


@given(networks(max_nodes=12))
def test_listed_triangles_of_an_edge_are_its_common_neighbours(network: Network) -> None:
    """Each row names the two other edges and the third node."""
    oriented = orient(network.edges, network.degrees, True)
    first_row = np.concatenate(([0], np.cumsum(triangles_per_edge(oriented))))
    rows = list_triangles(oriented, first_row)
    graph = network.to_networkx()

    for edge, (u, v) in enumerate(network.edges.tolist()):
        mine = rows[first_row[edge] : first_row[edge + 1]].tolist()
        assert sorted(row[2] for row in mine) == sorted(nx.common_neighbors(graph, u, v))
        for one, other, w in mine:
            around = {frozenset(network.edges[one].tolist()), frozenset(network.edges[other].tolist())}
            assert around == {frozenset((u, w)), frozenset((v, w))}


@pytest.mark.thorough
@given(networks(max_nodes=20))
def test_rows_are_the_same_by_sorting_and_by_filling(network: Network) -> None:
    """Numbers and their types; large networks are filled."""
    csr = network.csr
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(adjacency, "EDGES_WORTH_COMPILING", 0)
        filled = adjacency.adjacency(network.edges, network.degrees)

    for one, other in zip(csr, filled, strict=True):
        assert one.tolist() == other.tolist()
        assert (one.dtype, one.flags.writeable) == (other.dtype, other.flags.writeable)


def triangles_of(network: Network) -> list[set[int]]:
    """The numbers of the three edges of each triangle."""
    number = {frozenset(pair): edge for edge, pair in enumerate(network.edges.tolist())}
    return [
        {number[frozenset(pair)] for pair in combinations(three, 2)}
        for three in combinations(range(network.node_count), 3)
        if all(frozenset(pair) in number for pair in combinations(three, 2))
    ]


def edges_at(network: Network, nodes: list[int]) -> set[int]:
    """The edges with an end among these nodes."""
    return {edge for edge, ends in enumerate(network.edges.tolist()) if set(ends) & set(nodes)}


@given(networks(), st.data())
def test_edges_at_and_over_against_nodes_are_marked(network: Network, data: st.DataObject) -> None:
    """An edge is over against a node if it closes a triangle with two of the node's."""
    nodes = data.draw(st.lists(st.integers(0, network.node_count - 1), unique=True, min_size=1))
    for opposite in (False, True):
        marks = np.zeros(network.edge_count, np.uint8)
        mark_around(network.csr, np.array(nodes), opposite, marks)
        expected = edges_at(network, nodes)
        for node in nodes if opposite else ():
            own = edges_at(network, [node])
            expected |= {edge for three in triangles_of(network) if len(three & own) == 2 for edge in three}

        assert set(np.flatnonzero(marks).tolist()) == expected


@given(networks(), st.data())
def test_edges_that_close_triangles_are_marked(network: Network, data: st.DataObject) -> None:
    """All edges that are in a triangle with one of these."""
    some = (
        data.draw(st.lists(st.integers(0, network.edge_count - 1), unique=True)) if network.edge_count else []
    )
    marks = np.zeros(network.edge_count, np.uint8)
    mark_closing(network.csr, network.edges[some].astype(np.int64).reshape(-1, 2), marks)

    expected = {
        other for three in triangles_of(network) for edge in three & set(some) for other in three - {edge}
    }
    assert set(np.flatnonzero(marks).tolist()) == expected
