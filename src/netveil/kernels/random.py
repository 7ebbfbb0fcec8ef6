"""Random numbers inside kernels: SplitMix64 (Steele, Lea & Flood 2014), its state handed in by the caller.

A kernel seeds it from a number that the run's own generator drew for that piece of work, so results do not
depend on which thread does the work, or when.
"""

from __future__ import annotations

import numpy as np

from netveil.kernels.arrays import Words
from netveil.kernels.compiled import inlined

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FIRST_MIX = np.uint64(0xBF58476D1CE4E5B9)
SECOND_MIX = np.uint64(0x94D049BB133111EB)
UNIT = 1.0 / (1 << 53)


@inlined
def mixed(word: np.uint64) -> np.uint64:
    """64 bits that each depend on every bit of `word`; different for different words (SplitMix64)."""
    bits = word + GOLDEN
    bits = (bits ^ (bits >> np.uint64(30))) * FIRST_MIX
    bits = (bits ^ (bits >> np.uint64(27))) * SECOND_MIX
    return bits ^ (bits >> np.uint64(31))


@inlined
def next_word(state: Words) -> np.uint64:
    """64 random bits. `state` (1) advances."""
    bits = mixed(state[0])
    state[0] += GOLDEN
    return bits


@inlined
def next_unit(state: Words) -> float:
    """A random number in [0, 1). `state` (1) advances."""
    bits = mixed(state[0])
    state[0] += GOLDEN
    return (bits >> np.uint64(11)) * UNIT


@inlined
def next_below(state: Words, limit: int) -> int:
    """A random whole number in 0..limit-1. `state` (1) advances."""
    return np.int64(next_unit(state) * limit)
