"""GraphML, GEXF and GML as other programs write them, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import igraph
import networkx
import pytest

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
    """Labels, isolated nodes, their order, and values of every type."""
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
    """With what to do."""
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
