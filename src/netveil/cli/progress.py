"""What a user sees and does while a search runs: a bar on a terminal, lines in a log, Ctrl-C."""

from __future__ import annotations

import math
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from types import FrameType
from typing import TYPE_CHECKING

import click

from netveil.cli.entry import end_at_once, handling_signals
from netveil.formatting import duration
from netveil.search import ALGORITHMS
from netveil.search.control import TOO_EARLY, TimeLeft

if TYPE_CHECKING:
    from netveil.release.gather import Part
    from netveil.search import Control, Underway


# How far a command has come, on standard error: a bar on a terminal, a line now and then elsewhere.


Redraw = Callable[..., None]
"""Draws a bar again: how much is done, of how much if that is known, and texts of which the first that fits
stands beside it."""

WIDEST_BAR, NARROW_BAR = 20, 10  # columns
ROOM_FOR_WIDEST, ROOM_FOR_BAR = 100, 60  # columns of a terminal that has room for such a bar, and for any

UNABLE = ("dumb", "unknown")
"""Values of TERM where no bar shows, as rich has them: terminals inside editors and other programs."""


def is_terminal() -> bool:
    """Whether a person is watching standard error, rather than a file."""
    return sys.stderr.isatty()


def can_draw() -> bool:
    """Whether standard error is a terminal that can draw a line again."""
    return is_terminal() and os.environ.get("TERM", "").lower() not in UNABLE


@contextmanager
def bar(text: str, *, counts_bytes: bool = False) -> Iterator[Redraw]:
    """A bar that is gone in the end; with `counts_bytes` it shows how many have come."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, SpinnerColumn, TextColumn

    console = Console(stderr=True)
    width = WIDEST_BAR if console.width >= ROOM_FOR_WIDEST else NARROW_BAR
    filled = (BarColumn(bar_width=width),) if console.width >= ROOM_FOR_BAR else ()
    beside = TextColumn("{task.description}", markup=False)
    columns = (beside, *filled, DownloadColumn()) if counts_bytes else (SpinnerColumn(), *filled, beside)
    taken = 2 + (1 + width if filled else 0)  # by the spinner, the bar and what is between
    fitting = Fitting()
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task(text, total=None)

        def redraw(done: float, total: float | None, *texts: str) -> None:
            fitted = fitting.chosen(texts, console.width - taken)
            progress.update(task, completed=done, total=total, description=fitted)

        yield redraw


@contextmanager
def share_on_bar(doing: str, quiet: bool) -> Iterator[Callable[[float], None] | None]:
    """On a terminal, a bar that fills; gives what is to hear which share is done."""
    if quiet or not can_draw():
        yield None
        return
    with bar(doing) as redraw:
        yield lambda share: redraw(share, 1.0, f"{doing}: {share:.0%}")


class Fitting:
    """Chooses among wordings, the longest first, one for which there is room.

    Once a shorter one was needed it stays, until there is another room: a line that changed its words
    whenever a figure got a digit more or less would be hard to read.
    """

    def __init__(self) -> None:
        self.room, self.shortened = 0, 0

    def chosen(self, texts: Sequence[str], room: int) -> str:
        """The text to show in so many columns; the last where none fits."""
        if room != self.room:
            self.room, self.shortened = room, 0
        last = len(texts) - 1
        fits = next((place for place, text in enumerate(texts) if len(text) <= room), last)
        self.shortened = min(max(self.shortened, fits), last)
        return texts[self.shortened]


class LogLines:
    """Lines on standard error, at most one in so many seconds but for those that must be seen."""

    def __init__(
        self, seconds: float, clock: Callable[[], float] = time.monotonic, *, said: bool = False
    ) -> None:
        """`said`: whether the first line waits, too."""
        self.seconds, self.clock = seconds, clock
        self.last = clock() if said else clock() - seconds

    def say(self, line: str, *, must_be_seen: bool = False) -> None:
        """Print a line, if it is time for one."""
        now = self.clock()
        if must_be_seen or now - self.last >= self.seconds:
            self.last = now
            click.echo(line, err=True)


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
