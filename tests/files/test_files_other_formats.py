"""Pajek, MatrixMarket and nauty files as other programs write them."""

from __future__ import annotations

from inspect import signature
from pathlib import Path
from typing import Any, Literal

import igraph
import numpy as np
import pytest
from scipy.io import mmread, mmwrite
from scipy.sparse import coo_array

from netveil.files import FORMATS, read, write
from netveil.network import Network

Symmetry = Literal["general", "symmetric", "skew-symmetric"]


def network_of(name: str, text: str) -> Network:
    """The network in the text of a file."""
    return FORMATS[name].read(text.encode(), "file")


def test_what_we_write_is_read_by_scipy(tmp_path: Path) -> None:
    """A symmetric MatrixMarket matrix."""
    network = Network.from_numbered_edges([(0, 1), (1, 3)], 5)
    write(network, tmp_path / "a.mtx")

    read_by_scipy: Any = mmread  # which wants to be told what to return since its default is to change
    options = {"spmatrix": False} if "spmatrix" in signature(mmread).parameters else {}
    found = coo_array(read_by_scipy(tmp_path / "a.mtx", **options))
    assert (found.toarray() == network.to_scipy().toarray()).all()


def test_what_we_write_for_pajek_is_read_by_igraph(tmp_path: Path) -> None:
    """Pajek labels have no quotes in them."""
    network = Network.from_edges([("Anna Bell", "Bob"), ("Bob", "c")], ["alone"])
    write(network, tmp_path / "a.net")
    graph = igraph.Graph.Read(str(tmp_path / "a.net"))

    assert (graph.get_edgelist(), graph.vs["name"]) == ([(1, 2), (2, 3)], list(network.labels))


def test_pajek_sections_of_all_kinds_make_edges() -> None:
    """Edges, arcs, lists of both and a matrix; weights, relations, coordinates and comments are ignored."""
    text = """% comment
        *Network friends
        *Vertices 5 2
        1 "Anna Bell" 0.5 0.5 ic Red
        2 Bob
        3 "c"
        4 d
        5 e

        *Arcs :1 "advice"
        1 2 1.5 c Blue
        *EDGES
        2 1
        2 3
        *Arcslist
        3 4 5
        *Edgeslist
        5 1"""
    network = network_of("pajek", text)

    assert network.labels == ("Anna Bell", "Bob", "c", "d", "e")
    assert network.edges.tolist() == [[0, 1], [0, 4], [1, 2], [2, 3], [2, 4]]
    assert network.dropped.duplicates == 1


@pytest.mark.parametrize("vertices", ["", "1 a\n2 a\n", "1 a\n", '1 a\n2 ""\n'])
def test_pajek_nodes_without_labels_of_their_own_are_numbers(vertices: str) -> None:
    """No labels, the same ones, or some missing."""
    assert network_of("pajek", f"*Vertices 2\n{vertices}*Edges\n1 2\n").labels == range(2)


def test_pajek_projects_give_their_first_network() -> None:
    """And a note on where the rest begins."""
    network = network_of("pajek", "*Network a\n*Vertices 2\n*Edges\n1 2\n*Partition b\n*Vertices 2\n1\n2\n")

    assert network.edges.tolist() == [[0, 1]]
    assert network.notes[-1] == "another object, from line 5 on, ignored"


@pytest.mark.parametrize("symmetry", ["general", "symmetric", "skew-symmetric"])
def test_what_scipy_writes_is_read(symmetry: Symmetry, tmp_path: Path) -> None:
    """With any symmetry; rows 1 to n are nodes 0 to n-1."""
    half = np.array([[0, 0, 0], [2, 0, 0], [0, 5, 0]])
    matrix = {"general": half, "symmetric": half + half.T, "skew-symmetric": half - half.T}[symmetry]
    mmwrite(tmp_path / "a.mtx", coo_array(matrix), symmetry=symmetry)
    network = read(tmp_path / "a.mtx")

    assert network == Network.from_numbered_edges([(0, 1), (1, 2)], 3)
    assert network.dropped.duplicates == 0
    assert symmetry in network.notes[0] and "row i is node i-1" in network.notes[0]


def test_a_general_matrix_that_is_symmetric_repeats_no_edge(tmp_path: Path) -> None:
    """scipy and networkx write both triangles; an entry above the diagonal and one below are one edge."""
    network = Network.from_numbered_edges([(0, 1), (1, 2), (0, 3)], 4)
    mmwrite(tmp_path / "a.mtx", network.to_scipy(), symmetry="general")

    assert read(tmp_path / "a.mtx") == network
    assert read(tmp_path / "a.mtx").dropped.duplicates == 0


@pytest.mark.parametrize(("banner", "duplicates"), [
    ("%%MatrixMarket matrix coordinate pattern general\n", 1),
    ("", 1),
    ("%%MatrixMarket matrix coordinate pattern symmetric\n", 2),
])  # fmt: skip
def test_an_entry_given_twice_is_a_repeated_edge(banner: str, duplicates: int) -> None:
    """In the same direction; in any direction where one entry stands for both."""
    network = network_of("matrix-market", f"{banner}3 3 5\n2 1\n2 1\n1 2\n3 2\n3 3\n")

    assert network == Network.from_numbered_edges([(0, 1), (1, 2)], 3)
    assert (network.dropped.duplicates, network.dropped.self_loops) == (duplicates, 1)


def test_a_stored_zero_is_no_edge() -> None:
    """scipy keeps one where an edge was set to 0, and it must not come back to life."""
    text = "%%MatrixMarket matrix coordinate real general\n% c\n3 3 3\n1 2 0.0\n2 3 1\n3 2 1\n"
    network = network_of("matrix-market", text)

    assert network.edges.tolist() == [[1, 2]]
    assert network.dropped.duplicates == 0
    assert network.notes[-1] == "1 entry line of value 0 ignored"


@pytest.mark.parametrize(
    "banner", ["", "% no banner\n\n", "%MatrixMarket matrix coordinate pattern general\n"]
)
def test_a_matrix_without_banner_is_read_as_an_edge_list_with_sizes(banner: str) -> None:
    """As many are published; the notes say so."""
    network = network_of("matrix-market", f"{banner}4 4 2\n1 2\n3 2 0\n")

    assert network == Network.from_numbered_edges([(0, 1), (1, 2)], 4)
    assert network.notes[0] == "no %%MatrixMarket line, so read as an edge list"
    assert "gives 4 nodes, row i is node i-1" in network.notes[1]


def test_a_matrix_without_banner_and_sizes_is_an_edge_list() -> None:
    """With labels as written."""
    assert network_of("matrix-market", "7 9\n9 5\n").labels == ("7", "9", "5")
