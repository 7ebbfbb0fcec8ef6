"""Time limit, interruption, progress and checkpoints of a search."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from numbers import Real
from typing import TYPE_CHECKING

from netveil.errors import SettingError
from netveil.search.progress import Progress, StopReason

if TYPE_CHECKING:
    from netveil.kernels.arrays import IntVector
    from netveil.search.progress import Checkpoint

log = logging.getLogger("netveil")

SECONDS_BETWEEN_KEEPS = 3.0  # what a crash may lose
MOST_TIME = 1_000_000_000  # seconds, some thirty years: what is shared out and shown must stay a number


def checked_time(seconds: float) -> float:
    """The time that a search may take, if it is one."""
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
    listener: Callable[[Progress], None] | None = None
    keeper: Callable[[IntVector, int], None] | None = None  # stores deleted edges and nodes at risk
    announcer: Callable[[str], None] | None = log.info  # hears what should be known before the search starts
    preparer: Callable[[str, float], None] | None = None  # hears what is set up, and which share of it is
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

    def announce(self, sentence: str) -> None:
        """Say what the caller should know before the search starts."""
        if self.announcer is not None:
            self.announcer(sentence)

    def preparing(self, doing: str, share: float) -> None:
        """Say what is done now to set the search up, and which share of that is done, from 0 to 1."""
        if self.preparer is not None:
            self.preparer(doing, share)

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
        return None if self.whole is None else self.whole.asked_to_stop()

    def keep(self, best: Checkpoint) -> None:
        """Have the best allowed solution stored, now and then and if it is new, against a crash."""
        due = self.seconds - self._kept >= SECONDS_BETWEEN_KEEPS
        if self.keeper is not None and due and best.at_risk != self._kept_at_risk:
            self.keeper(best.deleted_edges(), best.at_risk)
            self._kept, self._kept_at_risk = self.seconds, best.at_risk
