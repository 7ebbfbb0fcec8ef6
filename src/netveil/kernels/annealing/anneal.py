"""Simulated annealing over sets of deleted edges, on who is at risk and how far they are from lookalikes.

`anneal` reads like its pseudo-code in docs/search.md: propose, judge, settle, keep the best. The stages are
functions of this folder that are copied into it (`inlined`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from netveil.kernels.annealing.guided import broken_node, land
from netveil.kernels.annealing.leg import Leg
from netveil.kernels.annealing.metropolis import is_best, is_solved, temperature_at
from netveil.kernels.annealing.moves import draw_risky, propose
from netveil.kernels.annealing.proposal import (
    MOST_FLIPS,
    Scene,
    Standing,
    deleted_by,
    make_flips,
    new_proposal,
    take_back,
)
from netveil.kernels.annealing.proposal_limits import keeps_limits
from netveil.kernels.annealing.walk_state import (
    NONE,
    LimitState,
    Walk,
    WalkCount,
    largest_degree,
    list_risky,
    settle_flip,
    write_best,
)
from netveil.kernels.arrays import IntVector, Words
from netveil.kernels.compiled import compiled, inlined
from netveil.kernels.following.edge_triangles import rows_for
from netveil.kernels.following.state import Topology
from netveil.kernels.limiting.limits import Limits
from netveil.kernels.random import next_unit

GUIDED_STEPS = 4  # nodes that a guided chain brings among lookalikes, at most
GUIDED_SLACK = 4.0  # what it may cost too much on its way
JOURNAL = np.int64(1 << 16)  # flips since the best, at most
WRITTEN = np.int64(-1)  # length of the journal while Walk.best is the best: there is nothing to write
PROPOSALS_BETWEEN_LOOKS = 256  # at the temperature, at the deletions and at who is at risk
SLOW, QUICK, MOST_REWARD = 0.01, 20.0, 3.0  # how the reward for deletions follows what is missing


@compiled
def anneal(
    topology: Topology,
    counted: bool,
    k: int,
    limits: Limits | None,
    walk: Walk,
    limit_state: LimitState | None,
    leg: Leg,
    random: Words,
) -> int:
    """Metropolis proposals on the cost of nodes at risk; how many of the leg are made then.

    Ends before the leg does when partners are to be found anew, or cells to be counted. The best is the
    solution with the fewest nodes at risk (as far as fewer are better), then the fewest deletions, among
    those that keep budget and limits. Writes `walk`; `random` advances.
    """
    people, edges, counts = walk.people, walk.edges, walk.edges.counts
    n = people.nodes.shape[0]
    largest = largest_degree(topology.csr.offsets)
    proposal = new_proposal(n, largest, rows_for(topology, largest))
    scene = Scene(topology, counted, k, walk.present, people, edges, proposal, leg.costs)
    temperature = leg.temperature[0]
    # The best is kept as the flips since: most walks pass many bests on their way down.
    journal = np.empty(JOURNAL, np.int64)
    journal_length = WRITTEN
    propose_until = counts[WalkCount.PROPOSED] + leg.partners_hold[0]
    accept_until = counts[WalkCount.ACCEPTED] + leg.partners_hold[1]
    made = leg.proposals

    for number in range(leg.begun, leg.proposals):
        if (number - leg.begun) % PROPOSALS_BETWEEN_LOOKS == 0:
            temperature = temperature_at(leg, number / leg.proposals)
            follow_deletions(walk, leg)
            if (number - leg.begun) % (n + PROPOSALS_BETWEEN_LOOKS) < PROPOSALS_BETWEEN_LOOKS:
                list_risky(people, edges.first_place, k, proposal.risky, counts)
        is_crowded = 2 * people.states.used[0] > people.states.cells.shape[0]
        are_old = counts[WalkCount.PROPOSED] >= propose_until and counts[WalkCount.ACCEPTED] >= accept_until
        if is_crowded or (are_old and number > leg.begun):
            made = number
            break

        threshold = -temperature * np.log(1.0 - next_unit(random))
        reward = temperature * reward_for_deletions(walk, leg)
        room = max(leg.allowed - counts[WalkCount.DELETED], 0)
        node = NONE
        if next_unit(random) < leg.guided:
            node = draw_risky(people, k, proposal.risky, counts[WalkCount.LISTED], random)
        terms = Terms(threshold, reward, room, node)
        accepted, count, standing = judge(scene, walk, limits, limit_state, terms, random)
        counts[WalkCount.PROPOSED] += 1
        if not accepted:
            take_back(scene, standing)
            continue
        settle_flips_in_turn(scene, count)
        if limit_state is not None:
            limit_state.clustering[0] = limit_state.clustering_proposed[0]
            limit_state.clustering[1] = limit_state.clustering_proposed[1]
        counts[WalkCount.AT_RISK] += standing.risk
        counts[WalkCount.ACCEPTED] += 1

        fits = counts[WalkCount.DELETED] <= leg.budget
        if fits and is_best(leg, counts[WalkCount.AT_RISK], counts[WalkCount.DELETED], walk.best_totals):
            journal_length = 0
            if is_solved(leg, walk.best_totals):
                break
        elif journal_length != WRITTEN:
            journal_length = note_flips(walk, proposal.flips, count, journal, journal_length)
    if journal_length != WRITTEN:
        write_best(walk.present, walk.best, journal[:journal_length])
    return made


class Terms(NamedTuple):
    """On which terms a proposal is accepted."""

    threshold: float  # what it may cost, drawn by the temperature
    reward: float  # what each deletion may cost more
    room: int  # edges that may be deleted more
    node: int  # a node at risk, where the proposal is a guided chain, or NONE


@inlined
def judge(
    scene: Scene,
    walk: Walk,
    limits: Limits | None,
    limit_state: LimitState | None,
    terms: Terms,
    random: Words,
) -> tuple[bool, int, Standing]:
    """Propose flips and make them; whether they are accepted, how many they are, and how things stand.

    A guided chain goes on as long as it costs too much by little, and mends what its flips have broken.
    """
    threshold, reward, room, node = terms
    flips = scene.proposal.flips
    standing = Standing(np.int64(0), np.int64(0), 0.0, np.int64(0))
    more_deleted, count, accepted = np.int64(0), np.int64(0), False
    for _ in range(1 if node < 0 else GUIDED_STEPS):
        limit = threshold
        if node < 0:
            count = propose(scene, room > 0, random)
        else:
            limit += GUIDED_SLACK
            left = limit - standing.energy + reward * more_deleted
            count = land(scene, node, standing.flipped, room - more_deleted, reward, left, random)
        if count == standing.flipped:
            break
        more_deleted += deleted_by(scene.present, flips, standing.flipped, count)
        if more_deleted > room and more_deleted > 0:
            break
        limit += reward * more_deleted
        within, standing = make_flips(scene, count, standing, limit)
        accepted = within and standing.energy <= threshold + reward * more_deleted
        if accepted and limits is not None and limit_state is not None:
            moves = scene.proposal.moves[: standing.moved]
            accepted = keeps_limits(scene.topology, limits, walk, limit_state, flips[:count], moves)
        if accepted or node < 0 or not within or standing.energy > limit:
            break
        node = broken_node(scene.people, scene.k, scene.proposal.moves, standing.moved, random)
        if node < 0:
            break
    return accepted, count, standing


@inlined
def settle_flips_in_turn(scene: Scene, count: int) -> None:
    """Settle flips that are made: each sees those before it made, and those after it not yet."""
    present, flips = scene.present, scene.proposal.flips
    for place in range(count):
        present[flips[place]] ^= 1
    for place in range(count):
        present[flips[place]] ^= 1
        settle_flip(scene.topology, scene.counted, present, scene.edges, flips[place], scene.proposal.rows)


@inlined
def missing_deletions(walk: Walk, leg: Leg) -> float:
    """How many more edges had better be deleted, as a share of the budget; fewer if negative."""
    return (leg.wanted - walk.edges.counts[WalkCount.DELETED]) / max(leg.budget, 1)


@inlined
def follow_deletions(walk: Walk, leg: Leg) -> None:
    """Let the reward for deletions follow what has been missing for long. Writes Walk.reward."""
    reward = walk.reward[0] + SLOW * missing_deletions(walk, leg)
    walk.reward[0] = min(max(reward, -MOST_REWARD), MOST_REWARD)


@inlined
def reward_for_deletions(walk: Walk, leg: Leg) -> float:
    """What a deletion is worth, in temperatures, so that as many are deleted as are wanted."""
    reward = walk.reward[0] + QUICK * missing_deletions(walk, leg)
    return min(max(reward, -MOST_REWARD), MOST_REWARD)


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
