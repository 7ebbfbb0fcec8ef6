"""Make a release, as `netveil anonymize` does: search or take a point of a curve, gather evidence, write."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from typing import Any

from netveil.api import from_curve
from netveil.attributes import NO_ATTRIBUTES
from netveil.network import Network
from netveil.progress import finished
from netveil.release.folder import ReleaseFolder
from netveil.release.gather import Part
from netveil.release.records import local_time
from netveil.release.release import Release
from netveil.search import Control, Request, Underway
from netveil.search.budget import edges_allowed
from netveil.search.control import Checkpoint, TimeLeft
from netveil.web.work.channel import Left, SkippedError, Steering
from netveil.web.work.reading import attackers_of_query, network_of
from netveil.workflow import anonymizing, publish

SECONDS_BETWEEN = 0.1  # two messages on how far it has come

Tell = Callable[[dict[str, Any]], None]


@dataclass
class Keeping(Control):
    """Remembers the best so far, to keep it at once when the server ends."""

    best: Checkpoint | None = None

    def keep(self, best: Checkpoint) -> None:
        """Have it stored now and then, as any search does."""
        self.best = best
        super().keep(best)

    def keep_now(self) -> None:
        """Have it stored at once."""
        if self.keeper is not None and self.best is not None:
            self.keeper(self.best.deleted_edges(), self.best.at_risk)


def make_release(order: dict[str, Any], tell: Tell, steering: Steering) -> dict[str, Any]:
    """Do all of it, and tell how far it has come; returns the figures of the release."""
    options, given = order["options"], order["network"]
    loaded = network_of(given)
    attributes, _ = loaded.attributes.chosen(options["keep_attributes"])
    network = replace(loaded, attributes=attributes)
    folder = ReleaseFolder(order["folder"])
    start = folder.where_to_go_on(network, resume=order["resume"])
    with folder.claimed():
        if order["kind"] == "point":
            release = _point(order, network)
        else:
            request = _request(order, start)
            release = _searched(network, request, folder, tell, steering)
            # From here on the server may end before the folder is written.
            folder.keep_best(network, release.outcome.deleted_edges, release.outcome.at_risk_after)
        release = replace(release, keep_labels=options["keep_labels"])
        stops = steering.stops
        tell({"state": "reporting", "doing": "writing the report"})
        publish(
            release,
            folder,
            order["extension"],
            command=order["command"],
            clock=local_time,
            utility=options["utility"],
            audit=options["audit"],
            baselines=options["baselines"],
            audit_curve=options["audit_curve"] and options["curve"],
            threads=options["threads"],
            around=lambda part: _told(part, tell, steering, stops),
        )
    return release.figures()


def _request(order: dict[str, Any], start: Any) -> Request:
    options = order["options"]
    names = ("budget", "target", "algorithm", "seed", "time", "effort", "threads", "keep", "curve")
    asked = {name: options[name] for name in names}
    attackers = attackers_of_query(options)
    return Request(**asked, attackers=attackers, protect=order["protect"], start=start)


def _searched(
    network: Network, request: Request, folder: ReleaseFolder, tell: Tell, steering: Steering
) -> Release:
    """The release that a search finds, which the user may steer."""
    budget = edges_allowed(request.budget, request.target is not None, network.edge_count)
    control = Keeping(clock=steering.seconds, announcer=lambda sentence: tell({"announced": sentence}))
    control.keeper = lambda edges, at_risk: folder.keep_best(network, edges, at_risk)
    steering.on_stop = control.interrupt
    if steering.stops:  # before there was anything to stop
        control.interrupt()
    steering.on_pause = lambda paused: tell({"state": "paused" if paused else "searching"})
    time_left, last = TimeLeft(request.time), -SECONDS_BETWEEN
    tell({"state": "searching", "doing": "searching"})

    def listen(progress: Underway) -> None:
        nonlocal last
        moment = time.monotonic()
        if moment - last >= SECONDS_BETWEEN or (progress.share or 0) >= 1:
            last = moment
            tell({"progress": {**asdict(progress), "budget": budget, "left": time_left.words(progress)}})
        try:
            steering.obey()
        except Left:
            control.keep_now()
            raise

    return finished(anonymizing(network, request, control), listen)


def _point(order: dict[str, Any], network: Network) -> Release:
    """The release of a point of a curve, without a search."""
    bare = replace(network, attributes=NO_ATTRIBUTES)  # of which the user has heard already
    return replace(from_curve(bare, order["from"], order["budget"]), original=network)


@contextmanager
def _told(part: Part, tell: Tell, steering: Steering, stops: int) -> Iterator[Callable[[str], None]]:
    """Tell what is done for a part of the report; whoever stops now does without the rest of it."""
    last = time.monotonic()
    tell({"state": "reporting", "doing": part.doing})
    steering.on_stop = lambda: None
    steering.on_pause = lambda paused: tell({"state": "paused" if paused else "reporting"})

    def listen(words: str) -> None:
        nonlocal last
        steering.obey()
        if steering.stops > stops:
            raise SkippedError
        if time.monotonic() - last >= SECONDS_BETWEEN:
            last = time.monotonic()
            tell({"doing": f"{part.doing}: {words}"})

    with suppress(SkippedError):
        yield listen
