"""Targets: enough k-anonymous people first, few deletions next."""

from __future__ import annotations

from fractions import Fraction
from math import floor
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from graphs import PATH_OF_THREE, SQUARE, clustered, networks
from naive import best_deletion
from netveil.anonymity import attackers_of
from netveil.errors import SettingError
from netveil.network import Network
from netveil.search import ALGORITHMS, Control, Problem
from netveil.search.budget import at_risk_for, parsed_target
from searches import at_risk_without, outcome_of, small_network


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@settings(max_examples=20)
@given(
    network=networks(min_nodes=4, min_edges=2),
    share=st.integers(1, 20).map(lambda twentieths: Fraction(twentieths, 20)),
    budget=st.none() | st.integers(0, 4),
    k=st.integers(2, 3),
)
def test_every_algorithm_says_what_is_enough_and_keeps_the_budget(
    algorithm: str, network: Network, share: Fraction, budget: int | None, k: int
) -> None:
    """All edges may go without a budget; figures as by networkx; never worse than to delete nothing."""
    if budget is not None:
        budget = min(budget, network.edge_count)
    outcome = outcome_of(network, algorithm, budget=budget, target=share, k=k)
    deleted = outcome.deleted_edges.tolist()

    assert outcome.budget == (network.edge_count if budget is None else budget)
    assert len(deleted) <= outcome.budget
    assert outcome.enough == floor((1 - share) * network.node_count)
    assert outcome.target == f"{float(100 * share):g}%"
    assert outcome.at_risk_after == at_risk_without(network, deleted, k)
    if outcome.at_risk_before <= outcome.enough:
        assert (deleted, outcome.stopped_by) == ([], "solved")
    else:
        assert outcome.at_risk_after <= outcome.at_risk_before


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_algorithm_reaches_a_target_that_is_easy(algorithm: str) -> None:
    """Half of the people anonymous, all edges to spend; and needs fewer deletions than for nearly all."""
    network = clustered()
    before = at_risk_without(network, [])
    easy = outcome_of(network, algorithm, budget=None, target=Fraction(62 - before, 60))

    assert easy.at_risk_before == before > easy.enough == before - 2
    assert easy.at_risk_after <= easy.enough
    assert 0 < len(easy.deleted_edges) < network.edge_count


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_target_that_is_reached_already_needs_nothing(algorithm: str) -> None:
    """A square has nobody at risk, a path of three one in three."""
    for network, target in ((SQUARE, 1), (PATH_OF_THREE, "66%")):
        outcome = outcome_of(network, algorithm, budget=None, target=target)
        assert (len(outcome.deleted_edges), outcome.stopped_by) == (0, "solved")
        assert outcome.at_risk_after <= outcome.enough


def test_without_a_target_nobody_at_risk_is_enough() -> None:
    """And the record says that there was none; the budget is then a twentieth."""
    outcome = outcome_of(clustered(), budget=None)

    assert (outcome.target, outcome.enough) == (None, 0)
    assert outcome.budget == clustered().edge_count // 20


def test_a_target_changes_what_is_deleted() -> None:
    """The lower, the fewer deletions; none of them more than for the whole."""
    counts = []
    for target in ("80%", "90%", "100%"):
        outcome = outcome_of(clustered(), budget=60, target=target, settings={"effort": 0.2})
        assert outcome.at_risk_after <= outcome.enough
        counts.append(len(outcome.deleted_edges))

    assert counts[0] < counts[1] < counts[2] < 60


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_thrift_pays_off_where_there_is_a_target(seed: int) -> None:
    """For the same number at risk, no more deletions than by a search that may spend all of its budget.

    And far fewer than the first solution has that reaches the target.
    """
    spent = outcome_of(clustered(), budget=60, settings={"effort": 10.0}, seed=seed)
    thrifty = outcome_of(clustered(), budget=60, target=1, settings={"effort": 10.0}, seed=seed)
    reached = [row.deleted for row in thrifty.history if row.at_risk == 0]

    assert spent.at_risk_after == thrifty.at_risk_after == 0
    assert len(thrifty.deleted_edges) <= len(spent.deleted_edges)
    assert len(thrifty.deleted_edges) == reached[-1] <= reached[0] / 2


