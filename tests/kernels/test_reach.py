"""Whom a deletion can touch: nobody beyond the reach of the attackers; those at risk are counted."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from graphs import networks
from naive import graph_without
from netveil.anonymity import MEASURES, Attacker, anonymity_of, attackers_of
from netveil.kernels.flips import flip_edges
from netveil.kernels.states import nodes_at_risk_touched
from netveil.network import Network
from netveil.search import Problem
from netveil.search.problem import reach_of


def attackers() -> st.SearchStrategy[tuple[Attacker, ...]]:
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


@settings(max_examples=150)
@given(network=networks(min_nodes=3, max_nodes=10, min_edges=1), those=attackers(), data=st.data())
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
    of = Problem(network, those, 2, 0, order)
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
