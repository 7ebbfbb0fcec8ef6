"""JSON: node-link documents, pairs and tables; else a question."""

from __future__ import annotations

import json
from inspect import signature
from typing import Any

import networkx
import pytest
from hypothesis import given, strategies as st

from netveil.errors import FileError, SettingError
from netveil.files import FORMATS
from netveil.network import Network

JSON = FORMATS["json"]


def network_of(document: Any, **options: Any) -> Network:
    """The network in a document."""
    return JSON.read(json.dumps(document).encode(), "a.json", **options)


def question(document: Any, **options: Any) -> str:
    """What is said of a document that is refused."""
    with pytest.raises((FileError, SettingError)) as caught:
        network_of(document, **options)
    return str(caught.value)


def node_link(graph: Any, key: str) -> dict[str, Any]:
    """What networkx makes of a graph, with its ties under a key: its own has changed over the years."""
    document: dict[str, Any] = networkx.node_link_data(graph)
    ties = document.pop("edges") if "edges" in document else document.pop("links")
    return {**document, key: ties}


def graph_of(document: dict[str, Any]) -> Any:
    """What networkx reads from ties under `edges`, by whichever name it takes that."""
    parameter = "edges" if "edges" in signature(networkx.node_link_graph).parameters else "link"
    return networkx.node_link_graph(document, **{parameter: "edges"})


@st.composite
def graphs(draw: st.DrawFn) -> Any:
    """Graphs of networkx of every kind, with labels that are numbers, texts or both."""
    kind = draw(
        st.sampled_from([networkx.Graph, networkx.DiGraph, networkx.MultiGraph, networkx.MultiDiGraph])
    )
    label = st.one_of(st.integers(-3, 12), st.sampled_from(["anna", "bob", "12a", "é ", '"'])).map(
        lambda each: each if isinstance(each, int) else f"x{each}"
    )
    labels = draw(st.lists(label, min_size=1, max_size=8, unique=True))
    graph: Any = kind()
    graph.add_nodes_from(labels, age=3)
    graph.add_edges_from(draw(st.lists(st.tuples(*[st.sampled_from(labels)] * 2), max_size=12)), weight=2)
    return graph


@pytest.mark.parametrize("key", ["links", "edges"])
@given(graph=graphs())
def test_what_networkx_writes_is_read(key: str, graph: Any) -> None:
    """Nodes in their order with their labels as text, and all ties; whatever the ties are called."""
    found = network_of(node_link(graph, key))
    expected = Network.from_networkx(graph, warn=False)

    assert [str(label) for label in found.labels] == [str(label) for label in expected.labels]
    assert (found.edges == expected.edges).all()
    assert found.dropped == expected.dropped


@pytest.mark.parametrize("labels", [range(4), ("Zoé", 'a "b"', "\u2028", "alone")])
def test_what_we_write_is_read_by_networkx(labels: range | tuple[str, ...]) -> None:
    network = Network.from_numbered_edges([(0, 1), (1, 2)], 4, labels)
    document = json.loads(JSON.write(network, "a.json"))
    graph = graph_of(document)

    assert list(graph.nodes) == list(labels)
    assert list(graph.edges) == network.to_edges()
    assert not graph.is_directed() and not graph.is_multigraph()


