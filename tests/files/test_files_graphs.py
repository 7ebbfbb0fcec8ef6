"""Graph formats as other programs write them: GraphML, GEXF, GML, Pajek, MatrixMarket and nauty."""

from __future__ import annotations

from collections.abc import Callable
from html import unescape
from inspect import signature
from pathlib import Path
from typing import Any, Literal

import igraph
import networkx
import numpy as np
import pytest
from scipy.io import mmread, mmwrite
from scipy.sparse import coo_array

from netveil.errors import FileError
from netveil.files import FORMATS, read, write
from netveil.network import Network

FRIENDS = [("Zoé & co", 'the "boss"'), ("c", "d"), ("c", "Zoé & co")]
GEPHI = """<?xml version='1.0' encoding='UTF-8'?>
<gexf xmlns="http://gexf.net/1.3" version="1.3" xmlns:viz="http://gexf.net/1.3/viz">
  <!-- exported on Monday -->
  <graph defaultedgetype="directed" mode="static">
    <attributes class="node" mode="static"><attribute id="age" title="Age" type="integer"/></attributes>
    <nodes>
      <node id="n0" label="Anna"><viz:size value="3"/>
        <attvalues><attvalue for="age" value="30"/></attvalues></node>
      <node id="n1" label="Bob"/><node id="n2" label="Carla"/>
    </nodes>
    <edges>
      <edge id="0" source="n0" target="n1" weight="2.5"/>
      <edge id="1" source="n1" target="n0"/><edge id="2" source="n0" target="n0"/>
    </edges>
  </graph>
</gexf>
"""
YED = """<!DOCTYPE graphml SYSTEM "graphml.dtd"><graphml xmlns:y="http://www.yworks.com/xml/graphml">
  <!-- drawn by hand --><desc>a club</desc>
  <key for="node" id="d6" yfiles.type="nodegraphics"/>
  <key for="all" id="d7" attr.name="rank" attr.type="int"><default>3</default></key>
  <graph edgedefault="undirected">
    <node id="n0"><data key="d6">
      <y:ShapeNode><y:NodeLabel>Anna</y:NodeLabel></y:ShapeNode></data><data key="d7">1</data></node>
    <node id="n1"><graph edgedefault="undirected"><node id="n1::n0"/></graph>
      <data key="d7">4</data></node>
    <edge source="n0" target="n1::n0"><data key="d7"> 2 </data></edge>
  </graph>
  <graph><node id="other"/></graph>
</graphml>"""
GML_OF_YED = """Creator "yFiles"
graph
[ hierarchic 1 directed 1
  # nodes
  node [ id 0 label "Anna" graphics [ x 1.5 type "circle" id 7 ] Age 30 score .5 ]
  node [ id 1 label "Bob" Age 4 score "high" ]
  edge [ source 1 target 0 ] edge [ source 0 target 1 value 2 ] ]"""


def network_of(name: str, text: str) -> Network:
    """The network in the text of a file."""
    return FORMATS[name].read(text.encode(), "file")


def graphml(inside: str, keys: str = "") -> str:
    """A GraphML file with these elements."""
    return f'<graphml xmlns="http://graphml.graphdrawing.org/xmlns">{keys}<graph>{inside}</graph></graphml>'


def gexf(inside: str) -> str:
    """A GEXF file with these elements."""
    return f'<gexf version="1.3"><graph>{inside}</graph></gexf>'


@pytest.mark.filterwarnings("ignore:One or more unknown entities")
@pytest.mark.parametrize("suffix", ["graphml", "gml", "gexf"])
def test_networkx_and_igraph_read_what_we_write_and_we_what_they_write(suffix: str, tmp_path: Path) -> None:
    graph = networkx.Graph(FRIENDS, weight=3)
    graph.add_node("alone", member=suffix == "gexf" or 1, age=3, height=1.5, dog="<Rex>\n")
    file, reader = tmp_path / f"a.{suffix}", getattr(networkx, f"read_{suffix}")
    getattr(networkx, f"write_{suffix}")(graph, file)
    network = read(file)
    assert network == Network.from_networkx(graph)
    values = {name: column[-1] for name, column in network.attributes.node.items()}
    assert values == {"member": graph.nodes["alone"]["member"], "age": 3, "height": 1.5, "dog": "<Rex>\n"}

    write(network, file, keep_attributes=network.attributes.names, overwrite=True)
    assert read(file) == network and read(file).attributes == network.attributes
    options: dict[str, Any] = {"label": "id"} if suffix == "gml" else {}
    theirs = [data for _, data in reader(file, **options).nodes(data=True)]
    assert [data.get("name", data.get("label")) for data in theirs] == list(network.labels)
    assert {name: theirs[-1][name] for name in values} == values
    if suffix != "gexf":
        found = igraph.Graph.Read(str(file))
        assert found.get_edgelist() == [tuple(edge) for edge in network.edges.tolist()]
        named = found.vs["label" if suffix == "gml" else "name"]
        assert list(map(unescape, named)) == list(network.labels)  # igraph leaves the entities of GML
        network.to_igraph().write(str(file))
        assert read(file) == network


