"""Progress on the command line: a bar on a terminal, lines in a log; and Ctrl-C."""

from __future__ import annotations

import logging
import math
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import TYPE_CHECKING

import click

from netveil.cli.entry import end_at_once, handling_signals
from netveil.errors import for_command_line
from netveil.progress import OnBar, Redraw, bar, can_draw

if TYPE_CHECKING:
    from netveil.search import Control, Underway
    from netveil.search.control import Shown

log = logging.getLogger("netveil")


@contextmanager
def bar_or_lines(text: str, quiet: bool, lines: LogLines | None = None) -> Iterator[Redraw | None]:
    """Yield a function that shows progress on a bar or, where none can be drawn, in lines; None if quiet."""
    if quiet:
        yield None
    elif can_draw():
        with bar(text) as redraw:
            yield redraw
    else:
        yield None if lines is None else lambda done, total, *texts: lines.say(texts[0])


@contextmanager
def share_on_bar(doing: str, quiet: bool) -> Iterator[Callable[[float], None] | None]:
    """Show a bar on a terminal; yields a function to call with the share done."""
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


class OnTerminal(OnBar):
    """Shows a job on standard error: its search on a bar or in lines, parts of its report, warnings."""

    def __init__(self, shown: Shown, quiet: bool) -> None:
        super().__init__(shown.on_bar)
        self.quiet, self._shown = quiet, shown
        self._lines = LogLines(SECONDS_BETWEEN_LOG_LINES)

    def warn(self, sentence: str) -> None:
        """Print a warning, also where only the result is asked for."""
        click.echo(f"warning: {for_command_line(sentence)}", err=True)

    def step(self, progress: Underway) -> None:
        """Fill the bar, or print a line now and then where none can be drawn."""
        super().step(progress)
        if not self.quiet and not can_draw():
            self._lines.say(self._shown.line(progress))

    @contextmanager
    def report(self, doing: str) -> Iterator[Callable[[str], None] | None]:
        """Say what is done for a part of the report, and how far it has come; a signal skips it."""
        with (
            telling(f"{doing} (Ctrl-C skips this)", self.quiet) as listener,
            suppress(KeyboardInterrupt),
            handling_signals(signal.default_int_handler),
        ):
            yield listener

    def open_bar(self) -> Redraw | None:
        """The bar, unless nothing is to be shown or none can be drawn."""
        return None if self.quiet or not can_draw() else super().open_bar()


@contextmanager
def telling(doing: str, quiet: bool, *, at_once: bool = True) -> Iterator[Callable[[str], None] | None]:
    """Print what is being done on standard error; yields a listener for its progress, or None.

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
