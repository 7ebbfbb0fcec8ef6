"""Proposals that have a chance: landings, swaps of edges that are alike, the same at two lookalikes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from test_proposal import list_those_at_risk, memory_of, scene_of, scratch_for

from graphs import clustered
from naive import graph_without
from netveil.anonymity import attackers_of
from netveil.kernels.annealing import moves, moves as alike_kernels
from netveil.kernels.annealing.moves import OF_CROWD, OF_END, OF_SHARED_END
from netveil.kernels.annealing.proposal import WalkScene
from netveil.kernels.annealing.walk_state import CellColumn, NodeColumn, Walk
from netveil.search import Problem
from netveil.search.annealing import walk as build_walk
from netveil.search.annealing.walk import find_partners
from walks import chain_on, each_attacker, each_kind_of_cells, problems, seen_states, walk_of
from way_in import way_in

find_alike, draw_alike = way_in(alike_kernels._find_alike), way_in(alike_kernels.draw_alike)
flips_that_land, flips_of_pair = way_in(moves.flips_that_land), way_in(moves.flips_of_pair)

NONE = -1


def ready(of: Problem, hashed: bool = False) -> tuple[Walk, WalkScene]:
    """A walk that has not moved, with partners and those at risk listed, and what proposals look at."""
    walk, scratch = walk_of(chain_on(of, hashed=hashed)), scratch_for(of)
    find_partners(walk.people, of.k)
    list_those_at_risk(of, walk, scratch)
    return walk, scene_of(of, walk, scratch)


def slow_cost(of: Problem, walk: Walk, one: int, other: int) -> float:
    """What a swap of two edges at one node moves, from the definition."""
    graph, ends = graph_without(of.network, []), of.topology.ends.tolist()

    def weight(node: int) -> float:
        cell = walk.people.nodes[node, NodeColumn.CELL]
        return 1.0 if walk.people.states.cells[cell, CellColumn.SIZE] <= of.k else OF_CROWD

    (shared,) = set(ends[one]) & set(ends[other])
    opposite = [set(graph[u]) & set(graph[v]) for u, v in (ends[one], ends[other])]
    far = set(ends[one]) ^ set(ends[other])
    cost = sum(map(weight, opposite[0] ^ opposite[1])) + OF_END * sum(map(weight, far))
    return cost + (OF_SHARED_END * weight(shared) if len(opposite[0]) != len(opposite[1]) else 0.0)


@pytest.mark.quick(1)
@each_kind_of_cells
@given(data=st.data())
def test_edges_that_are_alike_are_those_at_the_ends_for_which_a_swap_moves_least(
    hashed: bool, data: st.DataObject
) -> None:
    """As many as a row holds; the slow twin compares all. Nothing else is written."""
    of = data.draw(problems("count"))
    walk, scene = ready(of, hashed)
    movable = np.flatnonzero(of.topology.movable).tolist()
    edge = data.draw(st.sampled_from(movable))
    memory = memory_of(walk)
    find_alike(scene, edge)
    ends = of.topology.ends.tolist()
    touching = [other for other in movable if len(set(ends[other]) & set(ends[edge])) == 1]
    row = [other for other in walk.edges.alike[edge].tolist() if other != NONE]
    costs = [slow_cost(of, walk, edge, other) for other in row]

    assert memory_of(walk) == memory
    assert len(set(row)) == len(row) == min(len(touching), build_walk.ALIKE)
    assert set(row) <= set(touching)
    assert costs == pytest.approx(sorted(slow_cost(of, walk, edge, other) for other in touching)[: len(row)])


def test_an_edge_on_very_many_triangles_is_alike_to_none() -> None:
    """It would take too long to tell."""
    network = clustered()
    of = Problem(network, attackers_of("count"), 2, 9, np.arange(network.edge_count))
    walk, scene = ready(of)
    full = int(np.argmax(np.diff(of.topology.first_row)))
    many = of.topology._replace(first_row=of.topology.first_row.copy())
    many.first_row[full + 1 :] += alike_kernels.MOST_TRIANGLES
    find_alike(scene._replace(topology=many), full)

    assert (walk.edges.alike[full] == NONE).all()


@pytest.mark.thorough
@each_attacker
@given(data=st.data())
def test_a_landing_brings_somebody_at_risk_among_lookalikes(attacker: str, data: st.DataObject) -> None:
    """Among k - 1 others at least, as they stand before the flips; deletions only where there is room."""
    of = data.draw(problems(attacker))
    walk, scene = ready(of)
    room = data.draw(st.booleans())
    states = seen_states(of, walk.present)
    risky = list_those_at_risk(of, walk, scene.proposal)
    random = np.array([data.draw(st.integers(0, 2**63))], dtype=np.uint64)
    count = flips_that_land(scene, room, random)
    flips = scene.proposal.flips[:count].tolist()

    assert 0 <= count <= 2
    assert of.topology.movable[flips].all()
    if count == 0:
        return
    assert walk.present[flips].tolist() in ([[1], [0], [0, 1]] if room else [[0], [0, 1]])
    walk.present[flips] ^= 1
    landed = seen_states(of, walk.present)
    ends = of.topology.ends[flips]
    shares_triangle = count == 2 and len(set(ends.ravel().tolist())) == 3
    at_ends = set.intersection(*(set(pair) for pair in ends.tolist())) & set(risky)
    # What two flips do to each other's triangles is not looked at.
    assert shares_triangle or any(
        landed[node] != states[node] and states.count(landed[node]) >= of.k - 1 for node in at_ends
    )


@pytest.mark.thorough
def test_the_same_is_done_at_two_lookalikes() -> None:
    """Two edges that are there, or two that are deleted, on as many triangles, one at each of a pair."""
    network = clustered()
    known = np.arange(0, network.edge_count, 7)
    of = Problem(
        network, attackers_of("degree"), 2, len(known) + 5, np.arange(network.edge_count), known=known
    )
    walk, scene = ready(of)
    random, kinds = np.array([5], dtype=np.uint64), set()
    partners, cells = (walk.people.nodes[:, column] for column in (NodeColumn.PARTNER, NodeColumn.CELL))
    for number in range(300):
        restored = int(walk.edges.deleted[number % len(known)])
        if flips_of_pair(scene, restored, True, random) == 0:
            continue
        one, other = scene.proposal.flips[:2].tolist()
        kinds.add(int(walk.present[one]))
        assert one != other
        assert walk.present[one] == walk.present[other]
        assert walk.edges.edge_triangles[one] == walk.edges.edge_triangles[other]
        pairs = [(int(u), int(partners[u])) for u in of.topology.ends[one]]
        assert any(cells[u] == cells[v] and v in of.topology.ends[other] for u, v in pairs)
    assert kinds == {0, 1}
