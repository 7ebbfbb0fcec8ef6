"""Curves, targets, limits on contacts and resumed searches, around people at risk: as exact as anywhere."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from clocks import Ticking
from graphs import clustered, networks
from netveil.anonymity import attackers_of
from netveil.kernels.flips import flip_edges
from netveil.kernels.limits import violation
from netveil.network import Network
from netveil.search import Control, Problem, run_search
from netveil.search.annealing import groups, targets
from netveil.search.annealing.curve import budgets_on_the_way
from netveil.search.annealing.groups import excerpt_around_risk
from netveil.search.excerpt import Excerpt, excerpt_of
from netveil.search.limits.degree import most_lost
from searches import at_risk_without, needless_deletions, outcome_of

AROUND = {"groups": 1}


def beside_a_crowd() -> Network:
    """People at risk, and five hundred pairs who are not."""
    crowd = [(1_000 + 2 * pair, 1_001 + 2 * pair) for pair in range(500)]
    return Network.from_numbered_edges([*clustered().edges.tolist(), *crowd], 2_000)


def problem_on(network: Network, **options: Any) -> Problem:
    """Against count."""
    return Problem(network, attackers_of("count"), 2, 5, np.arange(network.edge_count), **options)


@pytest.fixture
def looked_at(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The edges of each network of which triangles are listed, from now on."""
    made: list[int] = []
    listed = Problem.topology.func  # type: ignore[attr-defined]

    def noted(problem: Problem) -> Any:
        made.append(problem.edge_count)
        return listed(problem)

    monkeypatch.setattr(Problem.topology, "func", noted)
    return made


@pytest.fixture
def one_candidate(monkeypatch: pytest.MonkeyPatch) -> None:
    """Around people at risk there is one edge only: no target can be reached there."""

    def tiny(problem: Problem, control: Control) -> Excerpt:
        candidates = np.arange(problem.edge_count) == 0
        return excerpt_of(problem, problem.counts(), candidates, problem.budget)

    monkeypatch.setattr(groups, "excerpt_around_risk", tiny)


@given(networks(min_nodes=4, max_nodes=12, min_edges=2), st.fractions(0, 1, max_denominator=6), st.data())
def test_contacts_lost_are_counted_in_an_excerpt_as_in_the_network(
    network: Network, share: Fraction, data: st.DataObject
) -> None:
    """By how many the limit is broken, whatever is deleted; also where the excerpt shows few contacts."""
    flags = st.lists(st.booleans(), min_size=network.edge_count, max_size=network.edge_count)
    problem = problem_on(network, keep={"degree": share})
    excerpt = excerpt_of(problem, problem.counts(), np.array(data.draw(flags), dtype=bool), budget=3)
    movable = np.flatnonzero(~excerpt.protected).tolist()
    chosen = data.draw(st.lists(st.sampled_from(movable), unique=True)) if movable else []
    deleted = np.array(chosen, dtype=np.int64)
    state = excerpt.fresh_state()
    flip_edges(excerpt.topology, excerpt.rule, state, deleted)

    lost = network.degrees - network.without_edges(excerpt.edges_there(deleted)).degrees
    beyond = np.maximum(lost - most_lost(share, network.degrees), 0).sum()
    assert violation(excerpt.topology, excerpt.limits, state) == beyond


def test_no_array_of_the_whole_network_is_made(looked_at: list[int]) -> None:
    """The triangles of all edges are never listed: excerpts have their own."""
    crowd = [(1_000 + 2 * pair, 1_001 + 2 * pair) for pair in range(500)]
    network = Network.from_numbered_edges([*clustered().edges.tolist(), *crowd], 2_000)
    outcome = outcome_of(network, settings={"groups": 2})

    assert outcome.at_risk_after < outcome.at_risk_before
    assert looked_at and max(looked_at) < network.edge_count - 400


@pytest.mark.parametrize("share", ["0%", "20%", "50%"])
def test_nobody_loses_more_contacts_than_allowed(share: str, looked_at: list[int]) -> None:
    """Measured from scratch, and without arrays of the whole network."""
    network = beside_a_crowd()
    outcome = outcome_of(network, settings=AROUND, keep={"degree": share})
    lost = network.degrees - network.without_edges(outcome.deleted_edges).degrees

    assert (lost <= most_lost(Fraction(share[:-1]) / 100, network.degrees)).all()
    assert outcome.at_risk_after == at_risk_without(network, outcome.deleted_edges.tolist())
    assert (outcome.at_risk_after < outcome.at_risk_before) == (share != "0%")
    assert max(looked_at) < network.edge_count - 400


def test_a_curve_has_the_points_of_the_whole_network(looked_at: list[int]) -> None:
    """The same budgets; each solution keeps its own and is counted right, and more budget leaves no more."""
    network = beside_a_crowd()
    around = outcome_of(network, settings=AROUND, curve=True)
    assert max(looked_at) < network.edge_count - 400
    budgets = budgets_on_the_way(around.budget, network.edge_count)

    assert {point.budget for point in around.curve} <= set(budgets)
    for point in around.curve:
        assert len(point.deleted_edges) <= point.budget
        assert point.at_risk == at_risk_without(network, point.deleted_edges.tolist())
    at_risk = [point.at_risk for point in around.curve]
    assert at_risk == sorted(set(at_risk), reverse=True) and at_risk[-1] == around.at_risk_after
    assert at_risk[-1] < 0.8 * around.at_risk_before


