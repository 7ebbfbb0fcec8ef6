"""Flips against counting anew: states of every measure, who is at risk, and whom a deletion touches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import naive_measures
from graphs import clustered, networks
from naive import count_states, graph_without, nodes_at_risk
from naive_measures import ball, same_partition, slow_risk
from netveil.anonymity import MEASURES, Attacker, anonymity_of, attackers_of
from netveil.kernels.flips import differing_edges, flip_edges, start
from netveil.kernels.states import (
    EMPTY,
    FlipState,
    Total,
    copied,
    home_slot,
    nodes_at_risk_touched,
    who_is_at_risk,
    write_signatures,
)
from netveil.network import Network
from netveil.search import Problem, problem
from netveil.search.problem import reach_of
from way_in import way_in

Slow = Callable[[Network, int], list[Hashable]]

SLOW: dict[str, Slow] = {
    name: getattr(naive_measures, f"{name.replace('-', '_')}_states") for name in MEASURES
}
BY_SHAPE = ("ego", "hybrid")  # followed as far as colour refinement tells surroundings apart
NO_SHAPES = [name for name in MEASURES if name not in BY_SHAPE]
SHARES = [Fraction(percent, 100) for percent in (0, 5, 7, 14, 28, 50, 100)] + [Fraction(1, 3)]
each_measure = pytest.mark.parametrize("measure", MEASURES)


@st.composite
def problems(draw: st.DrawFn, those: st.SearchStrategy[list[Attacker]], most_nodes: int = 11) -> Problem:
    """A problem on a few nodes with some attackers; edges in any order, triangles listed or not."""
    network = draw(networks(min_nodes=4, max_nodes=most_nodes, min_edges=1))
    order = np.array(draw(st.permutations(range(network.edge_count))), dtype=np.int64)
    most = draw(st.sampled_from([-1, problem.LISTED_ROWS_LIMIT]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(problem, "LISTED_ROWS_LIMIT", most)
        found = Problem(network, tuple(draw(those)), draw(st.integers(2, 4)), 0, order)
        assert found.topology.listed is (most > 0)
    return found


def flip(of: Problem, state: FlipState, edges: list[int]) -> Network:
    """Flip these edges in one call; the network as it is then."""
    flip_edges(of.topology, of.rule, state, np.array(edges, dtype=np.int64))
    return of.network.without_edges(of.edge_order[state.present == 0])


def flags(of: Problem, state: FlipState) -> list[bool]:
    """Who is at risk, as the search sees it."""
    exposed: list[bool] = who_is_at_risk(of.rule, state).tolist()
    return exposed


def check_scratch(of: Problem, state: FlipState) -> None:
    """Circles and signatures, or keys, are as if written from scratch; table and marks are clean."""
    scratch = copied(state)
    if state.general is None or scratch.general is None:
        start(of.topology, of.rule, scratch)
        assert scratch.keys.tolist() == state.keys.tolist()
        return
    scratch.general.circles[:] = -1
    scratch.general.signatures[of.rule.parts[:, 0] >= 0] = -1  # but those of known attributes
    write_signatures(of.topology, of.rule, scratch, scratch.general)

    assert scratch.general.circles.tolist() == state.general.circles.tolist()
    assert scratch.general.signatures.tolist() == state.general.signatures.tolist()
    assert not state.general.marks.any() and not scratch.general.marks.any()
    if not of.rule.one_table:
        assert (state.table == [EMPTY, 0]).all()


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


@pytest.mark.quick(4)
@each_measure
@pytest.mark.parametrize("distance", [1, 2, 3])
@settings(max_examples=25)
@given(data=st.data())
def test_signatures_follow_any_flips(measure: str, distance: int, data: st.DataObject) -> None:
    """After every batch a state tells the truth: the network, who looks like whom, who is at risk.

    Shapes are followed as far as colour refinement tells them apart, and never tell isomorphic ones apart.
    """
    of = data.draw(problems(st.just([*attackers_of(measure, distance)])))
    state = of.fresh_state()
    deleted: set[int] = set()
    for edges in data.draw(batches(of)):
        left = flip(of, state, edges)
        for edge in edges:
            deleted ^= {edge}
        check_network(of, state, deleted)
        check_table(of, state)
        check_scratch(of, state)
        states = followed_states(measure, left, distance)
        risk = nodes_at_risk(states, of.k)  # type: ignore[arg-type]
        nodes = range(of.network.node_count)
        assert same_partition(keys_of(state), states)
        assert who_is_at_risk(of.rule, state)[list(nodes)].tolist() == risk
        assert state.totals[Total.AT_RISK] == sum(risk)
        exact = anonymity_of(left, of.attackers, of.k)
        assert len(set(zip(exact.class_of.tolist(), keys_of(state), strict=True))) == exact.classes
        if measure not in BY_SHAPE:
            assert same_partition(exact.class_of.tolist(), keys_of(state))
            assert exact.nodes_at_risk.tolist() == risk


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
        left = flip(of, state, rng.integers(0, of.edge_count, 3).tolist())
        met |= set(keys_of(state))
    check_table(of, state)

    assert len(state.table) == 128
    assert len(met) > 64 or measure in ("degree", "edge-count")  # there are not as many numbers
    assert state.totals[Total.AT_RISK] == anonymity_of(left, of.attackers, 2).at_risk


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


@given(network=networks(min_edges=1), data=st.data())
def test_differing_edges_lead_from_one_individual_to_another(network: Network, data: st.DataObject) -> None:
    """Flipping them makes the state delete exactly what the words say."""
    given_problem = Problem(network, attackers_of("count"), 2, 0, np.arange(network.edge_count))
    state = given_problem.fresh_state()
    numbers = st.lists(st.integers(0, network.edge_count - 1), unique=True)
    for target in (data.draw(numbers), data.draw(numbers)):
        words = given_problem.individual_deleting(np.array(target, dtype=np.int64))
        edges = np.empty(network.edge_count, dtype=np.int64)
        found = differing_edges(state, words, edges)
        flip_edges(given_problem.topology, given_problem.rule, state, edges[:found])
        assert given_problem.edges_deleted_by(state.words).tolist() == sorted(target)
        assert state.totals[Total.DELETED] == len(target)


def attackers(names: list[str], most_distance: int = 2) -> st.SearchStrategy[Attacker]:
    """Any attacker with one of these measures: near or far, with or without doubts, with or without twins."""

    def with_measure(name: str) -> st.SearchStrategy[Attacker]:
        measure = MEASURES[name]
        doubts = st.none() | st.sampled_from(SHARES) if measure.numeric else st.none()
        return st.builds(Attacker, st.just(measure), st.integers(1, most_distance), doubts, st.booleans())

    return st.sampled_from(names).flatmap(with_measure)


def check_follows(of: Problem, data: st.DataObject) -> None:
    """After every batch of flips, those at risk are those of the recount and of the definition."""
    state = of.fresh_state()
    edges = st.integers(0, of.edge_count - 1)
    assert flags(of, state) == slow_risk(of.network, of.attackers, of.k)
    for batch in data.draw(st.lists(st.lists(edges, max_size=of.network.node_count), max_size=4)):
        left = flip(of, state, batch)
        exact = anonymity_of(left, of.attackers, of.k)
        assert flags(of, state) == exact.nodes_at_risk.tolist() == slow_risk(left, of.attackers, of.k)
        assert state.totals[Total.AT_RISK] == exact.at_risk
        check_scratch(of, state)


SEVERAL = st.lists(attackers(NO_SHAPES), min_size=2, max_size=3)
WITH_SHAPES = st.tuples(attackers(list(BY_SHAPE)), st.lists(attackers(list(MEASURES)), max_size=2))


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("those", "most_nodes"),
    [(SEVERAL, 12), (WITH_SHAPES.map(lambda both: [both[0], *both[1]]), 8)],
    ids=["several with any doubts", "alone or several who know shapes"],
)
@settings(max_examples=100)
@given(data=st.data())
def test_attackers_of_any_kind(
    those: st.SearchStrategy[list[Attacker]], most_nodes: int, data: st.DataObject
) -> None:
    """Also the same one twice; shapes on networks too small for two that refinement cannot tell apart."""
    check_follows(data.draw(problems(those, most_nodes)), data)


@pytest.mark.parametrize(
    "those",
    [
        attackers_of(["count", "vertex-refinement"]),
        attackers_of(["degree", "count"], fuzzy="7%"),
        attackers_of(list(MEASURES), twins=True),
        attackers_of(["count", "edge-count"], distance=2, fuzzy="14%", twins=True),
        attackers_of("count", fuzzy="28%"),
        attackers_of(["count", "vertex-refinement"], distance=2),
        attackers_of("count", twins=True),
        *(attackers_of(measure, distance) for measure in MEASURES for distance in (1, 2)),
    ],
    ids=lambda those: " + ".join(f"{attacker.name} at {attacker.distance}" for attacker in those),
)
def test_attackers_on_a_larger_network(those: tuple[Attacker, ...]) -> None:
    """Sixty nodes, where numbers are large enough to be off by some percent; many flips at once and few."""
    network = clustered(edges=90 if those[0].distance > 1 or len(those) == 1 else 200)
    of = Problem(network, those, 3, 0, np.arange(network.edge_count)[::-1].copy())
    state = of.fresh_state()
    rng = np.random.default_rng(1)
    met = set()
    for size in (1, 2, 10, 40, 1, 60, 80, 1):
        left = flip(of, state, rng.integers(0, of.edge_count, size).tolist())
        exact = anonymity_of(left, those, 3)
        assert flags(of, state) == exact.nodes_at_risk.tolist()
        assert state.totals[Total.AT_RISK] == exact.at_risk
        if of.rule.one_table:
            assert same_partition(exact.class_of.tolist(), keys_of(state))
            check_table(of, state)
        met.add(tuple(flags(of, state)))
    check_scratch(of, state)
    assert flags(of, state) == slow_risk(left, those, 3)

    assert len(met) > 1  # else the test could not tell a state that moves from one that does not


@pytest.mark.parametrize(
    ("fuzzy", "larger", "smaller"),
    [
        ("5%", 20, 19),
        ("7%", 100, 93),
        ("14%", 50, 43),
        ("28%", 25, 18),
        ("29%", 100, 71),
        ("1/3", 30, 20),
        ("100%", 7, 0),
    ],
)
def test_numbers_at_the_edge_of_doubt_are_similar_and_one_more_is_not(
    fuzzy: str, larger: int, smaller: int
) -> None:
    """Two hubs, the smaller just within the share of the larger; not the other way round, and no further.

    Where floating-point numbers go wrong: 0.07 * 100 > 7 and 0.29 * 100 < 29.
    """
    spare = [(0, 2 + leaf) for leaf in range(larger)]
    others = [(1, 2 + larger + leaf) for leaf in range(smaller + 1)]
    network = Network.from_numbered_edges(spare + others, 3 + larger + smaller)
    of = Problem(network, attackers_of("degree", fuzzy=fuzzy), 2, 0, np.arange(network.edge_count))
    state = of.fresh_state()
    first_of_others = network.edges[:, 0].tolist().index(1)
    flip(of, state, [first_of_others])
    at_the_edge = flags(of, state)[:2]
    if smaller > 0:
        flip(of, state, [first_of_others + 1])
    beyond = flags(of, state)[:2]

    share = Fraction(fuzzy.rstrip("%")) / (100 if "%" in fuzzy else 1)
    alone_in_the_middle = larger - smaller > share * smaller
    assert at_the_edge == [False, alone_in_the_middle and smaller > 0]
    assert beyond == [smaller > 0, alone_in_the_middle and smaller > 0]


def test_a_number_that_is_known_is_no_member_of_a_circle() -> None:
    """Node 0 knows 1, 2, 3 and has 4 edges around; node 8 knows 1, 2, 4 and has 3: they are no twins."""
    edges = [(0, 1), (0, 2), (0, 3), (1, 5), (1, 8), (2, 3), (2, 8), (3, 4), (4, 8)]
    network = Network.from_numbered_edges(edges, 9)
    attackers = attackers_of("edge-count", twins=True)
    of = Problem(network, attackers, 2, 0, np.arange(9))

    assert flags(of, of.original) == slow_risk(network, attackers, 2)


def attackers_who_reach() -> st.SearchStrategy[tuple[Attacker, ...]]:
    """One to three, of any measures and distances."""
    one = st.builds(Attacker, st.sampled_from(list(MEASURES.values())), st.integers(1, 3))
    return st.lists(one, min_size=1, max_size=3).map(tuple)


def within_reach(graph: nx.Graph[int], edge: tuple[int, int], distance: int, both: bool) -> set[int]:
    """Nodes that have both ends of an edge, or either, within the distance."""
    near_u, near_v = (set(nx.single_source_shortest_path_length(graph, end, distance)) for end in edge)
    return near_u & near_v if both else near_u | near_v


def changed_by(network: Network, edge: int, attacker: Attacker) -> set[int]:
    """The nodes whose state is another without the edge, by exact states of both networks side by side."""
    n = network.node_count
    side_by_side = nx.disjoint_union(graph_without(network), graph_without(network, [edge]))
    states = attacker.states(Network.from_networkx(side_by_side)).tolist()
    return {node for node in range(n) if states[node] != states[node + n]}


def ends_of(network: Network, edge: int) -> tuple[int, int]:
    """The nodes at both ends."""
    u, v = network.edges[edge].tolist()
    return u, v


@pytest.mark.thorough
@settings(max_examples=150)
@given(network=networks(min_nodes=3, max_nodes=10, min_edges=1), those=attackers_who_reach(), data=st.data())
def test_a_deletion_changes_nobody_beyond_the_reach_of_all_attackers(
    network: Network, those: tuple[Attacker, ...], data: st.DataObject
) -> None:
    """Whatever the measures and distances, each within the reach of her own and all within that of all."""
    edge = data.draw(st.integers(0, network.edge_count - 1))
    graph = graph_without(network)
    of_all = within_reach(graph, ends_of(network, edge), *reach_of(those))
    for attacker in those:
        of_one = within_reach(graph, ends_of(network, edge), *attacker.measure.reach(attacker.distance))
        changed = changed_by(network, edge, attacker)
        assert changed <= of_one
        assert changed <= of_all


@pytest.mark.quick(7)
@pytest.mark.parametrize("distance", [1, 2, 3])
@pytest.mark.parametrize("measure", MEASURES)
def test_no_reach_is_larger_than_it_need_be(measure: str, distance: int) -> None:
    """On a path of eleven and on a ladder somebody changes who is as far away as the reach says."""
    reach = MEASURES[measure].reach(distance)
    attacker = Attacker(MEASURES[measure], distance)
    farthest = set()
    for graph in (nx.path_graph(11), nx.ladder_graph(9), nx.complete_graph(4)):
        network = Network.from_networkx(graph)
        for edge in range(network.edge_count):
            steps = [
                nx.single_source_shortest_path_length(graph_without(network), end)
                for end in ends_of(network, edge)
            ]
            choose = max if reach.both else min
            changed = changed_by(network, edge, attacker)
            farthest |= {choose(step[node] for step in steps) for node in changed}

    assert max(farthest) == reach.distance


@pytest.mark.quick(4)
@pytest.mark.parametrize("both", [True, False], ids=["both ends", "either end"])
@pytest.mark.parametrize("reach", [0, 1, 2])
@pytest.mark.parametrize(
    "those",
    [
        attackers_of("count"),
        attackers_of("vertex-refinement"),
        attackers_of("count", fuzzy="28%", twins=True),
    ],
    ids=["count", "vertex-refinement", "with doubts"],
)
@settings(max_examples=20)
@given(network=networks(min_nodes=3, min_edges=1), data=st.data())
def test_nodes_at_risk_touched_equal_their_definition(
    those: tuple[Attacker, ...], reach: int, both: bool, network: Network, data: st.DataObject
) -> None:
    """Nodes at risk within the reach, as things are after deletions; 0 for deleted edges; no traces left."""
    order = np.array(data.draw(st.permutations(range(network.edge_count))), dtype=np.int64)
    with pytest.MonkeyPatch.context() as patch:
        most = data.draw(st.sampled_from([-1, problem.LISTED_ROWS_LIMIT]))
        patch.setattr(problem, "LISTED_ROWS_LIMIT", most)
        of = Problem(network, those, 2, 0, order)
        assert of.topology.listed is (most > 0)
    rule = of.rule._replace(reach=reach, reach_of_both=both)
    state = of.fresh_state()
    gone = data.draw(st.lists(st.integers(0, network.edge_count - 1), unique=True))
    flip_edges(of.topology, of.rule, state, np.array(gone, dtype=np.int64))
    found = nodes_at_risk_touched(of.topology, rule, state)

    deleted = order[np.array(gone, dtype=np.int64)]
    graph = graph_without(network, deleted.tolist())
    risk = anonymity_of(network.without_edges(deleted), those, 2).nodes_at_risk
    for bit, edge in enumerate(order.tolist()):
        touched = within_reach(graph, ends_of(network, edge), reach, both)
        assert found[bit] == (0 if bit in gone else sum(risk[node] for node in touched))
    assert state.general is None or not state.general.marks.any()


@pytest.mark.parametrize(
    ("those", "expected"),
    [
        (attackers_of("degree"), (0, False)),
        (attackers_of("degree", 3), (0, False)),
        (attackers_of("count"), (1, True)),
        (attackers_of(["degree", "count"]), (1, True)),
        (attackers_of("ego", 2), (2, True)),
        (attackers_of(["count", "vertex-refinement"]), (1, False)),
        (attackers_of("count", 2) + attackers_of("vertex-refinement"), (2, False)),
        (attackers_of("hybrid"), (1, False)),
    ],
    ids=lambda given: " + ".join(each.name for each in given) if isinstance(given[0], Attacker) else "",
)
def test_the_reach_of_several_is_the_widest(those: tuple[Attacker, ...], expected: tuple[int, bool]) -> None:
    """In distance, and in whether either end will do; the ends themselves are in every reach from 1."""
    network = Network.from_numbered_edges([(0, 1), (1, 2)], 3)
    rule = Problem(network, those, 2, 0, np.arange(2)).rule

    assert reach_of(those) == expected == (rule.reach, rule.reach_of_both)