@pytest.mark.parametrize("seed", range(8))
def test_the_fewest_deletions_of_a_tiny_network_are_found(seed: int) -> None:
    """Ten edges, all may go: nobody at risk with as few as by trying all, or as few at risk as can be."""
    network = small_network(10, seed, nodes=7 + seed % 3)
    k = 2 + seed % 2
    outcome = outcome_of(network, budget=None, target="100%", k=k, settings={"effort": 1.0})

    assert (outcome.at_risk_after, len(outcome.deleted_edges)) == best_deletion(network, k, 10)


@pytest.mark.parametrize("seed", range(6))
def test_the_fewest_deletions_for_part_of_the_people_are_found(seed: int) -> None:
    """Half or 70% or 90% of them, within a budget of four edges."""
    network = small_network(11, 100 + seed, nodes=10)
    target = Fraction((5, 7, 9)[seed % 3], 10)
    outcome = outcome_of(network, budget=4, target=target, settings={"effort": 1.0})
    found = max(outcome.at_risk_after, outcome.enough), len(outcome.deleted_edges)

    assert found == best_deletion(network, 2, 4, enough=outcome.enough)


def test_a_target_that_cannot_be_reached_leaves_as_few_at_risk_as_can_be() -> None:
    """Somebody is alone in a path of three, and still with one edge less; with none left all are alike."""
    outcome = outcome_of(PATH_OF_THREE, budget=1, target=1, settings={"effort": 1.0})
    whole = outcome_of(PATH_OF_THREE, budget=None, target=1, settings={"effort": 1.0})

    assert (outcome.at_risk_after, len(outcome.deleted_edges)) == best_deletion(PATH_OF_THREE, 2, 1)
    assert (whole.at_risk_after, len(whole.deleted_edges)) == (0, 2)


def test_a_search_for_few_deletions_may_be_interrupted() -> None:
    """What was found so far is returned."""
    control = Control(listener=lambda progress: control.interrupt() if progress.step == 3 else None)
    outcome = outcome_of(clustered(), budget=None, target=1, settings={"effort": 100}, control=control)

    assert outcome.stopped_by == "interrupted"
    assert outcome.at_risk_after == at_risk_without(clustered(), outcome.deleted_edges.tolist())


@given(share=st.fractions(min_value="1/1000", max_value=1), nodes=st.integers(0, 10**9))
def test_enough_is_the_most_that_may_be_at_risk(share: Fraction, nodes: int) -> None:
    """With one node more at risk, the share would be missed; exact for any share."""
    enough = at_risk_for(share, nodes)

    assert nodes - enough >= share * nodes > nodes - (enough + 1)


@pytest.mark.parametrize("given", ["95%", "0.95", " 95 % ", 0.95, Fraction(19, 20), "19/20", "9.5e-1"])
def test_a_target_is_exact_however_it_is_written(given: Any) -> None:
    """No floating-point number is 19/20."""
    assert parsed_target(given) == Fraction(19, 20)


def test_a_problem_knows_how_many_are_enough() -> None:
    """99% of 60 are 59.4, so nobody may be at risk; 98% leave one."""
    order = np.arange(clustered().edge_count)
    enough = [
        Problem(clustered(), attackers_of("count"), 2, 5, order, target=parsed_target(target)).enough
        for target in ("99%", "98%", "100%")
    ]

    assert enough == [0, 1, 0]


@pytest.mark.parametrize(
    ("target", "what"),
    [
        (0, "target 0 is not a share"),
        ("0%", "target 0% is not a share"),
        (-0.5, "target -0.5 is not a share"),
        ("-5%", "target -5% is not a share"),
        (1.01, "target 1.01 is not a share"),
        ("101%", "target 101% is not a share"),
        (95, "target 95 is not a share"),
        ("most", "target 'most' is not a number"),
        ("", "target '' is not a number"),
        ("1/0", "target '1/0' is not a number"),
        (float("nan"), "target 'nan' is not a number"),
        (float("inf"), "target 'inf' is not a number"),
        ("1e-99999", "target '1e-99999' is not a number"),
        (True, "target 'True' is not a number"),
        (False, "target 'False' is not a number"),
    ],
)
def test_what_is_no_target(target: Any, what: str) -> None:
    """The message says what was given, the rule and the remedy, before anything is searched."""
    with pytest.raises(SettingError) as caught:
        outcome_of(clustered(), target=target)

    assert (
        str(caught.value)
        == f"{what}; give a share of the people, more than 0% and up to 100%, such as 95% or 0.95."
    )
