"""The whole comparison: every metric under the same contract, orders, seeds, threads, and what people see."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from utility_graphs import BARBELL, BRIDGE, releases, reordered, side

from graphs import SQUARE
from netveil import load
from netveil.errors import NetworkError, SettingError
from netveil.network import Network
from netveil.utility import METRICS, Finding, communities, compare, comparison
from netveil.utility.metric import CLOSER, HIGHER, LOWER

KEYS = {"before", "after", "change", "better"}


@pytest.fixture(autouse=True)
def few_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten runs of Louvain tell as much here as a hundred."""
    monkeypatch.setattr(communities, "RUNS", 10)


@pytest.mark.parametrize("name", METRICS)
def test_a_metric_introduces_itself(name: str) -> None:
    """With its name, a title, a sentence on what it means, and which way is better."""
    metric = METRICS[name]

    assert metric.name == name
    assert metric.title and metric.title[0].islower()
    assert metric.meaning.endswith(".") and " " in metric.meaning
    assert metric.better in {CLOSER, HIGHER, LOWER}
    assert metric.__doc__


@settings(max_examples=25)
@given(releases())
def test_every_metric_keeps_the_contract(pair: tuple[Network, Network]) -> None:
    """Plain numbers or None with a reason, a change that is the difference, a score between 0 and 1."""
    document = compare(*pair, threads=1).to_dict()
    json.dumps(document, allow_nan=False)

    assert list(document["metrics"]) == list(METRICS)
    for name, row in document["metrics"].items():
        assert row.keys() >= KEYS
        assert row["better"] == METRICS[name].better
        assert ("score" in row) == (name in {"centrality", "communities"})
        _check_figures(row)


def _check_figures(row: dict[str, Any]) -> None:
    assert all(type(figure) in {int, float, str, dict, type(None)} for figure in row.values())
    if row["before"] is None or row["after"] is None:
        assert row["change"] is None and row["note"]
    else:
        assert row["change"] == row["after"] - row["before"]
    if row.get("score") is not None:
        assert 0 <= row["score"] <= 1 and (row["before"], row["after"]) == (1.0, row["score"])


@settings(max_examples=15)
@given(releases())
def test_a_network_compared_with_itself_has_not_changed(pair: tuple[Network, Network]) -> None:
    """Not even where things are random."""
    network = pair[1]
    found = compare(network, network, threads=1)

    assert (found.deleted, found.new, found.edges_deleted) == (0, 0, 0.0)
    assert all(finding.change in {0, None} for finding in found.metrics.values())
    assert all(finding.score in {1.0, None} for finding in found.metrics.values())


@settings(max_examples=15)
@given(releases(), st.data())
def test_the_order_of_nodes_in_the_release_changes_nothing(
    pair: tuple[Network, Network], data: st.DataObject
) -> None:
    """Its nodes take the numbers of the original's."""
    before, after = pair
    order = data.draw(st.permutations(range(before.node_count)))

    expected = compare(before, after, threads=1)
    assert compare(before, reordered(after, order), threads=1).metrics == expected.metrics


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


def test_neither_do_orders_change_the_communities_of_a_clear_case() -> None:
    """A barbell falls into its halves however it is written down."""
    order = [7, 2, 9, 4, 0, 1, 8, 3, 6, 5]
    found = compare(reordered(BARBELL, order), BARBELL.without_edges([BRIDGE]))

    assert found.metrics["communities"].score == 1.0


def test_the_order_of_nodes_does_not_change_communities_that_are_drawn() -> None:
    """Their similarity is published: it shall not depend on the order of a file."""
    before = reordered(Network.from_networkx(nx.gnm_random_graph(60, 90, seed=1)), range(60))
    pair, order = (before, before.without_edges(range(5))), list(range(59, -1, -1))

    assert compare(*(reordered(network, order) for network in pair)).metrics == compare(*pair).metrics


def test_the_number_of_threads_changes_nothing() -> None:
    """More, fewer, or more than there are cores."""
    network = load("karate")
    after = network.without_edges([0, 20, 40])

    assert compare(network, after, threads=1) == compare(network, after, threads=5) == compare(network, after)


