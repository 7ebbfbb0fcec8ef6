"""Shortest paths: the kernel against networkx and igraph, and sampled sources against all of them."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from utility_graphs import plain, side

from graphs import networks
from netveil import load
from netveil.kernels.shortest_paths import paths_from
from netveil.network import Network
from netveil.utility import METRICS, metric as path_survey
from netveil.utility.metric import batches_of_sources


@given(networks())
def test_betweenness_equals_networkx(network: Network) -> None:
    """Up to rounding, and exactly zero for nodes that no path leads through."""
    expected = nx.betweenness_centrality(plain(network), normalized=False)
    found = side(network).paths.betweenness

    assert found.tolist() == pytest.approx([expected[node] for node in range(network.node_count)])
    assert [node for node, number in expected.items() if number == 0] == np.flatnonzero(found == 0).tolist()


@given(networks())
def test_distances_from_each_source_equal_networkx(network: Network) -> None:
    """Their sum, their number and the largest; sources in any order, one of them twice."""
    sources = np.append(np.arange(network.node_count)[::-1], 0)
    totals = paths_from(network.csr, sources)

    for place, source in enumerate(sources.tolist()):
        lengths = list(nx.single_source_shortest_path_length(plain(network), source).values())
        assert totals.distance_sums[place] == sum(lengths)
        assert totals.reached[place] == len(lengths) - 1
        assert totals.farthest[place] == max(lengths)


def test_the_number_of_shortest_paths_may_outgrow_64_bits() -> None:
    """Eighty squares in a row: 2 to the 80 shortest paths from end to end."""
    squares = 80
    edges = [
        (3 * square + start, 3 * square + end)
        for square in range(squares)
        for start, end in ((0, 1), (0, 2), (1, 3), (2, 3))
    ]
    network = Network.from_numbered_edges(edges, 3 * squares + 1)
    expected = nx.betweenness_centrality(plain(network), normalized=False)

    assert side(network).paths.betweenness.tolist() == pytest.approx(list(expected.values()))


def test_sources_are_sampled_where_all_would_take_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without repetition, by the seed, and not if exact figures are asked for."""
    network = _as_if_large(monkeypatch)
    sample = np.concatenate(batches_of_sources(network, seed=0, exact=False))

    assert len(set(sample.tolist())) == len(sample) == 256
    assert sample.tolist() == np.concatenate(batches_of_sources(network, seed=0, exact=False)).tolist()
    assert sample.tolist() != np.concatenate(batches_of_sources(network, seed=1, exact=False)).tolist()
    assert sum(map(len, batches_of_sources(network, seed=0, exact=True))) == 1000


def test_isolated_nodes_are_no_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """All nodes stay sources where the others are few; a sample has as many with edges as without them."""
    pair = Network.from_numbered_edges([(0, 1)], 100_000)
    assert sum(map(len, batches_of_sources(pair, seed=0, exact=False))) == 100_000

    demo = _as_if_large(monkeypatch)
    padded = Network.from_numbered_edges(demo.edges, 10 * demo.node_count)
    sample = np.concatenate(batches_of_sources(padded, seed=0, exact=False))
    assert len(sample) == 256 * 10_000 // 997
    assert 200 < np.count_nonzero(padded.degrees[sample]) < 320


@pytest.mark.thorough
@pytest.mark.many_steps
def test_an_estimate_says_so_and_its_standard_error_is_honest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Over 40 seeds, the truth lies within two standard errors about 95 times in 100."""
    network = _as_if_large(monkeypatch)
    released = network.without_edges(np.arange(0, network.edge_count, 20))
    metric = METRICS["path_length"]
    exact = metric.compare(side(network, exact=True), side(released, exact=True))
    within = 0
    for seed in range(40):
        before = side(network, seed=seed)
        found = metric.compare(before, side(released, before, seed=seed))
        assert found.note == "estimated from 256 of 1,000 nodes"
        for figure in ("before", "after", "change"):
            miss = getattr(found, figure) - getattr(exact, figure)
            within += abs(miss) < 2 * found.standard_error[figure]
        assert found.standard_error["change"] < found.standard_error["before"]

    assert 0.88 < within / 120 <= 1 and not exact.standard_error


@pytest.mark.thorough
@pytest.mark.many_steps
def test_a_diameter_from_a_sample_is_a_lower_bound_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some pair that was not looked at may be farther apart."""
    network = _as_if_large(monkeypatch)
    exact = METRICS["diameter"].compare(side(network, exact=True), side(network, exact=True))
    sampled = METRICS["diameter"].compare(side(network), side(network))

    assert exact.before and sampled.before and sampled.before <= exact.before
    assert (exact.note, sampled.note) == ("", "a lower bound, estimated from 256 of 1,000 nodes")


def _as_if_large(monkeypatch: pytest.MonkeyPatch) -> Network:
    monkeypatch.setattr(path_survey, "EXACT_WORK", 1000)
    monkeypatch.setattr(path_survey, "SAMPLED_WORK", 1000)
    return load("demo")
