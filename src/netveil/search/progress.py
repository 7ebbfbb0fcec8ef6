"""What a search yields on its way, and what it returns at its end."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from netveil.kernels.arrays import IntVector

StopReason = Literal["converged", "solved", "time", "interrupted", "budget"]


class Checkpoint(NamedTuple):
    """The best solution so far that keeps the budget and all limits."""

    deleted_edges: Callable[[], IntVector]  # computed only when it is to be stored
    at_risk: int


class Step(NamedTuple):
    """How far an algorithm has come, as it yields it."""

    number: int  # of generations, or of steps over the budget, so far
    evaluations: int
    objective: int  # the best so far
    at_risk: int
    deleted: int
    best: Checkpoint | None = None
    share: float | None = None  # of the search that is done, from 0 to 1; None where that cannot be told


@dataclass(frozen=True)
class Progress:
    """A step and its time; a row of the history of a search."""

    seconds: float
    step: int  # generations, or steps over the budget
    evaluations: int
    objective: int  # the best so far
    at_risk: int
    deleted: int


@dataclass(frozen=True)
class Underway(Progress):
    """The same of a search that runs, with what whoever watches it wants to know: it is not recorded."""

    at_first: int  # nodes at risk before anything is deleted
    enough: int = 0  # nodes at risk that are few enough: as many as the target leaves
    share: float | None = None  # of the search that is done, from 0 to 1; None where that cannot be told


@dataclass(frozen=True, eq=False)
class CurvePoint:
    """A solution for part of the budget."""

    budget: int  # edges that may be deleted
    deleted_edges: IntVector  # the network's edge numbers, ascending
    at_risk: int


def undominated(points: Sequence[CurvePoint]) -> tuple[CurvePoint, ...]:
    """The points that delete fewer edges, or leave fewer nodes at risk, than any other; of equals the first.

    By deletions, ascending. The budget of each is the smallest of any point that allows its deletions, and
    too small for the next point.
    """
    kept: list[CurvePoint] = []
    for point in sorted(points, key=lambda each: (len(each.deleted_edges), each.at_risk)):
        if not kept or point.at_risk < kept[-1].at_risk:
            deleted = len(point.deleted_edges)
            smallest = min(each.budget for each in points if each.budget >= deleted)
            kept.append(replace(point, budget=smallest))
    budgets = [min(one.budget, len(other.deleted_edges) - 1) for one, other in pairwise(kept)]
    fitted = (replace(point, budget=budget) for point, budget in zip(kept, budgets, strict=False) if budget)
    return (*fitted, *kept[-1:])


@dataclass(frozen=True, eq=False)
class Found:
    """What an algorithm returns: the edges to delete, and how it came to stop."""

    deleted_edges: IntVector  # the network's edge numbers, ascending, at most the budget
    at_risk: int  # without these edges, as the algorithm counted; `run_search` counts again
    stopped_by: StopReason
    evaluations: int  # objective values computed
    curve: tuple[CurvePoint, ...] = ()  # solutions for parts of the budget, if they were asked for


Steps: TypeAlias = Generator[Step, None, Found]
"""A running algorithm."""
