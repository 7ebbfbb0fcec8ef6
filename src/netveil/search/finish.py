"""What is done to a solution before it is returned: keep budget and limits, restore what is not needed."""

from __future__ import annotations

from netveil.kernels.arrays import Words
from netveil.search.problem import Problem

CANDIDATES = 200  # deleted edges looked at before one is restored: all of them would be quadratic


def within_budget(problem: Problem, words: Words, budget: int | None = None) -> tuple[Words, int]:
    """The individual itself if it keeps the budget and all limits; else edges are restored one by one.

    The budget is the problem's, if no other is given.

    Each time the one whose return breaks limits least and then leaves the fewest nodes at risk, among the
    next `CANDIDATES` deleted edges. Returns the individual and its nodes at risk.
    """
    from netveil.kernels.flips import AT_RISK, flip_edges
    from netveil.kernels.pruning import restore_surplus

    state = problem.fresh_state()
    deleted = problem.bits_set_in(words)
    flip_edges(problem.topology, problem.rule, state, deleted)
    restore_surplus(
        problem.topology,
        problem.rule,
        problem.limits,
        state,
        deleted,
        problem.budget if budget is None else budget,
        CANDIDATES,
    )
    return state.words, int(state.totals[AT_RISK])


def without_needless(problem: Problem, words: Words) -> tuple[Words, int]:
    """The individual with every deleted edge restored whose return puts nobody at risk and breaks no limit.

    Where fewer are at risk than is enough, some may return to it.

    Definition 1 of the paper also minimizes the number of deletions: afterwards none can be undone without
    making things worse. Returns the individual and its nodes at risk, which may be fewer than before.
    """
    from netveil.kernels.flips import AT_RISK, flip_edges
    from netveil.kernels.pruning import restore_needless

    state = problem.fresh_state()
    deleted = problem.bits_set_in(words)
    flip_edges(problem.topology, problem.rule, state, deleted)
    restore_needless(problem.topology, problem.rule, problem.limits, state, deleted, problem.enough)
    return state.words, int(state.totals[AT_RISK])
