"""What every format promises: what is written reads back the same, and holds nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from written_networks import by_label, labelled_networks, numbered_networks

from netveil.errors import FileError
from netveil.files import FORMATS, read, suffix_for, write
from netveil.files.storage import COMPRESSIONS
from netveil.network import Network

WRITTEN = [name for name, known in FORMATS.items() if known.is_written]
READ_ONLY = sorted(FORMATS.keys() - set(WRITTEN))
FILES = [(name, f"network{suffix}") for name in WRITTEN for suffix in FORMATS[name].suffixes]
FIRST = [f"network{FORMATS[name].suffixes[0]}" for name in WRITTEN]  # others differ in the suffix alone
TABLES = ("network.csv", "network.tsv")
# Characters that a format has no way to say; a label with one is refused.
UNFIT = {
    "edge-list": "\0\r\n",
    **dict.fromkeys(
        ("graphml", "gexf"),
        "".join(map(chr, range(9))) + "\x0b\x0c" + "".join(map(chr, range(14, 32))) + "\ufffe\uffff",
    ),
    "gml": "\0",
    "pajek": '\0\r\n"',
    "json": "\0",
    "parquet": "\0",
    "arrow": "\0",
}
NUMBERED_ONLY = sorted(set(WRITTEN) - UNFIT.keys())
WITHOUT_LIST_OF_NODES = {"edge-list", "parquet", "arrow"}


def again(network: Network, name: str, file: str) -> Network:
    """The network after being written and read."""
    return FORMATS[name].read(FORMATS[name].write(network, file), file)


@pytest.mark.quick(10)
@pytest.mark.parametrize(
    ("name", "file"), [(name, file) for name, file in FILES if file not in TABLES], ids=str
)
@given(network=numbered_networks())
def test_a_numbered_network_is_the_same_after_writing_and_reading(
    name: str, file: str, network: Network
) -> None:
    """Nodes, their order, their labels and the edges; and reading it drops nothing."""
    found = again(network, name, file)

    assert found == network
    assert isinstance(found.labels, range)
    assert (found.dropped.self_loops, found.dropped.duplicates) == (0, 0)


@pytest.mark.parametrize("file", TABLES)
@given(network=numbered_networks().filter(lambda network: network.node_count > 0))
def test_a_numbered_network_comes_back_from_a_table_with_its_numbers_as_texts(
    file: str, network: Network
) -> None:
    """A table has no place to say that labels are numbers; every node and tie is there, isolated ones too."""
    found = again(network, "edge-list", file)

    assert by_label(found) == by_label(network)
    assert found.dropped.duplicates == 0
    assert found.dropped.self_loops == (network.degrees == 0).sum()


@pytest.mark.parametrize(
    ("name", "file"),
    [
        pytest.param(name, file, marks=[pytest.mark.thorough] * (file not in (*TABLES, *FIRST)))
        for name, file in FILES
        if name in UNFIT
    ],
    ids=str,
)
@given(data=st.data())
def test_a_labelled_network_is_the_same_after_writing_and_reading(
    name: str, file: str, data: st.DataObject
) -> None:
    """Any label that the format can hold comes back to the letter."""
    network = data.draw(labelled_networks(UNFIT[name]))
    found = again(network, name, file)

    assert by_label(found) == by_label(network)
    if name not in WITHOUT_LIST_OF_NODES:
        assert found.labels == network.labels


@pytest.mark.parametrize("file", ["a.txt", "a.csv"])
@given(st.lists(st.tuples(st.sampled_from("abcdefgh"), st.sampled_from("abcdefgh")), min_size=1))
def test_an_edge_list_keeps_the_order_of_nodes_that_an_edge_list_gave(
    file: str, edges: list[tuple[str, str]]
) -> None:
    """Numbers are given by first appearance, and the writer's order of lines respects that."""
    network = Network.from_edges([(u, v) for u, v in edges if u != v] or [("a", "b")])

    assert again(network, "edge-list", file) == network


