"""The kernel of the annealing: whatever it was told to do, a walk remembers nothing but the truth."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from graphs import clustered
from naive import count_states, nodes_at_risk
from netveil.anonymity import attackers_of
from netveil.kernels.annealing.walk_state import WalkCount
from netveil.search import Problem, problem
from netveil.search.annealing import walk as build_walk
from walks import (
    ATTACKERS,
    CALM,
    accepted_by,
    best_of,
    chain_on,
    check_pointing,
    check_walk,
    complete,
    deleted_in,
    each_attacker,
    each_kind_of_cells,
    each_way_to_triangles,
    each_with_few_examples,
    edges_missing,
    legs,
    problems,
    seen_states,
    walk_of,
    within,
)


def clustered_problem(budget: int = 30, attacker: str = "count", k: int = 2) -> Problem:
    """A network with many unique nodes."""
    network = clustered()
    order = np.arange(network.edge_count)
    return Problem(network, ATTACKERS[attacker], k, budget, order, guided=True)


@pytest.mark.quick(3)
@each_attacker
@each_way_to_triangles
@each_kind_of_cells
@each_with_few_examples
@given(data=st.data())
def test_a_walk_remembers_the_truth_after_any_legs(
    hashed: bool, listed: bool, attacker: str, data: st.DataObject
) -> None:
    """As computed from scratch by networkx and slow twins; the best is never worse than before.

    No more is deleted than the leg allows, or than before it.
    """
    with pytest.MonkeyPatch.context() as patch:
        if not listed:
            patch.setattr(problem, "LISTED_ROWS_LIMIT", -1)
        of = data.draw(problems(attacker))
        assert of.topology.listed is listed
    assert of.rule.count_triangles is (attacker != "degree")
    chain = chain_on(of, data.draw(st.integers(0, 2**63)), hashed)
    walk = walk_of(chain)
    for leg in data.draw(st.lists(legs(of), min_size=1, max_size=4)):
        best, deleted = best_of(walk), deleted_in(walk)
        chain.walk_along(leg)
        check_walk(of, walk)
        check_pointing(walk.people)
        assert deleted_in(walk) <= max(leg.allowed, deleted)
        assert best_of(walk) <= best


@pytest.mark.quick(3)
@each_attacker
@each_kind_of_cells
@each_with_few_examples
@given(data=st.data())
def test_a_chain_goes_to_any_solution_and_restores_what_it_need_not_delete(
    hashed: bool, attacker: str, data: st.DataObject
) -> None:
    """It remembers the truth there; then no edge can return without more at risk, and than are enough."""
    of = data.draw(problems(attacker))
    chain = chain_on(of, hashed=hashed)
    walk, movable = walk_of(chain), np.flatnonzero(of.topology.movable).tolist()
    chain.walk_along(data.draw(legs(of)))
    deleted = sorted(data.draw(st.sets(st.sampled_from(movable), max_size=of.budget)))
    chain.stand_at(np.array(deleted, dtype=np.int64))
    check_walk(of, walk)
    before = sum(nodes_at_risk(seen_states(of, walk.present), of.k))
    assert np.flatnonzero(walk.present == 0).tolist() == np.flatnonzero(walk.best == 0).tolist() == deleted

    chain.restore_needless()
    check_walk(of, walk)
    left = np.flatnonzero(walk.present == 0)
    after = sum(nodes_at_risk(seen_states(of, walk.present), of.k))
    assert walk.best.tolist() == walk.present.tolist() and set(left.tolist()) <= set(deleted)
    assert after <= max(before, of.enough)
    for edge in left:
        present = walk.present.copy()
        present[edge] = 1
        assert sum(nodes_at_risk(seen_states(of, present), of.k)) > max(after, of.enough)


@pytest.mark.quick(4)
@pytest.mark.many_steps
@pytest.mark.parametrize("k", [2, 3, 4])
@each_attacker
@pytest.mark.parametrize("temperature", [0.1, 1.0, 30.0])
def test_a_long_walk_on_a_clustered_network_remembers_the_truth(
    attacker: str, temperature: float, k: int
) -> None:
    """Sixty nodes, thousands of proposals a leg, cold and hot, guided and not."""
    of = clustered_problem(attacker=attacker, k=k)
    chain = chain_on(of, hashed=k == 3)
    for guided in (0.0, 0.5, 1.0):
        chain.walk_along(CALM._replace(temperature=(temperature, temperature), guided=guided))
        check_walk(of, walk_of(chain))

    assert accepted_by(walk_of(chain)) > 0
    assert best_of(walk_of(chain))[0] < max(of.original.totals[0], 1)


@pytest.mark.many_steps
def test_a_small_table_is_counted_anew_when_states_fill_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hot walk meets more states than there are cells; the table never fills up, which would never end."""
    monkeypatch.setattr(build_walk, "SMALLEST_TABLE", 1)
    network = complete(16)
    of = Problem(network, attackers_of("count"), 2, 100, np.arange(network.edge_count))
    chain = chain_on(of, hashed=True)
    keys = walk_of(chain).people.states.keys
    met: set[int] = set()
    for _ in range(300):
        chain.walk_along(within(100)._replace(proposals=300, temperature=(1000.0, 1000.0)))
        met |= set(keys.tolist())
        check_walk(of, walk_of(chain))

    assert len(keys) == 8 * 16
    assert met > set(keys.tolist())  # some were given up when the table was counted anew


