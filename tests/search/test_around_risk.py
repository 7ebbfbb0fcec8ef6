"""A large network is searched around its people at risk: counted as the whole network is, and as exact.

Every network here counts as large.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from clocks import Ticking, watcher_of
from graphs import clustered, networks
from naive import count_states, nodes_at_risk
from netveil.anonymity import attackers_of
from netveil.kernels.flips import flip_edges
from netveil.kernels.states import Total, who_is_at_risk
from netveil.network import Network
from netveil.search import Control, Problem, problem as problem_module
from netveil.search.annealing import annealing, around_risk
from netveil.search.annealing.annealing import budgets_on_the_way
from netveil.search.annealing.around_risk import (
    RestrictedProblem,
    around_people_at_risk,
    is_searched_around,
    restricted_to,
)
from searches import at_risk_without, needless_deletions, outcome_of


@pytest.fixture(scope="module", autouse=True)
def every_network_is_large() -> Iterator[None]:
    """Whatever its size."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(around_risk, "LARGE", 1)
        yield


def beside_a_crowd() -> Network:
    """People at risk, and five hundred pairs who are not."""
    crowd = [(1_000 + 2 * pair, 1_001 + 2 * pair) for pair in range(500)]
    return Network.from_numbered_edges([*clustered().edges.tolist(), *crowd], 2_000)


def problem_on(network: Network, k: int = 2, **options: Any) -> Problem:
    """Against count."""
    return Problem(network, attackers_of("count"), k, 5, np.arange(network.edge_count), **options)


def islands(number: int = 4) -> Network:
    """Networks of which each is different, and that do not touch."""
    parts = [clustered(40, 130, seed) for seed in range(number)]
    pairs = [part.edges + 40 * place for place, part in enumerate(parts)]
    return Network.from_numbered_edges(np.concatenate(pairs), 40 * number)


def restricted(problem: Problem, data: st.DataObject) -> tuple[RestrictedProblem, np.ndarray[Any, Any]]:
    """Some edges of the problem as candidates, and some of these to delete, by their numbers there."""
    flags = st.lists(st.booleans(), min_size=problem.edge_count, max_size=problem.edge_count)
    part = restricted_to(problem, np.array(data.draw(flags), dtype=bool))
    movable = np.flatnonzero(~part.protected).tolist()
    chosen = data.draw(st.lists(st.sampled_from(movable), unique=True)) if movable else []
    return part, np.array(chosen, dtype=np.int64)


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
    """Around people at risk there is one edge only at first: no target can be reached there."""

    def tiny(problem: Problem, control: Control) -> RestrictedProblem:
        if problem.known is not None:
            return around_people_at_risk(problem, control)
        return restricted_to(problem, np.arange(problem.edge_count) == 0)

    monkeypatch.setattr(annealing, "around_people_at_risk", tiny)


@given(networks(min_nodes=4, max_nodes=14), st.integers(2, 4), st.data())
def test_who_is_at_risk_in_part_of_a_network_is_at_risk_in_all_of_it(
    network: Network, k: int, data: st.DataObject
) -> None:
    problem = problem_on(network, k=min(k, network.node_count))
    part, deleted = restricted(problem, data)
    state = part.fresh_state()
    flip_edges(part.topology, part.rule, state, deleted)

    expected = np.array(nodes_at_risk(count_states(network, part.edge_numbers[deleted].tolist()), problem.k))
    assert (who_is_at_risk(part.rule, state) == expected[part.node_numbers]).all()
    assert state.totals[Total.AT_RISK] == expected.sum(), "nobody at risk is missing"
    assert (part.edges_deleted_by(state.words) == np.sort(part.edge_numbers[deleted])).all()
    assert part.edge_numbers.tolist() == sorted(set(part.edge_numbers.tolist()))


def test_candidates_are_around_people_at_risk_and_at_those_nearest_to_them() -> None:
    """A hub at risk: its edges, and one over against it; not those of a far away crowd."""
    hub = [(0, leaf) for leaf in range(1, 6)]
    crowd = [(10 + 2 * pair, 11 + 2 * pair) for pair in range(10)]
    network = Network.from_numbered_edges([*hub, (1, 2), (6, 7), *crowd], 30)
    around = around_people_at_risk(problem_on(network), Control())
    candidates = network.edges[around.edge_numbers[~around.protected]].tolist()

    assert [0, 5] in candidates and [1, 2] in candidates
    assert [28, 29] not in candidates


