"""Steps of searches other than the annealing; compiled only where one of them is asked for.

A generation of the genetic algorithm: crossover, mutation and objective of each child. An individual is a
row of packed bits, one bit an edge, and is never turned into a network: a thread's state moves from child to
child by flipping the edges in which they differ. Then those of searches that others published: exact gains of
single deletions, and the steps of SANA's annealing.
"""

from __future__ import annotations

from math import cos, log, pi, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import IntMatrix, IntVector, Words, constants
from netveil.kernels.basics import next_below, next_unit, next_word
from netveil.kernels.compiled import compiled, internal
from netveil.kernels.flips import differing_edges, flip
from netveil.kernels.limits import Limits, violation
from netveil.kernels.states import (
    EMPTY,
    WHOLE_TABLE,
    AttackerArrays,
    FlipState,
    General,
    PartColumn,
    Topology,
    Total,
    is_at_risk,
    move,
    rows_for,
    seek,
    touched_by,
    triangles_on,
)


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


class Scores(NamedTuple):
    """Gains of deleting each edge, as far as they are known."""

    changes: NDArray[np.int64]  # (m): nodes at risk more
    exposed: NDArray[np.int64]  # (m): nodes at risk among those that the deletion touches
    common: NDArray[np.int64]  # (m): common neighbours of the ends
    stale: NDArray[np.uint8]  # (m): 1 where all this must be computed anew
    altered: NDArray[np.int64]  # (slots of the table): number of the last deletion that altered the class


@compiled
def score_sums(
    topology: Topology, rule: AttackerArrays, state: FlipState, scores: Scores, edges: IntVector
) -> None:
    """Score these edges, where states are sums over degree and triangles. Writes `scores`.

    Every touched node moves to its new class, and then all move back in reverse order, which also frees the
    slots of classes that were new: `state` is as it was.
    """
    present, keys, slots, table, touched = state.present, state.keys, state.slots, state.table, state.touched
    changes, exposed, common, stale = scores.changes, scores.exposed, scores.common, scores.stale
    k = rule.k
    per_degree, per_triangle = rule.parts[0, PartColumn.PER_DEGREE], rule.parts[0, PartColumn.PER_TRIANGLE]
    last_slot = table.shape[0] - 1
    rows = rows_for(topology, touched.shape[0])
    joined = np.empty(touched.shape[0], np.int64)  # slots, inverted where nobody was counted in them before
    for edge in edges:
        found = touched_by(topology, rule.count_triangles, edge, rows, present, touched) - 2
        at_ends = per_degree + per_triangle * found
        at_risk = 0
        for place in range(found + 2):
            at_risk += table[slots[touched[place]], 1] < k
        change = 0
        for place in range(found + 2):
            node = touched[place]
            key = keys[node] - (per_triangle if place < found else at_ends)
            slot, more, newly_used = move(table, last_slot, slots[node], key, k)
            change += more
            joined[place] = ~slot if newly_used else slot
        for place in range(found + 1, -1, -1):
            slot = joined[place]
            if slot < 0:
                slot = ~slot
                table[slot, 0] = EMPTY
            table[slot, 1] -= 1
            table[slots[touched[place]], 1] += 1
        changes[edge], exposed[edge], common[edge], stale[edge] = change, at_risk, found, 0


@compiled
def score_by_flips(
    topology: Topology,
    rule: AttackerArrays,
    state: FlipState,
    general: General,
    scores: Scores,
    edges: IntVector,
) -> None:
    """Score these edges, whatever the attackers see: delete each, and restore it. Writes `scores`."""
    rows = rows_for(topology, state.touched.shape[0])
    one = np.empty(1, np.int64)
    for edge in edges:
        found = touched_by(topology, rule.count_triangles, edge, rows, state.present, state.touched)
        scores.exposed[edge] = 0
        for place in range(found):
            scores.exposed[edge] += is_at_risk(rule, state, general, state.touched[place])
        before = state.totals[Total.AT_RISK]
        one[0] = edge
        flip(topology, rule, state, general, one)
        scores.changes[edge] = state.totals[Total.AT_RISK] - before
        flip(topology, rule, state, general, one)
        scores.stale[edge] = 0


@compiled
def mark_stale(
    topology: Topology,
    rule: AttackerArrays,
    state: FlipState,
    scores: Scores,
    edge: int,
    number: int,
    safe: int,
) -> None:
    """Mark the scores that a deletion may change, where states are sums. Writes `scores` and scratch.

    Called after the deletion, the `number`-th; with edge -1 nothing was deleted. A score depends on the
    states of the nodes touched, on the sizes of the classes they leave, and on those they would join. A class
    that still has `safe` nodes matters to nobody.
    """
    if edge < 0:
        return
    present, keys, slots, table, touched = state.present, state.keys, state.slots, state.table, state.touched
    common, stale, altered, ends = scores.common, scores.stale, scores.altered, topology.ends
    per_degree, per_triangle = rule.parts[0, PartColumn.PER_DEGREE], rule.parts[0, PartColumn.PER_TRIANGLE]
    last_slot = table.shape[0] - 1
    rows = rows_for(topology, touched.shape[0])
    found = touched_by(topology, rule.count_triangles, edge, rows, present, touched) - 2
    nodes = touched[: found + 2].copy()
    for place in range(found + 2):
        key = keys[nodes[place]]
        before = key + (per_triangle if place < found else per_degree + per_triangle * found)
        for slot in (slots[nodes[place]], seek(table, before, WHOLE_TABLE, last_slot)):
            if table[slot, 1] < safe:
                altered[slot] = number
        _mark_around(topology, rule, state, scores, nodes[place], rows)
    for node in range(keys.shape[0]):
        below = seek(table, keys[node] - per_triangle, WHOLE_TABLE, last_slot)
        if altered[slots[node]] == number or altered[below] == number:
            _mark_around(topology, rule, state, scores, node, rows)
    for other in range(ends.shape[0]):
        if present[other] and not stale[other]:
            at_ends = per_degree + per_triangle * common[other]
            for side in range(2):
                key = keys[ends[other, side]] - at_ends
                if altered[seek(table, key, WHOLE_TABLE, last_slot)] == number:
                    stale[other] = 1


