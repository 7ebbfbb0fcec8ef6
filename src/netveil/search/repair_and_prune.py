"""What is done to a solution before it is returned: keep budget and limits, restore what is not needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netveil.kernels.arrays import Words
from netveil.search.control import Control
from netveil.search.problem import Problem

if TYPE_CHECKING:
    from netveil.kernels.following.state import FlipState

CANDIDATES = 200  # deleted edges looked at before one is restored: all of them would be quadratic
CANDIDATES_IF_SLOW = 10  # where states are slow to follow
EDGES_AT_ONCE_IF_SLOW = 5  # tried before the caller is heard
GRACE = 0.25  # share of the time spent that pruning may take after the caller asked to stop
LEAST_GRACE = 1.0  # seconds


def within_budget(
    problem: Problem, words: Words, control: Control, budget: int | None = None
) -> tuple[Words, int]:
    """The individual itself if it keeps the budget and all limits; else edges are restored one by one.

    The budget is the problem's, if no other is given.

    Each time the one whose return breaks limits least and then leaves the fewest nodes at risk, among the
    next few deleted edges. Where states are slow to follow and the caller asked to stop, any will do.
    Returns the individual and its nodes at risk.
    """
    from netveil.kernels.following.flips import flip_edges
    from netveil.kernels.following.state import Total
    from netveil.kernels.limiting.pruning import restore_surplus

    state = _state_of(problem, words)
    deleted = problem.bits_set_in(words)
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
    """The individual with every deleted edge restored whose return puts nobody at risk and breaks no limit.

    Where fewer are at risk than is enough, some may return to it. What is enough is the problem's, if no
    other number is given.

    Definition 1 of the paper also minimizes the number of deletions: afterwards none can be undone without
    making things worse. Where states are slow to follow and the caller asked to stop, pruning is cut short
    and some may be left. Returns the individual and its nodes at risk, which may be fewer than before.
    """
    from netveil.kernels.following.state import Total
    from netveil.kernels.limiting.pruning import restore_needless

    state = _state_of(problem, words)
    deleted = problem.bits_set_in(words)
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


def _state_of(problem: Problem, words: Words) -> FlipState:
    """A state of one's own with the edges of this individual deleted."""
    from netveil.kernels.following.flips import flip_edges

    state = problem.fresh_state()
    flip_edges(problem.topology, problem.rule, state, problem.bits_set_in(words))
    return state
