"""What a search returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from netveil.anonymity import Attacker
from netveil.kernels.arrays import IntVector
from netveil.search.control import Progress, StopReason
from netveil.search.limits import LimitKept


@dataclass(frozen=True, eq=False)
class CurvePoint:
    """A solution for part of the budget."""

    budget: int  # edges that may be deleted
    deleted_edges: IntVector  # the network's edge numbers, ascending
    at_risk: int


@dataclass(frozen=True, eq=False)
class Found:
    """What an algorithm hands back: the edges to delete, and how it came to stop."""

    deleted_edges: IntVector  # the network's edge numbers, ascending, at most the budget
    at_risk: int  # without these edges, as the algorithm counted; `search` counts again
    stopped_by: StopReason
    evaluations: int  # objective values computed
    generations: int | None = None  # where the algorithm has any
    curve: tuple[CurvePoint, ...] = ()  # solutions for parts of the budget, if they were asked for


@dataclass(frozen=True, eq=False)
class Outcome:
    """A solution of the anonymization problem, recounted from scratch, with all that led to it."""

    algorithm: str
    settings: dict[str, Any]
    attackers: tuple[Attacker, ...]
    k: int
    seed: int
    budget: int
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

    @property
    def measure(self) -> str:
        """The names of the measures, joined."""
        return " + ".join(attacker.measure.name for attacker in self.attackers)

    @property
    def distance(self) -> int:
        """How far the attackers' knowledge reaches: as far for all of them."""
        return self.attackers[0].distance
