"""Edge lists as people publish them: comments, separators, headers, further columns."""

from __future__ import annotations

import pytest

from netveil.errors import FileError
from netveil.files.edge_list import read
from netveil.files.tables.header import HEADERS
from netveil.network import Network


def network_of(text: str, file: str = "contacts.txt") -> Network:
    """The network in the text of an edge list."""
    return read(text.encode(), file)


def dropped_from(text: str) -> tuple[str, ...]:
    """What was left out of the text of an edge list, in words."""
    reading = network_of(text).reading
    assert reading is not None
    return reading.dropped


def edges_of(text: str) -> list[tuple[object, object]]:
    """The edges in the text of an edge list, as pairs of labels."""
    return network_of(text).to_edges()


@pytest.mark.parametrize(
    "text", ["a b\nb c\n", "a\tb\nb\tc\n", "a,b\nb,c\n", "a  b \n  b   c\n", "a, b\nb ,c\n"]
)
def test_blanks_tabs_and_commas_separate_labels(text: str) -> None:
    """The same two edges, however they are separated."""
    assert edges_of(text) == [("a", "b"), ("b", "c")]


def test_a_tab_wins_over_marks_and_a_mark_over_blanks() -> None:
    """Labels with blanks or commas inside survive in .csv and .tsv files."""
    assert edges_of("Bell,Anna\tCarr,Bob\n") == [("Bell,Anna", "Carr,Bob")]
    assert edges_of("Anna Bell,Bob Carr\n") == [("Anna Bell", "Bob Carr")]
    assert edges_of("Anna Bell\tBob Carr\n") == [("Anna Bell", "Bob Carr")]


@pytest.mark.parametrize("line", ["1 2\t0.5", "1 2,0.5", "1\t2,0.5", "1 2 0,5", "1, 2", "  1 2\t"])
def test_a_line_of_numbers_is_split_at_everything(line: str) -> None:
    """No number has a separator inside, so mixed ones are no riddle."""
    assert edges_of(f"{line}\n") == [("1", "2")]


def test_an_empty_field_is_not_skipped_to_reach_a_second_label() -> None:
    """The weight after a missing label is no label."""
    for line in ("1,,5", "1\t\t5", ",1", "\t1 2", '"",1'):
        with pytest.raises(FileError, match="line 2: expected two node labels, found one"):
            network_of(f"1,2\n{line}\n")


def test_quoted_labels_may_hold_separators_and_doubled_quotes() -> None:
    """As spreadsheets write them, with commas or with blanks between."""
    assert edges_of('"Bell, Anna","the ""boss"""\n') == [("Bell, Anna", 'the "boss"')]
    assert edges_of('"Anna Bell" " Bob "\n') == [("Anna Bell", " Bob ")]
    assert edges_of('"1" ,"2"\n') == [("1", "2")]


def test_a_quote_inside_a_label_means_nothing() -> None:
    """Only a quote at the start of a field opens one."""
    assert edges_of('5" disk,6" disk\nthe "big" one,5" disk\n') == [
        ('5" disk', '6" disk'),
        ('5" disk', 'the "big" one'),
    ]


@pytest.mark.parametrize("line", ['"Anna,Bob', 'Anna,"Bob', '"Anna"x,Bob'])
def test_a_quote_that_does_not_close_is_an_error(line: str) -> None:
    """It must not swallow what follows."""
    with pytest.raises(FileError, match=r"contacts.txt, line 1: a quote is opened and never closed"):
        network_of(f"{line}\nc,d\n")


def test_lines_that_start_with_a_mark_are_comments_and_marks_elsewhere_are_not() -> None:
    """# and % at the start of a line, blanks before them or not."""
    network = network_of("# one\n% two\n  # three\na# b%\nb% #c\n")

    assert network.to_edges() == [("a#", "b%"), ("b%", "#c")]
    assert dropped_from("# one\n% two\n  # three\na# b%\nb% #c\n") == ("3 comment lines",)


@pytest.mark.parametrize(
    "text", ["\ufeffa b\nb c", "a b\r\nb c\r\n", "a b\rb c\r", "\n\na b\n \t\nb c\n\n", "a b\n\rb c"]
)
def test_byte_order_mark_line_endings_and_empty_lines_do_not_matter(text: str) -> None:
    """All common ways to end a line, mixed or not."""
    assert edges_of(text) == [("a", "b"), ("b", "c")]


def test_labels_stay_as_written_in_order_of_appearance() -> None:
    """01 is not 1, and neither is 1.0."""
    network = network_of("01 1\n1.0 +1\n1 01\n")

    assert network.labels == ("01", "1", "1.0", "+1")
    assert network.dropped.duplicates == 1


def test_self_loops_and_repeated_edges_are_dropped_and_counted() -> None:
    """In either direction; a node with only a self-loop stays."""
    network = network_of("a b\nb a\na b 7\nc c\n")

    assert (network.labels, network.to_edges()) == (("a", "b", "c"), [("a", "b")])
    assert (network.dropped.self_loops, network.dropped.duplicates) == (1, 2)


