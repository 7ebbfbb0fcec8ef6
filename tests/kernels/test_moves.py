"""Proposals that have a chance: landings, swaps of edges that are alike, the same at two lookalikes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from test_proposal import list_those_at_risk, memory_of, scene_of

from graphs import clustered
from naive import graph_without
from netveil.anonymity import attackers_of
from netveil.kernels.annealing import moves as alike_kernels
from netveil.kernels.annealing.moves import OF_CROWD, OF_END, OF_SHARED_END
from netveil.kernels.annealing.proposal import WalkScene
from netveil.kernels.annealing.walk_state import CellColumn, NodeColumn, Walk
from netveil.search import Problem
from netveil.search.annealing import walk as build_walk
from netveil.search.annealing.walk import find_partners
from walks import chain_on, each_kind_of_cells, problems, walk_of
from way_in import way_in

kernel = way_in(alike_kernels._find_alike)


def find_alike(scene: WalkScene, edge: int) -> None:
    """Write the edges that are alike to one."""
    people, edges = scene.people, scene.edges
    costs, cells = scene.proposal.alike_costs, people.states.cells
    kernel(scene.mesh, scene.k, people.nodes, cells, edges.incident, edges.alike, costs, edge)


NONE = -1


def ready(of: Problem, hashed: bool = False) -> tuple[Walk, WalkScene]:
    """A walk that has not moved, with partners and those at risk listed, and what proposals look at."""
    walk = walk_of(chain_on(of, hashed=hashed))
    find_partners(walk.people, of.k)
    list_those_at_risk(of, walk)
    return walk, scene_of(of, walk)[0]


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
    many = scene.mesh._replace(first_row=scene.mesh.first_row.copy())
    many.first_row[full + 1 :] += alike_kernels.MOST_TRIANGLES
    find_alike(scene._replace(mesh=many), full)

    assert (walk.edges.alike[full] == NONE).all()
