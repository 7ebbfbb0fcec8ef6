"""What a user sees and does while a search runs: a bar on a terminal, lines in a log, Ctrl-C."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import FrameType
from typing import TYPE_CHECKING

from netveil.cli.bars import LogLines, bar, can_draw
from netveil.search import ALGORITHMS

if TYPE_CHECKING:
    from netveil.release.gather import Part
    from netveil.search import Control, Progress

SECONDS_BETWEEN_LOG_LINES = 5.0
SECONDS_OF_ONE_SIGNAL = 1.0  # `timeout` sends its signal to a process and to its group: twice, and means one


@dataclass(frozen=True)
class Shown:
    """What a line on a search needs to know about it."""

    algorithm: str
    budget: int  # in edges

    def describe(self, progress: Progress) -> str:
        """One line on how far the search has come."""
        chosen = ALGORITHMS.get(self.algorithm)
        parts = [
            f"{progress.at_risk:,} at risk",
            f"{progress.deleted:,} of {self.budget:,} edges deleted",
            f"{progress.seconds:.0f} s",
        ]
        if progress.objective != progress.at_risk:  # over the budget, or beyond a limit
            parts.insert(0, f"objective {progress.objective:,}")
        if chosen is not None and chosen.counts_generations:
            parts.insert(0, f"{chosen.unit} {progress.step:,}")
        return " · ".join(parts)


@contextmanager
def progress_on(
    shown: Shown, seconds: float | None, quiet: bool
) -> Iterator[Callable[[Progress], None] | None]:
    """Show progress on standard error: a bar on a terminal, a line now and then elsewhere.

    Gives what is to hear of each step. The bar fills over the time limit, or just moves where there is none.
    """
    if quiet:
        yield None
    elif can_draw():
        with bar("preparing") as redraw:
            yield lambda progress: redraw(progress.seconds, seconds, shown.describe(progress))
    else:
        lines = LogLines(SECONDS_BETWEEN_LOG_LINES)
        yield lambda progress: lines.say(shown.describe(progress))


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
    """Ctrl-C and SIGTERM ask the search to stop and keep its best; a second one stops at once."""

    first: float | None = None

    def stop(number: int, frame: FrameType | None) -> None:
        nonlocal first
        if first is None:
            first = clock()
            control.interrupt()
        elif clock() - first > SECONDS_OF_ONE_SIGNAL:
            signal.default_int_handler(number, frame)

    with _handling_signals(stop):
        yield


@contextmanager
def cut_short_by_signals() -> Iterator[None]:
    """Ctrl-C and SIGTERM end what is done inside, and the command goes on without it."""
    with suppress(KeyboardInterrupt), _handling_signals(signal.default_int_handler):
        yield


@contextmanager
def _handling_signals(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    before = {number: signal.signal(number, handler) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, previous in before.items():
            signal.signal(number, previous)