@internal
def _mark_around(
    topology: Topology, rule: AttackerArrays, state: FlipState, scores: Scores, node: int, rows: IntMatrix
) -> None:
    """Mark all edges whose deletion touches a node: its own, and those across its triangles."""
    csr, present, stale, ends = topology.csr, state.present, scores.stale, topology.ends
    for entry in range(csr.offsets[node], csr.offsets[node + 1]):
        edge = csr.edge_numbers[entry]
        if not present[edge]:
            continue
        stale[edge] = 1
        first, last = triangles_on(topology, rule.count_triangles, edge, rows)
        for row in range(first, last):
            one, other = rows[row, 0], rows[row, 1]
            # One of them is the node's own and is marked in its turn.
            if present[one] & present[other]:
                stale[other if ends[one, 0] == node or ends[one, 1] == node else one] = 1


@compiled
def best_edge(
    scores: Scores,
    present: NDArray[np.uint8],
    may_go: NDArray[np.uint8],
    numbers: IntVector,
    per_change: int,
    per_exposed: int,
) -> int:
    """The edge that may go of the best score; of equals the least change, then the least number (m); or -1.

    The score is -per_change * change + per_exposed * nodes at risk touched.
    """
    best, best_score = -1, 0
    for edge in range(present.shape[0]):
        if not (present[edge] and may_go[edge]):
            continue
        score = per_exposed * scores.exposed[edge] - per_change * scores.changes[edge]
        if best >= 0:
            if score < best_score:
                continue
            if score == best_score:
                change = scores.changes[edge] - scores.changes[best]
                if change > 0 or (change == 0 and numbers[edge] > numbers[best]):
                    continue
        best, best_score = edge, score
    return best


@constants
class SanaTotal(NamedTuple):
    """Entries of the totals of SANA's walk."""

    STEPS: int = 0
    WITHOUT_GAIN: int = 1  # steps since fewer were at risk than ever before
    FEWEST: int = 2  # nodes at risk in the best solution


class SanaWalk(NamedTuple):
    """SANA's walk: what is counted, and the best solution."""

    totals: NDArray[np.int64]  # (3): see SanaTotal
    best: Words  # (words): the best individual
    random: Words  # (1): state of the random numbers
    temperature: NDArray[np.float64]  # (1)


@compiled
def sana_steps(
    topology: Topology,
    rule: AttackerArrays,
    limits: Limits | None,
    state: FlipState,
    walk: SanaWalk,
    budget: int,
    enough: int,
    cooling: float,
    noise: float,
    patience: int,
    steps: int,
) -> None:
    """Walk `steps` steps, or until few `enough` are at risk or patience ends. Writes `state` and `walk`."""
    totals, best, random, temperature = walk.totals, walk.best, walk.random, walk.temperature
    counts, present, words, nodes = state.totals, state.present, state.words, state.degrees.shape[0]
    edge = np.empty(1, np.int64)
    for _ in range(steps):
        if totals[SanaTotal.FEWEST] <= enough or totals[SanaTotal.WITHOUT_GAIN] >= patience:
            return
        totals[SanaTotal.STEPS] += 1
        totals[SanaTotal.WITHOUT_GAIN] += 1
        temperature[0] *= cooling
        edge[0] = next_below(random, present.shape[0])
        deletes = present[edge[0]] == 1
        if not topology.movable[edge[0]] or (deletes and counts[Total.DELETED] >= budget):
            continue
        before = counts[Total.AT_RISK]
        flip(topology, rule, state, state.general, edge)
        change = (counts[Total.AT_RISK] - before) / nodes
        if change >= 0:
            # Accepted with chance exp(-(change + noise) / temperature), without dividing by what becomes 0.
            drawn = sqrt(-2 * log(1 - next_unit(random))) * cos(2 * pi * next_unit(random))
            accepted = change + noise * drawn < -temperature[0] * log(1 - next_unit(random))
        else:
            accepted = True
        if not accepted or violation(topology, limits, state) > 0:
            flip(topology, rule, state, state.general, edge)
        elif counts[Total.AT_RISK] < totals[SanaTotal.FEWEST]:
            totals[SanaTotal.FEWEST], totals[SanaTotal.WITHOUT_GAIN] = counts[Total.AT_RISK], 0
            for word in range(best.shape[0]):
                best[word] = words[word]
