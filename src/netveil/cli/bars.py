"""How far a command has come, on standard error: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import click

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
