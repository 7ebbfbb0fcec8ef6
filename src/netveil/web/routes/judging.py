"""Judge: all figures of a release, the drawn network with deleted ties, and several releases side by side.

Figures are those of the records, put in order; nothing is computed here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from netveil.auditing.matching.score import strongest_of_each_share
from netveil.formatting import MISSING, PeopleFound, change, counted, figure, seconds
from netveil.utility import METRICS
from netveil.web.answers import mistake
from netveil.web.data_folder import ListedRelease, Record
from netveil.web.routes.networks import page_in
from netveil.web.routing import Routes, id_in
from netveil.web.state import PageState
from netveil.web.uploads import json_body

MOST_COMPARED = 8
TWO_OF_ONE = (
    "There is another release of the same network here. Whoever has two can lay them on each other, which "
    "undoes most deletions: publish one only."
)

routes = Routes()


@routes.add("/api/releases/{id}")
async def release(state: PageState, request: Request) -> Any:
    """A release with its whole record."""
    found = state.releases.get(id_in(request))
    return await run_in_threadpool(_document, state, found)


def _document(state: PageState, release: ListedRelease) -> Record:
    record, row = release.record(), state.releases.shown(release)
    return {
        **row,
        "record": record,
        "audit": audit_in(record),
        "utility": utility_in(record),
        "curve": record.get("curve", []),
        "warnings": _warnings(row, record),
        "sha256": record.get("published_sha256"),
    }


def _warnings(row: Record, record: Record) -> list[str]:
    """What whoever publishes this release must know."""
    warnings = [TWO_OF_ONE] if row["same_network"] else []
    if record.get("keep_labels"):
        warnings.append("The release carries the original labels.")
    if record.get("kept_attributes"):
        warnings.append("The release carries attributes of people or ties, which identify people.")
    return warnings


@routes.add("/api/releases/{id}/drawing")
async def drawing(state: PageState, request: Request) -> Any:
    """The original with the deleted ties, and who was and is at risk."""
    return await _answer(state, request, "drawing-of-release")


@routes.add("/api/releases/{id}/people")
async def people(state: PageState, request: Request) -> Any:
    """Who was at risk, and who still is."""
    return await _answer(state, request, "people-of-release", **page_in(request))


async def _answer(state: PageState, request: Request, do: str, **more: Any) -> Any:
    """What a worker finds for the release of a request."""
    release = str(state.releases.get(id_in(request)).folder)
    return await state.workers.ask(do, release=release, **more)


@routes.add("/api/compare", "POST")
async def compare(state: PageState, request: Request) -> Any:
    """Two or more releases in one table, with what is not the same marked."""
    names = (await json_body(request, {"releases": []}))["releases"]
    if not isinstance(names, list) or not 2 <= len(names) == len(set(map(str, names))) <= MOST_COMPARED:
        raise mistake(f"Give between 2 and {MOST_COMPARED} different releases.")
    found = [state.releases.get(str(name)) for name in names]
    records = [await run_in_threadpool(each.record) for each in found]
    return {
        "releases": [state.releases.shown(each) for each in found],
        "same_network": len({each.identity["fingerprint"] for each in found}) == 1,
        "groups": table(records),
    }


def audit_in(record: Record) -> Record | None:
    """What attackers could still find, the strongest first; None where no attack was tried."""
    audit = record["report"].get("audit")
    if audit is None:
        return None
    rows = [
        *_who_match(audit.get("matching", ())),
        *_who_know_states(audit.get("attacks", ()), audit["nodes"]),
    ]
    rows.sort(key=lambda row: (-(row["found"] or 0), -(row["success"] or 0)))
    return {
        "paragraph": audit.get("paragraph", ""),
        "attackers": rows,
        "leaks": audit.get("leaks", []),
        "notes": audit.get("notes", []),
    }


def _who_match(rows: Sequence[Record]) -> list[Record]:
    """Attackers who match the whole network; the strongest for each share of the ties are shown at once."""
    at_once = {place for places in strongest_of_each_share(rows).values() for place in places}
    return [
        {
            "name": row["attack"],
            "title": row["title"],
            "knows": _knows(row),
            "at_once": place in at_once,
            **_found(row, row["original"], row["random_deletion"]),
        }
        for place, row in enumerate(rows)
    ]


def _who_know_states(rows: Sequence[Record], nodes: int) -> list[Record]:
    """Attackers who know surroundings, and look for everybody; the strongest is shown at once."""
    found = [
        {
            "name": row["attacker"],
            "title": row["title"],
            "knows": None,
            "at_once": False,
            **_found({**row["release"], "people": nodes}, {**row["original"], "people": nodes}, None),
        }
        for row in rows
    ]
    if found:
        max(found, key=lambda row: (row["found"] or 0, row["success"] or 0))["at_once"] = True
    return found


def _found(release: Record, original: Record, random: Record | None) -> Record:
    """People whom an attacker finds: as text, as shares in each network, and for a bar."""
    found, of_original, of_random = (
        None if each is None or each["found"] is None else PeopleFound.of_means(each["found"], each["people"])
        for each in (release, original, random)
    )
    return {
        "found": release["found"],
        "success": release.get("success"),
        "bar": 0 if found is None else found.fraction,
        "shown": {
            "found": MISSING if found is None else str(found),
            "share": MISSING if found is None else found.share,
            "original": MISSING if of_original is None else of_original.share,
            "random": MISSING if of_random is None else of_random.share,
        },
    }


def _knows(row: Record) -> str:
    """What somebody knows who matches whole networks, in words."""
    ties = "all ties" if row["known"] == 1 else f"{100 * row['known']:g}% of the ties"
    where = " within one group of people" if row["ties"] == "community" else ""
    if not row["seeds"]:
        return f"{ties}{where}, recognises nobody beforehand"
    which = "the best-connected" if row["seeds_chosen"] == "best-connected" else "any"
    return f"{ties}{where}, recognises {counted(row['seeds'], 'person', 'people')} ({which})"


def utility_in(record: Record) -> list[Record]:
    """What a release still tells, as the report says it: figures as text."""
    return [
        {
            **{name: row[name] for name in ("title", "meaning", "better", "note")},
            "before": figure(row["before"]),
            "after": figure(row["after"]),
            "change": change(row["change"], row["relative_change"]),
        }
        for row in record["report"]["utility"]
    ]


GROUPS: dict[str, dict[str, str]] = {
    "What was asked for": {
        "measure": "attackers know",
        "distance": "distance",
        "k": "k",
        "budget_asked": "budget asked for",
        "budget": "budget, ties",
        "target": "target",
        "algorithm": "algorithm",
        "seed": "seed",
        "protected": "protected ties",
        "keep_labels": "original labels published",
    },
    "People": {
        "nodes": "people",
        "at_risk_before": "at risk before",
        "at_risk_after": "at risk after",
        "unique_before": "unique before",
        "unique_after": "unique after",
        "reached": "target reached",
        "least": "shown to be the least",
    },
    "Ties": {
        "edges": "ties before",
        "deleted": "ties deleted",
        "seconds": "seconds of search",
        "stopped_by": "stopped by",
    },
}
"""Figures of a record that are compared, with their titles."""
WRITTEN: dict[str, Callable[[Any], str]] = {"seed": str, "seconds": seconds}
"""How figures are written that are not written as all others."""


def table(records: Sequence[Record]) -> list[Record]:
    """Figures of several releases side by side, in groups; where they are not the same is marked."""
    groups = {title: _figures(records, names) for title, names in GROUPS.items()}
    groups["What is left of the network"] = _utility(records)
    groups["People found by somebody who …"] = _attackers(records)
    return [{"title": title, "rows": rows} for title, rows in groups.items() if rows]


def _figures(records: Sequence[Record], titles: Mapping[str, str]) -> list[Record]:
    """A row a figure; what none of the releases has is left out."""
    rows = []
    for name, title in titles.items():
        values, written = [record.get(name) for record in records], WRITTEN.get(name, _plain)
        if any(value is not None for value in values):
            rows.append(
                _row(name, title, values, [None if each is None else written(each) for each in values])
            )
    return rows


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return figure(value) if isinstance(value, int | float) else str(value)


def _row(name: str, title: str, values: list[Any], shown: list[str | None]) -> Record:
    return {
        "name": name,
        "title": title,
        "values": values,
        "shown": [MISSING if each is None else each for each in shown],
        "differs": any(value != values[0] for value in values[1:]),
    }


def _utility(records: Sequence[Record]) -> list[Record]:
    """A row a metric: what became of the figure."""
    by_title = [{row["title"]: row for row in record["report"]["utility"]} for record in records]
    rows = []
    for name, metric in METRICS.items():
        found = [each.get(metric.title) for each in by_title]
        if any(found):
            values = [row and row["after"] for row in found]
            shown = [
                row and f"{figure(row['after'])} ({change(row['change'], row['relative_change'])})"
                for row in found
            ]
            rows.append(_row(name, metric.title, values, shown))
    return rows


def _attackers(records: Sequence[Record]) -> list[Record]:
    """A row an attacker who was tried on any of them: whom she finds."""
    audits = [audit_in(record) for record in records]
    named = [
        {", ".join(filter(None, (row["name"], row["knows"]))): row for row in audit["attackers"]}
        if audit
        else {}
        for audit in audits
    ]
    rows = []
    for name, title in {name: row["title"] for each in named for name, row in each.items()}.items():
        found = [each.get(name) for each in named]
        values, shown = (
            [row and row["found"] for row in found],
            [row and row["shown"]["found"] for row in found],
        )
        rows.append(_row(name, f"{title} ({name})", values, shown))
    return rows
