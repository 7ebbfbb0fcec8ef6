"""Which edges can help people at risk, and which of these people are searched for apart from each other.

Two candidate edges touch each other if deleting both would change the state of one person who has few
lookalikes. People at risk whose candidates do not touch, directly or by others in between, are in different
groups. Whoever is in a crowd finds lookalikes wherever a deletion takes them, nearly always: it does not
count that two edges touch the same such person.

In most networks nearly all people at risk are in one group, as hubs know hubs (docs/scale.md). Such a group
can be cut by state, those with few contacts from those with many: who may become lookalikes of each other
stays together. Edges that touch people on both sides of a cut wait until the sides are put together.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from netveil.digits import percentage
from netveil.kernels.arrays import IntVector
from netveil.search.annealing.build_walk import numbers_of
from netveil.search.annealing.partners import nearest
from netveil.search.control import Control
from netveil.search.excerpt import Excerpt, excerpt_of
from netveil.search.problem import AtFirst, Counts, Problem
from netveil.words import counted

CROWD = 5  # times k: so many lookalikes are a crowd
MOST_TOGETHER = 0.5  # share of those at risk: where a group has more of them, groups are cut by state


@dataclass(frozen=True, eq=False)
class Division:
    """People at risk in groups."""

    excerpts: list[Excerpt]  # of each group, taken from the excerpt around all people at risk
    at_risk: list[int]  # people in each
    found: int  # groups that do not touch
    largest: int  # people at risk in the largest of them
    cut: bool  # whether groups that touch were cut by state
    frozen: int  # candidate edges between groups, where they are cut


def excerpt_around_risk(problem: Problem, control: Control | None = None) -> Excerpt:
    """The excerpt in which edges may be deleted that can help somebody at risk; the control hears how far.

    These are the edges at people at risk, those over against them, which close a triangle with two of theirs,
    and those at the people whose states are nearest to theirs. Where there is a solution to go on from, also
    the edges that it deletes, and those around people who are at risk without them.
    """
    from netveil.kernels.counting.around import mark_around

    def preparing(doing: str, share: float) -> None:
        if control is not None:
            control.preparing(doing, share)

    preparing("finding whose states are near", 0.5)
    counts = problem.at_first.counts
    at_risk, nearby = _at_risk_and_nearest(problem, problem.at_first)
    if problem.known is not None:
        network = problem.network.without_edges(problem.known)
        later = _at_risk_and_nearest(problem, replace(problem, network=network).at_first)
        at_risk, nearby = np.union1d(at_risk, later[0]), np.union1d(nearby, later[1])
    preparing("listing who knows whom", 0.6)
    csr = problem.network.csr
    preparing("finding what is around people at risk", 0.9)
    marks = np.zeros(problem.edge_count, dtype=np.uint8)
    counted = problem.rule.count_triangles
    mark_around(csr, at_risk, counted, marks)
    mark_around(csr, nearby, False, marks)
    if problem.known is not None:
        marks[problem.known] = 1
    candidates = marks.astype(bool)
    if problem.protected_edges is not None:
        candidates[problem.protected_edges] = False
    return excerpt_of(problem, counts, candidates, problem.budget)


def _at_risk_and_nearest(problem: Problem, at_first: AtFirst) -> tuple[IntVector, IntVector]:
    """Who is at risk, and whose states are nearest to theirs."""
    counts, at_risk = at_first.counts, np.flatnonzero(at_first.lookalikes < problem.k)
    return at_risk, nearest(numbers_of(problem), counts.degrees, counts.triangles, problem.k)[at_risk]


def divided(around: Excerpt, number: int, may_cut: bool) -> Division:
    """The excerpt around all people at risk in so many groups, or fewer; the budget in proportion.

    Where most are in one group that must not be cut, or nothing could be done in the others, it is `around`
    itself. In each group, people at risk in other groups are left out: nobody shall count on them. Everybody
    else whom no candidate of the group touches stands where they stood at first.
    """
    counts = around.counts()
    lookalikes = around.lookalikes(counts)
    at_risk = lookalikes < around.k
    edges, nodes = _touched(around, lookalikes < CROWD * around.k)
    group_of, found, largest = _groups(around, edges, nodes, at_risk)
    cut = largest > MOST_TOGETHER * at_risk.sum()
    in_one = Division([around], [int(at_risk.sum())], found, largest, cut=False, frozen=0)
    if cut and not may_cut:
        return in_one
    part_of = _by_state(around, counts, at_risk, number) if cut else _packed(group_of, at_risk, number)
    # An edge belongs to the part that all belong to whom it touches, or to none.
    lowest = np.full(around.edge_count, number)
    highest = np.full(around.edge_count, -1)
    np.minimum.at(lowest, edges, part_of[nodes])
    np.maximum.at(highest, edges, part_of[nodes])
    movable = ~around.protected
    division = Division(
        [], [], found, largest, bool(cut), int(np.count_nonzero(movable & (lowest < highest)))
    )
    for part in range(number):
        own, candidates = at_risk & (part_of == part), movable & (lowest == part) & (highest == part)
        budget = int(own.sum() / max(at_risk.sum(), 1) * around.budget)
        if own.any() and candidates.any() and budget > 0:
            division.excerpts.append(excerpt_of(around, counts, candidates, budget, at_risk & ~own))
            division.at_risk.append(int(own.sum()))
    return division if len(division.excerpts) > 1 else in_one


def in_words(division: Division) -> str:
    """How people at risk are searched for apart, for whoever waits."""
    number, everybody = len(division.excerpts), sum(division.at_risk)
    together = percentage(division.largest / max(everybody, 1))
    if number == 1:
        return f"{together} of the people at risk hang together, so they are not searched for in groups."
    if not division.cut:
        found = counted(division.found, "group")
        return f"The {everybody:,} people at risk are in {found} that do not touch: searched as {number}."
    waiting = f"{counted(division.frozen, 'edge')} between them wait until they are put together"
    return f"{together} of the people at risk hang together: cut by state into {number} groups; {waiting}."


def _touched(around: Excerpt, few: NDArray[np.bool_]) -> tuple[IntVector, IntVector]:
    """Pairs of a movable edge and somebody with few lookalikes whom it touches."""
    topology = around.topology
    movable = np.flatnonzero(topology.movable)
    ends = topology.ends[movable]
    edges, nodes = [np.repeat(movable, 2)], [ends.ravel()]
    if around.rule.count_triangles:
        owner = np.repeat(np.arange(around.edge_count), np.diff(topology.first_row))
        rows = topology.movable[owner] == 1
        edges.append(owner[rows])
        nodes.append(topology.triangles[rows, 2])
    edge, node = np.concatenate(edges), np.concatenate(nodes)
    kept = few[node]
    return edge[kept], node[kept]


def _groups(
    around: Excerpt, edges: IntVector, nodes: IntVector, at_risk: NDArray[np.bool_]
) -> tuple[IntVector, int, int]:
    """The group of each node (n); how many groups have people at risk, and how many of them the largest."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n, m = around.network.node_count, around.edge_count
    ones = np.ones(len(edges), dtype=np.int8)
    graph = coo_array((ones, (nodes, n + edges)), shape=(n + m, n + m))
    group_of = connected_components(graph, directed=False)[1][:n]
    sizes = np.unique(group_of[at_risk], return_counts=True)[1]
    return group_of, len(sizes), int(sizes.max(initial=0))


def _packed(group_of: IntVector, at_risk: NDArray[np.bool_], number: int) -> IntVector:
    """The part of each node (n): groups, the largest first, each into the part with the fewest at risk."""
    groups, sizes = np.unique(group_of[at_risk], return_counts=True)
    part_of_group = np.zeros(int(group_of.max(initial=0)) + 1, dtype=np.int64)
    filled = [0] * number
    for place in np.argsort(-sizes, kind="stable").tolist():
        part = filled.index(min(filled))
        part_of_group[groups[place]] = part
        filled[part] += int(sizes[place])
    return part_of_group[group_of]


def _by_state(around: Excerpt, counts: Counts, at_risk: NDArray[np.bool_], number: int) -> IntVector:
    """The part of each node (n): cut where the same number of people at risk have lower states."""
    numbers = numbers_of(around)
    first, second = (
        per_degree * counts.degrees + per_triangle * counts.triangles
        for per_degree, per_triangle in (numbers[:2], numbers[2:4])
    )
    states = first * (int(second.max(initial=0)) + 1) + second
    ordered = np.sort(states[at_risk])
    cuts = ordered[np.arange(1, number) * len(ordered) // number] if len(ordered) else ordered
    return np.searchsorted(cuts, states, side="right")
