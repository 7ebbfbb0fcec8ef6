"""Metric communities: NMI by its definition, seeds, and less where a network is large."""

from __future__ import annotations

import math
from collections import Counter
from concurrent.futures import CancelledError
from itertools import combinations, permutations
from typing import Any

import igraph
import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray
from utility_graphs import BARBELL, BRIDGE, side

from netveil.kernels.arrays import IntMatrix, IntVector
from netveil.network import Network
from netveil.utility import METRICS, Side, communities as module
from netveil.utility.communities import _nmi, consensus, number_of_runs
from netveil.utility.metric import seeded

METRIC = METRICS["communities"]
TRUTH = np.repeat([0, 1, 2], 4)
BARBELL_WORK = 9 + 28  # nodes with edges, and edge ends

# A hundred nodes, each tied to others by chance.
WITHOUT_COMMUNITIES = Network.from_numbered_edges(np.random.default_rng(1).integers(0, 100, (300, 2)), 100)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=12))
def test_nmi_equals_its_definition(pairs: list[tuple[int, int]]) -> None:
    """Twice the information that two divisions share, over what both hold."""

    def entropy(items: list[Any]) -> float:
        shares = [count / len(items) for count in Counter(items).values()]
        return -sum(share * math.log(share) for share in shares)

    divisions = [[pair[side] for pair in pairs] for side in (0, 1)]
    held = sum(map(entropy, divisions))
    expected = 2 * (held - entropy(pairs)) / held if held else 1.0

    numbered = (np.unique(division, return_inverse=True)[1] for division in divisions)  # as ours are
    assert _nmi(*numbered) == pytest.approx(expected, abs=1e-9)


def test_two_groups_stay_two_groups_without_the_bridge() -> None:
    """The barbell: each half with its own, and the node without edges alone."""
    finding = METRIC.compare(side(BARBELL), side(BARBELL.without_edges([BRIDGE])))

    assert (finding.before, finding.after, finding.score, finding.change) == (1.0, 1.0, 1.0, 0.0)
    assert finding.details["communities_before"] == finding.details["communities_after"] == 3
    assert finding.details["stability"] == 1.0
    # 13 of 14 edges lie within; the ends of edges are split 15 to 13.
    expected = 13 / 14 - (15 / 28) ** 2 - (13 / 28) ** 2
    assert finding.details["modularity_before"] == pytest.approx(expected)
    assert finding.note == (
        "consensus of 100 runs of Louvain; two halves of the runs on the original agree by 1.0000"
    )


def test_isolated_nodes_are_communities_of_their_own_and_change_no_other() -> None:
    """Wherever they stand among the others: the same modularity, and as many communities more.

    Give or take one: they count in how often two nodes would be together by chance, and then igraph draws.
    """
    network = WITHOUT_COMMUNITIES
    apart = Network.from_numbered_edges(3 * network.edges.astype(np.int64) + 1, 3 * network.node_count)
    dense = METRIC.compare(side(network), side(network))
    sparse = METRIC.compare(side(apart), side(apart))

    assert sparse.score == 1.0 and 0 < dense.details["stability"] < 1
    more = sparse.details["communities_before"] - dense.details["communities_before"]
    assert more == pytest.approx(200, abs=1)
    assert sparse.details["modularity_before"] == pytest.approx(dense.details["modularity_before"], abs=0.05)


def test_the_best_of_few_runs_has_the_highest_modularity() -> None:
    before = side(WITHOUT_COMMUNITIES)
    with seeded(0):
        divisions = module._divisions(before, 5)
    found, *_, worst = sorted((each.modularity for each in divisions), reverse=True)

    assert before.graph.modularity(module._best(divisions).tolist()) == found > worst


def test_no_more_runs_once_nobody_waits() -> None:
    before = side(BARBELL)
    before.abandoned.set()

    with pytest.raises(CancelledError):
        METRIC.compare(before, Side(BARBELL, before.settings, like=before))


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


@given(several_divisions(), st.integers(1, 5), st.data())
def test_grouping_nodes_that_are_always_together_loses_nothing(
    divisions: IntMatrix, fewest: int, data: st.DataObject
) -> None:
    """Any division of the groups has the modularity that it has among the nodes themselves."""
    runs, nodes = divisions.shape
    _, first, group_of, members = np.unique(
        divisions, axis=1, return_index=True, return_inverse=True, return_counts=True
    )
    graph, weights = module._agreement(divisions[:, first], members, fewest)
    community = data.draw(st.lists(st.integers(0, 2), min_size=len(members), max_size=len(members)))

    shares = agreement(divisions)
    shares[shares * runs < fewest - 1e-9] = 0
    pairs = [pair for pair in combinations(range(nodes), 2) if shares[pair] > 0]
    if not pairs:
        assert graph.ecount() == 0
    else:
        full = igraph.Graph(n=nodes, edges=pairs)
        of_nodes = np.array(community)[group_of.ravel()].tolist()
        expected = full.modularity(of_nodes, [shares[pair] for pair in pairs])
        assert graph.modularity(community, weights) == pytest.approx(expected, abs=1e-12)


