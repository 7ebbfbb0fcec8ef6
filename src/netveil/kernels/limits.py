"""Limits on what a deletion may cost: components, clustering and contacts lost, followed while edges move."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import IntMatrix, IntVector, constants
from netveil.kernels.compiled import compiled, inlined
from netveil.kernels.flips import flip
from netveil.kernels.states import AttackerArrays, FlipState, Topology, Total, rows_for, touched_by


class Forest(NamedTuple):
    """Components as trees of nodes (union-find): quick where edges only come back."""

    parents: IntVector  # (n): a root is its own parent
    sizes: IntVector  # (n): at a root, the nodes of its component


@inlined
def root_of(parents: IntVector, node: int) -> int:
    """The root of a node's tree. Halves the way to it: writes `parents`."""
    while parents[node] != node:
        parents[node] = parents[parents[node]]
        node = parents[node]
    return node


@inlined
def unite(parents: IntVector, sizes: IntVector, u: int, v: int) -> int:
    """Put an edge between u and v; returns the nodes of their component. Writes both arrays of a forest."""
    one = root_of(parents, u)
    other = root_of(parents, v)
    if one != other:
        if sizes[one] < sizes[other]:
            one, other = other, one
        parents[other] = one
        sizes[one] += sizes[other]
    return sizes[one]


@compiled
def forest_of(ends: IntMatrix, present: NDArray[np.uint8], nodes: int) -> tuple[Forest, int]:
    """Components of nodes 0..nodes-1 and those edges (m, 2) that are present (m); the size of the largest."""
    parents = np.arange(nodes)
    sizes = np.ones(nodes, np.int64)
    largest = min(nodes, 1)
    for edge in range(ends.shape[0]):
        if present[edge]:
            largest = max(largest, unite(parents, sizes, ends[edge, 0], ends[edge, 1]))
    return Forest(parents, sizes), largest


@compiled
def united_size(forest: Forest, u: int, v: int) -> int:
    """Nodes of the component that u and v are in, or would be in with an edge between them."""
    one = root_of(forest.parents, u)
    other = root_of(forest.parents, v)
    return forest.sizes[one] if one == other else forest.sizes[one] + forest.sizes[other]


class Pieces(NamedTuple):
    """Components as numbered pieces: quick where edges only go."""

    piece: IntVector  # (n): the number of each node's piece
    sizes: IntVector  # (n): the nodes of each piece, 0 for numbers not used yet
    reached: IntVector  # (n), scratch: positive or negative, from which end a look came by, and which look
    queues: IntMatrix  # (2, n), scratch: nodes reached from either end
    counts: IntVector  # (2): pieces so far, looks so far


@compiled
def pieces_of(ends: IntMatrix, present: NDArray[np.uint8], nodes: int) -> Pieces:
    """The pieces of a network. Nothing is written."""
    forest, _ = forest_of(ends, present, nodes)
    number_of_root = np.full(nodes, -1, np.int64)
    pieces = Pieces(
        np.empty(nodes, np.int64),
        np.zeros(nodes, np.int64),
        np.zeros(nodes, np.int64),
        np.empty((2, nodes), np.int64),
        np.zeros(2, np.int64),
    )
    for node in range(nodes):
        root = root_of(forest.parents, node)
        if number_of_root[root] < 0:
            number_of_root[root] = pieces.counts[0]
            pieces.counts[0] += 1
        pieces.piece[node] = number_of_root[root]
        pieces.sizes[number_of_root[root]] += 1
    return pieces


@compiled
def cut_off(
    topology: Topology, present: NDArray[np.uint8], pieces: Pieces, u: int, v: int
) -> tuple[int, int]:
    """Which end of the deleted edge {u, v}, 0 for u, has lost the other, and with how many nodes (0: none).

    Looks from both ends in turns until the looks meet or one has nowhere to go on: what is cut off is mostly
    small, and two people of a social network are mostly near each other, so few nodes are looked at. The
    nodes cut off are the first in that end's queue. Writes scratch of `pieces`.
    """
    offsets, neighbours, edge_numbers = topology.csr
    reached, queues = pieces.reached, pieces.queues
    pieces.counts[1] += 1
    look = pieces.counts[1]
    queues[0, 0], queues[1, 0] = u, v
    reached[u], reached[v] = look, -look
    looked_from = np.zeros(2, np.int64)
    found = np.ones(2, np.int64)
    while True:
        for end in range(2):
            if looked_from[end] == found[end]:
                return end, found[end]
            node = queues[end, looked_from[end]]
            looked_from[end] += 1
            mine = reached[node]
            for place in range(offsets[node], offsets[node + 1]):
                neighbour = neighbours[place]
                if present[edge_numbers[place]] == 0 or reached[neighbour] == mine:
                    continue
                if reached[neighbour] == -mine:
                    return 0, 0
                reached[neighbour] = mine
                queues[end, found[end]] = neighbour
                found[end] += 1


