"""Bring a network: a file, a built-in one; see how it was read, and read it again."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from netveil.files import FORMATS
from netveil.web.answers import json_answer, mistake
from netveil.web.routes.looking import hall_of, id_in
from netveil.web.stored import NOT_ASKED, checked_builtin, safe_name, shown
from netveil.web.uploads import announced_files, json_body, receive_files


async def upload(request: Request) -> Response:
    """A file, in the body of the request."""
    hall = hall_of(request)
    files = announced_files(request)
    if len(files) != 1:
        raise mistake("Bring one file at a time, or a release folder as such.")
    record = hall.networks.add(safe_name(files[0].name), "upload", size=files[0].size)
    try:
        await receive_files(request, files, hall.largest_upload, lambda file: hall.networks.file_of(record))
    except BaseException:
        hall.networks.remove(record["id"])
        raise
    return json_answer(await hall.read(record), 201)


async def builtin(request: Request) -> Response:
    """A network that comes with netveil."""
    hall, asked = hall_of(request), await json_body(request, {"name": None})
    record = hall.networks.add(checked_builtin(asked["name"]), "builtin")
    record["name"] = asked["name"]
    return json_answer(await hall.read(record), 201)


async def network(request: Request) -> Response:
    """How a network was read."""
    return json_answer(shown(hall_of(request).networks.get(id_in(request))))


async def read_again(request: Request) -> Response:
    """Read a file in another way."""
    hall = hall_of(request)
    record = hall.networks.get(id_in(request))
    if record["source"] != "upload":
        raise mistake("Only a file can be read in another way.")
    asked = _checked(await json_body(request, NOT_ASKED))
    hall.check_unused(record["id"], "read it again")
    record["asked"] = asked
    return json_answer(await hall.read(record))


async def remove(request: Request) -> Response:
    """Forget a network."""
    hall, name = hall_of(request), id_in(request)
    hall.networks.get(name)
    hall.check_unused(name, "delete it")
    hall.networks.remove(name)
    hall.events.tell("network-gone", name, {"id": name})
    return json_answer({"gone": True})


def _checked(asked: dict[str, Any]) -> dict[str, Any]:
    """How a file is to be read; an error for values that cannot be meant."""
    columns = asked["columns"]
    if isinstance(columns, list):
        columns = asked["columns"] = list(map(str, columns))
    given = {name: value or None for name, value in asked.items() if name != "header"}
    is_right = all(
        value is None or isinstance(value, list if isinstance(value, list) and name == "columns" else str)
        for name, value in given.items()
    )
    if not is_right or not isinstance(asked["header"], bool | None):
        raise mistake("How to read a file is said in texts, but header, which is true or false.")
    if given["format"] is not None and given["format"] not in FORMATS:
        raise mistake(f"There is no such format; the choice is {', '.join(FORMATS)}.")
    return {**given, "header": asked["header"]}


ROUTES = [
    Route("/api/networks", upload, methods=["POST"]),
    Route("/api/networks/builtin", builtin, methods=["POST"]),
    Route("/api/networks/{id}", network),
    Route("/api/networks/{id}", remove, methods=["DELETE"]),
    Route("/api/networks/{id}/reading", read_again, methods=["POST"]),
]
