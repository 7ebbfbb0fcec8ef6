"""Swaps of edges that keep what a table says: a-b and c-d become a-d and c-b.

An edge is two half-edges, each the other's mate; a node owns as many as its degree. A swap gives two edges
each other's mates. It is legal if both edges are inside communities or both are not, and b and d, or a and c,
are of one community: everybody keeps the degree and the neighbours inside, and communities keep the edges
between them. So a half-edge is of one kind for ever: the owner's community, and whether it leads outside.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import Words
from netveil.kernels.basics import next_below, next_unit
from netveil.kernels.compiled import compiled, inlined, internal

Ints = NDArray[np.int32]
LEGAL_TRIES, ANY_TRIES = 4000, 4000  # partners that a loop or repeated edge is tried with, legal ones first
OF_A, OF_C, OF_B = np.uint8(1), np.uint8(2), np.uint8(4)  # marks: neighbour of a, of c, and counted from b
OF_ONE = np.uint8(3)


class HalfEdges(NamedTuple):
    """A network as half-edges, those of a node one after the other, and half-edges by kind."""

    offsets: NDArray[np.int64]  # (n + 1): node v owns half-edges offsets[v]..offsets[v + 1] - 1
    owner: Ints  # (2m)
    contact: Ints  # (2m): owner of the mate
    mate: Ints  # (2m)
    community: Ints  # (n)
    of_kind: Ints  # (2m): half-edges by kind, 2 * community of the owner + 1 if inside
    starts: NDArray[np.int64]  # (kinds + 1): where those of a kind begin


class Aim(NamedTuple):
    """What swaps are to reach, how far they are, and scratch."""

    wanted: NDArray[np.int64]  # (n): triangles
    weight: NDArray[np.float64]  # (n): of a triangle too many or too few
    triangles: NDArray[np.int64]  # (n): as they are
    bin: Ints  # (n)
    wanted_mixing: NDArray[np.int64]  # (bins, bins): edges, on and above the diagonal
    mixing: NDArray[np.int64]  # (bins, bins): as they are
    share: float  # weight of an edge too many or too few between bins
    guarded: NDArray[np.bool_]  # (n): whether a node belongs to the largest component
    reach: int  # nodes that are looked at from each side before a swap is taken not to cut it
    marks: NDArray[np.uint8]  # (n): all 0 between swaps
    change: NDArray[np.int64]  # (n)
    touched: Ints  # (n)
    queue: Ints  # (2, n)
    lacking: Ints  # (n)


@inlined
def swap(halves: HalfEdges, ab: int, cd: int) -> None:
    """Make a-b and c-d, given by the half-edges of a and c, into a-d and c-b. Its own inverse."""
    ba, dc = halves.mate[ab], halves.mate[cd]
    halves.mate[ab], halves.mate[dc] = dc, ab
    halves.mate[cd], halves.mate[ba] = ba, cd
    halves.contact[ab], halves.contact[dc] = halves.owner[dc], halves.owner[ab]
    halves.contact[cd], halves.contact[ba] = halves.owner[ba], halves.owner[cd]


@inlined
def legal_partner(halves: HalfEdges, ab: int, state: Words) -> int:
    """A random half-edge of c such that d is of b's community, and both edges are inside or both are not."""
    a, b = halves.owner[ab], halves.contact[ab]
    kind = 2 * np.int64(halves.community[b])
    if halves.community[a] == halves.community[b]:
        kind += 1
    first, last = halves.starts[kind], halves.starts[kind + 1]
    return halves.mate[halves.of_kind[first + next_below(state, last - first)]]


@internal
def are_neighbours(halves: HalfEdges, u: int, v: int) -> bool:
    """Whether u and v have an edge. O(the smaller degree)."""
    offsets = halves.offsets
    if offsets[u + 1] - offsets[u] > offsets[v + 1] - offsets[v]:
        u, v = v, u
    found = False
    for half in range(offsets[u], offsets[u + 1]):
        found |= halves.contact[half] == v
    return found