@pytest.mark.parametrize(("nodes", "links", "labels"), [
    ([{"id": "a"}, {"id": "b"}, {"id": "c"}], [("a", "b"), ("c", "b")], ("a", "b", "c")),
    ([{"id": 7}, {"id": 5}, {"id": 9}], [(7, 5), ("9", 5)], ("7", "5", "9")),
    ([{"id": 1.0}, {"id": 2.5}, {"id": 3}], [(1, 2.5), (3, 2.5)], ("1", "2.5", "3")),
    ([{"name": "a"}, {"name": "b"}, {"name": "c"}], [("a", "b"), ("c", "b")], ("a", "b", "c")),
    # As d3 had it up to version 3: places in the list.
    ([{"name": "a"}, {"name": "b"}, {"name": "c"}], [(0, 1), (2, 1)], ("a", "b", "c")),
    ([{"group": 1}, {"group": 1}, {}], [(0, 1), (2, 1)], range(3)),
    ([{"id": 0}, {"id": 1}, {"id": 2}], [(0, 1), (2, 1)], range(3)),
    ([{"id": 4, "name": "a"}, {"id": 5, "name": "b"}, {"id": 6, "name": "c"}], [("a", "b"), ("c", "b")],
     ("a", "b", "c")),
    (["a", "b", "c"], [("a", "b"), ("c", "b")], ("a", "b", "c")),
    (None, [("a", "b"), ("c", "b")], ("a", "b", "c")),
])  # fmt: skip
def test_ends_are_called_by_name_or_by_place(
    nodes: list[Any] | None, links: list[tuple[Any, Any]], labels: Any
) -> None:
    objects = {"links": [{"source": source, "target": target, "value": 1} for source, target in links]}
    for ties in (objects, {"edges": links}):
        network = network_of(ties if nodes is None else {"nodes": nodes, **ties})

        assert network.labels == labels
        assert network.edges.tolist() == [[0, 1], [1, 2]]
        assert network.reading is not None
        assert network.reading.first == ((str(labels[0]), str(labels[1])), (str(labels[2]), str(labels[1])))


def test_what_is_left_out_is_told() -> None:
    graph = networkx.DiGraph([("a", "b", {"weight": 2, "since": 1}), ("b", "a", {"weight": 1})])
    graph.add_node("a", age=3)
    network = network_of(node_link(graph, "edges"))

    assert network.reading is not None
    assert network.reading.dropped == ("directions", "1 node attribute", "2 tie attributes")
    assert network.notes == ("JSON: 2 nodes, labels from id",)
    assert (network.edge_count, network.dropped.duplicates) == (1, 0)


def test_a_table_of_several_people_a_row_is_asked_about() -> None:
    """By its cells, or by names of columns that go on; where the user says which two, a warning."""
    rows = [{"from": "anna", "to": "bob", "cc": "eve"}, {"from": "bob", "to": "eve", "cc": "anna"}]

    assert "column 3 holds the same people as columns 1 and 2" in question(rows)
    network = network_of(rows, columns="from,to")
    assert network.to_edges() == [("anna", "bob"), ("bob", "eve")]
    assert network.reading is not None
    assert network.reading.oddities == (
        "column cc holds the same people as those that are read: ties there are left out",
    )


def test_names_or_places_is_a_question_where_both_would_do() -> None:
    """Unless the document is networkx's, which knows no places, or both come to the same."""
    document = {"nodes": [{"id": 1}, {"id": 2}, {"id": 0}], "links": [{"source": 1, "target": 0}]}

    assert "by their names or by their places in the list, and both would do" in question(document)
    network = network_of({**document, "multigraph": False})
    assert network.to_edges() == [("1", "0")]
    assert network_of({"links": [[1, 0], [1, "2"]]}).to_edges() == [("1", "0"), ("1", "2")]
    same = {"nodes": [{"id": 0}, {"id": 1}, {"id": "x"}], "links": [[0, 1]]}
    assert network_of(same).to_edges() == [("0", "1")]


def test_networkx_calls_nodes_by_their_names_only() -> None:
    """A name that is missing is not taken for a place: all ties would be those of others."""
    document = {"nodes": [{"id": 1}, {"id": 2}, {"id": 3}], "links": [[0, 1], [1, 2]]}

    assert network_of(document).to_edges() == [("1", "2"), ("2", "3")]
    assert "an end of tie 1 is none of the nodes" in question({**document, "directed": False})


def test_pairs_and_tables_are_read() -> None:
    pairs = network_of([["anna", "bob"], ["bob", 3]])
    table = network_of([{"day": "x", "From": "anna", "To": "bob"}, {"From": "bob", "To": 3}])
    chosen = network_of([{"x": "anna", "y": "bob", "z": 1}, {"x": "bob", "y": 3}], columns="x,y")

    assert pairs == table == chosen == Network.from_edges([("anna", "bob"), ("bob", "3")])
    assert table.reading is not None and table.reading.columns == ("From", "To")
    assert table.reading.dropped == ("1 further column",)


