"""The order of nodes and edges in the input decides nothing: the search numbers nodes by their labels."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from graphs import clustered, networks
from netveil.attributes import Attributes
from netveil.network import Network
from netveil.search import ALGORITHMS, Control
from netveil.search.run_search import in_label_order, label_order
from searches import outcome_of

NAMED = replace(clustered(), labels=[f"person {node}" for node in range(60)])


def reordered(network: Network, order: np.ndarray[Any, Any]) -> Network:
    """The network with its nodes, and so its edges, in another order; everybody keeps the label."""
    labels = [network.labels[node] for node in order.tolist()]
    number = {label: node for node, label in enumerate(labels)}
    pairs = [(number[a], number[b]) for a, b in network.edge_labels(np.arange(network.edge_count))]
    attributes = network.attributes.of_nodes(order)
    return Network.from_numbered_edges(pairs, network.node_count, labels, attributes=attributes)


def ties(network: Network, edges: np.ndarray[Any, Any]) -> set[frozenset[Hashable]]:
    """Edges by the labels at their ends."""
    return {frozenset(pair) for pair in network.edge_labels(edges)}


@given(networks(), st.data())
def test_a_network_in_label_order_is_the_same_whatever_the_order_was(
    network: Network, data: st.DataObject
) -> None:
    """Nodes, edges and attributes; each edge has the number that it had."""
    labels = [f"p{node}" for node in range(network.node_count)]
    colours = Attributes({"colour": [node % 3 for node in range(network.node_count)]})
    network = replace(network, labels=labels, attributes=colours)
    order = np.array(data.draw(st.permutations(range(network.node_count))), dtype=int)
    other = reordered(network, order)
    one, had = in_label_order(network)
    two, had_there = in_label_order(other)

    assert list(one.labels) == list(two.labels) == sorted(labels)
    assert one.edges.tolist() == two.edges.tolist()
    assert list(one.attributes.node["colour"]) == list(two.attributes.node["colour"])
    for edge in range(network.edge_count):
        assert ties(one, np.array([edge])) == ties(network, had[[edge]]) == ties(other, had_there[[edge]])


@pytest.mark.parametrize(
    ("labels", "order"),
    [
        (["b", "a", "c"], [1, 0, 2]),
        ([10, 9, 8], [2, 1, 0]),
        (["x", 2, 1.5], [2, 1, 0]),
        ([(1, 2), (0, 1)], [0, 1]),
        (range(3), [0, 1, 2]),
        ([], []),
    ],
)
def test_labels_decide_the_order_where_they_have_one(labels: Any, order: list[int]) -> None:
    """Numbers before texts; other labels have no order that all agree on."""
    assert label_order(labels).tolist() == order


def edges_at(network: Network, last: str) -> np.ndarray[Any, Any]:
    """The edges at people whose names end so."""
    pairs = network.edge_labels(range(network.edge_count))
    return np.flatnonzero([any(str(name).endswith(last) for name in pair) for pair in pairs])


def note(kept: list[np.ndarray[Any, Any]], edges: np.ndarray[Any, Any], at_risk: int) -> None:
    """Note what a search has stored on its way."""
    kept.append(edges)


@pytest.mark.quick(2)
@pytest.mark.parametrize("curve", [False, True])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_same_seed_same_ties_whatever_the_order_of_the_input(algorithm: str, curve: bool) -> None:
    """Also of what must stay, where to start and what is kept on the way, all in the input's own numbers."""
    if curve and ALGORITHMS[algorithm].curve is None:
        pytest.skip("has no curve")
    found = []
    for network in (NAMED, reordered(NAMED, np.random.default_rng(1).permutation(60))):
        kept: list[np.ndarray[Any, Any]] = []
        control = Control(keeper=partial(note, kept))
        control._kept = -1e9  # so long ago that the first is kept at once
        stay = edges_at(network, "7")
        start = np.setdiff1d(edges_at(network, "55"), stay)
        outcome = outcome_of(network, algorithm, protect=stay, start=start, control=control, curve=curve)
        assert outcome.protected_edges.tolist() == stay.tolist()
        points = [outcome.deleted_edges, *(point.deleted_edges for point in outcome.curve), *kept[:1]]
        found.append([ties(network, edges) for edges in points])

    assert found[0] == found[1] and found[0][0]