@compiled
def split(pieces: Pieces, end: int, nodes: int) -> None:
    """Make the first `nodes` nodes in the queue of `end`, as `cut_off` left it, a piece of their own."""
    old = pieces.piece[pieces.queues[end, 0]]
    new = pieces.counts[0]
    pieces.counts[0] += 1
    pieces.sizes[old] -= nodes
    pieces.sizes[new] = nodes
    for place in range(nodes):
        pieces.piece[pieces.queues[end, place]] = new


# Limits on what a deletion may cost, and by how much a state breaks them.
#
# Clustering is reckoned in whole numbers, 2^32 for a node whose neighbours all know each other: sums of
# whole numbers are exact, so they are the same in whatever order edges went and came back. See
# docs/decisions.md, "Limits: soft on the way, hard in the end".


ONE = 1 << 32  # clustering of a node whose neighbours all know each other


@constants
class LimitTotal(NamedTuple):
    """Entries of a standing: totals that limits look at, the component apart."""

    LOST: int = 0  # contacts lost beyond what nodes may lose
    CLUSTERING: int = 1  # sum of the clustering of all nodes; 0 where it is not limited
    ABLE: int = 2  # nodes with two neighbours or more; 0 where clustering is not limited


class Limits(NamedTuple):
    """Limits on a deletion. The original network keeps all of them.

    Kernels are given None where nothing is limited, and then compile nothing that looks at limits.
    """

    most_lost: IntVector  # (n): contacts that each node may lose; its degree where that is not limited
    clustering_least: int  # bounds on the mean clustering of the nodes with two neighbours or more: their sum
    clustering_most: int  # lies between so many times these; 0 and ONE where it is not limited
    least_component: int  # nodes that the largest component must have; 0 where it is not limited


@inlined
def clustering_of(degree: int, triangles: int) -> int:
    """Triangles over pairs of neighbours, in units of 1 / ONE and rounded; 0 for fewer than two neighbours.

    Triangles of a node are edges among its neighbours, fewer than 2^30: more edges would not fit in memory.
    """
    pairs_twice = max(degree * (degree - 1), 1)
    if triangles < 1 << 29:
        return ((triangles << 33) + (pairs_twice >> 1)) // pairs_twice
    # The same digit by digit, 16 bits at a time: shifted at once, so many triangles do not fit in 64 bits.
    whole, rest = divmod(2 * triangles, pairs_twice)
    upper, rest = divmod(rest << 16, pairs_twice)
    lower, rest = divmod(rest << 16, pairs_twice)
    return (whole << 32) + (upper << 16) + lower + (2 * rest >= pairs_twice)


@inlined
def limits_clustering(limits: Limits) -> bool:
    """Whether clustering is limited at all: a mean always lies between 0 and ONE."""
    return limits.clustering_least > 0 or limits.clustering_most < ONE


@compiled
def clustering_sum(degrees: IntVector, triangles: IntVector) -> tuple[int, int]:
    """The sum of the clustering of all nodes, and how many of them (n) have two neighbours or more."""
    total, able = 0, 0
    for node in range(degrees.shape[0]):
        total += clustering_of(degrees[node], triangles[node])
        able += degrees[node] >= 2
    return total, able


