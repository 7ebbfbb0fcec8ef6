"""Consensus clustering: threshold, agreement and outcome against slow twins that follow the definition."""

from __future__ import annotations

import random
from itertools import combinations, permutations

import igraph
import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

from netveil.kernels.arrays import IntMatrix, IntVector
from netveil.utility import communities as module
from netveil.utility.communities import consensus


@st.composite
def several_divisions(draw: st.DrawFn, max_nodes: int = 7) -> IntMatrix:
    """A few divisions of a few nodes, communities numbered from 0 without gaps."""
    nodes = draw(st.integers(2, max_nodes))
    rows = draw(st.lists(st.lists(st.integers(0, 3), min_size=nodes, max_size=nodes), min_size=1, max_size=5))
    return np.array([np.unique(row, return_inverse=True)[1] for row in rows])


def agreement(divisions: IntMatrix) -> NDArray[np.float64]:
    """D: for each two nodes, the share of divisions that put them together; 0 for a node and itself."""
    runs, nodes = divisions.shape
    shares = np.zeros((nodes, nodes))
    for one, other in combinations(range(nodes), 2):
        shares[one, other] = shares[other, one] = sum(divisions[:, one] == divisions[:, other]) / runs
    return shares


@given(several_divisions(max_nodes=4))
def test_the_threshold_is_the_mean_agreement_of_shuffled_divisions(divisions: IntMatrix) -> None:
    """Over all ways to shuffle, so it is exact."""
    nodes = divisions.shape[1]
    means = [
        agreement(division[list(order)][None, :]).mean()
        for division in divisions
        for order in permutations(range(nodes))
    ]
    numerator, denominator = module._threshold(divisions)

    assert numerator / denominator == pytest.approx(sum(means) / len(means))


@given(several_divisions(), st.integers(0, 4))
def test_nodes_that_are_always_alone_need_not_be_given(divisions: IntMatrix, isolated: int) -> None:
    """The threshold is the same as with them, and their number is enough to know it."""
    alone = divisions.max() + 1 + np.tile(np.arange(isolated), (len(divisions), 1))

    assert module._threshold(divisions, isolated) == module._threshold(np.hstack((divisions, alone)))


@given(several_divisions(), st.integers(1, 5), st.data())
def test_grouping_nodes_that_are_always_together_loses_nothing(
    divisions: IntMatrix, fewest: int, data: st.DataObject
) -> None:
    """Any division of the groups has the modularity that it has among the nodes themselves."""
    runs, nodes = divisions.shape
    group_of, members, first = module._always_together(divisions)
    graph, weights = module._agreement(divisions[:, first], members, fewest)
    community = data.draw(st.lists(st.integers(0, 2), min_size=len(members), max_size=len(members)))

    shares = agreement(divisions)
    shares[shares * runs < fewest - 1e-9] = 0
    pairs = [pair for pair in combinations(range(nodes), 2) if shares[pair] > 0]
    if not pairs:
        assert graph.ecount() == 0
    else:
        full = igraph.Graph(n=nodes, edges=pairs)
        expected = full.modularity(np.array(community)[group_of].tolist(), [shares[pair] for pair in pairs])
        assert graph.modularity(community, weights) == pytest.approx(expected, abs=1e-12)


def test_divisions_that_agree_are_their_own_consensus() -> None:
    """Whatever the communities are called in each."""
    divisions = np.array([[0, 0, 1, 1, 2], [1, 1, 2, 2, 0]])

    assert _consensus(divisions) == [0, 0, 1, 1, 2]


def test_what_most_divisions_say_wins() -> None:
    """Node 2 is with the first two in two of three divisions."""
    divisions = np.array([[0, 0, 0, 1, 1], [0, 0, 0, 1, 1], [0, 0, 1, 1, 1]])

    assert _consensus(divisions) == [0, 0, 0, 1, 1]


def test_nodes_that_are_never_together_stay_apart() -> None:
    """No edge is left to divide by."""
    assert _consensus(np.array([[0, 1, 2], [2, 0, 1]])) == [0, 1, 2]


def test_one_community_of_all_stays_one() -> None:
    """All nodes are one group, with an edge to itself."""
    assert _consensus(np.zeros((4, 5), dtype=np.int64)) == [0, 0, 0, 0, 0]


def test_it_equals_its_slow_twin_where_chance_has_no_say() -> None:
    """Twelve nodes in three clear groups, each division with one node astray."""
    truth = np.repeat([0, 1, 2], 4)
    divisions = np.array([np.where(np.arange(12) == astray, (truth + 1) % 3, truth) for astray in range(12)])

    assert _consensus(divisions) == _slow_consensus(divisions) == truth.tolist()


def test_there_is_none_where_it_would_take_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    """The caller has to be content with less."""
    divisions = np.array([[0, 0, 1, 1], [0, 1, 1, 0]])
    monkeypatch.setattr(module, "MOST_PAIRS", 3)

    assert consensus(divisions, _louvain) is None


def test_there_is_none_if_the_divisions_never_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rather than going on for ever."""
    monkeypatch.setattr(module, "MOST_ROUNDS", 3)
    generator = np.random.default_rng(1)

    def by_chance(graph: igraph.Graph, weights: list[float]) -> IntVector:
        return np.asarray(generator.integers(0, 2, graph.vcount()))

    assert consensus(generator.integers(0, 2, (20, 30)), by_chance) is None


def _louvain(graph: igraph.Graph, weights: list[float]) -> IntVector:
    return np.array(graph.community_multilevel(weights=weights).membership)


def _consensus(divisions: IntMatrix) -> list[int]:
    igraph.set_random_number_generator(random.Random(0))
    found = consensus(divisions, _louvain)
    igraph.set_random_number_generator(random)
    assert found is not None
    return [int(community) for community in found]


def _slow_consensus(divisions: IntMatrix) -> list[int]:
    """The recipe word for word: a dense D among all nodes, thresholded, divided 10 times until all agree."""
    numerator, denominator = module._threshold(divisions)
    while True:
        shares = agreement(divisions)
        pairs = [
            pair for pair in combinations(range(len(shares)), 2) if shares[pair] >= numerator / denominator
        ]
        graph = igraph.Graph(n=len(shares), edges=pairs)
        divided = [_louvain(graph, [shares[pair] for pair in pairs]) for _ in range(10)]
        divisions = np.array([module._numbered_by_appearance(division) for division in divided])
        if all((division == divisions[0]).all() for division in divisions):
            return [int(community) for community in divisions[0]]
