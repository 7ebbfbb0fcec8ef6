"""What is done to a solution before it is returned: keep budget and limits, restore what is not needed."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given, strategies as st

from graphs import clustered, limits, networks
from naive import count_states, nodes_at_risk, violation
from netveil.anonymity import attackers_of
from netveil.network import Network
from netveil.search import Control, Problem
from netveil.search.finishing import within_budget, without_needless


def test_an_individual_over_the_budget_is_repaired_with_little_harm() -> None:
    """All edges deleted, budget 40: the repaired individual deletes 40 of them and is counted right."""
    network = clustered()
    problem = Problem(network, attackers_of("count"), 2, 40, np.arange(network.edge_count))
    words, at_risk = within_budget(
        problem, problem.individual_deleting(np.arange(network.edge_count)), Control()
    )
    deleted = problem.edges_deleted_by(words)
    chance = np.mean(
        [problem.recount(np.random.default_rng(i).permutation(network.edge_count)[:40])[0] for i in range(10)]
    )

    assert len(deleted) == 40
    assert at_risk == problem.recount(deleted)[0] < chance


@given(networks(min_nodes=4, min_edges=2), st.just({}) | limits(), st.integers(0, 9), st.data())
def test_an_individual_that_breaks_limits_is_repaired(
    network: Network, keep: dict[str, Fraction], budget: int, data: st.DataObject
) -> None:
    """Afterwards it keeps the budget and all limits, and deletes nothing new; one that does so stays."""
    deleted = data.draw(st.lists(st.integers(0, network.edge_count - 1), unique=True))
    problem = Problem(network, attackers_of("count"), 2, budget, np.arange(network.edge_count), keep=keep)
    words, at_risk = within_budget(
        problem, problem.individual_deleting(np.array(deleted, dtype=np.int64)), Control()
    )
    left = problem.edges_deleted_by(words).tolist()

    assert set(left) <= set(deleted)
    assert len(left) <= budget
    assert keep or len(left) == min(budget, len(deleted))
    assert violation(network, problem.limits, left) == 0
    assert at_risk == sum(nodes_at_risk(count_states(network, left), 2))
    if len(deleted) <= budget and violation(network, problem.limits, deleted) == 0:
        assert left == sorted(deleted)
    elif len(left) == len(deleted) - 1:
        returns = [[other for other in deleted if other != edge] for edge in deleted]
        ways = [way for way in returns if violation(network, problem.limits, way) == 0]
        assert at_risk == min(sum(nodes_at_risk(count_states(network, way), 2)) for way in ways)


@given(networks(min_nodes=4, min_edges=2), st.just({}) | limits(), st.data())
def test_what_is_needed_to_keep_a_limit_is_not_restored(
    network: Network, keep: dict[str, Fraction], data: st.DataObject
) -> None:
    """Clustering may rise as edges come back: afterwards each return does harm, to people or to a limit."""
    deleted = data.draw(st.lists(st.integers(0, network.edge_count - 1), unique=True))
    problem = Problem(
        network, attackers_of("count"), 2, network.edge_count, np.arange(network.edge_count), keep=keep
    )
    repaired, before = within_budget(
        problem, problem.individual_deleting(np.array(deleted, dtype=np.int64)), Control()
    )
    words, at_risk = without_needless(problem, repaired, Control())
    left = problem.edges_deleted_by(words).tolist()

    assert set(left) <= set(problem.edges_deleted_by(repaired).tolist())
    assert at_risk == sum(nodes_at_risk(count_states(network, left), 2)) <= before
    assert violation(network, problem.limits, left) == 0
    for edge in left:
        others = [other for other in left if other != edge]
        harmed = sum(nodes_at_risk(count_states(network, others), 2)) > at_risk
        assert harmed or violation(network, problem.limits, others) > 0
