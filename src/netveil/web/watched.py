"""Folders of `netveil experiment` that were named at the start: watched, and nothing more."""

from __future__ import annotations

import hashlib
import json
import tomllib
from contextlib import suppress
from datetime import UTC, datetime
from math import prod
from pathlib import Path
from typing import Any

from netveil.errors import NetveilError
from netveil.experiments.results import results_table
from netveil.experiments.store import Store
from netveil.web.answers import missing

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
