"""Attributes of people and ties: carried into a release only when named, and only after a warning."""

from __future__ import annotations

import pickle
import warnings
from pathlib import Path
from typing import Any

import igraph
import networkx
import numpy as np
import pandas
import pytest
from hypothesis import given, strategies as st

import netveil as nv
from graphs import PEOPLE, TIES, networks, with_attributes
from netveil.attributes import Attributes
from netveil.network import Network
from netveil.studies import read_plan

AGES = {"anna": 20, "bob": None, "cleo": 22, "dan": 23, "eve": 24}


def ages_of(release: nv.Release, graph: networkx.Graph[Any]) -> dict[Any, Any]:
    """Ages by original label, as the published graph tells them."""
    return {person: graph.nodes[number].get("age") for person, number in release.labels.items()}


def expected_weights(release: nv.Release) -> dict[frozenset[Any], float]:
    """Weights of what was not deleted, by published labels."""
    deleted = set(map(frozenset, release.deleted_edges))
    return {
        frozenset((release.labels[u], release.labels[v])): values["weight"]
        for u, v, values in with_attributes().edges(data=True)
        if frozenset((u, v)) not in deleted
    }


def test_attributes_that_are_not_named_are_left_out_with_one_warning() -> None:
    with pytest.warns(nv.AttributesWarning) as caught:
        release = nv.anonymize(with_attributes(), 2, seed=1, effort=0.05)

    (warning,) = caught
    assert str(warning.message) == (
        "the release does not carry the attributes age, town, weight, work. Name those that it is to carry, "
        "if they tell nothing about people: keep_attributes=['age', 'town', 'weight', 'work']."
    )
    assert warning.filename == __file__
    assert release.network.attributes == release.original.attributes == Attributes()
    assert not any(values for _, values in release.graph.nodes(data=True))


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    "graph",
    [
        nv.load("karate"),
        "les-miserables",
        networkx.Graph([("a", "b"), ("b", "c")]),
        igraph.Graph.Famous("Zachary"),
        igraph.Graph.TupleList([("a", "b"), ("b", "c")]),  # which has names, and these are the labels
        with_attributes(),
    ],
    ids=["netveil", "built-in", "networkx", "igraph", "igraph with names", "none wanted"],
)
def test_where_there_is_nothing_to_warn_of_there_is_no_warning(graph: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        keep: list[str] | None = [] if isinstance(graph, networkx.Graph) and len(graph) == 5 else None
        nv.anonymize(graph, 1, seed=1, keep_attributes=keep)
        # To measure and to compare looks at none.
        assert nv.measure(with_attributes()).at_risk == nv.measure(networkx.Graph(TIES)).at_risk
        assert nv.compare(with_attributes(), networkx.Graph(TIES)).deleted == 0


def test_further_columns_of_a_table_are_attributes_of_its_ties() -> None:
    table = pandas.DataFrame(
        {"a": ["x", "y", "y", "z"], "b": ["y", "x", "z", "z"], "calls": [3, 9, 4, 7], "since": list("pqrs")}
    )
    network = Network.from_pandas(table)

    with pytest.warns(nv.AttributesWarning, match="carries the attributes calls"):
        release = nv.anonymize(network, 0, seed=1, keep_attributes=["calls"])

    assert network.attributes.edge == {"calls": [3, 4], "since": ["p", "r"]}
    assert network.to_pandas().to_dict("list") == {
        "source": ["x", "y"], "target": ["y", "z"], "calls": [3, 4], "since": ["p", "r"],
    }  # fmt: skip
    published = release.network.to_pandas()
    assert list(published.columns) == ["source", "target", "calls"]
    calls = {frozenset(row[:2]): row[2] for row in published.itertuples(index=False)}
    x, y, z = (release.labels[label] for label in "xyz")
    assert calls == {frozenset((x, y)): 3, frozenset((y, z)): 4}


@given(networks(min_edges=1), st.data())
def test_values_stay_with_their_node_and_edge_whatever_is_done(network: Network, data: st.DataObject) -> None:
    attributes = Attributes(
        {"own": [f"node {node}" for node in range(network.node_count)]},
        {"ends": [frozenset(edge) for edge in network.edges.tolist()]},
    )
    told = Network.from_numbered_edges(network.edges, network.node_count, attributes=attributes)
    gone = data.draw(st.lists(st.sampled_from(range(network.edge_count)), unique=True))
    numbers = np.array(data.draw(st.permutations(range(network.node_count))))

    after = told.without_edges(gone).relabelled(numbers)

    assert after == network.without_edges(gone).relabelled(numbers)
    assert all(after.attributes.node["own"][numbers[v]] == f"node {v}" for v in range(network.node_count))
    for (u, v), ends in zip(after.edges.tolist(), after.attributes.edge["ends"], strict=True):
        assert {u, v} == {int(numbers[end]) for end in ends}


@pytest.mark.parametrize("extension", ["graphml", "gml"])
def test_attributes_are_published_in_formats_that_have_a_place_for_them(
    tmp_path: Path, extension: str
) -> None:
    """Read back they are the same, by netveil and by networkx; a loaded release has them too."""
    with pytest.warns(nv.AttributesWarning, match="carries"):
        keep = ["age", "town", "weight", "work"]
        release = nv.anonymize(with_attributes(), 2, seed=1, effort=0.05, keep_attributes=keep)
    folder = nv.save(release, tmp_path / "out", extension=extension, utility=False, audit=False)
    file = folder / "public" / f"network.{extension}"

    read, loaded = nv.read(file), nv.load_release(folder)

    attributes = release.network.attributes
    truth = [[int(value) for value in attributes.edge["work"]], attributes.edge["work"]]
    for network in (read, loaded.network):
        assert network.attributes.node == attributes.node
        assert network.attributes.edge["weight"] == attributes.edge["weight"]
        assert list(network.attributes.edge["work"]) in truth
    assert loaded.original.attributes.node == release.original.attributes.node
    reader = networkx.read_graphml if extension == "graphml" else networkx.read_gml
    graph = reader(file, **({} if extension == "graphml" else {"label": "id"}))
    ages = {int(node): values.get("age") for node, values in graph.nodes(data=True)}
    assert {person: ages[number] for person, number in release.labels.items()} == AGES  # type: ignore[index]


@pytest.mark.parametrize("extension", ["txt", "csv", "net", "mtx", "nauty"])
def test_other_formats_refuse_attributes_and_name_those_that_can(tmp_path: Path, extension: str) -> None:
    with pytest.warns(nv.AttributesWarning):
        release = nv.anonymize(with_attributes(), 2, seed=1, effort=0.05, keep_attributes=["age"])

    with pytest.raises(
        nv.FileError, match=r"has no place for attributes. Choose gexf or graphml or gml, or keep none"
    ):
        nv.save(release, tmp_path / "out", extension=extension)
    with pytest.raises(nv.FileError, match="Choose gexf or graphml or gml"):
        nv.write(release.network, tmp_path / f"x.{extension}", keep_attributes=["age"])
    assert list(tmp_path.iterdir()) == []
    nv.write(release.network, tmp_path / f"x.{extension}")


@pytest.mark.parametrize("extension", ["graphml", "gml"])
def test_a_file_is_written_without_attributes_unless_they_are_named(tmp_path: Path, extension: str) -> None:
    """Also that of a network which has some: whoever writes a network may publish it."""
    network, bare = Network.from_networkx(with_attributes()), Network.from_edges(TIES, PEOPLE)
    nv.write(network, tmp_path / f"a.{extension}")
    nv.write(bare, tmp_path / f"b.{extension}")

    assert (tmp_path / f"a.{extension}").read_bytes() == (tmp_path / f"b.{extension}").read_bytes()
    nv.write(network, tmp_path / f"a.{extension}", keep_attributes=["age"], overwrite=True)
    assert nv.read(tmp_path / f"a.{extension}").attributes.names == ("age",)


def test_a_task_of_an_experiment_travels_without_attributes(tmp_path: Path) -> None:
    networkx.write_graphml(with_attributes(), tmp_path / "people.graphml")
    (tmp_path / "plan.toml").write_text(
        'networks = ["people.graphml"]\nalgorithms = ["es"]\n', encoding="utf-8"
    )

    task = read_plan(tmp_path / "plan.toml").tasks()[0]

    assert b"town of" not in pickle.dumps(task)


@pytest.mark.parametrize("library", [networkx, igraph], ids=["networkx", "igraph"])
def test_attributes_that_are_named_are_carried_to_the_right_people_and_ties(library: Any) -> None:
    """After a warning, into a graph of the same kind; no value stays none; igraph's names are labels."""
    given_as: Any = with_attributes()
    if library is igraph:
        given_as = igraph.Graph.from_networkx(given_as, vertex_attr_hashable="name")
    with pytest.warns(nv.AttributesWarning, match="carries the attributes age, weight .* identify people"):
        release = nv.anonymize(given_as, 2, seed=1, effort=0.05, keep_attributes=["age", "weight"], known=[])

    assert release.deleted_edges and type(release.graph) is library.Graph
    graph = release.graph if library is networkx else release.graph.to_networkx()
    assert ages_of(release, graph) == AGES
    weights = {frozenset((u, v)): value for u, v, value in graph.edges(data="weight")}
    assert weights == expected_weights(release)
    assert not any("town" in values for _, values in graph.nodes(data=True))
    assert not any("work" in values for *_, values in graph.edges(data=True))


@pytest.mark.parametrize(
    ("graph", "keep", "what"),
    [
        (
            None,
            ["agee"],
            r"keep_attributes=\['agee'\]: there is no attribute 'agee'; the network has age, town, weight",
        ),
        (None, "age,place", "there is no attribute 'place'"),
        (None, ["label"], "files keep labels in the attribute 'label'"),
        ("karate", ["age"], r"this network has no attributes. .* further columns of other files"),
    ],
)
def test_an_attribute_that_cannot_be_kept_is_told(graph: str | None, keep: Any, what: str) -> None:
    """With those that are there, or where they can come from; one would be read as the label."""
    people = with_attributes()
    if keep == ["label"]:
        people.add_node("anna", label="x")
    with pytest.raises(nv.SettingError, match=what):
        nv.anonymize(graph or people, 1, seed=1, keep_attributes=keep)


@pytest.mark.parametrize(("values", "what"), [
    ([[1], [2]], "something else than finite numbers"),
    (["a", 2], "or several of these"),
    ([float("inf"), 1.0], "finite"),
    (["\ud800", "b"], "a character that this format cannot hold"),
])  # fmt: skip
@pytest.mark.parametrize("extension", ["graphml", "gml"])
def test_values_that_no_file_can_hold_are_told(
    tmp_path: Path, extension: str, values: list[Any], what: str
) -> None:
    """By the name of the attribute, and not by the value; GML cannot hold some names, which GraphML can."""
    network = Network.from_numbered_edges([(0, 1)], 2, attributes=Attributes({"x": values}))

    with pytest.raises(nv.FileError, match=what) as caught:
        nv.write(network, tmp_path / f"out.{extension}", keep_attributes=["x"])
    assert "'x'" in str(caught.value) and "a," not in str(caught.value)
    for name in ("two words", "source", "1st", "größe"):
        named = Network.from_numbered_edges([(0, 1)], 2, attributes=Attributes({name: [1, 2]}))
        with pytest.raises(nv.FileError, match="cannot be the name of an attribute in GML"):
            nv.write(named, tmp_path / "out.gml", keep_attributes=[name])
        nv.write(named, tmp_path / "out.graphml", keep_attributes=[name], overwrite=True)
        assert nv.read(tmp_path / "out.graphml").attributes.node == {name: [1, 2]}
