"""Edge lists as people publish them and as we write them; no table of any shape is guessed wrong."""

from __future__ import annotations

import pytest
from drawn_tables import Shape, shapes
from hypothesis import given
from written_networks import by_label

from netveil.errors import FileError
from netveil.files.edge_list import read, write
from netveil.files.tables.people import HEADERS
from netveil.network import Network, Reading


def network_of(text: str) -> Network:
    """The network in the text of an edge list."""
    return read(text.encode(), "contacts.txt")


def reading_of(network: Network) -> Reading:
    """How a network was read."""
    assert network.reading is not None
    return network.reading


A_B_C = [("a", "b"), ("b", "c")]


@pytest.mark.parametrize(("text", "edges"), [
    # Blanks, tabs and commas separate labels.
    *((text, A_B_C) for text in ("a b\nb c\n", "a\tb\nb\tc\n", "a,b\nb,c\n", "a  b \n  b   c\n")),
    ("a, b\nb ,c\n", A_B_C),
    # A tab wins over marks and a mark over blanks, which are in labels of .csv and .tsv files.
    ("Bell,Anna\tCarr,Bob\n", [("Bell,Anna", "Carr,Bob")]),
    ("Anna Bell,Bob Carr\n", [("Anna Bell", "Bob Carr")]),
    ("Anna Bell\tBob Carr\n", [("Anna Bell", "Bob Carr")]),
    # No number has a separator inside, so mixed ones are no riddle.
    *((f"{line}\n", [("1", "2")]) for line in ("1 2\t0.5", "1 2,0.5", "1\t2,0.5", "1 2 0,5", "1, 2")),
    ("  1 2\t\n", [("1", "2")]),
    # Quoted labels may hold separators and doubled quotes; a quote inside a label means nothing.
    ('"Bell, Anna","the ""boss"""\n', [("Bell, Anna", 'the "boss"')]),
    ('"Anna Bell" " Bob "\n', [("Anna Bell", " Bob ")]),
    ('"1" ,"2"\n', [("1", "2")]),
    ('5" disk,6" disk\nthe "big" one,5" disk\n', [('5" disk', '6" disk'), ('5" disk', 'the "big" one')]),
    # Byte order mark, ends of lines and empty lines do not matter.
    *((text, A_B_C) for text in ("\ufeffa b\nb c", "a b\r\nb c\r\n", "a b\rb c\r", "a b\n\rb c")),
    ("\n\na b\n \t\nb c\n\n", A_B_C),
    # Every well-known header is skipped, in upper case as well.
    *((f"{' '.join(pair).upper()}\nanna bob\n", [("anna", "bob")]) for pair in HEADERS),
])  # fmt: skip
def test_edges_are_read_however_they_are_written(text: str, edges: list[tuple[str, str]]) -> None:
    """As pairs of labels in the order of the file."""
    assert network_of(text).to_edges() == edges


@pytest.mark.parametrize(("text", "rule"), [
    # The weight after a missing label is no label.
    *((f"1,2\n{line}\n", "line 2: expected two node labels, found one")
      for line in ("1,,5", "1\t\t5", ",1", "\t1 2", '"",1')),
    # A quote that does not close must not swallow what follows.
    *((f"{line}\nc,d\n", "contacts.txt, line 1: a quote is opened and never closed")
      for line in ('"Anna,Bob', 'Anna,"Bob', '"Anna"x,Bob')),
    ("# nodes: 4\n0 1\n# nodes: 5\n", "contacts.txt, line 3: a second comment"),
    # A slip of the hand would fill the memory.
    *((f"# nodes: {count}\n0 1\n", "announces more nodes than the 2,147,483,647 that are possible")
      for count in ("2147483648", "9" * 5000)),
    # It names file and line, rule and remedy, and not the label.
    *((f"# nodes: 4\n0 1\n1 {label}\n",
       "contacts.txt, line 3: a label is not a whole number from 0 to 3, which the comment `# nodes: 4` asks "
       "for. Correct either of the two.")
      for label in ("4", "-1", "x", "01", "+1", "1.0", "1_0", "²", "9" * 5000)),
])  # fmt: skip
def test_what_cannot_be_read_is_told(text: str, rule: str) -> None:
    """In words that name nobody."""
    with pytest.raises(FileError) as caught:
        network_of(text)
    told = str(caught.value)
    assert rule in told and told.startswith("contacts.txt, line ") and "Anna" not in told
    assert told == rule or not rule.endswith(".")


def test_what_is_dropped_is_counted_and_labels_stay_as_written() -> None:
    """Comments, self-loops, repeats in either direction; 01 is not 1, and neither is 1.0."""
    marked = network_of("# one\n% two\n  # three\na# b%\nb% #c\n")
    assert marked.to_edges() == [("a#", "b%"), ("b%", "#c")]
    assert reading_of(marked).dropped == ("3 comment lines",)

    numbers = network_of("01 1\n1.0 +1\n1 01\n")
    assert (numbers.labels, numbers.dropped.duplicates) == (("01", "1", "1.0", "+1"), 1)

    loops = network_of("a b\nb a\na b 7\nc c\n")
    assert (loops.labels, loops.to_edges()) == (("a", "b", "c"), [("a", "b")])
    assert (loops.dropped.self_loops, loops.dropped.duplicates) == (1, 2)

    reading = reading_of(network_of("# c\nfrom,to,w,t\n\n1,2,3,4\n2,3\n"))
    assert reading.sentence() == (
        "read as edge-list: separator comma, people in columns from and to, header, UTF-8, "
        "dropped: 1 comment line, 1 empty line, 2 further columns"
    )
    assert reading.first == (("1", "2"), ("2", "3"))