@compiled
def swap_away_repeats(halves: HalfEdges, state: Words) -> int:
    """Swap away loops and repeated edges by legal swaps; returns how many are left. Writes `halves`.

    Edges between communities for which there is none are swapped with any other of these.
    """
    offsets, contact, owner, community = halves.offsets, halves.contact, halves.owner, halves.community
    nodes, count = offsets.shape[0] - 1, contact.shape[0]
    seen = np.full(nodes, -1, np.int32)
    left = 0
    for a in range(nodes):
        for ab in range(offsets[a], offsets[a + 1]):
            bad = contact[ab] == a or seen[contact[ab]] == a
            tries = 0
            while bad and tries < LEGAL_TRIES + ANY_TRIES:
                tries += 1
                cd = legal_partner(halves, ab, state) if tries <= LEGAL_TRIES else next_below(state, count)
                b, c, d = contact[ab], owner[cd], contact[cd]
                if tries > LEGAL_TRIES and (community[a] == community[b] or community[c] == community[d]):
                    continue
                if a in (c, d) or b in (c, d) or c == d:
                    continue
                if are_neighbours(halves, a, d) or are_neighbours(halves, c, b):
                    continue
                swap(halves, ab, cd)
                bad = False
            seen[contact[ab]] = a
            left += bad
    return left


@compiled
def spanning_forest(edges: NDArray[Any], root: Ints) -> NDArray[np.bool_]:
    """Whether each edge (m, 2), one after the other, joins two trees; `root` (n) gets a node of each tree.

    Writes `root`, which is 0..n-1 at first.
    """
    joins = np.zeros(edges.shape[0], np.bool_)
    for edge in range(edges.shape[0]):
        ends = (edges[edge, 0], edges[edge, 1])
        roots = (root[ends[0]], root[ends[1]])
        while root[roots[0]] != roots[0]:
            roots = (root[roots[0]], roots[1])
        while root[roots[1]] != roots[1]:
            roots = (roots[0], root[roots[1]])
        if roots[0] != roots[1]:
            joins[edge] = True
            root[max(roots)] = min(roots)
        for end in ends:  # paths become short
            while root[end] != min(roots):
                root[end], end = min(roots), root[end]
    for node in range(root.shape[0]):
        root[node] = root[root[node]]  # roots are smaller than what they are roots of
    return joins


@internal
def are_connected(halves: HalfEdges, aim: Aim, one: int, other: int) -> bool:
    """Whether a path leads from one node to the other; taken for granted once both reach `aim.reach` nodes.

    Searches from both, a node at a time in turn. `aim.marks` are all 0 before and after.
    """
    marks, queue = aim.marks, aim.queue
    queue[0, 0], queue[1, 0] = one, other
    marks[one], marks[other] = 1, 2
    found, looked_at = (1, 1), 0
    met = one == other
    while not met and looked_at < min(found) and min(found) < aim.reach:
        for side in range(2):
            node, many = queue[side, looked_at], found[side]
            for half in range(halves.offsets[node], halves.offsets[node + 1]):
                neighbour = halves.contact[half]
                if marks[neighbour] == 0:
                    marks[neighbour] = side + 1
                    queue[side, many] = neighbour
                    many += 1
                elif marks[neighbour] != side + 1:
                    met = True
                    break
            found = (many, found[1]) if side == 0 else (found[0], many)
        looked_at += 1
    for side in range(2):
        for place in range(found[side]):
            marks[queue[side, place]] = 0
    return met or looked_at < min(found)


@internal
def swap_unless_cut(halves: HalfEdges, aim: Aim, ab: int, cd: int) -> bool:
    """Swap, unless that cuts a component in two; returns whether it did.

    Whatever hung on a-b or c-d hangs on a-d or c-b afterwards, so it is enough that a and c are connected.
    """
    swap(halves, ab, cd)
    if are_connected(halves, aim, halves.owner[ab], halves.owner[cd]):
        return True
    swap(halves, ab, cd)
    return False