@compiled
def standing_of(topology: Topology, limits: Limits | None, state: FlipState) -> NDArray[np.int64]:
    """The standing (3) of a state: see LimitTotal. Nothing is written."""
    standing = np.zeros(3, np.int64)
    if limits is None:
        return standing
    offsets, degrees, most_lost = topology.csr.offsets, state.degrees, limits.most_lost
    for node in range(degrees.shape[0]):
        lost = offsets[node + 1] - offsets[node] - degrees[node]
        standing[LimitTotal.LOST] += max(0, lost - most_lost[node])
    if limits_clustering(limits):
        standing[LimitTotal.CLUSTERING], standing[LimitTotal.ABLE] = clustering_sum(degrees, state.triangles)
    return standing


@inlined
def _add(
    topology: Topology, limits: Limits, state: FlipState, node: int, times: int, standing: NDArray[np.int64]
) -> None:
    """Add what a node brings to a standing, or take it away (`times` = -1)."""
    degree = state.degrees[node]
    lost = topology.csr.offsets[node + 1] - topology.csr.offsets[node] - degree
    standing[LimitTotal.LOST] += times * max(0, lost - limits.most_lost[node])
    if limits_clustering(limits):
        standing[LimitTotal.CLUSTERING] += times * clustering_of(degree, state.triangles[node])
        standing[LimitTotal.ABLE] += times * (degree >= 2)


@compiled
def flip_followed(
    topology: Topology,
    rule: AttackerArrays,
    limits: Limits | None,
    state: FlipState,
    standing: NDArray[np.int64],
    edge: IntVector,
) -> None:
    """Flip one edge (1) and keep the standing in step. Writes `state` and `standing`."""
    if limits is None:
        flip(topology, rule, state, state.general, edge)
        return
    # Those touched are the same before and after: whether an edge is there says nothing of common neighbours.
    rows = rows_for(topology, state.touched.shape[0])
    found = touched_by(topology, rule.count_triangles, edge[0], rows, state.present, state.touched)
    for place in range(found):
        _add(topology, limits, state, state.touched[place], -1, standing)
    flip(topology, rule, state, state.general, edge)
    for place in range(found):
        _add(topology, limits, state, state.touched[place], 1, standing)


@inlined
def excess(limits: Limits | None, standing: NDArray[np.int64]) -> int:
    """Amount by which a standing breaks the limits, in nodes: contacts too many, nodes' worth of clustering.

    Without any node of two neighbours the mean clustering counts as 0.
    """
    if limits is None:
        return 0
    able = max(standing[LimitTotal.ABLE], 1)
    total = standing[LimitTotal.CLUSTERING]
    beyond = max(limits.clustering_least * able - total, total - limits.clustering_most * able, 0)
    return standing[LimitTotal.LOST] + (beyond + ONE - 1) // ONE


@compiled
def violation(topology: Topology, limits: Limits | None, state: FlipState) -> int:
    """Amount by which a state breaks the limits, in nodes; 0 exactly if it keeps all. Nothing is written.

    Contacts lost beyond what each node may lose, nodes' worth of clustering beyond its bounds, and nodes
    missing from the largest component. From scratch: O(n), and O(n + m) where the component is limited.
    """
    if limits is None:
        return 0
    missing = 0
    if limits.least_component > 0:
        _, largest = forest_of(topology.ends, state.present, state.degrees.shape[0])
        missing = max(0, limits.least_component - largest)
    return missing + excess(limits, standing_of(topology, limits, state))


# Delete edges one after the other, as far as the limits allow.


@compiled
def delete_allowed(
    topology: Topology,
    rule: AttackerArrays,
    limits: Limits,
    state: FlipState,
    edges: IntVector,
    most: int,
    may_go: NDArray[np.uint8],
) -> int:
    """Delete the first `most` of `edges` that can go without breaking a limit; returns how many.

    The others that were tried are left in place, and their entries of `may_go` (m) become 0. `state` keeps
    all limits, before and after. Writes `state` and `may_go`.
    """
    nodes = state.degrees.shape[0]
    least = limits.least_component
    standing = standing_of(topology, limits, state)
    pieces = pieces_of(topology.ends, state.present, nodes)
    large_enough = 0  # pieces that would do as the largest component
    for size in pieces.sizes:
        large_enough += size >= least
    edge = np.empty(1, np.int64)
    deleted = 0
    for place in range(edges.shape[0]):
        if deleted == most:
            break
        edge[0] = edges[place]
        u = topology.ends[edge[0], 0]
        v = topology.ends[edge[0], 1]
        flip_followed(topology, rule, limits, state, standing, edge)
        allowed = excess(limits, standing) == 0
        if allowed and least > 0:
            end, lost = cut_off(topology, state.present, pieces, u, v)
            if lost > 0:
                whole = pieces.sizes[pieces.piece[u]]
                left = large_enough - (whole >= least) + (lost >= least) + (whole - lost >= least)
                allowed = left > 0
                if allowed:
                    large_enough = left
                    split(pieces, end, lost)
        if allowed:
            deleted += 1
        else:
            flip_followed(topology, rule, limits, state, standing, edge)
            may_go[edge[0]] = 0
    return deleted