def test_ordinary_networks_are_searched_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    for option in ({}, {"target": 1}, {"known": np.array([1])}):
        assert is_searched_around(problem_on(clustered(), **option))
    for name in ("degree", "lcc", "clustering"):
        assert not is_searched_around(problem_on(clustered(), keep={name: Fraction(1, 2)}))
    monkeypatch.setattr(around_risk, "LARGE", clustered().edge_count + 1)
    assert not is_searched_around(problem_on(clustered()))


def test_a_search_around_people_at_risk_keeps_every_promise() -> None:
    network = islands()
    protected = np.arange(0, network.edge_count, 5)
    outcome = outcome_of(network, protect=protected)

    deleted = outcome.deleted_edges.tolist()
    assert outcome.at_risk_after == at_risk_without(network, deleted) < 0.8 * outcome.at_risk_before
    assert 0 < len(deleted) <= outcome.budget and deleted == sorted(deleted)
    assert not set(deleted) & set(protected.tolist())
    assert needless_deletions(network, outcome) == []


def test_checkpoints_are_solutions_of_the_network() -> None:
    kept: list[tuple[list[int], int]] = []
    control = Control(clock=Ticking(1.0), keeper=lambda edges, risk: kept.append((edges.tolist(), risk)))
    network = islands()
    outcome = outcome_of(network, settings={"effort": 0.2}, budget=0.05, k=4, control=control)

    assert len(kept) > 1
    for edges, at_risk in kept:
        assert len(set(edges)) == len(edges) <= outcome.budget
        assert at_risk == at_risk_without(network, edges, 4) < outcome.at_risk_before


def test_a_curve_has_the_points_of_the_whole_network(looked_at: list[int]) -> None:
    network = beside_a_crowd()
    around = outcome_of(network, curve=True)
    assert max(looked_at) < network.edge_count - 400
    budgets = budgets_on_the_way(around.budget, network.edge_count)

    assert {point.budget for point in around.curve} <= set(budgets)
    for point in around.curve:
        assert len(point.deleted_edges) <= point.budget
        assert point.at_risk == at_risk_without(network, point.deleted_edges.tolist())
    at_risk = [point.at_risk for point in around.curve]
    assert at_risk == sorted(set(at_risk), reverse=True) and at_risk[-1] == around.at_risk_after
    assert at_risk[-1] < 0.8 * around.at_risk_before


@pytest.mark.parametrize("target", ["99.5%", "100%"])
def test_a_target_is_a_share_of_all_people(target: str, looked_at: list[int]) -> None:
    """Reached around people at risk, with no edge too many; nobody looks at the crowd."""
    network = beside_a_crowd()
    outcome = outcome_of(network, settings={"effort": 0.1}, budget=None, target=target)

    assert outcome.at_risk_after == at_risk_without(network, outcome.deleted_edges.tolist())
    assert outcome.at_risk_after <= outcome.enough
    assert outcome.enough == int(2_000 * (1 - Fraction(target[:-1]) / 100))
    assert outcome.stopped_by == "solved"
    assert needless_deletions(network, outcome) == []
    assert max(looked_at) < network.edge_count - 400


def test_nothing_is_set_up_where_few_enough_are_at_risk_already(looked_at: list[int]) -> None:
    network = beside_a_crowd()
    outcome = outcome_of(network, budget=None, target="98%")

    assert len(outcome.deleted_edges) == 0 and outcome.least
    assert max(looked_at) < 100, "a tiny network, to have all compiled"


@pytest.mark.usefixtures("one_candidate")
@pytest.mark.parametrize(("time", "stopped_by"), [(None, "solved"), (2.0, "time")])
def test_what_cannot_be_reached_around_people_at_risk_is_reached_in_wider_surroundings(
    time: float | None, stopped_by: str
) -> None:
    """Those of everybody who is at risk by then, as often as need be; whoever waits is told.

    Also when the time is over: all is deleted then, and what need not be deleted is restored.
    """
    network, said = clustered(), list[str]()
    control = Control(watcher=watcher_of(announce=said.append), clock=Ticking(0.5))
    outcome = outcome_of(network, budget=None, target="100%", time=time, control=control)

    assert said and all("now in wider surroundings" in sentence for sentence in said)
    assert (outcome.at_risk_after, outcome.stopped_by) == (0, stopped_by)
    assert at_risk_without(network, outcome.deleted_edges.tolist()) == 0
    assert needless_deletions(network, outcome) == []
    evaluations = [row.evaluations for row in outcome.history]
    assert evaluations == sorted(evaluations)