def test_comparisons_in_several_threads_do_not_disturb_each_other() -> None:
    """They share igraph's one random generator, each in its turn."""
    network = load("karate")
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda seed: compare(network, network, seed=seed), [0, 1, 0, 1]))

    assert found[0] == found[2] and found[1] == found[3]


@pytest.mark.parametrize("setting", [{"seed": 3}, {"top": 7}, {"clustering": "textbook"}])
def test_every_setting_changes_something(setting: dict[str, Any]) -> None:
    """`exact` has its own tests, where networks are taken for large ones."""
    network = Network.from_numbered_edges(np.random.default_rng(1).integers(0, 100, (200, 2)), 100)
    after = network.without_edges(np.arange(0, network.edge_count, 8))

    assert compare(network, after, **setting).metrics != compare(network, after).metrics


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
    """Told before anything is computed."""
    with pytest.raises(SettingError, match=message):
        compare(SQUARE, SQUARE, **setting)


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


def test_deleted_and_new_edges_are_counted_apart() -> None:
    """A few new ones are no error, for somebody may have added edges, but they are told."""
    other = Network.from_edges([("a", "b"), ("b", "c"), ("c", "d"), ("a", "c")])
    found = compare(SQUARE, other)

    assert (found.deleted, found.new, found.edges_deleted) == (1, 1, 0.25)
    assert found.notes[0].startswith("1 edge of the released network is not in the original")
    assert found.notes[0] in found.table() and found.notes[0] in found._repr_html_()


def test_half_of_the_edges_may_be_new_and_no_more() -> None:
    """Two sides of a square and both diagonals pass; one side and both diagonals are another network."""
    sides, across = [("a", "b"), ("b", "c")], [("a", "c"), ("b", "d")]
    assert compare(SQUARE, Network.from_edges([*sides, *across])).new == 2

    with pytest.raises(NetworkError, match="the original lacks 2 of the 3 edges of the released network"):
        compare(SQUARE, Network.from_edges([sides[0], *across]))
    with pytest.raises(NetworkError, match="Give the table of labels that belongs to this release"):
        compare(
            SQUARE, Network.from_edges([sides[0], *across]), labels=dict(zip("abcd", "abcd", strict=True))
        )


def test_an_edge_to_a_node_that_had_none_is_seen_from_both_ends() -> None:
    """j, isolated in the barbell, gets a contact: paths are searched from all nodes of both networks."""
    grown = Network.from_edges([*BARBELL.to_edges(), ("j", "a")], nodes="abcdefghij")
    found = compare(BARBELL, grown).metrics["path_length"]

    assert found.after == compare(grown, grown).metrics["path_length"].before


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


def test_a_release_of_a_file_with_numbers_is_matched_through_its_labels() -> None:
    """Without the table its labels would fit, to the wrong nodes, and the error says what to do."""
    network = load("karate")
    order = np.random.default_rng(1).permutation(34)
    released = network.without_edges([0, 1]).relabelled(order)
    table = dict(zip(network.labels, order.tolist(), strict=True))

    with pytest.raises(NetworkError, match="give its release folder, or its table of labels"):
        compare(network, released)
    assert compare(network, released, labels=table).deleted == 2
    assert (
        compare(network, released, labels=table).metrics
        == compare(network, network.without_edges([0, 1])).metrics
    )


def test_after_an_error_nothing_goes_on_in_the_background(monkeypatch: pytest.MonkeyPatch) -> None:
    """A defect in one metric ends the comparison; the other threads are told."""
    seen = []

    class Broken(type(METRICS["edges"])):  # type: ignore[misc]
        def compare(self, before: Any, after: Any) -> Finding:
            seen.append(before)
            raise ZeroDivisionError

    monkeypatch.setattr(comparison, "METRICS", {**METRICS, "edges": Broken()})

    with pytest.raises(ZeroDivisionError):
        compare(SQUARE, SQUARE)
    assert seen[0].abandoned.is_set()


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_is_in_the_documentation(name: str) -> None:
    """In a row of its own, with what it means and which way is better."""
    page = Path(__file__).parents[2] / "docs" / "utility.md"
    rows = [
        line for line in page.read_text(encoding="utf-8").splitlines() if line.startswith(f"| `{name}` |")
    ]

    assert len(rows) == 1 and rows[0].count("|") >= 5
    assert f"| {METRICS[name].better.removesuffix(' is better')} |" in rows[0]