def test_what_gephi_writes_is_read() -> None:
    """Labels, attributes with their types, people without ties; directions are told, and are no repeats."""
    network = network_of("gexf", GEPHI)

    assert (network.labels, network.edges.tolist()) == (("Anna", "Bob", "Carla"), [[0, 1]])
    assert network.attributes.node == {"Age": [30, None, None]}
    assert network.attributes.edge == {"weight": [2.5]}
    assert (network.dropped.self_loops, network.dropped.duplicates) == (1, 0)
    assert "directions ignored" in network.notes
    assert network.reading is not None and network.reading.dropped == ("1 comment",)


def test_what_yed_writes_is_read() -> None:
    """Nodes inside groups, default values; drawings are left out, and so are further graphs."""
    network = network_of("graphml", YED)

    assert (network.labels, network.edges.tolist()) == (("n0", "n1", "n1::n0"), [[0, 2]])
    assert FORMATS["graphml"].read(YED.encode("utf-16"), "a.graphml") == network
    assert network.attributes.node == {"rank": [1, 4, 3]}
    assert network.attributes.edge == {"rank": [2]}
    assert network.notes == (
        "GraphML: 3 nodes, labels from id",
        "1 vertex attribute, published only if named",
        "1 edge attribute, published only if named",
        "only the first graph element read",
    )
    assert network.reading is not None
    assert network.reading.dropped == ("1 further attribute", "2 comments")


def test_lists_inside_the_nodes_of_gml_are_left_out() -> None:
    """A column of numbers and texts is one of texts; both directions of a tie are no repeats."""
    network = network_of("gml", GML_OF_YED)

    assert (network.labels, network.edges.tolist()) == (("Anna", "Bob"), [[0, 1]])
    assert network.attributes.node == {"Age": [30, 4], "score": ["0.5", "high"]}
    assert network.dropped.duplicates == 0 and "directions ignored" in network.notes
    assert network.reading is not None
    assert network.reading.dropped == ("3 further attributes", "2 comments")


NAMED = '<node id="x"><data key="k">a</data></node><node id="y"><data key="k">{}</data></node>'
KEY = '<key id="k" for="node" attr.name="{}" attr.type="string"/>'


@pytest.mark.parametrize(
    ("name", "text", "labels"),
    [
        ("graphml", graphml(NAMED.format("b"), KEY.format("name")), ("a", "b")),
        ("graphml", graphml(NAMED.format("b"), KEY.format("label")), ("a", "b")),
        ("graphml", graphml(NAMED.format("a"), KEY.format("name")), ("x", "y")),
        ("graphml", graphml(NAMED.format(""), KEY.format("name")), ("x", "y")),
        ("graphml", graphml(NAMED.format("b"), KEY.format("age")), ("x", "y")),
        ("gexf", gexf('<node id="0" label="x"/><node id="1" label="x"/>'), (0, 1)),
        ("gexf", gexf('<node id="a" label="x"/><node id="b" label="x"/>'), ("a", "b")),
        ("gexf", gexf('<node id="7"/><node id="9"/>'), ("7", "9")),
        ("gml", "graph [ node [ id 7 ] node [ id 0 ] edge [ source 0 target 7 ] ]", ("7", "0")),
        ("gml", "graph [ node [ id 0 ] node [ id 1 ] ]", (0, 1)),
        ("gml", 'graph [ node [ id 0 label "&#233;&eacute;&quot;&#34;&amp;lt;&#38;" ] ]', ('éé""&lt;&',)),
    ],
)
def test_labels_are_those_that_tell_nodes_apart(name: str, text: str, labels: tuple[object, ...]) -> None:
    """A name, then a label, then the identifier, then a number; entities are characters."""
    assert tuple(network_of(name, text).labels) == labels


