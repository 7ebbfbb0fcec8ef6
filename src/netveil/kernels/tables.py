"""The table that counts the nodes of each key, and who is at risk by it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import IntVector
from netveil.kernels.compiled import compiled, inlined
from netveil.kernels.random import FIRST_MIX, GOLDEN, SECOND_MIX

EMPTY = -1  # key of an unused slot; keys of nodes are never negative
NEVER_NEGATIVE = (1 << 63) - 1  # mask that takes the sign off a sum


@inlined
def home_slot(key: int, last_slot: int) -> int:
    """Where a table of last_slot + 1 slots, a power of two, looks first for `key`."""
    mixed = np.uint64(key) * GOLDEN
    # Folded, for the product's upper bits know most of the key and the mask keeps the lower ones.
    return np.int64((mixed ^ (mixed >> np.uint64(32))) & np.uint64(last_slot))


@inlined
def mixed_value(value: int) -> int:
    """64 bits that look random and are always the same for the same value: SplitMix64's finalizer.

    A multiset is kept as the sum of the mixed values of its members, which follows when one comes or goes.
    """
    bits = np.uint64(value) + GOLDEN
    bits = (bits ^ (bits >> np.uint64(30))) * FIRST_MIX
    bits = (bits ^ (bits >> np.uint64(27))) * SECOND_MIX
    return np.int64(bits ^ (bits >> np.uint64(31)))


@compiled
def count_keys(keys: IntVector, k: int, table: NDArray[np.int64], slots: IntVector) -> tuple[int, int]:
    """Count all nodes anew by key (n). Writes table and slots; returns nodes at risk and slots used."""
    last_slot = table.shape[0] - 1
    table[:, 0] = EMPTY
    table[:, 1] = 0
    used = 0
    for node in range(keys.shape[0]):
        key = keys[node]
        slot = home_slot(key, last_slot)
        while table[slot, 0] != key and table[slot, 0] != EMPTY:
            slot = (slot + 1) & last_slot
        if table[slot, 0] == EMPTY:
            table[slot, 0] = key
            used += 1
        table[slot, 1] += 1
        slots[node] = slot
    at_risk = 0
    for node in range(keys.shape[0]):
        at_risk += table[slots[node], 1] < k
    return at_risk, used


@compiled
def move_nodes(
    nodes: IntVector, keys: IntVector, k: int, table: NDArray[np.int64], slots: IntVector
) -> tuple[int, int]:
    """Count these nodes under their new keys (n). Writes table, slots; changes: at risk, slots used."""
    last_slot = table.shape[0] - 1
    at_risk, used = 0, 0
    for node in nodes:
        slot, key = slots[node], keys[node]
        if table[slot, 0] == key:
            continue
        size = table[slot, 1]
        table[slot, 1] = size - 1
        if size < k:
            at_risk -= 1
        elif size == k:
            at_risk += k - 1
        slot = home_slot(key, last_slot)
        while table[slot, 0] != key:
            if table[slot, 0] == EMPTY:
                table[slot, 0] = key
                used += 1
                break
            slot = (slot + 1) & last_slot
        size = table[slot, 1] + 1
        table[slot, 1] = size
        if size < k:
            at_risk += 1
        elif size == k:
            at_risk -= k - 1
        slots[node] = slot
    return at_risk, used


@compiled
def mixed_values(count: int) -> NDArray[np.int64]:
    """The mixed values of 0..count-1."""
    mixed = np.empty(count, np.int64)
    for value in range(count):
        mixed[value] = mixed_value(value)
    return mixed


def empty_table(slots: int) -> NDArray[np.int64]:
    """A table (slots, 2) that counts nobody; slots are a power of two."""
    table = np.zeros((slots, 2), dtype=np.int64)
    table[:, 0] = EMPTY
    return table
