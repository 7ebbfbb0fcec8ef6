"""Adjacency lists: everybody with their contacts; and what looks like one."""

from __future__ import annotations

from typing import Any

import networkx
import pytest
from hypothesis import given, strategies as st

from netveil.files import FORMATS
from netveil.files.adjacency_list import looks_like_adjacency_list
from netveil.network import Network

LISTS = FORMATS["adjacency-list"]
FRIENDS = Network.from_edges(
    [("anna", "bob"), ("anna", "carl"), ("carl", "Dan Bell")], ["anna", "bob", "carl"]
)


def network_of(text: str, **options: Any) -> Network:
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
    network = network_of(text)

    assert network == FRIENDS
    assert (network.dropped.self_loops, network.dropped.duplicates) == (0, 0)
    assert network.reading is not None
    assert network.reading.first == (("anna", "bob"), ("anna", "carl"), ("carl", "Dan Bell"))


def test_a_person_without_contacts_stays() -> None:
    """In either form; loops and repeats in one line are counted."""
    colons, blanks = network_of("anna: bob\nfinn:\n"), network_of("anna bob\nfinn\n")
    again = network_of("anna: bob, bob, anna\nbob: anna\n")

    assert colons == blanks == Network.from_edges([("anna", "bob")], ["anna", "bob", "finn"])
    assert (again.dropped.self_loops, again.dropped.duplicates) == (1, 1)
    assert colons.notes == ("adjacency list: 2 lines, 1 contact", "1 tie named from one side only")
    assert network_of("anna: bob\nbob: anna\n").notes == ("adjacency list: 2 lines, 2 contacts",)


def test_a_label_in_quotes_may_hold_anything() -> None:
    """A colon, a separator, a quote written twice."""
    network = network_of('"a: b": "c, ""d""", e\n')

    assert network.to_edges() == [("a: b", 'c, "d"'), ("a: b", "e")]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9))))
def test_what_networkx_writes_is_read(pairs: list[tuple[int, int]]) -> None:
    """Each tie once, and a line for everybody."""
    graph: Any = networkx.Graph(pairs)
    graph.add_node(10)
    text = "\n".join(networkx.generate_adjlist(graph))
    found = network_of(text)

    assert {frozenset(tie) for tie in found.to_edges()} == {
        frozenset(map(str, tie)) for tie in graph.edges if tie[0] != tie[1]
    }
    assert set(found.labels) == {str(node) for node in graph}


def test_the_user_may_say_what_separates() -> None:
    """In lists with a colon and without."""
    mixed, plain = network_of("a: b, c; d\n", separator=";"), network_of("a,b c,d\n", separator="comma")

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
    """Times and addresses have colons too."""
    assert looks_like_adjacency_list(text.split("\n")) is verdict
