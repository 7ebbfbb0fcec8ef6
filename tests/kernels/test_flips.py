"""The incremental state equals the state computed from scratch, after any flips."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from graphs import PATH_OF_THREE, SQUARE, networks
from naive import count_states, nodes_at_risk, touched_at_risk
from netveil.anonymity import attackers_of
from netveil.kernels.flips import differing_edges, flip_edges
from netveil.kernels.limits import restore_surplus
from netveil.kernels.states import Total, nodes_at_risk_touched
from netveil.network import Network
from netveil.search import Problem, problem


def problem_of(network: Network, k: int = 2, budget: int = 0) -> Problem:
    """The anonymization problem with measure count and bits in the order of edges."""
    return Problem(network, attackers_of("count"), k, budget, np.arange(network.edge_count))


def test_cutting_one_side_of_a_square_leaves_two_pairs() -> None:
    """A square has one class of four; without an edge, two ends and two middles: nobody is unique."""
    square = problem_of(SQUARE)
    state = square.fresh_state()
    flip_edges(square.topology, square.rule, state, np.array([0]))

    assert (state.totals[Total.AT_RISK], state.totals[Total.DELETED]) == (0, 1)


def test_cutting_a_path_of_three_leaves_one_person_alone() -> None:
    """Two nodes of degree 1 are alike; the third, of degree 0, is unique."""
    path = problem_of(PATH_OF_THREE)
    state = path.fresh_state()
    flip_edges(path.topology, path.rule, state, np.array([0]))

    assert state.totals[Total.AT_RISK] == 1


@pytest.mark.parametrize("listed", [True, False], ids=["triangles listed", "rows intersected"])
@given(network=networks(min_edges=1), k=st.integers(2, 4), data=st.data())
def test_states_follow_any_sequence_of_flips(
    listed: bool, network: Network, k: int, data: st.DataObject
) -> None:
    """Degrees, triangles, nodes at risk and deleted edges equal networkx from scratch after every flip."""
    k = min(k, network.node_count)
    with pytest.MonkeyPatch.context() as patch:
        if not listed:
            patch.setattr(problem, "LISTED_ROWS_LIMIT", -1)
        given_problem = problem_of(network, k)
        assert given_problem.topology.listed is listed
    state = given_problem.fresh_state()
    flips = data.draw(st.lists(st.integers(0, network.edge_count - 1), max_size=25))
    deleted: set[int] = set()
    for edge in flips:
        flip_edges(given_problem.topology, given_problem.rule, state, np.array([edge]))
        deleted ^= {edge}
        states = count_states(network, deleted)
        assert (state.keys >> 40).tolist() == [degree for degree, _ in states]
        assert (state.keys & ((1 << 40) - 1)).tolist() == [triangles for _, triangles in states]
        assert state.totals[Total.AT_RISK] == sum(nodes_at_risk(states, k))
        assert state.totals[Total.DELETED] == len(deleted)
        assert given_problem.edges_deleted_by(state.words).tolist() == sorted(deleted)


def test_a_full_table_is_rebuilt_and_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the smallest table that fits, thousands of flips visit more states than it has slots."""
    monkeypatch.setattr(problem, "SMALLEST_TABLE", 1)
    rng = np.random.default_rng(1)
    network = Network.from_numbered_edges(rng.integers(0, 40, (300, 2)), 40)
    small = problem_of(network)
    state = small.fresh_state()
    flips = rng.integers(0, network.edge_count, 5000)
    flip_edges(small.topology, small.rule, state, flips)
    deleted = np.flatnonzero(np.bincount(flips, minlength=network.edge_count) % 2)

    assert len(state.table) == 256
    assert state.totals[Total.AT_RISK] == small.recount(deleted)[0]


@given(network=networks(min_edges=1), data=st.data())
def test_differing_edges_lead_from_one_individual_to_another(network: Network, data: st.DataObject) -> None:
    """Flipping them makes the state delete exactly what the words say."""
    given_problem = problem_of(network)
    state = given_problem.fresh_state()
    numbers = st.lists(st.integers(0, network.edge_count - 1), unique=True)
    for target in (data.draw(numbers), data.draw(numbers)):
        words = given_problem.individual_deleting(np.array(target, dtype=np.int64))
        edges = np.empty(network.edge_count, dtype=np.int64)
        found = differing_edges(state, words, edges)
        flip_edges(given_problem.topology, given_problem.rule, state, edges[:found])
        assert given_problem.edges_deleted_by(state.words).tolist() == sorted(target)
        assert state.totals[Total.DELETED] == len(target)


@pytest.mark.parametrize("listed", [True, False], ids=["triangles listed", "rows intersected"])
@given(network=networks(min_edges=1), data=st.data())
def test_nodes_at_risk_touched_by_an_edge_equal_their_definition(
    listed: bool, network: Network, data: st.DataObject
) -> None:
    """Both ends and common neighbours at risk, as things are after deletions; 0 for deleted edges."""
    with pytest.MonkeyPatch.context() as patch:
        if not listed:
            patch.setattr(problem, "LISTED_ROWS_LIMIT", -1)
        given_problem = problem_of(network)
        assert given_problem.topology.listed is listed
    deleted = data.draw(st.lists(st.integers(0, network.edge_count - 1), unique=True))
    state = given_problem.fresh_state()
    flip_edges(given_problem.topology, given_problem.rule, state, np.array(deleted, dtype=np.int64))
    found = nodes_at_risk_touched(given_problem.topology, given_problem.rule, state)

    for edge in range(network.edge_count):
        expected = 0 if edge in deleted else touched_at_risk(network, deleted, 2, edge)
        assert found[edge] == expected


@given(network=networks(min_edges=2), data=st.data())
def test_surplus_deletions_are_restored_to_the_budget(network: Network, data: st.DataObject) -> None:
    """Exactly the budget stays deleted, of what was deleted; with all candidates looked at, greedily."""
    deleted = data.draw(st.lists(st.integers(0, network.edge_count - 1), unique=True, min_size=1))
    budget = data.draw(st.integers(0, len(deleted) - 1))
    given_problem = problem_of(network)
    state = given_problem.fresh_state()
    bits = np.array(deleted, dtype=np.int64)
    flip_edges(given_problem.topology, given_problem.rule, state, bits)
    limits = given_problem.limits
    restore_surplus(given_problem.topology, given_problem.rule, limits, state, bits, budget, len(deleted))
    left = given_problem.edges_deleted_by(state.words).tolist()

    assert len(left) == budget
    assert set(left) <= set(deleted)
    assert state.totals[Total.AT_RISK] == sum(nodes_at_risk(count_states(network, left), 2))
    if budget == len(deleted) - 1:
        after = [sum(nodes_at_risk(count_states(network, set(deleted) - {edge}), 2)) for edge in deleted]
        assert state.totals[Total.AT_RISK] == min(after)
