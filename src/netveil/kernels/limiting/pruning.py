"""Restore deleted edges: those over the budget or beyond a limit, and those that are not needed after all."""

from __future__ import annotations

import numpy as np

from netveil.kernels.arrays import IntVector
from netveil.kernels.compiled import compiled
from netveil.kernels.following.attacker_arrays import AttackerArrays
from netveil.kernels.following.flips import flip
from netveil.kernels.following.state import FlipState, Topology, Total
from netveil.kernels.limiting.components import forest_of, unite, united_size
from netveil.kernels.limiting.limits import Limits, excess, flip_followed, standing_of


@compiled
def restore_needless(
    topology: Topology,
    rule: AttackerArrays,
    limits: Limits | None,
    state: FlipState,
    deleted: IntVector,
    enough: int,
) -> None:
    """Restore every edge of `deleted` whose return does no harm, until none is left. Writes `state`.

    Harm is to put somebody at risk, beyond the `enough` nodes that may be, or to take clustering beyond its
    bounds; the other limits welcome every edge. A return can make another one harmless or harmful, so the
    edges are gone through again after each change.
    """
    if limits is not None:
        standing = standing_of(topology, limits, state)
    changed = True
    while changed:
        changed = False
        for place in range(deleted.shape[0]):
            edge = deleted[place : place + 1]
            if state.present[edge[0]]:
                continue
            at_risk = state.totals[Total.AT_RISK]
            if limits is None:
                flip(topology, rule, state, state.general, edge)
                harmless = state.totals[Total.AT_RISK] <= max(at_risk, enough)
                if not harmless:
                    flip(topology, rule, state, state.general, edge)
            else:
                beyond = excess(limits, standing)
                flip_followed(topology, rule, limits, state, standing, edge)
                harmless = state.totals[Total.AT_RISK] <= max(at_risk, enough)
                harmless = harmless and excess(limits, standing) <= beyond
                if not harmless:
                    flip_followed(topology, rule, limits, state, standing, edge)
            changed = changed or harmless


@compiled
def restore_surplus(
    topology: Topology,
    rule: AttackerArrays,
    limits: Limits | None,
    state: FlipState,
    deleted: IntVector,
    budget: int,
    candidates: int,
) -> None:
    """Restore edges of `deleted` until at most `budget` are deleted and all limits are kept. Writes `state`.

    Each time the one whose return breaks limits least and, among those, leaves the fewest nodes at risk, of
    the next `candidates` in the circle. It ends, for with all edges back every limit is kept.
    """
    nodes, ends = state.degrees.shape[0], topology.ends
    standing = standing_of(topology, limits, state)
    violation = 0
    if limits is not None:
        forest, largest = forest_of(ends, state.present, nodes)
        violation = excess(limits, standing) + max(0, limits.least_component - largest)
    edge = np.empty(1, np.int64)
    place = 0
    while state.totals[Total.DELETED] > budget or violation > 0:
        least_violation = np.iinfo(np.int64).max
        fewest = nodes + 1
        chosen = -1
        looked_at = 0
        while looked_at < min(candidates, state.totals[Total.DELETED]):
            edge[0] = deleted[place]
            place = (place + 1) % deleted.shape[0]
            if state.present[edge[0]]:
                continue
            looked_at += 1
            flip_followed(topology, rule, limits, state, standing, edge)
            broken = 0
            if limits is not None:
                united = united_size(forest, ends[edge[0], 0], ends[edge[0], 1])
                missing = max(0, limits.least_component - max(largest, united))
                broken = excess(limits, standing) + missing
            if broken < least_violation or (
                broken == least_violation and state.totals[Total.AT_RISK] < fewest
            ):
                least_violation = broken
                fewest = state.totals[Total.AT_RISK]
                chosen = edge[0]
            flip_followed(topology, rule, limits, state, standing, edge)
        edge[0] = chosen
        flip_followed(topology, rule, limits, state, standing, edge)
        if limits is not None:
            largest = max(largest, unite(forest.parents, forest.sizes, ends[chosen, 0], ends[chosen, 1]))
            violation = least_violation
