"""Restore deleted edges: those over the budget, and those that turned out not to be needed."""

from __future__ import annotations

import numpy as np

from netveil.kernels.arrays import IntVector
from netveil.kernels.compiled import compiled
from netveil.kernels.flips import AT_RISK, DELETED, FlipState, Rule, Topology, flip_edges


@compiled
def restore_needless(topology: Topology, rule: Rule, state: FlipState, deleted: IntVector) -> None:
    """Restore every edge of `deleted` whose return puts nobody at risk, until none is left. Writes `state`.

    A return can make another one harmless or harmful, so the edges are gone through again after each change.
    """
    edge = np.empty(1, np.int64)
    changed = True
    while changed:
        changed = False
        for place in range(deleted.shape[0]):
            edge[0] = deleted[place]
            if state.present[edge[0]]:
                continue
            before = state.totals[AT_RISK]
            flip_edges(topology, rule, state, edge)
            if state.totals[AT_RISK] <= before:
                changed = True
            else:
                flip_edges(topology, rule, state, edge)


@compiled
def restore_surplus(
    topology: Topology, rule: Rule, state: FlipState, deleted: IntVector, budget: int, candidates: int
) -> None:
    """Restore edges of `deleted` until at most `budget` are deleted. Writes `state`.

    Each time the one whose return leaves the fewest nodes at risk, among the next `candidates` in the circle.
    """
    edge = np.empty(1, np.int64)
    place = 0
    while state.totals[DELETED] > budget:
        fewest = state.signatures.shape[0] + 1
        chosen = -1
        looked_at = 0
        while looked_at < min(candidates, state.totals[DELETED]):
            edge[0] = deleted[place]
            place = (place + 1) % deleted.shape[0]
            if state.present[edge[0]]:
                continue
            looked_at += 1
            flip_edges(topology, rule, state, edge)
            if state.totals[AT_RISK] < fewest:
                fewest = state.totals[AT_RISK]
                chosen = edge[0]
            flip_edges(topology, rule, state, edge)
        edge[0] = chosen
        flip_edges(topology, rule, state, edge)
