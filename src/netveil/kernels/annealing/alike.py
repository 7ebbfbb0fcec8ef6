"""Edges that touch nearly the same nodes: swapping them moves hardly anybody who could lose a lookalike.

To flip an edge moves its ends and their common neighbours. An edge and another one at one of its ends have
many of these in common: where the one is restored and the other deleted, those stay as they are.
"""

from __future__ import annotations

import numpy as np

from netveil.kernels.annealing.proposal import Scene
from netveil.kernels.annealing.walk_state import NONE, CellColumn, Edges, NodeColumn, People
from netveil.kernels.arrays import Words
from netveil.kernels.compiled import inlined, internal
from netveil.kernels.following.state import Topology
from netveil.kernels.random import next_below

UNKNOWN = np.int64(-2)  # in the first place of a row that is not written yet
DRAWS = 3  # of a row: some of its edges are deleted already
MOST_CANDIDATES = 200  # edges at each end that are looked at
MOST_TRIANGLES = 256  # an edge on more is alike to none: it would take too long to tell
OF_CROWD = 0.05  # what it counts that a node is touched which has lookalikes to spare; 1 for others
OF_END = 4.0  # how many times as much it counts for an end, whose contacts change too
OF_SHARED_END = 0.5  # how much for the shared end, where only its triangles change


@inlined
def draw_alike(scene: Scene, restored: int, random: Words) -> int:
    """An edge to delete instead of a deleted one, that touches nearly the same; NONE if none is found."""
    edges = scene.edges
    alike = edges.alike
    if alike.shape[0] == 0:
        return NONE
    if alike[restored, 0] == UNKNOWN:
        _find_alike(scene.topology, scene.people, edges, scene.k, restored)
    for _ in range(DRAWS):
        removed = np.int64(alike[restored, next_below(random, alike.shape[1])])
        if removed >= 0 and scene.present[removed]:
            return removed
    return NONE


@internal
def _find_alike(topology: Topology, people: People, edges: Edges, k: int, edge: int) -> None:
    """Write the row of an edge: those at its ends for which a swap moves the least, the best first.

    What it counts that somebody is moved is told from who has lookalikes now; it is not looked at again.
    """
    nodes, alike, ends, triangles = people.nodes, edges.alike, topology.ends, topology.triangles
    first_row, first_place, incident = topology.first_row, edges.first_place, edges.incident
    length = alike.shape[1]
    costs = np.full(length, np.inf)
    for place in range(length):
        alike[edge, place] = NONE
    if first_row[edge + 1] - first_row[edge] > MOST_TRIANGLES:
        return
    own = 0.0
    for row in range(first_row[edge], first_row[edge + 1]):
        nodes[triangles[row, 2], NodeColumn.PLACE] = 0
        own += _weight(people, k, triangles[row, 2])
    for side in range(2):
        shared, far = ends[edge, side], ends[edge, 1 - side]
        start, end = first_place[shared], first_place[shared + 1]
        for place in range(start, end, max(1, (end - start) // MOST_CANDIDATES)):
            other = np.int64(incident[place])
            if other == edge or first_row[other + 1] - first_row[other] > MOST_TRIANGLES:
                continue
            other_far = ends[other, 0] if ends[other, 1] == shared else ends[other, 1]
            cost = own + OF_END * (_weight(people, k, far) + _weight(people, k, other_far))
            for row in range(first_row[other], first_row[other + 1]):
                node = triangles[row, 2]
                cost += _weight(people, k, node) * (1 if nodes[node, NodeColumn.PLACE] < 0 else -1)
            if first_row[other + 1] - first_row[other] != first_row[edge + 1] - first_row[edge]:
                cost += OF_SHARED_END * _weight(people, k, shared)
            if cost < costs[length - 1]:
                spot = length - 1
                while spot > 0 and cost < costs[spot - 1]:
                    costs[spot], alike[edge, spot] = costs[spot - 1], alike[edge, spot - 1]
                    spot -= 1
                costs[spot], alike[edge, spot] = cost, other
    for row in range(first_row[edge], first_row[edge + 1]):
        nodes[triangles[row, 2], NodeColumn.PLACE] = -1


@inlined
def _weight(people: People, k: int, node: int) -> float:
    """What it counts that a node is moved."""
    size = people.states.cells[people.nodes[node, NodeColumn.CELL], CellColumn.SIZE]
    return 1.0 if size <= k else OF_CROWD
