"""What is done to a solution before it is returned: keep the budget, restore what is not needed."""

from __future__ import annotations

import numpy as np

from netveil.kernels.arrays import Words
from netveil.search.problem import Problem

CANDIDATES = 200  # deleted edges looked at before one is restored: all of them would be quadratic


def within_budget(problem: Problem, words: Words) -> tuple[Words, int]:
    """The individual itself if it keeps the budget; otherwise edges are restored, one after the other.

    Each time the one whose return leaves the fewest nodes at risk, among the first `CANDIDATES` deleted edges
    that have not been looked at for longest. Returns the individual and its nodes at risk.
    """
    from netveil.kernels.flips import AT_RISK, DELETED, flip_edges

    state = problem.fresh_state()
    deleted = problem.bits_set_in(words)
    flip_edges(problem.topology, problem.rule, state, deleted)
    while state.totals[DELETED] > problem.budget:
        looked_at, rest = deleted[:CANDIDATES], deleted[CANDIDATES:]
        at_risk = np.empty(len(looked_at), dtype=np.int64)
        for place in range(len(looked_at)):
            edge = looked_at[place : place + 1]
            flip_edges(problem.topology, problem.rule, state, edge)
            at_risk[place] = state.totals[AT_RISK]
            flip_edges(problem.topology, problem.rule, state, edge)
        chosen = int(np.argmin(at_risk))
        flip_edges(problem.topology, problem.rule, state, looked_at[chosen : chosen + 1])
        deleted = np.concatenate((rest, np.delete(looked_at, chosen)))
    return state.words, int(state.totals[AT_RISK])


def without_needless(problem: Problem, words: Words) -> tuple[Words, int]:
    """The individual with every deleted edge restored whose return puts nobody at risk.

    Definition 1 of the paper also minimizes the number of deletions: afterwards none can be undone without
    making things worse. Returns the individual and its nodes at risk, which may be fewer than before.
    """
    from netveil.kernels.flips import AT_RISK, flip_edges
    from netveil.kernels.pruning import restore_needless

    state = problem.fresh_state()
    deleted = problem.bits_set_in(words)
    flip_edges(problem.topology, problem.rule, state, deleted)
    restore_needless(problem.topology, problem.rule, state, deleted)
    return state.words, int(state.totals[AT_RISK])
