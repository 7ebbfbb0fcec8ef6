"""Metric centrality: who is on top, ties, and how sure a sample is."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, strategies as st
from utility_graphs import BARBELL, BRIDGE, plain, releases, side

from graphs import PATH_OF_THREE, SQUARE
from netveil import load
from netveil.errors import SettingError
from netveil.network import Network
from netveil.utility import METRICS, side as path_survey
from netveil.utility.centrality import overlap, size_of_top, top_nodes


@pytest.mark.parametrize(
    ("nodes", "wished", "size"), [(1, None, 1), (34, None, 6), (499, None, 99), (500, None, 100), (9, 9, 9)]
)
def test_the_top_has_100_nodes_or_a_fifth_or_what_is_wished(
    nodes: int, wished: int | None, size: int
) -> None:
    """Never none."""
    assert size_of_top(nodes, wished) == size


def test_a_top_of_more_nodes_than_there_are_is_a_mistake() -> None:
    """The message says how many there are."""
    with pytest.raises(SettingError, match="top 11: the network has 10 nodes; give at most that"):
        size_of_top(10, 11)


def test_whoever_is_tied_with_the_last_is_in() -> None:
    """Also if they differ by rounding only; and never somebody whom no path leads through."""
    betweenness = np.array([5.0, 3.0, 3.0 * (1 + 1e-15), 1.0, 0.0])

    assert top_nodes(betweenness, 1).tolist() == [True, False, False, False, False]
    assert top_nodes(betweenness, 2).tolist() == [True, True, True, False, False]
    assert top_nodes(betweenness, 5).tolist() == [True, True, True, True, False]


@given(st.lists(st.booleans(), min_size=1, max_size=9), st.data())
def test_overlap_is_what_is_shared_of_the_larger(one: list[bool], data: st.DataObject) -> None:
    """Sets of nodes, as masks."""
    other = data.draw(st.lists(st.booleans(), min_size=len(one), max_size=len(one)))
    sets = [{node for node, inside in enumerate(mask) if inside} for mask in (one, other)]
    larger = max(len(sets[0]), len(sets[1]))

    expected = len(sets[0] & sets[1]) / larger if larger else 1.0
    assert overlap(np.array(one), np.array(other)) == expected


@given(releases(), st.integers(1, 12))
def test_without_ties_the_score_is_the_papers(pair: tuple[Network, Network], size: int) -> None:
    """Common elements of the two tops, over their size."""
    before, after = pair
    size = min(size, before.node_count)
    tops = []
    for network in pair:
        ranked = sorted(nx.betweenness_centrality(plain(network), normalized=False).items(), key=_value)
        boundary = [number for _, number in ranked[-size - 1 :]]
        if boundary[-size] < 1e-12 or (len(boundary) > size and boundary[0] > boundary[1] - 1e-9):
            return  # a tie for the last place, or nodes that are between nobody
        tops.append({node for node, _ in ranked[-size:]})

    finding = METRICS["centrality"].compare(side(before, top=size), side(after, top=size))
    assert finding.score == len(tops[0] & tops[1]) / size


def _value(item: tuple[int, float]) -> float:
    return item[1]


def test_the_finding_says_how_many_nodes_were_compared() -> None:
    """In a square all are tied; a barbell has a bridge between its most central two."""
    square = METRICS["centrality"].compare(side(SQUARE, top=1), side(SQUARE, top=1))
    barbell = METRICS["centrality"].compare(side(BARBELL), side(BARBELL.without_edges([BRIDGE])))

    assert (square.score, square.details["top"], square.details["top_before"]) == (1.0, 1, 4)
    assert barbell.note == "top 2 by betweenness"
    assert (barbell.before, barbell.after, barbell.score, barbell.change) == (1.0, 0.0, 0.0, -1.0)


def test_deleting_all_edges_loses_all_central_nodes() -> None:
    """Nobody is tied with anybody at zero."""
    finding = METRICS["centrality"].compare(side(PATH_OF_THREE), side(PATH_OF_THREE.without_edges([0, 1])))

    assert (finding.score, finding.details["top_after"]) == (0.0, 0)


def test_the_size_of_the_top_matters() -> None:
    """Of the demo network less a twentieth of its edges, the first ten are not the first hundred."""
    network = load("demo")
    released = network.without_edges(np.arange(0, network.edge_count, 20))
    scores = {
        top: METRICS["centrality"].compare(side(network, top=top), side(released, top=top)).score
        for top in (10, 100, 1000)
    }

    assert len(set(scores.values())) == 3


def test_a_score_from_a_sample_has_a_standard_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """And lies within three of the exact score."""
    network = load("demo")
    released = network.without_edges(np.arange(0, network.edge_count, 20))
    exact = METRICS["centrality"].compare(side(network), side(released))
    monkeypatch.setattr(path_survey, "EXACT_WORK", 1000)
    monkeypatch.setattr(path_survey, "SAMPLED_WORK", 1000)
    before = side(network)
    sampled = METRICS["centrality"].compare(before, side(released, before))

    assert sampled.note == "top 100 by betweenness; estimated from 256 of 1,000 nodes"
    assert exact.score and sampled.score and not exact.standard_error
    assert 0 < sampled.standard_error["score"] < 0.1
    assert abs(sampled.score - exact.score) < 3 * sampled.standard_error["score"]
