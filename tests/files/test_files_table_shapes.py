"""No table is guessed wrong: whatever its shape, it is read as it was meant, or netveil asks."""

from __future__ import annotations

from hypothesis import given, settings
from tables import Shape, shapes

from netveil.errors import FileError
from netveil.files.edge_list import read
from netveil.network import Network


def same_people_and_ties(found: Network, meant: Network) -> bool:
    """Whether two networks have the same labels and ties, in whatever order."""
    ties = [{frozenset(tie) for tie in network.to_edges()} for network in (found, meant)]
    return set(found.labels) == set(meant.labels) and ties[0] == ties[1]


@settings(max_examples=600)
@given(shapes())
def test_a_table_is_read_right_or_a_question_is_asked(shape: Shape) -> None:
    """Without a word about it, there is never a wrong network."""
    try:
        found = read(shape.content, "contacts.csv")
    except FileError:
        return

    assert same_people_and_ties(found, Network.from_edges(shape.edges))


@settings(max_examples=600)
@given(shapes())
def test_a_table_of_which_all_is_said_is_read_right(shape: Shape) -> None:
    """With the options that a question names, there is nothing left to ask."""
    found = read(shape.content, "contacts.csv", **shape.options)

    assert same_people_and_ties(found, Network.from_edges(shape.edges))
    assert found.reading is not None and found.reading.first == tuple(shape.edges[:3])
