"""Runs and releases: start and steer a search; bring a release, take it away, repeat it, take its points."""

from __future__ import annotations

from typing import Any

from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, Response, StreamingResponse

from netveil.files import suffix_for
from netveil.web import scripts
from netveil.web.answers import busy, chunks_of, missing, mistake, zip_of
from netveil.web.data_folder import ListedRelease, Record, check_upload, new_upload, place_of_upload
from netveil.web.forms import DEFAULTS, check_attributes, checked_options
from netveil.web.guard import POLICY_OF_REPORTS
from netveil.web.requests import Routes, announced_files, id_in, json_body, receive_files
from netveil.web.state import PageState

LONGEST_NOTE = 200

routes = Routes()


@routes.add("/api/runs", "POST", status=201)
async def add_run(state: PageState, request: Request) -> Any:
    """Put a search, or the drawing of a synthetic network, into the queue."""
    asked = await json_body(request, {"network": "", "kind": "search", "options": {}, "note": ""})
    record = state.networks.read_from(str(asked["network"]))
    kind = asked["kind"]
    if kind not in ("search", "synthetic"):
        raise mistake("kind: give search or synthetic.")
    options = checked_options(asked["options"], record["nodes"], record["edges"], scripts.JOBS[kind])
    check_attributes(options, record)
    given = state.networks.given(record)
    source = scripts.source_of(given)
    run = state.runs.add(
        network=record["id"],
        name=record["name"],
        given=given,
        options=options,
        extension=suffix_for(source.network, record["asked"]["format"]),
        command=scripts.command_for(source, options, scripts.out_folder(record["name"], kind), kind),
        kind=kind,
        note=checked_note(asked["note"]),
    )
    return state.runs.shown(run)


@routes.add("/api/runs/{id}")
async def run_now(state: PageState, request: Request) -> Any:
    """State and progress of a run."""
    return state.runs.shown(state.runs.get(id_in(request)))


@routes.add("/api/runs/{id}", "DELETE")
async def remove_run(state: PageState, request: Request) -> Any:
    """Delete a run and its release."""
    state.remove_run(id_in(request))
    return {"gone": True}


@routes.add("/api/runs/{id}/lines")
async def lines_for_run(state: PageState, request: Request) -> Any:
    """The command and the Python lines that do the same."""
    return scripts.lines_of_run(state, state.runs.get(id_in(request)))


async def steer(state: PageState, request: Request) -> Any:
    """Do what a user wants of a run, the last word of the path."""
    run = state.runs.get(id_in(request))
    await json_body(request, {})
    state.runs.ask(run, request.url.path.rpartition("/")[2])
    return state.runs.shown(run)


for _word in ("pause", "continue", "stop", "cancel", "resume"):
    routes.add(f"/api/runs/{{id}}/{_word}", "POST")(steer)


def checked_note(note: Any) -> str:
    """Check the note that a user wrote beside a run."""
    if not isinstance(note, str) or len(note) > LONGEST_NOTE:
        raise mistake(f"note: give a text of at most {LONGEST_NOTE} characters.")
    return note


@routes.add("/api/releases", "POST", status=201)
async def upload(state: PageState, request: Request) -> Any:
    """Bring a release folder: all its files in the body of the request, one after the other."""
    files = announced_files(request)
    try:
        check_upload([file.name for file in files])
    except BaseException:
        await receive_files(request, files, state.largest_upload, lambda name: None)
        raise
    name, folder = new_upload(state.data)
    try:
        await receive_files(request, files, state.largest_upload, lambda name: place_of_upload(folder, name))
        answer = await state.workers.ask("take-in", release=str(folder))
    except BaseException:
        state.data.remove("releases", name)
        raise
    row = state.releases.shown(state.releases.add_upload(name, answer))
    state.events.tell("release", name, row)
    return row


@routes.add("/api/releases/{id}/network", "POST", status=201)
async def original(state: PageState, request: Request) -> Any:
    """The original of a release as a network, to look at it and protect it anew."""
    release = state.releases.get(id_in(request))
    await json_body(request, {})
    if release.figures.get("kind") == "synthetic":
        raise mistake("A synthetic release does not hold its original; bring that as a network.")
    more = {"release": release.id, "original": await _original(release)}
    return await state.read(state.networks.add("", "release", name=str(release.figures["network"]), **more))


async def _original(release: ListedRelease) -> Record:
    """The original of a release as workers are told of it, with what a script would call it."""
    run = await run_in_threadpool(release.record)
    return {
        "path": str(release.folder),
        "shown": run.get("input") or run["network"],
        "is_builtin": run.get("input") is None,
        "asked": scripts.reading_to_ask(run.get("reading")),
    }


