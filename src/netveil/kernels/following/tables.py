"""The table that counts the nodes of each key, and who is at risk by it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import IntMatrix, IntVector
from netveil.kernels.compiled import compiled, inlined, internal
from netveil.kernels.random import GOLDEN, mixed

EMPTY = -1  # key of an unused slot; keys of nodes are never negative
WHOLE_TABLE = np.int64(0)  # where a table begins that has one part, and the first part of one that has more
NEVER_NEGATIVE = (1 << 63) - 1  # mask that takes the sign off a sum


@inlined
def home_slot(key: int, last_slot: int) -> int:
    """Where a table of last_slot + 1 slots, a power of two, looks first for `key`."""
    product = np.uint64(key) * GOLDEN
    # Folded, for the product's upper bits know most of the key and the mask keeps the lower ones.
    return np.int64((product ^ (product >> np.uint64(32))) & np.uint64(last_slot))


@inlined
def seek(table: IntMatrix, key: int, base: int, last_slot: int) -> int:
    """The slot that holds `key`, or the empty one where it would go, in the part of the table from `base`."""
    slot = base + home_slot(key, last_slot)
    while table[slot, 0] != key and table[slot, 0] != EMPTY:
        slot = base + ((slot + 1) & last_slot)
    return slot


@inlined
def mixed_value(value: int) -> int:
    """A whole number's value in a sum that stands for a multiset, which follows when one comes or goes."""
    return np.int64(mixed(np.uint64(value)))


@inlined
def risk_when_left(size: int, k: int) -> int:
    """How many more nodes are at risk when a node leaves a class of `size` nodes, itself not counted."""
    return -1 if size < k else (k - 1 if size == k else 0)


@inlined
def risk_when_joined(size: int, k: int) -> int:
    """How many more nodes are at risk when a node has joined a class that now has `size` nodes."""
    return 1 if size < k else (1 - k if size == k else 0)


@inlined
def move(table: NDArray[np.int64], last_slot: int, slot: int, key: int, k: int) -> tuple[int, int, int]:
    """Count a node of this slot under a new key. Writes the table.

    Returns its new slot, how many more nodes are at risk, and how many more slots are used.
    """
    size = table[slot, 1]
    table[slot, 1] = size - 1
    more = risk_when_left(size, k)
    slot = seek(table, key, WHOLE_TABLE, last_slot)
    used = 0
    if table[slot, 0] == EMPTY:
        table[slot, 0] = key
        used = 1
    size = table[slot, 1] + 1
    table[slot, 1] = size
    return slot, more + risk_when_joined(size, k), used


@compiled
def count_keys(keys: IntVector, k: int, table: NDArray[np.int64], slots: IntVector) -> tuple[int, int]:
    """Count all nodes anew by key (n). Writes table and slots; returns nodes at risk and slots used."""
    last_slot = table.shape[0] - 1
    table[:, 0] = EMPTY
    table[:, 1] = 0
    used = 0
    for node in range(keys.shape[0]):
        key = keys[node]
        slot = seek(table, key, WHOLE_TABLE, last_slot)
        if table[slot, 0] == EMPTY:
            table[slot, 0] = key
            used += 1
        table[slot, 1] += 1
        slots[node] = slot
    at_risk = 0
    for node in range(keys.shape[0]):
        at_risk += table[slots[node], 1] < k
    return at_risk, used


@internal
def move_nodes(
    nodes: IntVector, keys: IntVector, k: int, table: NDArray[np.int64], slots: IntVector
) -> tuple[int, int]:
    """Count these nodes under their new keys (n). Writes table, slots; changes: at risk, slots used."""
    last_slot = table.shape[0] - 1
    at_risk, used = 0, 0
    for node in nodes:
        if table[slots[node], 0] != keys[node]:
            slots[node], more, newly_used = move(table, last_slot, slots[node], keys[node], k)
            at_risk += more
            used += newly_used
    return at_risk, used


@compiled
def mixed_values(count: int) -> NDArray[np.int64]:
    """The mixed values of 0..count-1."""
    values = np.empty(count, np.int64)
    for value in range(count):
        values[value] = mixed_value(value)
    return values


def empty_table(slots: int) -> NDArray[np.int64]:
    """A table (slots, 2) that counts nobody; slots are a power of two."""
    table = np.zeros((slots, 2), dtype=np.int64)
    table[:, 0] = EMPTY
    return table
