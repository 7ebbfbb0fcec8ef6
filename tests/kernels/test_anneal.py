"""The kernel of the annealing: whatever it was told to do, a walk remembers nothing but the truth."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from graphs import clustered
from naive import count_states, nodes_at_risk
from netveil.anonymity import attackers_of
from netveil.search import Problem, problem
from walks import (
    ATTACKERS,
    CALM,
    best_of,
    chain_on,
    check_walk,
    complete,
    edges_missing,
    legs,
    problems,
    walk_of,
)


def clustered_problem(budget: int = 30, attacker: str = "count") -> Problem:
    """A network with many unique nodes."""
    network = clustered()
    return Problem(network, ATTACKERS[attacker], 2, budget, np.arange(network.edge_count))


@pytest.mark.parametrize("attacker", ATTACKERS)
@pytest.mark.parametrize("listed", [True, False], ids=["triangles listed", "rows intersected"])
@given(data=st.data())
def test_a_walk_remembers_the_truth_after_any_legs(listed: bool, attacker: str, data: st.DataObject) -> None:
    """As computed from scratch by networkx and slow twins; and the best is never worse than before."""
    with pytest.MonkeyPatch.context() as patch:
        if not listed:
            patch.setattr(problem, "LISTED_ROWS_LIMIT", -1)
        of = data.draw(problems(attacker))
        assert of.topology.listed is listed
    assert of.rule.count_triangles is (attacker == "count")
    chain = chain_on(of, seed=data.draw(st.integers(0, 2**63)))
    best = best_of(walk_of(chain))
    for leg in data.draw(st.lists(legs(of), min_size=1, max_size=4)):
        chain.walk_along(leg)
        check_walk(of, walk_of(chain))
        assert best_of(walk_of(chain)) <= best
        best = best_of(walk_of(chain))


@pytest.mark.parametrize("attacker", ATTACKERS)
@pytest.mark.parametrize("temperature", [0.1, 1.0, 30.0])
def test_a_long_walk_on_a_clustered_network_remembers_the_truth(attacker: str, temperature: float) -> None:
    """Sixty nodes, thousands of proposals a leg, cold and hot."""
    of = clustered_problem(attacker=attacker)
    chain = chain_on(of)
    for number in range(4):
        chain.walk_along(CALM._replace(temperature=(temperature, temperature), picky=number % 2 == 0))
        check_walk(of, walk_of(chain))

    assert walk_of(chain).accepted_count[0] > 0


@pytest.mark.many_steps
def test_a_small_table_is_counted_anew_when_states_fill_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hot walk meets more states than there are slots; the table never fills up, which would never end."""
    monkeypatch.setattr("netveil.search.annealing.build_walk.SMALLEST_TABLE", 1)
    network = complete(16)
    of = Problem(network, attackers_of("count"), 2, 100, np.arange(network.edge_count))
    chain = chain_on(of)
    slots = len(walk_of(chain).counts.table) // len(walk_of(chain).counts.used)
    met: set[int] = set()
    for _ in range(60):
        chain.walk_along(CALM._replace(proposals=300, budget=100, temperature=(1000.0, 1000.0)))
        met |= set(walk_of(chain).counts.table[:slots, 0].tolist())
        check_walk(of, walk_of(chain))

    assert slots == 8 * 16
    assert len(met) > slots


@pytest.mark.many_steps
def test_states_new_in_one_leg_may_be_more_than_the_table_holds() -> None:
    """A dense network, where a proposal touches nearly everybody: tables are looked at often enough."""
    network = complete(150)
    of = Problem(network, attackers_of("count"), 2, 5_000, np.arange(network.edge_count))
    chain = chain_on(of)
    chain.walk_along(CALM._replace(proposals=2_000, budget=5_000, worth=1.0, temperature=(1e4, 1e4)))

    check_walk(of, walk_of(chain))
    assert walk_of(chain).accepted_count[0] > 1_000


@pytest.mark.many_steps
def test_the_best_survives_a_walk_away_from_it() -> None:
    """First cold, then so hot and long that all changes since could not be noted down."""
    of = clustered_problem(budget=10)
    chain = chain_on(of)
    chain.walk_along(CALM._replace(proposals=10_000, budget=10, temperature=(1.0, 0.1)))
    found = best_of(walk_of(chain))
    chain.walk_along(CALM._replace(proposals=100_000, budget=10, temperature=(1e6, 1e6)))
    missing = edges_missing(of, walk_of(chain).best)

    assert walk_of(chain).accepted_count[0] > 70_000
    assert best_of(walk_of(chain)) <= found
    assert sum(nodes_at_risk(count_states(of.network, missing), 2)) == best_of(walk_of(chain))[0]
    check_walk(of, walk_of(chain))


@pytest.mark.many_steps
def test_a_best_met_early_in_a_long_hot_leg_is_written_down() -> None:
    """The leg meets its best on the way and flips more than a hundred thousand edges after it."""
    of = clustered_problem(budget=10)
    chain = chain_on(of)
    chain.walk_along(CALM._replace(proposals=150_000, budget=10, temperature=(0.3, 1e9)))

    assert best_of(walk_of(chain))[0] < of.original.totals[0]
    check_walk(of, walk_of(chain))


@pytest.mark.parametrize(
    "change",
    [
        {"proposals": 1_900},
        {"budget": 12},
        {"enough": 25},
        {"worth": 0.5},
        {"worth": -0.5},
        {"price": 0.5, "enough": 60},
        {"temperature": (2.0, 0.5)},
        {"temperature": (1.0, 0.1)},
        {"picky": False},
        {"smoothing": (6.0, 1.0)},
        {"smoothing": (2.0, 0.0)},
    ],
    ids=str,
)
def test_every_part_of_a_plan_changes_the_walk(change: dict[str, Any]) -> None:
    """Same random numbers, other edges."""
    basis, other = chain_on(clustered_problem()), chain_on(clustered_problem())
    basis.walk_along(CALM)
    other.walk_along(CALM._replace(**change))

    assert walk_of(basis).present.tolist() != walk_of(other).present.tolist()


def test_same_random_numbers_same_walk() -> None:
    """And others lead elsewhere."""
    walks = []
    for seed in (1, 1, 2):
        chain = chain_on(clustered_problem(), seed)
        chain.walk_along(CALM)
        walks.append((walk_of(chain).present.tolist(), int(chain.random[0])))

    assert walks[0] == walks[1]
    assert walks[0][0] != walks[2][0]


def test_a_price_makes_a_walk_thrifty_and_eagerness_makes_it_spend() -> None:
    """Once few enough are at risk, a costly deletion is taken back; before, a welcome one is made."""
    spent = []
    plain = CALM._replace(smoothing=(0.0, 0.0))
    for leg in (plain._replace(price=3.0, enough=60), plain._replace(worth=3.0)):
        chain = chain_on(clustered_problem())
        chain.walk_along(leg)
        spent.append(int(walk_of(chain).deleted_count[0]))

    assert spent[0] < 5 < 25 < spent[1]


def test_a_walk_that_has_nobody_at_risk_stops_unless_deletions_cost() -> None:
    """Then there may still be a solution with fewer of them."""
    chain = chain_on(Problem(complete(3).without_edges([0]), attackers_of("count"), 2, 2, np.arange(2)))
    chain.walk_along(CALM._replace(budget=2))
    after = int(chain.random[0])
    assert best_of(walk_of(chain)) == (0, 2)

    other = chain_on(chain.problem)
    other.walk_along(CALM._replace(budget=2, price=0.1))
    assert best_of(walk_of(other)) == (0, 2)
    assert int(other.random[0]) != after