def _louvain(graph: igraph.Graph, weights: list[float]) -> IntVector:
    return np.array(graph.community_multilevel(weights=weights).membership)


@pytest.mark.parametrize(
    ("divisions", "expected"),
    [
        ([[0, 0, 1, 1, 2], [1, 1, 2, 2, 0]], [0, 0, 1, 1, 2]),
        ([[0, 0, 0, 1, 1], [0, 0, 0, 1, 1], [0, 0, 1, 1, 1]], [0, 0, 0, 1, 1]),
        ([[0, 1, 2], [2, 0, 1]], [0, 1, 2]),
        ([[0] * 5] * 4, [0] * 5),
        # Twelve nodes in three clear groups, each division with one node astray.
        ([np.where(np.arange(12) == astray, (TRUTH + 1) % 3, TRUTH) for astray in range(12)], list(TRUTH)),
    ],
    ids=["all agree", "most agree", "never together", "all together", "one astray"],
)
def test_a_consensus_is_what_most_divisions_say(divisions: Any, expected: list[int]) -> None:
    """Whatever the communities are called in each; as by its slow twin where chance has no say."""
    with seeded(0):
        found = consensus(np.array(divisions), _louvain)

    assert found is not None and found.tolist() == expected
    assert len(expected) < 12 or _slow_consensus(np.array(divisions)) == expected


def test_there_is_none_where_it_would_take_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    """The caller has to be content with less."""
    monkeypatch.setattr(module, "MOST_PAIRS", 3)

    assert consensus(np.array([[0, 0, 1, 1], [0, 1, 1, 0]]), _louvain) is None


def _slow_consensus(divisions: IntMatrix) -> list[int]:
    """The recipe word for word: a dense D among all nodes, thresholded, divided 10 times until all agree."""
    numerator, denominator = module._threshold(divisions)
    while True:
        shares = agreement(divisions)
        kept = shares >= numerator / denominator
        pairs = [pair for pair in combinations(range(len(shares)), 2) if kept[pair]]
        graph = igraph.Graph(n=len(shares), edges=pairs)
        divided = [_louvain(graph, [shares[pair] for pair in pairs]) for _ in range(10)]
        lists = [division.tolist() for division in divided]
        firsts = [list(dict.fromkeys(each)) for each in lists]
        divisions = np.array(
            [list(map(first.index, each)) for first, each in zip(firsts, lists, strict=True)]
        )
        if (divisions == divisions[0]).all():
            return [int(community) for community in divisions[0]]


@pytest.mark.thorough
def test_the_seed_alone_decides_although_louvain_is_random() -> None:
    """Both sides are seeded alike; `stability` tells that another seed would have found others."""
    network = WITHOUT_COMMUNITIES
    after = network.without_edges(np.arange(0, network.edge_count, 10))
    first, again, other = (
        METRIC.compare(side(network, seed=seed), side(after, seed=seed)) for seed in (0, 0, 1)
    )
    unchanged = METRIC.compare(side(network), side(network))

    assert first == again
    assert first.details != other.details
    assert unchanged.score == 1.0 and unchanged.details["stability"] < 1.0


@pytest.mark.parametrize(
    ("work", "runs", "note"),
    [
        (BARBELL_WORK * 12, 12, "consensus of 12 runs"),
        (BARBELL_WORK * 3, 3, "best of 3 runs of Louvain by modularity"),
        (1, 1, "one run of Louvain, because a consensus takes too long"),
    ],
)
def test_large_networks_get_fewer_runs_unless_exact_figures_are_asked_for(
    work: int, runs: int, note: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The finding says how many; too few give the best of them, and one knows nothing about stability."""
    monkeypatch.setattr(module, "WORK", work)
    finding = METRIC.compare(side(BARBELL), side(BARBELL))

    assert (number_of_runs(side(BARBELL)), number_of_runs(side(BARBELL, exact=True))) == (runs, 100)
    assert finding.note.startswith(note)
    assert (finding.score, finding.details["runs"]) == (1.0, runs)
    assert ("stability" in finding.details) == (runs > 1) == (finding.note != note)
