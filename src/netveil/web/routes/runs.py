"""Protect: put a search into the queue, watch and steer it."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request

from netveil.files import suffix_for
from netveil.web.answers import mistake
from netveil.web.forms import checked_options
from netveil.web.routing import Routes, id_in
from netveil.web.scripts import command_for, lines_of_run, out_folder, source_of
from netveil.web.state import PageState
from netveil.web.uploads import json_body

LONGEST_NOTE = 200

routes = Routes()


@routes.add("/api/runs", "POST", status=201)
async def add(state: PageState, request: Request) -> Any:
    """Put a search into the queue."""
    asked = await json_body(request, {"network": "", "options": {}, "note": ""})
    record = state.networks.read_from(str(asked["network"]))
    options = checked_options(asked["options"], record["nodes"], record["edges"])
    for name in options["keep_attributes"]:
        if name not in record["attributes"]:
            raise mistake("keep_attributes: the network has no attribute of this name.")
    given = state.networks.given(record)
    source = source_of(given)
    run = state.runs.add(
        network=record["id"],
        name=record["name"],
        given=given,
        options=options,
        extension=suffix_for(source.network, record["asked"]["format"]),
        command=command_for(source, options, out_folder(record["name"])),
        note=checked_note(asked["note"]),
    )
    return state.runs.shown(run)


@routes.add("/api/runs/{id}")
async def run_now(state: PageState, request: Request) -> Any:
    """How far a run has come."""
    return state.runs.shown(state.runs.get(id_in(request)))


@routes.add("/api/runs/{id}", "DELETE")
async def remove(state: PageState, request: Request) -> Any:
    """Delete a run and its release."""
    state.remove_run(id_in(request))
    return {"gone": True}


@routes.add("/api/runs/{id}/lines")
async def lines(state: PageState, request: Request) -> Any:
    """The command and the Python lines that do the same."""
    return lines_of_run(state, state.runs.get(id_in(request)))


async def steer(state: PageState, request: Request) -> Any:
    """Do what a user wants of a run, the last word of the path."""
    run = state.runs.get(id_in(request))
    await json_body(request, {})
    state.runs.ask(run, request.url.path.rpartition("/")[2])
    return state.runs.shown(run)


for _word in ("pause", "continue", "stop", "cancel", "resume"):
    routes.add(f"/api/runs/{{id}}/{_word}", "POST")(steer)


def checked_note(note: Any) -> str:
    """What a user wrote beside a run."""
    if not isinstance(note, str) or len(note) > LONGEST_NOTE:
        raise mistake(f"note: give a text of at most {LONGEST_NOTE} characters.")
    return note
