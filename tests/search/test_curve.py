"""The curve: solutions for parts of the budget in one run."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from clocks import on_a_machine_of
from graphs import SQUARE, clustered, limits, networks
from naive import keeps
from netveil.errors import SettingError
from netveil.network import Network
from netveil.search import ALGORITHMS, Control, Outcome
from netveil.search.annealing.curve import PERCENT, budgets_on_the_way
from netveil.search.progress import Steps
from searches import at_risk_without, outcome_of

MARGIN = Fraction(1, 2**30)  # of a mean clustering: what rounding to whole numbers may cost


def curve_of(network: Network, **options: Any) -> Outcome:
    """A quick search with a curve."""
    return outcome_of(network, curve=True, **options)


def solutions(outcome: Outcome) -> list[tuple[int, list[int], int]]:
    """The points of a curve, to be compared."""
    return [(point.budget, point.deleted_edges.tolist(), point.at_risk) for point in outcome.curve]


@given(edges=st.integers(1, 10**7), share=st.fractions(0, 1))
def test_budgets_rise_to_the_whole(edges: int, share: Fraction) -> None:
    """Each a whole number of edges, one at least, all different."""
    budget = max(1, int(share * edges))
    budgets = budgets_on_the_way(budget, edges)

    assert budgets == sorted(set(budgets))
    assert budgets[0] >= 1 and budgets[-1] == budget
    assert len(budgets) <= len(PERCENT) + 1


def test_budgets_are_round_shares_of_the_edges() -> None:
    """Of a thousand edges, 5% are fifty; a budget of 60 comes after it."""
    budgets = budgets_on_the_way(60, 1000)

    assert {10, 20, 50} <= set(budgets)
    assert budgets[-1] == 60
    assert budgets_on_the_way(1, 3) == [1]


@settings(max_examples=25)
@given(
    network=networks(min_nodes=4, min_edges=4),
    keep=limits(),
    share=st.floats(0.2, 1),
    k=st.integers(2, 3),
    seed=st.integers(0, 99),
)
def test_every_point_is_a_solution_within_its_budget(
    network: Network, keep: dict[str, Fraction], share: float, k: int, seed: int
) -> None:
    """As recounted by networkx; budgets rise, limits are kept."""
    options: dict[str, Any] = {"budget": round(share, 2), "k": k, "seed": seed, "keep": keep}
    outcome = curve_of(network, settings={"effort": 0.005}, **options)
    for point in outcome.curve:
        deleted = point.deleted_edges.tolist()
        assert len(set(deleted)) == len(deleted) <= point.budget
        assert point.at_risk == at_risk_without(network, deleted, k)
        assert keeps(network, keep, deleted, margin=MARGIN)
    for one, other in pairwise(outcome.curve):
        assert one.budget < other.budget
    if outcome.curve and outcome.stopped_by == "converged":
        assert outcome.curve[-1].budget == outcome.budget
    assert outcome.at_risk_after <= outcome.at_risk_before


def test_with_more_budget_no_more_are_at_risk() -> None:
    """Whatever the effort: what is good enough for a small budget is so for a larger one."""
    for seed in range(300):
        network = clustered(20 + seed % 30, 80, seed)
        outcome = curve_of(network, budget=0.5, seed=seed, k=2 + seed % 3, settings={"effort": 0.0002})
        counts = [point.at_risk for point in outcome.curve]
        assert counts == sorted(counts, reverse=True)
        assert outcome.at_risk_after == counts[-1]


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_curve_of_a_clustered_network_falls(k: int, seed: int) -> None:
    """A hundred nodes: more budget, fewer at risk, down to the solution for the whole budget."""
    network = clustered(100, 500)
    outcome = curve_of(network, budget=20, k=k, seed=seed, settings={"effort": 0.05})
    budgets = [point.budget for point in outcome.curve]
    counts = [point.at_risk for point in outcome.curve]

    assert budgets == budgets_on_the_way(20, network.edge_count)[: len(budgets)]
    assert outcome.stopped_by == "solved" or budgets[-1] == 20
    assert counts[0] > counts[-1] == outcome.at_risk_after
    assert outcome.curve[-1].deleted_edges.tolist() == outcome.deleted_edges.tolist()
    for point in outcome.curve:
        assert point.at_risk == at_risk_without(network, point.deleted_edges.tolist(), k)


def test_same_seed_same_curve_whatever_the_threads() -> None:
    """Another seed gives another one."""
    network = clustered(100, 500)
    first, second, other = (
        solutions(curve_of(network, budget=15, seed=seed, threads=threads))
        for seed, threads in ((1, 1), (1, 3), (2, 1))
    )

    assert first == second != other


def test_a_curve_protects_what_is_protected() -> None:
    """At every point."""
    protected = np.arange(0, 100, 2)
    outcome = curve_of(clustered(), budget=12, protect=protected)

    assert len(outcome.curve) > 1
    for point in outcome.curve:
        assert not set(point.deleted_edges.tolist()) & set(protected.tolist())


@pytest.mark.parametrize("algorithm", [name for name, each in ALGORITHMS.items() if each.curve is None])
def test_not_every_algorithm_has_a_curve(algorithm: str) -> None:
    """The message says which has."""
    with pytest.raises(SettingError) as caught:
        curve_of(clustered(), algorithm=algorithm)

    assert (
        str(caught.value) == f"algorithm {algorithm} has no curve; leave out the curve, or choose annealing."
    )


def test_without_being_asked_for_there_is_no_curve() -> None:
    """Nor where there is nothing to do."""
    assert outcome_of(clustered()).curve == ()
    assert curve_of(SQUARE, budget=2).curve == ()


@pytest.mark.parametrize("step", [1, 4])
def test_an_interrupted_curve_has_the_points_so_far(step: int) -> None:
    """The last of them is the result."""
    network = clustered(100, 500)
    control = Control(listener=lambda progress: control.interrupt() if progress.step == step else None)
    outcome = curve_of(network, budget=15, control=control, settings={"effort": 0.1})

    assert outcome.stopped_by == "interrupted"
    assert 1 <= len(outcome.curve) < len(budgets_on_the_way(15, network.edge_count))
    assert outcome.curve[-1].deleted_edges.tolist() == outcome.deleted_edges.tolist()
    for point in outcome.curve:
        assert len(point.deleted_edges) <= point.budget
        assert point.at_risk == at_risk_without(network, point.deleted_edges.tolist())


def test_a_curve_keeps_its_time() -> None:
    """Half a second for all points together; each has its part of it."""
    network = clustered(500, 3_000)
    outcome = curve_of(network, budget=10, k=4, control=on_a_machine_of(100_000, time_limit=0.5))

    assert outcome.stopped_by == "time"
    assert 0.5 <= outcome.seconds < 0.55
    assert [point.budget for point in outcome.curve] == budgets_on_the_way(10, network.edge_count)


@pytest.mark.parametrize("what", ["at_risk", "budget"])
def test_a_miscounted_point_is_found_out(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is recounted from scratch before anybody sees it, and held against its budget."""
    honest = ALGORITHMS["annealing"]
    search_curve = honest.curve
    assert search_curve is not None

    def careless(*arguments: Any) -> Steps:
        found = yield from search_curve(*arguments)
        first = found.curve[0]
        wrong = {
            "at_risk": replace(first, at_risk=first.at_risk - 1),
            "budget": replace(first, budget=len(first.deleted_edges) - 1),
        }
        return replace(found, curve=(wrong[what], *found.curve[1:]))

    monkeypatch.setitem(ALGORITHMS, "annealing", replace(honest, curve=careless))
    with pytest.raises(AssertionError, match="annealing miscounted"):
        curve_of(clustered(), budget=8)


def test_a_curve_goes_on_from_a_known_solution() -> None:
    """Each point keeps its budget, though what is known deletes more."""
    start = outcome_of(clustered(), budget=8).deleted_edges
    outcome = curve_of(clustered(), budget=12, start=start)

    assert all(len(point.deleted_edges) <= point.budget for point in outcome.curve)