@pytest.mark.parametrize(
    ("name", "character"), [(name, character) for name, unfit in UNFIT.items() for character in unfit[-3:]]
)
def test_a_label_that_a_format_cannot_hold_is_refused(name: str, character: str) -> None:
    """The error names the file and not the label."""
    network = Network.from_edges([("Anna", f"Bob{character}")])
    # Another format is no remedy for what no text file can hold.
    remedy = r"Rename that node\.$" if character == "\0" else "Rename that node, or write another format"

    with pytest.raises(FileError, match=f"out.x: a label holds .* {remedy}") as caught:
        FORMATS[name].write(network, "out.x")
    assert "Bob" not in str(caught.value)


@pytest.mark.parametrize("name", UNFIT)
@pytest.mark.parametrize(("labels", "rule"), [
    (("", "a"), "a label is empty"),
    ((1, "1"), "two labels are the same as text"),
    (("a\ud800", "b"), "no text file"),
])  # fmt: skip
def test_labels_that_no_format_can_hold_are_refused(name: str, labels: tuple[object, ...], rule: str) -> None:
    """Empty, equal once they are text, or no text at all."""
    with pytest.raises(FileError, match=f"out.x: .*{rule}"):
        FORMATS[name].write(Network.from_numbered_edges([(0, 1)], 2, labels), "out.x")


@pytest.mark.parametrize("name", NUMBERED_ONLY)
def test_a_format_without_labels_refuses_a_network_that_has_some(name: str) -> None:
    """Dropping them would lose who is who."""
    with pytest.raises(FileError, match=r"out.x: this format has no place for labels"):
        FORMATS[name].write(Network.from_edges([("a", "b")]), "out.x")


NUMBERED = Network.from_numbered_edges([(0, 2), (0, 1)], 4)
LABELLED = Network.from_edges([("Zoé", 'a "b"'), ("c&d", "Zoé")], ["Zoé", 'a "b"', "c&d", "alone"])


@pytest.mark.parametrize(("file", "network", "content"), [
    ("a.txt", NUMBERED, "# nodes: 4\n0 1\n0 2\n"),
    ("a.edges", NUMBERED, "# nodes: 4\n0 1\n0 2\n"),
    ("a.csv", NUMBERED, "source,target\n0,1\n0,2\n3,3\n"),
    ("a.tsv", NUMBERED, "source\ttarget\n0\t1\n0\t2\n3\t3\n"),
    ("a.txt", LABELLED, 'Zoé "a ""b"""\nZoé c&d\nalone alone\n'),
    ("a.csv", LABELLED, 'source,target\nZoé,"a ""b"""\nZoé,c&d\nalone,alone\n'),
    (
        "a.graphml",
        NUMBERED,
        '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
        '  <graph edgedefault="undirected">\n    <node id="0"/>\n    <node id="1"/>\n    <node id="2"/>\n'
        '    <node id="3"/>\n    <edge source="0" target="1"/>\n    <edge source="0" target="2"/>\n'
        "  </graph>\n</graphml>\n",
    ),
    (
        "a.gml",
        LABELLED,
        'graph [\n  node [ id 0 label "Zo&#233;" ]\n  node [ id 1 label "a &#34;b&#34;" ]\n'
        '  node [ id 2 label "c&#38;d" ]\n  node [ id 3 label "alone" ]\n  edge [ source 0 target 1 ]\n'
        "  edge [ source 0 target 2 ]\n]\n",
    ),
    ("a.net", NUMBERED, "*Vertices 4\n*Edges\n1 2\n1 3\n"),
    ("a.mtx", NUMBERED, "%%MatrixMarket matrix coordinate pattern symmetric\n4 4 2\n2 1\n3 1\n"),
    ("a.nauty", NUMBERED, "!n=4\n!m=4\n0: 1 2;\n1: 0;\n2: 0;\n3: ;\n"),
    (
        "a.json",
        NUMBERED,
        '{"directed": false, "multigraph": false, "graph": {},\n"nodes": [\n'
        '{"id": 0},\n{"id": 1},\n{"id": 2},\n{"id": 3}],\n"edges": [\n'
        '{"source": 0, "target": 1},\n{"source": 0, "target": 2}]}\n',
    ),
])  # fmt: skip
def test_a_file_holds_labels_and_edges_and_nothing_else(
    file: str, network: Network, content: str, tmp_path: Path
) -> None:
    """To the byte, so no date, program, user or machine can be in it."""
    write(network, tmp_path / file)

    assert (tmp_path / file).read_bytes() == content.encode()


