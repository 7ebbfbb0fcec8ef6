"""Signatures of every measure: after any flips they stand for the same states as if computed from scratch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import naive_measures
from graphs import clustered, networks
from naive import count_states, graph_without, nodes_at_risk
from naive_measures import ball, same_partition
from netveil.anonymity import MEASURES, anonymity_of, attackers_of
from netveil.kernels.flips import flip_edges, start
from netveil.kernels.states import (
    EMPTY,
    FlipState,
    Total,
    copied,
    home_slot,
    who_is_at_risk,
    write_signatures,
)
from netveil.network import Network
from netveil.search import Problem, problem
from way_in import way_in

Slow = Callable[[Network, int], list[Hashable]]

SLOW: dict[str, Slow] = {
    name: getattr(naive_measures, f"{name.replace('-', '_')}_states") for name in MEASURES
}
BY_SHAPE = ("ego", "hybrid")  # followed as far as colour refinement tells surroundings apart
each_measure = pytest.mark.parametrize("measure", MEASURES)
each_distance = pytest.mark.parametrize("distance", [1, 2, 3])


@st.composite
def problems(draw: st.DrawFn, measure: str, distance: int, most_nodes: int = 11) -> Problem:
    """Any problem on a few nodes; edges in any order, triangles listed or not."""
    network = draw(networks(min_nodes=4, max_nodes=most_nodes, min_edges=1))
    order = np.array(draw(st.permutations(range(network.edge_count))), dtype=np.int64)
    listed = draw(st.booleans())
    with pytest.MonkeyPatch.context() as patch:
        if not listed:
            patch.setattr(problem, "LISTED_ROWS_LIMIT", -1)
        found = Problem(network, attackers_of(measure, distance), draw(st.integers(2, 4)), 0, order)
        assert found.topology.listed is listed
    return found


def batches(of: Problem) -> st.SearchStrategy[list[list[int]]]:
    """Edges to flip together, some of them twice: none, a few, or so many that everybody is looked at."""
    edges = st.integers(0, of.edge_count - 1)
    many = of.network.node_count // 2
    some = st.one_of(
        st.lists(edges, max_size=3),
        st.lists(edges, min_size=many, max_size=2 * many),
        edges.map(lambda edge: [edge, edge]),
    )
    return st.lists(some, min_size=1, max_size=4)


def flip(of: Problem, state: FlipState, edges: list[int]) -> None:
    """Flip these edges in one call."""
    flip_edges(of.topology, of.rule, state, np.array(edges, dtype=np.int64))


def left_by(of: Problem, state: FlipState) -> Network:
    """The network with the edges that are there."""
    return of.network.without_edges(of.edge_order[state.present == 0])


def keys_of(state: FlipState) -> list[int]:
    """The key under which the table counts each node."""
    keys: list[int] = state.table[state.slots, 0].tolist()
    return keys


def refined_states(network: Network, distance: int) -> list[Hashable]:
    """Rooted surroundings as far as colour refinement tells: the colours of their nodes, as a multiset.

    Colours begin as distances from the root, and take on those of the neighbours until no more differ.
    """
    graph = graph_without(network)
    states: list[Hashable] = []
    number: dict[Hashable, int] = {}
    for root in graph:
        around = ball(graph, root, distance)
        steps = nx.single_source_shortest_path_length(around, root)
        colours = {node: number.setdefault(("step", steps[node]), len(number)) for node in around}
        before, now = 0, 1
        while now > before:
            seen = {
                node: (colours[node], tuple(sorted(colours[other] for other in around[node])))
                for node in around
            }
            colours = {node: number.setdefault(seen[node], len(number)) for node in around}
            before, now = now, len(set(colours.values()))
        states.append(tuple(sorted(colours.values())))
    return states


def followed_states(measure: str, network: Network, distance: int) -> list[Hashable]:
    """The states that a search can tell apart, from their definitions."""
    if measure == "ego":
        return refined_states(network, distance)
    if measure == "hybrid":
        contacts = naive_measures.vertex_refinement_states(network, distance)
        return list(zip(refined_states(network, distance), contacts, strict=True))
    return SLOW[measure](network, distance)


def check_network(of: Problem, state: FlipState, deleted: set[int]) -> None:
    """Edges, degrees, triangles and triangles on edges are those of the network without `deleted` bits."""
    numbers = sorted(of.edge_order[sorted(deleted)].tolist())
    graph, original = graph_without(of.network, numbers), graph_without(of.network)
    counted = [triangles for _, triangles in count_states(of.network, numbers)]

    assert np.flatnonzero(state.present == 0).tolist() == sorted(deleted)
    assert of.edges_deleted_by(state.words).tolist() == numbers
    assert state.totals[Total.DELETED] == len(deleted)
    assert state.degrees.tolist() == [degree for _, degree in graph.degree()]
    if of.rule.count_triangles:
        assert state.triangles.tolist() == counted
    else:
        assert state.triangles.tolist() == [nx.triangles(original, node) for node in original]
    if of.rule.count_edge_triangles:
        ends = of.topology.ends.tolist()
        assert state.general is not None
        assert state.general.edge_triangles.tolist() == [len(set(graph[u]) & set(graph[v])) for u, v in ends]


first_looked_at = way_in(home_slot)


def check_table(of: Problem, state: FlipState) -> None:
    """The table counts each key, finds it where one would look for it, and forgets none; scratch is clean."""
    table, last_slot = state.table, len(state.table) - 1
    sizes = Counter(keys_of(state))
    for key, slot in zip(keys_of(state), state.slots.tolist(), strict=True):
        looked_at = first_looked_at(key, last_slot)
        while table[looked_at, 0] != key:
            assert table[looked_at, 0] != EMPTY
            looked_at = (looked_at + 1) & last_slot
        assert looked_at == slot
        assert table[slot, 1] == sizes[key]

    assert table[:, 1].sum() == of.network.node_count and (table[:, 1] >= 0).all()
    assert state.totals[Total.SLOTS_USED] == np.count_nonzero(table[:, 0] != EMPTY) <= len(table) // 2
    assert state.general is None or not state.general.marks.any()


def check_signatures(of: Problem, state: FlipState) -> None:
    """Signatures are those that would be written from scratch."""
    scratch = copied(state)
    if state.general is None or scratch.general is None:
        start(of.topology, of.rule, scratch)
        assert scratch.keys.tolist() == state.keys.tolist()
        return
    scratch.general.signatures[:] = -1
    write_signatures(of.topology, of.rule, scratch, scratch.general)

    assert scratch.general.signatures.tolist() == state.general.signatures.tolist()
    assert not scratch.general.marks.any()


@pytest.mark.quick(4)
@each_measure
@each_distance
@settings(max_examples=25)
@given(data=st.data())
def test_signatures_follow_any_flips(measure: str, distance: int, data: st.DataObject) -> None:
    """After every batch a state tells the truth: the network, who looks like whom, who is at risk.

    Shapes are followed as far as colour refinement tells them apart, and never tell isomorphic ones apart.
    """
    of = data.draw(problems(measure, distance))
    state = of.fresh_state()
    deleted: set[int] = set()
    for edges in data.draw(batches(of)):
        flip(of, state, edges)
        for edge in edges:
            deleted ^= {edge}
        check_network(of, state, deleted)
        check_table(of, state)
        check_signatures(of, state)
        states = followed_states(measure, left_by(of, state), distance)
        risk = nodes_at_risk(states, of.k)  # type: ignore[arg-type]
        nodes = range(of.network.node_count)
        assert same_partition(keys_of(state), states)
        assert who_is_at_risk(of.rule, state)[list(nodes)].tolist() == risk
        assert state.totals[Total.AT_RISK] == sum(risk)
        exact = anonymity_of(left_by(of, state), of.attackers, of.k)
        assert len(set(zip(exact.class_of.tolist(), keys_of(state), strict=True))) == exact.classes
        if measure not in BY_SHAPE:
            assert same_partition(exact.class_of.tolist(), keys_of(state))
            assert exact.nodes_at_risk.tolist() == risk


@each_measure
@pytest.mark.parametrize("distance", [1, 2])
def test_signatures_follow_flips_on_a_larger_network(measure: str, distance: int) -> None:
    """Sixty nodes, batches from one edge to most of them, against the exact recount."""
    network = clustered(edges=90)
    of = Problem(network, attackers_of(measure, distance), 3, 0, np.arange(network.edge_count)[::-1].copy())
    state = of.fresh_state()
    rng = np.random.default_rng(distance)
    met = set()
    for size in (1, 2, 5, 29, 1, 30, 70, 3, 90, 1):
        flip(of, state, rng.integers(0, of.edge_count, size).tolist())
        exact = anonymity_of(left_by(of, state), of.attackers, of.k)
        assert state.totals[Total.AT_RISK] == exact.at_risk
        assert same_partition(exact.class_of.tolist(), keys_of(state))
        check_table(of, state)
        met.add(exact.at_risk)
    check_signatures(of, state)

    assert len(met) > 1  # else the test could not tell a state that moves from one that does not


@each_measure
def test_a_table_that_fills_up_is_rebuilt(measure: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the smallest table, hundreds of flips visit more states than it has slots."""
    monkeypatch.setattr(problem, "SMALLEST_TABLE", 1)
    network = clustered(nodes=30, edges=400)
    of = Problem(network, attackers_of(measure), 2, 0, np.arange(network.edge_count))
    state = of.fresh_state()
    rng = np.random.default_rng(1)
    met: set[int] = set()
    for _ in range(200):
        flip(of, state, rng.integers(0, of.edge_count, 3).tolist())
        met |= set(keys_of(state))
    check_table(of, state)

    assert len(state.table) == 128
    assert len(met) > 64 or measure in ("degree", "edge-count")  # there are not as many numbers
    assert state.totals[Total.AT_RISK] == anonymity_of(left_by(of, state), of.attackers, 2).at_risk


@pytest.mark.parametrize("measure", BY_SHAPE)
def test_shapes_that_refinement_cannot_tell_apart_make_a_search_too_hopeful(measure: str) -> None:
    """Whoever knows the six of a ring, and whoever knows two times three friends, look alike to the search.

    Their neighbours' degrees are the same too. The problem says that this may happen, and a recount tells.
    """
    rings = [nx.cycle_graph(6), nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(3))]
    hubs = [nx.compose(ring, nx.star_graph([6, *range(6)])) for ring in rings]
    network = Network.from_networkx(nx.disjoint_union_all(hubs))
    of = Problem(network, attackers_of(measure), 2, 0, np.arange(network.edge_count))

    assert of.may_be_too_hopeful
    assert of.original.totals[Total.AT_RISK] == 0
    assert of.recount(np.empty(0, dtype=np.int64)) == (2, 2)


@each_measure
def test_who_may_be_too_hopeful_says_so(measure: str) -> None:
    """Shapes alone."""
    of = Problem(clustered(), attackers_of(measure), 2, 0, np.arange(clustered().edge_count))

    assert of.may_be_too_hopeful is (measure in BY_SHAPE)
