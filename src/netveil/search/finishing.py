"""Finishing of a solution: keep budget and limits, restore needless deletions, look through all others.

`within_budget` and `without_needless` repair and prune a solution of any algorithm. `looked_through` shows a
result of the default search to be the least, or finds a better one, where all sets that could be better are
few enough to be tried.
"""

from __future__ import annotations

from math import comb
from typing import NamedTuple

import numpy as np

from netveil.kernels.arrays import IntVector, Words
from netveil.kernels.flips import flip_edges
from netveil.kernels.limits import look_through, restore_needless, restore_surplus
from netveil.kernels.states import Total
from netveil.search.control import Control
from netveil.search.problem import Problem

CANDIDATES = 200  # deleted edges looked at before one is restored: all of them would be quadratic
CANDIDATES_IF_SLOW = 10  # where states are slow to follow
EDGES_AT_ONCE_IF_SLOW = 5  # tried before the caller is heard
GRACE = 0.25  # share of the time spent that pruning may take after the caller asked to stop
LEAST_GRACE = 1.0  # seconds


def within_budget(
    problem: Problem, words: Words, control: Control, budget: int | None = None
) -> tuple[Words, int]:
    """Repair an individual: restore edges one by one until it keeps the budget and all limits.

    The budget is the problem's, if no other is given.

    Each time the one whose return breaks limits least and then leaves the fewest nodes at risk, among the
    next few deleted edges. Where states are slow to follow and the caller asked to stop, any will do.
    Returns the individual and its nodes at risk.
    """
    deleted = problem.bits_set_in(words)
    state = problem.fresh_state(deleted)
    allowed = problem.budget if budget is None else budget
    candidates = CANDIDATES_IF_SLOW if problem.is_slow else CANDIDATES
    if problem.is_slow and control.asked_to_stop() is not None:
        flip_edges(problem.topology, problem.rule, state, deleted[: max(0, len(deleted) - allowed)])
        candidates = 1  # for the limits, if there are any
    restore_surplus(problem.topology, problem.rule, problem.limits, state, deleted, allowed, candidates)
    return state.words, int(state.totals[Total.AT_RISK])


def without_needless(
    problem: Problem, words: Words, control: Control, enough: int | None = None
) -> tuple[Words, int]:
    """Restore every deleted edge whose return puts no node at risk and breaks no limit.

    Where fewer are at risk than is enough, some may return to it. What is enough is the problem's, if no
    other number is given.

    Definition 1 of the paper also minimizes the number of deletions: afterwards none can be undone without
    making things worse. Where states are slow to follow and the caller asked to stop, pruning is cut short
    and some may be left. Returns the individual and its nodes at risk, which may be fewer than before.
    """
    deleted = problem.bits_set_in(words)
    state = problem.fresh_state(deleted)
    may_be = problem.enough if enough is None else enough
    at_once = EDGES_AT_ONCE_IF_SLOW if problem.is_slow else max(1, len(deleted))
    until = control.seconds + max(LEAST_GRACE, GRACE * control.seconds)
    before = -1
    while before != state.totals[Total.DELETED]:
        before = int(state.totals[Total.DELETED])
        for first in range(0, max(1, len(deleted)), at_once):
            if problem.is_slow and control.asked_to_stop() is not None and control.seconds > until:
                return state.words, int(state.totals[Total.AT_RISK])
            some = deleted[first : first + at_once]
            restore_needless(problem.topology, problem.rule, problem.limits, state, some, may_be)
    return state.words, int(state.totals[Total.AT_RISK])


# Look through all deletions that could be better than the one found, where there are not too many of them.
#
# Better is what leaves fewer people at risk within the budget, down to as many as are few enough, and then
# what deletes fewer edges. Where everything that could be better was looked at, the result is shown to be
# the least.


MOST_SETS = 2_000_000  # looked at, where a state is a sum over degree and triangles: about a second
MOST_SETS_AFTERWARDS = 100_000  # once the time is over: some hundredths of a second
SETS_AT_ONCE = 20_000  # before the caller is heard: a hundredth of a second
FEW_EDGES = 3  # where not even all sets of so many can be looked at, none are: see `can_be_looked_through`

COST_OF_SET = (1, 7, 15, 25, 200, 4000)
"""Relative cost of a set, by `Problem.kind_of_state`; 1 where it is a sum over degree and triangles (0.6 µs).

Measured on networks of up to 100 nodes; a user's measure is Python and may do anything.
"""
TRIANGLES_FOR_ONE = 20  # on an edge: a flip takes as long again for so many
NODES_FOR_ONE = 100  # the same where others are judged than those touched
PAIRS_FOR_ONE = 10_000  # nodes times edges: the same where everybody's wider surroundings are looked at
SIZE_FOR_ONE = 100  # nodes and edges: to look at the limits takes as long as a set


