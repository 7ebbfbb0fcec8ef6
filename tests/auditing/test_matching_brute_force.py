"""Small networks, where all ways to lay one on the other are tried: the attack claims what they all say."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from matchings import nothing
from numpy.typing import NDArray

from graphs import networks
from netveil.auditing.matching import weighing
from netveil.auditing.matching.matcher import Situation
from netveil.auditing.matching.weighing import Weighing, exact_claims
from netveil.network import Network


def best_matches(situation: Situation) -> NDArray[np.int64]:
    """All matches (a row each: every person's node) in which as many known ties are published as can be.

    Of those that have the seeds right, and give nobody more contacts than she knows of.
    """
    known, released = situation.known, situation.released
    every = np.array(list(permutations(range(known.node_count))), dtype=np.int64).reshape(
        -1, known.node_count
    )
    every = every[(every[:, situation.seeds] == situation.seed_nodes).all(axis=1)]
    if situation.only_deleted:
        every = every[(released.degrees[every] <= known.degrees).all(axis=1)]
    tied = released.to_scipy().toarray().astype(bool)
    confirmed = np.zeros(len(every), dtype=np.int64)
    for one, other in known.edges.tolist():
        confirmed += tied[every[:, one], every[:, other]]
    best: NDArray[np.int64] = every[confirmed == confirmed.max()]
    return best


def told_by_all(best: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Of whom all best matches say the same."""
    return np.asarray((best == best[0]).all(axis=0))


@given(network=networks(max_nodes=6), data=st.data())
def test_without_deletions_it_claims_whom_all_matches_tell_and_nobody_else(
    network: Network, data: st.DataObject
) -> None:
    """Exactly those, with any number of people recognised beforehand; best guesses are one of the matches."""
    number = np.array(data.draw(st.permutations(range(network.node_count))), dtype=np.int64)
    seeds = np.array(sorted(data.draw(st.sets(st.integers(0, network.node_count - 1)))), dtype=np.int64)
    situation = Situation(network, network.relabelled(number), seeds=seeds, seed_nodes=number[seeds])
    best = best_matches(situation)

    claims = exact_claims(situation)

    assert claims is not None
    assert claims.claimed.tolist() == told_by_all(best).tolist()
    assert claims.nodes.tolist() in best.tolist()


@given(network=networks(min_nodes=2, max_nodes=7, min_edges=1), data=st.data())
def test_networks_that_are_not_the_same_have_no_isomorphism(network: Network, data: st.DataObject) -> None:
    """After a deletion, and where another tie was added instead, unless that gives the same network again."""
    edge = data.draw(st.integers(0, network.edge_count - 1))
    fewer = network.without_edges([edge])
    pairs = set(combinations(range(network.node_count), 2)) - set(map(tuple, network.edges.tolist()))
    assert exact_claims(Situation(network, fewer)) is None
    if pairs:
        moved = [*fewer.edges.tolist(), data.draw(st.sampled_from(sorted(pairs)))]
        other = Network.from_numbered_edges(moved, network.node_count)
        claims = exact_claims(Situation(network, other))
        assert (claims is not None) == network.to_igraph().isomorphic(other.to_igraph())


def agreement(nodes: int, share: float, deleted: int, seed: int) -> Counter[str]:
    """How weighing and the search of all matches agree on a random network less some ties, in people."""
    rng = np.random.default_rng([nodes, deleted, seed])
    pairs = np.array(list(combinations(range(nodes), 2)))
    known = Network.from_numbered_edges(pairs[rng.random(len(pairs)) < share], nodes)
    if known.edge_count <= deleted:
        return Counter()
    number = rng.permutation(nodes)
    left = known.without_edges(rng.choice(known.edge_count, deleted, replace=False)).relabelled(number)
    situation = Situation(known, left, released_share=left.edge_count / known.edge_count)
    claims = Weighing().claims(situation, rng, nothing)
    best = best_matches(situation)
    told, claimed = told_by_all(best), claims.claimed
    return Counter(
        claimed=int(claimed.sum()),
        told=int(told.sum()),
        claimed_and_told=int((claimed & told).sum()),
        as_told=int((claimed & told & (claims.nodes == best[0])).sum()),
        possible=int((claimed & (best == claims.nodes).any(axis=0)).sum()),
        right=int((claimed & (claims.nodes == number)).sum()),
    )


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("nodes", "share", "deleted", "networks_tried", "least_claimed"),
    [(7, 0.5, 1, 60, 0.2), (7, 0.5, 0, 60, 0.6), (8, 0.5, 1, 40, 0.5), (8, 0.6, 2, 50, 0.05)],
)
def test_rounds_claim_what_all_best_matches_say(
    nodes: int,
    share: float,
    deleted: int,
    networks_tried: int,
    least_claimed: float,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nearly all claims are what every best match says, and some best match says the others.

    Rounds claim only a part of those who could be told: in a network so small chance confirms as much. The
    more were deleted, the smaller the part.
    """
    monkeypatch.setattr(weighing, "MOST_NODES", 0)
    of_all: Counter[str] = Counter()
    for seed in range(networks_tried):
        of_all += agreement(nodes, share, deleted, seed)

    most = (1 if deleted == 0 else 0.9) * of_all["claimed"]
    assert of_all["claimed"] >= least_claimed * of_all["told"]
    assert of_all["as_told"] == of_all["claimed_and_told"] >= most
    assert of_all["possible"] == of_all["claimed"]
    assert of_all["right"] >= most


def test_large_networks_are_not_searched_for_isomorphisms(monkeypatch: pytest.MonkeyPatch) -> None:
    square = Network.from_numbered_edges([(0, 1), (1, 2), (2, 3), (0, 3)], 4)
    assert exact_claims(Situation(square, square)) is not None
    monkeypatch.setattr(weighing, "MOST_NODES", 3)
    assert exact_claims(Situation(square, square)) is None
