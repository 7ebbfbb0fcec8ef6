"""Releases judged and compared: figures of their records, put in order. Nothing is computed here."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from math import prod
from pathlib import Path
from typing import Any

from netveil.auditing.matching.score import strongest_of_each_share
from netveil.errors import NetveilError
from netveil.formatting import MISSING, PeopleFound, change, counted, figure, seconds
from netveil.studies.store import Store, results_table
from netveil.utility import METRICS
from netveil.web.answers import missing

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


# Folders of `netveil experiment` that were named at the start: watched, and nothing more.


FACTORS = ("networks", "algorithms", "budgets", "measures", "k")


class Experiments:
    """Experiments by id."""

    def __init__(self, folders: list[Path]) -> None:
        self._folders = {_id(folder): folder for folder in folders}
        self._rows: dict[str, dict[str, Any]] = {}
        self.refresh()

    def all(self) -> list[dict[str, Any]]:
        """How far each of them was when last looked at."""
        return list(self._rows.values())

    def refresh(self) -> list[dict[str, Any]]:
        """Look how far they are; those that have changed. Takes a while where there are many runs."""
        changed = []
        for name, folder in self._folders.items():
            moments = [_changed(folder / part) for part in ("runs", "failed")]
            if self._rows.get(name, {}).get("changed") != max(filter(None, moments), default=None):
                with suppress(NetveilError, OSError):  # the folder is gone, or being moved
                    self._rows[name] = self.row(name)
                    changed.append(self._rows[name])
        return changed

    def row(self, name: str) -> dict[str, Any]:
        """How far one of them is."""
        folder = self._folder(name)
        store = Store(folder)
        finished = store.finished()
        return {
            "id": name,
            "name": folder.resolve().name,
            "folder": str(folder),
            "finished": len(finished),
            "failed": len(_failures(store)),
            "damaged": len(store.damaged(finished)),
            "total": _planned(folder),
            "changed": max(filter(None, map(_changed, (store.runs, store.failed))), default=None),
        }

    def document(self, name: str) -> dict[str, Any]:
        """The table of results as far as there is one, and what failed."""
        folder = self._folder(name)
        rows = results_table(folder)
        return {
            **self.row(name),
            "columns": list(rows[0]) if rows else [],
            "rows": [list(row.values()) for row in rows],
            "failures": _failures(Store(folder)),
        }

    def _folder(self, name: str) -> Path:
        if name not in self._folders:
            raise missing("experiment")
        return self._folders[name]


def is_experiment(folder: Path) -> bool:
    """Whether a folder is that of an experiment."""
    return (folder / "runs").is_dir()


def _id(folder: Path) -> str:
    return hashlib.sha256(str(folder.resolve()).encode(errors="surrogateescape")).hexdigest()[:16]


def _failures(store: Store) -> list[dict[str, Any]]:
    """Runs that failed, and why, in the first line of the reason."""
    rows = []
    for file in sorted(store.failed.glob("*.json")) if store.failed.is_dir() else []:
        with suppress(OSError, ValueError, TypeError, KeyError, IndexError):
            error = str(json.loads(file.read_text(encoding="utf-8"))["error"])
            rows.append({"run": file.stem, "error": error.strip().splitlines()[-1]})
    return rows


def _planned(folder: Path) -> int | None:
    """How many runs the plan comes to; None where it does not say, or cannot be read."""
    try:
        plan = tomllib.loads((folder / "plan.toml").read_text(encoding="utf-8"))
        factors = [len(plan[name]) if isinstance(plan.get(name), list) else 1 for name in FACTORS]
        seeds = plan.get("seeds", 1)
        return prod(factors) * (len(seeds) if isinstance(seeds, list) else int(seeds))
    except (OSError, ValueError, TypeError):
        return None


def _changed(runs: Path) -> str | None:
    """When the last run was finished, or failed."""
    try:
        return datetime.fromtimestamp(runs.stat().st_mtime, UTC).isoformat(timespec="microseconds")
    except OSError:
        return None
