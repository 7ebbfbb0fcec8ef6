"""Checks of a solution that a search starts from, or has found.

Counts come from `Problem.recount`, which measures the network without the deleted edges from scratch and
shares no code with the kernels that searched.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from netveil.errors import SettingError
from netveil.formatting import counted
from netveil.kernels.arrays import IntVector
from netveil.kernels.flips import flip_edges
from netveil.kernels.states import GIVEN, PartColumn
from netveil.search.limit import LimitBroken, kept_limits
from netveil.search.problem import Problem

EDGES_TRIED = 5


def check_followed(problem: Problem) -> None:
    """Raise if a user's measure omits a node that a deletion touches: tried on a few edges, one at a time."""
    if not problem.followers:
        return
    state, rng = problem.fresh_state(), np.random.default_rng(0)
    assert state.general is not None
    parts = np.flatnonzero(problem.rule.parts[:, PartColumn.KIND] == GIVEN)
    for follower, part in zip(problem.followers, parts.tolist(), strict=True):
        tried = EDGES_TRIED if follower.measure.says_touched else 0
        for edge in rng.permutation(problem.edge_count)[:tried]:
            flip_edges(problem.topology, problem.rule, state, np.array([edge]))
            anew = np.empty_like(state.general.signatures[part])
            follower.follow(state.present, np.arange(problem.edge_count), anew)
            if (anew != state.general.signatures[part]).any():
                raise SettingError(
                    f"measure {follower.measure.name}: touched does not name all whose state a deletion "
                    f"changes, or the states of one network are not always the same; mend it."
                )


def checked_start(start: ArrayLike, edges: int) -> IntVector:
    """Numbers of edges to go on from, ascending; SettingError if the network has no such edges."""
    try:
        found = np.asarray(start)
        whole = found.ndim == 1 and (len(found) == 0 or found.dtype.kind in "iu")
    except ValueError:  # rows of several lengths
        whole = False
    if not whole or (len(found) and not 0 <= found.min() <= found.max() < edges):
        raise SettingError(
            f"start: give numbers of edges to delete, from 0 to {edges - 1:,}, such as those of "
            f"release.outcome.deleted_edges of the same network."
        )
    return np.unique(found).astype(np.int64)


def check_start(problem: Problem, start: IntVector) -> None:
    """Raise if the solution to go on from does not fit this problem."""
    what = "the solution to go on from"
    if len(start) > problem.budget:
        raise SettingError(
            f"{what} deletes {counted(len(start), 'edge')}, more than the budget of {problem.budget:,}; "
            f"give a larger budget, or start anew."
        )
    protected = int(np.isin(start, problem.edge_numbers[problem.protected]).sum())
    if protected:
        edges = counted(protected, "protected edge")
        raise SettingError(f"{what} deletes {edges}; protect others, or start anew.")
    try:
        kept_limits(problem.keep, problem.network, problem.without(start))
    except LimitBroken as broken:
        raise SettingError(f"{what} does not fit: {broken}; give a wider limit, or start anew.") from None


def keeps_limits(problem: Problem, deleted_edges: IntVector) -> bool:
    """Whether a solution keeps all limits, measured from scratch: for algorithms that others add."""
    try:
        kept_limits(problem.keep, problem.network, problem.without(deleted_edges))
    except LimitBroken:
        return False
    return True


def check_allowed(algorithm: str, problem: Problem, deleted_edges: IntVector, budget: int) -> None:
    """Raise AssertionError if a solution breaks the budget or a limit, or deletes a protected edge."""
    if np.isin(deleted_edges, problem.edge_numbers[problem.protected]).any():
        raise AssertionError(f"{algorithm} deleted a protected edge")
    kept_limits(problem.keep, problem.network, problem.without(deleted_edges))
    if len(deleted_edges) > budget:
        raise AssertionError(f"{algorithm} miscounted its solution for {budget} edges")


def check_count(algorithm: str, problem: Problem, counted: int, recounted: int) -> None:
    """Raise AssertionError if a search miscounted who is at risk.

    Surroundings that are hard to tell apart may look alike to it: then more are at risk than it thought, and
    the recount is what counts.
    """
    if counted == recounted or (problem.may_be_too_hopeful and counted < recounted):
        return
    if problem.followers:
        names = ", ".join(follower.measure.name for follower in problem.followers)
        raise SettingError(
            f"measure {names}: {counted:,} at risk as a search followed it, {recounted:,} by a recount; let "
            f"touched name all whose state a deletion changes, and tell the same of the same network."
        )
    raise AssertionError(f"{algorithm} miscounted: {counted} at risk, by a recount {recounted}")
