"""Simulated annealing over sets of deleted edges, on exact states and coarser views of them.

A proposal flips one to four edges. The nodes it touches are gathered first, each with the net change of its
degree and triangles, for in a swap much cancels out; then the tables of all levels are moved, and moved back
if the proposal is rejected. All is one kernel: handing the arrays over would cost more than the work.
"""

from __future__ import annotations

import numpy as np

from netveil.kernels.annealing.leg import Leg
from netveil.kernels.annealing.levels import (
    DEGREE,
    PLACE,
    SLOT,
    TRIANGLES,
    Levels,
    coarse_key,
    count_level,
    seek,
)
from netveil.kernels.annealing.moves import DRAWS, MOST_FLIPS, aimed_flips, draw_near, wandering_flips
from netveil.kernels.annealing.proposal_limits import keeps_limits
from netveil.kernels.annealing.walk_state import (
    ACCEPTED,
    BEST_AT_RISK,
    BEST_DELETED,
    DELETED,
    LimitState,
    Walk,
    gather_flip,
    largest_degree,
    list_risky,
    settle_flip,
    write_best,
)
from netveil.kernels.arrays import Words
from netveil.kernels.compiled import compiled
from netveil.kernels.counting.triangles import triangles_on
from netveil.kernels.following.attacker_arrays import PER_DEGREE, PER_TRIANGLE, Rule
from netveil.kernels.following.state import Topology
from netveil.kernels.following.tables import EMPTY, risk_when_joined, risk_when_left
from netveil.kernels.limiting.limits import Limits
from netveil.kernels.random import next_below, next_unit

AIMED = 0.2  # share of proposals aimed at a node at risk
REPAIRING = 0.5  # chance that a rejected proposal is tried again with one more flip near it
REPAIRABLE = 3.0  # nodes at risk too many, at most, for that
JOURNAL = np.int64(1 << 16)  # flips since the best, at most
PROPOSALS_BETWEEN_LOOKS = 256  # at the temperature and at who is at risk


