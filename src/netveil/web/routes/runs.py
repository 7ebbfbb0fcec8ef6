"""Protect: put a search into the queue, watch and steer it."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from netveil.files import suffix_for
from netveil.web.answers import json_answer, mistake
from netveil.web.forms import checked_options
from netveil.web.repeating import command_of, lines_of_run, source_of
from netveil.web.routes.looking import hall_of, id_in
from netveil.web.uploads import json_body

LONGEST_NOTE = 200


async def add(request: Request) -> Response:
    """Put a search into the queue."""
    hall = hall_of(request)
    asked = await json_body(request, {"network": "", "options": {}, "note": ""})
    record = hall.networks.read_from(str(asked["network"]))
    options = checked_options(asked["options"], record["nodes"], record["edges"])
    for name in options["keep_attributes"]:
        if name not in record["attributes"]:
            raise mistake("keep_attributes: the network has no attribute of this name.")
    given = hall.networks.given(record)
    run = hall.runs.add(
        network=record["id"],
        name=record["name"],
        given=given,
        options=options,
        extension=suffix_for(source_of(given).network, record["asked"]["format"]),
        command=command_of(source_of(given), options, record["name"]),
        note=checked_note(asked["note"]),
    )
    return json_answer(hall.runs.shown(run), 201)


async def run_now(request: Request) -> Response:
    """How far a run has come."""
    hall = hall_of(request)
    return json_answer(hall.runs.shown(hall.runs.get(id_in(request))))


async def remove(request: Request) -> Response:
    """Delete a run and its release."""
    hall, name = hall_of(request), id_in(request)
    hall.runs.get(name)
    hall.remove_run(name)
    return json_answer({"gone": True})


async def lines(request: Request) -> Response:
    """The command and the Python lines that do the same."""
    hall = hall_of(request)
    run = hall.runs.get(id_in(request))
    return json_answer(lines_of_run(hall, run))


def _asking(word: str) -> Callable[[Request], Coroutine[Any, Any, Response]]:
    """The route by which a user does something with a run."""

    async def ask(request: Request) -> Response:
        hall = hall_of(request)
        run = hall.runs.get(id_in(request))
        await json_body(request, {})
        hall.runs.ask(run, word)
        return json_answer(hall.runs.shown(run))

    return ask


def checked_note(note: Any) -> str:
    """What a user wrote beside a run."""
    if not isinstance(note, str) or len(note) > LONGEST_NOTE:
        raise mistake(f"note: give a text of at most {LONGEST_NOTE} characters.")
    return note


ROUTES = [
    Route("/api/runs", add, methods=["POST"]),
    Route("/api/runs/{id}", run_now),
    Route("/api/runs/{id}", remove, methods=["DELETE"]),
    Route("/api/runs/{id}/lines", lines),
    *(
        Route(f"/api/runs/{{id}}/{word}", _asking(word), methods=["POST"])
        for word in ("pause", "continue", "stop", "cancel", "resume")
    ),
]
