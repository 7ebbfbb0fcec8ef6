"""An excerpt counts as the whole network does, whatever of its candidates is deleted."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from graphs import networks
from naive import count_states, nodes_at_risk
from netveil.anonymity import attackers_of
from netveil.kernels.flips import flip_edges
from netveil.kernels.states import Total, who_is_at_risk
from netveil.network import Network
from netveil.search import Problem
from netveil.search.excerpt import Excerpt, excerpt_of


def problem_on(network: Network, k: int = 2, budget: int = 5) -> Problem:
    """Against count."""
    return Problem(network, attackers_of("count"), k, budget, np.arange(network.edge_count))


def some_candidates(problem: Problem, data: st.DataObject) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Any of the edges."""
    flags = st.lists(st.booleans(), min_size=problem.edge_count, max_size=problem.edge_count)
    return np.array(data.draw(flags), dtype=bool)


def deletions_from(excerpt: Excerpt, data: st.DataObject) -> list[int]:
    """Some of the edges that may be deleted, by their numbers in the excerpt."""
    movable = np.flatnonzero(~excerpt.protected).tolist()
    return data.draw(st.lists(st.sampled_from(movable), unique=True)) if movable else []


@given(networks(min_nodes=4, max_nodes=14), st.integers(2, 4), st.data())
def test_who_is_at_risk_in_an_excerpt_is_at_risk_in_the_network(
    network: Network, k: int, data: st.DataObject
) -> None:
    """The same people, counted flip by flip in the excerpt and from scratch by networkx in the network."""
    problem = problem_on(network, k=min(k, network.node_count))
    candidates = some_candidates(problem, data)
    excerpt = excerpt_of(problem, problem.counts(), candidates, budget=3)
    deleted = deletions_from(excerpt, data)
    state = excerpt.fresh_state()
    flip_edges(excerpt.topology, excerpt.rule, state, np.array(deleted, dtype=np.int64))

    there = excerpt.edges_there(np.array(deleted, dtype=np.int64))
    expected = np.array(nodes_at_risk(count_states(network, there.tolist()), problem.k))
    assert candidates[there].all()
    assert (who_is_at_risk(excerpt.rule, state) == expected[excerpt.node_numbers]).all()
    assert state.totals[Total.AT_RISK] == expected.sum(), "nobody at risk is missing"


@given(networks(min_nodes=4, max_nodes=14), st.data())
def test_an_excerpt_of_an_excerpt_counts_the_same(network: Network, data: st.DataObject) -> None:
    """As groups are taken from the excerpt around all people at risk."""
    problem = problem_on(network)
    outer = excerpt_of(problem, problem.counts(), some_candidates(problem, data), budget=3)
    inner = excerpt_of(outer, outer.counts(), some_candidates(outer, data) & ~outer.protected, budget=3)
    deleted = np.array(deletions_from(inner, data), dtype=np.int64)
    state = inner.fresh_state()
    flip_edges(inner.topology, inner.rule, state, deleted)

    there = outer.edges_there(inner.edges_there(deleted))
    assert state.totals[Total.AT_RISK] == sum(nodes_at_risk(count_states(network, there.tolist()), 2))
    assert outer.edges_here(there).tolist() == sorted(inner.edges_there(deleted).tolist())


def test_of_a_crowd_only_a_few_stand_in() -> None:
    """k + 1 of a hundred people in pairs; the path, where an edge may be deleted, is there whole."""
    pairs = [(2 * pair, 2 * pair + 1) for pair in range(50)]
    network = Network.from_numbered_edges([*pairs, (100, 101), (101, 102)], 103)
    problem = problem_on(network, k=2)
    candidates = np.asarray((network.edges >= 100).all(axis=1))
    excerpt = excerpt_of(problem, problem.counts(), candidates, budget=1)

    assert excerpt.network.node_count == 3 + 3
    assert excerpt.original.totals[Total.AT_RISK] == 1


def test_people_left_out_stand_in_for_nobody() -> None:
    """Without the pairs, both ends of the path are still alike; without each other there would be nobody."""
    network = Network.from_numbered_edges([(0, 1), (2, 3), (3, 4), (3, 5)], 6)
    problem = problem_on(network)
    candidates = np.array([False, True, False, False])
    left_out = np.array([True, True, False, False, True, True])
    whole = excerpt_of(problem, problem.counts(), candidates, 1)
    without = excerpt_of(problem, problem.counts(), candidates, 1, left_out)

    assert whole.node_numbers.tolist() == [
        0,
        1,
        2,
        3,
        4,
    ]  # one of five who have one contact need not be there
    assert without.node_numbers.tolist() == [2, 3]
    assert without.original.totals[Total.AT_RISK] == 2


def test_an_excerpt_cannot_recount_the_network() -> None:
    """It does not see everybody."""
    problem = problem_on(Network.from_numbered_edges([(0, 1), (1, 2)], 3))
    excerpt = excerpt_of(problem, problem.counts(), np.array([True, True]), 1)

    with pytest.raises(NotImplementedError, match="taken from"):
        excerpt.recount(np.array([0]))