@pytest.mark.parametrize(
    "options", [{"curve": True}, {"target": "100%", "budget": None}, {"target": "100%", "curve": True}]
)
def test_threads_change_nothing(options: dict[str, Any]) -> None:
    """Same seed, same deletions; another seed has others."""
    runs = [
        outcome_of(
            beside_a_crowd(), settings={**AROUND, "chains": 2}, threads=threads, seed=seed, **options
        ).deleted_edges.tolist()
        for threads, seed in ((1, 1), (2, 1), (1, 2))
    ]

    assert runs[0] == runs[1] != runs[2]


@pytest.mark.parametrize("target", ["99.5%", "99.9%", "100%"])
def test_a_target_is_a_share_of_all_people(target: str, looked_at: list[int]) -> None:
    """Reached around people at risk, with no edge too many; nobody looks at the crowd."""
    network = beside_a_crowd()
    outcome = outcome_of(network, settings={**AROUND, "effort": 0.1}, budget=None, target=target)

    assert outcome.at_risk_after == at_risk_without(network, outcome.deleted_edges.tolist())
    assert outcome.at_risk_after <= outcome.enough
    assert outcome.enough == int(2_000 * (1 - Fraction(target[:-1]) / 100))
    assert outcome.stopped_by == "solved"
    assert needless_deletions(network, outcome) == []
    assert max(looked_at) < network.edge_count - 400


def test_nothing_is_set_up_where_few_enough_are_at_risk_already(looked_at: list[int]) -> None:
    """No triangle is listed, of the network or of a part; and that nothing is deleted is the least."""
    network = beside_a_crowd()
    outcome = outcome_of(network, settings=AROUND, budget=None, target="98%")

    assert len(outcome.deleted_edges) == 0 and outcome.least
    assert max(looked_at) < 100, "a tiny network, to have all compiled"


@pytest.mark.usefixtures("one_candidate")
def test_what_cannot_be_reached_around_people_at_risk_is_reached_in_the_whole_network(
    looked_at: list[int],
) -> None:
    """For without any edges all look alike; whoever waits is told."""
    network, said = clustered(), list[str]()
    control = Control(announcer=said.append)
    outcome = outcome_of(network, settings=AROUND, budget=None, target="100%", control=control)

    assert max(looked_at) == network.edge_count
    assert [sentence for sentence in said if "now through the whole network" in sentence] == said
    assert len(said) == 1
    assert (outcome.at_risk_after, outcome.stopped_by) == (0, "solved")
    assert at_risk_without(network, outcome.deleted_edges.tolist()) == 0
    assert len(outcome.deleted_edges) < network.edge_count
    evaluations = [row.evaluations for row in outcome.history]
    assert evaluations == sorted(evaluations)


