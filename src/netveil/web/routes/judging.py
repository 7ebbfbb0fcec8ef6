"""Judge: all figures of a release, the drawn network with deleted ties, and several releases side by side."""

from __future__ import annotations

from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from netveil.web.answers import json_answer, mistake
from netveil.web.figures import audit_in, table, utility_in
from netveil.web.forms import number_in
from netveil.web.routes.looking import hall_of, id_in
from netveil.web.state import Hall
from netveil.web.stored import Kept, record_of
from netveil.web.uploads import json_body

MOST_COMPARED = 8
TWO_OF_ONE = (
    "There is another release of the same network here. Whoever has two can lay them on each other, which "
    "undoes most deletions: publish one only."
)


async def release(request: Request) -> Response:
    """A release with its whole record."""
    hall = hall_of(request)
    kept = hall.releases.get(id_in(request))
    return json_answer(await run_in_threadpool(_document, hall, kept))


def _document(hall: Hall, kept: Kept) -> dict[str, Any]:
    record, row = record_of(kept), hall.releases.shown(kept)
    return {
        **row,
        "record": record,
        "audit": audit_in(record),
        "utility": utility_in(record),
        "curve": record.get("curve", []),
        "warnings": _warnings(row, record),
        "sha256": record.get("published_sha256"),
    }


def _warnings(row: dict[str, Any], record: dict[str, Any]) -> list[str]:
    """What whoever publishes this release must know."""
    warnings = [TWO_OF_ONE] if row["same_network"] else []
    if record.get("keep_labels"):
        warnings.append("The release carries the original labels.")
    if record.get("kept_attributes"):
        warnings.append("The release carries attributes of people or ties, which identify people.")
    return warnings


async def drawing(request: Request) -> Response:
    """The original with the deleted ties, and who was and is at risk."""
    hall = hall_of(request)
    kept = hall.releases.get(id_in(request))
    return json_answer(await hall.looker.ask("drawing-of-release", release=str(kept.folder)))


async def people(request: Request) -> Response:
    """Who was at risk, and who still is."""
    hall, query = hall_of(request), request.query_params
    kept = hall.releases.get(id_in(request))
    offset, limit = number_in(query, "offset", 0), number_in(query, "limit", 100)
    found = await hall.looker.ask("people-of-release", release=str(kept.folder), offset=offset, limit=limit)
    return json_answer(found)


async def compare(request: Request) -> Response:
    """Two or more releases in one table, with what is not the same marked."""
    hall, asked = hall_of(request), await json_body(request, {"releases": []})
    names = asked["releases"]
    if (
        not isinstance(names, list)
        or not 2 <= len(names) <= MOST_COMPARED
        or len(set(map(str, names))) < len(names)
    ):
        raise mistake(f"Give between 2 and {MOST_COMPARED} different releases.")
    kept = [hall.releases.get(str(name)) for name in names]
    records = [await run_in_threadpool(record_of, each) for each in kept]
    return json_answer(
        {
            "releases": [hall.releases.shown(each) for each in kept],
            "same_network": len({each.told["fingerprint"] for each in kept}) == 1,
            "groups": table(records),
        }
    )


ROUTES = [
    Route("/api/releases/{id}", release),
    Route("/api/releases/{id}/drawing", drawing),
    Route("/api/releases/{id}/people", people),
    Route("/api/compare", compare, methods=["POST"]),
]
