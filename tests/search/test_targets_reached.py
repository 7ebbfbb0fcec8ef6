"""Targets are reached where they can be, and no edge too many is deleted: whole searches."""

from __future__ import annotations

from typing import Any

import pytest

import netveil as nv
from clocks import on_a_machine_of
from graphs import SHARED_NETWORKS, clustered, needs_shared
from naive import best_deletion
from netveil.files import read
from netveil.search import Outcome
from searches import at_risk_without, outcome_of, small_network

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


@pytest.mark.parametrize(
    "measure",
    ["degree", "edge-count", "degree-distribution", "vertex-refinement"],
)
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
