"""Time limit, interruption, progress and checkpoints of a search.

An algorithm is a generator: it yields a `Step` now and then and returns what it `Found`. Between two steps
it asks the `Control` whether to stop. The control's clock starts when everything is set up.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import ceil
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from netveil.errors import SettingError
from netveil.formatting import duration
from netveil.progress import Watcher
from netveil.registries import ALGORITHMS

if TYPE_CHECKING:
    from netveil.kernels.arrays import IntVector


StopReason = Literal["converged", "solved", "time", "interrupted", "budget"]


class Checkpoint(NamedTuple):
    """The best solution so far that keeps the budget and all limits."""

    deleted_edges: Callable[[], IntVector]  # computed only when it is to be stored
    at_risk: int


class Step(NamedTuple):
    """Progress that an algorithm yields."""

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
    """Progress of a running search, with fields for display only."""

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
    """Result of an algorithm: the edges to delete, and how it came to stop."""

    deleted_edges: IntVector  # the network's edge numbers, ascending, at most the budget
    at_risk: int  # without these edges, as the algorithm counted; `run_search` counts again
    stopped_by: StopReason
    evaluations: int  # objective values computed
    curve: tuple[CurvePoint, ...] = ()  # solutions for parts of the budget, if they were asked for


Steps: TypeAlias = Generator[Step, None, Found]
"""A running algorithm."""


SECONDS_BETWEEN_KEEPS = 3.0  # what a crash may lose
MOST_TIME = 1_000_000_000  # seconds, some thirty years: what is shared out and shown must stay a number


def checked_time(seconds: float) -> float:
    """Check a time limit in seconds, and return it."""
    if not isinstance(seconds, Real) or not 0 < seconds <= MOST_TIME:
        raise SettingError(
            f"time {seconds}: give the seconds that the search may take, more than 0 and at most "
            f"{MOST_TIME:,}, or leave the time out."
        )
    return seconds


@dataclass
class Control:
    """Stops a search after `time_limit` seconds or when `interrupt` is called, and passes its progress on."""

    time_limit: float | None = None
    watcher: Watcher = field(default_factory=Watcher)  # hears what is set up, and each step
    keeper: Callable[[IntVector, int], None] | None = None  # stores deleted edges and nodes at risk
    clock: Callable[[], float] = time.perf_counter  # seconds since any moment; tests bring their own
    whole: Control | None = None  # of the work that this search is a part of: stops it too
    _interrupted: threading.Event = field(default_factory=threading.Event)
    _started: float = field(init=False)
    _kept: float = 0.0  # when the keeper was called last
    _kept_at_risk: int | None = None

    def __post_init__(self) -> None:
        self.start()

    def start(self) -> None:
        """Start the clock: reading, compiling and what a search sets up do not count."""
        self._started = self.clock()

    def interrupt(self) -> None:
        """Ask the search to stop soon and return the best so far; safe from any thread or signal handler."""
        self._interrupted.set()

    @property
    def seconds(self) -> float:
        """Time since the start."""
        return self.clock() - self._started

    def asked_to_stop(self) -> StopReason | None:
        """Reason to stop now, if the caller has one."""
        if self._interrupted.is_set():
            return "interrupted"
        if self.time_limit is not None and self.seconds >= self.time_limit:
            return "time"
        return None if self.whole is None else self.whole.asked_to_stop()

    def noted(self, history: list[Progress], at_first: int, enough: int, step: Step) -> Underway:
        """Note a step with its time in the history, tell the watcher, and keep its best now and then."""
        progress = Progress(self.seconds, *step[:5])
        history.append(progress)
        if step.best is not None:
            self.keep(step.best)
        underway = Underway(**vars(progress), at_first=at_first, enough=enough, share=step.share)
        self.watcher.step(underway)
        return underway

    def keep(self, best: Checkpoint) -> None:
        """Have the best allowed solution stored, now and then and if it is new, against a crash."""
        due = self.seconds - self._kept >= SECONDS_BETWEEN_KEEPS
        if self.keeper is not None and due and best.at_risk != self._kept_at_risk:
            self.keeper(best.deleted_edges(), best.at_risk)
            self._kept, self._kept_at_risk = self.seconds, best.at_risk


LEAST_SHARE, LEAST_SECONDS = 0.01, 1.0  # of a search, before anything can be said
TOLERANCE = 0.05  # of the whole time, by which an estimate may be off before it is corrected
TOO_EARLY = "about … left"
FINE = 20  # seconds; more than these are said in steps of 5


class TimeLeft:
    """Time that is left by the limit; without one, an estimate from the share of the search that is done.

    An estimate is kept as long as it is about right, and counts down by the clock: each step of a search
    would give a slightly different one.
    """

    def __init__(self, limit: float | None) -> None:
        """`limit` in seconds, if the search has one."""
        self.limit = limit
        self.end: float | None = None  # when the search is expected to end, in seconds since its start

    def words(self, progress: Underway) -> str:
        """Text such as 'about 48 s left'; dots while it is too early to tell, empty if unknown."""
        share, passed = progress.share, progress.seconds
        if self.limit is not None:
            if passed >= self.limit:
                return "finishing"
            at_most = "at most " if share is None else ""  # what has no share may stop by itself at any time
            return f"{at_most}{duration(ceil(self.limit - passed))} left"
        if share is None and self.end is None:
            return ""
        if share is None or share >= 1:  # what comes after the last share is not counted
            return "finishing"
        if share < LEAST_SHARE or passed < LEAST_SECONDS:
            return TOO_EARLY
        estimate = passed / share
        if self.end is None or abs(estimate - self.end) > max(1.0, TOLERANCE * estimate):
            self.end = estimate
        left = self.end - passed
        return f"about {duration(max(1, ceil(left)) if left <= FINE else 5 * ceil(left / 5))} left"


class Shown:
    """Words for the progress of a search: people at risk, edges spent of the budget, time left."""

    def __init__(self, algorithm: str, budget: int, time_limit: float | None = None) -> None:
        """`budget` in edges; `time_limit` in seconds, if the search has one."""
        self.algorithm, self.budget = algorithm, budget
        self.time_limit = time_limit
        self.time_left = TimeLeft(time_limit)

    def on_bar(self, progress: Underway) -> tuple[Any, ...]:
        """(done, total, texts) for a bar: in seconds if time is limited, else in shares."""
        filled = progress.share or 0.0, None if progress.share is None else 1.0
        if self.time_limit is not None:
            filled = progress.seconds, self.time_limit
        return *filled, *self.wordings(progress)

    def line(self, progress: Underway) -> str:
        """Line of a log on how far a search is."""
        left = self.time_left.words(progress)
        time = _passed(progress) if left in ("", TOO_EARLY) else f"{_passed(progress)}, {left}"
        return " · ".join([*self._figures(progress), time])

    def wordings(self, progress: Underway) -> list[str]:
        """Texts to stand beside a bar, from long to short."""
        left = self.time_left.words(progress) or f"{_passed(progress)} so far"
        few, figures = f"{progress.at_risk:,} at risk", self._figures(progress)
        at_risk, spent = figures[-2:]
        wordings = [
            [*figures, left],
            [at_risk, spent, left],
            [at_risk.replace(" still", ""), spent, left],
            [few, f"{progress.deleted:,} deleted", left],
            [few],
        ]
        return [" · ".join(parts) for parts in wordings]

    def _figures(self, progress: Underway) -> list[str]:
        """Words for people at risk and edges deleted, after those of some searches only.

        Generations where the algorithm counts them, the objective where it is not the people at risk.
        """
        chosen = ALGORITHMS.get(self.algorithm)
        may_be = f" ({progress.enough:,} may be)" if progress.enough else ""
        parts = []
        if chosen is not None and chosen.counts_generations:
            parts.append(f"{chosen.unit} {progress.step:,}")
        if progress.objective != progress.at_risk:  # over the budget, or beyond a limit
            parts.append(f"objective {progress.objective:,}")
        parts.append(f"{progress.at_risk:,} of {progress.at_first:,} still at risk{may_be}")
        return [*parts, f"{progress.deleted:,} of {self.budget:,} edges deleted"]


def _passed(progress: Underway) -> str:
    return duration(progress.seconds) if progress.seconds >= 1 else "0 s"