@pytest.mark.thorough
@pytest.mark.many_steps
@each_kind_of_cells
def test_a_dense_network_where_a_proposal_touches_nearly_everybody(hashed: bool) -> None:
    """Tables are looked at often enough, and there is room for all whom a guided chain moves."""
    network = complete(100)
    of = Problem(network, attackers_of("count"), 2, 3_000, np.arange(network.edge_count))
    chain = chain_on(of, hashed=hashed)
    for guided in (0.0, 1.0):
        chain.walk_along(within(3_000)._replace(guided=guided, temperature=(1e4, 1e4)))
        check_walk(of, walk_of(chain))

    assert accepted_by(walk_of(chain)) > 1_000


@pytest.mark.many_steps
def test_the_best_survives_a_walk_away_from_it() -> None:
    """First cold, then so hot and long that all changes since could not be noted down."""
    of = clustered_problem(budget=10)
    chain = chain_on(of)
    chain.walk_along(within(10)._replace(proposals=10_000, temperature=(1.0, 0.1)))
    found = best_of(walk_of(chain))
    chain.walk_along(within(10)._replace(proposals=100_000, temperature=(1e6, 1e6)))
    missing = edges_missing(of, walk_of(chain).best)

    assert accepted_by(walk_of(chain)) > 60_000
    assert best_of(walk_of(chain)) <= found
    assert sum(nodes_at_risk(count_states(of.network, missing), 2)) == best_of(walk_of(chain))[0]
    check_walk(of, walk_of(chain))


@pytest.mark.parametrize(
    "change",
    [
        {"proposals": 500},
        {"begun": 1_500},
        {"partners_hold": (0, 20)},
        {"budget": 300},
        {"allowed": 20, "wanted": 20},
        {"wanted": 10},
        {"enough": 12},
        {"temperature": (2.0, 0.5)},
        {"temperature": (1.0, 0.1)},
        {"guided": 0.0},
        {"costs": np.ones((2, 1))},
        {"costs": CALM.costs[[0, 0]]},
        {"costs": CALM.costs[[1, 1]]},
    ],
    ids=lambda change: "-".join(change),
)
def test_every_part_of_a_plan_changes_the_walk(change: dict[str, Any]) -> None:
    """Same random numbers, other edges."""
    basis, other = chain_on(clustered_problem()), chain_on(clustered_problem())
    basis.walk_along(CALM)
    other.walk_along(CALM._replace(**change))

    assert walk_of(basis).present.tolist() != walk_of(other).present.tolist()


@each_attacker
def test_same_random_numbers_same_walk_wherever_states_are_kept(attacker: str) -> None:
    """Others lead elsewhere; hashed cells do not, also where guided chains look for cells."""
    walks = []
    for seed, hashed in ((1, False), (1, True), (2, False)):
        chain = chain_on(clustered_problem(attacker=attacker), seed, hashed)
        chain.walk_along(CALM._replace(guided=0.5))
        walks.append((walk_of(chain).present.tolist(), int(chain.random[0])))

    assert walks[0] == walks[1]
    assert walks[0][0] != walks[2][0]


@pytest.mark.many_steps
@pytest.mark.parametrize("temperature", [0.3, 1.0, 3.0])
def test_more_edges_are_deleted_where_more_are_wanted(temperature: float) -> None:
    """Deletions are rewarded or cost something: the more are wanted the more are made."""
    spent = []
    for wanted in (3, 15, 27):
        chain = chain_on(clustered_problem())
        on_the_way = []
        for _ in range(20):
            chain.walk_along(CALM._replace(wanted=wanted, temperature=(temperature, temperature), enough=-1))
            on_the_way.append(deleted_in(walk_of(chain)))
        spent.append(sum(on_the_way))

    assert spent[0] < spent[1] < spent[2] <= 20 * 30


def test_a_walk_ends_when_few_enough_are_at_risk() -> None:
    """At once, however many proposals it could make; with fewer deletions if it goes on."""
    of = Problem(complete(3).without_edges([0]), attackers_of("count"), 2, 2, np.arange(2))
    chain = chain_on(of)
    chain.walk_along(within(2)._replace(proposals=10**15))

    assert best_of(walk_of(chain)) == (0, 2)
    assert walk_of(chain).edges.counts[WalkCount.PROPOSED] < 10**6


@pytest.mark.many_steps
def test_a_solution_over_the_budget_of_a_leg_is_no_best() -> None:
    """A walk that stands over a smaller budget comes back below it, and only then counts."""
    of = clustered_problem(budget=30)
    chain = chain_on(of)
    chain.walk_along(CALM)
    before = best_of(walk_of(chain))
    assert deleted_in(walk_of(chain)) > 20
    for _ in range(3):
        chain.walk_along(within(12)._replace(enough=before[0], proposals=5_000))
        assert best_of(walk_of(chain)) == before or best_of(walk_of(chain))[1] <= 12
    assert deleted_in(walk_of(chain)) <= 14
    assert len(edges_missing(of, walk_of(chain).best)) == best_of(walk_of(chain))[1]


def test_protected_edges_stay_though_everything_speaks_against_them() -> None:
    """All but three edges are protected, and all shall be deleted; also by guided chains."""
    network = clustered()
    m = network.edge_count
    protected = np.arange(3, m)
    order = np.arange(m)[::-1].copy()
    of = Problem(network, attackers_of("count"), 2, m, order, protected_edges=protected, guided=True)
    for guided in (0.0, 1.0):
        chain = chain_on(of)
        chain.walk_along(within(m)._replace(temperature=(1e4, 1e4), guided=guided))
        assert accepted_by(walk_of(chain)) > 0
        assert set(edges_missing(of, walk_of(chain).present)) <= {0, 1, 2}
        check_walk(of, walk_of(chain))
