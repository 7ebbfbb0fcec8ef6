"""Simulated annealing over sets of deleted edges, on who is at risk and how far they are from lookalikes.

`anneal` reads like its pseudo-code in docs/search.md: propose, judge, settle, keep the best. The stages are
functions of this folder that are copied into it (`inlined`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.annealing.moves import broken_node, draw_far, draw_risky, land, propose
from netveil.kernels.annealing.proposal import (
    JOURNAL,
    MOST_FLIPS,
    Proposal,
    ProposalTotals,
    WalkScene,
    deleted_by,
    keeps_limits,
    make_flips,
    take_back,
)
from netveil.kernels.annealing.walk_state import (
    NONE,
    Leg,
    LimitState,
    WalkCount,
    is_best,
    is_solved,
    list_risky,
    relist,
    settle_flip,
    temperature_at,
    write_best,
)
from netveil.kernels.arrays import IntVector, Words
from netveil.kernels.compiled import compiled, in_place, inlined, internal
from netveil.kernels.flips import flip
from netveil.kernels.limits import Limits, violation
from netveil.kernels.random import next_below, next_unit
from netveil.kernels.states import AttackerArrays, FlipState, Topology, Total, is_at_risk

# Simulated annealing for every attacker: proposals are flipped, judged by who is at risk, and flipped back.
#
# Slower than `anneal`, which knows how degree and triangles make up a state, and it does not see how far
# those at risk are from lookalikes; but it asks nothing of a state.


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
    best_totals: IntVector  # (2): see Best

    @property
    def at_risk(self) -> int:
        """Nodes at risk where the walk is."""
        return int(self.state.totals[Total.AT_RISK])

    @property
    def deletions(self) -> int:
        """Deleted edges where the walk is."""
        return int(self.state.totals[Total.DELETED])


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
def propose_plainly(
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
        count = propose_plainly(topology, rule, walk, leg, random, flips)
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


GUIDED_STEPS = 4  # nodes that a guided chain brings among lookalikes, at most
GUIDED_SLACK = 4.0  # what it may cost too much on its way
WRITTEN = np.int64(-1)  # length of the journal while Walk.best is the best: there is nothing to write
PROPOSALS_BETWEEN_LOOKS = 256  # at the temperature, at the deletions and at who is at risk
SLOW, QUICK, MOST_REWARD = 0.01, 20.0, 3.0  # how the reward for deletions follows what is missing


@in_place
def anneal(
    scene: WalkScene,
    reward_kept: NDArray[np.float64],
    best: NDArray[np.uint8],
    best_totals: IntVector,
    limits: Limits | None,
    limit_state: LimitState | None,
    leg: Leg,
    random: Words,
) -> int:
    """Metropolis proposals on the cost of nodes at risk; how many of the leg are made then.

    Ends before the leg does when partners are to be found anew, or cells to be counted. The best is the
    solution with the fewest nodes at risk (as far as fewer are better), then the fewest deletions, among
    those that keep budget and limits. Edges that are given are flipped where that costs nothing, or where few
    enough stay at risk. Writes the walk, of which the first four arguments are; `random` advances.
    """
    topology, counted, k, present, people, edges, proposal = scene
    counts, journal = edges.counts, proposal.journal
    n = people.nodes.shape[0]
    rows = topology.triangles if topology.listed else proposal.rows
    temperature = leg.temperature[0]
    # The best is kept as the flips since: most walks pass many bests on their way down.
    journal_length = WRITTEN
    propose_until = counts[WalkCount.PROPOSED] + leg.partners_hold[0]
    accept_until = counts[WalkCount.ACCEPTED] + leg.partners_hold[1]
    made, is_given = leg.proposals, leg.given.shape[0] > 0

    for number in range(leg.begun, leg.proposals):
        if (number - leg.begun) % PROPOSALS_BETWEEN_LOOKS == 0:
            temperature = temperature_at(leg, number / leg.proposals)
            reward_kept[0] = changed_reward(reward_kept[0], counts, leg, SLOW)
            if (number - leg.begun) % (n + PROPOSALS_BETWEEN_LOOKS) < PROPOSALS_BETWEEN_LOOKS:
                list_risky(people, edges.first_place, k, proposal.risky, counts)
        is_crowded = 2 * people.states.used[0] > people.states.cells.shape[0]
        are_old = counts[WalkCount.PROPOSED] >= propose_until and counts[WalkCount.ACCEPTED] >= accept_until
        if is_crowded or (are_old and number > leg.begun):
            made = number
            break

        threshold = -temperature * np.log(1.0 - next_unit(random))
        reward = temperature * changed_reward(reward_kept[0], counts, leg, QUICK)
        room = leg.allowed - counts[WalkCount.DELETED]
        room = room if room > 0 else np.int64(0)
        node = NONE
        if is_given:
            spare = leg.enough - counts[WalkCount.AT_RISK]
            threshold, reward = np.float64(spare if spare > 0 else 0), 0.0
            proposal.flips[0] = leg.given[number]
        elif next_unit(random) < leg.guided:
            node = draw_risky(people, k, proposal.risky, counts[WalkCount.LISTED], random)
        standing = ProposalTotals(np.int64(0), np.int64(0), 0.0, np.int64(0))
        more_deleted, count, accepted = np.int64(0), np.int64(0), False
        # A guided chain goes on as long as it costs too much by little, and mends what its flips have broken.
        for _ in range(1 if node < 0 else GUIDED_STEPS):
            limit = threshold
            if is_given:
                limit += 2 * n  # all that it costs is to be known: nothing is given up early
                count = np.int64(1)
            elif node < 0:
                count = propose(scene, room > 0, random)
            else:
                limit += GUIDED_SLACK
                left = limit - standing.energy + reward * more_deleted
                count = land(scene, node, standing.flipped, room - more_deleted, reward, left, random)
            if count == standing.flipped:
                break
            more_deleted += deleted_by(present, proposal.flips, standing.flipped, count)
            if more_deleted > room and more_deleted > 0:
                break
            limit += reward * more_deleted
            within, standing = make_flips(scene, leg.costs, count, standing, limit)
            accepted = leg.forced or (within and standing.energy <= threshold + reward * more_deleted)
            if accepted and not leg.forced and limits is not None and limit_state is not None:
                flips, moves = proposal.flips[:count], proposal.moves[: standing.moved]
                accepted = keeps_limits(scene, limits, limit_state, flips, moves)
            if accepted or node < 0 or not within or standing.energy > limit:
                break
            node = broken_node(people, k, proposal.moves, standing.moved, random)
            if node < 0:
                break
        counts[WalkCount.PROPOSED] += 1
        if not accepted:
            take_back(scene, standing)
            continue
        # Flips are settled in turn: each sees those before it made, and those after it not yet.
        for place in range(count):
            present[proposal.flips[place]] ^= 1
        for place in range(count):
            edge = proposal.flips[place]
            present[edge] ^= 1
            settle_flip(topology, counted, present, edges, edge, rows)
        if limit_state is not None:
            limit_state.clustering[0] = limit_state.clustering_proposed[0]
            limit_state.clustering[1] = limit_state.clustering_proposed[1]
        counts[WalkCount.AT_RISK] += standing.risk
        counts[WalkCount.ACCEPTED] += 1

        fits = counts[WalkCount.DELETED] <= leg.budget
        if fits and is_best(leg, counts[WalkCount.AT_RISK], counts[WalkCount.DELETED], best_totals):
            journal_length = 0
            if is_solved(leg, best_totals) and not is_given:
                break
        elif journal_length != WRITTEN:
            journal_length = note_flips(proposal, present, best, count, journal_length)
    if journal_length != WRITTEN:
        write_best(present, best, journal[:journal_length])
    return made


@inlined
def changed_reward(reward: float, counts: IntVector, leg: Leg, speed: float) -> float:
    """Reward for a deletion, in temperatures, after what is missing or too much was added at this speed.

    Missing are the deletions that had better be made, as a share of the budget.
    """
    budget = leg.budget if leg.budget > 0 else 1
    reward += speed * ((leg.wanted - counts[WalkCount.DELETED]) / budget)
    if reward > MOST_REWARD:
        return MOST_REWARD
    return reward if reward > -MOST_REWARD else -MOST_REWARD


@inlined
def note_flips(
    proposal: Proposal, present: NDArray[np.uint8], best: NDArray[np.uint8], count: int, length: int
) -> int:
    """Add `count` flips to the journal; returns its length. Where it is full, the best is written."""
    journal, flips = proposal.journal, proposal.flips
    for place in range(count):
        journal[length + place] = flips[place]
    length += count
    if length <= JOURNAL - MOST_FLIPS:
        return length
    write_best(present, best, journal[:length])
    return WRITTEN
