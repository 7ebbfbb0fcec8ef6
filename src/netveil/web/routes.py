"""Every request that the page can make: bring, look, protect, judge, take away, and the page itself."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, Response, StreamingResponse

from netveil.errors import NetveilError
from netveil.files import suffix_for
from netveil.opening import BUILTIN
from netveil.web import data_folder as kept, forms, judging
from netveil.web.data_folder import ListedRelease, NetworkEntry, Record
from netveil.web.guard import POLICY_OF_REPORTS
from netveil.web.looking import DEAR
from netveil.web.requests import (
    Body,
    Routes,
    WebError,
    announced_files,
    busy,
    in_words,
    missing,
    mistake,
    receive_files,
    zip_of,
)
from netveil.web.state import PageState

FOLDER = Path(__file__).parent / "page"
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
}
FILES = {
    path.relative_to(FOLDER).as_posix(): (path, TYPES[path.suffix])
    for path in sorted(FOLDER.rglob("*"))
    if path.suffix in TYPES
}
"""Files that are there when the server starts, with their types; no others are ever sent."""

MOST_COMPARED = 8

routes = Routes()


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
    return {**forms.choices(), "largest_upload": state.largest_upload, **kept}


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
    return {"address": state.address}


class Confirmed(Body):
    """Whether the user has confirmed it."""

    confirm: bool = False


@routes.add("/api/forget", "POST")
async def forget(state: PageState, request: Request, asked: Confirmed) -> Any:
    """Delete all networks, runs and releases that the page keeps."""
    if not asked.confirm:
        raise mistake("Everything would be deleted; confirm it.")
    if any(run.is_active or run.state == "queued" for run in state.runs.all()):
        raise busy("A run is not over; cancel it first.")
    made = {run.id for run in state.runs.all()} | {
        release.id for release in state.releases.all() if release.source == "upload"
    }
    brought = [network.id for network in state.networks.all()]
    for name in made:
        state.remove_release(name)
    for name in brought:
        state.remove_network(name)
    return {"forgotten": len(made) + len(brought)}


@routes.add("/api/quit", "POST")
async def end(state: PageState, request: Request) -> Any:
    """End the server, as Ctrl-C does."""
    state.quit()
    return {"quitting": True}


class PolicyText(Body):
    """A TOML file that was dropped on the page."""

    text: str = ""


@routes.add("/api/policy", "POST")
async def read_dropped_policy(state: PageState, request: Request, asked: PolicyText) -> Any:
    """The policy in a TOML file, as a document."""
    return forms.policy_in(asked.text)


@routes.add("/api/guide")
async def guide(state: PageState, request: Request) -> Any:
    """The questions of the guide."""
    return {"questions": forms.questions()}


class Answers(Body):
    """Answers to the guide."""

    attacker: str = ""
    alike: str = ""
    change: str = ""
    network: str | None = None


@routes.add("/api/guide", "POST")
async def answer_guide(state: PageState, request: Request, asked: Answers) -> Any:
    """Proposal of the guide for the given answers."""
    network = state.networks.find(asked.network)
    size = (None, None) if network is None else (network.nodes, network.edges)
    return forms.proposal(msgspec.to_builtins(asked), *size)


@routes.add("/api/networks", "POST", status=201)
async def bring_network(state: PageState, request: Request) -> Any:
    """Bring a file, in the body of the request."""
    files = announced_files(request, most=1)
    network = state.networks.new("upload", file=kept.safe_name(files[0].name), size=files[0].size)
    place = state.networks.file_of(network, network.id)
    try:
        await receive_files(request, files, state.largest_upload, lambda name: place)
    except BaseException:
        state.networks.remove(network.id)
        raise
    return await state.read(network)


class Builtin(Body):
    """A network that comes with netveil."""

    name: str = ""


@routes.add("/api/networks/builtin", "POST", status=201)
async def builtin(state: PageState, request: Request, asked: Builtin) -> Any:
    """Bring a network that comes with netveil."""
    if asked.name not in BUILTIN:
        raise mistake(f"There is no built-in network of this name; the choice is {', '.join(BUILTIN)}.")
    return await state.read(state.networks.new("builtin", name=asked.name))


@routes.add("/api/networks/{id}")
async def network(state: PageState, request: Request, name: str) -> Any:
    """How a network was read."""
    return state.networks.get(name).shown()


def _changeable(state: PageState, name: str) -> NetworkEntry:
    """A file that may be read in another way; an error where there is none, or a run needs it."""
    found = state.networks.get(name)
    if found.source != "upload":
        raise mistake("Only a file can be read in another way, or have a table of persons beside it.")
    state.check_unused(name, "read it again")
    return found


@routes.add("/api/networks/{id}/reading", "POST")
async def read_again(state: PageState, request: Request, name: str, asked: kept.HowToRead) -> Any:
    """Read a file in another way."""
    found = _changeable(state, name)
    found.asked = asked
    return await state.read(found)


@routes.add("/api/networks/{id}/persons", "POST")
async def bring_persons(state: PageState, request: Request, name: str) -> Any:
    """Bring a table of persons for a file, in the body of the request; the query may name its key column."""
    found, files = _changeable(state, state.networks.read_from(name).id), announced_files(request, most=1)
    key = request.query_params.get("key", "").strip() or None
    persons = kept.PersonsFile(kept.new_id(), kept.safe_name(files[0].name), key)
    place = state.networks.file_of(persons, name)
    try:
        await receive_files(request, files, state.largest_upload, lambda name: place)
        return await state.read_with(found, persons)
    except BaseException:
        place.unlink(missing_ok=True)
        raise


@routes.add("/api/networks/{id}/persons", "DELETE")
async def remove_persons(state: PageState, request: Request, name: str) -> Any:
    """Read a network without its table of persons."""
    if state.networks.get(name).persons is None:
        raise missing("table of persons")
    found = _changeable(state, name)
    state.forget_persons(found)
    return await state.read(found)


@routes.add("/api/networks/{id}", "DELETE")
async def remove_network(state: PageState, request: Request, name: str) -> Any:
    """Forget a network."""
    state.check_unused(state.networks.get(name).id, "delete it")
    state.remove_network(name)
    return {"gone": True}


@routes.add("/api/networks/{id}/look")
async def look(state: PageState, request: Request, name: str) -> Any:
    """Who is at risk to attackers with each measure that does not take long."""
    k = forms.number_in(request.query_params, "k", forms.ATTACKERS["k"])
    return {"id": name, **await state.workers.ask("look", network=_given(state, name), k=k)}


@routes.add("/api/networks/{id}/measure")
async def measure(state: PageState, request: Request, name: str) -> Any:
    """Who is at risk to the attackers in the query; in a process of its own where that may take long."""
    asked = forms.attackers_in(request.query_params)
    is_dear = asked["distance"] > 1 or any(each in DEAR for each in asked["measures"])
    alone = _key(name, asked) if is_dear else ""
    return await state.workers.ask("measure", alone=alone, network=_given(state, name), attackers=asked)


@routes.add("/api/networks/{id}/measure/cancel", "POST")
async def cancel(state: PageState, request: Request, name: str, asked: Record) -> Any:
    """Cancel a measure that takes long."""
    return {"cancelled": state.workers.cancel(_key(name, forms.checked_attackers(asked)))}


@routes.add("/api/networks/{id}/ceilings")
async def ceilings(state: PageState, request: Request, name: str) -> Any:
    """What nobody can exceed in a synthetic network; in a process of its own where that may take long."""
    given, edges = _given(state, name), state.networks.get(name).edges or 0
    return await state.workers.ask(
        "ceilings", alone=_key(name, {}) if edges > forms.LARGE else "", network=given
    )


class TrialWanted(Body):
    """A search of which to try what it would cost."""

    options: Record


@routes.add("/api/networks/{id}/trial", "POST")
async def trial(state: PageState, request: Request, name: str, asked: TrialWanted) -> Any:
    """About what it would cost to delete ties; in a process of its own, and not in very large networks."""
    given, found = _given(state, name), state.networks.get(name)
    nodes, edges = found.nodes or 0, found.edges or 0
    options = forms.checked_options(asked.options, nodes, edges) | {
        "seed": 0,
        "protect": None,
        "policy": None,
    }
    if edges > forms.LARGE:
        return {"fits": True, "sentence": "The network is too large for a quick trial of what that costs."}
    return await state.workers.ask("trial", alone=_key(name, options), network=given, options=options)


@routes.add("/api/networks/{id}/drawing")
async def draw(state: PageState, request: Request, name: str) -> Any:
    """The network laid out, coloured by risk."""
    return await _answer(state, request, name, "drawing")


@routes.add("/api/networks/{id}/people")
async def people(state: PageState, request: Request, name: str) -> Any:
    """People at risk, or people whose label has a text in it."""
    query = request.query_params
    rows = {"offset": forms.number_in(query, "offset", 0), "limit": forms.number_in(query, "limit", 100)}
    return await _answer(state, request, name, "people", find=query.get("find", ""), **rows)


@routes.add("/api/networks/{id}/people/{node:int}")
async def person(state: PageState, request: Request, name: str) -> Any:
    """One person: contacts, lookalikes, why they are at risk."""
    return await _answer(state, request, name, "person", node=request.path_params["node"])


@routes.add("/api/experiments/{id}")
async def experiment(state: PageState, request: Request, name: str) -> Any:
    """The results of an experiment so far."""
    try:
        return await run_in_threadpool(state.experiments.document, name)
    except NetveilError as error:
        raise mistake(in_words(error)) from None


def _given(state: PageState, name: str) -> Record:
    """A network as workers are told of it."""
    return state.networks.given(state.networks.read_from(name))


async def _answer(state: PageState, request: Request, name: str, do: str, **more: Any) -> Any:
    """Have a worker answer about a network and the attackers of a request."""
    asked = forms.attackers_in(request.query_params)
    return await state.workers.ask(do, network=_given(state, name), attackers=asked, **more)


def _key(name: str, asked: Record) -> str:
    return f"{name} {json.dumps(asked, sort_keys=True)}"


Note = Annotated[str, msgspec.Meta(max_length=200)]
"""What a user wrote beside a run."""


class Wanted(Body):
    """A run that is asked for."""

    network: str
    options: Record
    kind: Literal["search", "synthetic"] = "search"
    note: Note = ""


@routes.add("/api/runs", "POST", status=201)
async def add_run(state: PageState, request: Request, asked: Wanted) -> Any:
    """Put a search, or the drawing of a synthetic network, into the queue."""
    network = state.networks.read_from(asked.network)
    options = forms.checked_options(
        asked.options, network.nodes or 0, network.edges or 0, forms.JOBS[asked.kind]
    )
    forms.check_attributes(options, network.attributes, network.attributes_of_people)
    given = state.networks.given(network)
    source, out = forms.source_of(given), forms.out_folder(network.name, asked.kind)
    run = state.runs.queue(
        network=network.id,
        name=network.name,
        given=given,
        options=options,
        extension=suffix_for(source.network, network.asked.format),
        command=forms.command_for(source, options, out, asked.kind),
        kind=asked.kind,
        note=asked.note,
    )
    return state.runs.shown(run)


@routes.add("/api/runs/{id}")
async def run_now(state: PageState, request: Request, name: str) -> Any:
    """State and progress of a run."""
    return state.runs.shown(state.runs.get(name))


@routes.add("/api/runs/{id}/lines")
async def lines_for_run(state: PageState, request: Request, name: str) -> Any:
    """The command and the Python lines that do the same."""
    return forms.lines_of_run(state, state.runs.get(name))


async def steer(state: PageState, request: Request, name: str) -> Any:
    """Do what a user wants of a run, the last word of the path."""
    run = state.runs.get(name)
    state.runs.ask(run, request.url.path.rpartition("/")[2])
    return state.runs.shown(run)


for _word in ("pause", "continue", "stop", "cancel", "resume"):
    routes.add(f"/api/runs/{{id}}/{_word}", "POST")(steer)


@routes.add("/api/releases", "POST", status=201)
async def bring_release(state: PageState, request: Request) -> Any:
    """Bring a release folder: all its files in the body of the request, one after the other."""
    files = announced_files(request)
    try:
        kept.check_upload([file.name for file in files])
    except WebError:
        await receive_files(request, files, state.largest_upload, lambda name: None)
        raise
    name = kept.new_id()
    place = state.releases.folder_of_upload(name)
    incoming, folder = place / "incoming", place / "release"
    try:
        for each in (place, incoming, incoming / "public", incoming / "private"):
            each.mkdir(mode=0o700)
        await receive_files(
            request, files, state.largest_upload, lambda name: kept.place_of_upload(incoming, name)
        )
        await state.workers.ask("take-in", release=str(incoming))
        row = state.releases.shown(state.releases.add(name, "upload", incoming.rename(folder)))
    except BaseException:
        kept.remove_folder(place)
        raise
    state.events.tell("release", name, row)
    return row


@routes.add("/api/releases/{id}/network", "POST", status=201)
async def original(state: PageState, request: Request, name: str) -> Any:
    """The original of a release as a network, to look at it and protect it anew."""
    release = state.releases.get(name)
    if release.figures.get("kind") == "synthetic":
        raise mistake("A synthetic release does not hold its original; bring that as a network.")
    more = {"name": str(release.figures["network"]), "original": await _original(release)}
    return await state.read(state.networks.new("release", release=name, **more))


async def _original(release: ListedRelease) -> Record:
    """The original of a release as workers are told of it, with what a script would call it."""
    run = await run_in_threadpool(release.record)
    return {
        "path": str(release.folder),
        "shown": run.get("input") or run["network"],
        "is_builtin": run.get("input") is None,
        "asked": forms.reading_to_ask(run.get("reading")),
    }


@routes.add("/api/runs/{id}", "DELETE")
@routes.add("/api/releases/{id}", "DELETE")
async def remove_release(state: PageState, request: Request, name: str) -> Any:
    """Delete a release that was brought, or a run with its release."""
    state.releases.get(name) if "/releases/" in request.url.path else state.runs.get(name)
    if any(network.release == name for network in state.networks.all()):
        raise busy("Its original is among the networks; delete that first.")
    state.remove_release(name)
    return {"gone": True}


class PointWanted(Body):
    """A point of a curve that is asked for."""

    budget: int | None = None
    note: Note = ""


@routes.add("/api/releases/{id}/take", "POST", status=201)
async def take(state: PageState, request: Request, name: str, asked: PointWanted) -> Any:
    """Make the release of one point of the curve."""
    release = state.releases.get(name)
    points = [row["budget"] for row in release.figures.get("curve", ())]
    if asked.budget is None or asked.budget not in points:
        choice = ", ".join(map(str, points)) or "it has none"
        raise mistake(f"budget: give that of a point of the curve: {choice}.")
    given, options = await _curve_of(state, release)
    curve, out = forms.out_folder(release.name), f"{release.name}-point-release"
    run = state.runs.queue(
        network=release.network or "",
        name=release.name,
        given=given,
        options=options,
        extension=release.extension,
        command=forms.command_for_point(forms.source_of(given), options, asked.budget, curve, out),
        kind="point",
        source=release.id,
        source_folder=str(release.folder),
        budget=asked.budget,
        note=asked.note,
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
    return given, {**forms.DEFAULTS, **told, "measures": str(figures["measure"]).split(" + ")}


@routes.add("/api/releases/{id}/public.zip")
async def public_zip(state: PageState, request: Request, name: str) -> Response:
    """Public part of a release as a zip."""
    return await _zipped(state, state.releases.get(name), "public", {})


@routes.add("/api/releases/{id}/private.zip")
async def private_zip(state: PageState, request: Request, name: str) -> Response:
    """Private part of a release as a zip, for a user who has confirmed the warning."""
    release = state.releases.get(name)
    if request.query_params.get("confirmed") != "yes":
        raise busy("The private part undoes the anonymization: it must be kept, and asked for knowingly.")
    run = state.runs.find(release.id)
    protected = None if run is None else state.runs.protected_file(run)
    more = {} if protected is None else {protected.name: protected.read_bytes()}
    return await _zipped(state, release, "private", more | await _rendered(state, release))


async def _zipped(state: PageState, release: ListedRelease, part: str, more: dict[str, bytes]) -> Response:
    await run_in_threadpool(release.record)  # as long as it is a release without links
    file = await run_in_threadpool(zip_of, release.folder / part, more, state.data.path)
    headers = {"Content-Disposition": f'attachment; filename="netveil-{release.id[:6]}-{part}.zip"'}
    chunks, closing = iter(partial(file.read, 1 << 16), b""), BackgroundTask(file.close)
    return StreamingResponse(chunks, media_type="application/zip", headers=headers, background=closing)


@routes.add("/api/releases/{id}/report.html")
@routes.add("/api/releases/{id}/sign-off.html")
async def report(state: PageState, request: Request, name: str) -> Response:
    """The report or the page to sign, in a sandbox: it can be read and printed, and do nothing else."""
    release, page = state.releases.get(name), request.url.path.rpartition("/")[2]
    headers = {"Content-Security-Policy": POLICY_OF_REPORTS}
    rendered, file = await _rendered(state, release), release.folder / "private" / page
    if rendered:
        return Response(rendered[page], media_type="text/html; charset=utf-8", headers=headers)
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
async def lines(state: PageState, request: Request, name: str) -> Any:
    """The command and the Python lines that delete the same edges again."""
    return forms.lines_of_release(state, state.releases.get(name))


@routes.add("/api/releases/{id}")
async def release(state: PageState, request: Request, name: str) -> Any:
    """A release with its whole record."""
    return await run_in_threadpool(_document, state, state.releases.get(name))


def _document(state: PageState, release: ListedRelease) -> Record:
    record, row = release.record(), state.releases.shown(release)
    others = [state.releases.get(name).figures for name in row["same_network"]]
    return {
        **row,
        "record": record,
        "audit": judging.audit_in(record),
        "utility": judging.utility_in(record),
        "curve": record.get("curve", []),
        "warnings": judging.warnings_for(record, others),
    }


@routes.add("/api/releases/{id}/drawing")
async def draw_release(state: PageState, request: Request, name: str) -> Any:
    """The original with the deleted ties, and who was and is at risk."""
    folder = state.releases.get(name).folder
    return await state.workers.ask("drawing-of-release", release=str(folder))


class Compared(Body):
    """The ids of releases to compare."""

    releases: list[str]


@routes.add("/api/compare", "POST")
async def compare(state: PageState, request: Request, asked: Compared) -> Any:
    """Two or more releases in one table, in which differences are marked."""
    names = asked.releases
    if not 2 <= len(names) == len(set(names)) <= MOST_COMPARED:
        raise mistake(f"Give between 2 and {MOST_COMPARED} different releases.")
    found = [state.releases.get(name) for name in names]
    records = [await run_in_threadpool(each.record) for each in found]
    return {
        "releases": [state.releases.shown(each) for each in found],
        "same_network": len({each.fingerprint for each in found}) == 1,
        "groups": judging.table(records),
    }
