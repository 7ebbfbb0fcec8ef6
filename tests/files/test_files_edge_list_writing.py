"""Edge lists as we write them where a careless writer would be misread."""

from __future__ import annotations

import pytest

from netveil.errors import FileError
from netveil.files.edge_list import read, write
from netveil.files.tables.header import HEADERS
from netveil.network import Network


@pytest.mark.parametrize(
    "edges", [[("u", "v")], [("source", "target"), ("a", "b")], [("a", "b"), ("1", "2")]], ids=str
)
def test_a_first_edge_that_looks_like_a_header_gets_one_before_it(edges: list[tuple[str, str]]) -> None:
    """So the reader skips the header, and not the edge."""
    network = Network.from_edges(edges)
    found = read(write(network, "a.txt"), "a.txt")

    assert found == network
    assert found.reading is not None and found.reading.header is True


def test_an_ordinary_edge_list_gets_no_header() -> None:
    """Nothing but the edges, where it is no table."""
    assert write(Network.from_edges([("anna", "bob")]), "a.txt") == b"anna bob\n"


@pytest.mark.parametrize(("file", "mark"), [("a.csv", ","), ("a.tsv", "\t"), ("A.CSV.gz", ",")])
def test_a_table_is_a_header_and_ties_and_no_comment(file: str, mark: str) -> None:
    """As spreadsheets and data frames take it; who has no tie stands there twice."""
    network = Network.from_edges([("anna", "bob")], ["anna", "bob", "eve"])

    assert write(network, file).decode().splitlines() == [
        f"source{mark}target",
        f"anna{mark}bob",
        f"eve{mark}eve",
    ]
    found = read(write(network, file), file)
    assert found == network and found.dropped.self_loops == 1


def test_the_header_of_a_table_has_no_label_in_it() -> None:
    """Somebody called source or target would make the header look like a tie."""
    network = Network.from_edges([("source", "anna"), ("anna", "dst")])
    table = write(network, "a.csv")

    assert table.startswith(b"src,dest\n")
    assert read(table, "a.csv") == network


def test_a_network_whose_labels_are_all_the_header_words_is_refused() -> None:
    """There is no header left to put before it."""
    network = Network.from_edges([("u", "v"), *((first, second) for first, second in HEADERS)])
    for file in ("a.txt", "a.csv"):
        with pytest.raises(FileError, match=rf"{file}: every name that a header may have is a label"):
            write(network, file)
