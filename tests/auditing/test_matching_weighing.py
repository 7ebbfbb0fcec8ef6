"""Weighing finds everybody where nothing was deleted, nobody in noise, and most where ties were added."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import igraph
import networkx
import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st
from matchings import Outcome, match_of, mirrored, numbered, powerlaw, rewired, side_by_side, thinner

from graphs import networks
from netveil.auditing.matching import noise, weighing
from netveil.auditing.matching.matcher import Knowledge, Situation, thinned
from netveil.auditing.matching.run_matching import KNOWN, Case, match_all
from netveil.auditing.matching.weighing import Weighing
from netveil.kernels.matching import Beliefs, FeatureSpace
from netveil.network import Network


@pytest.fixture
def _by_weighing_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Isomorphisms are not looked for, as in networks that are too large for that."""
    monkeypatch.setattr(weighing, "MOST_NODES", 0)


by_weighing_alone = pytest.mark.usefixtures("_by_weighing_alone")


def weighed(original: Network, released: Network | None = None, seed: int = 0, seeds: int = 0) -> Outcome:
    """What weighing claims; of the original relabelled, if there is no release."""
    return match_of(Weighing(), original, original if released is None else released, seed, seeds=seeds)


def is_asymmetric(network: Network) -> bool:
    return bool(igraph.Graph(n=network.node_count, edges=network.edges).count_automorphisms() == 1)


def asymmetric_tree(_: int) -> networkx.Graph[Any]:
    """A tree of 22 nodes without mirror images: branches of 1, 2, 3, 4, 5 and 5 nodes at one, and a twig."""
    graph: networkx.Graph[Any] = networkx.Graph()
    for branch, length in enumerate((1, 2, 3, 4, 5, 5)):
        networkx.add_path(graph, ["root", *((branch, step) for step in range(length))])
    graph.add_edge((5, 1), "twig")  # makes the last branch another than the one before
    return graph


KINDS: dict[str, Callable[[int], Any]] = {
    "3-regular": lambda seed: networkx.random_regular_graph(3, 24, seed=seed),
    "4-regular": lambda seed: networkx.random_regular_graph(4, 100, seed=seed),
    "random": lambda seed: networkx.gnm_random_graph(60, 240, seed=seed),
    "powerlaw": lambda seed: networkx.powerlaw_cluster_graph(2500, 4, 0.5, seed=seed),
    "Frucht": lambda _: networkx.frucht_graph(),
    "tree": asymmetric_tree,
}


def asymmetric(kind: str, seed: int) -> Network:
    """The first asymmetric network of a kind from this seed on."""
    graphs = (KINDS[kind](attempt) for attempt in count(seed))
    connected = (numbered(graph) for graph in graphs if networkx.is_connected(graph))
    return next(filter(is_asymmetric, connected))


