"""Matrices and adjacency lists: of any layout; and what looks like one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import networkx
import numpy as np
import pytest
from hypothesis import given, strategies as st

from netveil.errors import FileError, SettingError
from netveil.files import FORMATS, read
from netveil.files.adjacency_list import looks_like_adjacency_list
from netveil.files.matrix import looks_like_matrix
from netveil.network import Network

MATRIX = FORMATS["matrix"]
SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|", "blank": " "}


def network_of(text: str, **options: Any) -> Network:
    """The network of a matrix."""
    return MATRIX.read(text.encode(options.get("encoding", "utf-8")), "m.csv", **options)


@st.composite
def matrices(draw: st.DrawFn) -> tuple[list[str], Any]:
    """Names, and weights between them, in either direction or the same in both."""
    size = draw(st.integers(3, 6))
    names = [f"{name}{draw(st.sampled_from(['', ' Bell', 'é']))}" for name in "pqrstu"[:size]]
    weights = draw(st.lists(st.sampled_from([0, 0, 1, 1, 2.5]), min_size=size**2, max_size=size**2))
    matrix = np.array(weights).reshape(size, size)
    return names, np.maximum(matrix, matrix.T) if draw(st.booleans()) else matrix


@pytest.mark.quick(6)
@pytest.mark.parametrize("mark", SEPARATORS)
@pytest.mark.parametrize("layout", ["plain", "top", "left", "both", "no corner"])
@given(named=matrices(), said=st.booleans())
def test_a_matrix_of_any_layout_is_read(
    mark: str, layout: str, named: tuple[list[str], Any], said: bool
) -> None:
    """A tie from either side counts as one, the diagonal as loops; with options and without."""
    names, matrix = named
    if mark == "blank":
        names = [name.replace(" ", "_") for name in names]
    rows = [[f"{weight:g}" for weight in row] for row in matrix]
    if layout in ("left", "both", "no corner"):
        rows = [[name, *row] for name, row in zip(names, rows, strict=True)]
    if layout in ("top", "both", "no corner"):
        # Blanks cannot enclose an empty cell.
        rows.insert(0, names if layout != "both" else ["." if mark == "blank" else "", *names])
    text = "".join(SEPARATORS[mark].join(row) + "\n" for row in rows)
    options = {"separator": mark, "header": layout in ("top", "both", "no corner")} if said else {}
    network = network_of(text, **options)

    ties = np.argwhere(np.triu((matrix != 0) | (matrix.T != 0), 1))
    assert network.labels == (range(len(names)) if layout == "plain" else tuple(names))
    assert np.array_equal(network.edges, ties)
    assert (network.dropped.self_loops, network.dropped.duplicates) == (np.trace(matrix != 0), 0)
    assert network.reading is not None
    assert network.reading.separator == mark
    assert network.reading.header == (layout in ("top", "both", "no corner"))


@pytest.mark.parametrize("text", [
    "0,1,0\n1,0,1\n0,1,0\n",
    "# friends\n\n0 1 0\r\n1 0 1\r\n0 1 0",
    "0, 2.5, nan\n2.5, 0, 1\nNA, 1, 0\n",
    "0;0,5;0\n0,5;0;1\n0;1;0\n",
    ",1,\n1,,1\n,1,\n",
    "0 1 0\n0 0 1\n0 0 0\n",
    "0 0 0\n1 0 0\n0 1 0\n",
    "0 0 0\n1 0 1\n0 0 0\n",
])  # fmt: skip
def test_all_of_these_are_a_path_of_three(text: str) -> None:
    """0/1, weights, decimal commas, nothing in place of 0, one half only, one side only."""
    assert network_of(text) == Network.from_numbered_edges([(0, 1), (1, 2)], 3)


@pytest.mark.parametrize("text", [
    "0\n1 0\n0 1 0\n", "0 1 0\n0 1\n0\n", "a 0\nb 1 0\nc 0 1 0\n", "a b c\n0\n1 0\n0 1 0\n",
    "\ta\tb\tc\na\t0\nb\t1\t0\nc\t0\t1\t0", ",a,b,c\na\nb,1\nc,0,1\n",
])  # fmt: skip
def test_half_a_matrix_whose_rows_end_at_the_diagonal_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text(text, encoding="utf-8")
    with pytest.raises(FileError, match=r"the row has . cells and others have ."):
        network_of(text)
    with pytest.raises(FileError):
        read(tmp_path / "m.csv")


def test_what_is_left_out_is_told() -> None:
    network = network_of("a,b,c\n0,2,1\n2,0,0\n0,0,0\n")
    half = network_of("0 1 1\n0 0 1\n0 0 0\n")

    assert network.reading is not None and half.reading is not None
    assert network.reading.dropped == ("weights", "direction of 1 tie named from one side only")
    assert network.reading.first == (("a", "b"), ("a", "c"))
    assert half.notes == ("matrix: 3 rows", "only the upper half has ties")
    assert half.reading.dropped == ()


def test_names_that_are_numbers_are_names_where_the_corner_says_so() -> None:
    """As pandas writes them; a diagonal that is empty throughout makes it a question."""
    table = ",0,1,2\n0,0,1,0\n1,1,0,1\n2,0,1,0\n"
    unclear = ",1,0\n1,,1\n0,1,\n"

    assert network_of(table).labels == ("0", "1", "2")
    with pytest.raises(FileError, match=r"m.csv: it is not clear whether .* Say header=True"):
        network_of(unclear)
    assert network_of(unclear, header=True) == Network.from_edges([("1", "0")])
    assert network_of(unclear, header=False) == Network.from_numbered_edges([(0, 1), (1, 2)], 3)
    assert network_of("7,8\n0,1\n1,0\n", header=True).labels == ("7", "8")


def test_options_say_encoding_and_separator() -> None:
    network = network_of("é;b\n0;1\n1;0\n", encoding="cp1252")

    assert network.labels == ("é", "b")
    assert network.reading is not None and network.reading.encoding == "cp1252"
    with pytest.raises(SettingError, match="unknown encoding 'klingon'"):
        MATRIX.read(b"0", "m.csv", encoding="klingon")
    with pytest.raises(FileError, match=r"m.csv, line 1: byte 1 is not UTF-8 text"):
        MATRIX.read(b"\xe9;b", "m.csv", encoding="utf-8")
    with pytest.raises(FileError, match=r"m.csv, line 2: a cell of the matrix is not a number"):
        network_of("0 1\n1 0\n", separator="comma")
    with pytest.raises(SettingError, match="separator 'stars': give one character, or one of tab"):
        network_of("0 1\n1 0\n", separator="stars")


@pytest.mark.parametrize(("text", "verdict"), [
    ("0 1 0/1 0 1/0 1 0", True),
    ("0 1 1/0 0 1/0 0 0", True),
    ("0 2 3 1/2 0 5 1/3 5 0 0/1 1 0 0", True),
    ("a b c/a 0 1 0/b 1 0 1/c 0 1 0", True),
    ("x a b/a 0 3/b 4 0", True),
    ("a b c d/0 1 0 1/1 0 0 0/0 0 0 0/1 0 0 0", True),
    ("a 0 1 0 1/b 1 0 0 0/c 0 0 0 0/d 1 0 0 0", True),
    # May be ties with a weight.
    ("1 2 5/1 3 2/2 3 1", False),
    ("1 2 3/2 4 5/3 5 6", None),
    ("0 2 3/2 0 5/3 5 0", None),
    ("1 2 0 1/2 3 1 1/3 4 0 0/4 1 1 1", None),
    ("a b c/0 1 0/1 0 1/0 1 0", None),
    ("source target weight/0 1 1/1 0 1/1 1 0", None),
    ("from to since until/0 1 0 1/1 0 0 0/0 0 0 0/1 0 0 0", None),
    ("anna 0 1 0/bob 1 0 1/carl 0 1 0", None),
    # Are ties.
    ("1 2/2 1", False),
    ("1 2 5/1 3 2", False),
    ("1 2 5/1 3 2/2 3 1/3 4 1", False),
    ("1 2 1 5/3 4 2 5/5 6 1 5", False),
    ("source target weight/1 2 5/1 3 2/2 3 1", False),
    ("anna bob 1/bob carl 2/carl dan 3", False),
    ("anna 1 5/bob 2 6", False),
    ("x a b/c 0 3/d 4 0", False),
    ("", False),
])  # fmt: skip
def test_a_matrix_is_told_from_ties_or_left_open(text: str, verdict: bool | None) -> None:
    rows = [line.split() for line in text.split("/")]

    assert looks_like_matrix(rows) is verdict


@pytest.mark.parametrize("text", [
    "0;1;0;1;\r\n1;0;1;0;\r\n0;1;0;0;\r\n1;0;0;0;\r\n",  # with a separator at the end of each line
    "sep=;\n0;1;0;1\n1;0;1;0\n0;1;0;0\n1;0;0;0\n",  # with what Excel is told
])  # fmt: skip
def test_a_matrix_of_a_spreadsheet_is_recognised_and_read(text: str, tmp_path: Path) -> None:
    file = tmp_path / "m.csv"
    file.write_text(text, encoding="utf-8")
    network = read(file)

    assert network.reading is not None and network.reading.format == "matrix"
    assert (network.node_count, network.to_edges()) == (4, [(0, 1), (0, 3), (1, 2)])


# Adjacency lists: everybody with their contacts; and what looks like one.


LISTS = FORMATS["adjacency-list"]
FRIENDS = Network.from_edges(
    [("anna", "bob"), ("anna", "carl"), ("carl", "Dan Bell")], ["anna", "bob", "carl"]
)


def network_of_lists(text: str, **options: Any) -> Network:
    """The network of some lists."""
    return LISTS.read(text.encode(), "a.adj", **options)


@pytest.mark.parametrize("text", [
    "anna: bob, carl\ncarl: Dan Bell\n",
    "anna: bob; carl\ncarl: Dan Bell\n",
    "anna:\tbob\tcarl\ncarl:\tDan Bell\n",
    'anna: bob carl\ncarl: "Dan Bell"\n',
    'anna : "bob" , carl\r\n# a comment\r\n\r\n carl: Dan Bell\r\n',
    "anna: [bob, carl]\ncarl: [Dan Bell]\n",
    "anna: bob, carl,\ncarl: Dan Bell,\nbob: \n",
    "anna: bob, carl\nbob: anna\ncarl: anna, Dan Bell\nDan Bell: carl\n",
])  # fmt: skip
def test_all_of_these_are_the_same_friends(text: str) -> None:
    """Whatever separates contacts, from one side or both; commas leave labels with blanks whole."""
    network = network_of_lists(text)

    assert network == FRIENDS
    assert (network.dropped.self_loops, network.dropped.duplicates) == (0, 0)
    assert network.reading is not None
    assert network.reading.first == (("anna", "bob"), ("anna", "carl"), ("carl", "Dan Bell"))


def test_a_person_without_contacts_stays() -> None:
    colons, blanks = network_of_lists("anna: bob\nfinn:\n"), network_of_lists("anna bob\nfinn\n")
    again = network_of_lists("anna: bob, bob, anna\nbob: anna\n")

    assert colons == blanks == Network.from_edges([("anna", "bob")], ["anna", "bob", "finn"])
    assert (again.dropped.self_loops, again.dropped.duplicates) == (1, 1)
    assert colons.notes == ("adjacency list: 2 lines, 1 contact", "1 tie named from one side only")
    assert network_of_lists("anna: bob\nbob: anna\n").notes == ("adjacency list: 2 lines, 2 contacts",)


def test_a_label_in_quotes_may_hold_anything() -> None:
    network = network_of_lists('"a: b": "c, ""d""", e\n')

    assert network.to_edges() == [("a: b", 'c, "d"'), ("a: b", "e")]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9))))
