"""A caller's hand on a running search: when to stop, and who hears how it goes."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from netveil.kernels.arrays import IntVector

log = logging.getLogger("netveil")

SECONDS_BETWEEN_KEEPS = 3.0  # what a crash may lose

StopReason = Literal["converged", "solved", "time", "interrupted", "budget"]


@dataclass(frozen=True)
class Progress:
    """How far a search has come; a row of its history."""

    seconds: float
    step: int  # generations, or steps over the budget
    evaluations: int
    objective: int  # the best so far
    at_risk: int
    deleted: int


@dataclass
class Control:
    """Stops a search after `time_limit` seconds or when `interrupt` is called, and passes its progress on."""

    time_limit: float | None = None
    listener: Callable[[Progress], None] | None = None
    keeper: Callable[[IntVector, int], None] | None = None  # stores deleted edges and nodes at risk
    announcer: Callable[[str], None] | None = log.info  # hears what is to be known beforehand
    clock: Callable[[], float] = time.perf_counter  # tells seconds since any moment; tests bring their own
    history: list[Progress] = field(default_factory=list)
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

    def announce(self, sentence: str) -> None:
        """Tell what is to be known beforehand."""
        if self.announcer is not None:
            self.announcer(sentence)

    @property
    def seconds(self) -> float:
        """Time since the start."""
        return self.clock() - self._started

    def asked_to_stop(self) -> StopReason | None:
        """Why the caller wants the search to stop now, if she does."""
        if self._interrupted.is_set():
            return "interrupted"
        if self.time_limit is not None and self.seconds >= self.time_limit:
            return "time"
        return None

    def record(self, step: int, evaluations: int, objective: int, at_risk: int, deleted: int) -> None:
        """Add to the history and tell the listener."""
        progress = Progress(self.seconds, step, evaluations, objective, at_risk, deleted)
        self.history.append(progress)
        if self.listener is not None:
            self.listener(progress)

    def keep(self, best: Callable[[], IntVector], at_risk: int) -> None:
        """Have the best allowed solution stored, now and then and if it is new, against a crash."""
        due = self.seconds - self._kept >= SECONDS_BETWEEN_KEEPS
        if self.keeper is not None and due and at_risk != self._kept_at_risk:
            self.keeper(best(), at_risk)
            self._kept, self._kept_at_risk = self.seconds, at_risk
