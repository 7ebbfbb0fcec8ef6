"""How a worker speaks with the server: lines of JSON, orders on standard input, answers on standard output.

When standard input ends, the server has ended, however it did: the worker leaves too.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, TextIO


class ServerEnded(BaseException):
    """Raised in the work when the server ends: what was found is kept for another time."""


class SkippedError(Exception):
    """Raised in a part of the report for which the user does not want to wait."""


class Steering:
    """Wishes of the user for a run: pause it, go on, stop it and keep the best; or the server ends.

    One thread hears it, another obeys between two steps of its work.
    """

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._changed = threading.Condition()
        self._is_paused = self._is_left = False
        self._paused_for = 0.0
        self.stops = 0  # how often the user has asked to stop
        self.on_stop: Callable[[], None] = lambda: None
        self.on_pause: Callable[[bool], None] = lambda paused: None

    def hear(self, word: str) -> None:
        """Note what the user wants now."""
        with self._changed:
            if word == "leave":
                self._is_left = True
            self._is_paused = word == "pause"
            if word == "stop":
                self.stops += 1
            self._changed.notify_all()
        if word == "stop":
            self.on_stop()

    def obey(self) -> None:
        """Wait as long as the user wants a pause; raise ServerEnded if nobody waits any more."""
        with self._changed:
            if self._is_paused:
                began = self._clock()
                self.on_pause(True)
                self._changed.wait_for(lambda: not self._is_paused)
                self._paused_for += self._clock() - began
                self.on_pause(False)
            if self._is_left:
                raise ServerEnded

    def seconds(self) -> float:
        """A clock that stands still in a pause: time limits and histories count work, not waiting."""
        return self._clock() - self._paused_for


SECONDS_TO_LEAVE = 3.0  # for a search to keep its best, when nobody is left to tell

WORDS = ("pause", "continue", "stop", "leave")  # that steer what is being done


class Channel:
    """Reads orders and writes answers, apart from what the work prints."""

    def __init__(self, steering: Steering) -> None:
        self.steering = steering
        self._answers = _taken_from_prints()
        self._lock = threading.Lock()
        self._orders: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        threading.Thread(target=self._listen, daemon=True).start()

    def orders(self) -> Iterator[dict[str, Any]]:
        """Yield orders, one after the other, until the server has no more."""
        while (order := self._orders.get()) is not None:
            yield order

    def tell(self, message: dict[str, Any]) -> None:
        """Tell the server something; if it is gone, so are we."""
        line = json.dumps(message, ensure_ascii=True, separators=(",", ":"))
        try:
            with self._lock:
                self._answers.write(f"{line}\n")
                self._answers.flush()
        except OSError:
            self.steering.hear("leave")

    def _listen(self) -> None:
        for line in sys.stdin:
            order = json.loads(line)
            if order["do"] in WORDS:
                self.steering.hear(order["do"])
            else:
                self._orders.put(order)
        self.steering.hear("leave")
        self._orders.put(None)
        timer = threading.Timer(SECONDS_TO_LEAVE, os._exit, [0])
        timer.daemon = True
        timer.start()


def _taken_from_prints() -> TextIO:
    """Take standard output for the answers; whatever else is printed goes to standard error."""
    answers = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)
    return answers
