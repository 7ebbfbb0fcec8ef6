"""Settings of the annealing, and how many proposals they come to."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, Self

from netveil.search.problem import Problem
from netveil.search.settings import Settings, check_setting

MOST_CHAINS = 256  # each takes some 50 bytes an edge
MOST_GROUPS = 1024
TINY_EFFORT = 1e-9  # a proposal a walk
FEWEST_PROPOSALS = 6_000_000  # of each chain, at effort 1
PROPOSALS_PER_EDGE = 750
MOST_PROPOSALS = 30_000_000  # of each chain, at effort 1
OF_FLIPPING, OF_JUDGING, OF_LOOKING_AROUND, OF_LOOKING_FAR, OF_PYTHON = 4, 30, 60, 500, 1000
"""Relative cost of a proposal, by kind of state; 1 where it is a sum over degree and triangles."""


@dataclass(frozen=True, kw_only=True)
class Annealing(Settings):
    """Settings of the annealing. Temperatures are not among them: the schedule fits itself to the problem."""

    effort: float = 1.0  # how long to search where time is not limited: 750 proposals an edge and chain
    chains: int = 2  # walks side by side, of which the best counts; threads share them out
    groups: int | Literal["auto"] = "auto"  # of people at risk, searched apart: see in_groups.py; 0 for none

    def __post_init__(self) -> None:
        check_setting("effort", self.effort, 0 < self.effort <= 1e6, "more than 0 and at most 1,000,000")
        check_setting("chains", self.chains, 1 <= self.chains <= MOST_CHAINS, f"between 1 and {MOST_CHAINS}")
        fits = self.groups == "auto" or 0 <= self.groups <= MOST_GROUPS
        check_setting("groups", self.groups, fits, f"auto, or between 0 and {MOST_GROUPS}")

    def brief(self) -> Self:
        """Makes one proposal a walk."""
        return replace(self, effort=TINY_EFFORT)


def proposals_of(settings: Annealing, problem: Problem) -> int:
    """Proposals that each chain makes where time is not limited; fewer where they take longer."""
    at_effort_one = min(max(PROPOSALS_PER_EDGE * problem.edge_count, FEWEST_PROPOSALS), MOST_PROPOSALS)
    return max(1, int(settings.effort * at_effort_one / relative_cost(problem)))


def relative_cost(problem: Problem) -> int:
    """About how many times as long as usual a proposal takes.

    Known from the kind of state, not from a clock: results must not depend on the machine.
    """
    if problem.linear_weights is not None:
        return 1
    if problem.followers:
        return OF_PYTHON
    if problem.rule.looks:
        return OF_LOOKING_AROUND if problem.rule.around <= 1 else OF_LOOKING_FAR
    return OF_FLIPPING if problem.rule.one_table else OF_JUDGING
