"""Simulated annealing as a search: what it promises, its settings, its schedule and its walk."""

from __future__ import annotations

import threading
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from clocks import on_a_machine_of
from graphs import clustered, limits, networks
from naive import best_deletion
from netveil.anonymity import attackers_of
from netveil.errors import SettingError
from netveil.network import Network
from netveil.search import ALGORITHMS, DEFAULT_ALGORITHM, Control, Problem
from searches import at_risk_without, needless_deletions, outcome_of, small_network


def deleted_by(network: Network, **options: Any) -> list[int]:
    """The edges that a search deletes."""
    deleted: list[int] = outcome_of(network, **options).deleted_edges.tolist()
    return deleted


def test_annealing_is_what_is_done_unless_asked_otherwise() -> None:
    """It is in the list of algorithms, and the first there."""
    assert next(iter(ALGORITHMS)) == DEFAULT_ALGORITHM == "annealing"


@pytest.mark.parametrize("chains", [1, 2, 5])
def test_same_seed_same_edges_whatever_the_threads(chains: int) -> None:
    """One, two or five threads for one, two or five chains; another seed deletes others."""
    network = clustered()
    options: dict[str, Any] = {"settings": {"chains": chains}, "budget": 8}
    deleted = [deleted_by(network, threads=threads, **options) for threads in (1, 2, 5)]

    assert deleted[0] == deleted[1] == deleted[2]
    assert deleted[0] != deleted_by(network, seed=2, **options)


@pytest.mark.parametrize("change", [{"effort": 0.03}, {"chains": 3}, {"chains": 1}], ids=str)
def test_every_setting_changes_the_run(change: dict[str, Any]) -> None:
    """The history is another one, and so is the number of proposals."""
    basis = outcome_of(clustered(), budget=8)
    other = outcome_of(clustered(), budget=8, settings=change)

    assert basis.evaluations != other.evaluations
    assert [(row.evaluations, row.at_risk) for row in basis.history] != [
        (row.evaluations, row.at_risk) for row in other.history
    ]


@pytest.mark.parametrize(
    ("name", "value"), [("effort", 0), ("effort", -1), ("effort", "nan"), ("chains", 0), ("chains", 10**9)]
)
def test_settings_have_bounds(name: str, value: Any) -> None:
    """The message names setting and value."""
    with pytest.raises(SettingError, match=f"^setting {name} = "):
        outcome_of(clustered(), settings={name: value})


def test_longer_is_better_on_average() -> None:
    """Over three seeds, a hundred times the effort leaves fewer at risk."""
    network = clustered(100, 500)
    short, long = (
        [
            outcome_of(network, seed=seed, budget=10, settings={"effort": effort}).at_risk_after
            for seed in (1, 2, 3)
        ]
        for effort in (0.002, 0.2)
    )

    assert np.mean(long) < np.mean(short)


@pytest.mark.parametrize("speed", [20_000, 500_000])
def test_time_is_kept_though_effort_would_go_on(speed: int) -> None:
    """A second, and a leg at most; the faster the machine the more is tried. The result is a valid one."""
    network = clustered(500, 3_000)
    control = on_a_machine_of(speed, time_limit=1.0)
    outcome = outcome_of(network, budget=5, settings={"effort": 1000}, control=control)

    assert outcome.stopped_by == "time"
    assert 1.0 <= outcome.seconds < 1.1
    assert speed <= outcome.evaluations < 1.1 * speed
    assert len(outcome.deleted_edges) <= outcome.budget
    assert outcome.at_risk_after == at_risk_without(network, outcome.deleted_edges.tolist())
    assert outcome.at_risk_after < outcome.at_risk_before


def test_time_makes_a_search_go_on_though_effort_would_end() -> None:
    """Where time is given, all of it is used and effort says nothing."""
    control = on_a_machine_of(10_000, time_limit=0.3)
    outcome = outcome_of(clustered(), budget=3, settings={"effort": 1e-6}, control=control)

    assert outcome.stopped_by == "time"
    assert 0.3 <= outcome.seconds < 0.35
    assert outcome.evaluations >= 3_000


@pytest.mark.parametrize("step", [0, 1, 5])
def test_an_interrupted_search_returns_its_best(step: int) -> None:
    """After the leg in which it was asked to stop, from the same thread or another."""

    def stop(progress: Any) -> None:
        if progress.step == step:
            thread = threading.Thread(target=control.interrupt)
            thread.start()
            thread.join()

    control = Control(listener=stop)
    outcome = outcome_of(clustered(), budget=8, settings={"effort": 1000}, control=control)

    assert outcome.stopped_by == "interrupted"
    assert outcome.history[-1].step == max(step, 1)
    assert outcome.at_risk_after == at_risk_without(clustered(), outcome.deleted_edges.tolist())
    assert outcome.at_risk_after <= outcome.at_risk_before
    assert not needless_deletions(clustered(), outcome)


