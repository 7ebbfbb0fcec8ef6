"""Metric communities: NMI by its definition, seeds, and less where a network is large."""

from __future__ import annotations

import math
from collections import Counter
from concurrent.futures import CancelledError

import numpy as np
import pytest
from hypothesis import given, strategies as st
from utility_graphs import BARBELL, BRIDGE, side

from netveil.network import Network
from netveil.utility import METRICS, Side, communities
from netveil.utility.communities import _nmi, number_of_runs

METRIC = METRICS["communities"]
BARBELL_WORK = 9 + 28  # nodes with edges, and edge ends

# A hundred nodes, each tied to others by chance.
WITHOUT_COMMUNITIES = Network.from_numbered_edges(np.random.default_rng(1).integers(0, 100, (300, 2)), 100)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=12))
def test_nmi_equals_its_definition(pairs: list[tuple[int, int]]) -> None:
    """Twice the information that two divisions share, over what both hold."""
    one, other = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    held = _entropy(one) + _entropy(other)
    expected = 2 * (held - _entropy(pairs)) / held if held else 1.0

    numbered = (np.unique(division, return_inverse=True)[1] for division in (one, other))  # as ours are
    assert _nmi(*numbered) == pytest.approx(expected, abs=1e-9)


def _entropy(items: list[int] | list[tuple[int, int]]) -> float:
    shares = [count / len(items) for count in Counter(items).values()]
    return -sum(share * math.log(share) for share in shares)


def test_two_groups_stay_two_groups_without_the_bridge() -> None:
    """The barbell: each half with its own, and the node without edges alone."""
    finding = METRIC.compare(side(BARBELL), side(BARBELL.without_edges([BRIDGE])))

    assert (finding.before, finding.after, finding.score, finding.change) == (1.0, 1.0, 1.0, 0.0)
    assert finding.details["communities_before"] == finding.details["communities_after"] == 3
    assert finding.details["stability"] == 1.0
    assert finding.note == (
        "consensus of 100 runs of Louvain; two halves of the runs on the original agree by 1.0000"
    )


def test_modularity_is_that_of_the_communities() -> None:
    """13 of 14 edges lie within; the ends of edges are split 15 to 13."""
    finding = METRIC.compare(side(BARBELL), side(BARBELL))

    expected = 13 / 14 - (15 / 28) ** 2 - (13 / 28) ** 2
    assert finding.details["modularity_before"] == pytest.approx(expected)


def test_the_same_seed_gives_the_same_figures_and_another_seed_others() -> None:
    """On a network without clear communities; the seed is all that decides."""
    network = WITHOUT_COMMUNITIES
    before, after = network, network.without_edges(np.arange(0, network.edge_count, 10))
    first, again, other = (
        METRIC.compare(side(before, seed=seed), side(after, seed=seed)) for seed in (0, 0, 1)
    )

    assert first == again
    assert first.details != other.details


def test_an_unchanged_network_has_the_same_communities_although_louvain_is_random() -> None:
    """Both sides are seeded alike; `stability` tells that another seed would have found others."""
    network = WITHOUT_COMMUNITIES
    finding = METRIC.compare(side(network), side(network))

    assert finding.score == 1.0
    assert finding.details["stability"] < 1.0


def test_isolated_nodes_are_communities_of_their_own_and_change_no_other() -> None:
    """Wherever they stand among the others: the same modularity, and as many communities more.

    Give or take one: they count in how often two nodes would be together by chance, and then igraph draws.
    """
    network = WITHOUT_COMMUNITIES
    apart = Network.from_numbered_edges(3 * network.edges.astype(np.int64) + 1, 3 * network.node_count)
    dense = METRIC.compare(side(network), side(network))
    sparse = METRIC.compare(side(apart), side(apart))

    assert sparse.score == 1.0
    more = sparse.details["communities_before"] - dense.details["communities_before"]
    assert more == pytest.approx(200, abs=1)
    assert sparse.details["modularity_before"] == pytest.approx(dense.details["modularity_before"], abs=0.05)


def test_a_node_that_loses_its_edges_leaves_its_community() -> None:
    """The barbell without a - i: i is alone then, as j has always been, and all others stay."""
    cut = BARBELL.edge_labels(range(BARBELL.edge_count)).index(("a", "i"))
    finding = METRIC.compare(side(BARBELL), side(BARBELL.without_edges([cut])))

    expected = _nmi(np.array([0] * 5 + [1] * 4 + [2]), np.array([0] * 4 + [3] + [1] * 4 + [2]))
    assert finding.score == pytest.approx(expected)
    assert (finding.details["communities_before"], finding.details["communities_after"]) == (3, 4)


def test_large_networks_get_fewer_runs_unless_exact_figures_are_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """And the finding says how many."""
    monkeypatch.setattr(communities, "WORK", BARBELL_WORK * 12)

    assert number_of_runs(side(BARBELL)) == 12
    assert number_of_runs(side(BARBELL, exact=True)) == 100
    assert METRIC.compare(side(BARBELL), side(BARBELL)).note.startswith("consensus of 12 runs")


def test_too_few_runs_for_a_consensus_give_the_best_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """On both sides, and the finding says so."""
    monkeypatch.setattr(communities, "WORK", BARBELL_WORK * 3)
    finding = METRIC.compare(side(BARBELL), side(BARBELL))

    assert finding.note.startswith("best of 3 runs of Louvain by modularity")
    assert (finding.score, finding.details["runs"]) == (1.0, 3)


def test_a_single_run_knows_nothing_about_stability(monkeypatch: pytest.MonkeyPatch) -> None:
    """There are no halves to compare."""
    monkeypatch.setattr(communities, "WORK", 1)
    finding = METRIC.compare(side(BARBELL), side(BARBELL))

    assert finding.note == "one run of Louvain, because a consensus takes too long"
    assert "stability" not in finding.details


def test_no_more_runs_once_nobody_waits() -> None:
    """After Ctrl-C, say."""
    before = side(BARBELL)
    before.abandoned.set()

    with pytest.raises(CancelledError):
        METRIC.compare(before, Side(BARBELL, before.settings, like=before))
