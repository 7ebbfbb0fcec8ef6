"""What a walk proposes to flip next: deletions, restorations, and swaps of the two.

Few nodes touched, few lookalikes lost: edges on few triangles are preferred everywhere, by taking the best of
several draws.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.annealing.levels import LEVEL_0, SLOT, seek
from netveil.kernels.arrays import IntMatrix, IntVector, Words
from netveil.kernels.compiled import inlined
from netveil.kernels.random import next_below, next_unit

# numpy's integers where they are arguments: numba compiles a function anew for each of Python's constants.
MOST_FLIPS = np.int64(4)  # edges of one proposal
DRAWS, LANDING_DRAWS = np.int64(5), np.int64(2)  # edges drawn at a node: the one on fewest triangles counts
ANY = 0.2  # share of edges drawn far away by those who are not picky that are on however many triangles
LANDINGS = 30  # flips at a node at risk that are looked at for one that brings it to lookalikes
RESTORING = 0.1  # share of proposals with a deleted edge that only restore it
SHARING = 0.7  # share of swaps whose two edges share an end
SWAPPING = 0.7  # share of proposals that are swaps, below the budget


@inlined
def draw_near(
    incident: IntVector,
    first: int,
    last: int,
    draws: int,
    picky: bool,
    support: NDArray[np.int32],
    random: Words,
) -> int:
    """Of so many random ones in incident[first:last], fewer if not picky, that on the fewest triangles."""
    chosen = np.int64(incident[first + next_below(random, last - first)])
    for _ in range(draws - 1 if picky else next_below(random, draws)):
        other = np.int64(incident[first + next_below(random, last - first)])
        if support[other] < support[chosen]:
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
def aimed_flips(
    node: int,
    nodes: IntMatrix,
    table: IntMatrix,
    last_slot: int,
    rule_k: int,
    per_degree: int,
    per_triangle: int,
    first_place: IntVector,
    first_deleted: IntVector,
    incident: IntVector,
    support: NDArray[np.int32],
    room: bool,
    picky: bool,
    random: Words,
    flips: IntVector,
) -> int:
    """Flips at a node at risk that bring it among lookalikes; writes `flips`, returns how many, 0 if none.

    Looks at the node alone, which is cheap: of LANDINGS deletions, restorations and swaps drawn at random,
    the first after which its state is that of k - 1 others. `room` says whether the budget has any left.
    """
    start, middle, end = first_place[node], first_deleted[node], first_place[node + 1]
    state = table[nodes[node, SLOT], 0]
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
            deleted_edge = draw_near(incident, start, middle, LANDING_DRAWS, picky, support, random)
            landing -= per_degree + per_triangle * support[deleted_edge]
        if restores:
            restored_edge = np.int64(incident[middle + next_below(random, end - middle)])
            landing += per_degree + per_triangle * support[restored_edge]
        if landing < 0 or landing == state:
            continue
        slot = seek(table, landing, LEVEL_0, last_slot)
        if table[slot, 1] >= rule_k - 1:
            if restores:
                flips[count] = restored_edge
                count += 1
            if deletes:
                flips[count] = deleted_edge
                count += 1
            break
    return count


@inlined
def wandering_flips(
    ends: IntMatrix,
    poor_first: IntVector,
    quantiles: IntVector,
    present: NDArray[np.uint8],
    first_place: IntVector,
    first_deleted: IntVector,
    incident: IntVector,
    support: NDArray[np.int32],
    deleted: IntVector,
    deleted_count: int,
    room: bool,
    picky: bool,
    random: Words,
    flips: IntVector,
) -> int:
    """A deletion, a restoration or a swap anywhere; writes `flips`, restorations first; returns how many."""
    if deleted_count == 0 or (room and next_unit(random) >= SWAPPING):
        flips[0] = draw_far(poor_first, quantiles, picky, random)
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
        start, middle = first_place[node], first_deleted[node]
        if middle == start:
            return 1
        flips[1] = draw_near(incident, start, middle, DRAWS, picky, support, random)
        return 2
    flips[1] = draw_far(poor_first, quantiles, picky, random)
    return 2 if present[flips[1]] else 1