ENTITY = '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/hostname">]>'
EDGE = '<node id="a"/>\n<edge source="a" target="b"/>'
WEIGHT = '<node id="a"/><edge source="a" target="a" weight="x"/>'


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("gexf", f"{ENTITY}<gexf/>", "line 1: not valid GEXF: its document type declares entities"),
        (
            "graphml",
            ENTITY + graphml("&e;"),
            "line 1: not valid GraphML: its document type declares entities",
        ),
        ("gexf", "<html><p/></html>", "line 1: not valid GEXF: expected the element gexf, found html"),
        ("gexf", "<gexf>\n<graph>", "line 2: not valid GEXF: its XML is damaged"),
        ("gexf", '<?xml version="1.0" encoding="klingon"?><gexf/>', "its encoding cannot be read"),
        ("graphml", "<graphml/>", "there is no element graph"),
        ("gexf", gexf('<node label="a"/>'), "an element lacks its attribute 'id'"),
        ("graphml", graphml('<node id="a"/><node id="a"/>'), "two nodes have one id"),
        ("graphml", graphml(EDGE), "line 2: not valid GraphML: an edge ends at a node that is not there"),
        ("gexf", gexf(WEIGHT), "a value of attribute 'weight' is not of the type that the file declares"),
        ("gml", "graph [\nnode [ id 0 ] edge [ source 0 ] ]", "line 2: not valid GML: edge without 'target'"),
        ("gml", "graph [ node [ id 0 ]\nnode [ id 0 ] ]", "line 2: not valid GML: two nodes have one id"),
        ("gml", "graph [ node [ id 0x ] ]", "expected a number, or a text in quotes"),
        ("gml", "graph [ node [ id " + "1" * 401 + " ] ]", "expected a number, or a text in quotes"),
        ("gml", "graph [ node id ]", "expected a key and its value"),
        ("gml", "graph [ ] ]", "expected a key and its value"),
        ("gml", 'Creator "x"', "it has no graph"),
    ],
)
def test_what_is_damaged_is_told_in_one_line(name: str, text: str, message: str) -> None:
    with pytest.raises(FileError, match=message) as raised:
        network_of(name, text)

    assert "Write the file again" in str(raised.value) and "\n" not in str(raised.value)


LONG = "x" * 1_000_000
LARGE: dict[str, Callable[[], tuple[str, str]]] = {
    "identifier": lambda: ("graphml", graphml(f'<node id="{LONG}"/>')),
    "attributes of a tag": lambda: (
        "graphml",
        graphml('<node id="a" ' + "".join(f' a{n}=""' for n in range(50_000)) + "/>"),
    ),
    "text": lambda: ("graphml", graphml(f'<node id="a"><data key="k">{LONG}</data></node>', KEY.format("x"))),
    "comment": lambda: ("graphml", graphml(f'<!-- {LONG} --><node id="a"/>')),
    "nested": lambda: ("gexf", gexf('<node id="a"/>' + "<b>" * 50_000 + "</b>" * 50_000)),
    "word of GML": lambda: ("gml", f'graph [ node [ id 1{" " * 100_000}label "{LONG}" ] ]'),
    "nested in GML": lambda: ("gml", "graph [ node [ id 1 ] " + "a [ " * 50_000 + "]" * 50_000 + "]"),
}


@pytest.mark.parametrize("large", LARGE)
def test_what_is_long_is_read_in_one_pass(large: str) -> None:
    """Readers with a stack or a square in them would not come back from these."""
    name, text = LARGE[large]()

    assert network_of(name, text).node_count == 1


@pytest.mark.parametrize("name", ["gml", "graphml"])
def test_attributes_of_many_names_are_refused(name: str) -> None:
    """A value for each name and each node, written or not, is the square of what is in the file."""
    nodes = [f'<node id="{n}"><data key="k{n}">1</data></node>' for n in range(1500)]
    keys = [f'<key id="k{n}" for="node" attr.name="a{n}" attr.type="int"/>' for n in range(1500)]
    of_gml = f"graph [{' '.join(f'node [ id {n} a{n} 1 ]' for n in range(1500))}]"
    text = of_gml if name == "gml" else graphml("".join(nodes), "".join(keys))

    rule = "has 1,500 names of attributes for 1,500 nodes or edges, far more than values"
    with pytest.raises(FileError, match=rule):
        network_of(name, text)


# Pajek, MatrixMarket and nauty files as other programs write them.


Symmetry = Literal["general", "symmetric", "skew-symmetric"]


def test_what_we_write_is_read_by_scipy(tmp_path: Path) -> None:
    network = Network.from_numbered_edges([(0, 1), (1, 3)], 5)
    write(network, tmp_path / "a.mtx")

    read_by_scipy: Any = mmread  # which wants to be told what to return since its default is to change
    options = {"spmatrix": False} if "spmatrix" in signature(mmread).parameters else {}
    found = coo_array(read_by_scipy(tmp_path / "a.mtx", **options))
    assert (found.toarray() == network.to_scipy().toarray()).all()


def test_what_we_write_for_pajek_is_read_by_igraph(tmp_path: Path) -> None:
    network = Network.from_edges([("Anna Bell", "Bob"), ("Bob", "c")], ["alone"])
    write(network, tmp_path / "a.net")
    graph = igraph.Graph.Read(str(tmp_path / "a.net"))

    assert (graph.get_edgelist(), graph.vs["name"]) == ([(1, 2), (2, 3)], list(network.labels))


