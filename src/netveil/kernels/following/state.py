"""The arrays of a search: what never changes, and the network with some edges deleted."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import Csr, IntMatrix, Words
from netveil.kernels.compiled import inlined
from netveil.kernels.following.attacker_arrays import AttackerArrays


class Total(IntEnum):
    """Entries of FlipState.totals."""

    AT_RISK = 0  # nodes
    SLOTS_USED = 1  # of the table
    DELETED = 2  # edges


class Topology(NamedTuple):
    """What never changes: shared by all threads. Edges are numbered by bit position."""

    ends: IntMatrix  # (m, 2)
    first_row: NDArray[np.int64]  # (m + 1): triangles of edge e are rows first_row[e]:first_row[e + 1]
    triangles: IntMatrix  # (3 * triangles, 3): see counting.triangles.list_triangles; (0, 3) if not listed
    csr: Csr  # adjacency, for networks with too many triangles to list them
    listed: bool  # whether triangles are
    movable: NDArray[np.uint8]  # (m): 1 where the edge may be deleted, 0 where it is protected


class General(NamedTuple):
    """What a search keeps for attackers in general; a state that is a sum needs none of it."""

    mixed: NDArray[np.int64]  # (largest degree + 2): each number's value in a sum that stands for a multiset
    edge_triangles: NDArray[np.int64]  # (m, or 0): on each edge, or that it would be on if it were restored
    circles: NDArray[np.int64]  # (n, or 0): the neighbours of each node, as a sum of mixed values
    signatures: NDArray[np.int64]  # (parts, n): what stands for each part of a node's state
    numbers: NDArray[np.int64]  # (n, columns): the numbers of attackers who do not know them exactly
    exposed: NDArray[np.uint8]  # (n): 1 for nodes at risk; as it was at first where one table tells
    to_recount: NDArray[np.int64]  # (n): scratch, nodes to be counted anew
    marks: NDArray[np.uint8]  # (n): scratch, 0 at rest: see surroundings.Mark
    queues: NDArray[np.int64]  # (2, n): scratch


class FlipState(NamedTuple):
    """The network with some edges deleted. Each thread has its own.

    `general` is None for one attacker whose state is a sum over degree and triangles (AttackerArrays.linear).
    A kernel that is given None compiles nothing of what it would do with the rest: see docs/decisions.md.
    """

    present: NDArray[np.uint8]  # (m): 1 while the edge is there
    words: Words  # (m / 64, rounded up): deleted edges as packed bits
    degrees: NDArray[np.int64]  # (n)
    triangles: NDArray[np.int64]  # (n): triangles through the node; as in the original if nobody follows them
    keys: NDArray[np.int64]  # (n): what stands for the whole state; scratch but where one table follows it
    slots: NDArray[np.int64]  # (n): where the table counts the node
    table: NDArray[np.int64]  # (slots, 2): key, number of nodes that have it
    touched: NDArray[np.int64]  # (largest degree + 2): scratch
    totals: NDArray[np.int64]  # (3): see Total
    general: General | None


@inlined
def is_at_risk(rule: AttackerArrays, state: FlipState, general: General | None, node: int) -> bool:
    """Whether an attacker can single the node out; `general` is the state's."""
    if general is not None and not rule.one_table:
        return general.exposed[node] != 0
    return state.table[state.slots[node], 1] < rule.k


def who_is_at_risk(rule: AttackerArrays, state: FlipState) -> NDArray[np.bool_]:
    """For each node (n), whether an attacker can single it out."""
    if state.general is not None and not rule.one_table:
        return state.general.exposed != 0
    return state.table[state.slots, 1] < rule.k


def copied(state: FlipState) -> FlipState:
    """A state of its own with the same content."""
    general = state.general
    own = None if general is None else General._make(array.copy() for array in general)
    return FlipState._make((*(array.copy() for array in state[:-1]), own))
