"""Matchers: what they know is drawn as asked for; each finds people from seeds, and claims nobody twice."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import networkx
import numpy as np
import pytest
from hypothesis import given, strategies as st
from matchings import Outcome, match_of, nothing, numbered, powerlaw, thinner

from graphs import networks
from netveil.auditing.matching import seeded
from netveil.auditing.matching.matcher import NOBODY, Knowledge, Known, Situation, draw_known, reversed_match
from netveil.auditing.matching.run_matching import Case, match_all
from netveil.auditing.matching.seeded import BUMBLEBEE, NARAYANAN_SHMATIKOV, with_seeds
from netveil.network import Network
from netveil.registries import MATCHERS, STRONGEST
from pages import PAGES

ORIGINAL = powerlaw(400, 6)
RELEASED = thinner(ORIGINAL, 0.05)
CLUSTERED = numbered(networkx.connected_caveman_graph(20, 10))
SHARES = (0.9, 0.75, 0.5, 0.25)


def drawn(original: Network, knowledge: Knowledge, seed: int = 1) -> Known:
    return draw_known(original, knowledge, np.random.default_rng(seed))


def ties(edges: Any) -> set[tuple[int, int]]:
    return {(u, v) for u, v in np.sort(edges, axis=1).tolist()}


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

    assert ties(known.people[known.network.edges]) <= ties(original.edges)
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

    assert ties(known.people[known.network.edges]) == {
        (u, v) for u, v in ties(original.edges) if u in inside and v in inside
    }
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
    choices = ((1.0, *SHARES), ("random", "community"), (5, 10, 1000), ("random", "best-connected"))
    every = [Knowledge(*chosen) for chosen in product(*choices)]  # type: ignore[arg-type]

    assert len({str(knowledge) for knowledge in every}) == len(every)


# Every matcher of the registry.


every_matcher = pytest.mark.parametrize("name", list(MATCHERS))
LEAST_FOUND = {"weighing": 0.95, "narayanan-shmatikov": 0.5, "bumblebee": 0.8, "percolation": 0.8}


def outcome_of(name: str, seeds: int = 0) -> Outcome:
    """What a matcher claims of the release."""
    return match_of(MATCHERS[name], ORIGINAL, RELEASED, seeds=seeds)


@every_matcher
def test_the_registry_and_the_page_on_the_audit_say_what_it_is(name: str) -> None:
    """The first needs nobody to be recognised; what is ours has no paper."""
    matcher = MATCHERS[name]
    (line,) = (line for line in PAGES["audit.md"].read_text("utf-8").splitlines() if f"| `{name}` |" in line)

    assert matcher.name == name and matcher.title and matcher.paper
    assert ("Ours" if name == STRONGEST else matcher.paper) in line
    assert next(iter(MATCHERS)) == STRONGEST and not MATCHERS[STRONGEST].needs_seeds


@pytest.mark.thorough
@every_matcher
def test_many_seeds_find_most_people(name: str) -> None:
    """Fifty of 400, in a network less 5% of its ties; hardly anybody is mistaken."""
    (row,) = match_all(ORIGINAL, RELEASED, [Case(name, Knowledge(seeds=50), 3, 1)])

    for score in (row.release, row.original, row.random_deletion):
        assert score.people == 350
        assert score.found >= LEAST_FOUND.get(name, 0) * 350
        assert score.wrong <= 0.05 * 350


@pytest.mark.quick(6)
@every_matcher
@pytest.mark.parametrize("seeds", [1, 3, 10, 50])
def test_no_node_is_claimed_twice_and_seeds_keep_theirs(name: str, seeds: int) -> None:
    """Whatever comes of it; a guess has a certainty, nobody has none, and who is claimed is guessed."""
    outcome = outcome_of(name, seeds)
    claims = outcome.claims
    claimed = claims.nodes[claims.claimed]

    assert len(set(claimed.tolist())) == len(claimed)
    assert (claimed != NOBODY).all()
    assert (claims.certainty[claims.nodes == NOBODY] == 0).all()
    assert (claims.certainty >= 0).all() and np.isfinite(claims.certainty).all()


@every_matcher
def test_without_seeds_those_who_need_them_find_nobody(name: str) -> None:
    outcome = outcome_of(name)

    assert (outcome.claims.claimed.sum() == 0) == MATCHERS[name].needs_seeds


@every_matcher
@pytest.mark.parametrize("calls", [1, 2])
def test_it_stops_when_it_may_not_go_on(name: str, calls: int) -> None:
    """At once: nothing is asked again after it was told to stop."""
    asked: list[int] = []

    def go_on(share: float = 1.0) -> None:
        asked.append(1)
        if len(asked) == calls:
            raise InterruptedError

    seeds = np.arange(50)
    situation = Situation(ORIGINAL, RELEASED, 1.0, 0.95, seeds=seeds, seed_nodes=seeds)
    with pytest.raises(InterruptedError):
        MATCHERS[name].claims(situation, np.random.default_rng(1), go_on)
    assert len(asked) == calls


@pytest.mark.parametrize("name", [name for name, matcher in MATCHERS.items() if matcher.needs_seeds])
def test_a_round_is_counted_by_the_contacts_of_matches(name: str) -> None:
    """Of a star of five a leaf is recognised, then the hub is matched: all look at its four contacts."""
    star = Network.from_numbered_edges([(0, leaf) for leaf in range(1, 5)], 5)
    shares: list[float] = []

    def go_on(share: float = 1.0) -> None:
        shares.append(share)
        if len(shares) == 2:
            raise InterruptedError

    situation = Situation(star, star, seeds=np.array([1]), seed_nodes=np.array([1]))
    with pytest.raises(InterruptedError):
        MATCHERS[name].claims(situation, np.random.default_rng(1), go_on)

    everybody = 4 * 4 + 4 * 1
    assert shares == [(8 + 1) / everybody, (8 + 1 + 16) / everybody]


def test_the_rules_of_the_papers_are_set() -> None:
    """θ = 0.01 and δ = 0.5 of Bumblebee; Narayanan and Shmatikov divide by the root of the degree."""
    rules = [(each.theta, each.power, each.by_degree) for each in (BUMBLEBEE, NARAYANAN_SHMATIKOV)]

    assert rules == [(0.01, 0.5, False), (0.5, 0.0, True)]


@pytest.mark.parametrize("other", [{"theta": 2.0}, {"power": 0.0}, {"by_degree": True}], ids=str)
def test_every_part_of_a_rule_matters(other: dict[str, Any]) -> None:
    released = thinner(ORIGINAL, 0.2)
    seeds = np.arange(0, 400, 20)
    situation = Situation(ORIGINAL, released, 1.0, 0.8, seeds=seeds, seed_nodes=seeds)
    usual, changed = (
        rule.claims(situation, np.random.default_rng(1), nothing)
        for rule in (BUMBLEBEE, replace(BUMBLEBEE, **other))
    )

    assert usual.nodes.tolist() != changed.nodes.tolist()


def test_both_ways_need_the_threshold() -> None:
    rule, released, seeds = replace(BUMBLEBEE, theta=3.0), thinner(ORIGINAL, 0.2), np.arange(0, 400, 20)
    situation = Situation(ORIGINAL, released, 1.0, 0.8, seeds=seeds, seed_nodes=seeds)
    match = rule.claims(situation, np.random.default_rng(1), nothing).nodes
    claimed = np.setdiff1d(np.flatnonzero(match != NOBODY), seeds)
    sides = (
        (ORIGINAL, released, match, claimed),
        (released, ORIGINAL, reversed_match(match, 400), match[claimed]),
    )

    assert len(claimed) > 300
    for here, there, matched, nodes in sides:
        best = seeded.fits(here.csr, there.csr, matched, np.ones(400), rule.power)
        assert (seeded.eccentricity(best)[nodes] >= 3.0).all()


def test_who_is_stuck_tries_pairs_with_one_contact_in_common() -> None:
    """Of one person recognised nobody has two."""
    assert match_of(MATCHERS["percolation"], ORIGINAL, ORIGINAL, seeds=1).found > 390


@pytest.mark.parametrize(
    ("name", "setting", "value", "fewer"),
    [
        ("percolation", "MARKS", 4, "wrong"),
        ("percolation", "MOST_ROUNDS", 2, "found"),
        ("bumblebee", "MOST_ROUNDS", 1, "found"),  # one round reaches only contacts of seeds
    ],
)
def test_every_setting_matters(
    name: str, setting: str, value: int, fewer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = outcome_of(name, 10)
    monkeypatch.setattr(seeded, setting, value)

    assert getattr(outcome_of(name, 10), fewer) < getattr(usual, fewer)


def test_matches_are_turned_round_and_seeds_put_back() -> None:
    """Who was matched to a seed's node is matched to nobody."""
    match = np.array([2, NOBODY, 0, 1])
    assert reversed_match(match, 5).tolist() == [2, 3, 0, NOBODY, NOBODY]
    situation = Situation(ORIGINAL, RELEASED, seeds=np.array([1]), seed_nodes=np.array([2]))
    assert with_seeds(situation, match).tolist() == [NOBODY, 2, 0, 1]
