"""Bring a network and see how it was read; look at it, who is at risk by attacker, and watch experiments."""

from __future__ import annotations

import json
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from netveil.errors import NetveilError
from netveil.files import FORMATS
from netveil.opening import BUILTIN
from netveil.web.answers import in_words, missing, mistake
from netveil.web.data_folder import NOT_ASKED, Record, new_id, safe_name
from netveil.web.forms import ATTACKERS, LARGE, attackers_in, checked_job, checked_options, number_in
from netveil.web.requests import Routes, announced_files, id_in, json_body, receive_files
from netveil.web.state import PageState
from netveil.web.work.looking import DEAR

routes = Routes()


@routes.add("/api/networks", "POST", status=201)
async def upload(state: PageState, request: Request) -> Any:
    """Bring a file, in the body of the request."""
    files = announced_files(request)
    if len(files) != 1:
        raise mistake("Bring one file at a time, or a release folder as such.")
    record = state.networks.add(safe_name(files[0].name), "upload", size=files[0].size)
    try:
        await receive_files(request, files, state.largest_upload, lambda name: state.networks.file_of(record))
    except BaseException:
        state.networks.remove(record["id"])
        raise
    return await state.read(record)


@routes.add("/api/networks/builtin", "POST", status=201)
async def builtin(state: PageState, request: Request) -> Any:
    """Bring a network that comes with netveil."""
    name = (await json_body(request, {"name": None}))["name"]
    if not isinstance(name, str) or name not in BUILTIN:
        raise mistake(f"There is no built-in network of this name; the choice is {', '.join(BUILTIN)}.")
    return await state.read(state.networks.add("", "builtin", name=name))


@routes.add("/api/networks/{id}")
async def network(state: PageState, request: Request) -> Any:
    """How a network was read."""
    return state.networks.shown(state.networks.get(id_in(request)))


@routes.add("/api/networks/{id}/reading", "POST")
async def read_again(state: PageState, request: Request) -> Any:
    """Read a file in another way."""
    record = state.networks.get(id_in(request))
    if record["source"] != "upload":
        raise mistake("Only a file can be read in another way.")
    asked = _checked_reading(await json_body(request, NOT_ASKED))
    state.check_unused(record["id"], "read it again")
    record["asked"] = asked
    return await state.read(record)


@routes.add("/api/networks/{id}/persons", "POST")
async def bring_persons(state: PageState, request: Request) -> Any:
    """Bring a table of persons for a file, in the body of the request; the query may name its key column."""
    record = state.networks.read_from(id_in(request))
    if record["source"] != "upload":
        raise mistake("Only a file can have a table of persons beside it.")
    state.check_unused(record["id"], "read it again")
    files = announced_files(request)
    if len(files) != 1:
        raise mistake("Bring one table of persons.")
    key = request.query_params.get("key", "").strip() or None
    persons = {"id": new_id(), "file": safe_name(files[0].name), "key": key}
    place = state.networks.file_of_persons(record, persons)
    try:
        await receive_files(request, files, state.largest_upload, lambda name: place)
        return await state.read_with(record, persons)
    except BaseException:
        place.unlink(missing_ok=True)
        raise


@routes.add("/api/networks/{id}/persons", "DELETE")
async def remove_persons(state: PageState, request: Request) -> Any:
    """Read a network without its table of persons."""
    record = state.networks.get(id_in(request))
    if record["persons"] is None:
        raise missing("table of persons")
    state.check_unused(record["id"], "read it again")
    state.forget_persons(record)
    return await state.read(record)


def _checked_reading(asked: Record) -> Record:
    """Check how a file is to be read; returns it with empty values as None."""
    flags = ("header", "nominations")
    kinds: Record = {"columns": list | str | None, **dict.fromkeys(flags, bool | None)}
    if not all(isinstance(value, kinds.get(name, str | None)) for name, value in asked.items()):
        rule = "is said in texts, but header and nominations, which are true or false"
        raise mistake(f"How to read a file {rule}.")
    if asked["format"] and asked["format"] not in FORMATS:
        raise mistake(f"There is no such format; the choice is {', '.join(FORMATS)}.")
    if isinstance(asked["columns"], list):
        asked["columns"] = list(map(str, asked["columns"]))
    return {name: value if name in flags else value or None for name, value in asked.items()}


