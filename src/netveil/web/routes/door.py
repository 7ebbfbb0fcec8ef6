"""The page itself, what there is to choose from, how everything stands, the guide, and the end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import FileResponse, Response, StreamingResponse

from netveil.web.answers import busy, missing, mistake
from netveil.web.forms import choices, policy_in, proposal, questions
from netveil.web.requests import Routes, json_body
from netveil.web.state import PageState

FOLDER = Path(__file__).parents[1] / "page"
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
}

routes = Routes()


def page_files(folder: Path = FOLDER) -> dict[str, tuple[Path, str]]:
    """Every file of the page by its path below the folder, with its type."""
    return {
        path.relative_to(folder).as_posix(): (path, TYPES[path.suffix])
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix in TYPES and not path.name.startswith(".")
    }


FILES = page_files()
"""Files that are there when the server starts; no others are ever sent."""


@routes.add("/")
@routes.add("/page/{name:path}")
async def page_file(state: PageState, request: Request) -> Response:
    """The page, or a file of it."""
    name = request.path_params.get("name", "index.html")
    if name not in FILES:
        raise missing("page")
    path, kind = FILES[name]
    return FileResponse(path, media_type=kind)


@routes.add("/api/about")
async def about(state: PageState, request: Request) -> Any:
    """Choices: measures, limits, formats, options."""
    kept = {"folder": str(state.data.path), "temporary": state.is_temporary}
    return {**choices(), "largest_upload": state.largest_upload, **kept}


@routes.add("/api/state")
async def everything(state: PageState, request: Request) -> Any:
    """All networks, runs, releases and experiments."""
    return state.document()


@routes.add("/api/events")
async def events(state: PageState, request: Request) -> Response:
    """Stream of events."""
    return StreamingResponse(state.events.stream(state.document), media_type="text/event-stream")


@routes.add("/api/address", "POST")
async def address(state: PageState, request: Request) -> Any:
    """An address for another browser, which works once."""
    await json_body(request, {})
    return {"address": state.address}


@routes.add("/api/forget", "POST")
async def forget(state: PageState, request: Request) -> Any:
    """Delete all networks, runs and releases that the page keeps."""
    asked = await json_body(request, {"confirm": False})
    if asked["confirm"] is not True:
        raise mistake("Everything would be deleted; confirm it.")
    if any(run.is_active or run.state == "queued" for run in state.runs.all()):
        raise busy("A run is not over; cancel it first.")
    brought = [release.id for release in state.releases.all() if release.source == "upload"]
    all_of_it = [
        *((state.remove_run, run.id) for run in state.runs.all()),
        *((state.remove_release, name) for name in brought),
        *((state.remove_network, record["id"]) for record in state.networks.all()),
    ]
    for remove, name in all_of_it:
        remove(name)
    return {"forgotten": len(all_of_it)}


@routes.add("/api/quit", "POST")
async def end(state: PageState, request: Request) -> Any:
    """End the server, as Ctrl-C does."""
    await json_body(request, {})
    state.quit()
    return {"quitting": True}


@routes.add("/api/policy", "POST")
async def read_dropped_policy(state: PageState, request: Request) -> Any:
    """The policy in a TOML file, as a document."""
    return policy_in((await json_body(request, {"text": ""}))["text"])


@routes.add("/api/guide")
async def guide(state: PageState, request: Request) -> Any:
    """The questions of the guide."""
    return {"questions": questions()}


@routes.add("/api/guide", "POST")
async def answer_guide(state: PageState, request: Request) -> Any:
    """Proposal of the guide for the given answers."""
    asked = await json_body(request, {"attacker": None, "alike": None, "change": None, "network": None})
    record = state.networks.get(asked["network"]) if isinstance(asked["network"], str) else {}
    return proposal(asked, record.get("nodes"), record.get("edges"))
