"""Limits in kernels: how far a state breaks them, however it came about, and what may still be deleted."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

from graphs import TRIANGLE_WITH_TAIL, limits, networks
from naive import count_states, graph_without, keeps, largest_component, violation
from netveil.anonymity import attackers_of
from netveil.kernels.flips import flip_edges
from netveil.kernels.limits import (
    ONE,
    clustering_of as inlined_clustering,
    cut_off,
    delete_allowed,
    flip_followed,
    forest_of,
    pieces_of,
    split,
    standing_of,
    united_size,
    violation as fast_violation,
)
from netveil.kernels.states import FlipState
from netveil.network import Network
from netveil.search import Problem, problem
from netveil.search.limit import clustering_bounds, most_lost
from way_in import way_in

clustering_of = way_in(inlined_clustering)

MARGIN = Fraction(1, 2**30)  # of a mean clustering: what rounding to whole numbers may cost


def problem_of(network: Network, keep: dict[str, Fraction]) -> Problem:
    """The problem with these limits and bits in the order of edges."""
    return Problem(network, attackers_of("count"), 2, 0, np.arange(network.edge_count), keep=keep)


def edge_sets(network: Network) -> st.SearchStrategy[list[int]]:
    """Numbers of edges."""
    return st.lists(st.integers(0, network.edge_count - 1), unique=True)


def state_without(given_problem: Problem, deleted: list[int]) -> FlipState:
    """The state with these edges deleted."""
    state = given_problem.fresh_state()
    flip_edges(given_problem.topology, given_problem.rule, state, np.array(deleted, dtype=np.int64))
    return state


@given(degree=st.integers(0, 200_000), data=st.data())
def test_clustering_is_rounded_to_the_nearest_whole_number(degree: int, data: st.DataObject) -> None:
    """A half is rounded up; fewer than two neighbours have none."""
    triangles = data.draw(st.integers(0, degree * (degree - 1) // 2))
    exact = Fraction(2 * triangles * ONE, degree * (degree - 1)) if degree >= 2 else Fraction(0)

    assert clustering_of(degree, triangles) == floor(exact + Fraction(1, 2))


@pytest.mark.parametrize("listed", [True, False], ids=["triangles listed", "rows intersected"])
@given(network=networks(min_edges=1), keep=limits(), data=st.data())
def test_the_violation_equals_its_definition_after_any_flips(
    listed: bool, network: Network, keep: dict[str, Fraction], data: st.DataObject
) -> None:
    """By networkx from scratch; the standing that follows flips is the one from scratch."""
    with pytest.MonkeyPatch.context() as patch:
        if not listed:
            patch.setattr(problem, "LISTED_ROWS_LIMIT", -1)
        of = problem_of(network, keep)
        assert of.topology.listed is listed
    state = of.fresh_state()
    standing = standing_of(of.topology, of.limits, state)
    deleted: set[int] = set()
    for edge in data.draw(st.lists(st.integers(0, network.edge_count - 1), max_size=15)):
        flip_followed(of.topology, of.rule, of.limits, state, standing, np.array([edge]))
        deleted ^= {edge}
        states = count_states(network, deleted)
        assert state.degrees.tolist() == [degree for degree, _ in states]
        assert state.triangles.tolist() == [triangles for _, triangles in states]
        assert fast_violation(of.topology, of.limits, state) == violation(network, of.limits, deleted)
        if keep:
            assert standing.tolist() == standing_of(of.topology, of.limits, state).tolist()


@given(network=networks(min_edges=1), keep=limits(), data=st.data())
def test_no_violation_means_what_users_understand_by_it(
    network: Network, keep: dict[str, Fraction], data: st.DataObject
) -> None:
    """No violation, no limit broken; and within the limits by more than rounding, no violation."""
    deleted = data.draw(edge_sets(network))
    of = problem_of(network, keep)
    kept = fast_violation(of.topology, of.limits, state_without(of, deleted)) == 0

    assert kept <= keeps(network, keep, deleted, margin=MARGIN)
    assert keeps(network, keep, deleted, margin=-MARGIN) <= kept


@given(mean=st.fractions(0, ONE), share=st.fractions(0, 1))
def test_bounds_are_drawn_in_by_rounding_but_hold_the_original(mean: Fraction, share: Fraction) -> None:
    """Half a unit for the original's mean and half a unit for any other; a mean is never below 0 anyway."""
    least, most = clustering_bounds(share, mean, ONE)
    half = Fraction(1, 2)

    assert 0 <= least <= mean <= most <= ONE
    assert share == 1 or least == floor(mean) or least - half >= (1 - share) * (mean + half)
    assert most in (ceil(mean), ONE) or most + half <= (1 + share) * (mean - half)


