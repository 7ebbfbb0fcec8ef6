"""The whole comparison: every metric under the same contract, orders, seeds, threads, and what people see."""

from __future__ import annotations

import json
import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event, Thread
from typing import Any

import igraph
import networkx as nx
import numpy as np
import pytest
from hypothesis import given, strategies as st
from utility_graphs import BARBELL, BRIDGE, releases, reordered, side

from graphs import SQUARE, networks
from netveil import load
from netveil.errors import NetworkError, SettingError
from netveil.network import Network
from netveil.utility import METRICS, Finding, communities, compare
from netveil.utility.comparison import people_of, renumbered
from netveil.utility.metric import CLOSER, HIGHER, LOWER, seeded


@pytest.fixture(autouse=True)
def few_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten runs of Louvain tell as much here as a hundred."""
    monkeypatch.setattr(communities, "RUNS", 10)


@pytest.mark.parametrize("name", METRICS)
def test_a_metric_introduces_itself(name: str) -> None:
    """With its name, a title, what it means and which way is better, and has a row in the documentation."""
    metric = METRICS[name]

    assert metric.name == name
    assert metric.title and metric.title[0].islower()
    assert metric.meaning.endswith(".") and " " in metric.meaning
    assert metric.better in {CLOSER, HIGHER, LOWER}
    assert metric.__doc__
    page = (Path(__file__).parents[2] / "docs" / "utility.md").read_text(encoding="utf-8")
    (row,) = (line for line in page.splitlines() if line.startswith(f"| `{name}` |"))
    assert row.count("|") >= 5 and f"| {metric.better.removesuffix(' is better')} |" in row


@given(releases())
def test_every_metric_keeps_the_contract(pair: tuple[Network, Network]) -> None:
    """Plain numbers or None with a reason, a change that is the difference, a score between 0 and 1."""
    document = compare(*pair, threads=1).to_dict()
    json.dumps(document, allow_nan=False)

    assert list(document["metrics"]) == list(METRICS)
    for name, row in document["metrics"].items():
        before, after, change = (row[key] for key in ("before", "after", "change"))
        assert row["better"] == METRICS[name].better
        assert all(type(figure) in {int, float, str, dict, type(None)} for figure in row.values())
        assert change == (None if before is None or after is None else after - before)
        assert change is not None or row["note"]
        assert ("score" in row) == (name in {"centrality", "communities"})
        if row.get("score") is not None:
            assert 0 <= row["score"] <= 1 and (before, after) == (1.0, row["score"])


@given(releases())
def test_a_network_compared_with_itself_has_not_changed(pair: tuple[Network, Network]) -> None:
    network = pair[1]
    found = compare(network, network, threads=1)

    assert (found.deleted, found.new, found.edges_deleted) == (0, 0, 0.0)
    assert all(finding.change in {0, None} for finding in found.metrics.values())
    assert all(finding.score in {1.0, None} for finding in found.metrics.values())


@given(releases(), st.data())
def test_the_order_of_nodes_in_the_release_changes_nothing(
    pair: tuple[Network, Network], data: st.DataObject
) -> None:
    before, after = pair
    order = data.draw(st.permutations(range(before.node_count)))

    expected = compare(before, after, threads=1)
    assert compare(before, reordered(after, order), threads=1).metrics == expected.metrics


@pytest.mark.quick(4)
@pytest.mark.parametrize("name", [name for name in METRICS if name != "communities"])
@given(pair=releases(), data=st.data())
def test_the_order_of_nodes_changes_nothing(
    name: str, pair: tuple[Network, Network], data: st.DataObject
) -> None:
    """Of both networks at once, whatever is tied. Communities are random, so they are left out here."""
    order = data.draw(st.permutations(range(pair[0].node_count)))
    found = METRICS[name].compare(*(side(network) for network in pair))
    again = METRICS[name].compare(*(side(reordered(network, order)) for network in pair))

    assert found == again


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"seed": -1}, "seed -1: give a whole number, 0 or more"),
        ({"top": 0}, "top 0: give the number of central nodes to compare, 1 or more"),
        ({"top": 5}, "top 5: the network has 4 nodes; give at most that"),
        ({"threads": 0}, "threads 0: give a whole number, 1 or more"),
        ({"clustering": "textbok"}, "unknown clustering 'textbok': did you mean textbook"),
    ],
)
def test_a_setting_outside_its_rule_is_a_mistake(setting: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        compare(SQUARE, SQUARE, **setting)


@pytest.mark.parametrize("setting", [{"seed": 3}, {"top": 7}, {"clustering": "textbook"}])
def test_every_setting_changes_something(setting: dict[str, Any]) -> None:
    """`exact` has its own tests, where networks are taken for large ones."""
    network = Network.from_numbered_edges(np.random.default_rng(1).integers(0, 100, (200, 2)), 100)
    after = network.without_edges(np.arange(0, network.edge_count, 8))

    assert compare(network, after, **setting).metrics != compare(network, after).metrics


@pytest.mark.parametrize("nodes", [0, 1, 3])
def test_networks_without_edges_break_nothing(nodes: int) -> None:
    """What cannot be computed is None and says why; what can be counted is counted."""
    empty = Network.from_numbered_edges([], nodes)
    found = compare(empty, empty)

    assert found.metrics["edges"].before == 0
    assert found.metrics["components"].before == found.metrics["isolated"].before == nodes
    for name in ("clustering", "path_length", "diameter", "centrality", "communities", "assortativity"):
        assert found.metrics[name].before is None and found.metrics[name].note
    assert (found.metrics["lcc"].before is None) == (nodes == 0)
    assert "–" in found.table()


@pytest.mark.thorough
def test_a_million_isolated_nodes_are_compared() -> None:
    """They take part in every figure, and in next to no work: path a - b - c loses an end."""
    network = Network.from_numbered_edges([(0, 1), (1, 2)], 1_000_000)
    found = compare(network, network.without_edges([1])).metrics

    assert (found["isolated"].before, found["isolated"].after) == (999_997, 999_998)
    assert (found["components"].before, found["components"].after) == (999_998, 999_999)
    assert (found["path_length"].before, found["path_length"].after) == (4 / 3, 1.0)
    assert (found["diameter"].before, found["diameter"].after) == (2, 1)
    assert found["communities"].details["communities_before"] == 999_998
    assert found["communities"].score == pytest.approx(1, abs=1e-6)


def test_after_an_error_nothing_goes_on_in_the_background(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    class Broken(type(METRICS["edges"])):  # type: ignore[misc]
        def compare(self, before: Any, after: Any) -> Finding:
            seen.append(before)
            raise ZeroDivisionError

    monkeypatch.setitem(METRICS, "edges", Broken())

    with pytest.raises(ZeroDivisionError):
        compare(SQUARE, SQUARE)
    assert seen[0].abandoned.is_set()


@given(networks(), st.data())
def test_fresh_labels_are_matched_through_a_table(network: Network, data: st.DataObject) -> None:
    """Which may hold text where the networks hold numbers."""
    order = data.draw(st.permutations(range(network.node_count)))
    released = network.relabelled(np.array(order, dtype=np.int64))
    table = {str(old): str(new) for old, new in enumerate(order)}

    assert renumbered(network, released, people_of(network, released, table)) == network


def test_orders_do_not_change_communities() -> None:
    """Neither the clear ones of a barbell, nor those that are drawn: their similarity is published."""
    order = [7, 2, 9, 4, 0, 1, 8, 3, 6, 5]
    before = reordered(Network.from_networkx(nx.gnm_random_graph(60, 90, seed=1)), range(60))
    pair, turned = (before, before.without_edges(range(5))), list(range(59, -1, -1))
    found = compare(reordered(BARBELL, order), BARBELL.without_edges([BRIDGE]))

    assert found.metrics["communities"].score == 1.0
    assert compare(*(reordered(network, turned) for network in pair)).metrics == compare(*pair).metrics


def test_threads_change_nothing() -> None:
    network = load("karate")
    after = network.without_edges([0, 20, 40])
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda seed: compare(network, network, seed=seed), [0, 1, 0, 1]))

    assert compare(network, after, threads=1) == compare(network, after, threads=5) == compare(network, after)
    assert found[0] == found[2] and found[1] == found[3]


def test_deleted_and_new_edges_are_counted_apart() -> None:
    """A few new ones are told, for somebody may have added edges; more than half are another network."""
    other = Network.from_edges([("a", "b"), ("b", "c"), ("c", "d"), ("a", "c")])
    sides, across = [("a", "b"), ("b", "c")], [("a", "c"), ("b", "d")]
    found, another = compare(SQUARE, other), Network.from_edges([sides[0], *across])

    assert (found.deleted, found.new, found.edges_deleted) == (1, 1, 0.25)
    assert found.notes[0].startswith("1 edge of the released network is not in the original")
    assert found.notes[0] in found.table() and found.notes[0] in found._repr_html_()
    assert compare(SQUARE, Network.from_edges([*sides, *across])).new == 2
    with pytest.raises(NetworkError, match="the original lacks 2 of the 3 edges of the released network"):
        compare(SQUARE, another)
    with pytest.raises(NetworkError, match="Give the table of labels that belongs to this release"):
        compare(SQUARE, another, labels=dict(zip("abcd", "abcd", strict=True)))
    # j, isolated in the barbell, gets a contact: paths are searched from all nodes of both networks.
    grown = Network.from_edges([*BARBELL.to_edges(), ("j", "a")], nodes="abcdefghij")
    from_both = compare(BARBELL, grown).metrics["path_length"]
    assert from_both.after == compare(grown, grown).metrics["path_length"].before


def test_a_comparison_reads_as_a_table_and_is_short_in_a_prompt() -> None:
    """On a terminal with remarks below, in pandas by metric; more than all, or of nothing, is no share."""
    halved = compare(BARBELL, BARBELL.without_edges([BRIDGE]))
    lines, table = halved.table().splitlines(), halved.to_pandas()
    emptied = compare(SQUARE, SQUARE.without_edges([0, 1, 2, 3])).table()

    assert lines[0].split() == ["before", "after", "change", "better"]
    assert lines[1].split() == ["edges", "14", "13", "-7.14%", "closer"]
    assert ["connected", "components", "2", "3", "+50.0%", "closer"] in [line.split() for line in lines]
    assert "clustering: over nodes with at least two neighbours, as in the paper" in lines
    assert len({len(line) for line in lines[: len(METRICS) + 1]}) == 1
    assert halved.table(notes=False).splitlines() == lines[: len(METRICS) + 1]
    assert "connected components" in emptied and " +3" in emptied and " +4" in emptied
    assert list(table.index) == list(METRICS)
    assert (table.loc["edges", "change"], table.loc["communities", "score"]) == (-1, 1.0)
    assert table["better"].to_list() == [metric.better for metric in METRICS.values()]
    assert repr(halved) == "Comparison('network', 1 of 14 edges deleted)"


ODD, FINE = Network.from_edges([(1, "1")]), Network.from_edges([("1", "2")])
FEWER = Network.from_edges([("a", "b"), ("b", "c")])
MISSING = (
    r"^the networks do not have the same nodes: 4 in the original, 3 in the released network, 3 in both by "
    r"label\. Nodes without edges must be in the released file too\.$"
)


@pytest.mark.parametrize(
    ("original", "released", "table", "told"),
    [
        (SQUARE, FEWER, None, MISSING),
        (SQUARE, SQUARE.relabelled(np.arange(4)), None, r"0 in both by label\. If the release has fresh"),
        (SQUARE, SQUARE, {"a": "0", "x": "1"}, "has 1 of the original's 4 nodes; give the table"),
        (SQUARE, SQUARE, dict(zip("abcd", range(4), strict=True)), r"0 in both by label\. Give the table of"),
        (ODD, FINE, None, "1 label of the original is not unique"),
        (FINE, ODD, None, "1 label of the released network is not unique"),
    ],
)
def test_nodes_that_cannot_be_matched_are_counted_and_not_named(
    original: Network, released: Network, table: dict[str, Any] | None, told: str
) -> None:
    """With a remedy; the number 1 and the text 1 are one label, and nobody could tell which is meant."""
    with pytest.raises(NetworkError, match=told):
        people_of(original, released, table)


def test_the_random_generator_is_pythons_own_again_afterwards() -> None:
    """A seed for Python's generator decides what igraph draws; a seeded part in between takes nothing."""
    graph = igraph.Graph.Full(4)
    compare(load("karate"), load("karate"))
    with pytest.raises(ZeroDivisionError), seeded(1):
        _ = 1 / 0

    random.seed(5)
    expected = [graph.random_walk(0, 20), graph.random_walk(0, 20)]
    random.seed(5)
    first = graph.random_walk(0, 20)
    with seeded(1):
        graph.random_walk(0, 20)
    assert [first, graph.random_walk(0, 20)] == expected


def test_a_second_thread_waits_for_its_turn() -> None:
    """Else each would draw from the other's seed."""
    entered = Event()

    def enter() -> None:
        with seeded(2):
            entered.set()

    waiting = Thread(target=enter)
    with seeded(1):
        waiting.start()
        assert not entered.wait(0.05)
    waiting.join()
    assert entered.is_set()