@pytest.mark.parametrize("name", WRITTEN)
@pytest.mark.parametrize("compression", ["", *COMPRESSIONS])
def test_every_format_may_be_compressed(name: str, compression: str, tmp_path: Path) -> None:
    """By suffix, in reading and in writing, with the name of the network from the name of the file."""
    path = tmp_path / f"my.contacts{FORMATS[name].suffixes[0].upper()}{compression}"
    write(NUMBERED, path)
    network = read(str(path))

    assert network == NUMBERED
    assert network.name == "my.contacts"
    assert network.reading is not None and network.reading.format == name


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_a_compressed_file_is_the_same_every_time(compression: str, tmp_path: Path) -> None:
    """Neither its name nor the time nor the system are in it."""
    for file in ("one", "two"):
        write(NUMBERED, tmp_path / f"{file}.txt{compression}")
    content = (tmp_path / f"one.txt{compression}").read_bytes()

    assert content == (tmp_path / f"two.txt{compression}").read_bytes()
    if compression == ".gz":
        assert content[3:8] == bytes(5)  # no name, no comment, no time
        assert content[9] == 255  # operating system unknown


@pytest.mark.parametrize("name", READ_ONLY)
def test_a_format_that_is_only_read_says_what_to_choose_instead(name: str, tmp_path: Path) -> None:
    """By name or by suffix, and nothing is written; a release made from such a file is a .csv."""
    rule = f"netveil reads {name} files, but does not write them. Choose one of edge-list, gexf, graphml"
    for file in [f"a{suffix}" for suffix in FORMATS[name].suffixes]:
        with pytest.raises(FileError, match=f"{file}: {rule}"):
            write(NUMBERED, tmp_path / file)
        assert suffix_for(file) == "csv"
    with pytest.raises(FileError, match=rule):
        write(NUMBERED, tmp_path / "a.txt", format=name)
    with pytest.raises(FileError, match=r"a.txt: netveil reads files of this format, but writes none"):
        FORMATS[name].write(NUMBERED, "a.txt")
    assert suffix_for("a.txt", name) == "csv"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", WRITTEN)
def test_a_format_can_be_named_whatever_the_suffix(name: str, tmp_path: Path) -> None:
    """`format` wins over the suffix."""
    write(NUMBERED, tmp_path / "a.txt", format=name)

    assert read(tmp_path / "a.txt", format=name) == NUMBERED


@pytest.mark.parametrize("file", ["a.doc", "a.doc.gz", "a", "a.gz"])
def test_an_unknown_suffix_is_told_with_the_known_formats(file: str) -> None:
    """In reading and in writing, before any file is touched."""
    with pytest.raises(
        FileError, match=f"{file}: .* format=…: edge-list, gexf, graphml, gml, pajek, matrix-market, nauty"
    ):
        read(file)
    with pytest.raises(FileError, match="format=…"):
        write(NUMBERED, file)


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_is_registered_as_it_calls_itself(name: str) -> None:
    """One line of description, suffixes of its own."""
    known = FORMATS[name]
    others = {suffix for other in FORMATS.values() if other is not known for suffix in other.suffixes}

    assert known.name == name
    assert (known.suffixes or not known.is_written) and not others & set(known.suffixes)
    assert known.description and "\n" not in known.description
