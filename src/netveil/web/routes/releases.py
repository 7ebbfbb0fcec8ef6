"""Releases: bring one, take one away, take a point of its curve, compare."""

from __future__ import annotations

from typing import Any

from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, Response, StreamingResponse
from starlette.routing import Route

from netveil.web.answers import busy, chunks_of, json_answer, missing, mistake, zip_of
from netveil.web.forms import DEFAULTS
from netveil.web.guard import POLICY_OF_REPORTS
from netveil.web.repeating import command_for_point, lines_of_release, out_folder, reading_to_ask, source_of
from netveil.web.routes.looking import hall_of, id_in
from netveil.web.routes.runs import checked_note
from netveil.web.state import Hall
from netveil.web.stored import Kept, check_upload, new_upload, place_of_upload, published_name, record_of
from netveil.web.uploads import announced_files, json_body, receive_files


async def upload(request: Request) -> Response:
    """A release folder: all its files in the body of the request, one after the other."""
    hall, files = hall_of(request), announced_files(request)
    try:
        check_upload(files)
    except BaseException:
        await receive_files(request, files, hall.largest_upload, lambda file: None)
        raise
    name, folder = new_upload(hall.place)
    try:
        await receive_files(request, files, hall.largest_upload, lambda file: place_of_upload(folder, file))
        answer = await hall.looker.ask("take-in", release=str(folder))
    except BaseException:
        hall.place.remove("releases", name)
        raise
    kept = hall.releases.add_upload(name, answer)
    hall.events.tell("release", name, hall.releases.shown(kept))
    return json_answer(hall.releases.shown(kept), 201)


async def original(request: Request) -> Response:
    """The original of a release as a network, to look at it and protect it anew."""
    hall = hall_of(request)
    kept = hall.releases.get(id_in(request))
    await json_body(request, {})
    record = hall.networks.add(kept.name, "release", release=kept.id, original=await _original(kept))
    record["name"] = str(kept.figures["network"])
    return json_answer(await hall.read(record), 201)


async def _original(kept: Kept) -> dict[str, Any]:
    """The original of a release as workers are told of it, with what a script would call it."""
    run = await run_in_threadpool(record_of, kept)
    return {
        "path": str(kept.folder),
        "shown": run.get("input") or run["network"],
        "is_builtin": run.get("input") is None,
        "asked": reading_to_ask(run.get("reading")),
    }


async def remove(request: Request) -> Response:
    """Delete a release that was brought, or a run with its release."""
    hall, name = hall_of(request), id_in(request)
    kept = hall.releases.get(name)
    if kept.source == "run":
        hall.remove_run(name)
    else:
        if any(record["release"] == name for record in hall.networks.all()):
            raise busy("Its original is among the networks; delete that first.")
        hall.releases.remove(name)
        hall.events.tell("release-gone", name, {"id": name})
    return json_answer({"gone": True})


async def take(request: Request) -> Response:
    """The release of one point of the curve."""
    hall = hall_of(request)
    kept = hall.releases.get(id_in(request))
    asked = await json_body(request, {"budget": None, "note": ""})
    points = [row["budget"] for row in kept.figures.get("curve", ())]
    if asked["budget"] not in points or isinstance(asked["budget"], bool):
        raise mistake(
            f"budget: give that of a point of the curve: {', '.join(map(str, points)) or 'it has none'}."
        )
    given, options = await _curve_of(hall, kept)
    curve, out = out_folder(kept.name), f"{kept.name}-point-release"
    run = hall.runs.add(
        network=kept.network or "",
        name=kept.name,
        given=given,
        options=options,
        extension=published_name(kept),
        command=command_for_point(source_of(given), options, asked["budget"], curve, out),
        kind="point",
        source=kept.id,
        source_folder=str(kept.folder),
        budget=asked["budget"],
        note=checked_note(asked["note"]),
    )
    return json_answer(hall.runs.shown(run), 201)


