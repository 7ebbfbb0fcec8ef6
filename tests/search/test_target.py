"""Targets: enough k-anonymous people first, few deletions next."""

from __future__ import annotations

from fractions import Fraction
from math import floor
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import netveil as nv
from clocks import on_a_machine_of
from graphs import PATH_OF_THREE, SHARED_NETWORKS, SQUARE, clustered, needs_shared, networks
from naive import best_deletion
from netveil.anonymity import attackers_of
from netveil.errors import SettingError
from netveil.files import read
from netveil.network import Network
from netveil.search import ALGORITHMS, Control, Outcome, Problem
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


KARATE = nv.load("karate")


def found(outcome: Outcome) -> tuple[int, int]:
    """Nodes at risk and deletions."""
    return outcome.at_risk_after, len(outcome.deleted_edges)


@pytest.mark.parametrize(
    ("network", "k"),
    [
        ("karate", 2),
        ("karate", 3),
        ("karate", 5),
        ("les-miserables", 2),
        ("les-miserables", 3),
        ("les-miserables", 5),
    ],
)
def test_full_anonymity_is_reached_wherever_all_edges_may_go(network: str, k: int) -> None:
    """With the effort of the tests, a thirtieth of a user's, and fewer deletions than all."""
    original = nv.load(network)
    outcome = outcome_of(original, budget=None, target="100%", k=k, settings={"effort": 1.0})

    assert outcome.at_risk_after == at_risk_without(original, outcome.deleted_edges.tolist(), k)
    assert (outcome.at_risk_after, outcome.stopped_by) == (0, "solved")
    assert len(outcome.deleted_edges) < original.edge_count


@pytest.mark.parametrize("measure", ["degree", "edge-count", "degree-distribution", "vertex-refinement"])
def test_full_anonymity_is_reached_for_other_attackers(measure: str) -> None:
    """Also where nobody knows of gaps."""
    outcome = outcome_of(
        KARATE, budget=None, target=1, settings={"effort": 0.2}, attacker={"measures": measure}
    )

    assert outcome.at_risk_after == 0
    assert len(outcome.deleted_edges) < KARATE.edge_count


@pytest.mark.parametrize("target", ["50%", "80%", "95%"])
def test_a_target_is_reached_with_few_deletions(target: str) -> None:
    """No more than the search for full anonymity needs."""
    outcome = outcome_of(KARATE, budget=None, target=target, settings={"effort": 1.0})

    assert outcome.at_risk_after <= outcome.enough
    assert len(outcome.deleted_edges) <= 10


@needs_shared
@pytest.mark.parametrize(
    ("name", "target"), [("innovation", "99%"), ("innovation", "100%"), ("netscience", 1)]
)
def test_targets_that_can_be_reached_are_reached_on_larger_networks(name: str, target: Any) -> None:
    """With a tenth of the standard effort."""
    network = read(SHARED_NETWORKS / f"{name}.txt")
    outcome = outcome_of(network, budget=None, target=target, settings={"effort": 0.1})

    assert outcome.at_risk_after <= outcome.enough
    assert len(outcome.deleted_edges) < network.edge_count / 4


@pytest.mark.usefixtures("standard_effort")
def test_a_larger_budget_deletes_no_more_of_karate() -> None:
    """Nobody at risk with ten deletions or fewer, though all edges could go; standard effort."""
    small, whole = (outcome_of(KARATE, budget=budget, settings={"effort": 1.0}) for budget in ("13%", "100%"))

    assert small.at_risk_after == whole.at_risk_after == 0
    assert len(whole.deleted_edges) <= len(small.deleted_edges) <= 10


@pytest.mark.parametrize("seed", range(4))
def test_every_budget_of_a_tiny_network_is_spent_as_well_as_can_be(seed: int) -> None:
    """Fewest at risk first, fewest deletions next, by trying all; so a larger budget never deletes more."""
    network, k = small_network(9, 50 + seed, nodes=7), 2 + seed % 2
    for budget in (1, 3, 5, 7, 9):
        outcome = outcome_of(network, budget=budget, k=k, settings={"effort": 0.3})
        assert found(outcome) == best_deletion(network, k, budget)


def test_a_search_without_a_target_trims_before_it_stops() -> None:
    """More budget than needed: what the first solution found deletes is cut down."""
    outcome = outcome_of(clustered(), budget=120, settings={"effort": 0.1})
    solved = [row.deleted for row in outcome.history if row.at_risk == 0]

    assert outcome.stopped_by == "solved"
    assert found(outcome) == (0, solved[-1])
    assert solved == sorted(solved, reverse=True)
    assert solved[-1] < solved[0]


@pytest.mark.parametrize("target", [None, "95%"])
def test_trimming_keeps_the_time(target: str | None) -> None:
    """Solved long before: the rest of the time is for fewer deletions, or is not needed."""
    control = on_a_machine_of(50_000, time_limit=2.0)
    outcome = outcome_of(clustered(), budget=120, target=target, control=control)

    assert outcome.at_risk_after <= outcome.enough
    assert outcome.seconds < 2.2
    assert outcome.stopped_by in ("time", "solved")