@pytest.mark.quick(4)
@pytest.mark.parametrize("by_rounds", [True, False], ids=["rounds", "isomorphism"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", [1, pytest.param(50, marks=pytest.mark.thorough)])
def test_everybody_is_found_in_an_asymmetric_network(
    seed: int, kind: str, by_rounds: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without deletions, in random order. An isomorphism does where rounds have nothing to start from."""
    if (kind, by_rounds) == ("3-regular", True):
        pytest.skip("equal degrees and next to no triangles")
    monkeypatch.setattr(weighing, "MOST_NODES", 0 if by_rounds else weighing.MOST_NODES)
    network = asymmetric(kind, seed)
    outcome = weighed(network, seed=seed)

    assert (outcome.found, outcome.wrong) == (network.node_count, 0)


@by_weighing_alone
@given(seed=st.integers(0, 10**6), nodes=st.integers(20, 40))
def test_no_asymmetric_network_is_too_much_for_it(seed: int, nodes: int) -> None:
    """Random ones of 20 people or more that hang together; smaller ones are for `exact`."""
    graph = networkx.gnm_random_graph(nodes, 3 * nodes, seed=seed)
    network = numbered(graph)
    assume(networkx.is_connected(graph) and is_asymmetric(network))

    outcome = weighed(network, seed=seed)

    assert (outcome.found, outcome.wrong) == (nodes, 0)


SYMMETRIC = {
    "star": numbered(networkx.star_graph(30)),
    "cycle": numbered(networkx.cycle_graph(40)),
    "complete": numbered(networkx.complete_graph(12)),
    "triangles": side_by_side([numbered(networkx.complete_graph(3))] * 10),
    "twice Frucht": side_by_side([numbered(networkx.frucht_graph())] * 2),
    "twice random": side_by_side([numbered(networkx.gnm_random_graph(100, 400, seed=1))] * 2),
    "three times random": side_by_side([numbered(networkx.gnm_random_graph(60, 180, seed=2))] * 3),
    "grid": numbered(networkx.grid_2d_graph(5, 7)),
    "karate": numbered(networkx.karate_club_graph()),
    "tree": numbered(networkx.balanced_tree(2, 5)),
    "sparse": powerlaw(600, 2, 0.3),
}


@by_weighing_alone
@pytest.mark.parametrize("name", SYMMETRIC)
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.thorough) for seed in (1, 2))])
def test_nobody_is_claimed_who_has_a_mirror_image(name: str, seed: int) -> None:
    """Not by the order of nodes, and not by what rounding leaves between two who are the same."""
    network = SYMMETRIC[name]
    outcome = weighed(network, seed=seed)

    assert not mirrored(network)[outcome.claimed_people].any()
    assert outcome.wrong == 0


@pytest.mark.thorough
@by_weighing_alone
def test_large_mirror_images_are_not_told_apart_by_rounding() -> None:
    """In 10,000 people rounds make everything of a difference in the last bit, if it counts at all."""
    twice = side_by_side([numbered(networkx.gnm_random_graph(5000, 37_500, seed=1))] * 2)

    assert not weighed(twice).claims.claimed.any()


@pytest.mark.parametrize("name", SYMMETRIC)
def test_an_isomorphism_finds_all_others(name: str) -> None:
    """Where the networks are small enough, all who have no mirror image are found: nobody else."""
    network = SYMMETRIC[name]
    outcome = weighed(network)

    assert sorted(outcome.claimed_people) == np.flatnonzero(~mirrored(network)).tolist()
    assert outcome.wrong == 0


@by_weighing_alone
def test_seeds_break_a_symmetry() -> None:
    twice = SYMMETRIC["twice random"]

    assert weighed(twice).found == 0
    assert weighed(twice, seeds=1).found == twice.node_count


EVERY_SHARE = [Knowledge(share) for share in KNOWN] + [Knowledge(share, "community") for share in (0.5, 0.25)]


@pytest.mark.quick(1)
@pytest.mark.parametrize("kind", ["the same degrees", "the same size", "random"])
@pytest.mark.parametrize("knowledge", EVERY_SHARE, ids=str)
def test_in_a_network_with_other_ties_nobody_is_found(kind: str, knowledge: Knowledge) -> None:
    """As good as nobody is claimed; who has the whole network claims nobody at all.

    Where everybody has as many contacts as before, some of the best-connected people are told by that alone.
    """
    drawn = numbered(networkx.gnm_random_graph(300, 1800, seed=2))
    original = drawn if kind == "random" else powerlaw(300, 4)
    released = numbered(networkx.gnm_random_graph(300, original.edge_count, seed=1))
    most_found, most_wrong = 0.005, 0.01
    if kind == "the same degrees":
        released, most_found, most_wrong = rewired(original), 0.02, 0.05

    (row,) = match_all(original, released, [Case("weighing", knowledge, 2, 0)])

    assert row.release.found <= most_found * row.release.people
    assert row.release.wrong <= (0.0 if knowledge.known == 1 else most_wrong) * row.release.people


def test_most_are_found_after_deletions_and_hardly_anybody_mistaken() -> None:
    original = powerlaw()
    outcome = weighed(original, thinner(original, 0.05))

    assert outcome.found >= 0.95 * original.node_count
    assert outcome.wrong <= 0.01 * original.node_count


@by_weighing_alone
def test_it_stops_when_nobody_becomes_surer(monkeypatch: pytest.MonkeyPatch) -> None:
    def rounds() -> int:
        calls: list[float] = []
        original = powerlaw(200, 4)
        situation = Situation(original, original.relabelled(np.arange(200)[::-1].copy()))
        Weighing().claims(situation, np.random.default_rng(1), lambda share=1.0: calls.append(share))
        return len(calls)

    assert rounds() < weighing.PATIENCE + 5 < weighing.MOST_ROUNDS, "it is settled"
    monkeypatch.setattr(weighing, "LEAST_GAIN", -1.0)  # every round is a gain, and nothing is ever settled
    assert rounds() == weighing.MOST_ROUNDS
    monkeypatch.setattr(weighing, "MOST_ROUNDS", 2)
    assert rounds() == 2


@by_weighing_alone
def test_its_settings_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """With other settings it claims others, at a share of deletions where that matters."""
    original = powerlaw(300, 3)
    released = thinner(original, 0.2)
    usual = weighed(original, released)
    others = {"CANDIDATES": 2, "MOST_ROUNDS": 2, "SURE": 0.95, "DECIMALS": 0, "LEAST_CONFIRMED": 1.0}
    for name, value in others.items():
        with monkeypatch.context() as patch:
            patch.setattr(weighing, name, value)
            changed = weighed(original, released)
        assert (changed.found, changed.wrong) != (usual.found, usual.wrong), name


@by_weighing_alone
@pytest.mark.parametrize("patience", [2, 5])
def test_it_has_only_so_much_patience(patience: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where candidates change and nobody becomes surer: as many rounds as it has patience for."""
    original = powerlaw(200, 4)
    monkeypatch.setattr(weighing, "PATIENCE", patience)
    monkeypatch.setattr(weighing, "FEW", 0.0)  # no second attempt
    gained: list[None] = []

    def forgotten(*_: object) -> Beliefs:
        gained.append(None)
        nodes = np.full((200, 2), len(gained) % 200)  # other candidates in every round
        return Beliefs(nodes, np.full((200, 2), 0.25))

    monkeypatch.setattr(weighing, "_candidates", forgotten)
    weighed(original, thinner(original, 0.1))

    assert len(gained) == 2 + patience, "by features, and the first round is a gain"


@by_weighing_alone
def test_who_got_nowhere_tries_again_with_more_candidates(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second attempt is made where few are claimed, and kept if it claims more."""
    rooms: list[int] = []
    candidates = weighing._candidates

    def noted(situation: Situation, space: FeatureSpace, room: int, *beliefs: Beliefs) -> Beliefs:
        rooms.extend([] if beliefs else [room])
        return candidates(situation, space, room, *beliefs)

    monkeypatch.setattr(weighing, "_candidates", noted)
    original = powerlaw(200, 4)
    weighed(original, thinner(original, 0.05))
    weighed(original, rewired(original))

    few, many = weighing.CANDIDATES, weighing.MANY_CANDIDATES
    assert rooms == [few, few, many]


def test_features_are_expected_to_be_what_deletions_leave_of_them() -> None:
    """On average, in units of their noise."""
    original = powerlaw()
    situation = Situation(original, thinner(original, 0.2), released_share=0.8)
    space = noise.feature_space(situation, noise.thinned_pairs(situation, np.random.default_rng(1)))
    published = space.published[space.groups, np.arange(original.node_count)]

    assert np.abs((published - space.expected).mean(axis=0)).mean() < 0.5
    assert 0.5 < (published - space.expected).std() < 2


# Ties that were added or swapped are noticed, and people found all the same.


ORIGINAL = powerlaw(300, 6)


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def renumbered(network: Network, seed: int = 1) -> Network:
    return network.relabelled(rng(seed).permutation(network.node_count))


@given(network=networks(max_nodes=12, min_edges=1), seed=st.integers(0, 99), share=st.floats(0, 1))
@settings(max_examples=40)
def test_deletions_are_never_taken_for_anything_else(network: Network, seed: int, share: float) -> None:
    released = renumbered(thinned(network, share, rng(seed)), seed)
    situation = Situation(network, released, 1.0, released.edge_count / network.edge_count)

    assert noise.deletions_explain(situation) and noise.learnt_noise(situation, rng()) is None


@pytest.mark.parametrize("known", [0.9, 0.5, 0.25])
@pytest.mark.parametrize("deleted", [0.0, 0.05, 0.4])
def test_nor_by_whoever_knows_a_part_of_the_ties(known: float, deleted: float) -> None:
    """Where triangles are as many as deletions leave."""
    hers, released = renumbered(thinned(ORIGINAL, known, rng())), thinner(ORIGINAL, deleted)
    situation = Situation(hers, released, known, 1 - deleted, only_deleted=False)

    assert noise.learnt_noise(situation, rng()) is None


@pytest.mark.quick(2)
@pytest.mark.parametrize("way", [noise.swapped_anywhere, noise.deleted_and_added])
@pytest.mark.parametrize("share", [0.1, 0.4])
def test_the_share_of_ties_that_were_made_up_is_learnt(way: object, share: float) -> None:
    """About, and also by whoever knows nine ties of ten, if many were."""
    released = renumbered(noise.Noise(share, way).released(ORIGINAL, ORIGINAL.edge_count, rng(2)))  # type: ignore[arg-type]
    learnt = noise.learnt_noise(Situation(ORIGINAL, released), rng())
    part = Situation(thinned(ORIGINAL, 0.9, rng()), released, 0.9, 1.0, only_deleted=False)
    from_part = noise.learnt_noise(part, rng())

    assert learnt is not None and abs(learnt.share - share) <= 0.2
    assert (from_part is not None) == (share == 0.4)


def test_swaps_keep_degrees_and_change_as_many_ties_as_asked() -> None:
    """Also inside communities, of which everybody keeps as many contacts."""
    community = np.arange(300) % 3
    inside = noise.swapped_inside(community, ORIGINAL, 0.5, rng())
    for network in (noise.swapped_anywhere(ORIGINAL, 0.5, rng()), inside):
        changed = 1 - ORIGINAL.shared_edges(network.edges) / ORIGINAL.edge_count

        assert network.degrees.tolist() == ORIGINAL.degrees.tolist()
        assert 0.4 < changed <= 0.5

    def contacts_inside(network: Network) -> list[int]:
        ends = network.edges[community[network.edges[:, 0]] == community[network.edges[:, 1]]]
        return [int(many) for many in np.bincount(ends.ravel(), minlength=300)]

    assert contacts_inside(inside) == contacts_inside(ORIGINAL)


RELEASES = {
    "swapped": noise.swapped_anywhere(ORIGINAL, 0.3, rng()),
    "deleted and added": noise.deleted_and_added(ORIGINAL, 0.3, rng()),
    "added": noise.with_random_ties(ORIGINAL, 300, rng()),
    "swapped and deleted": thinner(noise.swapped_anywhere(ORIGINAL, 0.3, rng()), 0.05),
}


@pytest.mark.quick(1)
@pytest.mark.parametrize("kind", RELEASES)
def test_most_people_are_found_although_ties_were_made_up(kind: str) -> None:
    """By somebody who has the original and recognises nobody; hardly anybody is mistaken."""
    (row,) = match_all(ORIGINAL, RELEASES[kind], [Case("weighing", Knowledge(), 2, 0)])

    assert row.release.found > 0.6 * row.release.people
    assert row.release.wrong < 0.05 * row.release.people


@pytest.mark.quick(1)
@pytest.mark.parametrize("seed", range(3))
def test_nobody_is_claimed_where_degrees_alone_stay(seed: int) -> None:
    """Although every share of swaps is tried, and hubs look like hubs."""
    original = powerlaw(300, 4, seed=seed)

    assert not match_of(Weighing(), original, rewired(original, seed), seed).claims.claimed.any()
