"""Simulated annealing for every attacker: proposals are flipped, judged by who is at risk, and flipped back.

Slower than `anneal`, which knows how degree and triangles make up a state, and it does not see how far those
at risk are from lookalikes; but it asks nothing of a state.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.annealing.leg import Leg
from netveil.kernels.annealing.metropolis import is_best, is_solved, relist, temperature_at
from netveil.kernels.annealing.moves import draw_far
from netveil.kernels.arrays import IntVector, Words
from netveil.kernels.compiled import compiled, internal
from netveil.kernels.following.attacker_arrays import AttackerArrays
from netveil.kernels.following.flips import flip
from netveil.kernels.following.state import FlipState, Topology, Total, is_at_risk
from netveil.kernels.limiting.limits import Limits, violation
from netveil.kernels.random import next_below, next_unit

RESTORING = 0.1  # share of proposals with a deleted edge that only restore it
SHARING = 0.7  # share of swaps whose two edges share an end
SWAPPING = 0.7  # share of proposals that are swaps, below the budget
AIMED = 0.5  # share of deletions at a node at risk
TRIES = 8  # nodes, or edges of a node, that are looked at for one that will do


class PlainWalk(NamedTuple):
    """A solution on its way, with the best that was met. Each chain has its own."""

    state: FlipState
    poor_first: IntVector  # edges that are not protected, those that touch few nodes first
    quantiles: IntVector  # (parts + 1): places in poor_first, equally likely to be drawn from between two
    deleted: IntVector  # (m): the deleted edges come first
    place_deleted: IntVector  # (m): where an edge stands there
    best: NDArray[np.uint8]  # (m): `present` when the fewest were at risk
    best_totals: IntVector  # (2): see metropolis.Best


@internal
def edge_to_delete(topology: Topology, rule: AttackerArrays, walk: PlainWalk, random: Words) -> int:
    """A movable edge that is there, often one of a node at risk; -1 if none was found."""
    state = walk.state
    if next_unit(random) < AIMED:
        for _ in range(TRIES):
            node = next_below(random, state.degrees.shape[0])
            if is_at_risk(rule, state, state.general, node):
                edge = edge_at(topology, walk, node, random)
                if edge >= 0:
                    return edge
    edge = draw_far(walk.poor_first, walk.quantiles, random)
    return edge if state.present[edge] else -1


@internal
def edge_at(topology: Topology, walk: PlainWalk, node: int, random: Words) -> int:
    """A movable edge of the node that is there; -1 if none was found."""
    first, last = topology.csr.offsets[node], topology.csr.offsets[node + 1]
    if first == last:
        return -1
    for _ in range(TRIES):
        edge = np.int64(topology.csr.edge_numbers[first + next_below(random, last - first)])
        if walk.state.present[edge] and topology.movable[edge]:
            return edge
    return -1


@internal
def propose(
    topology: Topology, rule: AttackerArrays, walk: PlainWalk, leg: Leg, random: Words, flips: IntVector
) -> int:
    """A deletion, a restoration or a swap: writes `flips`, restorations first; returns how many."""
    deleted_count = walk.state.totals[Total.DELETED]
    room = deleted_count < leg.budget
    if deleted_count == 0 or (room and next_unit(random) >= SWAPPING):
        flips[0] = edge_to_delete(topology, rule, walk, random)
        return 1 if flips[0] >= 0 and room else 0
    flips[0] = walk.deleted[next_below(random, deleted_count)]
    if deleted_count > leg.budget or next_unit(random) < RESTORING:
        return 1
    if next_unit(random) < SHARING:
        flips[1] = edge_at(topology, walk, topology.ends[flips[0], next_below(random, 2)], random)
    else:
        flips[1] = edge_to_delete(topology, rule, walk, random)
    return 2 if flips[1] >= 0 else 1


@compiled
def anneal_plainly(
    topology: Topology, rule: AttackerArrays, limits: Limits | None, walk: PlainWalk, leg: Leg, random: Words
) -> None:
    """Metropolis proposals on nodes at risk. Writes `walk`; `random` advances.

    The best is the solution with the fewest nodes at risk (as far as fewer are better), then the fewest
    deletions, among those that keep the budget; the walk itself keeps all limits.
    """
    state, best, present = walk.state, walk.best, walk.state.present
    flips = np.empty(2, np.int64)
    for proposal in range(leg.proposals):
        temperature = temperature_at(leg, proposal / leg.proposals)
        count = propose(topology, rule, walk, leg, random, flips)
        if count == 0:
            continue
        at_risk, deleted = state.totals[Total.AT_RISK], state.totals[Total.DELETED]
        flip(topology, rule, state, state.general, flips[:count])
        more_deleted = state.totals[Total.DELETED] - deleted
        worse = state.totals[Total.AT_RISK] - at_risk - leg.worth * more_deleted
        accepted = worse <= -temperature * np.log(1.0 - next_unit(random))
        if accepted and limits is not None:
            accepted = violation(topology, limits, state) == 0
        if not accepted:
            flip(topology, rule, state, state.general, flips[:count])
            continue
        for edge in flips[:count]:
            deleted = relist(walk.deleted, walk.place_deleted, deleted, edge, present[edge] == 0)
        if deleted <= leg.budget and is_best(leg, state.totals[Total.AT_RISK], deleted, walk.best_totals):
            for edge in range(best.shape[0]):
                best[edge] = present[edge]
            if is_solved(leg, walk.best_totals):
                return
