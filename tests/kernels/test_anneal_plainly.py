"""The annealing for every attacker: whatever it was told to do, a walk remembers nothing but the truth."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from graphs import clustered, limits
from naive import violation
from netveil.anonymity import Attacker, anonymity_of, attackers_of
from netveil.kernels.annealing.anneal import PlainWalk
from netveil.kernels.annealing.walk_state import Best
from netveil.kernels.states import Total
from netveil.network import Network
from netveil.search import Problem
from netveil.search.annealing.chains import Chain
from walks import CALM, chain_on, edges_missing, legs, problems

ATTACKERS: dict[str, tuple[Attacker, ...]] = {
    "degree-distribution": attackers_of("degree-distribution"),
    "vertex-refinement": attackers_of("vertex-refinement"),
    "count at distance 2": attackers_of("count", 2),
    "vertex-refinement at distance 2": attackers_of("vertex-refinement", 2),
    "fuzzy": attackers_of("count", fuzzy="28%"),
    "twins": attackers_of("edge-count", twins=True),
    "two": attackers_of(["degree", "vertex-refinement"]),
}
each_attacker = pytest.mark.parametrize("attackers", ATTACKERS.values(), ids=list(ATTACKERS))


def walk_of(chain: Chain) -> PlainWalk:
    """The walk of a plain chain."""
    assert isinstance(chain.walk, PlainWalk)
    return chain.walk


def clustered_chain(seed: int = 1, attackers: str = "vertex-refinement", budget: int = 30) -> Chain:
    """A chain on a network with many unique nodes."""
    network = clustered(edges=90)
    order = np.arange(network.edge_count)
    return chain_on(Problem(network, ATTACKERS[attackers], 2, budget, order), seed)


def exact_at_risk(of: Problem, missing: list[int]) -> int:
    """Nodes at risk without these edges, from scratch."""
    return anonymity_of(of.network.without_edges(missing), of.attackers, of.k).at_risk


def check_walk(of: Problem, chain: Chain) -> None:
    """Deleted edges, places, who is at risk and the best are what the edges that are there tell."""
    walk = walk_of(chain)
    state = walk.state
    missing = np.flatnonzero(state.present == 0).tolist()
    count = int(state.totals[Total.DELETED])
    best = edges_missing(of, walk.best)

    assert count == len(missing)
    assert sorted(walk.deleted[:count].tolist()) == missing
    assert walk.place_deleted[walk.deleted[:count]].tolist() == list(range(count))
    assert of.topology.movable[missing].all()
    assert state.totals[Total.AT_RISK] == exact_at_risk(of, edges_missing(of, state.present))
    assert violation(of.network, of.limits, edges_missing(of, state.present)) == 0
    assert walk.best_totals[Best.AT_RISK] == max(exact_at_risk(of, best), of.enough) == chain.at_risk
    assert walk.best_totals[Best.DELETED] == len(best) == chain.deleted <= of.budget
    assert violation(of.network, of.limits, best) == 0
    assert of.protected_edges is None or not set(best) & set(of.protected_edges.tolist())


@pytest.mark.thorough
@each_attacker
@settings(max_examples=15)
@given(data=st.data())
def test_a_walk_remembers_the_truth_after_any_legs(
    attackers: tuple[Attacker, ...], data: st.DataObject
) -> None:
    """Protected edges stay, limits hold, and the budget of each leg is kept, or not left any further."""
    of = replace(data.draw(problems(limits=limits() | st.just({}))), attackers=attackers)
    chain = chain_on(of, seed=data.draw(st.integers(0, 2**63)))
    check_walk(of, chain)
    for leg in data.draw(st.lists(legs(of, most_proposals=150), min_size=1, max_size=3)):
        budget = data.draw(st.integers(0, of.budget))
        before, best = int(walk_of(chain).state.totals[Total.DELETED]), (chain.at_risk, chain.deleted)
        chain.walk_along(leg._replace(budget=budget, allowed=budget, wanted=budget))
        check_walk(of, chain)
        assert walk_of(chain).state.totals[Total.DELETED] <= max(budget, before)
        assert (chain.at_risk, chain.deleted) <= best
        assert (chain.at_risk, chain.deleted) == best or chain.deleted <= budget


@each_attacker
def test_a_long_walk_finds_better_solutions_and_remembers_the_truth(attackers: tuple[Attacker, ...]) -> None:
    """Sixty nodes, warm and cold: at last fewer are at risk than at first."""
    network = clustered(edges=90)
    of = Problem(network, attackers, 2, 30, np.arange(network.edge_count)[::-1].copy())
    chain = chain_on(of)
    before = chain.at_risk
    for temperature in (3.0, 0.5, 0.1):
        chain.walk_along(CALM._replace(proposals=300, temperature=(temperature, temperature)))
        check_walk(of, chain)

    assert 0 < len(edges_missing(of, walk_of(chain).best)) <= 30
    assert chain.at_risk < before


@pytest.mark.parametrize(
    "change",
    [
        {"proposals": 190},
        {"budget": 10},
        {"enough": 20},
        {"worth": 0.5},
        {"worth": -0.5},
        {"temperature": (2.0, 0.5)},
        {"temperature": (1.0, 0.1)},
    ],
    ids=str,
)
def test_every_part_of_a_plan_changes_the_walk(change: dict[str, Any]) -> None:
    """Same random numbers, other edges."""
    basis, other = clustered_chain(), clustered_chain()
    basis.walk_along(CALM._replace(proposals=200))
    other.walk_along(CALM._replace(proposals=200)._replace(**change))

    assert walk_of(basis).state.present.tolist() != walk_of(other).state.present.tolist()


def test_legs_one_after_the_other_are_one_walk() -> None:
    """At the same temperature it makes no difference where a walk is cut."""
    whole, cut = clustered_chain(), clustered_chain()
    leg = CALM._replace(proposals=300, temperature=(1.0, 1.0))
    whole.walk_along(leg)
    for proposals in (1, 99, 200):
        cut.walk_along(leg._replace(proposals=proposals))

    assert whole.random == cut.random
    assert walk_of(whole).state.present.tolist() == walk_of(cut).state.present.tolist()
    assert walk_of(whole).best.tolist() == walk_of(cut).best.tolist()


def test_a_walk_over_its_budget_returns_to_it() -> None:
    """A budget that shrinks between legs: where all is accepted, every proposal restores until it is kept."""
    chain = clustered_chain()
    chain.walk_along(CALM._replace(proposals=500, worth=50.0))
    over = int(walk_of(chain).state.totals[Total.DELETED])
    chain.walk_along(CALM._replace(proposals=over - 5, budget=5, temperature=(1e300, 1e300)))
    back = int(walk_of(chain).state.totals[Total.DELETED])
    chain.walk_along(CALM._replace(proposals=500, budget=5, temperature=(1e300, 1e300)))

    assert over > 20
    assert back == 5
    assert walk_of(chain).state.totals[Total.DELETED] <= 5
    check_walk(chain.problem, chain)


def test_few_enough_at_risk_are_as_good_as_none() -> None:
    """Where all but one may be at risk, what is known counts as well as any; fewer deletions are better."""
    network = clustered(edges=90)
    known = np.arange(20)
    order = np.arange(network.edge_count)
    of = Problem(network, attackers_of("vertex-refinement"), 2, 30, order, known, target=Fraction(1, 100))
    chain = chain_on(of)
    first = chain.at_risk, chain.deleted
    for budget in (15, 5, 1):
        chain.walk_along(CALM._replace(enough=of.enough, budget=budget, temperature=(1e300, 1e300)))
        assert (chain.at_risk, chain.deleted) == (59, budget)
        check_walk(of, chain)

    assert first == (of.enough, 20)
    assert of.enough == 59


def test_protected_edges_stay_though_everything_speaks_against_them() -> None:
    """All but three edges are protected, deletions are well paid, and there is budget for all."""
    network = Network.from_numbered_edges(clustered(edges=90).edges[:40], 60)
    protected = np.arange(3, network.edge_count)
    of = Problem(
        network,
        attackers_of("degree-distribution"),
        2,
        network.edge_count,
        np.arange(network.edge_count)[::-1].copy(),
        protected_edges=protected,
    )
    chain = chain_on(of)
    chain.walk_along(CALM._replace(budget=network.edge_count, worth=50.0, temperature=(9.0, 9.0)))

    assert 0 < walk_of(chain).state.totals[Total.DELETED] <= 3
    check_walk(of, chain)
