"""What a walk proposes to flip next: deletions, restorations, and swaps of the two.

A flip that touches few nodes costs few of them their lookalikes. So edges on few triangles are preferred, by
taking the best of several draws.
"""

from __future__ import annotations

import numpy as np

from netveil.kernels.annealing.leg import Leg
from netveil.kernels.annealing.proposal import Proposal, TouchedColumn
from netveil.kernels.annealing.walk_state import NodeColumn, Walk
from netveil.kernels.arrays import IntMatrix, IntVector, Words
from netveil.kernels.compiled import inlined
from netveil.kernels.following.attacker_arrays import AttackerArrays, PartColumn
from netveil.kernels.following.tables import WHOLE_TABLE, seek
from netveil.kernels.random import next_below, next_unit

# numpy's integers where they are arguments: numba compiles a function anew for each of Python's constants.
DRAWS, LANDING_DRAWS = np.int64(5), np.int64(2)  # edges drawn at a node: the one on fewest triangles counts
AIMED = 0.2  # share of proposals aimed at a node at risk
ANY = 0.2  # share of edges drawn far away by those who are not picky that are on however many triangles
LANDINGS = 30  # flips at a node at risk that are looked at for one that brings it to lookalikes
RESTORING = 0.1  # share of proposals with a deleted edge that only restore it
SHARING = 0.7  # share of swaps whose two edges share an end
SWAPPING = 0.7  # share of proposals that are swaps, below the budget


@inlined
def draw_near(
    incident: IntVector,
    edge_triangles: IntVector,
    first: int,
    last: int,
    draws: int,
    picky: bool,
    random: Words,
) -> int:
    """Of so many random ones in incident[first:last], fewer if not picky, that on the fewest triangles.

    Given two arrays instead of the walk: a record is handed over array by array, which takes time to compile.
    """
    chosen = np.int64(incident[first + next_below(random, last - first)])
    for _ in range(draws - 1 if picky else next_below(random, draws)):
        other = np.int64(incident[first + next_below(random, last - first)])
        if edge_triangles[other] < edge_triangles[chosen]:
            chosen = other
    return chosen


@inlined
def draw_far(poor_first: IntVector, quantiles: IntVector, picky: bool, random: Words) -> int:
    """Any movable edge, those on few triangles more often: all between two quantiles alike."""
    if not picky and next_unit(random) < ANY:
        return np.int64(poor_first[next_below(random, poor_first.shape[0])])
    place = next_below(random, quantiles.shape[0] - 1)
    first, last = quantiles[place], quantiles[place + 1]
    return np.int64(poor_first[first + next_below(random, max(last - first, 1))])


@inlined
def propose(
    ends: IntMatrix,
    rule: AttackerArrays,
    walk: Walk,
    leg: Leg,
    risky: IntVector,
    risky_count: int,
    random: Words,
    flips: IntVector,
) -> int:
    """One or two flips, aimed at one of the nodes at risk or anywhere; writes `flips`, returns how many."""
    count = 0
    if risky_count > 0 and next_unit(random) < AIMED:
        node = risky[next_below(random, risky_count)]
        if walk.counts.table[walk.counts.nodes[node, NodeColumn.SLOT], 1] < rule.k:
            count = aimed_flips(rule, walk, leg, node, random, flips)
    if count == 0:
        count = wandering_flips(ends, walk, leg, random, flips)
    return count


@inlined
def aimed_flips(
    rule: AttackerArrays, walk: Walk, leg: Leg, node: int, random: Words, flips: IntVector
) -> int:
    """Flips at a node at risk that bring it among lookalikes; writes `flips`, returns how many, 0 if none.

    Looks at the node alone, which is cheap: of LANDINGS deletions, restorations and swaps drawn at random,
    the first after which its state is that of k - 1 others.
    """
    table, incident, edge_triangles = walk.counts.table, walk.incident, walk.edge_triangles
    per_degree, per_triangle = rule.parts[0, PartColumn.PER_DEGREE], rule.parts[0, PartColumn.PER_TRIANGLE]
    start, middle, end = walk.first_place[node], walk.first_deleted[node], walk.first_place[node + 1]
    room = walk.deleted_count[0] < leg.budget
    state = table[walk.counts.nodes[node, NodeColumn.SLOT], 0]
    count = 0
    for _ in range(LANDINGS):
        chance = next_unit(random)
        if middle == end:
            deletes, restores = room, False
        elif room:
            deletes, restores = chance < 0.3 or chance >= 0.5, chance >= 0.3
        else:
            deletes, restores = chance >= 0.2, True
        if middle == start:
            deletes = False
        if not (deletes or restores):
            break
        landing = state
        deleted_edge, restored_edge = 0, 0
        if deletes:
            deleted_edge = draw_near(
                incident, edge_triangles, start, middle, LANDING_DRAWS, leg.picky, random
            )
            landing -= per_degree + per_triangle * edge_triangles[deleted_edge]
        if restores:
            restored_edge = np.int64(incident[middle + next_below(random, end - middle)])
            landing += per_degree + per_triangle * edge_triangles[restored_edge]
        if landing < 0 or landing == state:
            continue
        slot = seek(table, landing, WHOLE_TABLE, walk.counts.slots - 1)
        if table[slot, 1] >= rule.k - 1:
            if restores:
                flips[count] = restored_edge
                count += 1
            if deletes:
                flips[count] = deleted_edge
                count += 1
            break
    return count


@inlined
def wandering_flips(ends: IntMatrix, walk: Walk, leg: Leg, random: Words, flips: IntVector) -> int:
    """A deletion, a restoration or a swap anywhere; writes `flips`, restorations first; returns how many."""
    present, deleted, deleted_count = walk.present, walk.deleted, walk.deleted_count[0]
    room = deleted_count < leg.budget
    if deleted_count == 0 or (room and next_unit(random) >= SWAPPING):
        flips[0] = draw_far(walk.poor_first, walk.quantiles, leg.picky, random)
        if deleted_count == 0 or present[flips[0]] == 0 or next_unit(random) < 0.5:
            return 1
        flips[1] = flips[0]
        flips[0] = deleted[next_below(random, deleted_count)]
        return 2
    flips[0] = deleted[next_below(random, deleted_count)]
    if next_unit(random) < RESTORING:
        return 1
    if next_unit(random) < SHARING:
        node = ends[flips[0], 0] if next_unit(random) < 0.5 else ends[flips[0], 1]
        start, middle = walk.first_place[node], walk.first_deleted[node]
        if middle == start:
            return 1
        flips[1] = draw_near(walk.incident, walk.edge_triangles, start, middle, DRAWS, leg.picky, random)
        return 2
    flips[1] = draw_far(walk.poor_first, walk.quantiles, leg.picky, random)
    return 2 if present[flips[1]] else 1


@inlined
def add_flip_nearby(
    walk: Walk, leg: Leg, proposal: Proposal, count: int, found: int, more_deleted: int, random: Words
) -> int:
    """Add a flip at one of the `found` nodes touched to the `count` flips; returns how many they are now.

    None is added where the edge drawn is one of them, or where it would go beyond the budget.
    """
    place = next_below(random, found)
    node = proposal.touched[place, TouchedColumn.NODE]
    first, last = walk.first_place[node], walk.first_place[node + 1]
    if first == last:
        return count
    edge = draw_near(walk.incident, walk.edge_triangles, first, last, DRAWS, leg.picky, random)
    useless = walk.present[edge] == 1 and walk.deleted_count[0] + more_deleted >= leg.budget
    for other in range(count):
        useless |= proposal.flips[other] == edge
    if useless:
        return count
    proposal.flips[count] = edge
    return count + 1
