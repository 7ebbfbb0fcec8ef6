"""Simulated annealing over sets of deleted edges, on exact states and coarser views of them.

`anneal` reads like its pseudo-code in docs/search.md: propose, gather, judge, settle, keep the best. The
stages are functions of this folder that are copied into it (`inlined`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.annealing.leg import Leg
from netveil.kernels.annealing.levels import Levels, recount_crowded_levels
from netveil.kernels.annealing.metropolis import harm, is_best, is_solved, temperature_at
from netveil.kernels.annealing.moves import add_flip_nearby, propose
from netveil.kernels.annealing.proposal import (
    MOST_FLIPS,
    REPAIRS,
    gather_flip,
    move_tables,
    move_tables_back,
    new_proposal,
    put_back,
    settle_nodes,
)
from netveil.kernels.annealing.proposal_limits import keeps_limits
from netveil.kernels.annealing.walk_state import (
    LimitState,
    Walk,
    largest_degree,
    list_risky,
    settle_flip,
    write_best,
)
from netveil.kernels.arrays import IntVector, Words
from netveil.kernels.compiled import compiled, inlined
from netveil.kernels.following.attacker_arrays import AttackerArrays
from netveil.kernels.following.edge_triangles import rows_for
from netveil.kernels.following.state import Topology
from netveil.kernels.limiting.limits import Limits
from netveil.kernels.random import next_unit

REPAIRING = 0.5  # chance that a rejected proposal is tried again with one more flip near it
REPAIRABLE = 3.0  # nodes at risk too many, at most, for that
JOURNAL = np.int64(1 << 16)  # flips since the best, at most
WRITTEN = np.int64(-1)  # length of the journal while Walk.best is the best: there is nothing to write
PROPOSALS_BETWEEN_LOOKS = 256  # at the temperature and at who is at risk


@compiled
def anneal(
    topology: Topology,
    rule: AttackerArrays,
    levels: Levels,
    limits: Limits | None,
    walk: Walk,
    limit_state: LimitState | None,
    leg: Leg,
    random: Words,
) -> None:
    """Metropolis proposals on nodes at risk + smoothing + price. Writes `walk`; `random` advances.

    The best is the solution with the fewest nodes at risk (as far as fewer are better), then the fewest
    deletions, among those that keep budget and limits: the walk never leaves these.
    """
    counts = walk.counts
    n, level_count = counts.nodes.shape[0], counts.used.shape[0]
    largest = largest_degree(topology.csr.offsets)
    proposal = new_proposal(n, level_count, largest, rows_for(topology, largest))
    flips, touched = proposal.flips, proposal.touched
    weights = np.ones(level_count, np.float64)
    risky = np.empty(n, np.int64)
    risky_count = 0
    temperature = leg.temperature[0]
    # The best is kept as the flips since: most walks pass many bests on their way down.
    journal = np.empty(JOURNAL, np.int64)
    journal_length = WRITTEN

    for number in range(leg.proposals):
        if number % PROPOSALS_BETWEEN_LOOKS == 0:
            passed = number / leg.proposals
            temperature = temperature_at(leg, passed)
            weigh_levels(levels, leg, passed, weights)
            if number % (n + PROPOSALS_BETWEEN_LOOKS) < PROPOSALS_BETWEEN_LOOKS:
                risky_count = list_risky(walk.counts, walk.first_place, rule.k, risky)
        recount_crowded_levels(rule, levels, counts)

        count = propose(topology.ends, rule, walk, leg, risky, risky_count, random, flips)
        threshold = -temperature * np.log(1.0 - next_unit(random))
        most, gathered, found = count + REPAIRS, 0, np.int64(0)
        while True:
            for place in range(gathered, count):
                found = gather_flip(topology, rule, walk, proposal, flips[place], found)
            gathered = count
            moves = move_tables(rule, levels, counts, proposal, found)
            more_deleted = deleted_by(walk.present, flips, count)
            worse = harm(leg, counts.at_risk[0], counts.at_risk[0] + proposal.risk_change[0], more_deleted)
            worse = with_coarser_levels(worse, proposal.risk_change, weights)
            accepted = worse <= threshold
            if accepted and limits is not None and limit_state is not None:
                accepted = keeps_limits(topology, limits, walk, limit_state, flips[:count], touched[:found])
            if accepted:
                break
            move_tables_back(counts.table, proposal.moves, moves)
            if not (count < most and worse < threshold + REPAIRABLE and next_unit(random) < REPAIRING):
                break
            count = add_flip_nearby(walk, leg, proposal, count, found, more_deleted, random)
            if count == gathered:
                break

        put_back(walk.present, counts.nodes, proposal, count, found)
        if not accepted:
            continue
        settle_nodes(counts, proposal, found, moves)
        for place in range(count):
            settle_flip(topology, rule, walk, flips[place], proposal.rows)
        if limit_state is not None:
            limit_state.clustering[0] = limit_state.clustering_proposed[0]
            limit_state.clustering[1] = limit_state.clustering_proposed[1]
        walk.accepted_count[0] += 1

        if is_best(leg, counts.at_risk[0], walk.deleted_count[0], walk.best_totals):
            journal_length = 0
            if is_solved(leg, walk.best_totals):
                break
        elif journal_length != WRITTEN:
            journal_length = note_flips(walk, flips, count, journal, journal_length)
    if journal_length != WRITTEN:
        write_best(walk.present, walk.best, journal[:journal_length])


@inlined
def weigh_levels(levels: Levels, leg: Leg, passed: float, weights: NDArray[np.float64]) -> None:
    """Write what a node alone at each coarser level counts when this share of the leg is done."""
    smoothing = leg.smoothing[0] + (leg.smoothing[1] - leg.smoothing[0]) * passed
    for level in range(1, weights.shape[0]):
        weights[level] = smoothing * levels.weights[level - 1]


@inlined
def deleted_by(present: NDArray[np.uint8], flips: IntVector, count: int) -> int:
    """How many more edges are deleted by the first `count` flips, which are made in `present` already."""
    more = 0
    for place in range(count):
        more += 1 - 2 * np.int64(present[flips[place]])
    return more


@inlined
def with_coarser_levels(worse: float, risk_change: IntVector, weights: NDArray[np.float64]) -> float:
    """The harm of a proposal, and what it changes at the coarser levels, in nodes at risk."""
    for level in range(1, weights.shape[0]):
        worse += weights[level] * risk_change[level]
    return worse


@inlined
def note_flips(walk: Walk, flips: IntVector, count: int, journal: IntVector, length: int) -> int:
    """Add `count` flips to the journal; returns its length. Where it is full, the best is written."""
    for place in range(count):
        journal[length + place] = flips[place]
    length += count
    if length <= JOURNAL - MOST_FLIPS:
        return length
    write_best(walk.present, walk.best, journal[:length])
    return WRITTEN
