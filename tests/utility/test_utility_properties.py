"""Metrics that are a number of one network, against networkx and by hand."""

from __future__ import annotations

import math
from typing import Any

import networkx as nx
import pytest
from hypothesis import given
from utility_graphs import BARBELL, BRIDGE, plain, releases, side

from graphs import SQUARE, TRIANGLE_WITH_TAIL, networks
from netveil.network import Network
from netveil.utility import METRICS
from netveil.utility.metric import Property


def value(name: str, network: Network, **settings: Any) -> float | None:
    """The number that a metric gives to a network."""
    return METRICS[name].compare(side(network, **settings), side(network, **settings)).before


@given(networks())
def test_clustering_as_textbooks_have_it_equals_networkx(network: Network) -> None:
    """Nodes with fewer than two neighbours count as 0."""
    assert value("clustering", network, clustering="textbook") == pytest.approx(
        nx.average_clustering(plain(network))
    )


@given(networks())
def test_clustering_as_in_the_paper_equals_igraph(network: Network) -> None:
    """Nodes with fewer than two neighbours are left out."""
    expected = network.to_igraph().transitivity_avglocal_undirected(mode="nan")
    found = value("clustering", network)

    assert found is None if math.isnan(expected) else found == pytest.approx(expected)


def test_the_two_ways_of_clustering_differ_by_the_nodes_left_out() -> None:
    """Triangle with a tail: (1 + 1 + 1/3) over three nodes, or over four."""
    assert value("clustering", TRIANGLE_WITH_TAIL) == pytest.approx(7 / 9)
    assert value("clustering", TRIANGLE_WITH_TAIL, clustering="textbook") == pytest.approx(7 / 12)


@given(networks())
def test_distances_equal_networkx(network: Network) -> None:
    """The average over pairs that a path connects, and the largest."""
    lengths = [
        length
        for source, targets in nx.all_pairs_shortest_path_length(plain(network))
        for target, length in targets.items()
        if target != source
    ]

    assert value("path_length", network) == (sum(lengths) / len(lengths) if lengths else None)
    assert value("diameter", network) == (max(lengths) if lengths else None)


@given(networks())
def test_components_equal_networkx(network: Network) -> None:
    """Their number, the share of the largest, and the nodes alone."""
    sizes = [len(component) for component in nx.connected_components(plain(network))]

    assert value("components", network) == len(sizes)
    assert value("lcc", network) == max(sizes) / network.node_count
    assert value("isolated", network) == nx.number_of_isolates(plain(network))


@given(networks())
def test_assortativity_is_the_correlation_of_degrees_over_edges(network: Network) -> None:
    """Each edge counts in both directions; without variance there is none."""
    degrees = dict(plain(network).degree())
    ends = [(degrees[u], degrees[v]) for u, v in plain(network).to_directed().edges()]
    found = value("assortativity", network)

    if len({degree for degree, _ in ends}) < 2:
        assert found is None
    else:
        assert found == pytest.approx(_correlation(ends), abs=1e-12)


def _correlation(pairs: list[tuple[int, int]]) -> float:
    mean = sum(one for one, _ in pairs) / len(pairs)
    shared = sum((one - mean) * (other - mean) for one, other in pairs)
    return shared / sum((one - mean) ** 2 for one, _ in pairs)


@given(networks())
def test_cores_equal_networkx(network: Network) -> None:
    """The largest core number, and the share of nodes that have it."""
    numbers = nx.core_number(plain(network))
    finding = METRICS["degeneracy"].compare(side(network), side(network))
    in_main_core = sum(number == max(numbers.values()) for number in numbers.values())

    assert finding.before == max(numbers.values())
    assert finding.details["main_core_before"] == in_main_core / network.node_count


@given(releases())
def test_distance_between_degree_distributions_equals_its_definition(pair: tuple[Network, Network]) -> None:
    """The largest gap between the shares of nodes with at most k neighbours."""
    before, after = pair
    gaps = [
        abs(sum(before.degrees <= most) - sum(after.degrees <= most)) / before.node_count
        for most in range(before.node_count)
    ]

    finding = METRICS["degree_distribution"].compare(side(before), side(after))
    assert finding.after == pytest.approx(max(gaps))


def test_average_degree_and_edges_are_counted() -> None:
    """Four nodes in a square."""
    assert value("average_degree", SQUARE) == 2.0
    assert value("edges", SQUARE) == 4


def test_cutting_the_bridge_of_a_barbell_is_seen_by_the_metrics_that_should() -> None:
    """Its halves fall apart; triangles stay, so only the clustering of the two ends of the bridge rises."""
    before, after = side(BARBELL), side(BARBELL.without_edges([BRIDGE]))
    found = {name: metric.compare(before, after) for name, metric in METRICS.items()}

    assert (found["components"].before, found["components"].change) == (2, 1)
    assert (found["lcc"].before, found["lcc"].after) == (0.9, 0.5)
    assert (found["diameter"].before, found["diameter"].after) == (4, 2)
    assert found["degeneracy"].change == 0
    assert found["edges"].change == -1
    assert found["clustering"].change == pytest.approx((1 - 1 / 2) * 2 / 8)


def test_what_has_no_value_on_one_side_says_on_which_and_why() -> None:
    """The other side keeps its number."""
    finding = METRICS["path_length"].compare(side(SQUARE), side(SQUARE.without_edges([0, 1, 2, 3])))

    assert (finding.before, finding.after, finding.change) == (4 / 3, None, None)
    assert finding.note == "after: no two nodes are connected"


@pytest.mark.parametrize("name", [name for name, metric in METRICS.items() if isinstance(metric, Property)])
def test_a_property_does_not_depend_on_the_other_side(name: str) -> None:
    """Before is the same number whatever comes after."""
    empty = BARBELL.without_edges(range(BARBELL.edge_count))

    assert METRICS[name].compare(side(BARBELL), side(empty)).before == value(name, BARBELL)
