"""What an attacker knows is drawn as it is asked for: shares of ties, communities, people recognised."""

from __future__ import annotations

import networkx
import numpy as np
import pytest
from hypothesis import given, strategies as st
from matchings import numbered, powerlaw

from graphs import networks
from netveil.auditing.matching.matcher import Knowledge, Known, draw_known
from netveil.network import Network

ORIGINAL = powerlaw(400, 5)
CLUSTERED = numbered(networkx.connected_caveman_graph(20, 10))
SHARES = (0.9, 0.75, 0.5, 0.25)


def drawn(original: Network, knowledge: Knowledge, seed: int = 1) -> Known:
    """What she knows, by a seed."""
    return draw_known(original, knowledge, np.random.default_rng(seed))


def original_ties(known: Known) -> set[tuple[int, int]]:
    """Her ties by numbers of the original."""
    return {(u, v) for u, v in np.sort(known.people[known.network.edges], axis=1).tolist()}


def ties_of(network: Network) -> set[tuple[int, int]]:
    """All ties."""
    return {(u, v) for u, v in network.edges.tolist()}


KNOWLEDGE = st.builds(
    Knowledge,
    st.sampled_from([0.0, 0.01, 0.25, 0.5, 0.9, 1.0]),
    st.sampled_from(["random", "community"]),
    st.integers(0, 8),
    st.sampled_from(["random", "best-connected"]),
)


@given(original=networks(max_nodes=12), knowledge=KNOWLEDGE, seed=st.integers(0, 1000))
def test_she_knows_nothing_but_ties_of_the_original(
    original: Network, knowledge: Knowledge, seed: int
) -> None:
    """Whatever is drawn: each of her people is somebody else, and so are those recognised, who have ties."""
    known = drawn(original, knowledge, seed)

    assert original_ties(known) <= ties_of(original)
    assert len(set(known.people.tolist())) == len(known.people) == known.network.node_count
    assert 0 <= known.share <= 1
    ends = int(original.degrees[known.people].sum())
    assert known.share == (2 * known.network.edge_count / ends if ends else 1.0)
    assert len(set(known.seeds.tolist())) == len(known.seeds) <= knowledge.seeds
    assert (known.network.degrees[known.seeds] > 0).all()


@pytest.mark.parametrize("share", SHARES)
def test_ties_at_random_are_about_as_many_as_asked_for(share: int) -> None:
    """Within four standard errors; everybody is among her people."""
    known = drawn(ORIGINAL, Knowledge(share))
    error = np.sqrt(share * (1 - share) / ORIGINAL.edge_count)

    assert known.share == known.network.edge_count / ORIGINAL.edge_count
    assert abs(known.share - share) < 4 * error
    assert known.network.node_count == ORIGINAL.node_count


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("original", [ORIGINAL, CLUSTERED], ids=["powerlaw", "clustered"])
def test_a_community_hangs_together_and_has_the_share_of_ties(original: Network, share: float) -> None:
    """All ties among its people and no others: the last to join brings it over the share."""
    known = drawn(original, Knowledge(share, "community"))
    inside = set(known.people.tolist())

    assert original_ties(known) == {(u, v) for u, v in ties_of(original) if u in inside and v in inside}
    assert share * original.edge_count <= known.network.edge_count
    assert known.network.edge_count - original.degrees.max() < share * original.edge_count
    assert networkx.is_connected(known.network.to_networkx())


def test_a_community_is_a_group_where_there_are_groups() -> None:
    """A quarter of the ties of twenty groups: five groups or so, with few ties to others."""
    known = drawn(CLUSTERED, Knowledge(0.25, "community"))

    assert known.share > 0.95
    assert len(set((known.people // 10).tolist())) <= 6


def test_best_connected_people_are_recognised_first() -> None:
    """Those with most of the ties that she knows; at random, others."""
    known = drawn(ORIGINAL, Knowledge(0.5, seeds=20, chosen="best-connected"))
    degrees = known.network.degrees
    others = np.setdiff1d(np.arange(known.network.node_count), known.seeds)
    at_random = drawn(ORIGINAL, Knowledge(0.5, seeds=20))

    assert len(known.seeds) == 20
    assert degrees[known.seeds].min() >= degrees[others].max()
    assert at_random.network.degrees[at_random.seeds].mean() < degrees[known.seeds].mean() / 2


def test_every_field_has_a_name_of_its_own() -> None:
    """By the text each attempt draws random numbers of its own: two kinds of knowledge never share it."""
    every = [
        Knowledge(known, ties, seeds, chosen)
        for known in (1.0, *SHARES)
        for ties in ("random", "community")
        for seeds in (5, 10, 1000)
        for chosen in ("random", "best-connected")
    ]
    assert len({str(knowledge) for knowledge in every}) == len(every)