@routes.add("/api/networks/{id}", "DELETE")
async def remove(state: PageState, request: Request) -> Any:
    """Forget a network."""
    name = id_in(request)
    state.networks.get(name)
    state.check_unused(name, "delete it")
    state.remove_network(name)
    return {"gone": True}


@routes.add("/api/networks/{id}/look")
async def look(state: PageState, request: Request) -> Any:
    """Who is at risk to attackers with each cheap measure."""
    k = number_in(request.query_params, "k", ATTACKERS["k"])
    return {"id": id_in(request), **await state.workers.ask("look", network=_given(state, request), k=k)}


@routes.add("/api/networks/{id}/measure")
async def measure(state: PageState, request: Request) -> Any:
    """Who is at risk to the attackers in the query; in a process of its own where that may take long."""
    asked = attackers_in(request.query_params)
    order = {"network": _given(state, request), "attackers": asked}
    if asked["distance"] > 1 or any(name in DEAR for name in asked["measures"]):
        return await state.workers.ask_alone(_key(request, asked), "measure", **order)
    return await state.workers.ask("measure", **order)


@routes.add("/api/networks/{id}/measure/cancel", "POST")
async def cancel(state: PageState, request: Request) -> Any:
    """Cancel a measure that takes long."""
    given = await json_body(request, {**ATTACKERS, "measure": None})
    asked = {key: given[key] for key in ATTACKERS}
    if given["measure"] is not None:
        asked["measures"] = given["measure"] if isinstance(given["measure"], list) else [given["measure"]]
    checked_job(asked)
    return {"cancelled": state.workers.cancel(_key(request, asked))}


@routes.add("/api/networks/{id}/ceilings")
async def ceilings(state: PageState, request: Request) -> Any:
    """What nobody can exceed in a synthetic network; in a process of its own where that may take long."""
    order = {"network": _given(state, request)}
    if state.networks.get(id_in(request))["edges"] > LARGE:
        return await state.workers.ask_alone(f"{id_in(request)} ceilings", "ceilings", **order)
    return await state.workers.ask("ceilings", **order)


@routes.add("/api/networks/{id}/trial", "POST")
async def trial(state: PageState, request: Request) -> Any:
    """About what it would cost to delete ties; in a process of its own, and not in very large networks."""
    asked = await json_body(request, {"options": {}})
    record = state.networks.read_from(id_in(request))
    options = checked_options(asked["options"], record["nodes"], record["edges"]) | {"seed": 0}
    if record["edges"] > LARGE:
        return {"fits": True, "sentence": "The network is too large for a quick trial of what that costs."}
    order = {"network": _given(state, request), "options": options | {"protect": None, "policy": None}}
    return await state.workers.ask_alone(_key(request, options), "trial", **order)


@routes.add("/api/networks/{id}/drawing")
async def drawing(state: PageState, request: Request) -> Any:
    """The network laid out, coloured by risk."""
    return await _answer(state, request, "drawing")


@routes.add("/api/networks/{id}/people")
async def people(state: PageState, request: Request) -> Any:
    """People at risk, or people whose label has a text in it."""
    query = request.query_params
    return await _answer(state, request, "people", **page_in(request), find=query.get("find", ""))


@routes.add("/api/networks/{id}/people/{node:int}")
async def person(state: PageState, request: Request) -> Any:
    """One person: contacts, lookalikes, why they are at risk."""
    return await _answer(state, request, "person", node=request.path_params["node"])


@routes.add("/api/experiments/{id}")
async def experiment(state: PageState, request: Request) -> Any:
    """The results of an experiment so far."""
    try:
        return await run_in_threadpool(state.experiments.document, id_in(request))
    except NetveilError as error:
        raise mistake(in_words(error)) from None


def page_in(request: Request) -> Record:
    """Which rows of a long list a request wants."""
    query = request.query_params
    return {"offset": number_in(query, "offset", 0), "limit": number_in(query, "limit", 100)}


def _given(state: PageState, request: Request) -> Record:
    """The network of a request as workers are told of it."""
    return state.networks.given(state.networks.read_from(id_in(request)))


async def _answer(state: PageState, request: Request, do: str, **more: Any) -> Any:
    """Have a worker answer about the network and the attackers of a request."""
    asked = attackers_in(request.query_params)
    return await state.workers.ask(do, network=_given(state, request), attackers=asked, **more)


def _key(request: Request, asked: Record) -> str:
    return f"{id_in(request)} {json.dumps(asked, sort_keys=True)}"
