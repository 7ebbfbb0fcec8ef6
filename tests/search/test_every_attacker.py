"""Every algorithm against every attacker: what it returns is the truth, allowed, and decided by the seed."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from graphs import clustered
from naive import keeps
from naive_measures import slow_risk
from netveil.anonymity import MEASURES, Attacker, Attackers, anonymity_of, attackers_of
from netveil.errors import SettingError
from netveil.job import Anonymization
from netveil.network import Network
from netveil.search import ALGORITHMS, Control, Outcome
from searches import QUICK, each_algorithm, search

LEAVES = [(0, 40 + leaf) for leaf in range(5)]  # twins, who hide each other only from those who do not know
NETWORK = Network.from_numbered_edges([*clustered(nodes=40, edges=150).edges.tolist(), *LEAVES], 45)

ATTACKERS: dict[str, tuple[Attacker, ...]] = {
    **{name: attackers_of(name) for name in MEASURES},
    "count at distance 2": attackers_of("count", 2),
    "vertex-refinement at distance 2": attackers_of("vertex-refinement", 2),
    "ego at distance 2": attackers_of("ego", 2),
    "count, fuzzy": attackers_of("count", fuzzy="28%"),
    "count, twins": attackers_of("count", twins=True),
    "edge-count at distance 2, fuzzy, twins": attackers_of("edge-count", 2, "14%", True),
    "count and vertex-refinement": attackers_of(["count", "vertex-refinement"]),
    "degree and ego, twins": attackers_of(["degree", "ego"], twins=True),
}


def run(attackers: tuple[Attacker, ...], algorithm: str = "annealing", **options: Any) -> Outcome:
    """A quick search on one thread, a fifth of the edges to spend."""
    asked = {"budget": 0.2, "seed": 1, "threads": 1, "settings": QUICK[algorithm], **options}
    control, together = asked.pop("control", None) or Control(), Attackers(attackers, asked.pop("k", 2))
    start = asked.pop("start", None)
    job = Anonymization(measures=together, algorithm=algorithm, **asked)
    return search(NETWORK, job, control, start)


def left_by(outcome: Outcome) -> Network:
    """What would be published."""
    return NETWORK.without_edges(outcome.deleted_edges)


PAIRS = [
    # Every attacker in turn with one algorithm; with each of them in `make test-all`.
    pytest.param(algorithm, attackers, id=f"{algorithm}-{name}", marks=[] if turn else pytest.mark.thorough)
    for place, algorithm in enumerate(ALGORITHMS)
    for number, (name, attackers) in enumerate(ATTACKERS.items())
    for turn in [number % 5 == place]
]


@pytest.mark.quick(5)
@pytest.mark.parametrize(("algorithm", "attackers"), PAIRS)
def test_what_is_found_is_true_and_the_same_whatever_the_threads(
    algorithm: str, attackers: tuple[Attacker, ...]
) -> None:
    """Counts as by the slow twins, within the budget, never more at risk than before."""
    outcome = run(attackers, algorithm)
    deleted = outcome.deleted_edges.tolist()

    assert len(set(deleted)) == len(deleted) <= outcome.budget == NETWORK.edge_count // 5
    assert outcome.at_risk_before == sum(slow_risk(NETWORK, attackers, 2))
    assert outcome.at_risk_after == sum(slow_risk(left_by(outcome), attackers, 2))
    assert outcome.at_risk_after <= outcome.at_risk_before
    assert run(attackers, algorithm, threads=2).deleted_edges.tolist() == deleted


@pytest.mark.thorough
@each_algorithm
@pytest.mark.parametrize("name", ["hybrid", "count and vertex-refinement"])
def test_larger_k_protected_edges_and_limits(algorithm: str, name: str) -> None:
    """Three must look alike, every third edge stays, nobody loses over half of the contacts."""
    attackers = ATTACKERS[name]
    protected = np.arange(0, NETWORK.edge_count, 3)
    share = {"degree": Fraction(1, 2), "lcc": Fraction(1, 5), "clustering": Fraction(1, 2)}
    outcome = run(attackers, algorithm, k=3, keep=share, protect=protected)
    deleted = outcome.deleted_edges.tolist()

    assert outcome.at_risk_after == sum(slow_risk(left_by(outcome), attackers, 3))
    assert not set(deleted) & set(protected.tolist())
    assert keeps(NETWORK, share, deleted, margin=Fraction(1, 10**6))


@pytest.mark.quick(3)
@each_algorithm
@pytest.mark.parametrize(
    ("name", "target", "enough"),
    [("degree-distribution", "60%", 18), ("count, twins", "0.8", 9), ("count at distance 2", "20%", 36)],
)
def test_a_target_is_reached_where_all_edges_may_go(
    algorithm: str, name: str, target: str, enough: int
) -> None:
    changes = {"effort": 1.0} if algorithm == "annealing" else QUICK[algorithm]
    outcome = run(ATTACKERS[name], algorithm, budget=None, target=target, settings=changes)

    assert outcome.budget == NETWORK.edge_count
    assert outcome.enough == enough < outcome.at_risk_before
    assert outcome.at_risk_after == sum(slow_risk(left_by(outcome), ATTACKERS[name], 2)) <= enough
    if algorithm == "annealing":
        for edge in outcome.deleted_edges.tolist():
            others = [other for other in outcome.deleted_edges.tolist() if other != edge]
            assert sum(slow_risk(NETWORK.without_edges(others), ATTACKERS[name], 2)) > enough


@pytest.mark.parametrize("name", ["vertex-refinement", "ego", "count, twins", "count and vertex-refinement"])
def test_every_point_of_a_curve_is_true(name: str) -> None:
    curve = run(ATTACKERS[name], curve=True).curve
    at_risk = [point.at_risk for point in curve]

    assert len(curve) > 5
    assert at_risk == sorted(at_risk, reverse=True) and at_risk[-1] < at_risk[0]
    for point in curve[:: len(curve) - 1]:
        assert len(point.deleted_edges) <= point.budget
        left = NETWORK.without_edges(point.deleted_edges)
        assert point.at_risk == sum(slow_risk(left, ATTACKERS[name], 2))


@each_algorithm
def test_another_k_and_another_seed_are_other_searches(algorithm: str) -> None:
    """For an attacker whose states do not follow from degree and triangles."""

    def history(**options: int) -> list[tuple[int, int]]:
        rows = run(ATTACKERS["vertex-refinement"], algorithm, **options).history
        return [(row.at_risk, row.deleted) for row in rows]

    assert history() == history(k=2, seed=1)
    assert history() != history(k=3)
    assert (history() == history(seed=2)) == (algorithm == "greedy")  # which draws nothing


@pytest.mark.thorough
def test_a_search_goes_on_from_what_is_known_for_every_attacker() -> None:
    """The result of a search, given to another, is never lost."""
    for number, attackers in enumerate(ATTACKERS.values()):
        first = run(attackers)
        for algorithm in list(ALGORITHMS)[number % 2 :: 2]:
            second = run(attackers, algorithm, seed=5, start=first.deleted_edges)
            assert second.at_risk_after <= first.at_risk_after


def test_doubts_that_a_search_cannot_follow_exactly_are_refused() -> None:
    """A share of too many digits for 64 bits, and numbers that a user's own function tells."""

    def degrees(network: Network) -> Any:
        return network.degrees

    degrees.numeric = True  # type: ignore[attr-defined]
    for attackers in (attackers_of("count", fuzzy="0.333333333333333333"), attackers_of(degrees, fuzzy="5%")):
        assert anonymity_of(NETWORK, attackers, 2).at_risk > 0  # measuring can
        with pytest.raises(SettingError) as refused:
            run(attackers)
        assert "\n" not in str(refused.value)
