"""What every algorithm promises, and what single ones do."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, strategies as st

from clocks import on_a_machine_of, watcher_of
from graphs import SQUARE, clustered, networks
from naive import count_states, nodes_at_risk, objective
from netveil.network import Network
from netveil.search import ALGORITHMS, Control
from netveil.search.control import Steps
from netveil.search.genetic import Genetic, decayed
from searches import QUICK, outcome_of


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@given(network=networks(min_nodes=3), share=st.floats(0, 1), k=st.integers(2, 3), seed=st.integers(0, 99))
def test_every_algorithm_keeps_the_budget_and_tells_the_truth(
    algorithm: str, network: Network, share: float, k: int, seed: int
) -> None:
    """Deletions within the budget, figures as recounted by networkx, never more at risk than before."""
    outcome = outcome_of(network, algorithm, seed=seed, budget=round(share, 3), k=k)
    deleted = outcome.deleted_edges.tolist()

    assert len(set(deleted)) == len(deleted) <= outcome.budget
    assert outcome.at_risk_before == sum(nodes_at_risk(count_states(network), k))
    assert outcome.at_risk_after == sum(nodes_at_risk(count_states(network, deleted), k))
    assert outcome.objective == objective(network, deleted, k, outcome.budget) == outcome.at_risk_after
    assert outcome.at_risk_after <= outcome.at_risk_before


@pytest.mark.parametrize("algorithm", ["ga", "uga"])
def test_every_setting_of_the_genetic_algorithms_changes_the_run(algorithm: str) -> None:
    changes: dict[str, Any] = {
        "population": 20,
        "offspring": 21,
        "initial_rate": 0.06,
        "mutation_rate": 0.05,
        "patience": 30,
        "mutation_decay": 0.2,
        "crossover": "uniform",
        "environmental_selection": "roulette",
        "ties": "chance",
        "sort_bits": False,
    }
    tournaments, few_flips = {"parental_selection": "tournament"}, {"mutation_rate": 0.001}
    several: list[dict[str, Any]] = [
        *({}, {"crossover": 2}, {"environmental_selection": "tournament"}, tournaments),
        *({name: value} for name, value in changes.items()),
        {**tournaments, "tournament_size": 2},
        *(few_flips, {**few_flips, "drop_twins": False}),  # many flips make few twins
        {"prune": False, "flip_deleted": False},
    ]
    if algorithm == "uga":  # the mutation of ga flips any edge
        several.append({"flip_deleted": False})
    histories = {
        tuple(
            (row.objective, row.deleted) for row in outcome_of(clustered(), algorithm, settings=each).history
        )
        for each in several
    }

    assert set().union(*several) == set(Genetic.__dataclass_fields__)
    assert len(histories) == len(several)


@pytest.mark.parametrize("algorithm", ["es", "ua"])
def test_the_number_of_steps_changes_the_baselines(algorithm: str) -> None:
    """Ten steps look at eleven prefixes, 30 edges in 100 steps at 31."""
    network = clustered()
    ten = outcome_of(network, algorithm, budget=30, settings={"steps": 10})
    hundred = outcome_of(network, algorithm, budget=30)

    assert (ten.evaluations, hundred.evaluations) == (11, 31)
    assert [row.deleted for row in ten.history] == list(range(0, 31, 3))


def test_affected_unique_prefers_edges_that_touch_unique_nodes() -> None:
    """A star beside many triangles: only the centre is unique, so nearly all first deletions touch it."""
    triangles = [(3 * i + a, 3 * i + b) for i in range(40) for a, b in ((0, 1), (1, 2), (0, 2))]
    star = [(120, 121 + leaf) for leaf in range(12)]
    network = Network.from_numbered_edges(triangles + star, 133)
    touching = 0
    for seed in range(30):
        found = outcome_of(network, "ua", budget=1, seed=seed).history[1]
        # Deleting one of the star's edges leaves the centre and a lone leaf unique, a triangle's edge more.
        touching += found.at_risk == 2
    assert touching >= 25


def test_search_stops_when_nobody_is_at_risk() -> None:
    """A square needs no deletion at all, and a solved search says so."""
    nothing_to_do = outcome_of(SQUARE, "ga")
    solved = outcome_of(
        Network.from_edges([("a", "b"), ("b", "c")]), "ga", budget=2, settings={"initial_rate": 0.5}
    )

    assert (nothing_to_do.stopped_by, len(nothing_to_do.deleted_edges)) == ("solved", 0)
    assert (solved.stopped_by, solved.at_risk_after) == ("solved", 0)


def test_search_stops_after_patience_generations_without_gain() -> None:
    outcome = outcome_of(clustered(), "ga", settings={"patience": 15})
    objectives = [row.objective for row in outcome.history]

    assert outcome.stopped_by == "converged"
    assert outcome.settings["patience"] == 15 and set(outcome.settings) == set(Genetic.__dataclass_fields__)
    assert outcome.generations == len(objectives) - 2  # the start, and the finished solution
    assert len(set(objectives[-16:-1])) == 1


def test_time_and_interrupts_stop_a_search_that_would_go_on() -> None:
    """With endless patience only the caller ends it, and what was found so far is returned."""
    endless = {"patience": 10**9, "environmental_selection": "roulette"}
    timed = outcome_of(clustered(), "ga", settings=endless, time=0.2, control=on_a_machine_of(1000))
    control = Control(
        watcher=watcher_of(step=lambda progress: control.interrupt() if progress.step == 3 else None)
    )
    interrupted = outcome_of(clustered(), "ga", settings=endless, control=control)

    assert timed.stopped_by == "time"
    assert 0.2 <= timed.seconds < 0.2 + QUICK["ga"]["offspring"] / 1000  # to the end of the generation
    assert (interrupted.stopped_by, interrupted.generations) == ("interrupted", 3)


def test_a_miscounting_algorithm_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = ALGORITHMS["es"]

    def boast(*arguments: Any) -> Steps:
        found = yield from honest.search(*arguments)
        return replace(found, at_risk=0)

    monkeypatch.setitem(ALGORITHMS, "es", replace(honest, search=boast))
    with pytest.raises(AssertionError, match="recount"):
        outcome_of(clustered(), "es")


def test_the_mutation_rate_decays_to_one_bit_and_no_further() -> None:
    """α becomes α(1 - η·generation) and stops at 1/|E|, also where η·generation passes 1."""
    assert decayed(0.0005, 0.000025, 400, 10_000) == pytest.approx(0.0005 * 0.99)
    assert decayed(0.0005, 0.01, 99, 10_000) == 1 / 10_000
    assert decayed(0.0005, 0.01, 500, 10_000) == 1 / 10_000
