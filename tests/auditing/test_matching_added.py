"""Weighing notices ties that were added or swapped, and finds people all the same."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from matchings import match_of, powerlaw, rewired, thinner

from graphs import networks
from netveil.auditing.matching.matcher import Knowledge, Situation, thinned
from netveil.auditing.matching.noise import (
    Noise,
    deleted_and_added,
    deletions_explain,
    learnt_noise,
    swapped_anywhere,
    swapped_inside,
    with_random_ties,
)
from netveil.auditing.matching.run_matching import Case, match_all
from netveil.auditing.matching.weighing import Weighing
from netveil.network import Network

ORIGINAL = powerlaw(300, 6)


def rng(seed: int = 1) -> np.random.Generator:
    """Random numbers."""
    return np.random.default_rng(seed)


def renumbered(network: Network, seed: int = 1) -> Network:
    """The network in random order."""
    return network.relabelled(rng(seed).permutation(network.node_count))


@given(network=networks(max_nodes=12, min_edges=1), seed=st.integers(0, 99), share=st.floats(0, 1))
@settings(max_examples=40)
def test_deletions_are_never_taken_for_anything_else(network: Network, seed: int, share: float) -> None:
    """Whichever ties go, and in whatever order people are."""
    released = renumbered(thinned(network, share, rng(seed)), seed)
    situation = Situation(network, released, 1.0, released.edge_count / network.edge_count)

    assert deletions_explain(situation) and learnt_noise(situation, rng()) is None


@pytest.mark.parametrize("known", [0.9, 0.5, 0.25])
@pytest.mark.parametrize("deleted", [0.0, 0.05, 0.4])
def test_nor_by_whoever_knows_a_part_of_the_ties(known: float, deleted: float) -> None:
    """Where triangles are as many as deletions leave."""
    released = thinner(ORIGINAL, deleted)
    situation = Situation(
        renumbered(thinned(ORIGINAL, known, rng())), released, known, 1 - deleted, only_deleted=False
    )

    assert learnt_noise(situation, rng()) is None


@pytest.mark.quick(2)
@pytest.mark.parametrize("way", [swapped_anywhere, deleted_and_added])
@pytest.mark.parametrize("share", [0.1, 0.4])
def test_the_share_of_ties_that_were_made_up_is_learnt(way: object, share: float) -> None:
    """About, and also by whoever knows nine ties of ten, if many were."""
    released = renumbered(Noise(share, way).released(ORIGINAL, ORIGINAL.edge_count, rng(2)))  # type: ignore[arg-type]
    learnt = learnt_noise(Situation(ORIGINAL, released), rng())
    part = Situation(thinned(ORIGINAL, 0.9, rng()), released, 0.9, 1.0, only_deleted=False)
    from_part = learnt_noise(part, rng())

    assert learnt is not None and abs(learnt.share - share) <= 0.2
    assert (from_part is not None) == (share == 0.4)


def test_swaps_keep_degrees_and_change_as_many_ties_as_asked() -> None:
    """Also inside communities, of which everybody keeps as many contacts."""
    community = np.arange(300) % 3
    inside = swapped_inside(community, ORIGINAL, 0.5, rng())
    for network in (swapped_anywhere(ORIGINAL, 0.5, rng()), inside):
        changed = 1 - ORIGINAL.shared_edges(network.edges) / ORIGINAL.edge_count

        assert network.degrees.tolist() == ORIGINAL.degrees.tolist()
        assert 0.4 < changed <= 0.5

    def contacts_inside(network: Network) -> list[int]:
        ends = network.edges[community[network.edges[:, 0]] == community[network.edges[:, 1]]]
        return [int(many) for many in np.bincount(ends.ravel(), minlength=300)]

    assert contacts_inside(inside) == contacts_inside(ORIGINAL)


RELEASES = {
    "swapped": swapped_anywhere(ORIGINAL, 0.3, rng()),
    "deleted and added": deleted_and_added(ORIGINAL, 0.3, rng()),
    "added": with_random_ties(ORIGINAL, 300, rng()),
    "swapped and deleted": thinner(swapped_anywhere(ORIGINAL, 0.3, rng()), 0.05),
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
