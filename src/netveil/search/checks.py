"""What is checked of a solution that a search starts from, or has found."""

from __future__ import annotations

import numpy as np

from netveil.errors import SettingError
from netveil.kernels.arrays import IntVector
from netveil.search.limits import LimitBroken, limits_kept
from netveil.search.problem import Problem


def check_start(problem: Problem, start: IntVector) -> None:
    """Raise if the solution to go on from is none of this problem."""
    what = "the solution to go on from"
    if len(start) > problem.budget:
        raise SettingError(
            f"{what} deletes {len(start):,} edges, more than the budget of {problem.budget:,}; "
            f"give a larger budget, or start anew."
        )
    protected = int(np.isin(start, problem.edge_order[problem.protected]).sum())
    if protected:
        edges = f"{protected:,} protected edge{'s' * (protected > 1)}"
        raise SettingError(f"{what} deletes {edges}; protect others, or start anew.")
    try:
        limits_kept(problem.keep, problem.network, problem.network.without_edges(start))
    except LimitBroken as broken:
        raise SettingError(f"{what} does not fit: {broken}; give a wider limit, or start anew.") from None


def check_allowed(algorithm: str, problem: Problem, deleted_edges: IntVector, budget: int) -> None:
    """Raise AssertionError if a solution breaks the budget or a limit, or deletes a protected edge."""
    if np.isin(deleted_edges, problem.edge_order[problem.protected]).any():
        raise AssertionError(f"{algorithm} deleted a protected edge")
    limits_kept(problem.keep, problem.network, problem.network.without_edges(deleted_edges))
    if len(deleted_edges) > budget:
        raise AssertionError(f"{algorithm} miscounted its solution for {budget} edges")


def check_count(algorithm: str, problem: Problem, counted: int, recounted: int) -> None:
    """Raise AssertionError if a search miscounted who is at risk.

    Surroundings that are hard to tell apart may look alike to it: then more are at risk than it thought, and
    the recount is what counts.
    """
    too_hopeful = problem.may_be_too_hopeful and counted < recounted
    if counted == recounted or too_hopeful:
        return
    if problem.followers:
        names = ", ".join(follower.measure.name for follower in problem.followers)
        raise SettingError(
            f"measure {names}: {counted:,} at risk as a search followed it, {recounted:,} by a recount; let "
            f"touched name all whose state a deletion changes, and tell the same of the same network."
        )
    raise AssertionError(f"{algorithm} miscounted: {counted} at risk, by a recount {recounted}")
