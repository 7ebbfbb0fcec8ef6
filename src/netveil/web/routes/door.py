"""The page itself, what there is to choose from, how everything stands, and the end."""

from __future__ import annotations

from pathlib import Path

from starlette.requests import Request
from starlette.responses import FileResponse, Response, StreamingResponse
from starlette.routing import Route

from netveil.web.answers import busy, json_answer, missing, mistake
from netveil.web.forms import choices, proposal, questions
from netveil.web.routes.looking import hall_of
from netveil.web.uploads import json_body

# The files of the page: those that are there when the server starts, and no others.


FOLDER = Path(__file__).parents[1] / "page"
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".map": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".woff2": "font/woff2",
    ".txt": "text/plain; charset=utf-8",
    ".md": "text/plain; charset=utf-8",
}


def page_files(folder: Path = FOLDER) -> dict[str, tuple[Path, str]]:
    """Every file of the page by its path below the folder, with its type."""
    return {
        path.relative_to(folder).as_posix(): (path, TYPES[path.suffix])
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix in TYPES and not path.name.startswith(".")
    }


FILES = page_files()


async def index(request: Request) -> Response:
    """The page."""
    return _file("index.html")


async def page_file(request: Request) -> Response:
    """A file of the page."""
    return _file(request.path_params["name"])


def _file(name: str) -> Response:
    if name not in FILES:
        raise missing("page")
    path, kind = FILES[name]
    return FileResponse(path, media_type=kind)


async def about(request: Request) -> Response:
    """What there is to choose from."""
    hall = hall_of(request)
    return json_answer(
        {
            **choices(),
            "largest_upload": hall.largest_upload,
            "folder": str(hall.place.path),
            "temporary": hall.is_temporary,
        }
    )


async def state(request: Request) -> Response:
    """How everything stands."""
    return json_answer(hall_of(request).state())


async def events(request: Request) -> Response:
    """The stream of what changes."""
    hall = hall_of(request)
    return StreamingResponse(hall.events.stream(hall.state), media_type="text/event-stream")


async def address(request: Request) -> Response:
    """An address for another browser, which works once."""
    await json_body(request, {})
    return json_answer({"address": hall_of(request).address})


async def forget(request: Request) -> Response:
    """Delete all networks, runs and releases that the page keeps."""
    hall, asked = hall_of(request), await json_body(request, {"confirm": False})
    if asked["confirm"] is not True:
        raise mistake("Everything would be deleted; confirm it.")
    if any(run.is_active or run.state == "queued" for run in hall.runs.all()):
        raise busy("A run is not over; cancel it first.")
    forgotten = 0
    for run in hall.runs.all():
        hall.remove_run(run.id)
        forgotten += 1
    for kept in hall.releases.all():
        if kept.source == "upload":
            hall.releases.remove(kept.id)
            hall.events.tell("release-gone", kept.id, {"id": kept.id})
            forgotten += 1
    for record in hall.networks.all():
        hall.networks.remove(record["id"])
        hall.events.tell("network-gone", record["id"], {"id": record["id"]})
        forgotten += 1
    return json_answer({"forgotten": forgotten})


async def end(request: Request) -> Response:
    """End the server, as Ctrl-C does."""
    await json_body(request, {})
    hall_of(request).quit()
    return json_answer({"quitting": True})


async def guide(request: Request) -> Response:
    """The questions of the guide."""
    return json_answer({"questions": questions()})


async def answer_guide(request: Request) -> Response:
    """What the guide proposes."""
    asked = await json_body(request, {"attacker": None, "alike": None, "change": None, "network": None})
    networks = hall_of(request).networks
    record = networks.get(asked["network"]) if isinstance(asked["network"], str) else {}
    return json_answer(proposal(asked, record.get("nodes"), record.get("edges")))


ROUTES = [
    Route("/", index),
    Route("/page/{name:path}", page_file),
    Route("/api/about", about),
    Route("/api/state", state),
    Route("/api/events", events),
    Route("/api/address", address, methods=["POST"]),
    Route("/api/forget", forget, methods=["POST"]),
    Route("/api/quit", end, methods=["POST"]),
    Route("/api/guide", guide),
    Route("/api/guide", answer_guide, methods=["POST"]),
]