def test_what_networkx_writes_is_read(pairs: list[tuple[int, int]]) -> None:
    graph: Any = networkx.Graph(pairs)
    graph.add_node(10)
    text = "\n".join(networkx.generate_adjlist(graph))
    found = network_of_lists(text)

    assert {frozenset(tie) for tie in found.to_edges()} == {
        frozenset(map(str, tie)) for tie in graph.edges if tie[0] != tie[1]
    }
    assert set(found.labels) == {str(node) for node in graph}


def test_the_user_may_say_what_separates() -> None:
    mixed, plain = (
        network_of_lists("a: b, c; d\n", separator=";"),
        network_of_lists("a,b c,d\n", separator="comma"),
    )

    assert mixed.labels == ("a", "b, c", "d")
    assert plain.labels == ("a", "b c", "d")
    assert LISTS.read("é: b".encode("cp1252"), "a.adj", encoding="cp1252").labels == ("é", "b")


@pytest.mark.parametrize(("text", "verdict"), [
    ("anna: bob, carl\nfinn:", True),
    ("# friends\n\nAnna Bell: bob", True),
    ('"x, y": bob', True),
    ("1: 2 3\n2: 1", True),
    ("anna: bob\ncarl dan", False),
    ("12:30 anna\n12:45 bob", False),
    ("2024-05-01 12:30: anna", False),
    ("http://a.org b\nhttp://c.org d", False),
    ("anna,bob,Re: hello\nbob,carl,Re: you", False),
    ("anna:bob", False),
    ("anna:\nbob:", False),
    (": anna", False),
    ("", False),
])  # fmt: skip
def test_lists_are_told_from_other_texts(text: str, verdict: bool) -> None:
    assert looks_like_adjacency_list(text.split("\n")) is verdict
