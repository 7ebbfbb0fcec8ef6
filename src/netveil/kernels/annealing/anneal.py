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
    MOST_FLIPS,
    Bounds,
    ProposalTotals,
    WalkScene,
    keeps_limits,
    make_flips,
    take_back,
)
from netveil.kernels.annealing.walk_state import (
    NONE,
    Best,
    Leg,
    Unlisted,
    WalkCount,
    is_best,
    list_risky,
    relist,
    settle_flip,
    temperature_at,
    write_best,
)
from netveil.kernels.arrays import IntVector, Words
from netveil.kernels.basics import next_below, next_unit
from netveil.kernels.compiled import compiled, in_place, inlined, internal
from netveil.kernels.flips import flip
from netveil.kernels.limits import Limits, violation
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
        temperature = temperature_at(leg.temperature[0], leg.temperature[1], proposal / leg.proposals)
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
        if deleted <= leg.budget and is_best(
            leg.enough, state.totals[Total.AT_RISK], deleted, walk.best_totals
        ):
            for edge in range(best.shape[0]):
                best[edge] = present[edge]
            if walk.best_totals[Best.AT_RISK] <= leg.enough:
                return


GUIDED_STEPS = 4  # nodes that a guided chain brings among lookalikes, at most
JOURNAL = np.int64(1 << 16)  # flips since the best, at most
WRITTEN = np.int64(-1)  # length of the journal while Walk.best is the best: there is nothing to write
PROPOSALS_BETWEEN_LOOKS = 256  # at the temperature, at the deletions and at who is at risk
SLOW, QUICK, MOST_REWARD = 0.01, 20.0, 3.0  # how the reward for deletions follows what is missing