class Looked(NamedTuple):
    """The best deletion known after a look at the others."""

    deleted_edges: IntVector  # the network's edge numbers, ascending
    at_risk: int  # without these edges, as the look counted
    least: bool  # whether every deletion that could be better was looked at


def can_be_looked_through(problem: Problem) -> bool:
    """Whether the problem is small enough that enumerating it will probably finish.

    How many sets there are to look at is known when something was found. What looks at them is compiled
    before the search begins, so it is decided beforehand whether it may be needed.
    """
    sets = _sets(problem.movable_count, min(problem.budget, FEW_EDGES))
    return sets <= MOST_SETS and sets * cost_of_set(problem) <= MOST_SETS


def sets_looked_at_once(problem: Problem) -> int:
    """Number of possible deletions if they are so few that all are tried without a search; else 0.

    So few that it takes some hundredths of a second, and comes to its end even when the time is over.
    """
    sets = _sets(problem.movable_count, problem.budget)
    return sets if sets * cost_of_set(problem) <= MOST_SETS_AFTERWARDS else 0


def looked_through(
    problem: Problem, deleted_edges: IntVector, at_risk: int, control: Control, most: int = MOST_SETS
) -> Looked:
    """Find the best of all deletions, if at most `most` could be better than this one; else return this one.

    Where a set takes longer to look at, fewer are. By size, the smallest first: the first that leaves few
    enough at risk is the least. When the caller asks to stop, the best so far.
    """
    # What follows needs arrays of the whole network.
    could_be_better = _largest(problem, deleted_edges, at_risk) > 0
    if len(deleted_edges) == 0 and not could_be_better:
        return Looked(deleted_edges, at_risk, True)
    if most == 0 and could_be_better:
        return Looked(deleted_edges, at_risk, False)
    original = problem.at_risk_at_first
    if max(original, problem.enough) <= max(at_risk, problem.enough):
        deleted_edges, at_risk = np.empty(0, dtype=np.int64), original
    best = Looked(deleted_edges, at_risk, False)
    largest = _largest(problem, deleted_edges, at_risk)
    cost, left = cost_of_set(problem), _sets(problem.movable_count, largest)
    if left * cost > most:
        return best
    edges = np.flatnonzero(problem.topology.movable)
    for size in range(1, largest + 1):
        # Only sets that leave fewer than these at risk are of interest.
        fewest = max(best.at_risk, problem.enough) + (size < len(best.deleted_edges))
        chosen, better = np.append(np.arange(size), len(edges)), np.zeros(size, dtype=np.int64)
        state = problem.fresh_state(edges[:size])
        arrays = problem.topology, problem.rule, problem.limits, state, edges, chosen, better
        found = at_the_end = False
        while not at_the_end:
            asked = control.asked_to_stop()
            if asked == "interrupted" or (asked is not None and left * cost > MOST_SETS_AFTERWARDS):
                return best
            before, some = fewest, max(1, SETS_AT_ONCE // cost)
            looked_at, fewest, at_the_end = look_through(*arrays, before, problem.enough, some)
            left -= looked_at
            if fewest < before:
                # The look ends at a set that leaves few enough, which may be fewer than are enough.
                at_risk = int(state.totals[Total.AT_RISK]) if fewest == problem.enough else fewest
                best, found = Looked(np.sort(problem.edge_numbers[edges[better]]), at_risk, False), True
        if found and best.at_risk <= problem.enough:
            break
    return best._replace(least=True)


def cost_of_set(problem: Problem) -> int:
    """Relative cost of looking at a set; 1 for `count` on a small network.

    Known from the kind of state and from sizes, not from a clock: results must not depend on the machine.
    """
    nodes, edges, kind = problem.network.node_count, problem.edge_count, problem.kind_of_state
    slower = nodes // NODES_FOR_ONE
    if kind == 0:
        slower = int(problem.topology.first_row[-1]) // (TRIANGLES_FOR_ONE * max(edges, 1))
    elif kind == 4:
        slower = nodes * edges // PAIRS_FOR_ONE
    cost = COST_OF_SET[kind] * (1 + slower)
    return cost if problem.limits is None else cost + 1 + (nodes + edges) // SIZE_FOR_ONE


def _largest(problem: Problem, deleted_edges: IntVector, at_risk: int) -> int:
    """Largest number of edges of a deletion that is better than this one; 0 or less if none is."""
    largest = min(problem.budget, problem.movable_count)
    return min(largest, len(deleted_edges) - 1) if at_risk <= problem.enough else largest


def _sets(edges: int, largest: int) -> int:
    """Number of non-empty sets of at most `largest` edges; stops counting when it is too large."""
    total = 0
    for size in range(1, min(edges, largest) + 1):
        total += comb(edges, size)
        if total > MOST_SETS:  # of a large network the whole number would take long to work out
            break
    return total
