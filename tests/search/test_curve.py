"""The curve: solutions for parts of the budget in one run."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from clocks import on_a_machine_of, watcher_of
from graphs import clustered, limits, networks
from naive import keeps
from netveil.errors import SettingError
from netveil.network import Network
from netveil.search import ALGORITHMS, Control, Outcome
from netveil.search.annealing.annealing import PERCENT, budgets_on_the_way
from netveil.search.control import CurvePoint, Steps, undominated
from searches import at_risk_without, outcome_of

STAR_WITH_A_TIE = Network.from_numbered_edges([(0, 1), (0, 2), (0, 3), (0, 4), (1, 2)], 5)
MARGIN = Fraction(1, 2**30)  # of a mean clustering: what rounding to whole numbers may cost


def curve_of(network: Network, **options: Any) -> Outcome:
    """A quick search with a curve."""
    return outcome_of(network, curve=True, **options)


@given(edges=st.integers(1, 10**7), share=st.fractions(0, 1))
def test_budgets_rise_to_the_whole(edges: int, share: Fraction) -> None:
    budget = max(1, int(share * edges))
    budgets = budgets_on_the_way(budget, edges)

    assert budgets == sorted(set(budgets))
    assert budgets[0] >= 1 and budgets[-1] == budget
    assert len(budgets) <= len(PERCENT) + 1
    assert {10, 20, 50, 60} <= set(budgets_on_the_way(60, 1000))


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
    options: dict[str, Any] = {"budget": round(share, 2), "k": k, "seed": seed, "keep": keep}
    outcome = curve_of(network, settings={"effort": 0.005}, **options)
    for point in outcome.curve:
        deleted = point.deleted_edges.tolist()
        assert len(set(deleted)) == len(deleted) <= point.budget
        assert point.at_risk == at_risk_without(network, deleted, k)
        assert keeps(network, keep, deleted, margin=MARGIN)
    check_trade_off(outcome.curve)
    if outcome.curve:
        assert outcome.curve[-1].budget <= outcome.budget
        assert outcome.curve[-1].deleted_edges.tolist() == outcome.deleted_edges.tolist()
    assert outcome.at_risk_after <= outcome.at_risk_before


def check_trade_off(curve: tuple[CurvePoint, ...]) -> None:
    """Whoever allows more deletes more and leaves fewer at risk: no point is dominated or repeated."""
    for one, other in pairwise(curve):
        assert one.budget < other.budget
        assert one.budget < len(other.deleted_edges)
        assert one.at_risk > other.at_risk
    assert all(len(point.deleted_edges) <= point.budget > 0 for point in curve)


def cheapest(outcome: Outcome) -> tuple[int, int]:
    """At risk, down to as many as are enough, and deletions of the best point of the curve."""
    return min((max(point.at_risk, outcome.enough), len(point.deleted_edges)) for point in outcome.curve)


def rank(outcome: Outcome) -> tuple[int, int]:
    """The same of the release."""
    return max(outcome.at_risk_after, outcome.enough), len(outcome.deleted_edges)


@given(
    st.lists(
        st.tuples(st.integers(0, 9), st.integers(0, 5), st.integers(0, 9)).map(
            lambda drawn: CurvePoint(max(1, drawn[0] + drawn[1]), np.arange(drawn[0]), drawn[2])
        ),
        min_size=1,
    )
)
def test_of_any_points_those_are_kept_that_nothing_beats(points: list[CurvePoint]) -> None:
    """For each budget there is a point as good as any that was given for it."""
    kept = undominated(points)

    check_trade_off(kept)
    for point in points:
        allowed = [each for each in kept if each.budget <= point.budget]
        assert allowed[-1].at_risk <= point.at_risk
        few = len(point.deleted_edges)
        assert few == 0 or any(
            len(each.deleted_edges) <= few and each.at_risk <= point.at_risk for each in kept
        )


@given(
    network=networks(min_nodes=5, min_edges=5),
    share=st.integers(10, 20).map(lambda twentieths: Fraction(twentieths, 20)),
    budget=st.none() | st.integers(1, 5),
    k=st.integers(2, 3),
    seed=st.integers(0, 99),
)
@example(network=STAR_WITH_A_TIE, share=Fraction(1, 2), budget=None, k=3, seed=0)
def test_the_release_is_the_cheapest_point_that_reaches_the_target(
    network: Network, share: Fraction, budget: int | None, k: int, seed: int
) -> None:
    """Of a small network, whatever is asked: no worse than without a curve."""
    asked: dict[str, Any] = {"budget": budget, "target": share, "k": k, "seed": seed}
    plain, curved = outcome_of(network, **asked), curve_of(network, **asked)

    assert rank(curved) <= rank(plain)
    check_trade_off(curved.curve)
    if plain.at_risk_before > plain.enough:
        assert rank(curved) == cheapest(curved)
        assert curved.deleted_edges.tolist() in [point.deleted_edges.tolist() for point in curved.curve]
        for point in curved.curve:
            assert point.at_risk == at_risk_without(network, point.deleted_edges.tolist(), k)


@pytest.mark.parametrize("known", [2, 8])
def test_what_is_known_beforehand_is_on_the_curve_if_it_is_released(known: int) -> None:
    """One proposal finds nothing better, so the edges to start from are released."""
    start = outcome_of(clustered(), budget=known, settings={"effort": 0.2}).deleted_edges
    outcome = curve_of(clustered(), budget=12, start=start, settings={"effort": 1e-9})

    assert outcome.deleted_edges.tolist() == start.tolist()
    assert outcome.curve[-1].deleted_edges.tolist() == start.tolist()
    check_trade_off(outcome.curve)


@pytest.mark.parametrize("algorithm", [name for name, each in ALGORITHMS.items() if each.curve is None])
def test_not_every_algorithm_has_a_curve(algorithm: str) -> None:
    with pytest.raises(SettingError) as caught:
        curve_of(clustered(), algorithm=algorithm)

    assert (
        str(caught.value) == f"algorithm {algorithm} has no curve; leave out the curve, or choose annealing."
    )


def test_an_interrupted_curve_has_the_points_so_far() -> None:
    network = clustered(100, 500)
    control = Control(
        watcher=watcher_of(step=lambda progress: control.interrupt() if progress.step == 4 else None)
    )
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


def test_a_curve_that_is_interrupted_before_its_first_point_has_the_release() -> None:
    """While the target is searched for."""
    control = Control(
        watcher=watcher_of(step=lambda progress: control.interrupt() if progress.step == 3 else None)
    )
    outcome = curve_of(clustered(), budget=None, target=1, settings={"effort": 100}, control=control)

    assert outcome.stopped_by == "interrupted"
    assert [point.deleted_edges.tolist() for point in outcome.curve] == [outcome.deleted_edges.tolist()]


@pytest.mark.parametrize("what", ["at_risk", "budget"])
def test_a_miscounted_point_is_found_out(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
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