@routes.add("/api/releases/{id}", "DELETE")
async def remove(state: PageState, request: Request) -> Any:
    """Delete a release that was brought, or a run with its release."""
    name = id_in(request)
    if state.releases.get(name).source == "run":
        state.remove_run(name)
    elif any(record["release"] == name for record in state.networks.all()):
        raise busy("Its original is among the networks; delete that first.")
    else:
        state.remove_release(name)
    return {"gone": True}


@routes.add("/api/releases/{id}/take", "POST", status=201)
async def take(state: PageState, request: Request) -> Any:
    """Make the release of one point of the curve."""
    release = state.releases.get(id_in(request))
    asked = await json_body(request, {"budget": None, "note": ""})
    points = [row["budget"] for row in release.figures.get("curve", ())]
    if asked["budget"] not in points or isinstance(asked["budget"], bool):
        choice = ", ".join(map(str, points)) or "it has none"
        raise mistake(f"budget: give that of a point of the curve: {choice}.")
    given, options = await _curve_of(state, release)
    curve, out = scripts.out_folder(release.name), f"{release.name}-point-release"
    run = state.runs.add(
        network=release.network or "",
        name=release.name,
        given=given,
        options=options,
        extension=release.extension,
        command=scripts.command_for_point(scripts.source_of(given), options, asked["budget"], curve, out),
        kind="point",
        source=release.id,
        source_folder=str(release.folder),
        budget=asked["budget"],
        note=checked_note(asked["note"]),
    )
    return state.runs.shown(run)


async def _curve_of(state: PageState, release: ListedRelease) -> tuple[Record, Record]:
    """The network and the options of the search that found a curve."""
    run = state.runs.find(release.id)
    if run is not None and state.networks.find(run.network) is not None:
        given = run.given
    else:
        given = {"kind": "release", **await _original(release)}
    if run is not None:
        return given, run.options | {"curve": False}
    figures = release.figures
    told = {name: figures[name] for name in ("distance", "k", "keep_labels", "seed", "algorithm")}
    return given, {**DEFAULTS, **told, "measures": str(figures["measure"]).split(" + ")}


@routes.add("/api/releases/{id}/public.zip")
async def public_zip(state: PageState, request: Request) -> Response:
    """Public part of a release as a zip."""
    return await _zipped(state, state.releases.get(id_in(request)), "public", {})


@routes.add("/api/releases/{id}/private.zip")
async def private_zip(state: PageState, request: Request) -> Response:
    """Private part of a release as a zip, for a user who has confirmed the warning."""
    release = state.releases.get(id_in(request))
    if request.query_params.get("confirmed") != "yes":
        raise busy("The private part undoes the anonymization: it must be kept, and asked for knowingly.")
    run = state.runs.find(release.id)
    protected = None if run is None else state.runs.protected_file(run)
    more = {} if protected is None else {protected.name: protected.read_bytes()}
    return await _zipped(state, release, "private", more | await _rendered(state, release))


async def _zipped(state: PageState, release: ListedRelease, part: str, more: dict[str, bytes]) -> Response:
    await run_in_threadpool(release.record)  # as long as it is a release without links
    try:
        file = await run_in_threadpool(zip_of, release.folder / part, more, state.data.path)
    except OSError:
        raise missing("release") from None
    headers = {"Content-Disposition": f'attachment; filename="netveil-{release.id[:6]}-{part}.zip"'}
    return StreamingResponse(
        chunks_of(file), media_type="application/zip", headers=headers, background=BackgroundTask(file.close)
    )


@routes.add("/api/releases/{id}/report.html")
@routes.add("/api/releases/{id}/sign-off.html")
async def page(state: PageState, request: Request) -> Response:
    """The report or the page to sign, in a sandbox: it can be read and printed, and do nothing else."""
    release, name = state.releases.get(id_in(request)), request.url.path.rpartition("/")[2]
    headers = {"Content-Security-Policy": POLICY_OF_REPORTS}
    rendered, file = await _rendered(state, release), release.folder / "private" / name
    if rendered:
        return Response(rendered[name], media_type="text/html; charset=utf-8", headers=headers)
    if not file.is_file():
        raise missing("report")
    return FileResponse(file, media_type="text/html; charset=utf-8", headers=headers)


async def _rendered(state: PageState, release: ListedRelease) -> dict[str, bytes]:
    """The pages of a folder that was named at the start, from its record: it may be somebody else's.

    None of others: they are in our own folder, where this netveil wrote them.
    """
    if release.source != "folder":
        return {}
    pages = await state.workers.ask("pages", release=str(release.folder))
    return {name: page.encode(errors="backslashreplace") for name, page in pages.items()}


@routes.add("/api/releases/{id}/lines")
async def lines(state: PageState, request: Request) -> Any:
    """The command and the Python lines that delete the same edges again."""
    return scripts.lines_of_release(state, state.releases.get(id_in(request)))