@pytest.mark.parametrize("target", [None, "90%"])
def test_the_best_is_kept_now_and_then(target: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """The keeper hears of allowed solutions only, none worse than the one before."""
    monkeypatch.setattr("netveil.search.control.SECONDS_BETWEEN_KEEPS", 0.0)
    network = clustered()
    kept: list[tuple[list[int], int]] = []
    control = Control(keeper=lambda edges, at_risk: kept.append((edges.tolist(), at_risk)))
    outcome = outcome_of(network, budget=12, target=target, control=control)

    assert kept
    for edges, at_risk in kept:
        assert len(set(edges)) == len(edges) <= outcome.budget
        assert max(at_risk_without(network, edges), outcome.enough) == at_risk
    counts = [at_risk for _, at_risk in kept]
    assert counts == sorted(counts, reverse=True)
    assert counts[-1] >= outcome.at_risk_after


@settings(max_examples=25)
@given(
    network=networks(min_nodes=4, min_edges=3),
    keep=limits(),
    share=st.floats(0.1, 1),
    target=st.none() | st.integers(1, 10).map(lambda tenths: Fraction(tenths, 10)),
    k=st.integers(2, 4),
    seed=st.integers(0, 99),
)
def test_no_deletion_is_needless(
    network: Network, keep: dict[str, Fraction], share: float, target: Fraction | None, k: int, seed: int
) -> None:
    """Every single return would put somebody too many at risk or break a limit."""
    options: dict[str, Any] = {
        "budget": round(share, 2),
        "target": target,
        "keep": keep,
        "k": k,
        "seed": seed,
    }
    outcome = outcome_of(network, settings={"effort": 0.005}, **options)

    assert outcome.at_risk_after == at_risk_without(network, outcome.deleted_edges.tolist(), k)
    assert outcome.at_risk_after <= max(outcome.at_risk_before, outcome.enough)
    assert not needless_deletions(network, outcome, keep)


def test_no_deletion_of_a_larger_network_is_needless() -> None:
    """A hundred nodes, and more budget than is needed."""
    network = clustered(100, 300)
    for options in ({"budget": 0.2}, {"budget": 0.2, "target": "90%"}, {"budget": 0.2, "k": 3}):
        assert not needless_deletions(network, outcome_of(network, **options))


@settings(max_examples=25)
@given(network=networks(min_nodes=4, min_edges=4), data=st.data())
def test_a_known_solution_is_never_lost(network: Network, data: st.DataObject) -> None:
    """A search of hardly any effort that goes on from it is no worse, with a target or without."""
    start = sorted(data.draw(st.sets(st.integers(0, network.edge_count - 1), max_size=4)))
    target = data.draw(st.none() | st.just("70%"))
    options: dict[str, Any] = {"budget": network.edge_count, "target": target, "settings": {"effort": 1e-6}}
    outcome = outcome_of(network, start=np.array(start, dtype=np.int64), **options)
    found = max(outcome.at_risk_after, outcome.enough), len(outcome.deleted_edges)

    assert outcome.resumed
    assert found <= (max(at_risk_without(network, start), outcome.enough), len(start))
    assert found <= (max(outcome.at_risk_before, outcome.enough), 0)


@pytest.mark.parametrize("seed", range(12))
def test_the_best_of_all_deletions_of_a_tiny_network_is_found(seed: int) -> None:
    """Twelve edges, up to four to delete, k = 2 and 3: as few at risk as by trying all; standard effort."""
    network = small_network(12, seed)
    budget, k = 1 + seed % 4, 2 + seed % 2
    outcome = outcome_of(network, budget=budget, k=k, settings={"effort": 1.0})

    assert outcome.at_risk_after == best_deletion(network, k, budget)[0]


@pytest.mark.parametrize("keep", [{"clustering": "1/4"}, {"lcc": "1/5"}, {"degree": "1/2"}], ids=str)
@pytest.mark.parametrize("seed", [1, 2])
def test_the_best_within_limits_is_found(keep: dict[str, Any], seed: int) -> None:
    """Of all sets of up to three edges that keep the limit."""
    network = small_network(11, seed)
    shares = {name: Fraction(share) for name, share in keep.items()}
    problem = Problem(network, attackers_of("count"), 2, 3, np.arange(11), keep=shares)
    outcome = outcome_of(network, budget=3, keep=shares, settings={"effort": 1.0})

    assert outcome.at_risk_after == best_deletion(network, 2, 3, limits=problem.limits)[0]
