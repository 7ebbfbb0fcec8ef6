"""What a user may do with a search while it runs: pause it, go on, stop it and keep the best, leave it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable


class Left(BaseException):
    """The server ends: what was found is kept for another time."""


class SkippedError(Exception):
    """The user does not want to wait for the rest of the report."""


class Steering:
    """Heard by one thread, obeyed by another: between two steps of the work, which calls `obey`."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._changed = threading.Condition()
        self._is_paused = self._is_left = False
        self._paused_for = 0.0
        self.stops = 0  # how often the user has asked to stop
        self.on_stop: Callable[[], None] = lambda: None
        self.on_pause: Callable[[bool], None] = lambda paused: None

    def hear(self, word: str) -> None:
        """What the user wants now."""
        with self._changed:
            if word == "leave":
                self._is_left = True
            self._is_paused = word == "pause"
            if word == "stop":
                self.stops += 1
            self._changed.notify_all()
        if word == "stop":
            self.on_stop()

    def leave(self) -> None:
        """The server ends."""
        self.hear("leave")

    @property
    def is_left(self) -> bool:
        """Whether the server ends."""
        return self._is_left

    def obey(self) -> None:
        """Wait as long as the user wants a pause; raise Left if nobody waits any more."""
        with self._changed:
            if self._is_paused:
                began = self._clock()
                self.on_pause(True)
                self._changed.wait_for(lambda: not self._is_paused)
                self._paused_for += self._clock() - began
                self.on_pause(False)
            if self._is_left:
                raise Left

    def seconds(self) -> float:
        """A clock that stands still in a pause: time limits and histories count work, not waiting."""
        return self._clock() - self._paused_for
