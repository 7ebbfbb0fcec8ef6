"""Restore deleted edges that turned out not to be needed."""

from __future__ import annotations

import numpy as np

from netveil.kernels.arrays import IntVector
from netveil.kernels.compiled import compiled
from netveil.kernels.flips import AT_RISK, FlipState, Rule, Topology, flip_edges


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
