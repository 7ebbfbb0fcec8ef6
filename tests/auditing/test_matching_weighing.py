"""Weighing finds everybody where nothing was deleted, nobody who has a mirror image, and nobody in noise."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import igraph
import networkx
import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from matchings import Outcome, match_of, mirrored, numbered, powerlaw, rewired, side_by_side, thinner

from netveil.auditing.matching import weighing
from netveil.auditing.matching.matcher import Knowledge, Situation
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
    """Whether nobody has a mirror image."""
    return bool(igraph.Graph(n=network.node_count, edges=network.edges).count_automorphisms() == 1)


def asymmetric_tree() -> Network:
    """A tree of 22 nodes without mirror images: branches of 1, 2, 3, 4, 5 and 5 nodes at one, and a twig."""
    graph: networkx.Graph[Any] = networkx.Graph()
    for branch, length in enumerate((1, 2, 3, 4, 5, 5)):
        networkx.add_path(graph, ["root", *((branch, step) for step in range(length))])
    graph.add_edge((5, 1), "twig")  # makes the last branch another than the one before
    return numbered(graph)


KINDS: dict[str, Callable[[int], Any]] = {
    "3-regular": lambda seed: networkx.random_regular_graph(3, 24, seed=seed),
    "4-regular": lambda seed: networkx.random_regular_graph(4, 100, seed=seed),
    "random": lambda seed: networkx.gnm_random_graph(60, 240, seed=seed),
    "powerlaw": lambda seed: networkx.powerlaw_cluster_graph(2500, 4, 0.5, seed=seed),
}


def asymmetric(kind: str, seed: int) -> Network:
    """The first asymmetric network of a kind from this seed on."""
    graphs = (KINDS[kind](attempt) for attempt in count(seed))
    return next(
        numbered(graph) for graph in graphs if networkx.is_connected(graph) and is_asymmetric(numbered(graph))
    )


def known_kind(kind: str, seed: int) -> Network:
    """An asymmetric network, drawn or known by name."""
    if kind == "Frucht":
        return numbered(networkx.frucht_graph())
    return asymmetric_tree() if kind == "tree" else asymmetric(kind, seed)


@pytest.mark.quick(4)
@pytest.mark.parametrize("by_rounds", [True, False], ids=["rounds", "isomorphism"])
@pytest.mark.parametrize("kind", [*KINDS, "Frucht", "tree"])
@pytest.mark.parametrize("seed", [1, pytest.param(50, marks=pytest.mark.thorough)])
def test_everybody_is_found_in_an_asymmetric_network(
    seed: int, kind: str, by_rounds: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without deletions, in random order. An isomorphism does where rounds have nothing to start from."""
    if (kind, by_rounds) == ("3-regular", True):
        pytest.skip("equal degrees and next to no triangles")
    monkeypatch.setattr(weighing, "MOST_NODES", 0 if by_rounds else weighing.MOST_NODES)
    network = known_kind(kind, seed)
    outcome = weighed(network, seed=seed)

    assert is_asymmetric(network)
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
    """Of two equal components one person is recognised, and so all are found."""
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
    original = (
        numbered(networkx.gnm_random_graph(300, 1800, seed=2)) if kind == "random" else powerlaw(300, 4)
    )
    if kind == "the same degrees":
        released = rewired(original)
    else:
        released = numbered(networkx.gnm_random_graph(300, original.edge_count, seed=1))

    (row,) = match_all(original, released, [Case("weighing", knowledge, 2, 0)])

    most_found, most_wrong = (0.02, 0.05) if kind == "the same degrees" else (0.005, 0.01)
    assert row.release.found <= most_found * row.release.people
    assert row.release.wrong <= (0.0 if knowledge.known == 1 else most_wrong) * row.release.people


def test_most_are_found_after_deletions_and_hardly_anybody_mistaken() -> None:
    """5% deleted at random: what the attack is for."""
    original = powerlaw()
    outcome = weighed(original, thinner(original, 0.05))

    assert outcome.found >= 0.95 * original.node_count
    assert outcome.wrong <= 0.01 * original.node_count


@by_weighing_alone
def test_it_stops_when_nobody_becomes_surer(monkeypatch: pytest.MonkeyPatch) -> None:
    """After as many rounds as it has patience for, or as there may be at all."""

    def rounds() -> int:
        calls: list[None] = []
        original = powerlaw(200, 4)
        situation = Situation(original, original.relabelled(np.arange(200)[::-1].copy()))
        Weighing().claims(situation, np.random.default_rng(1), lambda: calls.append(None))
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
    for module, name, value in (
        (weighing, "CANDIDATES", 2),
        (weighing, "MOST_ROUNDS", 2),
        (weighing, "SURE", 0.95),
        (weighing, "DECIMALS", 0),
        (weighing, "LEAST_CONFIRMED", 1.0),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(module, name, value)
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

    def noted(
        situation: Situation, space: FeatureSpace, room: int, beliefs: Beliefs | None = None
    ) -> Beliefs:
        if beliefs is None:
            rooms.append(room)
        return candidates(situation, space, room, beliefs)

    monkeypatch.setattr(weighing, "_candidates", noted)
    original = powerlaw(200, 4)
    weighed(original, thinner(original, 0.05))
    weighed(original, rewired(original))

    few, many = weighing.CANDIDATES, weighing.MANY_CANDIDATES
    assert rooms == [few, few, many]
