"""One configuration's run in a tournament: a search that pauses, and goes on as if it never had.

A search tells its control after every generation (or step) how far it has come. That of a contender does not
answer until the tournament lets the run go on. So every algorithm can be paused, and none needs to know.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field

import numpy as np

from netveil.search import Algorithm, Control, Problem
from netveil.search.control import StopReason
from netveil.search.outcome import Found
from netveil.search.settings import Settings

SECONDS_BETWEEN_LOOKS = 0.5  # at whether a run has paused: signals are heard in between


class _EliminatedError(Exception):
    """Ends a search from within its control: its solution is of no use to anybody."""


@dataclass
class PausingControl(Control):
    """Holds a search that has come as far as it may, and has it wait for one of the slots to compute in."""

    slots: threading.Semaphore = field(default_factory=threading.Semaphore)
    stop: Control = field(default_factory=Control)  # the caller's hand on the whole tournament
    until: int | None = None  # the step after which to pause; None: none
    eliminated: bool = False
    idle: threading.Event = field(
        default_factory=threading.Event
    )  # set while the run waits, and when it is over
    seconds_computing: float = 0.0
    _go_on: threading.Event = field(default_factory=threading.Event)
    _since: float = 0.0

    def asked_to_stop(self) -> StopReason | None:
        """Why this run or the whole tournament is to stop, if so."""
        return super().asked_to_stop() or self.stop.asked_to_stop()

    def record(self, step: int, evaluations: int, objective: int, at_risk: int, deleted: int) -> None:
        """Add to the history; then wait, if the run has come as far as it may."""
        super().record(step, evaluations, objective, at_risk, deleted)
        if self.until is not None and step >= self.until and self.asked_to_stop() is None:
            self.leave_slot()
            self.idle.set()
            self._go_on.wait()
            self._go_on.clear()
            if self.eliminated:
                raise _EliminatedError
            self.take_slot()

    def go_on(self) -> None:
        """Let a run that waits go on."""
        self.idle.clear()
        self._go_on.set()

    def end(self) -> None:
        """End the run: where it waits, or soon."""
        self.eliminated = True
        self.interrupt()
        self._go_on.set()

    def take_slot(self) -> None:
        """Wait until fewer runs compute than may at once."""
        self.slots.acquire()
        self._since = time.perf_counter()

    def leave_slot(self) -> None:
        """Leave the slot to another run."""
        self.seconds_computing += time.perf_counter() - self._since
        self.slots.release()


class Contender:
    """A run of one configuration, on a thread of its own."""

    def __init__(
        self,
        number: int,
        problem: Problem,
        algorithm: Algorithm,
        settings: Settings,
        seed: int,
        slots: threading.Semaphore,
        stop: Control,
        at_risk_before: int,
    ) -> None:
        self.number, self.settings, self.seed = number, settings, seed
        self.at_risk_before = at_risk_before
        self.problem, self.algorithm = problem, algorithm
        self.control = PausingControl(slots=slots, stop=stop)
        self.is_over = False  # whether it came to its end, or never began because all was to stop
        self.found: Found | None = None  # once it has come to its end
        self.at_risk: int | None = None  # of what it found, recounted
        self.eliminated_at: int | None = None
        self._error: BaseException | None = None
        self._thread: threading.Thread | None = None

    @property
    def has_begun(self) -> bool:
        """Whether there is anything to tell of it."""
        return bool(self.control.history)

    @property
    def objectives(self) -> tuple[int, ...]:
        """The best objective so far, by step from 0.

        What a search records after its last step is about the solution that it hands back: it comes too, in
        the place of that step, unless it is worse because it was made to keep the budget.
        """
        best: dict[int, int] = {}
        for row in self.control.history:
            best[row.step] = min(row.objective, best.get(row.step, row.objective))
        return tuple(best.values())

    def advance(self, until: int | None) -> None:
        """Let it run until it has recorded this step, or to its end; it does so while the caller goes on."""
        if self.is_over:
            return
        self.control.until = until
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, daemon=True)
            self._thread.start()
        else:
            self.control.go_on()

    def wait(self) -> None:
        """Wait until it has paused or come to its end; raises what went wrong in it."""
        while not self.control.idle.wait(SECONDS_BETWEEN_LOOKS):
            pass
        if self._error is not None:
            raise self._error

    def eliminate(self, step: int) -> None:
        """End it where it has paused."""
        self.eliminated_at = step
        self.control.end()

    def _run(self) -> None:
        control = self.control
        control.take_slot()
        holds_slot = True
        try:
            if control.asked_to_stop() is None:
                rng = np.random.default_rng(self.seed)
                found = self.algorithm.run(self.problem, self.settings, rng, control, 1)
                # As in `anonymize`, nothing is deleted where that would be better.
                self.at_risk = min(self.problem.recount(found.deleted_edges)[0], self.at_risk_before)
                self.found = found
        except _EliminatedError:
            holds_slot = False
        except BaseException as error:
            self._error = error
        finally:
            if holds_slot:
                control.leave_slot()
            self.is_over = True
            control.idle.set()
