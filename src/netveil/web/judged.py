"""Releases judged and compared: figures of their records, put in order. Nothing is computed here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from netveil.auditing.matching.telling import strongest_of_each_share
from netveil.digits import MISSING, PeopleFound, change, figure, seconds
from netveil.utility import METRICS
from netveil.words import counted

Record = dict[str, Any]
Shown = Callable[[Any], str]


def audit_in(record: Record) -> dict[str, Any] | None:
    """What attackers could still find, the strongest first; None where no attack was tried."""
    audit = record["report"].get("audit")
    if audit is None:
        return None
    rows = [*_of_matching(audit.get("matching", ())), *_of_states(audit.get("attacks", ()), audit["nodes"])]
    rows.sort(key=lambda row: (-(row["found"] or 0), -(row["success"] or 0)))
    return {
        "paragraph": audit.get("paragraph", ""),
        "brief": record["report"].get("strong_attackers", []),
        "attackers": rows,
        "leaks": audit.get("leaks", []),
        "notes": audit.get("notes", []),
    }


def _of_matching(rows: Sequence[Record]) -> list[dict[str, Any]]:
    """Attackers who match the whole network; the strongest for each share of the ties are shown at once."""
    at_once = {place for places in strongest_of_each_share(rows).values() for place in places}
    return [
        {
            "name": row["attack"],
            "title": row["title"],
            "kind": "matching",
            "knows": _knows(row),
            "found": row["found"],
            "wrong": row["wrong"],
            "people": row["people"],
            "original_found": row["original"]["found"],
            "random_found": row["random_deletion"]["found"],
            "success": None,
            "guessing": None,
            "at_once": place in at_once,
            **_shown(row, row["original"], row["random_deletion"]),
        }
        for place, row in enumerate(rows)
    ]


def _shown(release: Record, original: Record, random: Record | None) -> dict[str, Any]:
    """People found and shares as text, each of those looked for in that network; and a share for its bar."""
    found, of_original, of_random = (
        None if each is None or each["found"] is None else PeopleFound.of_means(each["found"], each["people"])
        for each in (release, original, random)
    )
    return {
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


def utility_in(record: Record) -> list[dict[str, Any]]:
    """What a release still tells, as the report says it: figures as text."""
    return [
        {
            "title": row["title"],
            "meaning": row["meaning"],
            "better": row["better"],
            "note": row["note"],
            "before": figure(row["before"]),
            "after": figure(row["after"]),
            "change": change(row["change"], row["relative_change"]),
        }
        for row in record["report"]["utility"]
    ]


def _of_states(rows: Sequence[Record], nodes: int) -> list[dict[str, Any]]:
    """Attackers who know surroundings, and look for everybody; the strongest is shown at once."""
    most = max(
        rows, key=lambda row: (row["release"]["found"] or 0, row["release"]["success"] or 0), default=None
    )
    return [
        {
            "name": row["attacker"],
            "title": row["title"],
            "kind": "states",
            "knows": None,
            "found": row["release"]["found"],
            "wrong": row["release"]["misled"],
            "people": None,
            "original_found": row["original"]["found"],
            "random_found": None,
            "success": row["release"]["success"],
            "guessing": row["guessing"],
            "at_once": row is most,
            **_shown({**row["release"], "people": nodes}, {**row["original"], "people": nodes}, None),
        }
        for row in rows
    ]


def _plain(value: Any) -> str:
    if value is None:
        return MISSING
    if isinstance(value, bool):
        return "yes" if value else "no"
    return figure(value) if isinstance(value, int | float) else str(value)


OF_ASKED: dict[str, tuple[str, Shown]] = {
    "measure": ("attackers know", _plain),
    "distance": ("distance", _plain),
    "k": ("k", _plain),
    "budget_asked": ("budget asked for", _plain),
    "budget": ("budget, ties", _plain),
    "target": ("target", _plain),
    "algorithm": ("algorithm", _plain),
    "seed": ("seed", str),
    "protected": ("protected ties", _plain),
    "keep_labels": ("original labels published", _plain),
}
OF_PEOPLE: dict[str, tuple[str, Shown]] = {
    "nodes": ("people", _plain),
    "at_risk_before": ("at risk before", _plain),
    "at_risk_after": ("at risk after", _plain),
    "unique_before": ("unique before", _plain),
    "unique_after": ("unique after", _plain),
    "reached": ("target reached", _plain),
    "least": ("shown to be the least", _plain),
}
OF_TIES: dict[str, tuple[str, Shown]] = {
    "edges": ("ties before", _plain),
    "deleted": ("ties deleted", _plain),
    "seconds": ("seconds of search", seconds),
    "stopped_by": ("stopped by", _plain),
}


def table(records: Sequence[Record]) -> list[dict[str, Any]]:
    """Figures of several releases side by side, in groups; where they are not the same is marked."""
    groups = [
        ("What was asked for", _rows(records, OF_ASKED)),
        ("People", _rows(records, OF_PEOPLE)),
        ("Ties", _rows(records, OF_TIES)),
        ("What is left of the network", _utility(records)),
        ("People found by somebody who …", _attackers(records)),
    ]
    return [{"title": title, "rows": rows} for title, rows in groups if rows]


def _rows(records: Sequence[Record], told: dict[str, tuple[str, Shown]]) -> list[dict[str, Any]]:
    """A row a figure; what none of the releases has is left out."""
    return [
        _row(records, name, title, shown)
        for name, (title, shown) in told.items()
        if any(record.get(name) is not None for record in records)
    ]


def _row(records: Sequence[Record], name: str, title: str, shown: Shown) -> dict[str, Any]:
    return _as_row(name, title, [record.get(name) for record in records], shown)


def _as_row(name: str, title: str, values: list[Any], shown: Shown) -> dict[str, Any]:
    return {
        "name": name,
        "title": title,
        "values": values,
        "shown": [MISSING if value is None else shown(value) for value in values],
        "differs": any(value != values[0] for value in values[1:]),
    }


def _utility(records: Sequence[Record]) -> list[dict[str, Any]]:
    """A row a metric: what became of the figure."""
    by_title = [{row["title"]: row for row in record["report"]["utility"]} for record in records]
    rows = []
    for name, metric in METRICS.items():
        found = [each.get(metric.title) for each in by_title]
        if any(found):
            values = [None if row is None else row["after"] for row in found]
            row = _as_row(name, metric.title, values, figure)
            row["shown"] = [MISSING if each is None else _after(each) for each in found]
            rows.append(row)
    return rows


def _after(row: Record) -> str:
    return f"{figure(row['after'])} ({change(row['change'], row['relative_change'])})"


def _attackers(records: Sequence[Record]) -> list[dict[str, Any]]:
    """A row an attacker who was tried on any of them: whom she finds."""
    audits = [audit_in(record) for record in records]
    named = [{_name(row): row for row in audit["attackers"]} if audit else {} for audit in audits]
    names = {name: row["title"] for each in named for name, row in each.items()}
    rows = []
    for name, title in names.items():
        values = [each[name]["found"] if name in each else None for each in named]
        row = _as_row(name, f"{title} ({name})", values, str)
        row["shown"] = [each[name]["shown"]["found"] if name in each else MISSING for each in named]
        rows.append(row)
    return rows


def _name(row: dict[str, Any]) -> str:
    return str(row["name"]) if row["knows"] is None else f"{row['name']}, {row['knows']}"
