"""How far a command has come, on standard error: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

Redraw = Callable[[float, float | None, str], None]
"""Draws a bar again: how much is done, of how much if that is known, and a text beside it."""

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

    beside, filled = TextColumn("{task.description}"), BarColumn(bar_width=20)
    columns = (beside, filled, DownloadColumn()) if counts_bytes else (SpinnerColumn(), filled, beside)
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(text, total=None)

        def redraw(done: float, total: float | None, text: str) -> None:
            progress.update(task, completed=done, total=total, description=text)

        yield redraw


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
