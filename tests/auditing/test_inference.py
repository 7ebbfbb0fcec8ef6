"""The attack by inference: pairs are ranked as its slow twin ranks them, and known answers are found."""

from __future__ import annotations

from itertools import combinations
from math import log

import numpy as np
import pytest
from hypothesis import given

import netveil as nv
from graphs import networks
from netveil.auditing import inference
from netveil.auditing.inference import (
    PREDICTORS,
    adamic_adar,
    area_under_curve,
    infer_ties,
    preferential_attachment,
    untied_pairs,
)
from netveil.auditing.synthetic_attacks import infer_from_rows
from netveil.synthetic import make_table

TWO_CLIQUES = nv.Network.from_edges([*combinations(range(6), 2), *combinations(range(6, 12), 2)])
KARATE = nv.load("karate")


def all_pairs(network: nv.Network) -> np.ndarray:
    return np.column_stack(np.triu_indices(network.node_count, 1))


@given(networks())
def test_scores_are_those_of_the_definitions(network: nv.Network) -> None:
    """Of every pair, by sets of neighbours."""
    around = [set(network.neighbours(node).tolist()) for node in range(network.node_count)]
    pairs = all_pairs(network)
    common = [sum(1 / log(len(around[w])) for w in around[u] & around[v]) for u, v in pairs.tolist()]

    assert adamic_adar(network, pairs) == pytest.approx(common)
    assert preferential_attachment(network, pairs).tolist() == [
        len(around[u]) * len(around[v]) for u, v in pairs.tolist()
    ]


def test_scores_do_not_depend_on_how_many_pairs_are_looked_at_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = adamic_adar(KARATE, all_pairs(KARATE))
    monkeypatch.setattr(inference, "PAIRS_AT_ONCE", 7)

    assert np.array_equal(adamic_adar(KARATE, all_pairs(KARATE)), whole) and whole.max() > 0


def test_the_area_counts_pairs_and_halves_of_equal_ones() -> None:
    rng = np.random.default_rng(1)
    ties, others = rng.integers(5, size=30).astype(float), rng.integers(4, size=40).astype(float)
    naive = np.mean([(tie > other) + (tie == other) / 2 for tie in ties for other in others])

    assert area_under_curve(ties, others) == pytest.approx(naive, abs=1e-4)


def test_a_tie_that_is_missing_in_a_clique_is_told_and_one_between_strangers_is_not() -> None:
    """Five people who all know each other tell on the sixth; of a path, nothing is left in common."""
    missing = TWO_CLIQUES.without_edges([0])
    tied, deleted = infer_ties(TWO_CLIQUES, missing, seed=1)
    path = nv.Network.from_edges([(number, number + 1) for number in range(9)])
    _, of_path = infer_ties(path, path.without_edges([4]), seed=1)

    assert (tied.question, tied.ties, tied.others) == ("tied", 30, 36)
    assert (deleted.question, deleted.predictor, deleted.ties) == ("deleted", "Adamic-Adar", 1)
    assert tied.release == deleted.release == deleted.original == deleted.random_deletion == 1.0
    assert 0.4 < of_path.release < 0.9


def test_nothing_is_asked_that_has_no_answer() -> None:
    """Whether a tie was deleted where none was; and who is tied where all are, or nobody is."""
    everything = list(combinations(range(4), 2))
    complete, nobody = (nv.Network.from_numbered_edges(ties, 4) for ties in (everything, []))

    assert [each.question for each in infer_ties(KARATE, KARATE, seed=1)] == ["tied"]
    assert infer_ties(KARATE, KARATE, seed=1)[0].release == 1.0
    assert infer_ties(complete, complete.without_edges([0]), 1) == infer_ties(nobody, nobody, 1) == ()


def test_ties_deleted_at_random_are_looked_for_where_they_are_missing() -> None:
    """As many, and what is published of them, not those of the release."""
    *_, deleted = infer_ties(KARATE, KARATE.without_edges(range(20)), 1)
    rng = np.random.default_rng([1, 0x1FE2])
    others = untied_pairs(KARATE, rng)
    thinned = rng.choice(78, 20, replace=False)
    at_random, score = KARATE.without_edges(thinned), PREDICTORS[deleted.predictor]
    scores = [score(at_random, pairs) for pairs in (KARATE.edges[thinned], others)]

    assert deleted.random_deletion == area_under_curve(*scores)


def test_pairs_are_drawn_by_the_seed_and_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    less = KARATE.without_edges(range(20))
    whole = infer_ties(KARATE, less, 1)
    monkeypatch.setattr(inference, "MOST_PAIRS", 15)
    monkeypatch.setattr(inference, "MOST_LISTED", 100)
    found = [infer_ties(KARATE, less, seed) for seed in (1, 1, 2)]

    assert found[0] == found[1] != found[2]
    assert [(each.ties, each.others) for each in found[0]] == [(15, 15), (15, 15)]
    assert [each.ties for each in whole] == [78, 20]


def test_dense_rows_of_a_synthetic_network_tell_ties() -> None:
    """Two cliques are two rows: who is in one is tied to all in it."""
    release = nv.synthesize(TWO_CLIQUES, k=6, seed=1)
    table, rows = make_table(TWO_CLIQUES, 6)
    (found,) = infer_from_rows(TWO_CLIQUES, table, rows, release.drawn[0], 1)

    assert found.question == "tied" and found.random_deletion is None
    assert found.original == (1.0 if table.row_count == 2 else 0.5)