@pytest.mark.parametrize(("text", "edge_count", "header"), [
    ("# c\nperson friend\n1 2\n3 4\n", 2, True),  # every other line is numeric
    ("# c\nSource,Target\nanna,bob\n", 1, True),  # well known
    ("# c\nFromNodeId ToNodeId\nanna bob\n", 1, True),
    ('# c\n"node_1","node_2"\nanna,bob\n', 1, True),
    ("# c\nich du gewicht\nanna bob 1\nbob dan 2.5\n", 2, True),  # third column is numeric but here
    ("anna bob\n1 2\n3 anna\n", 3, False),  # a label that comes again is a person
    ("anna bob\ncleo dan\nbob dan\n", 3, False),
    ("anna 1\n1 2\n", 2, False),  # a header names both columns
    ("1 2 friend\n2 4 foe\n", 2, False),  # numbers name no columns
    ("n1 n2\nn3 n4\n", 2, False),  # of the same form as all others
    ("anna bob 7\nbob dan\neve fay 1\n", 3, False),  # a weight that is not everywhere
    ("anna bob\n", 1, False),
])  # fmt: skip
def test_a_header_is_told_from_an_edge(text: str, edge_count: int, header: bool) -> None:
    """Three ways to know one; where a label comes again, or looks like all others, nothing is skipped."""
    network = network_of(text)

    assert (network.edge_count, reading_of(network).header) == (edge_count, header)
    assert not {"person", "Source", "FromNodeId", "node_1", "ich"} & set(network.labels)


@pytest.mark.parametrize(("comment", "labels"), [
    # Blanks do not matter, nor the line, nor saying it twice.
    *((comment, range(4)) for comment in ("# nodes: 4", "#nodes:4", "#  nodes:  4  ", "# c\n# nodes: 4")),
    ("# nodes: 4\n# nodes: 4", range(4)),
    # Other comments declare nothing; the head of a SNAP file is among them.
    *((comment, ("3", "1")) for comment in ("# Nodes: 4 Edges: 1", "# Nodes: 4", "% nodes: 4", "# nodes:")),
    ("# nodes: 4 or 5", ("3", "1")),
])  # fmt: skip
def test_a_nodes_comment_makes_all_its_labels_exist(comment: str, labels: object) -> None:
    """Node v has label v, whatever comes first in the file, and needs no line."""
    network = network_of(f"{comment}\n3 1\n")
    assert network.labels == labels
    assert network.to_edges() == ([(1, 3)] if isinstance(labels, range) else [("3", "1")])
    million = network_of("# nodes: 1000000\n")
    assert (million.node_count, million.edge_count, million.labels) == (1_000_000, 0, range(1_000_000))


@pytest.mark.parametrize(
    "edges", [[("u", "v")], [("source", "target"), ("a", "b")], [("a", "b"), ("1", "2")]], ids=str
)
def test_a_first_edge_that_looks_like_a_header_gets_one_before_it(edges: list[tuple[str, str]]) -> None:
    """So the reader skips the header, and not the edge; an ordinary list has none."""
    network = Network.from_edges(edges)
    found = read(write(network, "a.txt"), "a.txt")

    assert found == network and reading_of(found).header is True
    assert write(Network.from_edges([("anna", "bob")]), "a.txt") == b"anna bob\n"


@pytest.mark.parametrize(("file", "mark"), [("a.csv", ","), ("a.tsv", "\t"), ("A.CSV.gz", ",")])
def test_a_table_is_a_header_and_ties_and_no_comment(file: str, mark: str) -> None:
    """As spreadsheets and data frames take it; who has no tie stands there twice."""
    network = Network.from_edges([("anna", "bob")], ["anna", "bob", "eve"])
    found = read(write(network, file), file)

    lines = ["source target", "anna bob", "eve eve"]
    assert write(network, file).decode().splitlines() == [line.replace(" ", mark) for line in lines]
    assert found == network and found.dropped.self_loops == 1


def test_the_header_of_a_table_has_no_label_in_it() -> None:
    """Somebody called source or target makes it look like a tie; if all words are labels, none is left."""
    network = Network.from_edges([("source", "anna"), ("anna", "dst")])
    table = write(network, "a.csv")
    assert table.startswith(b"src,dest\n") and read(table, "a.csv") == network

    every = Network.from_edges([("u", "v"), *((first, second) for first, second in HEADERS)])
    for file in ("a.txt", "a.csv"):
        with pytest.raises(FileError, match=rf"{file}: every name that a header may have is a label"):
            write(every, file)


@given(shapes())
def test_a_table_of_any_shape_is_read_right_or_a_question_is_asked(shape: Shape) -> None:
    """Without a word about it, there is never a wrong network."""
    try:
        found = read(shape.content, "contacts.csv")
    except FileError:
        return
    assert by_label(found) == by_label(Network.from_edges(shape.edges))


@given(shapes())
def test_a_table_of_which_all_is_said_is_read_right(shape: Shape) -> None:
    """With the options that a question names, there is nothing left to ask."""
    found = read(shape.content, "contacts.csv", **shape.options)

    assert by_label(found) == by_label(Network.from_edges(shape.edges))
    assert reading_of(found).first == tuple(shape.edges[:3])
