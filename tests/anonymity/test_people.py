"""People at risk by name, and the cascade of those found from others."""

from __future__ import annotations

import csv
import io

import networkx
import numpy as np
import pytest
from hypothesis import given, strategies as st

import netveil as nv
from graphs import networks
from naive_measures import cascade_rounds
from netveil.anonymity import MEASURES
from netveil.anonymity.partition import cascade
from netveil.network import Network

# Anna, Bob and Cleo know each other, Cleo also knows Dan, and Eve nobody.
FRIENDS = nv.Network.from_edges(
    [("anna", "bob"), ("bob", "cleo"), ("cleo", "anna"), ("cleo", "dan")], nodes=["eve"]
)


def test_everybody_at_risk_has_a_row_with_what_gives_them_away() -> None:
    people = nv.measure(FRIENDS).people(FRIENDS)

    assert [(who.label, who.contacts, who.state, who.class_size) for who in people] == [
        ("cleo", 3, "contacts 3, ties among them 1", 1),
        ("dan", 1, "contacts 1, ties among them 0", 1),
        ("eve", 0, "contacts 0, ties among them 0", 1),
    ]
    assert all(who.at_risk and who.attackers == "count" for who in people)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("k", [2, 4])
def test_the_order_is_that_of_a_plain_sort(seed: int, k: int) -> None:
    graph = networkx.gnm_random_graph(40, 70, seed=seed)
    state = {node: (graph.degree(node), networkx.triangles(graph, node)) for node in graph}
    size = {node: sum(other == state[node] for other in state.values()) for node in graph}
    expected = sorted(
        (node for node in graph if size[node] < k), key=lambda node: (size[node], -graph.degree(node), node)
    )

    people = nv.measure(graph, k=k).people(graph)

    assert [who.label for who in people] == expected
    assert [who.class_size for who in people] == [size[node] for node in expected]


def test_several_attackers_are_told_one_by_one() -> None:
    """Who is at risk to which of them, and what each knows; a shape has no numbers, so its class is told."""
    ring = nv.Network.from_edges([(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 2), (4, 5), (5, 0)])
    people = nv.measure(ring, ["degree", "ego"], k=3).people(ring)
    alone = {name: nv.measure(ring, name, k=3) for name in ("degree", "ego")}

    assert [who.attackers for who in people] == [
        " + ".join(name for name in alone if alone[name].nodes_at_risk[int(str(who.label))]) for who in people
    ]
    assert {who.attackers for who in people} == {"ego", "degree + ego"}
    for who in people:
        shape = alone["ego"].class_of[int(str(who.label))]
        assert who.state == f"degree: contacts {who.contacts}; ego: class {shape}"


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("distance", [1, 2, 3])
def test_every_measure_tells_its_states_in_words(measure: str, distance: int) -> None:
    """As many names as numbers; all who are alike have the same words, and nobody else has."""
    karate = nv.load("karate")
    anonymity = nv.measure(karate, measure, k=34, distance=distance)
    people = anonymity.people(karate)
    states = MEASURES[measure].states(karate, distance)

    told = [(tuple(states[int(str(who.label))]), who.state) for who in people]
    words = dict(told)
    assert len(people) == 34
    assert len(set(words.values())) == len(words) == anonymity.classes
    assert all(text == words[state] for state, text in told)
    if MEASURES[measure].numeric:
        assert len(MEASURES[measure].column_names(distance)) == states.shape[1]


def test_the_table_is_one_for_pandas_for_a_notebook_and_for_a_file() -> None:
    """Same columns, same rows; labels are text, never markup."""
    network = nv.Network.from_edges([("<b>", 'say "hi", you'), ("x", "y"), ("y", "z")])
    people = nv.measure(network).people(network)
    table = people.to_pandas()
    rows = list(csv.DictReader(io.StringIO(people.to_csv())))

    assert list(table.columns) == list(people.columns) == list(rows[0])
    assert table["label"].tolist() == [row["label"] for row in rows] == ["y"]
    assert table["at_risk"].tolist() == [True] and rows[0]["at_risk"] == "yes"
    everybody = nv.measure(network, k=5).people(network)
    assert "&lt;b&gt;" in everybody._repr_html_() and "<b>" not in everybody._repr_html_()
    assert [row["label"] for row in csv.DictReader(io.StringIO(everybody.to_csv()))] == [
        who.label for who in everybody
    ]
    assert repr(people) == "People(1 person: label, contacts, state, class_size, at_risk, attackers)"


def test_the_network_must_be_the_one_that_was_measured() -> None:
    """Labels of another would name the wrong people."""
    with pytest.raises(nv.NetworkError, match="another network"):
        nv.measure(FRIENDS).people(nv.load("karate"))


def test_every_measure_has_a_short_title() -> None:
    def own(network: nv.Network) -> list[int]:
        return [0] * network.node_count

    titles = [measure.title for measure in MEASURES.values()]
    attacker = nv.anonymity.attackers_of(own)[0]
    own.title = "knows nothing at all"  # type: ignore[attr-defined]

    assert len(set(titles)) == len(MEASURES) and max(map(len, titles)) < 50
    assert attacker.title == "knows what measure own tells about a person"
    assert nv.anonymity.attackers_of(own)[0].title == "knows nothing at all"
    assert nv.anonymity.attackers_of("count", 2, "5%")[0].title == (
        "counts contacts and the ties among them, up to distance 2, each number to within 5%"
    )


@given(networks(), st.data())
def test_the_cascade_is_that_of_the_definition(network: Network, data: st.DataObject) -> None:
    n = network.node_count
    states = data.draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))
    found = cascade(network, np.array(states).reshape(-1, 1))
    rounds = cascade_rounds(network, states)

    assert found.rounds == tuple(map(len, rounds))
    assert set(np.flatnonzero(found.identified).tolist()) == set().union(*rounds)
    assert found.total == found.identified.sum()
