"""Files and lists that name what must stay."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import networkx as nx
import pytest

import netveil as nv
from netveil.files import protected_edges
from netveil.network import Network

# Edges: 0 anna–bob, 1 anna–carol, 2 bob–carol, 3 carol–dan; Eve Smith has none.
FRIENDS = Network.from_edges(
    [("anna", "bob"), ("anna", "carol"), ("bob", "carol"), ("carol", "dan")],
    nodes=["anna", "bob", "carol", "dan", "Eve Smith"],
)


def labels(network: Network, protect: Any) -> list[Any]:
    """The protected edges, as pairs of labels."""
    return network.edge_labels(protected_edges(network, protect))


@pytest.mark.parametrize(("text", "expected"), [
    ("", []),
    ("# nobody\n  % at all\n\n \t\n", []),
    ("anna bob\n", [0]),
    ("bob anna", [0]),
    ("carol,dan\r\n\r\nanna\tbob\r\n", [0, 3]),
    ("dan\n", [3]),
    ("carol\ncarol\nanna,carol\n", [1, 2, 3]),
    ("  anna  \n", [0, 1]),
    ('"Eve Smith"\n', []),
    ("Eve Smith\n", []),  # as in the network, where that is clear
    ("dan,\n", [3]),
    ("source,target\ndan;carol\n", [3]),  # a header
    ('"anna","bob"\n', [0]),
    ("\ufeffanna bob\n", [0]),
], ids=repr)  # fmt: skip
def test_a_line_protects_an_edge_or_all_edges_of_a_node(
    tmp_path: Path, text: str, expected: list[int]
) -> None:
    file = tmp_path / "stay.txt"
    file.write_text(text, encoding="utf-8", newline="")

    assert protected_edges(FRIENDS, file).tolist() == expected
    assert protected_edges(FRIENDS, str(file)).tolist() == expected


@pytest.mark.parametrize(("text", "what"), [
    ("anna bob\nanna zoe\n",
     ", line 2: the network has no node with that label. Write labels as in the network"),
    ("# first\nzoe\n", ", line 2: the network has no node with that label."),
    ("Anna bob\n", ", line 1: the network has no node with that label."),
    ("bob dan\n", ", line 1: the network has no edge between these two. Take it out, or name another."),
    ("anna anna\n", ", line 1: the network has no edge between these two."),
    ("anna bob 3\n", ", line 1: expected one or two node labels, found 3. Write one node or edge per line."),
    (",anna\n", ", line 1: expected one or two node labels, found an empty one."),
    ('anna,"bob\n', ", line 1: a quote is opened and never closed."),
    ("Eve Jones\n", ", line 1: the network has no node with that label."),
])  # fmt: skip
def test_what_protects_nothing(tmp_path: Path, text: str, what: str) -> None:
    file = tmp_path / "stay.txt"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(nv.FileError) as caught:
        protected_edges(FRIENDS, file)

    assert str(caught.value).startswith(f"{file}{what}")
    assert "zoe" not in str(caught.value)


@pytest.mark.parametrize(("protect", "expected"), [
    ([], []),
    (["dan", ("anna", "bob")], [("anna", "bob"), ("carol", "dan")]),
    ([["bob", "anna"]], [("anna", "bob")]),
    (("dan", "Eve Smith"), [("carol", "dan")]),
    pytest.param((label for label in ["dan"]), [("carol", "dan")], id="a generator"),
], ids=str)  # fmt: skip
def test_labels_and_pairs_of_labels_from_python(protect: Any, expected: list[Any]) -> None:
    assert labels(FRIENDS, protect) == expected


def test_labels_are_matched_as_text(tmp_path: Path) -> None:
    path = Network.from_networkx(nx.path_graph(4))
    file = tmp_path / "stay.txt"
    file.write_text("1 2\n", encoding="utf-8")

    assert labels(path, file) == labels(path, [("1", "2")]) == labels(path, [(1, 2)]) == [(1, 2)]
    assert labels(path, [0]) == labels(path, ["0"]) == [(0, 1)]


def test_a_pair_that_is_a_label_is_a_node() -> None:
    grid = Network.from_networkx(nx.grid_2d_graph(2, 2))

    assert set(labels(grid, [(0, 0)])) == {((0, 0), (1, 0)), ((0, 0), (0, 1))}
    assert labels(grid, [((0, 0), (0, 1))]) == [((0, 0), (0, 1))]


@pytest.mark.parametrize(("protect", "what"), [
    (["anna", "zoe"], "protect, entry 2: the network has no node with that label."),
    ([("bob", "dan")], "protect, entry 1: the network has no edge between these two."),
    ([("anna", "bob", "dan")], "protect, entry 1: the network has no node with that label."),
    (5, "protect 5: give a file, or a list of labels and pairs of labels."),
], ids=str)  # fmt: skip
def test_what_names_nothing_from_python(protect: Any, what: str) -> None:
    with pytest.raises(nv.SettingError) as caught:
        nv.anonymize(FRIENDS, protect=protect)

    assert str(caught.value).startswith(what)


def test_labels_that_are_the_same_as_text_are_refused() -> None:
    """Whom a file means by 1 would be a guess."""
    network = Network.from_edges([(1, "1")])

    with pytest.raises(nv.NetworkError, match="the same as text, like 1 and '1'"):
        protected_edges(network, [1])


def test_a_line_that_can_be_read_in_two_ways_is_asked_about(tmp_path: Path) -> None:
    network = Network.from_edges([("anna", "bob"), ("anna bob", "carol")])
    (tmp_path / "stay.txt").write_text("anna bob\n")

    with pytest.raises(nv.FileError, match="line 1: it can be read as a node or as an edge"):
        protected_edges(network, tmp_path / "stay.txt")