@compiled
def anneal(
    topology: Topology,
    rule: Rule,
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
    present, nodes, table, used, at_risk = walk.present, walk.nodes, walk.table, walk.used, walk.at_risk
    support, poor_first, quantiles = walk.support, walk.poor_first, walk.quantiles
    incident, places = walk.incident, walk.places
    first_place, first_deleted = walk.first_place, walk.first_deleted
    deleted, place_deleted, totals = walk.deleted, walk.place_deleted, walk.totals
    ends, first_row, listed = topology.ends, topology.first_row, topology.listed
    numbers, first_rounded, second_rounded = levels.numbers, levels.first, levels.second
    picky = leg.picky
    k, budget = rule.k, leg.budget
    per_degree, per_triangle = rule.parts[0, PER_DEGREE], rule.parts[0, PER_TRIANGLE]
    level_count = used.shape[0]
    slots = table.shape[0] // level_count
    last_slot = slots - 1

    most_touched = min(nodes.shape[0], MOST_FLIPS * (largest_degree(topology.csr.offsets) + 2))
    who = np.empty(most_touched, np.int64)
    degree_change = np.empty(most_touched, np.int64)
    triangle_change = np.empty(most_touched, np.int64)
    moved_node = np.empty(most_touched * level_count, np.int64)
    slot_before = np.empty(most_touched * level_count, np.int64)
    slot_after = np.empty(most_touched * level_count, np.int64)
    flips = np.empty(MOST_FLIPS, np.int64)
    change = np.zeros(level_count, np.int64)
    weights = np.ones(level_count, np.float64)
    risky = np.empty(nodes.shape[0], np.int64)
    risky_count = 0
    rows = topology.triangles
    temperature = leg.temperature[0]
    # The best is kept as the flips since: most walks pass many bests on their way down.
    journal = np.empty(JOURNAL, np.int64)
    journal_length = 0
    improved, written_out = False, False

    for proposal in range(leg.proposals):
        if proposal % PROPOSALS_BETWEEN_LOOKS == 0:
            passed = proposal / leg.proposals
            temperature = leg.temperature[0] * (leg.temperature[1] / leg.temperature[0]) ** passed
            smoothing = leg.smoothing[0] + (leg.smoothing[1] - leg.smoothing[0]) * passed
            for level in range(1, level_count):
                weights[level] = smoothing * levels.weights[level - 1]
            if proposal % (nodes.shape[0] + PROPOSALS_BETWEEN_LOOKS) < PROPOSALS_BETWEEN_LOOKS:
                risky_count = list_risky(nodes, table, k, first_place, risky)

        for level in range(level_count):
            # Before each proposal: on a dense network, each may bring new states for all nodes.
            if 2 * used[level] > slots:
                count_level(rule, levels, nodes, table, used, at_risk, level)

        # Propose.
        room = totals[DELETED] < budget
        count = 0
        if risky_count > 0 and next_unit(random) < AIMED:
            node = risky[next_below(random, risky_count)]
            if table[nodes[node, SLOT], 1] < k:
                count = aimed_flips(
                    node, nodes, table, last_slot, k, per_degree, per_triangle, first_place, first_deleted,
                    incident, support, room, picky, random, flips,
                )  # fmt: skip
        if count == 0:
            count = wandering_flips(
                ends, poor_first, quantiles, present, first_place, first_deleted, incident, support, deleted,
                totals[DELETED], room, picky, random, flips,
            )  # fmt: skip
        threshold = -temperature * np.log(1.0 - next_unit(random))

        found = np.int64(0)
        gathered = 0
        repairs = 0
        while True:
            # Gather who is touched, and how.
            for number in range(gathered, count):
                edge = flips[number]
                first, last = first_row[edge], first_row[edge + 1]
                if not rule.count_triangles:
                    last = first
                elif not listed:
                    rows, last = triangles_on(topology.csr, ends[edge, 0], ends[edge, 1])
                    first = 0
                found = gather_flip(
                    edge, ends, rows, first, last, present, nodes, who, degree_change, triangle_change, found
                )
            gathered = count
            deleted_after = totals[DELETED]
            for number in range(count):
                deleted_after += 1 - 2 * np.int64(present[flips[number]])

            # Judge: move the tables.
            for level in range(level_count):
                change[level] = 0
            moves = 0
            for place in range(found):
                state_change = per_degree * degree_change[place] + per_triangle * triangle_change[place]
                if state_change == 0:
                    continue
                node = who[place]
                old_degree, old_triangles = nodes[node, DEGREE], nodes[node, TRIANGLES]
                degree = old_degree + degree_change[place]
                triangles = old_triangles + triangle_change[place]
                first_number = numbers[0, 0] * degree + numbers[0, 1] * triangles
                second_number = numbers[1, 0] * degree + numbers[1, 1] * triangles
                old_first = numbers[0, 0] * old_degree + numbers[0, 1] * old_triangles
                old_second = numbers[1, 0] * old_degree + numbers[1, 1] * old_triangles
                for level in range(level_count):
                    slot = nodes[node, SLOT + level]
                    if level == 0:
                        key = table[slot, 0] + state_change
                    else:
                        one = first_rounded[level - 1, first_number]
                        other = second_rounded[level - 1, second_number]
                        if (
                            one == first_rounded[level - 1, old_first]
                            and other == second_rounded[level - 1, old_second]
                        ):
                            break  # and so at all levels above
                        key = coarse_key(one, other)
                    size = table[slot, 1]
                    table[slot, 1] = size - 1
                    change[level] += risk_when_left(size, k)
                    slot_before[moves] = slot
                    slot = seek(table, key, level * slots, last_slot)
                    if table[slot, 0] == EMPTY:
                        table[slot, 0] = key
                        used[level] += 1
                    size = table[slot, 1] + 1
                    table[slot, 1] = size
                    change[level] += risk_when_joined(size, k)
                    slot_after[moves] = slot
                    moved_node[moves] = node * level_count + level
                    moves += 1
            price = leg.price if at_risk[0] <= leg.enough else -leg.worth
            worse = price * (deleted_after - totals[DELETED])
            worse += max(at_risk[0] + change[0], leg.enough) - max(at_risk[0], leg.enough)
            for level in range(1, level_count):
                worse += weights[level] * change[level]

            accepted = worse <= threshold
            if accepted and limits is not None and limit_state is not None:
                accepted = keeps_limits(
                    topology,
                    limits,
                    walk,
                    limit_state,
                    flips[:count],
                    who[:found],
                    degree_change,
                    triangle_change,
                )
            if accepted:
                break
            for move in range(moves):
                table[slot_after[move], 1] -= 1
                table[slot_before[move], 1] += 1
            near = repairs < 2 and count < MOST_FLIPS and worse < threshold + REPAIRABLE
            if not (near and next_unit(random) < REPAIRING):
                break
            # Rejected, but not by much: one more flip near it may repair the damage.
            node = who[next_below(random, found)]
            if first_place[node] == first_place[node + 1]:
                break
            edge = draw_near(
                incident, first_place[node], first_place[node + 1], DRAWS, picky, support, random
            )
            repeated = False
            for number in range(count):
                repeated |= flips[number] == edge
            if repeated or (present[edge] == 1 and deleted_after >= budget):
                break
            flips[count] = edge
            count += 1
            repairs += 1

        for place in range(found):
            nodes[who[place], PLACE] = -1
        for number in range(count):
            present[flips[number]] ^= 1  # as before; an accepted proposal is settled flip by flip
        if not accepted:
            continue

        # Settle.
        totals[ACCEPTED] += 1
        for move in range(moves):
            nodes[moved_node[move] // level_count, SLOT + moved_node[move] % level_count] = slot_after[move]
        for place in range(found):
            nodes[who[place], DEGREE] += degree_change[place]
            nodes[who[place], TRIANGLES] += triangle_change[place]
        for level in range(level_count):
            at_risk[level] += change[level]
        if limit_state is not None:
            limit_state.clustering[0] = limit_state.clustering_proposed[0]
            limit_state.clustering[1] = limit_state.clustering_proposed[1]
        for number in range(count):
            edge = flips[number]
            first, last = first_row[edge], first_row[edge + 1]
            if not rule.count_triangles:
                last = first
            elif not listed:
                rows, last = triangles_on(topology.csr, ends[edge, 0], ends[edge, 1])
                first = 0
            settle_flip(
                edge, ends, rows, first, last, present, support, first_deleted, incident, places, deleted,
                place_deleted, totals,
            )  # fmt: skip

        # Keep the best.
        as_good = max(at_risk[0], leg.enough)
        if as_good < totals[BEST_AT_RISK] or (
            as_good == totals[BEST_AT_RISK] and totals[DELETED] < totals[BEST_DELETED]
        ):
            totals[BEST_AT_RISK], totals[BEST_DELETED] = as_good, totals[DELETED]
            improved, written_out = True, False
            journal_length = 0
            if as_good == 0 and leg.price == 0.0:
                break
        elif improved and not written_out:
            for number in range(count):
                journal[journal_length] = flips[number]
                journal_length += 1
            if journal_length > journal.shape[0] - MOST_FLIPS:
                write_best(present, walk.best, journal[:journal_length])
                written_out = True
    if improved and not written_out:
        write_best(present, walk.best, journal[:journal_length])