# Restore deleted edges: those over the budget or beyond a limit, and those that are not needed after all.


@compiled
def restore_needless(
    topology: Topology,
    rule: AttackerArrays,
    limits: Limits | None,
    state: FlipState,
    deleted: IntVector,
    enough: int,
) -> None:
    """Restore every edge of `deleted` whose return does no harm, until none is left. Writes `state`.

    Harm is to put somebody at risk, beyond the `enough` nodes that may be, or to take clustering beyond its
    bounds; the other limits welcome every edge. A return can make another one harmless or harmful, so the
    edges are gone through again after each change.
    """
    standing = standing_of(topology, limits, state)
    changed = True
    while changed:
        changed = False
        for place in range(deleted.shape[0]):
            edge = deleted[place : place + 1]
            if state.present[edge[0]]:
                continue
            most, beyond = max(state.totals[Total.AT_RISK], enough), excess(limits, standing)
            flip_followed(topology, rule, limits, state, standing, edge)
            if state.totals[Total.AT_RISK] <= most and excess(limits, standing) <= beyond:
                changed = True
            else:
                flip_followed(topology, rule, limits, state, standing, edge)


@compiled
def restore_surplus(
    topology: Topology,
    rule: AttackerArrays,
    limits: Limits | None,
    state: FlipState,
    deleted: IntVector,
    budget: int,
    candidates: int,
) -> None:
    """Restore edges of `deleted` until at most `budget` are deleted and all limits are kept. Writes `state`.

    Each time the one whose return breaks limits least and, among those, leaves the fewest nodes at risk, of
    the next `candidates` in the circle. It ends, for with all edges back every limit is kept.
    """
    nodes, ends = state.degrees.shape[0], topology.ends
    standing = standing_of(topology, limits, state)
    violation = 0
    if limits is not None:
        forest, largest = forest_of(ends, state.present, nodes)
        violation = excess(limits, standing) + max(0, limits.least_component - largest)
    edge = np.empty(1, np.int64)
    place = 0
    while state.totals[Total.DELETED] > budget or violation > 0:
        least_violation = np.iinfo(np.int64).max
        fewest = nodes + 1
        chosen = -1
        looked_at = 0
        while looked_at < min(candidates, state.totals[Total.DELETED]):
            edge[0] = deleted[place]
            place = (place + 1) % deleted.shape[0]
            if state.present[edge[0]]:
                continue
            looked_at += 1
            flip_followed(topology, rule, limits, state, standing, edge)
            broken = 0
            if limits is not None:
                united = united_size(forest, ends[edge[0], 0], ends[edge[0], 1])
                missing = max(0, limits.least_component - max(largest, united))
                broken = excess(limits, standing) + missing
            if broken < least_violation or (
                broken == least_violation and state.totals[Total.AT_RISK] < fewest
            ):
                least_violation = broken
                fewest = state.totals[Total.AT_RISK]
                chosen = edge[0]
            flip_followed(topology, rule, limits, state, standing, edge)
        edge[0] = chosen
        flip_followed(topology, rule, limits, state, standing, edge)
        if limits is not None:
            largest = max(largest, unite(forest.parents, forest.sizes, ends[chosen, 0], ends[chosen, 1]))
            violation = least_violation


# Go through all sets of so many edges, one after the other, and remember the best of them.
#
# From each set to the next one edge returns and one goes: the revolving-door order (Knuth, The Art of
# Computer Programming 7.2.1.3, Algorithm R). So a set costs two flips, however many edges it has, and
# whoever is touched by both is counted anew once.


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