async def _curve_of(hall: Hall, kept: Kept) -> tuple[dict[str, Any], dict[str, Any]]:
    """The network and the options of the search that found a curve."""
    run = next((each for each in hall.runs.all() if each.id == kept.id), None)
    given = {"kind": "release", **await _original(kept)}
    if run is not None:
        if hall.networks.has(run.network):
            given = run.given
        return given, run.options | {"curve": False}
    figures = kept.figures
    told = {name: figures[name] for name in ("distance", "k", "keep_labels", "seed", "algorithm")}
    return given, {**DEFAULTS, **told, "measures": str(figures["measure"]).split(" + ")}


async def public_zip(request: Request) -> Response:
    """What may be published, as one zip."""
    hall = hall_of(request)
    return await _zipped(hall, hall.releases.get(id_in(request)), "public", {})


async def private_zip(request: Request) -> Response:
    """What must be kept, as another."""
    hall = hall_of(request)
    kept = hall.releases.get(id_in(request))
    if request.query_params.get("confirmed") != "yes":
        raise busy("The private part undoes the anonymization: it must be kept, and asked for knowingly.")
    run = next((each for each in hall.runs.all() if each.id == kept.id), None)
    protected = None if run is None else hall.runs.protected_file(run)
    more = {} if protected is None else {protected.name: protected.read_bytes()}
    return await _zipped(hall, kept, "private", more | await _rendered(hall, kept))


async def _zipped(hall: Hall, kept: Kept, part: str, more: dict[str, bytes]) -> Response:
    await run_in_threadpool(record_of, kept)  # as long as it is a release without links
    try:
        file = await run_in_threadpool(zip_of, kept.folder / part, more, hall.place.path)
    except OSError:
        raise missing("release") from None
    headers = {"Content-Disposition": f'attachment; filename="netveil-{kept.id[:6]}-{part}.zip"'}
    return StreamingResponse(
        chunks_of(file), media_type="application/zip", headers=headers, background=BackgroundTask(file.close)
    )


async def report(request: Request) -> Response:
    """The report, in a sandbox: it can be read and printed, and do nothing else."""
    return await _page(request, "report.html")


async def sign_off(request: Request) -> Response:
    """The page to sign."""
    return await _page(request, "sign-off.html")


async def _page(request: Request, name: str) -> Response:
    hall = hall_of(request)
    kept = hall.releases.get(id_in(request))
    headers = {"Content-Security-Policy": POLICY_OF_REPORTS}
    if request.query_params.get("download") == "yes":
        headers["Content-Disposition"] = f'attachment; filename="netveil-{kept.id[:6]}-{name}"'
    rendered, file = await _rendered(hall, kept), kept.folder / "private" / name
    if rendered:
        return Response(rendered[name], media_type="text/html; charset=utf-8", headers=headers)
    if not file.is_file():
        raise missing("report")
    return FileResponse(file, media_type="text/html; charset=utf-8", headers=headers)


async def _rendered(hall: Hall, kept: Kept) -> dict[str, bytes]:
    """The pages of a folder that was named at the start, from its record: it may be somebody else's.

    None of others: they are in our own place, where this netveil wrote them.
    """
    if kept.source != "folder":
        return {}
    pages = await hall.looker.ask("pages", release=str(kept.folder))
    return {name: page.encode(errors="backslashreplace") for name, page in pages.items()}


async def lines(request: Request) -> Response:
    """The command and the Python lines that delete the same edges again."""
    hall = hall_of(request)
    return json_answer(lines_of_release(hall, hall.releases.get(id_in(request))))


ROUTES = [
    Route("/api/releases", upload, methods=["POST"]),
    Route("/api/releases/{id}", remove, methods=["DELETE"]),
    Route("/api/releases/{id}/network", original, methods=["POST"]),
    Route("/api/releases/{id}/take", take, methods=["POST"]),
    Route("/api/releases/{id}/public.zip", public_zip),
    Route("/api/releases/{id}/private.zip", private_zip),
    Route("/api/releases/{id}/report.html", report),
    Route("/api/releases/{id}/sign-off.html", sign_off),
    Route("/api/releases/{id}/lines", lines),
]