@inlined
def cost_of(aim: Aim, node: int, change: int) -> float:
    """How much farther a node is from its triangles if they change."""
    off = aim.triangles[node] - aim.wanted[node]
    return aim.weight[node] * (abs(off + change) - abs(off))


@inlined
def add_to_mixing(aim: Aim, u: int, v: int, by: int) -> float:
    """Count an edge more or less between the bins of two nodes; returns how much farther mixing is."""
    one, other = min(aim.bin[u], aim.bin[v]), max(aim.bin[u], aim.bin[v])
    off = aim.mixing[one, other] - aim.wanted_mixing[one, other]
    aim.mixing[one, other] += by
    return abs(off + by) - abs(off)


@internal
def swap_mixing(aim: Aim, a: int, b: int, c: int, d: int) -> int:
    """Count a-b, c-d as a-d, c-b; returns how much farther mixing is. Writes `aim.mixing`."""
    if aim.bin[b] == aim.bin[d] or aim.bin[a] == aim.bin[c]:
        return 0
    farther = add_to_mixing(aim, a, b, -1) + add_to_mixing(aim, c, d, -1)
    return farther + add_to_mixing(aim, a, d, 1) + add_to_mixing(aim, c, b, 1)


@internal
def closing_partner(halves: HalfEdges, aim: Aim, lacking: int, state: Words) -> tuple[int, int]:
    """Propose a-d that closes a triangle of an a that lacks some; returns half-edges of a and c, or -1."""
    offsets, contact, community = halves.offsets, halves.contact, halves.community
    a = aim.lacking[next_below(state, lacking)]
    x = contact[offsets[a] + next_below(state, offsets[a + 1] - offsets[a])]
    d = contact[offsets[x] + next_below(state, offsets[x + 1] - offsets[x])]
    ab = offsets[a] + next_below(state, offsets[a + 1] - offsets[a])
    dc = offsets[d] + next_below(state, offsets[d + 1] - offsets[d])
    b, c = contact[ab], contact[dc]
    if b == x or c == x or (community[a] == community[b]) != (community[c] == community[d]):
        return -1, -1
    if community[b] != community[d] and community[a] != community[c]:
        return -1, -1
    return ab, np.int64(halves.mate[dc])


@inlined
def unmark(halves: HalfEdges, aim: Aim, node: int) -> None:
    """Take all marks from the neighbours of a node."""
    for half in range(halves.offsets[node], halves.offsets[node + 1]):
        aim.marks[halves.contact[half]] = 0


