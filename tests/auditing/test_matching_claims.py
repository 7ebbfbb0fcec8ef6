"""What an attacker stands by: claims that ties confirm, what all ways to match say, and next to nothing."""

from __future__ import annotations

import warnings
from collections import Counter
from itertools import combinations, permutations

import networkx
import numpy as np
import pytest
from hypothesis import given, strategies as st
from matchings import nothing, numbered, powerlaw, side_by_side
from numpy.typing import NDArray

from graphs import networks
from netveil.auditing.matching import weighing
from netveil.auditing.matching.matcher import NOBODY, Knowledge, Situation
from netveil.auditing.matching.run_matching import Case, match_all
from netveil.auditing.matching.score import Matching
from netveil.auditing.matching.weighing import Weighing, confirmed, exact_claims
from netveil.network import Network
from netveil.registries import MATCHERS

# Claims that ties confirm, in company; settings say how many, and in which.


def who_is_left(known: Network, released: Network, claimed: list[int], **others: object) -> list[int]:
    """The people whose claims are confirmed."""
    situation = Situation(known, released, **others)  # type: ignore[arg-type]
    return np.flatnonzero(confirmed(situation, np.array(claimed)) != NOBODY).tolist()


SQUARE_AND_TAIL = Network.from_numbered_edges([(0, 1), (1, 2), (2, 3), (3, 0), (3, 4)], 6)
TAIL_MOVED = Network.from_numbered_edges([(0, 1), (1, 2), (2, 3), (3, 0), (4, 5)], 6)
PATH, LONGER_PATH = (numbered(networkx.path_graph(nodes)) for nodes in (4, 5))
TRIANGLE = numbered(networkx.complete_graph(3))


@pytest.mark.parametrize(
    ("known", "released", "claimed", "left"),
    [
        (SQUARE_AND_TAIL, SQUARE_AND_TAIL, range(6), [0, 1, 2, 3, 4]),  # nothing speaks for who has no ties
        (SQUARE_AND_TAIL, TAIL_MOVED, range(6), [0, 1, 2, 3]),  # one falls, then who needed that one
        (LONGER_PATH, LONGER_PATH.without_edges([0, 1, 2]), range(5), []),
        (TRIANGLE, TRIANGLE, range(3), [0, 1, 2]),
        (TRIANGLE, TRIANGLE, [0, 1, NOBODY], []),  # two are no company
        (TRIANGLE, TRIANGLE, [NOBODY] * 3, []),
    ],
)
def test_claims_are_confirmed_by_contacts(
    known: Network, released: Network, claimed: list[int], left: list[int]
) -> None:
    assert who_is_left(known, released, list(claimed)) == left


def test_a_short_chain_with_somebody_recognised_stays() -> None:
    """Seeds need no confirmation, and are company."""
    seed = {"seeds": np.array([0]), "seed_nodes": np.array([0])}

    assert who_is_left(PATH, PATH, [0, 1, 2, 3], **seed) == [0, 1, 2, 3]
    assert who_is_left(PATH, PATH.without_edges([0]), [0, 1, 2, 3], **seed) == [0]


def test_where_the_match_went_wrong_a_cycle_is_not_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of many claims few are confirmed: then people need several confirmed ties, as in a complete group."""
    noise = numbered(networkx.gnm_random_graph(40, 200, seed=1))
    other_noise = numbered(networkx.empty_graph(40))
    cycle, complete = numbered(networkx.cycle_graph(6)), numbered(networkx.complete_graph(6))
    known = side_by_side([noise, cycle, complete])
    released = side_by_side([other_noise, cycle, complete])
    everybody = list(range(52))

    assert who_is_left(known, released, everybody) == everybody[46:]
    with monkeypatch.context() as patch:
        patch.setattr(weighing, "LEAST_IN_ALL", 0.05)
        assert who_is_left(known, released, everybody) == everybody[40:]
    monkeypatch.setattr(weighing, "DENSE", 3.0)
    assert who_is_left(known, released, everybody) == []


@pytest.mark.parametrize("length", [10, 19, 20, 30])
def test_a_chain_must_be_long(length: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """As long as the setting says; a cycle need not be."""
    path, cycle = numbered(networkx.path_graph(length)), numbered(networkx.cycle_graph(length))
    everybody = list(range(length))

    assert who_is_left(path, path, everybody) == (everybody if length >= 20 else [])
    assert who_is_left(cycle, cycle, everybody) == everybody
    monkeypatch.setattr(weighing, "LARGE", 5)
    assert who_is_left(path, path, everybody) == everybody


def test_how_many_contacts_must_confirm(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of those that should: fewer where fewer ties are published."""
    monkeypatch.setattr(weighing, "LEAST_IN_ALL", 0.5)
    wheel = numbered(networkx.wheel_graph(9))  # node 0 is tied to all
    spokes = [edge for edge, (one, _) in enumerate(wheel.edges.tolist()) if one == 0]
    released = wheel.without_edges(spokes[:5])
    everybody = list(range(9))

    assert who_is_left(wheel, released, everybody) == everybody[1:]
    assert who_is_left(wheel, released, everybody, released_share=0.7) == everybody
    monkeypatch.setattr(weighing, "LEAST_CONFIRMED", 0.3)
    assert who_is_left(wheel, released, everybody) == everybody


