"""People at risk searched for in groups: who is in which, and what comes of it."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings, strategies as st
from numpy.typing import NDArray

from clocks import Ticking
from graphs import clustered, networks
from naive import count_states, nodes_at_risk
from netveil.anonymity import attackers_of
from netveil.errors import SettingError
from netveil.network import Network
from netveil.search import Control, Problem
from netveil.search.annealing import groups, groups as module
from netveil.search.annealing.groups import divided, excerpt_around_risk, in_words, is_searched_around
from netveil.search.annealing.targets import Annealing
from netveil.search.excerpt import Excerpt
from searches import at_risk_without, needless_deletions, outcome_of


def problem_on(network: Network, budget: int = 30, **options: Any) -> Problem:
    """Against count."""
    order = np.arange(network.edge_count)
    return Problem(network, attackers_of("count"), 2, budget, order, **options)


def islands(number: int = 4) -> Network:
    """Networks of which each is different, and that do not touch."""
    parts = [clustered(40, 130, seed) for seed in range(number)]
    pairs = [part.edges + 40 * place for place, part in enumerate(parts)]
    return Network.from_numbered_edges(np.concatenate(pairs), 40 * number)


def hubs() -> Network:
    """Twelve people with ever more contacts who have no others, and who know each other around a ring."""
    ring = [(hub, (hub + 1) % 12) for hub in range(12)]
    leaves = np.repeat(np.arange(12), np.arange(12) + 4)
    return Network.from_numbered_edges([*ring, *to_leaves(leaves)], 12 + len(leaves))


def to_leaves(leaves: NDArray[np.int64]) -> list[tuple[int, int]]:
    """An edge from each hub to a leaf of its own."""
    return [(int(hub), 12 + place) for place, hub in enumerate(leaves)]


def touched(network: Network, edge: int) -> set[int]:
    """The ends of an edge and their common neighbours."""
    u, v = network.edges[edge].tolist()
    return {u, v} | (set(network.neighbours(u).tolist()) & set(network.neighbours(v).tolist()))


def groups_by_definition(around: Excerpt) -> list[set[int]]:
    """People at risk by groups, joined one candidate after the other."""
    few = around.lookalikes(around.counts()) < module.CROWD * around.k
    joined = [{node} for node in np.flatnonzero(few).tolist()]
    for edge in np.flatnonzero(~around.protected).tolist():
        theirs = {node for node in touched(around.network, edge) if few[node]}
        meeting = [group for group in joined if group & theirs]
        joined = [group for group in joined if not group & theirs]
        joined += [set().union(*meeting)] if meeting else []
    at_risk = set(np.flatnonzero(around.lookalikes(around.counts()) < around.k).tolist())
    return [group & at_risk for group in joined if group & at_risk]


@given(networks(min_nodes=5, max_nodes=16, min_edges=3))
def test_groups_are_those_of_the_definition(network: Network) -> None:
    """As many of them, and the largest as large."""
    around = excerpt_around_risk(problem_on(network))
    expected = groups_by_definition(around)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "CROWD", 1)
        expected_if_few = groups_by_definition(around)
        found_if_few = divided(around, 3, may_cut=False)
    found = divided(around, 3, may_cut=False)

    assert (found.found, found.largest) == (len(expected), max(map(len, expected), default=0))
    assert found_if_few.found == len(expected_if_few) >= found.found


@settings(max_examples=20, suppress_health_check=[HealthCheck.filter_too_much])
@given(networks(min_nodes=9, max_nodes=16, min_edges=8), st.integers(2, 3))
def test_no_candidate_touches_somebody_with_few_lookalikes_of_two_groups(
    network: Network, number: int
) -> None:
    """Each candidate is of one group at most, and the budget is not exceeded."""
    around = excerpt_around_risk(problem_on(network, budget=7))
    division = divided(around, number, may_cut=True)
    assume(len(division.excerpts) > 1)
    few = set(np.flatnonzero(around.lookalikes(around.counts()) < module.CROWD * 2).tolist())
    candidates = [excerpt.edges_there(np.flatnonzero(~excerpt.protected)) for excerpt in division.excerpts]
    people = [
        {node for edge in edges.tolist() for node in touched(around.network, edge)} & few
        for edges in candidates
    ]

    assert not any(one & other for one, other in combinations(people, 2))
    assert sum(excerpt.budget for excerpt in division.excerpts) <= 7
    assert sum(map(len, candidates)) + division.frozen <= np.count_nonzero(~around.protected)


def test_candidates_are_around_people_at_risk_and_at_those_nearest_to_them() -> None:
    """A hub at risk: its edges, and one over against it; not those of a far away crowd."""
    hub = [(0, leaf) for leaf in range(1, 6)]
    crowd = [(10 + 2 * pair, 11 + 2 * pair) for pair in range(10)]
    network = Network.from_numbered_edges([*hub, (1, 2), (6, 7), *crowd], 30)
    around = excerpt_around_risk(problem_on(network))
    candidates = network.edges[around.edges_there(np.flatnonzero(~around.protected))].tolist()

    assert [0, 5] in candidates and [1, 2] in candidates
    assert [28, 29] not in candidates


def test_protected_edges_are_no_candidates() -> None:
    """They stay, in groups as elsewhere."""
    network = clustered()
    around = excerpt_around_risk(problem_on(network, protected_edges=np.arange(0, network.edge_count, 2)))

    assert (around.edges_there(np.flatnonzero(~around.protected)) % 2 == 1).all()


def test_islands_are_groups_and_are_packed_evenly() -> None:
    """Four of them in two parts, without any edge between."""
    division = divided(excerpt_around_risk(problem_on(islands())), 2, may_cut=False)

    assert division.found >= 4 and len(division.excerpts) == 2
    assert division.frozen == 0 and not division.cut
    assert max(division.at_risk) < 2 * min(division.at_risk)
    assert "do not touch: searched as 2" in in_words(division)


def test_one_group_is_cut_by_state_only_where_that_is_asked_for() -> None:
    """People with few contacts are in another part than those with many; edges between parts wait."""
    around = excerpt_around_risk(problem_on(hubs()))
    whole, cut = divided(around, 2, may_cut=False), divided(around, 2, may_cut=True)

    assert whole.excerpts == [around] and "not searched for in groups" in in_words(whole)
    assert cut.cut and len(cut.excerpts) == 2
    assert cut.frozen == 2 and "2 edges between them wait" in in_words(cut)
    assert cut.at_risk == [6, 6]


@pytest.mark.parametrize("number", [1, 3])
@pytest.mark.parametrize("network", [islands(), hubs()], ids=["islands", "one piece"])
def test_a_search_in_groups_keeps_every_promise(network: Network, number: int) -> None:
    """It helps, keeps the budget, deletes nothing needlessly, and counts right; protected edges stay."""
    protected = np.arange(0, network.edge_count, 5)
    outcome = outcome_of(network, settings={"groups": number}, protect=protected)

    deleted = outcome.deleted_edges.tolist()
    assert outcome.at_risk_after == at_risk_without(network, deleted) < 0.8 * outcome.at_risk_before
    assert 0 < len(deleted) <= outcome.budget
    assert not set(deleted) & set(protected.tolist())
    assert needless_deletions(network, outcome) == []


@pytest.mark.parametrize("number", ["auto", 1, 2, 5])
def test_threads_change_nothing_about_groups(number: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Same seed, same deletions, whatever the number of threads; another seed has others."""
    monkeypatch.setattr(groups, "LARGE", 1)
    monkeypatch.setattr(groups, "AT_RISK_A_GROUP", 10)
    runs = [
        outcome_of(islands(), settings={"groups": number}, threads=threads, seed=seed).deleted_edges.tolist()
        for threads, seed in ((1, 1), (2, 1), (3, 1), (1, 2))
    ]

    assert runs[0] == runs[1] == runs[2] != runs[3]