@pytest.mark.usefixtures("one_candidate")
def test_what_was_found_is_kept_where_the_whole_network_does_not_fit(
    looked_at: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is room for a search around people at risk, and for none through everything: that is told."""
    network, said = clustered(), list[str]()
    room = (run_search.BYTES_AN_EDGE - 1) * network.edge_count
    monkeypatch.setattr(run_search, "BYTES_TO_START", 0)
    monkeypatch.setattr(run_search, "room_for_addresses", lambda: room)
    control = Control(announcer=said.append)
    outcome = outcome_of(network, settings=AROUND, budget=None, target="100%", control=control)

    assert max(looked_at) < network.edge_count
    assert len(said) == 1 and "the target is not reached. In the whole network" in said[0]
    assert outcome.at_risk_after == at_risk_without(network, outcome.deleted_edges.tolist()) > 0


@pytest.mark.usefixtures("one_candidate")
def test_it_is_also_reached_when_the_time_is_over() -> None:
    """By deleting everything, and restoring what need not be deleted."""
    network = clustered()
    control = Control(clock=Ticking(0.5))
    outcome = outcome_of(network, settings=AROUND, budget=None, target="100%", time=2.0, control=control)

    assert (outcome.at_risk_after, outcome.stopped_by) == (0, "time")
    assert at_risk_without(network, outcome.deleted_edges.tolist()) == 0
    assert needless_deletions(network, outcome) == []


@pytest.mark.usefixtures("one_candidate")
@pytest.mark.parametrize("options", [{"budget": 0.1}, {"budget": None, "keep": {"degree": "50%"}}])
def test_where_not_all_edges_may_go_the_whole_network_is_left_alone(
    options: dict[str, Any], looked_at: list[int]
) -> None:
    """What is found around people at risk is all there is."""
    network = beside_a_crowd()
    outcome = outcome_of(network, settings=AROUND, target="100%", **options)

    assert outcome.at_risk_after > 0
    assert len(outcome.deleted_edges) <= 1
    assert max(looked_at) < 100


@pytest.mark.usefixtures("one_candidate")
def test_whoever_interrupts_does_not_wait_for_the_whole_network(looked_at: list[int]) -> None:
    """The best so far is what there is."""
    control = Control()
    control.listener = lambda progress: control.interrupt()
    outcome = outcome_of(beside_a_crowd(), settings=AROUND, budget=None, target="100%", control=control)

    assert outcome.stopped_by == "interrupted"
    assert max(looked_at) < 100


@pytest.mark.parametrize("restored", [0, 10**6])
def test_little_is_restored_one_by_one(restored: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything is deleted and brought within the budget only where that is not too much work."""
    tried: list[int] = []
    everything: Callable[..., Any] = targets.everything_deleted

    def noted(problem: Problem, control: Control) -> Any:
        tried.append(problem.edge_count)
        return everything(problem, control)

    monkeypatch.setattr(targets, "everything_deleted", noted)
    monkeypatch.setattr(targets, "MOST_RESTORED", restored)
    outcome_of(clustered(), target="100%", budget=0.02)

    assert bool(tried) == (restored > 0)


@given(networks(min_nodes=5, max_nodes=14, min_edges=3), st.data())
def test_what_is_gone_on_from_can_be_deleted_in_the_excerpt(network: Network, data: st.DataObject) -> None:
    """All of it, and what is around those who are at risk without it."""
    edges = st.integers(0, network.edge_count - 1)
    known = np.array(sorted(data.draw(st.sets(edges, min_size=1))), dtype=np.int64)
    around = excerpt_around_risk(problem_on(network, known=known))
    candidates = set(around.edges_there(np.flatnonzero(~around.protected)).tolist())
    less = network.without_edges(known)
    later = excerpt_around_risk(problem_on(less))
    of_less = less.edges[later.edges_there(np.flatnonzero(~later.protected))].tolist()

    assert set(known.tolist()) <= candidates
    assert around.edges_there(around.edges_here(known)).tolist() == known.tolist()
    assert all(edge in network.edges[sorted(candidates)].tolist() for edge in of_less)


def test_a_resumed_search_goes_on_from_what_is_known(looked_at: list[int]) -> None:
    """Never worse; better with a little work; also from deletions that are nowhere near people at risk."""
    network = beside_a_crowd()
    start = outcome_of(network, settings={**AROUND, "effort": 1e-4}).deleted_edges
    first = at_risk_without(network, start.tolist())
    crowd = network.edge_count - 1 - np.arange(10)
    for known in (start, np.union1d(start, crowd)):
        outcome = outcome_of(network, settings={**AROUND, "effort": 0.02}, start=known)
        assert outcome.resumed
        assert outcome.at_risk_after == at_risk_without(network, outcome.deleted_edges.tolist()) < first
        assert not set(outcome.deleted_edges.tolist()) & set(crowd.tolist()), "they are needless"
    assert max(looked_at) < network.edge_count - 400


def test_groups_are_searched_together_where_they_cannot_be_apart() -> None:
    """Nothing is said of groups with a target, a limit or a start, though several are asked for."""
    said: list[str] = []
    network = beside_a_crowd()
    start = np.array([0, 1])
    for options in ({}, {"target": "100%", "budget": None}, {"keep": {"degree": "50%"}}, {"start": start}):
        control = Control(announcer=said.append)
        outcome_of(network, settings={"groups": 3, "effort": 1e-4}, control=control, **options)

    assert len(said) == 1 and "hang together" in said[0]


def protected_at_risk() -> tuple[Network, list[int]]:
    """A star with one tie among its points, a ring and a clique; the edges that are not in the clique."""
    star = [*((0, point) for point in range(1, 5)), (1, 2)]
    ring = [(5 + place, 5 + (place + 1) % 8) for place in range(8)]
    clique = [(13 + one, 13 + other) for one, other in combinations(range(12), 2)]
    network = Network.from_numbered_edges([*star, *ring, *clique], 25)
    return network, np.flatnonzero(network.edges[:, 0] < 13).tolist()


@pytest.mark.parametrize(
    ("options", "at_risk"),
    [
        *(({}, 1), ({"curve": True}, 1), ({"target": "95%"}, 1), ({"target": "100%", "budget": None}, 0)),
        ({"target": "100%", "budget": None, "curve": True}, 0),
    ],
)
def test_where_all_edges_around_people_at_risk_are_protected(options: dict[str, Any], at_risk: int) -> None:
    """Nothing is deleted, unless a target may be reached far away."""
    network, protect = protected_at_risk()
    outcome = outcome_of(network, settings=AROUND, protect=np.array(protect), **options)

    assert outcome.at_risk_after == at_risk == at_risk_without(network, outcome.deleted_edges.tolist())
    assert bool(len(outcome.deleted_edges)) == (at_risk == 0)
    assert not set(protect) & set(outcome.deleted_edges.tolist())
    assert {point.at_risk for point in outcome.curve} <= {1, at_risk}


def test_a_curve_sets_the_problem_up_once(looked_at: list[int]) -> None:
    """Nothing was known beforehand, so the problem that the search prepared is the one it walks through."""
    network = clustered()
    outcome_of(network, curve=True, settings={"groups": 0})

    assert looked_at.count(network.edge_count) == 1
