"""What a user sees and does while a search runs: a bar on a terminal, lines in a log, Ctrl-C."""

from __future__ import annotations

import math
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import TYPE_CHECKING

from netveil.cli.bars import LogLines, bar, can_draw
from netveil.cli.ending import end_at_once, handling_signals
from netveil.search import ALGORITHMS
from netveil.search.time_left import TOO_EARLY, TimeLeft
from netveil.words import duration

if TYPE_CHECKING:
    from netveil.release.gather import Part
    from netveil.search import Control, Underway

SECONDS_BETWEEN_LOG_LINES = 5.0
SECONDS_OF_ONE_SIGNAL = 1.0  # `timeout` sends its signal to a process and to its group: twice, and means one


class Shown:
    """What is shown of a search: people left at risk, edges spent of the budget, about how long it takes."""

    def __init__(self, algorithm: str, budget: int, time_limit: float | None = None) -> None:
        """`budget` in edges; `time_limit` in seconds, if the search has one."""
        self.algorithm, self.budget = algorithm, budget
        self.time_limit = time_limit
        self.time_left = TimeLeft(time_limit)

    def bar_of(self, progress: Underway) -> tuple[float, float | None]:
        """How much is done, of how much: time where that is limited; nothing known where neither is."""
        if self.time_limit is not None:
            return progress.seconds, self.time_limit
        return progress.share or 0.0, None if progress.share is None else 1.0

    def line(self, progress: Underway) -> str:
        """A line of a log."""
        passed, left = _passed(progress), self.time_left.words(progress)
        return _joined(
            *self._steps(progress),
            self._at_risk(progress),
            f"{progress.deleted:,} of {self.budget:,} edges deleted",
            passed if left in ("", TOO_EARLY) else f"{passed}, {left}",
        )

    def wordings(self, progress: Underway) -> list[str]:
        """The same beside a bar, from long to short."""
        left = self.time_left.words(progress) or f"{_passed(progress)} so far"
        spent = f"{progress.deleted:,} of {self.budget:,}"
        few = f"{progress.at_risk:,} at risk"
        if progress.enough:
            in_brief = f"{few}, {progress.enough:,} may be"
        else:
            in_brief = f"{progress.at_risk:,} of {progress.at_first:,} at risk"
        return [
            _joined(*self._steps(progress), self._at_risk(progress), f"{spent} edges deleted", left),
            _joined(self._at_risk(progress), f"{spent} edges deleted", left),
            _joined(in_brief, f"{spent} edges deleted", left),
            _joined(in_brief, f"{spent} deleted", left),
            _joined(few, f"{spent} deleted", left),
            _joined(few, f"{progress.deleted:,} deleted", left),
            _joined(few, left),
            few,
        ]

    def _at_risk(self, progress: Underway) -> str:
        may_be = f" ({progress.enough:,} may be)" if progress.enough else ""
        return f"{progress.at_risk:,} of {progress.at_first:,} still at risk{may_be}"

    def _steps(self, progress: Underway) -> list[str]:
        """Generations where there are any; the objective where it is not the people at risk."""
        chosen = ALGORITHMS.get(self.algorithm)
        parts = []
        if chosen is not None and chosen.counts_generations:
            parts.append(f"{chosen.unit} {progress.step:,}")
        if progress.objective != progress.at_risk:  # over the budget, or beyond a limit
            parts.append(f"objective {progress.objective:,}")
        return parts


def _passed(progress: Underway) -> str:
    return duration(progress.seconds) if progress.seconds >= 1 else "0 s"


def _joined(*parts: str) -> str:
    return " · ".join(parts)


@contextmanager
def progress_on(
    shown: Shown, quiet: bool, control: Control | None = None
) -> Iterator[Callable[[Underway], None] | None]:
    """Show progress on standard error: a bar on a terminal, a line now and then elsewhere.

    Gives what is to hear of each step. The bar shows how a control's search is set up, too. It fills over the
    search, or just moves where nobody knows how long it takes.
    """
    if quiet:
        yield None
    elif can_draw():
        with bar("preparing") as redraw:
            if control is not None:
                control.preparer = lambda doing, share: redraw(share, 1.0, f"preparing: {doing}", "preparing")
            yield lambda progress: redraw(*shown.bar_of(progress), *shown.wordings(progress))
    else:
        lines = LogLines(SECONDS_BETWEEN_LOG_LINES)
        yield lambda progress: lines.say(shown.line(progress))


@contextmanager
def skippable(part: Part, quiet: bool) -> Iterator[Callable[[str], None] | None]:
    """Say what is done for a part of the report, and how far it has come; Ctrl-C skips it."""
    with telling(f"{part.doing} (Ctrl-C skips this)", quiet) as listener, cut_short_by_signals():
        yield listener


@contextmanager
def telling(doing: str, quiet: bool, *, at_once: bool = True) -> Iterator[Callable[[str], None] | None]:
    """Say on standard error what is done; gives what is to hear how far it has come, if anybody wants to.

    Outside of a terminal, nothing is said of what is soon done unless that is wanted `at_once`.
    """
    if quiet:
        yield None
    elif can_draw():
        with bar(doing) as redraw:
            yield lambda words: redraw(0, None, f"{doing}: {words}")
    else:
        lines = LogLines(SECONDS_BETWEEN_LOG_LINES, said=not at_once)
        if at_once:
            lines.say(f"{doing} …")
        yield lambda words: lines.say(f"{doing}: {words}")


@contextmanager
def stopping_on_signals(control: Control, clock: Callable[[], float] = time.monotonic) -> Iterator[None]:
    """Ctrl-C, SIGTERM and SIGHUP ask the search to stop and keep its best.

    A second one ends the command as soon as it has cleaned up, a third one at once.
    """

    answers = [lambda number, frame: control.interrupt(), signal.default_int_handler]
    last = -math.inf

    def stop(number: int, frame: FrameType | None) -> None:
        nonlocal last
        if clock() - last > SECONDS_OF_ONE_SIGNAL:
            last = clock()
            answer = answers.pop(0) if answers else end_at_once
            answer(number, frame)

    with handling_signals(stop):
        yield


@contextmanager
def cut_short_by_signals() -> Iterator[None]:
    """Ctrl-C, SIGTERM and SIGHUP end what is done inside, and the command goes on without it."""
    with suppress(KeyboardInterrupt), handling_signals(signal.default_int_handler):
        yield