def test_the_number_of_groups_changes_the_search() -> None:
    """None, one, and several go different ways."""
    runs = [outcome_of(islands(), settings={"groups": number}).deleted_edges.tolist() for number in (0, 1, 2)]

    assert runs[0] != runs[1] != runs[2] != runs[0]


@pytest.mark.parametrize(
    ("name", "value"), [("TOGETHER", 0.9), ("COLD_FROM", 0.0), ("AT_RISK_A_GROUP", 1_000)]
)
def test_every_number_changes_the_search(name: str, value: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Same seed, another course."""

    def run() -> list[Any]:
        outcome = outcome_of(islands(), settings={"groups": "auto"}, budget=0.02)
        return [(row.evaluations, row.at_risk, row.deleted) for row in outcome.history]

    monkeypatch.setattr(groups, "LARGE", 1)
    monkeypatch.setattr(groups, "AT_RISK_A_GROUP", 10)
    before = run()
    monkeypatch.setattr(groups, name, value)

    assert run() != before


def test_ordinary_networks_are_searched_whole() -> None:
    """By default only large ones are not; where components or clustering are limited, none."""
    problem = problem_on(clustered())
    asked = Annealing(groups=2)

    assert not is_searched_around(problem, Annealing())
    assert is_searched_around(problem, asked)
    assert not is_searched_around(problem, Annealing(groups=0))
    for option in ({"keep": {"degree": Fraction(1, 2)}}, {"target": 1}, {"known": np.array([1])}):
        assert is_searched_around(problem_on(clustered(), **option), asked)
    for name in ("lcc", "clustering"):
        keep = {"degree": Fraction(1, 2), name: Fraction(1, 10)}
        assert not is_searched_around(problem_on(clustered(), keep=keep), asked)


def test_time_is_shared_out_and_kept() -> None:
    """By a clock that goes on at each look; every group has its turn, and all are put together."""
    control = Control(clock=Ticking(0.02))
    outcome = outcome_of(islands(), settings={"groups": 3}, time=4.0, control=control)

    assert outcome.stopped_by == "time"
    assert outcome.at_risk_after < 0.8 * outcome.at_risk_before
    assert 4.0 <= outcome.seconds < 6.0


def test_an_interrupted_search_has_the_best_of_all_groups() -> None:
    """What groups have found until then is put together and recounted."""
    control = Control()
    control.listener = lambda progress: control.interrupt() if progress.step > 10 else None
    network = islands()
    outcome = outcome_of(network, settings={"groups": 2, "effort": 1.0}, control=control)

    assert outcome.stopped_by == "interrupted"
    assert outcome.at_risk_after == at_risk_without(network, outcome.deleted_edges.tolist())
    assert outcome.at_risk_after < outcome.at_risk_before


def test_checkpoints_are_solutions_of_the_network() -> None:
    """What is kept against a crash are edges of the network, and at most the budget."""
    kept: list[tuple[list[int], int]] = []
    control = Control(clock=Ticking(1.0), keeper=lambda edges, risk: kept.append((edges.tolist(), risk)))
    network = islands()
    outcome = outcome_of(network, settings={"groups": 2}, budget=0.02, control=control)

    assert len(kept) > 1
    for edges, _ in kept:
        assert len(set(edges)) == len(edges) <= outcome.budget
    best = min(sum(nodes_at_risk(count_states(network, edges), 2)) for edges, _ in kept)
    assert outcome.at_risk_after <= best + 3 < outcome.at_risk_before


@pytest.mark.parametrize("number", [-1, 1_025])
def test_a_number_of_groups_that_makes_no_sense_is_refused(number: int) -> None:
    """With what is allowed."""
    with pytest.raises(SettingError, match="auto, or between 0 and 1024"):
        Annealing(groups=number)