@pytest.mark.parametrize("keep", [{}, {"lcc": Fraction(0)}, {"clustering": Fraction(1, 100)}], ids=str)
def test_triangles_are_followed_for_the_attacker_or_for_a_limit(keep: dict[str, Fraction]) -> None:
    """An attacker who counts contacts only needs none, a limit on clustering does."""
    network = TRIANGLE_WITH_TAIL
    of = Problem(network, attackers_of("degree"), 2, 0, np.arange(4), keep=keep)
    state = state_without(of, [0])

    assert of.rule.count_triangles is ("clustering" in keep)
    assert state.degrees.tolist() == [degree for degree, _ in count_states(network, [0])]
    assert state.triangles.sum() == (0 if "clustering" in keep else 3)
    assert problem_of(network, {}).rule.count_triangles


@pytest.mark.parametrize(
    ("share", "degree", "expected"),
    [("0.1", 9, 0), ("0.1", 10, 1), ("0.29", 100, 29), ("1/3", 3, 1), ("0", 7, 0), ("1", 7, 7)],
)
def test_contacts_to_lose_are_exact(share: str, degree: int, expected: int) -> None:
    """0.29 of 100 is 29, though 0.29 * 100 is less in floating point."""
    assert most_lost(Fraction(share), np.array([degree])).tolist() == [expected]


@given(network=networks(min_edges=1), data=st.data())
def test_components_are_those_of_networkx(network: Network, data: st.DataObject) -> None:
    """Their number, the largest, and what an edge more would unite."""
    deleted = data.draw(edge_sets(network))
    state = state_without(problem_of(network, {}), deleted)
    forest, largest = forest_of(network.edges, state.present, network.node_count)
    pieces = pieces_of(network.edges, state.present, network.node_count)
    components = list(nx.connected_components(graph_without(network, deleted)))

    assert largest == largest_component(network, deleted)
    assert pieces.counts[0] == len(components)
    for component in components:
        assert len({int(pieces.piece[node]) for node in component}) == 1
    for edge in deleted:
        u, v = network.edges[edge].tolist()
        joined = nx.node_connected_component(graph_without(network, set(deleted) - {edge}), u)
        assert united_size(forest, u, v) == len(joined)


@given(network=networks(min_edges=1), data=st.data())
def test_what_a_deletion_cuts_off_becomes_a_piece(network: Network, data: st.DataObject) -> None:
    """One edge after the other; an edge on a circle cuts off nobody."""
    of = problem_of(network, {})
    state = of.fresh_state()
    pieces = pieces_of(network.edges, state.present, network.node_count)
    deleted: list[int] = []
    for edge in data.draw(edge_sets(network)):
        u, v = network.edges[edge].tolist()
        flip_edges(of.topology, of.rule, state, np.array([edge]))
        deleted.append(edge)
        graph = graph_without(network, deleted)
        end, nodes = cut_off(of.topology, state.present, pieces, u, v)
        sides = (nx.node_connected_component(graph, u), nx.node_connected_component(graph, v))
        if sides[0] == sides[1]:
            assert nodes == 0
        else:
            assert set(pieces.queues[end, :nodes].tolist()) == sides[end]
            split(pieces, end, nodes)
        for component in nx.connected_components(graph):
            assert len({int(pieces.piece[node]) for node in component}) == 1
            assert pieces.sizes[pieces.piece[next(iter(component))]] == len(component)


@given(network=networks(min_edges=1), keep=limits(), data=st.data())
def test_what_may_go_goes_and_what_may_not_stays(
    network: Network, keep: dict[str, Fraction], data: st.DataObject
) -> None:
    """Edge by edge: gone if the limits are kept without it, else marked; until as many as wanted are gone."""
    of = problem_of(network, keep)
    assume(of.limits is not None)
    assert of.limits is not None  # for mypy
    order = data.draw(st.permutations(range(network.edge_count)))
    most = data.draw(st.integers(1, network.edge_count))
    gone: list[int] = []
    refused = set()
    for edge in order:
        if len(gone) == most:
            break
        if violation(network, of.limits, [*gone, edge]) == 0:
            gone.append(edge)
        else:
            refused.add(edge)
    state, may_go = of.fresh_state(), np.ones(network.edge_count, dtype=np.uint8)
    deleted = delete_allowed(of.topology, of.rule, of.limits, state, np.array(order), most, may_go)

    assert deleted == len(gone)
    assert of.edges_deleted_by(state.words).tolist() == sorted(gone)
    assert set(np.flatnonzero(may_go == 0).tolist()) == refused
