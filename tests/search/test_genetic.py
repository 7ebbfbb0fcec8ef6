"""Crossover, mutation and selection of the genetic algorithm, against their definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

from graphs import networks
from naive import count_states, cut_at, nodes_at_risk
from netveil.anonymity import attackers_of
from netveil.kernels.search_steps import Generation, Variation, breed, draw_flips, points_mask, uniform_mask
from netveil.network import Network
from netveil.search import Problem
from netveil.search.genetic import Genetic, Population, Ties, fittest, roulette_wheel, tournament


def bits_of(words: NDArray[np.uint64], count: int) -> list[int]:
    """The first `count` bits."""
    return [int(bit) for bit in np.unpackbits(words.view(np.uint8), bitorder="little")[:count]]


@given(edges=st.integers(2, 300), seed=st.integers(0, 2**63), data=st.data())
def test_points_mask_changes_at_as_many_places_as_asked(edges: int, seed: int, data: st.DataObject) -> None:
    """It starts with 1s, and crossing over by it is crossing over at its cuts."""
    points = data.draw(st.integers(1, edges - 1))
    mask = np.empty((edges + 63) // 64, dtype=np.uint64)
    points_mask(np.array([seed], dtype=np.uint64), points, edges, mask)
    bits = bits_of(mask, edges)
    cuts = [place for place in range(1, edges) if bits[place] != bits[place - 1]]

    assert bits[0] == 1
    assert len(cuts) == points
    assert cut_at([1] * edges, [0] * edges, cuts) == bits


def test_uniform_mask_takes_about_half_from_each_parent() -> None:
    """Of 64,000 bits, within six standard deviations; and another seed takes others."""
    masks = []
    for seed in (1, 2):
        mask = np.empty(1000, dtype=np.uint64)
        uniform_mask(np.array([seed], dtype=np.uint64), mask)
        masks.append(bits_of(mask, 64_000))

    assert abs(sum(masks[0]) - 32_000) < 6 * np.sqrt(64_000 / 4)
    assert masks[0] != masks[1]


@pytest.mark.parametrize("rate", [0.0, 0.0005, 0.03, 0.5, 1.0])
def test_flips_come_at_their_rate_and_each_bit_once(rate: float) -> None:
    """Ascending, distinct, and as many as a binomial draw would give, within six standard deviations."""
    edges, draws = 5000, 200
    random = np.array([7], dtype=np.uint64)
    flips = np.empty(edges, dtype=np.int64)
    total = 0
    where = np.zeros(edges, dtype=np.int64)
    for _ in range(draws):
        found = draw_flips(random, rate, edges, flips)
        assert (np.diff(flips[:found]) > 0).all()
        where[flips[:found]] += 1
        total += found

    expected = rate * edges * draws
    assert abs(total - expected) <= 6 * np.sqrt(expected * (1 - rate))
    assert where[: edges // 2].sum() == pytest.approx(
        expected / 2, abs=6 * np.sqrt(expected / 2 * (1 - rate))
    )


@given(network=networks(min_nodes=4, min_edges=3), data=st.data())
def test_children_inherit_each_bit_from_a_parent_and_are_judged_right(
    network: Network, data: st.DataObject
) -> None:
    problem = Problem(
        network, attackers_of("count"), 2, 1, np.random.default_rng(1).permutation(network.edge_count)
    )
    generation = _generation(problem, data, children=4)
    uniform = data.draw(st.booleans())
    points = min(2, network.edge_count - 1)
    variation = Variation(uniform, points, 0.0, unique_aware=False, flip_deleted=True)
    breed(problem.topology, problem.rule, problem.limits, problem.fresh_state(), variation, generation, 0, 2)

    for pair in range(2):
        one, other = generation.population[generation.parents[pair]]
        first, second = generation.children[2 * pair], generation.children[2 * pair + 1]
        assert ((first ^ second) == (one ^ other)).all()
        assert ((first & second) == (one & other)).all()
    for number in range(4):
        deleted = problem.edges_deleted_by(generation.children[number]).tolist()
        assert generation.deleted[number] == len(deleted)
        assert generation.at_risk[number] == sum(nodes_at_risk(count_states(network, deleted), 2))


@given(networks(min_nodes=4, min_edges=3), st.booleans(), st.booleans(), st.data())
def test_mutation_flips_what_it_may_and_nothing_else(
    network: Network, unique_aware: bool, flip_deleted: bool, data: st.DataObject
) -> None:
    """At rate 1 GA flips all; UGA edges with an end at risk, deleted ones if it may; none protected."""
    protected = data.draw(st.sets(st.integers(0, network.edge_count - 1), max_size=3))
    order = np.random.default_rng(1).permutation(network.edge_count)
    numbers = np.array(sorted(protected), dtype=np.int64)
    problem = Problem(network, attackers_of("count"), 2, 1, order, protected_edges=numbers)
    generation = _generation(problem, data, children=2)
    generation.parents[:, 1] = generation.parents[:, 0]  # the child before mutation is its parent
    variation = Variation(True, 0, 1.0, unique_aware, flip_deleted)
    breed(problem.topology, problem.rule, problem.limits, problem.fresh_state(), variation, generation, 0, 1)

    parent = set(problem.edges_deleted_by(generation.population[generation.parents[0, 0]]).tolist())
    child = set(problem.edges_deleted_by(generation.children[0]).tolist())
    risk = nodes_at_risk(count_states(network, parent), 2)
    mutable = {
        edge
        for edge, (u, v) in enumerate(network.edges.tolist())
        if edge not in protected
        and (not unique_aware or (flip_deleted and edge in parent) or risk[u] or risk[v])
    }
    assert child == parent ^ mutable
    assert generation.at_risk[0] == sum(nodes_at_risk(count_states(network, child), 2))
    assert problem.protected.tolist() == [edge in protected for edge in order.tolist()]


def _generation(problem: Problem, data: st.DataObject, children: int) -> Generation:
    numbers = st.lists(st.integers(0, problem.edge_count - 1), unique=True)
    individuals = [np.array(data.draw(numbers), dtype=np.int64) for _ in range(3)]
    pairs = (children + 1) // 2
    parents = data.draw(st.lists(st.integers(0, 2), min_size=2 * pairs, max_size=2 * pairs))
    return Generation(
        population=np.stack([problem.individual_deleting(edges) for edges in individuals]),
        parents=np.array(parents, dtype=np.int64).reshape(pairs, 2),
        seeds=np.arange(data.draw(st.integers(0, 1000)), 2000, dtype=np.uint64)[: pairs + children],
        children=np.empty((children, problem.word_count), dtype=np.uint64),
        at_risk=np.empty(children, dtype=np.int64),
        deleted=np.empty(children, dtype=np.int64),
        violation=np.empty(children, dtype=np.int64),
    )


objectives_lists = st.lists(st.integers(0, 50), min_size=1, max_size=30)


@pytest.mark.parametrize(
    ("objectives", "shares"), [([10, 9, 7], [0, 0.25, 0.75]), ([5, 5, 5, 5], [0.25] * 4)]
)
def test_roulette_wheel_draws_in_proportion_to_the_distance_from_the_worst(
    objectives: list[int], shares: list[float]
) -> None:
    """The worst is never drawn, unless all are equal."""
    drawn = np.bincount(roulette_wheel(np.array(objectives), 40_000, np.random.default_rng(1)), minlength=3)

    assert (drawn / 40_000).tolist() == pytest.approx(shares, abs=0.015)
    assert (drawn == 0).tolist() == [share == 0 for share in shares]


@given(objectives_lists, st.integers(1, 40), st.integers(0, 1000))
def test_tournament_winners_beat_at_least_their_opponents(
    objectives: list[int], size: int, seed: int
) -> None:
    """A winner of t distinct entrants has at least t - 1 rows that are no better."""
    rows = np.array(objectives)
    winners = tournament(rows, 20, size, np.random.default_rng(seed))

    assert len(winners) == 20
    for winner in winners:
        assert np.count_nonzero(rows >= rows[winner]) >= min(size, len(rows))


@given(objectives_lists, st.integers(0, 1000), st.data())
def test_fittest_keeps_the_lowest_objectives_of_distinct_individuals(
    objectives: list[int], seed: int, data: st.DataObject
) -> None:
    """Nobody left out is better than anybody kept, among distinct rows; twins fill up only what is left."""
    count = data.draw(st.integers(1, len(objectives)))
    kinds = data.draw(st.lists(st.integers(0, 5), min_size=len(objectives), max_size=len(objectives)))
    # Equal individuals have equal objectives.
    rows = np.array([objectives[kinds.index(kind)] for kind in kinds])
    words = np.array(kinds, dtype=np.uint64)[:, np.newaxis]
    population = Population(words, rows, np.array(kinds), np.zeros_like(rows), rows)
    chosen = fittest(population, count, Genetic(), np.random.default_rng(seed)).tolist()
    with_twins = fittest(population, count, Genetic(drop_twins=False), np.random.default_rng(seed))

    assert len(set(chosen)) == len(set(with_twins.tolist())) == count
    assert rows[with_twins].tolist() == sorted(rows)[:count]
    distinct = sorted(rows[kinds.index(kind)] for kind in set(kinds))
    kept = [rows[row] for row in chosen]
    assert sorted(kept[: len(distinct)]) == distinct[:count]
    assert len({kinds[row] for row in chosen}) == min(count, len(distinct))


@pytest.mark.parametrize(("ties", "may_stay"), [("deletions", {0, 2}), ("chance", {0, 1, 2, 3})])
def test_fittest_prefers_more_deletions_among_equals_or_lets_chance_decide(
    ties: Ties, may_stay: set[int]
) -> None:
    words = np.arange(4, dtype=np.uint64)[:, np.newaxis]
    equal, rng = np.zeros(4, dtype=np.int64), np.random.default_rng(1)
    population = Population(words, equal, np.array([7, 3, 7, 5]), equal, equal)
    kept = {int(fittest(population, 1, Genetic(ties=ties), rng)[0]) for _ in range(100)}

    assert kept == may_stay
