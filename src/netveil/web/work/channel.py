"""How a worker speaks with the server: lines of JSON, orders on standard input, answers on standard output.

When standard input ends, the server has ended, however it did: the worker leaves too.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
from collections.abc import Iterator
from typing import Any, TextIO

from netveil.web.work.steering import Steering

SECONDS_TO_LEAVE = 3.0  # for a search to keep its best, when nobody is left to tell

WORDS = ("pause", "continue", "stop", "leave")  # that steer what is being done


class Channel:
    """Orders that come in and answers that go out. What the work prints goes nowhere near them."""

    def __init__(self, steering: Steering) -> None:
        self.steering = steering
        self._answers = _taken_from_prints()
        self._lock = threading.Lock()
        self._orders: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        threading.Thread(target=self._listen, daemon=True).start()

    def orders(self) -> Iterator[dict[str, Any]]:
        """What is to be done, one after the other, until the server says no more."""
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
            self.steering.leave()

    def _listen(self) -> None:
        for line in sys.stdin:
            order = json.loads(line)
            if order["do"] in WORDS:
                self.steering.hear(order["do"])
            else:
                self._orders.put(order)
        self.steering.leave()
        self._orders.put(None)
        timer = threading.Timer(SECONDS_TO_LEAVE, os._exit, [0])
        timer.daemon = True
        timer.start()


def _taken_from_prints() -> TextIO:
    """Standard output for ourselves; whatever else is printed goes to standard error."""
    answers = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)
    return answers
