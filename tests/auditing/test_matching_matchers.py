"""Every matcher of the registry: finds people from seeds, stops when asked, claims nobody twice."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from matchings import Outcome, match_of, nothing, powerlaw, thinner

from netveil.auditing.matching import seeded
from netveil.auditing.matching.matcher import NOBODY, Knowledge, Situation, reversed_match
from netveil.auditing.matching.run_matching import Case, match_all
from netveil.auditing.matching.seeded import BUMBLEBEE, NARAYANAN_SHMATIKOV, with_seeds
from netveil.registries import MATCHERS, STRONGEST
from pages import PAGES

ORIGINAL = powerlaw(400, 6)
RELEASED = thinner(ORIGINAL, 0.05)
every_matcher = pytest.mark.parametrize("name", list(MATCHERS))
LEAST_FOUND = {"weighing": 0.95, "narayanan-shmatikov": 0.5, "bumblebee": 0.8, "percolation": 0.8}


def outcome_of(name: str, seeds: int = 0, seed: int = 0) -> Outcome:
    """What a matcher claims of the release."""
    return match_of(MATCHERS[name], ORIGINAL, RELEASED, seed, seeds=seeds)


def test_the_registry_says_what_each_is() -> None:
    """By its name; the first needs nobody to be recognised."""
    assert [matcher.name for matcher in MATCHERS.values()] == list(MATCHERS)
    assert next(iter(MATCHERS)) == STRONGEST and not MATCHERS[STRONGEST].needs_seeds
    assert all(matcher.title and matcher.paper for matcher in MATCHERS.values())
    assert set(LEAST_FOUND) <= set(MATCHERS)


@every_matcher
def test_the_page_on_the_audit_explains_it_and_names_its_paper(name: str) -> None:
    """What is ours has none."""
    (line,) = (line for line in PAGES["audit.md"].read_text("utf-8").splitlines() if f"| `{name}` |" in line)

    assert (MATCHERS[name].paper if name != STRONGEST else "Ours") in line


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
    """And claim nobody."""
    outcome = outcome_of(name)

    assert (outcome.claims.claimed.sum() == 0) == MATCHERS[name].needs_seeds


class Enough(Exception):  # noqa: N818 - it is no error
    """Stop."""


@every_matcher
@pytest.mark.parametrize("calls", [1, 2])
def test_it_stops_when_it_may_not_go_on(name: str, calls: int) -> None:
    """At once: nothing is asked again after it was told to stop."""
    asked: list[int] = []

    def go_on() -> None:
        asked.append(1)
        if len(asked) == calls:
            raise Enough

    seeds = np.arange(50)
    situation = Situation(ORIGINAL, RELEASED, 1.0, 0.95, seeds=seeds, seed_nodes=seeds)
    with pytest.raises(Enough):
        MATCHERS[name].claims(situation, np.random.default_rng(1), go_on)
    assert len(asked) == calls


def test_the_rules_of_the_papers_are_set() -> None:
    """θ = 0.01 and δ = 0.5 of Bumblebee; Narayanan and Shmatikov divide by the root of the degree."""
    assert (BUMBLEBEE.theta, BUMBLEBEE.power, BUMBLEBEE.by_degree) == (0.01, 0.5, False)
    rule = NARAYANAN_SHMATIKOV
    assert (rule.theta, rule.power, rule.by_degree) == (0.5, 0.0, True)


@pytest.mark.parametrize("other", [{"theta": 2.0}, {"power": 0.0}, {"by_degree": True}], ids=str)
def test_every_part_of_a_rule_matters(other: dict[str, Any]) -> None:
    """A higher threshold, no power and the division by degree each match others."""
    released = thinner(ORIGINAL, 0.2)
    seeds = np.arange(0, 400, 20)
    situation = Situation(ORIGINAL, released, 1.0, 0.8, seeds=seeds, seed_nodes=seeds)
    usual, changed = (
        rule.claims(situation, np.random.default_rng(1), nothing)
        for rule in (BUMBLEBEE, replace(BUMBLEBEE, **other))
    )

    assert usual.nodes.tolist() != changed.nodes.tolist()


def test_settings_of_percolation_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    """With more marks for a match fewer are mistaken; with two rounds fewer are found."""
    usual = outcome_of("percolation", 10)
    with monkeypatch.context() as patch:
        patch.setattr(seeded, "MARKS", 4)
        assert outcome_of("percolation", 10).wrong < usual.wrong
    monkeypatch.setattr(seeded, "MOST_ROUNDS", 2)
    assert outcome_of("percolation", 10).found < usual.found


def test_rounds_of_seeded_attacks_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    """One round reaches only contacts of seeds."""
    usual = outcome_of("bumblebee", 10).found
    monkeypatch.setattr(seeded, "MOST_ROUNDS", 1)

    assert outcome_of("bumblebee", 10).found < usual


def test_matches_are_turned_round_and_seeds_put_back() -> None:
    """Who was matched to a seed's node is matched to nobody."""
    match = np.array([2, NOBODY, 0, 1])
    assert reversed_match(match, 5).tolist() == [2, 3, 0, NOBODY, NOBODY]
    situation = Situation(ORIGINAL, RELEASED, seeds=np.array([1]), seed_nodes=np.array([2]))
    assert with_seeds(situation, match).tolist() == [NOBODY, 2, 0, 1]
