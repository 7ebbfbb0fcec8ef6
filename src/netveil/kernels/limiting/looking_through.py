"""Go through all sets of so many edges, one after the other, and remember the best of them.

From each set to the next one edge returns and one goes: the revolving-door order (Knuth, The Art of Computer
Programming 7.2.1.3, Algorithm R). So a set costs two flips, however many edges it has, and whoever is touched
by both is counted anew once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import IntVector, constants
from netveil.kernels.compiled import compiled, inlined
from netveil.kernels.following.attacker_arrays import AttackerArrays
from netveil.kernels.following.flips import flip
from netveil.kernels.following.state import FlipState, Topology, Total
from netveil.kernels.limiting.limits import Limits, violation


@constants
class Swap(NamedTuple):
    """Entries of a swap: places among the edges that may go."""

    RETURNS: int = 0
    GOES: int = 1


@inlined
def next_set(chosen: NDArray[np.int64], swap: NDArray[np.int64]) -> bool:
    """From a set to the next: writes both, and the swap (2) between them. False, and nothing, after the last.

    `chosen` (size + 1) has the places of a set, ascending, and then how many places there are. The first set
    is 0, 1, …; the last is the same but for its last place, which is the last of all.
    """
    size = chosen.shape[0] - 1
    if size == 0:
        return False
    first = chosen[0]
    upwards = size % 2 == 1
    if upwards and first + 1 < chosen[1]:
        chosen[0], swap[Swap.RETURNS], swap[Swap.GOES] = first + 1, first, first + 1
        return True
    if not upwards and first > 0:
        chosen[0], swap[Swap.RETURNS], swap[Swap.GOES] = first - 1, first, first - 1
        return True
    lower = upwards  # the next place after the first: may it fall, or rise? They take turns.
    for place in range(1, size):
        now = chosen[place]
        if lower and now > place:
            chosen[place], chosen[place - 1] = chosen[place - 1], place - 1
            swap[Swap.RETURNS], swap[Swap.GOES] = now, place - 1
            return True
        if not lower and now + 1 < chosen[place + 1]:
            chosen[place - 1], chosen[place] = now, now + 1
            swap[Swap.RETURNS], swap[Swap.GOES] = place - 1, now + 1
            return True
        lower = not lower
    return False


@compiled
def look_through(
    topology: Topology,
    rule: AttackerArrays,
    limits: Limits | None,
    state: FlipState,
    edges: IntVector,
    chosen: NDArray[np.int64],
    best: NDArray[np.int64],
    fewest: int,
    enough: int,
    most: int,
) -> tuple[int, int, bool]:
    """Look at the set that `state` deletes and at those after it, at most `most`.

    `chosen` holds the places of the set among `edges`, as `next_set` has it. A set that keeps the limits and
    leaves fewer than `fewest` at risk is written into `best` (size), and no other is looked for but with
    fewer still; fewer than `enough` are no better than `enough`. Returns how many were looked at, how few are
    at risk now in the best, and whether the last was reached, or one with few enough at risk. Otherwise
    `state` and `chosen` are at the next set to look at. Writes `state`, `chosen` and `best`.
    """
    swap, flipped = np.empty(2, np.int64), np.empty(2, np.int64)
    totals = state.totals
    for looked_at in range(1, most + 1):
        at_risk = max(totals[Total.AT_RISK], enough)
        if at_risk < fewest and (limits is None or violation(topology, limits, state) == 0):
            fewest = at_risk
            for place in range(best.shape[0]):
                best[place] = chosen[place]
            if fewest == enough:
                return looked_at, fewest, True
        if not next_set(chosen, swap):
            return looked_at, fewest, True
        flipped[0], flipped[1] = edges[swap[0]], edges[swap[1]]
        flip(topology, rule, state, state.general, flipped)
    return most, fewest, False
