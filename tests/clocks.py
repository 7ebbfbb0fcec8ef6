"""Clocks in the test's hand: what a search does with its time is the same however fast the machine is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from netveil.progress import Watcher
from netveil.search import Control, Progress


class Clock:
    """Stands still until something is said to take time."""

    def __init__(self) -> None:
        self.now = 0.0  # seconds

    def __call__(self) -> float:
        """What the clock shows."""
        return self.now

    def spend(self, seconds: float) -> None:
        """Let so much time pass."""
        self.now += seconds


class Ticking:
    """Goes on by as many seconds each time somebody looks at it."""

    def __init__(self, seconds: float) -> None:
        self.now, self.seconds = 0.0, seconds

    def __call__(self) -> float:
        """What the clock shows."""
        self.now += self.seconds
        return self.now


def watcher_of(**heard: Callable[..., object]) -> Watcher:
    """A watcher whose methods of these names are these functions."""
    watcher = Watcher()
    vars(watcher).update(heard)
    return watcher


def on_a_machine_of(speed: float, **options: Any) -> Control:
    """The control of a search that evaluates so many solutions a second, by a clock of its own."""
    clock = Clock()

    def work(progress: Progress) -> None:
        clock.now = progress.evaluations / speed

    return Control(clock=clock, watcher=watcher_of(step=work), **options)