@pytest.mark.parametrize(
    "text",
    [
        "person friend\n1 2\n3 4\n",  # every other line is numeric
        "Source,Target\nanna,bob\n",  # well known
        "FromNodeId ToNodeId\nanna bob\n",
        '"node_1","node_2"\nanna,bob\n',
        "ich du gewicht\nanna bob 1\nbob dan 2.5\n",  # third column is numeric but here
    ],
)
def test_a_header_line_is_skipped_and_noted(text: str) -> None:
    """Three ways to know one."""
    network = network_of(f"# comment\n{text}")

    assert set(network.labels) <= {"1", "2", "3", "4", "anna", "bob", "cleo", "dan"}
    assert network.reading is not None and network.reading.header is True


@pytest.mark.parametrize(
    ("text", "edge_count"),
    [
        ("anna bob\n1 2\n3 anna\n", 3),  # a label that comes again is a person
        ("anna bob\ncleo dan\nbob dan\n", 3),
        ("anna 1\n1 2\n", 2),  # a header names both columns
        ("1 2 friend\n2 4 foe\n", 2),  # numbers name no columns
        ("n1 n2\nn3 n4\n", 2),  # of the same form as all others
        ("anna bob 7\nbob dan\neve fay 1\n", 3),  # a weight that is not everywhere
        ("anna bob\n", 1),
    ],
)
def test_an_edge_is_not_mistaken_for_a_header(text: str, edge_count: int) -> None:
    """Where a label comes again, or looks like all others, nothing is skipped."""
    network = network_of(text)

    assert network.edge_count == edge_count
    assert network.reading is not None and network.reading.header is False


@pytest.mark.parametrize("pair", HEADERS, ids=" ".join)
def test_every_well_known_header_is_skipped(pair: tuple[str, str]) -> None:
    """In upper case as well."""
    assert edges_of(f"{' '.join(pair).upper()}\nanna bob\n") == [("anna", "bob")]


def test_a_reading_accounts_for_every_line() -> None:
    """Comment, empty and header lines, columns and separators."""
    reading = network_of("# c\nfrom,to,w,t\n\n1,2,3,4\n2,3\n").reading

    assert reading is not None
    assert reading.sentence() == (
        "read as edge-list: separator comma, people in columns from and to, header, UTF-8, "
        "dropped: 1 comment line, 1 empty line, 2 further columns"
    )
    assert reading.first == (("1", "2"), ("2", "3"))


def test_a_nodes_comment_makes_all_its_labels_exist() -> None:
    """Node v has label v, whatever comes first in the file."""
    network = network_of("# nodes: 4\n3 1\n")

    assert (network.node_count, network.labels, network.to_edges()) == (4, range(4), [(1, 3)])


@pytest.mark.parametrize(
    "comment", ["#nodes:4", "#  nodes:  4  ", "# c\n# nodes: 4", "# nodes: 4\n# nodes: 4"]
)
def test_spellings_of_the_nodes_comment(comment: str) -> None:
    """Blanks do not matter, nor the line, nor saying it twice."""
    assert network_of(f"{comment}\n3 1\n").labels == range(4)


@pytest.mark.parametrize(
    "comment", ["# Nodes: 4 Edges: 1", "# Nodes: 4", "% nodes: 4", "# nodes: 4 or 5", "# nodes:"]
)
def test_other_comments_declare_nothing(comment: str) -> None:
    """The head of a SNAP file among them."""
    assert network_of(f"{comment}\n3 1\n").labels == ("3", "1")


@pytest.mark.parametrize("label", ["4", "-1", "x", "01", "+1", "1.0", "1_0", "²", "9" * 5000])
def test_a_label_outside_the_declared_ones_is_an_error(label: str) -> None:
    """It names file and line, rule and remedy, and not the label."""
    with pytest.raises(FileError) as caught:
        network_of(f"# nodes: 4\n0 1\n1 {label}\n")

    assert str(caught.value) == (
        "contacts.txt, line 3: a label is not a whole number from 0 to 3, "
        "which the comment `# nodes: 4` asks for. Correct either of the two."
    )


def test_two_nodes_comments_that_differ_are_an_error() -> None:
    """Nobody can tell which is right."""
    with pytest.raises(FileError, match=r"contacts.txt, line 3: a second comment"):
        network_of("# nodes: 4\n0 1\n# nodes: 5\n")


@pytest.mark.parametrize("count", ["2147483648", "9" * 5000])
def test_more_declared_nodes_than_memory_holds_are_an_error(count: str) -> None:
    """A slip of the hand ends in a sentence."""
    with pytest.raises(FileError, match="announces more nodes than the 2,147,483,647 that are possible"):
        network_of(f"# nodes: {count}\n0 1\n")


def test_a_million_isolated_nodes_are_a_network() -> None:
    """Declared nodes need no line each."""
    network = network_of("# nodes: 1000000\n")

    assert (network.node_count, network.edge_count, network.labels) == (1_000_000, 0, range(1_000_000))