@compiled
def anneal_swaps(halves: HalfEdges, aim: Aim, proposals: int, heat: float, state: Words) -> int:
    """Propose legal swaps; take those that come nearer, and others by Metropolis' rule; returns how many.

    Distance: sum of weight |triangles - wanted| + share x sum |mixing - wanted mixing|. Writes `halves` and
    `aim`. A proposal takes the sum of four degrees.
    """
    offsets, owner, contact = halves.offsets, halves.owner, halves.contact
    marks, change, touched = aim.marks, aim.change, aim.touched
    nodes, count = offsets.shape[0] - 1, contact.shape[0]
    lacking, taken = 0, 0
    for node in range(nodes):
        if aim.triangles[node] < aim.wanted[node] and offsets[node + 1] - offsets[node] > 1:
            aim.lacking[lacking] = node
            lacking += 1
    for _ in range(proposals):
        if lacking > 0 and next_unit(state) < 0.5:
            ab, cd = closing_partner(halves, aim, lacking, state)
            if ab < 0:
                continue
        else:
            ab = next_below(state, count)
            cd = np.int64(legal_partner(halves, ab, state))
        a, b, c, d = owner[ab], contact[ab], owner[cd], contact[cd]
        if a in (c, d) or b in (c, d):
            continue
        if offsets[a + 1] - offsets[a] + offsets[c + 1] - offsets[c] > (
            offsets[b + 1] - offsets[b] + offsets[d + 1] - offsets[d]
        ):  # the same swap seen from the other ends: fewer neighbours to mark
            ab, cd = np.int64(halves.mate[ab]), np.int64(halves.mate[cd])
            a, b, c, d = b, a, d, c
        simple = True
        for half in range(offsets[a], offsets[a + 1]):
            marks[contact[half]] = OF_A
            simple &= contact[half] != d
        for half in range(offsets[c], offsets[c + 1]):
            marks[contact[half]] |= OF_C
            simple &= contact[half] != b
        if not simple:
            unmark(halves, aim, a)
            unmark(halves, aim, c)
            continue
        # A common neighbour x of a and b loses a triangle, one of a and d wins one, and so on. None of the
        # four is such an x after the swap.
        marks[a] = marks[b] = marks[c] = marks[d] = 0
        many, of_ab, of_ad, of_cb, of_cd = 0, 0, 0, 0, 0
        for half in range(offsets[b], offsets[b + 1]):
            x = contact[half]
            mark = marks[x]
            if mark != 0:
                of_ab += mark & OF_A
                of_cb += mark >> 1
                if mark != OF_ONE:
                    change[x] = 1 if mark == OF_C else -1
                    touched[many] = x
                    many += 1
                marks[x] = mark | OF_B
        for half in range(offsets[d], offsets[d + 1]):
            x = contact[half]
            mark = marks[x]
            if mark != 0:
                kind = mark & OF_ONE
                of_ad += kind & OF_A
                of_cd += kind >> 1
                if kind != OF_ONE:
                    if mark & OF_B:
                        change[x] = 0
                    else:
                        change[x] = 1 if kind == OF_A else -1
                        touched[many] = x
                        many += 1
        unmark(halves, aim, a)
        unmark(halves, aim, c)
        for_a, for_b, for_c, for_d = of_ad - of_ab, of_cb - of_ab, of_cb - of_cd, of_ad - of_cd
        worse = (
            cost_of(aim, a, for_a) + cost_of(aim, b, for_b) + cost_of(aim, c, for_c) + cost_of(aim, d, for_d)
        )
        for place in range(many):
            worse += cost_of(aim, touched[place], change[touched[place]])
        worse += aim.share * swap_mixing(aim, a, b, c, d)
        refused = worse > 0 and next_unit(state) >= np.exp(-worse / heat)
        if not refused:
            if (of_ab > 0 and of_cd > 0) or not aim.guarded[
                a
            ]:  # through others a and b, c and d stay connected
                swap(halves, ab, cd)
            else:
                refused = not swap_unless_cut(halves, aim, ab, cd)
        if refused:
            swap_mixing(aim, a, d, c, b)
            continue
        for place in range(many):
            aim.triangles[touched[place]] += change[touched[place]]
        aim.triangles[a] += for_a
        aim.triangles[b] += for_b
        aim.triangles[c] += for_c
        aim.triangles[d] += for_d
        taken += 1
    return taken


@compiled
def random_swaps(halves: HalfEdges, swaps: int, state: Words) -> int:
    """Make so many legal swaps at random, as far as 20 proposals a swap suffice; returns how many.

    Writes `halves`.
    """
    owner, contact = halves.owner, halves.contact
    count, made = contact.shape[0], 0
    for _ in range(20 * swaps):
        if made == swaps:
            break
        ab = next_below(state, count)
        cd = np.int64(legal_partner(halves, ab, state))
        a, b, c, d = owner[ab], contact[ab], owner[cd], contact[cd]
        if a in (c, d) or b in (c, d):
            continue
        if not are_neighbours(halves, a, d) and not are_neighbours(halves, c, b):
            swap(halves, ab, cd)
            made += 1
    return made
