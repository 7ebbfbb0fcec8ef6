"""GEXF as Gephi and networkx write it, and what is refused."""

from __future__ import annotations

from pathlib import Path

import networkx
import pytest

from netveil.errors import FileError
from netveil.files import FORMATS, read, write
from netveil.network import Network

GEPHI = """<?xml version='1.0' encoding='UTF-8'?>
<gexf xmlns="http://gexf.net/1.3" version="1.3" xmlns:viz="http://gexf.net/1.3/viz">
  <!-- exported on Monday -->
  <graph defaultedgetype="directed" mode="static">
    <attributes class="node" mode="static"><attribute id="age" title="Age" type="integer"/></attributes>
    <nodes>
      <node id="n0" label="Anna"><viz:size value="3"/>
        <attvalues><attvalue for="age" value="30"/></attvalues></node>
      <node id="n1" label="Bob"/>
      <node id="n2" label="Carla"/>
    </nodes>
    <edges>
      <edge id="0" source="n0" target="n1" weight="2.5"/>
      <edge id="1" source="n1" target="n0"/>
      <edge id="2" source="n0" target="n0"/>
    </edges>
  </graph>
</gexf>
"""


def gexf(inside: str) -> bytes:
    """A GEXF file with these elements."""
    return f'<gexf version="1.3"><graph>{inside}</graph></gexf>'.encode()


def test_what_gephi_writes_is_read() -> None:
    """Labels, attributes with their types, people without ties; directions are told, and are no repeats."""
    network = FORMATS["gexf"].read(GEPHI.encode(), "a.gexf")

    assert (network.labels, network.edges.tolist()) == (("Anna", "Bob", "Carla"), [[0, 1]])
    assert network.attributes.node == {"Age": [30, None, None]}
    assert network.attributes.edge == {"weight": [2.5]}
    assert (network.dropped.self_loops, network.dropped.duplicates) == (1, 0)
    assert "directions ignored" in network.notes
    extras = FORMATS["gexf"].extras(GEPHI.encode(), "a.gexf")
    assert (extras.columns, extras.remarks) == (2, (" exported on Monday ",))


def test_networkx_reads_what_we_write_and_we_what_it_writes(tmp_path: Path) -> None:
    """Labels with marks and line ends, values of every type."""
    graph = networkx.Graph([("Zoé & co", 'the "boss"'), ("c", "d\n\te"), ("c", "Zoé & co")])
    graph.add_node("alone", member=True, age=3, height=1.5, name_of_dog="<Rex>")
    networkx.write_gexf(graph, tmp_path / "theirs.gexf")
    network = read(tmp_path / "theirs.gexf")
    assert network == Network.from_networkx(graph)

    write(network, tmp_path / "ours.gexf", keep_attributes=network.attributes.names)
    assert read(tmp_path / "ours.gexf") == network
    assert read(tmp_path / "ours.gexf").attributes == network.attributes
    nodes = dict(networkx.read_gexf(tmp_path / "ours.gexf").nodes(data=True))
    assert nodes["4"] == {
        "label": "alone", "member": True, "age": 3, "height": 1.5, "name_of_dog": "<Rex>",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("nodes", "labels"),
    [
        ('<node id="0" label="x"/><node id="1" label="x"/>', (0, 1)),
        ('<node id="a" label="x"/><node id="b" label="x"/>', ("a", "b")),
        ('<node id="7"/><node id="9"/>', ("7", "9")),
    ],
)
def test_labels_that_tell_nobody_apart_are_not_taken(nodes: str, labels: tuple[object, ...]) -> None:
    """Identifiers are, or numbers."""
    assert tuple(FORMATS["gexf"].read(gexf(f"<nodes>{nodes}</nodes>"), "a.gexf").labels) == labels


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'<!DOCTYPE a [<!ENTITY b "c">]><gexf/>', "line 1: a GEXF file has no document type"),
        (b"<html><p/></html>", "line 1: expected the element gexf, found html"),
        (b"<gexf>\n<graph>", "line 2: not valid GEXF"),
        (b'<?xml version="1.0" encoding="klingon"?><gexf/>', "not valid GEXF"),
        (gexf('<nodes><node label="a"/></nodes>'), "an element lacks its attribute 'id'"),
        (gexf('<nodes><node id="a"/><node id="a"/></nodes>'), "two nodes have one id"),
        (gexf('<edges>\n<edge source="a" target="b"/></edges>'), "line 2: an edge ends at a node"),
        (
            gexf('<nodes><node id="a"/></nodes><edges><edge source="a" target="a" weight="x"/></edges>'),
            "a value of attribute 'weight' is no float",
        ),
    ],
)
def test_what_is_no_gexf_is_told_with_its_line(content: bytes, message: str) -> None:
    """In one line, with what to do."""
    with pytest.raises(FileError, match=message) as raised:
        FORMATS["gexf"].read(content, "a.gexf")
    assert "Write the file again" in str(raised.value) and "\n" not in str(raised.value)
