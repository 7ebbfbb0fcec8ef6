"""The worker: does what the server orders, one thing after the other, until the server ends.

It speaks with the server in lines of JSON: orders on standard input, answers on standard output. When
standard input ends, the server has ended, however it did: the worker leaves too.
"""

from __future__ import annotations

import json
import logging
import os
import queue
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, TextIO

from netveil.errors import NetveilError
from netveil.extensions import user_code_refused
from netveil.web.requests import in_words
from netveil.web.work import loading, looking
from netveil.web.work.run_job import ServerEnded, Steering, make, trial

WORK = {
    "read": loading.read_network,
    "look": looking.look,
    "measure": looking.measure,
    "drawing": looking.drawing,
    "people": looking.people,
    "ceilings": looking.ceilings_of,
    "person": looking.person,
    "take-in": loading.take_in,
    "pages": loading.pages,
    "drawing-of-release": looking.drawing_of_release,
    "trial": trial,
}
"""Orders by name: each function makes an answer of an order."""


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


def main() -> None:
    """Serve orders until there are no more."""
    logging.disable()
    if hasattr(os, "nice"):
        os.nice(5)  # the server and the browser come first
    steering = Steering()
    channel = Channel(steering)
    # A release that was brought may name a measure of its own: code, which must not run by being looked at.
    with suppress(ServerEnded), user_code_refused():
        for order in channel.orders():
            channel.tell({"id": order["id"], **_answer(order, channel, steering)})


def _answer(order: dict[str, Any], channel: Channel, steering: Steering) -> dict[str, Any]:
    """Result of an order, or its error in words."""
    try:
        if order["do"] == "make":
            return {"result": make(order, lambda told: channel.tell({"told": told}), steering)}
        return {"result": WORK[order["do"]](order)}
    except NetveilError as error:
        return {"error": {"kind": "mistake", "message": _without_paths(in_words(error), order)}}
    except MemoryError:
        return {"error": {"kind": "mistake", "message": "There is not enough memory for this network."}}
    except Exception as error:  # a defect of ours: its text may hold a label, so only its kind is told
        if os.environ.get("NETVEIL_DEBUG"):
            import traceback

            traceback.print_exc(file=sys.stderr)
        kind = type(error).__name__
        return {"error": {"kind": "defect", "message": f"A defect of netveil, not of yours ({kind})."}}


def _without_paths(message: str, order: dict[str, Any]) -> str:
    """A message that names our own files by what the user calls them."""
    network = order.get("network") or {}
    names = {network.get("path"): network.get("shown"), order.get("protect"): "protected ties"}
    persons = network.get("persons") or {}
    names |= {persons.get("path"): persons.get("shown")}
    names |= dict.fromkeys(map(order.get, ("folder", "release", "source_folder")), "the release")
    if "folder" in order:  # of a run: releases of other runs
        place = re.escape(str(Path(order["folder"]).parents[1]))
        message = re.sub(rf"{place}/[0-9a-f]{{16}}/release", "another release of this page", message)
    for path, shown in names.items():
        if path:
            message = message.replace(path, shown or "the network")
    return message


if __name__ == "__main__":
    main()
