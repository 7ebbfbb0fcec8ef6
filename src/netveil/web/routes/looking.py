"""Look at a network: who is at risk by attacker, the drawn network, one person; and watch experiments."""

from __future__ import annotations

import json
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from netveil.errors import NetveilError
from netveil.web.answers import in_words, json_answer, missing, mistake
from netveil.web.forms import ATTACKERS, attackers_in, checked_job, number_in
from netveil.web.state import Hall
from netveil.web.stored import ID
from netveil.web.uploads import json_body
from netveil.web.work.looking import DEAR

# What every route takes from a request: the hall, and ids that were checked.


def hall_of(request: Request) -> Hall:
    """What the server has."""
    hall: Hall = request.app.state.hall
    return hall


def id_in(request: Request) -> str:
    """The id in the path of a request; nothing else of a path is ever used to find something."""
    name = str(request.path_params["id"])
    if ID.fullmatch(name) is None:
        raise missing("thing")
    return name


async def look(request: Request) -> Response:
    """All cheap measures at once."""
    hall, name = hall_of(request), id_in(request)
    k = number_in(request.query_params, "k", ATTACKERS["k"])
    found = await hall.looker.ask("look", network=_given(hall, name), k=k)
    return json_answer({"id": name, **found})


async def measure(request: Request) -> Response:
    """Who is at risk to the attackers in the query; in a process of its own where that may take long."""
    hall, name, asked = hall_of(request), id_in(request), attackers_in(request.query_params)
    given = _given(hall, name)
    if _is_dear(asked):
        key = _key(name, asked)
        return json_answer(await hall.looker.ask_alone(key, "measure", network=given, attackers=asked))
    return json_answer(await hall.looker.ask("measure", network=given, attackers=asked))


async def cancel(request: Request) -> Response:
    """Do not wait any longer for what takes long."""
    hall, name = hall_of(request), id_in(request)
    given = await json_body(request, {**ATTACKERS, "measure": None})
    asked = {key: given[key] for key in ATTACKERS}
    if given["measure"] is not None:
        asked["measures"] = given["measure"] if isinstance(given["measure"], list) else [given["measure"]]
    checked_job(asked)
    return json_answer({"cancelled": hall.looker.cancel(_key(name, asked))})


async def drawing(request: Request) -> Response:
    """The network laid out, coloured by risk."""
    hall, name, asked = hall_of(request), id_in(request), attackers_in(request.query_params)
    return json_answer(await _asked(hall, "drawing", name, asked))


async def people(request: Request) -> Response:
    """Those at risk, or whoever has a text in the label."""
    hall, name, query = hall_of(request), id_in(request), request.query_params
    offset, limit = number_in(query, "offset", 0), number_in(query, "limit", 100)
    found = query.get("find", "")
    return json_answer(
        await _asked(hall, "people", name, attackers_in(query), offset=offset, limit=limit, find=found)
    )


async def person(request: Request) -> Response:
    """One person."""
    hall, name, asked = hall_of(request), id_in(request), attackers_in(request.query_params)
    return json_answer(await _asked(hall, "person", name, asked, node=request.path_params["node"]))


async def experiment(request: Request) -> Response:
    """The results of an experiment so far."""
    hall, name = hall_of(request), id_in(request)
    try:
        return json_answer(await run_in_threadpool(hall.experiments.document, name))
    except NetveilError as error:
        raise mistake(in_words(error)) from None


def _given(hall: Hall, name: str) -> dict[str, Any]:
    return hall.networks.given(hall.networks.read_from(name))


async def _asked(hall: Hall, do: str, name: str, asked: dict[str, Any], **more: Any) -> Any:
    return await hall.looker.ask(do, network=_given(hall, name), attackers=asked, **more)


def _is_dear(asked: dict[str, Any]) -> bool:
    return asked["distance"] > 1 or any(name in DEAR for name in asked["measures"])


def _key(name: str, asked: dict[str, Any]) -> str:
    return f"{name} {json.dumps(asked, sort_keys=True)}"


ROUTES = [
    Route("/api/networks/{id}/look", look),
    Route("/api/networks/{id}/measure", measure),
    Route("/api/networks/{id}/measure/cancel", cancel, methods=["POST"]),
    Route("/api/networks/{id}/drawing", drawing),
    Route("/api/networks/{id}/people", people),
    Route("/api/networks/{id}/people/{node:int}", person),
    Route("/api/experiments/{id}", experiment),
]