@in_place
def anneal(
    scene: WalkScene,
    unlisted: Unlisted | None,
    bounds: Bounds | None,
    guided_slack: float | None,
    reward_kept: NDArray[np.float64],
    best: NDArray[np.uint8],
    best_totals: IntVector,
    journal: IntVector,
    leg: Leg,
    random: Words,
) -> int:
    """Metropolis proposals on the cost of nodes at risk; how many of the leg are made then.

    Ends before the leg does when partners are to be found anew, or cells to be counted. The best is the
    solution with the fewest nodes at risk (as far as fewer are better), then the fewest deletions, among
    those that keep budget and limits. Edges that are given are flipped where that costs nothing, or where few
    enough stay at risk. Guided chains may cost too much by `guided_slack`; if that is None there are none.
    Writes the walk, to which `scene`, `unlisted`, `bounds` and the arguments from `reward_kept` to
    `best_totals` belong; `journal` is scratch, `random` advances.
    """
    _, k, present, people, edges, proposal = scene
    nodes, cells, keys = people.nodes, people.states.cells, people.states.keys
    counts, flips, steps = edges.counts, proposal.flips, proposal.steps
    n = nodes.shape[0]
    temperature = leg.temperature[0]
    # The best is kept as the flips since: most walks pass many bests on their way down.
    journal_length = WRITTEN
    propose_until = counts[WalkCount.PROPOSED] + leg.partners_hold[0]
    accept_until = counts[WalkCount.ACCEPTED] + leg.partners_hold[1]
    made, is_given = leg.proposals, leg.given.shape[0] > 0

    for number in range(leg.begun, leg.proposals):
        deleted = counts[WalkCount.DELETED]
        if (number - leg.begun) % PROPOSALS_BETWEEN_LOOKS == 0:
            temperature = temperature_at(leg.temperature[0], leg.temperature[1], number / leg.proposals)
            reward_kept[0] = changed_reward(reward_kept[0], deleted, leg.wanted, leg.budget, SLOW)
            if (number - leg.begun) % (n + PROPOSALS_BETWEEN_LOOKS) < PROPOSALS_BETWEEN_LOOKS:
                list_risky(nodes, cells, k, counts)
        is_crowded = keys.shape[0] > 1 and 2 * counts[WalkCount.CELLS_USED] > keys.shape[0]
        are_old = counts[WalkCount.PROPOSED] >= propose_until and counts[WalkCount.ACCEPTED] >= accept_until
        if is_crowded or (are_old and number > leg.begun):
            made = number
            break

        threshold = -temperature * np.log(1.0 - next_unit(random))
        reward = temperature * changed_reward(reward_kept[0], deleted, leg.wanted, leg.budget, QUICK)
        room = leg.allowed - deleted
        room = room if room > 0 else np.int64(0)
        node = NONE
        if is_given:
            spare = leg.enough - counts[WalkCount.AT_RISK]
            threshold, reward = np.float64(spare if spare > 0 else 0), 0.0
            flips[0] = leg.given[number]
        elif guided_slack is not None and next_unit(random) < leg.guided:
            node = draw_risky(nodes, cells, k, counts[WalkCount.LISTED], random)
        standing = ProposalTotals(np.int64(0), np.int64(0), 0.0, np.int64(0))
        more_deleted, count, accepted = np.int64(0), np.int64(0), False
        # A guided chain goes on as long as it costs too much by little, and mends what its flips have broken.
        for _ in range(1 if node < 0 else GUIDED_STEPS):
            limit = threshold
            if is_given:
                limit += 2 * n  # all that it costs is to be known: nothing is given up early
                count = np.int64(1)
            elif guided_slack is None or node < 0:
                count = propose(scene, room > 0, random)
            else:
                limit += guided_slack
                left = limit - standing.energy + reward * more_deleted
                made_flips, room_left = standing.flipped, room - more_deleted
                count = land(scene, unlisted, node, made_flips, room_left, reward, left, random)
            if count == standing.flipped:
                break
            for place in range(standing.flipped, count):
                more_deleted += 2 * np.int64(present[flips[place]]) - 1
            if more_deleted > room and more_deleted > 0:
                break
            limit += reward * more_deleted
            within, standing = make_flips(scene, unlisted, leg.costs, count, standing, limit)
            accepted = leg.forced or (within and standing.energy <= threshold + reward * more_deleted)
            if accepted and not leg.forced and bounds is not None:
                accepted = keeps_limits(bounds, present, nodes, flips[:count], steps[: standing.moved])
            if guided_slack is None or accepted or node < 0 or not within or standing.energy > limit:
                break
            node = broken_node(nodes, cells, k, steps, standing.moved, random)
            if node < 0:
                break
        counts[WalkCount.PROPOSED] += 1
        if not accepted:
            take_back(present, nodes, cells, proposal, standing)
            continue
        # Flips are settled in turn: each sees those before it made, and those after it not yet.
        for place in range(count):
            present[flips[place]] ^= 1
        for place in range(count):
            present[flips[place]] ^= 1
            settle_flip(scene.mesh, unlisted, present, nodes, edges, flips[place])
        if bounds is not None:
            clustering, proposed = bounds.state.clustering, bounds.state.clustering_proposed
            clustering[0], clustering[1] = proposed[0], proposed[1]
        counts[WalkCount.AT_RISK] += standing.risk
        counts[WalkCount.ACCEPTED] += 1

        at_risk, deleted = counts[WalkCount.AT_RISK], counts[WalkCount.DELETED]
        if deleted <= leg.budget and is_best(leg.enough, at_risk, deleted, best_totals):
            journal_length = np.int64(0)
            if best_totals[Best.AT_RISK] <= leg.enough and not is_given:
                break
        elif journal_length != WRITTEN:
            for place in range(count):
                journal[journal_length + place] = flips[place]
            journal_length += count
            if journal_length > JOURNAL - MOST_FLIPS:
                write_best(present, best, journal, journal_length)
                journal_length = WRITTEN
    if journal_length != WRITTEN:
        write_best(present, best, journal, journal_length)
    return made


@inlined
def changed_reward(reward: float, deleted: int, wanted: int, budget: int, speed: float) -> float:
    """Reward for a deletion, in temperatures, after what is missing or too much was added at this speed.

    Missing are the deletions that had better be made, as a share of the budget.
    """
    reward += speed * ((wanted - deleted) / (budget if budget > 0 else 1))
    if reward > MOST_REWARD:
        return MOST_REWARD
    return reward if reward > -MOST_REWARD else -MOST_REWARD
