"""What a user sees and does while a command works: a bar on a terminal, lines in a log, Ctrl-C."""

from __future__ import annotations

import logging
import math
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from types import FrameType
from typing import TYPE_CHECKING

import click

from netveil.cli.entry import end_at_once, handling_signals
from netveil.errors import for_command_line
from netveil.formatting import duration
from netveil.progress import Watcher
from netveil.search import ALGORITHMS
from netveil.search.control import TOO_EARLY, TimeLeft

if TYPE_CHECKING:
    from netveil.job import Anonymization
    from netveil.search import Control, Underway

log = logging.getLogger("netveil")


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
def bar(text: str) -> Iterator[Redraw]:
    """Draw a bar that is gone in the end; beside it stands the first of the texts for which there is room."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn

    console = Console(stderr=True)
    width = WIDEST_BAR if console.width >= ROOM_FOR_WIDEST else NARROW_BAR
    filled = (BarColumn(bar_width=width),) if console.width >= ROOM_FOR_BAR else ()
    beside = TextColumn("{task.description}", markup=False)
    taken = 2 + (1 + width if filled else 0)  # by the spinner, the bar and what is between
    with Progress(SpinnerColumn(), *filled, beside, console=console, transient=True) as progress:
        task = progress.add_task(text, total=None)

        def redraw(done: float, total: float | None, *texts: str) -> None:
            fitting = next((text for text in texts if len(text) <= console.width - taken), texts[-1])
            progress.update(task, completed=done, total=total, description=fitting)

        yield redraw


@contextmanager
def bar_or_lines(text: str, quiet: bool, lines: LogLines | None = None) -> Iterator[Redraw | None]:
    """Give what shows how far work is, on a bar or, where none can be drawn, in lines; None if quiet."""
    if quiet:
        yield None
    elif can_draw():
        with bar(text) as redraw:
            yield redraw
    else:
        yield None if lines is None else lambda done, total, *texts: lines.say(texts[0])


@contextmanager
def share_on_bar(doing: str, quiet: bool) -> Iterator[Callable[[float], None] | None]:
    """On a terminal, a bar that fills; gives what is to hear which share is done."""
    with bar_or_lines(doing, quiet) as redraw:
        yield redraw and (lambda share: redraw(share, 1.0, f"{doing}: {share:.0%}"))


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
        """How much is done, of how much: seconds where time is limited, else the share, if that is known."""
        if self.time_limit is not None:
            return progress.seconds, self.time_limit
        return progress.share or 0.0, None if progress.share is None else 1.0

    def line(self, progress: Underway) -> str:
        """Line of a log on how far a search is."""
        left = self.time_left.words(progress)
        time = _passed(progress) if left in ("", TOO_EARLY) else f"{_passed(progress)}, {left}"
        spent = f"{progress.deleted:,} of {self.budget:,} edges deleted"
        return " · ".join([*self._steps(progress), self._at_risk(progress), spent, time])

    def wordings(self, progress: Underway) -> list[str]:
        """Texts to stand beside a bar, from long to short."""
        left = self.time_left.words(progress) or f"{_passed(progress)} so far"
        spent = f"{progress.deleted:,} of {self.budget:,}"
        few = f"{progress.at_risk:,} at risk"
        of_all = f"{progress.at_risk:,} of {progress.at_first:,} at risk"
        in_brief = f"{few}, {progress.enough:,} may be" if progress.enough else of_all
        wordings = [
            [*self._steps(progress), self._at_risk(progress), f"{spent} edges deleted", left],
            [self._at_risk(progress), f"{spent} edges deleted", left],
            [in_brief, f"{spent} edges deleted", left],
            [in_brief, f"{spent} deleted", left],
            [few, f"{spent} deleted", left],
            [few, f"{progress.deleted:,} deleted", left],
            [few, left],
            [few],
        ]
        return [" · ".join(parts) for parts in wordings]

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


class OnTerminal(Watcher):
    """Shows a job on standard error: its search on a bar or in lines, parts of its report, warnings."""

    def __init__(self, shown: Shown, quiet: bool) -> None:
        self.quiet, self._shown = quiet, shown
        self._bar = ExitStack()
        self._redraw: Redraw | None = None
        self._lines = LogLines(SECONDS_BETWEEN_LOG_LINES)

    def warn(self, sentence: str) -> None:
        """Print a warning, also where only the result is asked for."""
        click.echo(f"warning: {for_command_line(sentence)}", err=True)

    def announce(self, sentence: str) -> None:
        """Log a sentence, which --quiet silences."""
        log.info(sentence)

    def prepare(self, doing: str, share: float) -> None:
        """Fill a bar while the search is set up."""
        if (redraw := self._open_bar()) is not None:
            redraw(share, 1.0, f"preparing: {doing}", "preparing")

    def step(self, progress: Underway) -> None:
        """Fill the bar over the search, or just move it where nobody knows how long it takes."""
        if (redraw := self._open_bar()) is not None:
            redraw(*self._shown.bar_of(progress), *self._shown.wordings(progress))
        elif not self.quiet:
            self._lines.say(self._shown.line(progress))

    def end_search(self) -> None:
        """Take the bar of the search away."""
        self._bar.close()
        self._redraw = None

    @contextmanager
    def report(self, doing: str) -> Iterator[Callable[[str], None] | None]:
        """Say what is done for a part of the report, and how far it has come; Ctrl-C skips it."""
        with telling(f"{doing} (Ctrl-C skips this)", self.quiet) as listener, cut_short_by_signals():
            yield listener

    def _open_bar(self) -> Redraw | None:
        if self._redraw is None and not self.quiet and can_draw():
            self._redraw = self._bar.enter_context(bar("preparing"))
        return self._redraw

    close = end_search


@contextmanager
def watching(job: Anonymization, edges: int, quiet: bool) -> Iterator[OnTerminal]:
    """Show a job on a network of so many edges while it is done."""
    from netveil.search.budget import edges_allowed

    allowed = edges_allowed(job.budget, job.target is not None, edges)
    with closing(OnTerminal(Shown(job.algorithm, allowed, job.time), quiet)) as watcher:
        yield watcher


@contextmanager
def telling(doing: str, quiet: bool, *, at_once: bool = True) -> Iterator[Callable[[str], None] | None]:
    """Say on standard error what is done; gives what is to hear how far it has come, if anybody wants to.

    Outside of a terminal, nothing is said of what is soon done unless that is wanted `at_once`.
    """
    lines = LogLines(SECONDS_BETWEEN_LOG_LINES, said=not at_once)
    if at_once and not quiet and not can_draw():
        lines.say(f"{doing} …")
    with bar_or_lines(doing, quiet, lines) as redraw:
        yield redraw and (lambda words: redraw(0, None, f"{doing}: {words}"))


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