@pytest.mark.parametrize("fits", [True, False])
def test_surroundings_that_do_not_widen_are_left_for_the_whole_network_if_it_fits(
    fits: bool, looked_at: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """There all can be deleted; where it does not fit, that is told and what was found is kept."""
    network, said = clustered(), list[str]()
    monkeypatch.setattr(
        annealing,
        "around_people_at_risk",
        lambda problem, control: restricted_to(problem, np.arange(problem.edge_count) == 0),
    )
    if not fits:
        monkeypatch.setattr(problem_module, "BYTES_TO_START", 0)
        room = (problem_module.BYTES_AN_EDGE - 1) * network.edge_count
        monkeypatch.setattr(problem_module, "room_for_addresses", lambda: room)
    control = Control(watcher=watcher_of(announce=said.append))
    outcome = outcome_of(network, budget=None, target="100%", control=control)

    assert (max(looked_at) == network.edge_count) == fits == (outcome.at_risk_after == 0)
    assert ("the target is not reached. In the whole network" in said[-1]) == (not fits)
    assert outcome.at_risk_after == at_risk_without(network, outcome.deleted_edges.tolist())


@pytest.mark.usefixtures("one_candidate")
@pytest.mark.parametrize("options", [{"budget": 0.1}, {"budget": None, "stop": True}])
def test_where_not_all_edges_may_go_the_whole_network_is_left_alone(
    options: dict[str, Any], looked_at: list[int]
) -> None:
    """What is found around people at risk is all there is; whoever interrupts does not wait for more."""
    control = Control()
    if stop := options.get("stop"):
        control.watcher = watcher_of(step=lambda progress: control.interrupt())
    asked = {name: value for name, value in options.items() if name != "stop"}
    outcome = outcome_of(beside_a_crowd(), target="100%", control=control, **asked)

    assert (outcome.stopped_by == "interrupted") == bool(stop)
    assert outcome.at_risk_after > 0
    assert len(outcome.deleted_edges) <= 1
    assert max(looked_at) < 100


@given(networks(min_nodes=5, max_nodes=14, min_edges=3), st.data())
def test_what_is_gone_on_from_can_be_deleted_around_people_at_risk(
    network: Network, data: st.DataObject
) -> None:
    edges = st.integers(0, network.edge_count - 1)
    known = np.array(sorted(data.draw(st.sets(edges, min_size=1))), dtype=np.int64)
    around = around_people_at_risk(problem_on(network, known=known), Control())
    candidates = set(around.edge_numbers[~around.protected].tolist())
    less = network.without_edges(known)
    later = around_people_at_risk(problem_on(less), Control())
    of_less = less.edges[later.edge_numbers[~later.protected]].tolist()

    assert set(known.tolist()) <= candidates
    assert all(edge in network.edges[sorted(candidates)].tolist() for edge in of_less)


def test_a_resumed_search_goes_on_from_what_is_known(looked_at: list[int]) -> None:
    """Never worse; better with a little work; also from deletions that are nowhere near people at risk."""
    network = beside_a_crowd()
    start = outcome_of(network, settings={"effort": 1e-4}).deleted_edges
    first = at_risk_without(network, start.tolist())
    crowd = network.edge_count - 1 - np.arange(10)
    for known in (start, np.union1d(start, crowd)):
        outcome = outcome_of(network, settings={"effort": 0.02}, start=known)
        assert outcome.resumed
        assert outcome.at_risk_after == at_risk_without(network, outcome.deleted_edges.tolist()) < first
        assert not set(outcome.deleted_edges.tolist()) & set(crowd.tolist()), "they are needless"
    assert max(looked_at) < network.edge_count - 400


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
    outcome = outcome_of(network, protect=np.array(protect), **options)

    assert outcome.at_risk_after == at_risk == at_risk_without(network, outcome.deleted_edges.tolist())
    assert bool(len(outcome.deleted_edges)) == (at_risk == 0)
    assert not set(protect) & set(outcome.deleted_edges.tolist())
    assert {point.at_risk for point in outcome.curve} <= {1, at_risk}
