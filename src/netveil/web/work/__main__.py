"""The worker: does what the server orders, one thing after the other, until the server ends."""

from __future__ import annotations

import logging
import os
import re
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from netveil.errors import NetveilError
from netveil.extensions import user_code_refused
from netveil.web.answers import in_words
from netveil.web.work import drawing, loading, looking
from netveil.web.work.channel import Channel, ServerEnded, Steering

WORK = {
    "read": loading.read_network,
    "look": looking.look,
    "measure": looking.measure,
    "drawing": drawing.drawing,
    "people": looking.people,
    "ceilings": looking.ceilings_of,
    "person": looking.person,
    "take-in": loading.take_in,
    "pages": loading.pages,
    "drawing-of-release": drawing.drawing_of_release,
}
"""Orders by name: each function makes an answer of an order."""


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
        if order["do"] in ("make", "trial"):
            from netveil.web.work.run_job import make, trial

            if order["do"] == "trial":
                return {"result": trial(order)}
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
