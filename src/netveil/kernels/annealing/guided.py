"""Guided chains: bring a node at risk among lookalikes as cheaply as can be, then whom that harmed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.annealing.gaps import size_of
from netveil.kernels.annealing.moves import draw_opposite
from netveil.kernels.annealing.proposal import (
    MoveColumn,
    Scene,
    TouchedColumn,
    forget_places,
    touch_ends,
    touch_opposite,
)
from netveil.kernels.annealing.walk_state import NONE, CellColumn, NodeColumn, People
from netveil.kernels.arrays import IntVector, Words
from netveil.kernels.compiled import inlined
from netveil.kernels.following.tables import risk_when_joined, risk_when_left
from netveil.kernels.random import next_below, next_unit

MOST_LANDINGS = 100  # deletions, restorations and swaps that are looked at, each
MOST_OPPOSITE = 40  # edges over against the node that are looked at
NOISE = 0.2  # so that the best is not always the same


@inlined
def land(scene: Scene, node: int, made: int, room: int, reward: float, limit: float, random: Words) -> int:
    """Add the one or two flips that bring a node among k - 1 others at the least estimated cost.

    What each costs is estimated in nodes at risk, less the reward for deletions, and must be below the limit.
    Writes `flips` after those that are `made`; returns how many flips there are then.
    """
    topology, counted, k, present, people, edges, proposal, _ = scene
    flips = proposal.flips
    incident, edge_triangles, states = edges.incident, edges.edge_triangles, people.states
    start, middle, end = edges.first_place[node], edges.first_deleted[node], edges.first_place[node + 1]
    degree = np.int64(people.nodes[node, NodeColumn.DEGREE])
    triangles = np.int64(people.nodes[node, NodeColumn.TRIANGLES])
    there, gone = middle - start, end - middle
    best_restored, best_removed, best_cost = NONE, NONE, limit
    deletions, restorations = min(there, MOST_LANDINGS), min(gone, MOST_LANDINGS)
    swaps = MOST_LANDINGS if there > 0 and gone > 0 else 0
    opposite = 0
    if there > 0 and topology.listed and counted:
        near = max(size_of(states, degree, triangles - 1), size_of(states, degree, triangles + 1))
        opposite = MOST_OPPOSITE if near >= k - 1 else 0
    place = start + next_below(random, max(there, 1))
    for number in range(deletions + restorations + swaps + opposite):
        restored, removed = NONE, NONE
        more_degree, more_triangles = 0, 0
        if number < deletions:
            removed = np.int64(incident[place])
            place = place + 1 if place + 1 < middle else start
        elif number < deletions + restorations:
            restored = np.int64(incident[middle + number - deletions])
        elif number < deletions + restorations + swaps:
            restored = np.int64(incident[middle + next_below(random, gone)])
            removed = np.int64(incident[start + next_below(random, there)])
        else:
            edge = incident[start + next_below(random, there)]
            over_against, third = draw_opposite(topology, node, edge, random)
            if over_against < 0 or present[third] == 0 or topology.movable[over_against] == 0:
                continue
            if present[over_against]:
                removed, more_triangles = over_against, -1
            else:
                restored, more_triangles = over_against, 1
        if more_triangles == 0:
            if removed >= 0:
                more_degree -= 1
                more_triangles -= edge_triangles[removed]
            if restored >= 0:
                more_degree += 1
                more_triangles += edge_triangles[restored]
        if more_degree == 0 and more_triangles == 0:
            continue
        if size_of(states, degree + more_degree, triangles + more_triangles) < k - 1:
            continue
        if is_flipped(flips, made, restored, removed):
            continue
        more_deleted = np.int64(removed >= 0) - np.int64(restored >= 0)
        if more_deleted > room:
            continue
        cost = next_unit(random) * NOISE - reward * more_deleted
        cost = _estimate(scene, restored, removed, cost, best_cost)
        if cost < best_cost:
            best_restored, best_removed, best_cost = restored, removed, cost
    count = made
    if best_restored >= 0:
        flips[count] = best_restored
        count += 1
    if best_removed >= 0:
        flips[count] = best_removed
        count += 1
    return count


@inlined
def is_flipped(flips: IntVector, made: int, one: int, other: int) -> bool:
    """Whether one of two edges is among the flips that are made."""
    found = False
    for place in range(made):
        found = found or flips[place] == one or flips[place] == other
    return found


@inlined
def _estimate(scene: Scene, one: int, other: int, cost: float, limit: float) -> float:
    """A cost, and how many more nodes one or two flips put at risk; as if each touched node moved alone."""
    present, people, k = scene.present, scene.people, scene.k
    nodes, touched = people.nodes, scene.proposal.touched
    found = np.int64(0)
    for number in range(2):
        edge = one if number == 0 else other
        if edge < 0:
            continue
        sign = 1 - 2 * np.int64(present[edge])
        closed, found = touch_opposite(scene, edge, found)
        found = touch_ends(scene, edge, sign, sign * closed, found)
    forget_places(nodes, touched, found)
    for place in range(found):
        degrees = np.int64(touched[place, TouchedColumn.DEGREE_CHANGE])
        triangles = np.int64(touched[place, TouchedColumn.TRIANGLE_CHANGE])
        if degrees == 0 and triangles == 0:
            continue
        node = np.int64(touched[place, TouchedColumn.NODE])
        size = np.int64(people.states.cells[nodes[node, NodeColumn.CELL], CellColumn.SIZE])
        degrees += nodes[node, NodeColumn.DEGREE]
        triangles += nodes[node, NodeColumn.TRIANGLES]
        cost += risk_when_left(size, k) + risk_when_joined(size_of(people.states, degrees, triangles) + 1, k)
        if cost > limit:
            break
    return cost


@inlined
def broken_node(people: People, k: int, moves: NDArray[np.int32], moved: int, random: Words) -> int:
    """A node at risk among those who moved, or were left alone by them, or NONE."""
    nodes, cells = people.nodes, people.states.cells
    chosen, count = NONE, 0
    for move in range(2 * moved):
        node = np.int64(moves[move // 2, MoveColumn.NODE])
        if move % 2 == 1:
            node = np.int64(cells[moves[move // 2, MoveColumn.CELL], CellColumn.FIRST])
        if node >= 0 and cells[nodes[node, NodeColumn.CELL], CellColumn.SIZE] < k:
            count += 1
            if next_below(random, count) == 0:
                chosen = node
    return chosen
