"""The folder of an experiment: what is finished, run by run, each of them whole or not there at all.

Nobody but its owner can open what it makes.

DIR/plan.toml                   the plan that was run last
DIR/runs/<run>/settings.json    what the run is about
              /trace.csv        how the search went
              /result.json      what it found
              /deleted_edges.csv   private: undoes the anonymization
DIR/failed/<run>.json           why a run failed, until it succeeds
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, fields, replace
from errno import EEXIST, ENOTEMPTY
from pathlib import Path
from typing import Any

from netveil.errors import FileError
from netveil.experiments.remaining import Kind
from netveil.experiments.task import SHORT_IDENTITY, Task, TaskResult, identity_of
from netveil.files.hidden import sweep
from netveil.files.json_records import (
    DamagedRecordError,
    any_text,
    any_whole,
    by_name,
    number,
    or_none,
    read_record,
    text,
    whole,
    yes_or_no,
)
from netveil.files.staging import OUT, staged_folder
from netveil.files.storage import store, write_new
from netveil.search import Progress
from netveil.spreadsheet_cells import csv_table

SETTINGS = {
    "network": any_text,
    **dict.fromkeys(("fingerprint", "budget", "identity", "version"), text),
    "algorithm": {"name": text, "algorithm": text, "config": or_none(text), "time": or_none(number)},
    "attacker": {"measures": [text], "distance": whole(), "fuzzy": or_none(text), "twins": yes_or_no},
    "k": whole(),
    "seed": any_whole,
}
RESULT = {
    **dict.fromkeys(("nodes", "edges", "budget", "deleted", "evaluations"), whole()),
    **dict.fromkeys(("at_risk_before", "at_risk_after", "unique_before", "unique_after"), whole()),
    **dict.fromkeys(("seconds", "run_seconds"), number),
    "generations": or_none(whole()),
    "stopped_by": text,
    "metrics": by_name(by_name(or_none(number))),
}
FINISHED = {"settings.json": SETTINGS, "result.json": RESULT}
"""What makes a folder the record of a run, and a trace."""


@dataclass(frozen=True)
class FinishedRun:
    """A finished run, as its folder tells it."""

    folder: str
    settings: dict[str, Any]
    result: dict[str, Any]
    kind: Kind
    seconds: float  # of the whole run


class Store:
    """The folder of an experiment. Several processes may write to the same one."""

    def __init__(self, folder: str | Path) -> None:
        self.path = Path(folder)
        self.runs = self.path / "runs"
        self.failed = self.path / "failed"

    def check(self) -> None:
        """Raise if something else is there."""
        with self._telling():
            if self.path.exists() and not self.path.is_dir():
                raise FileError(f"{self.path} is a file; give a folder for the runs{OUT}.")
            if self.path.is_dir() and not self.runs.is_dir() and any(self.path.iterdir()):
                raise FileError(
                    f"{self.path} holds something else than an experiment; give another folder{OUT}."
                )

    def prepare(self, plan: str = "") -> None:
        """Make the folder, and put a copy of the plan into it."""
        self.check()
        with self._telling():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            for folder in (self.path, self.runs, self.failed):
                folder.mkdir(mode=0o700, exist_ok=True)
                sweep(folder)
        if plan:
            store(plan.encode(), str(self.path / "plan.toml"))

    def finished(self) -> dict[str, FinishedRun]:
        """Every finished run by the name of its folder.

        One that is damaged, or a copy of another, does not count: it is run again.
        """
        if not self.runs.is_dir():
            raise FileError(f"{self.path} is not the folder of an experiment; give one that has runs in it.")
        found = {}
        for folder in sorted(self.runs.iterdir()):
            if folder.name.startswith("."):  # being written, or left behind by a process that was killed
                continue
            with suppress(OSError, DamagedRecordError):
                settings, result = (read_record(folder / name, shape) for name, shape in FINISHED.items())
                if not _is_record_of(settings, folder):
                    continue
                kind = Kind(settings["network"], settings["algorithm"]["name"], result["edges"])
                seconds = result["run_seconds"]
                found[folder.name] = FinishedRun(folder.name, settings, result, kind, seconds)
        return found

    def damaged(self, finished: Mapping[str, FinishedRun]) -> list[str]:
        """The folders among the runs that are neither finished runs nor being written."""
        names = sorted(entry.name for entry in self.runs.iterdir())
        return [name for name in names if name not in finished and not name.startswith(".")]

    def missing(self, tasks: Sequence[Task], finished: Mapping[str, FinishedRun]) -> list[Task]:
        """The tasks that are still to be run, where these are finished.

        A finished run that lacks a metric is run again, for all metrics that were ever asked for.
        """
        missing = []
        for task in tasks:
            run = finished.get(task.folder)
            known = () if run is None else tuple(run.result.get("metrics", ()))
            if run is None or not set(task.metrics) <= set(known):
                missing.append(replace(task, metrics=tuple(dict.fromkeys((*known, *task.metrics)))))
        return missing

    def save(self, task: Task, result: TaskResult) -> None:
        """Write the folder of a run, which appears whole, and forget that the run failed before."""
        folder = self.runs / task.folder
        with self._telling():
            try:
                with staged_folder(folder, replace=True, private=True) as staging:
                    for name, text in _files(task, result).items():
                        write_new(text.encode(errors="backslashreplace"), staging / name, private=True)
            except OSError as error:
                # Another process has put the same run there meanwhile, with the same result.
                if error.errno not in (EEXIST, ENOTEMPTY):
                    raise
            (self.failed / f"{task.folder}.json").unlink(missing_ok=True)

    def save_failure(self, task: Task, error: str) -> None:
        """Note why a run failed."""
        document = {"error": error, "version": task.version, **task.settings}
        store(_json(document).encode(errors="backslashreplace"), str(self.failed / f"{task.folder}.json"))

    @contextmanager
    def _telling(self) -> Iterator[None]:
        """Turn an error of the file system into one line."""
        try:
            yield
        except OSError as error:
            reason = error.strerror or "the name is not valid"
            raise FileError(
                f"{self.path} cannot be written: {reason}. Make room, or give another folder{OUT}."
            ) from None


def _is_record_of(settings: Mapping[str, Any], folder: Path) -> bool:
    """Whether these are the settings of the run that the folder is named after, and its trace is there."""
    identity = str(settings["identity"])
    own = {name: value for name, value in settings.items() if name not in ("identity", "version")}
    is_named_so = folder.name.endswith(f"_{identity[:SHORT_IDENTITY]}")
    return identity_of(own) == identity and is_named_so and (folder / "trace.csv").is_file()


def _files(task: Task, result: TaskResult) -> dict[str, str]:
    """What the folder of a run holds, by name."""
    edges = task.network.network.edges
    deleted = [(number, *map(int, edges[number])) for number in result.deleted_edges]
    columns = [column.name for column in fields(Progress)]
    settings = {**task.settings, "identity": task.identity, "version": task.version}
    return {
        "settings.json": _json(settings),
        "trace.csv": csv_text(columns, (asdict(row).values() for row in result.trace)),
        "deleted_edges.csv": csv_text(["edge", "source", "target"], deleted),
        "result.json": _json(dict(result.figures)),
    }


def _json(document: dict[str, Any]) -> str:
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def csv_text(columns: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    """A table as CSV; what is not known is left empty."""
    return csv_table(columns, rows)
