"""The worker: does what the server orders, one thing after the other, until the server ends.

It speaks with the server in lines of JSON: orders on standard input, answers on standard output. When
standard input ends, the server has ended, however it did: the worker leaves too. `make` makes a release: it
searches, takes a point of a curve or draws a synthetic network, gathers evidence and writes. Meanwhile the
user pauses, stops and leaves it by a word: see `Steering`.
"""

from __future__ import annotations

import json
import logging
import os
import queue
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TextIO

from netveil.errors import NetveilError
from netveil.extensions import user_code_refused
from netveil.formatting import counted, percentage
from netveil.job import Anonymization, Synthesis
from netveil.progress import Watcher, finished
from netveil.release.folder import ReleaseFolder, release_from_curve
from netveil.search import Control, Underway
from netveil.search.budget import edges_allowed
from netveil.search.control import Checkpoint, TimeLeft
from netveil.web import loading, looking
from netveil.web.loading import network_of
from netveil.web.requests import in_words
from netveil.workflow import anonymizing, make_release, make_synthetic

SECONDS_BETWEEN = 0.1  # two messages on how far it has come
SECONDS_OF_TRIAL = 2.0  # of each of its searches
USUAL_TARGET = "95%"

Tell = Callable[[dict[str, Any]], None]


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


@dataclass
class Keeping(Control):
    """Control that remembers the best so far, to store it at once when the server ends."""

    best: Checkpoint | None = None

    def keep(self, best: Checkpoint) -> None:
        """Have the best stored now and then, as any search does."""
        self.best = best
        super().keep(best)

    def keep_now(self) -> None:
        """Have the best stored at once."""
        if self.keeper is not None and self.best is not None:
            self.keeper(self.best.deleted_edges(), self.best.at_risk)


class OnPage(Watcher):
    """Tells the page how far a run is, and lets the user pause, stop and leave it."""

    wants_report_of_stopped = True  # whoever stops it once more does without

    def __init__(
        self, tell: Tell, steering: Steering, budget: int = 0, time_limit: float | None = None
    ) -> None:
        self.budget = budget  # edges to delete at most
        self.control = Keeping(clock=steering.seconds)
        self._tell, self._steering = tell, steering
        self._time_left, self._last = TimeLeft(time_limit), -SECONDS_BETWEEN
        self._stops = 0  # how often the user had stopped it when the search was over
        steering.on_stop = self.control.interrupt
        steering.on_pause = lambda paused: tell({"state": "paused" if paused else "searching"})
        if steering.stops:  # before there was anything to stop
            self.control.interrupt()

    def announce(self, sentence: str) -> None:
        """Show the sentence on the run's card."""
        self._tell({"announced": sentence})

    def warn(self, sentence: str) -> None:
        """Show a warning on the run's card, options as fields."""
        told = in_words(NetveilError(sentence))
        self._tell({"announced": told[:1].upper() + told[1:]})

    def prepare(self, doing: str, share: float) -> None:
        """Tell the share that is set up or drawn, now and then, and obey the user."""
        moment = time.monotonic()
        if moment - self._last >= SECONDS_BETWEEN:
            self._last = moment
            self._tell({"progress": {"doing": doing, "share": share}})
        self._steering.obey()

    def step(self, progress: Underway) -> None:
        """Tell how far the search is, now and then, and obey the user."""
        moment = time.monotonic()
        if moment - self._last >= SECONDS_BETWEEN or (progress.share or 0) >= 1:
            self._last = moment
            left = self._time_left.words(progress)
            self._tell({"progress": {**asdict(progress), "budget": self.budget, "left": left}})
        try:
            self._steering.obey()
        except ServerEnded:
            self.control.keep_now()
            raise

    def end_search(self) -> None:
        """Tell that the report begins; whoever stops or pauses from now on means the report."""
        steering, self._stops = self._steering, self._steering.stops
        steering.on_stop = lambda: None
        steering.on_pause = lambda paused: self._tell({"state": "paused" if paused else "reporting"})
        self._tell({"state": "reporting", "doing": "writing the report"})

    @contextmanager
    def report(self, doing: str) -> Iterator[Callable[[str], None]]:
        """Tell what is done for a part of the report; whoever stops now does without the rest of it."""
        last = time.monotonic()
        self._tell({"doing": doing})

        def listen(words: str) -> None:
            nonlocal last
            self._steering.obey()
            if self._steering.stops > self._stops:
                raise SkippedError
            if time.monotonic() - last >= SECONDS_BETWEEN:
                last = time.monotonic()
                self._tell({"doing": f"{doing}: {words}"})

        with suppress(SkippedError):
            yield listen


def make(order: dict[str, Any], tell: Tell, steering: Steering) -> dict[str, Any]:
    """Do the job of an order, and tell how far it has come; returns the figures of the release."""
    if order["kind"] == "synthetic":
        return _make_synthetic(order, tell, steering)
    files = {name: order[name] for name in ("protect", "policy")}
    job = Anonymization.from_document({**order["options"], **files})
    network = network_of(order["network"])
    budget = edges_allowed(job.budget, job.target is not None, network.edge_count)
    watcher = OnPage(tell, steering, budget, job.time)
    point = None
    if order["kind"] == "point":
        curve, budget = order["source_folder"], order["budget"]
        point = partial(release_from_curve, folder=curve, budget=budget, asked={})
    else:
        tell({"state": "searching", "doing": "searching"})
    made = make_release(
        job,
        network,
        ReleaseFolder(order["folder"]),
        watcher,
        watcher.control,
        resume=order["resumed"],
        point=point,
        extension=order["extension"],
        command=order["command"],
    )
    return made.release.figures() | made.evidence.decided.to_dict()


def _make_synthetic(order: dict[str, Any], tell: Tell, steering: Steering) -> dict[str, Any]:
    """Draw the networks of an order; what was cut off is drawn again, for its seed gives the same ties."""
    tell({"state": "searching", "doing": "making the table"})
    release, evidence = make_synthetic(
        Synthesis.from_document({**order["options"], "policy": order["policy"]}),
        network_of(order["network"]),
        ReleaseFolder(order["folder"]),
        OnPage(tell, steering),
        extension=order["extension"],
        command=order["command"],
    )
    return release.figures() | evidence.decided.to_dict()


def trial(order: dict[str, Any]) -> dict[str, Any]:
    """About what it costs to delete ties as an order asks for: two short searches, told in sentences."""
    network, asked = network_of(order["network"]), Anonymization.from_document(order["options"])
    target, most = asked.target or USUAL_TARGET, edges_allowed(asked.budget, False, network.edge_count)
    brief = replace(asked, target=target, budget=None, time=SECONDS_OF_TRIAL, curve=False)
    deleted = len(finished(anonymizing(network, brief, Control(), None)).outcome.deleted_edges)
    sentence = (
        f"In a short trial it took {counted(deleted, 'tie')} ({percentage(deleted, network.edge_count)}) to "
        f"give {target} of the people lookalikes; a longer search may need fewer."
    )
    if deleted <= most:
        return {"fits": True, "sentence": sentence}
    within = finished(anonymizing(network, replace(brief, budget=most), Control(), None)).outcome
    left = f"{within.at_risk_after:,} of {counted(network.node_count, 'person', 'people')}"
    return {
        "fits": False,
        "sentence": f"{sentence} With the {counted(most, 'tie')} that may be lost, {left} stayed at risk. So "
        f"much protection cannot be had by deleting so few ties; a synthetic network can give it.",
    }


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