def test_pajek_sections_of_all_kinds_make_edges() -> None:
    """Edges, arcs, lists of both and a matrix; weights, relations, coordinates and comments are ignored."""
    text = """% comment
        *Network friends
        *Vertices 5 2
        1 "Anna Bell" 0.5 0.5 ic Red
        2 Bob
        3 "c"
        4 d
        5 e

        *Arcs :1 "advice"
        1 2 1.5 c Blue
        *EDGES
        2 1
        2 3
        *Arcslist
        3 4 5
        *Edgeslist
        5 1"""
    network = network_of("pajek", text)

    assert network.labels == ("Anna Bell", "Bob", "c", "d", "e")
    assert network.edges.tolist() == [[0, 1], [0, 4], [1, 2], [2, 3], [2, 4]]
    assert network.dropped.duplicates == 1


@pytest.mark.parametrize("vertices", ["", "1 a\n2 a\n", "1 a\n", '1 a\n2 ""\n'])
def test_pajek_nodes_without_labels_of_their_own_are_numbers(vertices: str) -> None:
    assert network_of("pajek", f"*Vertices 2\n{vertices}*Edges\n1 2\n").labels == range(2)


def test_pajek_projects_give_their_first_network() -> None:
    network = network_of("pajek", "*Network a\n*Vertices 2\n*Edges\n1 2\n*Partition b\n*Vertices 2\n1\n2\n")

    assert network.edges.tolist() == [[0, 1]]
    assert network.notes[-1] == "another object, from line 5 on, ignored"


@pytest.mark.parametrize("symmetry", ["general", "symmetric", "skew-symmetric"])
def test_what_scipy_writes_is_read(symmetry: Symmetry, tmp_path: Path) -> None:
    half = np.array([[0, 0, 0], [2, 0, 0], [0, 5, 0]])
    matrix = {"general": half, "symmetric": half + half.T, "skew-symmetric": half - half.T}[symmetry]
    mmwrite(tmp_path / "a.mtx", coo_array(matrix), symmetry=symmetry)
    network = read(tmp_path / "a.mtx")

    assert network == Network.from_numbered_edges([(0, 1), (1, 2)], 3)
    assert network.dropped.duplicates == 0
    assert symmetry in network.notes[0] and "row i is node i-1" in network.notes[0]


def test_a_general_matrix_that_is_symmetric_repeats_no_edge(tmp_path: Path) -> None:
    """scipy and networkx write both triangles; an entry above the diagonal and one below are one edge."""
    network = Network.from_numbered_edges([(0, 1), (1, 2), (0, 3)], 4)
    mmwrite(tmp_path / "a.mtx", network.to_scipy(), symmetry="general")

    assert read(tmp_path / "a.mtx") == network
    assert read(tmp_path / "a.mtx").dropped.duplicates == 0


@pytest.mark.parametrize(("banner", "duplicates"), [
    ("%%MatrixMarket matrix coordinate pattern general\n", 1),
    ("", 1),
    ("%%MatrixMarket matrix coordinate pattern symmetric\n", 2),
])  # fmt: skip
def test_an_entry_given_twice_is_a_repeated_edge(banner: str, duplicates: int) -> None:
    network = network_of("matrix-market", f"{banner}3 3 5\n2 1\n2 1\n1 2\n3 2\n3 3\n")

    assert network == Network.from_numbered_edges([(0, 1), (1, 2)], 3)
    assert (network.dropped.duplicates, network.dropped.self_loops) == (duplicates, 1)


def test_a_stored_zero_is_no_edge() -> None:
    text = "%%MatrixMarket matrix coordinate real general\n% c\n3 3 3\n1 2 0.0\n2 3 1\n3 2 1\n"
    network = network_of("matrix-market", text)

    assert network.edges.tolist() == [[1, 2]]
    assert network.dropped.duplicates == 0
    assert network.notes[-1] == "1 entry line of value 0 ignored"


@pytest.mark.parametrize(
    "banner", ["", "% no banner\n\n", "%MatrixMarket matrix coordinate pattern general\n"]
)
def test_a_matrix_without_banner_is_read_as_an_edge_list_with_sizes(banner: str) -> None:
    network = network_of("matrix-market", f"{banner}4 4 2\n1 2\n3 2 0\n")

    assert network == Network.from_numbered_edges([(0, 1), (1, 2)], 4)
    assert network.notes[0] == "no %%MatrixMarket line, so read as an edge list"
    assert "gives 4 nodes, row i is node i-1" in network.notes[1]


def test_a_matrix_without_banner_and_sizes_is_an_edge_list() -> None:
    assert network_of("matrix-market", "7 9\n9 5\n").labels == ("7", "9", "5")