@pytest.mark.parametrize(("document", "rule"), [
    (3, "holds no network"),
    ([], "holds no network"),
    ({}, "holds no network"),
    ({"anna": {"age": 3}}, "holds no network"),
    ({"nodes": [{"id": 1}]}, "neither `links` nor `edges`"),
    ({"nodes": [], "links": [], "edges": []}, "both `links` and `edges`"),
    ({"nodes": {}, "links": []}, "must be lists"),
    ({"nodes": [], "links": {}}, "must be lists"),
    ({"nodes": [{"id": "Anna"}], "links": [{"source": "Anna"}]}, "tie 1 has no source and target"),
    ({"nodes": [{"id": "Anna"}], "links": [["Anna", "Bob"]]}, "an end of tie 1 is none of the nodes"),
    ({"nodes": [{}], "links": [[0, 1]]}, "an end of tie 1 is none of the nodes"),
    ({"nodes": [{"id": "Anna"}, {"id": "Anna"}], "links": []}, "nodes 1 and 2 have the same id"),
    ({"nodes": [{"id": 1}, {"id": "1"}], "links": []}, "nodes 1 and 2 have the same id"),
    ({"nodes": [{"id": "Anna"}, {}], "links": []}, "node 2, id: a label must be a text or a number"),
    ({"nodes": [{"id": ["Anna"]}], "links": []}, "node 1, id: a label must be"),
    ({"nodes": [{"id": True}], "links": []}, "node 1, id: a label must be"),
    ({"nodes": [{"id": ""}], "links": []}, "node 1, id: a label must be"),
    ({"nodes": [{"id": "\ud800"}], "links": []}, "node 1, id: a label must be"),
    ({"nodes": ["Anna", {"id": "Bob"}], "links": []}, "some nodes are objects and some are not"),
    ([["Anna", "Bob"], ["Anna"]], "entry 2 is not a pair"),
    ([[0, 1, 0], [1, 0, 1], [0, 1, 0]], "entry 1 is not a pair"),
    ([{"from": "Anna", "to": "Bob"}, ["Anna", "Bob"]], "entry 2 is not an object"),
    ([{"from": "Anna", "to": None}], "line 1: expected two node labels, found one"),
    ([{"from": "Anna", "to": "Bob"}, {"from": ["Anna"], "to": ["Bob"]}], "row 2, from: a label must be"),
    ([{"from": "Anna"}, {"from": "Bob"}], "a tie needs two columns with people, but the table has 1"),
    ([{f"k{n}": n} for n in range(5000)], "there are 5,000 different keys, too many for a table of ties"),
    ([{f"k{n}": n for n in range(20_000)}], "there are 20,000 different keys"),
    ([{"x": "Anna", "y": "Bob", "z": 1}], "which two of its 3 columns are the people"),
    ({"people": ["Anna", "Bob"]}, "holds no network"),
])  # fmt: skip
def test_what_is_no_network_or_two_is_refused(document: Any, rule: str) -> None:
    told = question(document)

    assert rule in told and told.startswith("a.json") and told.endswith(".") and "\n" not in told
    assert "Anna" not in told and "Bob" not in told


@pytest.mark.parametrize(("content", "rule"), [
    (b"", "a.json, line 1: not valid JSON"),
    (b'{"nodes":\n[}', "a.json, line 2: not valid JSON"),
    (b'{"a": ["b"], "a": ["c"], "b": []}', "the same key twice"),
    (b"[" * 100_000, "not JSON that can be read"),
    (b"[[" + b"9" * 5000 + b", 1]]", "not JSON that can be read"),
])  # fmt: skip
def test_what_is_no_json_is_refused(content: bytes, rule: str) -> None:
    with pytest.raises(FileError, match=rule):
        JSON.read(content, "a.json")


def test_columns_are_for_tables_only() -> None:
    told = question({"nodes": ["a", "b"], "links": [["a", "b"]]}, columns="1,2")

    assert "columns is of no use for a.json" in told


@pytest.mark.parametrize("document", [{"nodes": []}, {"anna": ["bob"]}, [["anna", "bob"]], [{"from": 1}]])
def test_json_is_not_read_as_an_edge_list(document: Any) -> None:
    """It would be a network of nonsense."""
    for indent in (None, 2):
        with pytest.raises(FileError, match=r"looks like json. Read it with format=.json"):
            FORMATS["edge-list"].read(json.dumps(document, indent=indent).encode(), "a.txt")
