"""What a search returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from netveil.anonymity import Attackers
from netveil.kernels.arrays import IntVector
from netveil.search.limits.limit import LimitKept
from netveil.search.progress import CurvePoint, Progress, StopReason


@dataclass(frozen=True, eq=False)
class Outcome:
    """A solution of the anonymization problem, recounted from scratch, with all that led to it."""

    algorithm: str
    settings: dict[str, Any]
    attackers: Attackers
    seed: int
    budget: int  # in edges
    budget_asked: str | None  # the share that it stands for, '5%'; None if a number of edges was given
    deleted_edges: IntVector
    at_risk_before: int
    at_risk_after: int
    unique_before: int
    unique_after: int
    objective: int
    evaluations: int
    generations: int | None
    seconds: float
    stopped_by: StopReason
    resumed: bool  # whether it went on from a solution known beforehand
    limits: tuple[LimitKept, ...]  # what was to be kept, measured from scratch
    protected_edges: IntVector  # numbers of the edges that were to stay
    target: str | None  # the share of k-anonymous nodes that was to be reached, if any: '95%'
    enough: int  # nodes at risk that were few enough: 0 without a target
    curve: tuple[CurvePoint, ...]  # solutions for parts of the budget, recounted, if they were asked for
    history: tuple[Progress, ...]
    whole_budget: int | None = None  # of a point of a curve: the budget of the search, in edges
    least: bool = False  # whether fewer deletions, or fewer at risk within the budget, were shown impossible

    @property
    def k(self) -> int:
        """How many must look alike."""
        return self.attackers.k
