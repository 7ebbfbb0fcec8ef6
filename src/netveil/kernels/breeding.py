"""A generation of the genetic algorithm: crossover, mutation and objective of each child.

An individual is a row of packed bits, one bit an edge. It is never turned into a network: a thread's state
moves from child to child by flipping the edges in which they differ.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import IntMatrix, IntVector, Words
from netveil.kernels.compiled import compiled, internal
from netveil.kernels.flips import differing_edges, flip
from netveil.kernels.limits import Limits, violation
from netveil.kernels.random import next_below, next_unit, next_word
from netveil.kernels.states import AttackerArrays, FlipState, General, Topology, Total, is_at_risk


class Variation(NamedTuple):
    """Crossover and mutation: how children come from parents."""

    uniform: bool  # uniform crossover; otherwise `points` cuts
    points: int  # cuts of n-point crossover, fewer than there are edges
    mutation_rate: float  # chance that a bit flips
    unique_aware: bool  # UGA: mutate only edges of nodes at risk (E_u)
    flip_deleted: bool  # and any deleted edge


class Generation(NamedTuple):
    """One generation's work. `parents[i]` bears children 2i and 2i + 1, the second if there is room."""

    population: Words  # (individuals, words)
    parents: IntMatrix  # (pairs, 2): rows of population
    seeds: Words  # (pairs + children): one for each crossover, then one for each mutation
    children: Words  # (children, words), written
    at_risk: IntVector  # (children), written
    deleted: IntVector  # (children), written
    violation: IntVector  # (children), written: see kernels.limits.violation


@compiled
def uniform_mask(random: Words, mask: Words) -> None:
    """Each bit 1 or 0 with equal chance. Writes `mask`; `random` advances."""
    for index in range(mask.shape[0]):
        mask[index] = next_word(random)


@compiled
def points_mask(random: Words, points: int, edges: int, mask: Words) -> None:
    """Runs of equal bits, 1s first, that change at `points` distinct places in 1..edges-1. Writes `mask`."""
    mask[:] = 0
    for _ in range(points):
        placed = False
        while not placed:
            place = 1 + next_below(random, edges - 1)
            cut = np.uint64(1) << np.uint64(place & 63)
            if mask[place >> 6] & cut == 0:
                mask[place >> 6] |= cut
                placed = True
    # Bit b becomes the parity of the cuts at or before b: a running exclusive or, a word at a time.
    inherited = ~np.uint64(0)
    for index in range(mask.shape[0]):
        word = mask[index]
        for shift in (1, 2, 4, 8, 16, 32):
            word ^= word << np.uint64(shift)
        mask[index] = word ^ inherited
        inherited = ~np.uint64(0) if mask[index] >> np.uint64(63) else np.uint64(0)


@compiled
def draw_flips(random: Words, rate: float, edges: int, flips: IntVector) -> int:
    """Write the numbers of the bits that flip, each with chance `rate`, into `flips`; returns how many.

    Jumps from flip to flip: the gap between two is geometrically distributed.
    """
    if rate <= 0.0:
        return 0
    found = 0
    scale = 1.0 / np.log1p(-rate) if rate < 1.0 else 0.0
    edge = -1
    while True:
        jump = np.log1p(-next_unit(random)) * scale
        if jump >= edges:
            return found
        edge += 1 + np.int64(jump)
        if edge >= edges:
            return found
        flips[found] = edge
        found += 1


@internal
def keep_movable(movable: NDArray[np.uint8], flips: IntVector, found: int) -> int:
    """Keep, of the first `found` flips, those of edges that are not protected: `movable` as in Topology."""
    kept = 0
    for place in range(found):
        if movable[flips[place]]:
            flips[kept] = flips[place]
            kept += 1
    return kept


@internal
def keep_unique_aware(
    topology: Topology,
    rule: AttackerArrays,
    state: FlipState,
    general: General | None,
    flips: IntVector,
    found: int,
    flip_deleted: bool,
) -> int:
    """Keep, of the first `found` flips, those in E_u (an end is at risk) and, if wanted, of deleted edges."""
    ends, present = topology.ends, state.present
    kept = 0
    for place in range(found):
        edge = flips[place]
        u = ends[edge, 0]
        v = ends[edge, 1]
        at_risk = is_at_risk(rule, state, general, u) or is_at_risk(rule, state, general, v)
        if at_risk or (flip_deleted and present[edge] == 0):
            flips[kept] = edge
            kept += 1
    return kept


@compiled
def breed(
    topology: Topology,
    rule: AttackerArrays,
    limits: Limits | None,
    state: FlipState,
    variation: Variation,
    generation: Generation,
    first_pair: int,
    last_pair: int,
) -> None:
    """Bear and judge the children of pairs first_pair..last_pair-1. Writes `state` and their rows."""
    population, parents, seeds, children, at_risk, deleted, violations = generation
    movable, totals = topology.movable, state.totals
    edges = topology.ends.shape[0]
    count = children.shape[0]
    pairs = parents.shape[0]
    mask = np.empty(children.shape[1], np.uint64)
    random = np.empty(1, np.uint64)
    flips = np.empty(edges, np.int64)
    for pair in range(first_pair, last_pair):
        random[0] = seeds[pair]
        if variation.uniform:
            uniform_mask(random, mask)
        else:
            points_mask(random, variation.points, edges, mask)
        for which in range(2):
            number = 2 * pair + which
            if number >= count:
                break
            child = children[number]
            one = population[parents[pair, which]]
            other = population[parents[pair, 1 - which]]
            for index in range(mask.shape[0]):
                child[index] = (one[index] & mask[index]) | (other[index] & ~mask[index])

            random[0] = seeds[pairs + number]
            if variation.unique_aware:
                found = differing_edges(state, child, flips)
                flip(topology, rule, state, state.general, flips[:found])
            found = draw_flips(random, variation.mutation_rate, edges, flips)
            found = keep_movable(movable, flips, found)
            if variation.unique_aware:
                deleted_too = variation.flip_deleted
                found = keep_unique_aware(topology, rule, state, state.general, flips, found, deleted_too)
            for place in range(found):
                child[flips[place] >> 6] ^= np.uint64(1) << np.uint64(flips[place] & 63)
            found = differing_edges(state, child, flips)
            flip(topology, rule, state, state.general, flips[:found])
            at_risk[number] = totals[Total.AT_RISK]
            deleted[number] = totals[Total.DELETED]
            violations[number] = 0 if limits is None else violation(topology, limits, state)
