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
    """Nothing but the edges."""
    assert write(Network.from_edges([("anna", "bob")]), "a.csv") == b"anna,bob\n"


def test_a_network_whose_labels_are_all_the_header_words_is_refused() -> None:
    """There is no header left to put before it."""
    with pytest.raises(FileError, match=r"a.txt: the first edge would be read as a header line"):
        write(Network.from_edges([("u", "v"), *((first, second) for first, second in HEADERS)]), "a.txt")
