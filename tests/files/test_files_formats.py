"""Every format: written and read back, with tables of nodes beside tables of ties."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, strategies as st

import netveil as nv
from netveil.errors import FileError
from netveil.files import FORMATS, read, suffix_for, write, write_published
from netveil.files.storage import COMPRESSIONS
from netveil.network import Network

# Labels that mean something else to some reader if they are written carelessly.
# fmt: off
TRICKY = [
    "source", "target", "u", "v", "from", "to", "1", "2", "01", "+1", "0.5", "nan", "#x", "%x", "#", "nodes:",
    "<?xml", "]]>", "graph", "[", "graph[", "graph [", "*vertices", "*Edges", "!n=3", "%%MatrixMarket",
    "# nodes: 3", "&amp;", "&#233;", "&quot;", "é", "'", ";", ":", ".", "\\", "-", "a b", "1 2", " a", "a ",
    " ", "\t", "a\tb", "a,b", ",", 'a"b', '"', '""', "\ufeffa", "\x85", "\u2028", "\xa0", "\x01", "\r", "\n",
    "a\r\nb", "\U0001f600",
]
# fmt: on


@st.composite
def numbered_networks(draw: st.DrawFn) -> Network:
    """Small networks labelled 0 to n-1, with isolated nodes and without any at all."""
    node_count = draw(st.integers(0, 8))
    node = st.integers(0, max(node_count - 1, 0))
    pairs = draw(st.lists(st.tuples(node, node), max_size=12)) if node_count else []
    return Network.from_numbered_edges(pairs, node_count)


@st.composite
def labelled_networks(draw: st.DrawFn, unfit: str) -> Network:
    """Small networks with distinct texts as labels, without the characters that the format cannot hold."""
    alphabet = st.characters(exclude_categories=["Cs"], exclude_characters=unfit)
    tricky = st.sampled_from([label for label in TRICKY if not set(label) & set(unfit)])
    labels = draw(
        st.lists(st.one_of(tricky, st.text(alphabet, min_size=1, max_size=5)), min_size=1, unique=True)
    )
    node = st.integers(0, len(labels) - 1)
    pairs = draw(st.lists(st.tuples(node, node), max_size=12))
    return Network.from_numbered_edges(pairs, len(labels), tuple(labels))


def by_label(network: Network) -> tuple[set[str], set[frozenset[str]]]:
    """Labels and edges, whatever the order of the nodes."""
    edges = {frozenset((str(u), str(v))) for u, v in network.to_edges()}
    return set(map(str, network.labels)), edges


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
    write(NUMBERED, tmp_path / "a.txt", format=name)

    assert read(tmp_path / "a.txt", format=name) == NUMBERED


@pytest.mark.parametrize("file", ["a.doc", "a.doc.gz", "a", "a.gz"])
def test_an_unknown_suffix_is_told_with_the_known_formats(file: str) -> None:
    with pytest.raises(
        FileError, match=f"{file}: .* format=…: edge-list, gexf, graphml, gml, pajek, matrix-market, nauty"
    ):
        read(file)
    with pytest.raises(FileError, match="format=…"):
        write(NUMBERED, file)


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_is_registered_as_it_calls_itself(name: str) -> None:
    known = FORMATS[name]
    others = {suffix for other in FORMATS.values() if other is not known for suffix in other.suffixes}

    assert known.name == name
    assert (known.suffixes or not known.is_written) and not others & set(known.suffixes)
    assert known.description and "\n" not in known.description


# The two tables of a published network: ties in one, every node in the other, and nothing is lost.


SUFFIXES = ("csv", "tsv", "csv.gz", "tsv.xz")
PATH = Network.from_numbered_edges([(0, 3), (1, 3)], 12)


def published(network: Network, folder: Path, suffix: str = "csv") -> Path:
    """The network in the public folder of a release; returns its file."""
    public = folder / "public"
    public.mkdir()
    (public / "about.json").write_text("{}", encoding="utf-8")
    write_published(network, public / f"network.{suffix}")
    return public / f"network.{suffix}"


@pytest.mark.parametrize("suffix", SUFFIXES)
@given(network=numbered_networks())
def test_a_numbered_network_is_the_same_after_publishing_and_reading(suffix: str, network: Network) -> None:
    """Whole numbers in their order, isolated ones and networks without a tie too; nothing is dropped."""
    with TemporaryDirectory() as folder:
        found = nv.read(published(network, Path(folder), suffix))

    assert found == network
    assert isinstance(found.labels, range)
    assert (found.dropped.self_loops, found.dropped.duplicates) == (0, 0)


@pytest.mark.parametrize("suffix", SUFFIXES[:2])
@given(network=labelled_networks("\0\r\n"))
def test_labels_that_are_kept_come_back_to_the_letter(suffix: str, network: Network) -> None:
    with TemporaryDirectory() as folder:
        found = nv.read(published(network, Path(folder), suffix))

    assert by_label(found) == by_label(network)


def test_the_tables_are_clean(tmp_path: Path) -> None:
    """To the byte: ties ascending, every node in the order of numbers and not of letters."""
    file = published(PATH, tmp_path)

    assert file.read_bytes() == b"source,target\n0,3\n1,3\n"
    assert file.with_name("nodes.csv").read_bytes() == b"node\n0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n"


def test_kept_labels_are_in_the_order_of_letters(tmp_path: Path) -> None:
    network = Network.from_edges([("zoe", "bob"), ("bob", "7")], ["zoe", "bob", "7", "anna"])
    release = nv.anonymize(network, 0, algorithm="es", seed=1, keep_labels=True)
    file = published(release.network, tmp_path)

    assert file.read_text() == "source,target\n7,bob\nbob,zoe\n"
    assert file.with_name("nodes.csv").read_text() == "node\n7\nanna\nbob\nzoe\n"


@pytest.mark.parametrize("missing", ["about.json", "nodes.csv", "public", "network"])
def test_nodes_are_added_in_a_public_folder_only(tmp_path: Path, missing: str) -> None:
    """Elsewhere a file called nodes.csv may be anybody's; without it, who has ties is all that is known."""
    file = published(PATH, tmp_path)
    if missing in ("about.json", "nodes.csv"):
        (file.parent / missing).unlink()
    elif missing == "public":
        file = file.parent.rename(tmp_path / "mine") / file.name
    else:
        file = file.rename(file.with_name("ties.csv"))

    assert set(nv.read(file).labels) == {"0", "1", "3"}


@pytest.mark.parametrize("suffix", ["txt", "graphml", "mtx", "edges.gz"])
def test_other_formats_need_no_table_of_nodes(tmp_path: Path, suffix: str) -> None:
    file = published(PATH, tmp_path, suffix)

    assert sorted(path.name for path in file.parent.iterdir()) == ["about.json", f"network.{suffix}"]
    assert nv.read(file) == PATH


@pytest.mark.parametrize("text", [
    *("", "label\n0\n1\n3\n", "node\n0\n\n1\n3\n", "node\n0\n1\n3\n1\n", "node\n0\n1\n", 'node\n"0\n1'),
    "node\n" + 200_000 * "x",
], ids=range(7))  # fmt: skip
def test_a_damaged_table_of_nodes_is_told(tmp_path: Path, text: str) -> None:
    file = published(PATH, tmp_path)
    file.with_name("nodes.csv").write_text(text, encoding="utf-8")
    rule = "expected the column node with a label|of the network cannot be found in it"

    with pytest.raises(FileError, match=rf"nodes.csv: .*({rule}).*\. Make the release again\.$"):
        nv.read(file)