# Small networks, where all ways to lay one on the other are tried.


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


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("nodes", "share", "deleted", "tried", "least_claimed"),
    [(7, 0.5, 1, 60, 0.2), (7, 0.5, 0, 60, 0.6), (8, 0.5, 1, 40, 0.5), (8, 0.6, 2, 50, 0.05)],
)
def test_rounds_claim_what_all_best_matches_say(
    nodes: int, share: float, deleted: int, tried: int, least_claimed: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nearly all claims are what every best match says, and some best match says the others.

    Rounds claim only a part of those who could be told: in a network so small chance confirms as much. The
    more were deleted, the smaller the part.
    """
    monkeypatch.setattr(weighing, "MOST_NODES", 0)
    pairs = np.array(list(combinations(range(nodes), 2)))
    people: Counter[str] = Counter()
    for seed in range(tried):
        rng = np.random.default_rng([nodes, deleted, seed])
        known = Network.from_numbered_edges(pairs[rng.random(len(pairs)) < share], nodes)
        if known.edge_count <= deleted:
            continue
        number = rng.permutation(nodes)
        left = known.without_edges(rng.choice(known.edge_count, deleted, replace=False)).relabelled(number)
        situation = Situation(known, left, released_share=left.edge_count / known.edge_count)
        claims = Weighing().claims(situation, rng, nothing)
        best = best_matches(situation)
        told, claimed = told_by_all(best), claims.claimed
        people["claimed"] += claimed.sum()
        people["told"] += told.sum()
        people["both"] += (claimed & told).sum()
        people["as told"] += (claimed & told & (claims.nodes == best[0])).sum()
        people["possible"] += (claimed & (best == claims.nodes).any(axis=0)).sum()
        people["right"] += (claimed & (claims.nodes == number)).sum()

    most = (1 if deleted == 0 else 0.9) * people["claimed"]
    assert people["claimed"] >= least_claimed * people["told"]
    assert people["as told"] == people["both"] >= most
    assert people["possible"] == people["claimed"]
    assert people["right"] >= most


def test_large_networks_are_not_searched_for_isomorphisms(monkeypatch: pytest.MonkeyPatch) -> None:
    square = Network.from_numbered_edges([(0, 1), (1, 2), (2, 3), (0, 3)], 4)
    assert exact_claims(Situation(square, square)) is not None
    monkeypatch.setattr(weighing, "MOST_NODES", 3)
    assert exact_claims(Situation(square, square)) is None


# Networks in which there is next to nothing.


POWERLAW = powerlaw(60, 3)
PAIR = Network.from_numbered_edges([(0, 1)], 2)  # two people who mirror each other
EDGELESS = {nodes: Network.from_numbered_edges([], nodes) for nodes in (0, 1, 2, 30, 60)}
CASES = [
    # A single person without ties can be no other than the single node.
    *(
        (EDGELESS[nodes], EDGELESS[nodes], Knowledge(known, seeds=5), nodes, int(nodes == 1))
        for nodes in (0, 1, 2, 30)
        for known in (1.0, 0.5)
    ),
    *((POWERLAW, EDGELESS[60], Knowledge(0.5, seeds=seeds), 60 - seeds, 0) for seeds in (0, 10)),
    *((POWERLAW, EDGELESS[60], Knowledge(0.5, "community", seeds), None, 0) for seeds in (0, 10)),
    (POWERLAW, POWERLAW, Knowledge(seeds=1000), 0, 0),
    (PAIR, PAIR, Knowledge(), 2, 0),
]
"""Original, release, knowledge, people looked for, and how many can be found."""

by_every_matcher = pytest.mark.parametrize("name", list(MATCHERS))
with_and_without_isomorphisms = pytest.mark.parametrize(
    "most_nodes", [0, pytest.param(weighing.MOST_NODES, marks=pytest.mark.thorough)]
)


def row_of(name: str, original: Network, released: Network, knowledge: Knowledge) -> Matching:
    """What comes of one attempt; a warning is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (row,) = match_all(original, released, [Case(name, knowledge, 2, 1)], threads=1)
    for score in (row.release, row.original, row.random_deletion):
        assert 0 <= score.found + score.wrong <= score.people
        assert 0 <= score.share_found <= 1
    assert all(0 < share <= 1 and 0 <= precision <= 1 for share, precision in row.curve)
    return row


@pytest.mark.quick(16)
@by_every_matcher
@with_and_without_isomorphisms
@pytest.mark.parametrize(("original", "released", "knowledge", "people", "most"), CASES)
def test_in_next_to_nothing_nobody_is_found(
    name: str,
    most_nodes: int,
    original: Network,
    released: Network,
    knowledge: Knowledge,
    people: int | None,
    most: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No errors, no warnings, and zeros."""
    monkeypatch.setattr(weighing, "MOST_NODES", most_nodes)
    row = row_of(name, original, released, knowledge)

    assert people is None or row.release.people == people
    assert row.release.wrong == 0 and row.release.found <= most
    assert row.release.people or (row.release.share_found == 0 and row.curve == ())
    assert released.edge_count or row.random_deletion.found <= most


@pytest.mark.quick(4)
@by_every_matcher
@with_and_without_isomorphisms
@pytest.mark.parametrize("released_ties", [100, 171, 400])
def test_a_release_that_is_no_part_of_the_original(
    name: str, most_nodes: int, released_ties: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fewer, as many or more ties than the original has, all drawn anew: nearly nobody is found."""
    monkeypatch.setattr(weighing, "MOST_NODES", most_nodes)
    released = numbered(networkx.gnm_random_graph(60, released_ties, seed=1))
    row = row_of(name, POWERLAW, released, Knowledge(0.9, seeds=3))

    assert row.release.found <= 6
    assert row.original.found >= row.release.found
