"""The folder of an experiment: a folder a run, whole or not there at all, and the table of all runs.

Nobody but its owner can open what is in it.

DIR/plan.toml                   the plan that was run last
DIR/runs/<run>/settings.json    what the run is about
              /trace.csv        how the search went
              /result.json      what it found
              /deleted_edges.csv   private: undoes the anonymization
DIR/runs/<run of a synthetic network>/settings.json, result.json
DIR/failed/<run>.json           why a run failed, until it succeeds
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from netveil.errors import FileError, needing
from netveil.files.json_records import read_record
from netveil.files.staging import OUT, staged_folder, sweep
from netveil.files.storage import store, write_new
from netveil.formatting import csv_table
from netveil.search import Progress
from netveil.studies.task import FIGURES, SHORT_IDENTITY, SYNTHETIC, Task, TaskResult
from netveil.utility import METRICS

SETTINGS = {
    **dict.fromkeys(("network", "identity", "version"), str),
    "algorithm": {"name": str, "algorithm": str, "config": str | None, "time": float | None},
    "budget": str | None,
    "attacker": dict[str, Any] | None,
    "k": int,
    "seed": int,
}
"""Shape of settings.json: what was run."""
RESULT = {
    **dict.fromkeys(("nodes", "edges"), int),
    "run_seconds": float,
    "metrics": dict[str, dict[str, Any]],
}
"""Shape of result.json; there are more figures than are looked at here."""


@dataclass(frozen=True)
class FinishedRun:
    """Records of a finished run."""

    folder: str
    settings: dict[str, Any]
    result: dict[str, Any]


class Store:
    """The folder of an experiment. Several processes may write to the same one."""

    def __init__(self, folder: str | Path) -> None:
        self.path = Path(folder)
        self.runs = self.path / "runs"
        self.failed = self.path / "failed"

    def check(self) -> None:
        """Raise if the place is taken by something else."""
        with self._telling():
            if self.path.exists() and not self.path.is_dir():
                raise FileError(f"{self.path} is a file; give a folder for the runs{OUT}.")
            if self.path.is_dir() and not self.runs.is_dir() and any(self.path.iterdir()):
                other = "holds something else than an experiment"
                raise FileError(f"{self.path} {other}; give another folder{OUT}.")

    def prepare(self, plan: str = "") -> None:
        """Make the folder, and put a copy of the plan into it."""
        with self._telling():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            for folder in (self.path, self.runs, self.failed):
                folder.mkdir(mode=0o700, exist_ok=True)
                sweep(folder)
        if plan:
            store(plan.encode(), str(self.path / "plan.toml"))

    def finished(self) -> dict[str, FinishedRun]:
        """Finished runs by the names of their folders; one that is damaged or a copy is left out."""
        if not self.runs.is_dir():
            raise FileError(f"{self.path} is not the folder of an experiment; give one that has runs in it.")
        found = {}
        for folder in sorted(self.runs.iterdir()):
            with suppress(OSError, ValueError):
                settings = read_record(folder / "settings.json", SETTINGS)
                result = read_record(folder / "result.json", RESULT)
                if folder.name.endswith(f"_{settings['identity'][:SHORT_IDENTITY]}"):
                    found[folder.name] = FinishedRun(folder.name, settings, result)
        return found

    def damaged(self, finished: Mapping[str, FinishedRun]) -> list[str]:
        """Names of folders that are neither finished runs nor being written."""
        names = sorted(entry.name for entry in self.runs.iterdir())
        return [name for name in names if name not in finished and not name.startswith(".")]

    def missing(self, tasks: Sequence[Task], finished: Mapping[str, FinishedRun]) -> list[Task]:
        """Tasks that are still to be run, where these are finished.

        A finished run that lacks a metric is run again, for all metrics that were ever asked for.
        """
        missing = []
        for task in tasks:
            run = finished.get(task.folder)
            known = () if run is None else tuple(run.result["metrics"])
            if run is None or not set(task.metrics) <= set(known):
                missing.append(replace(task, metrics=tuple(dict.fromkeys((*known, *task.metrics)))))
        return missing

    def save(self, task: Task, result: TaskResult) -> None:
        """Write the folder of a run, which appears whole, and forget that the run failed before."""
        settings = {**task.settings, "identity": task.identity, "version": task.version}
        files = {"settings.json": _json(settings), "result.json": _json(dict(result.figures))}
        if not task.is_synthetic:
            edges = task.network.edges
            deleted = [(number, *map(int, edges[number])) for number in result.deleted_edges]
            columns = [column.name for column in fields(Progress)]
            files["trace.csv"] = csv_table(columns, (asdict(row).values() for row in result.trace))
            files["deleted_edges.csv"] = csv_table(["edge", "source", "target"], deleted)
        with self._telling():
            with staged_folder(self.runs / task.folder, replace=True, private=True) as staging:
                for name, text in files.items():
                    write_new(text.encode(errors="backslashreplace"), staging / name, private=True)
            (self.failed / f"{task.folder}.json").unlink(missing_ok=True)

    def save_failure(self, task: Task, error: str) -> None:
        """Write why a run failed."""
        text = _json({"error": error, "version": task.version, **task.settings})
        store(text.encode(errors="backslashreplace"), str(self.failed / f"{task.folder}.json"))

    @contextmanager
    def _telling(self) -> Iterator[None]:
        """Turn an error of the file system into one line."""
        try:
            yield
        except OSError as error:
            remedy = f"Make room, or give another folder{OUT}"
            reason = error.strerror or "the name is not valid"
            raise FileError(f"{self.path} cannot be written: {reason}. {remedy}.") from None


def _json(document: dict[str, Any]) -> str:
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def results_table(folder: str | Path) -> list[dict[str, Any]]:
    """A row for each finished run of an experiment, sorted by its settings; what is not known is None."""
    runs = list(Store(folder).finished().values())
    found = {name for run in runs for name in run.result["metrics"]}
    measured = sorted(found, key=[*METRICS, *sorted(found)].index)  # somebody's own last
    with_synthetic = any(run.settings["algorithm"]["algorithm"] == SYNTHETIC for run in runs)
    return sorted((_row(run, measured, with_synthetic) for run in runs), key=_place)


def collect(folder: str | Path, parquet: bool = False) -> list[Path]:
    """Write the table as results.csv, and as results.parquet if asked, into the experiment's folder."""
    rows = results_table(folder)
    if not rows:
        raise FileError(f"{folder}: no run is finished yet. Run the plan first.")
    text = csv_table(rows[0], (row.values() for row in rows))
    contents = {"results.csv": text.encode(errors="backslashreplace")}
    if parquet:
        with needing("pyarrow", "a Parquet table", extra="parquet"):
            import pyarrow.parquet
        stream = pyarrow.BufferOutputStream()
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), stream)
        contents["results.parquet"] = stream.getvalue().to_pybytes()
    for name, content in contents.items():
        store(content, str(Path(folder) / name))
    return [Path(folder) / name for name in contents]


SYNTHETIC_FIGURES = ("rows", "smallest_row", "ceiling", "true_ties")


def _row(run: FinishedRun, measured: list[str], with_synthetic: bool) -> dict[str, Any]:
    """A run as a row; `with_synthetic` adds columns that only synthetic networks fill."""
    settings, result = run.settings, run.result
    algorithm, attacker = settings["algorithm"], settings["attacker"] or {}
    at_risk, edges, deleted = result.get("at_risk_before"), result["edges"], result.get("deleted")
    row = {
        "network": settings["network"],
        **_part(result, "nodes", "edges"),
        "algorithm": algorithm["name"],
        "config": algorithm["config"],
        "budget": settings["budget"],
        "measure": " + ".join(attacker["measures"]) if attacker else None,
        **_part(attacker, "distance", "fuzzy", "twins"),
        **_part(settings, "k", "seed"),
        **_part(result, "at_risk_before", "at_risk_after"),
        "reduction": (at_risk - result["at_risk_after"]) / at_risk if at_risk else None,
        **_part(result, "unique_before", "unique_after", "deleted"),
        "deleted_share": None if deleted is None else deleted / edges if edges else 0.0,
        **_part(result, "evaluations", "generations", "seconds", "stopped_by"),
        **_part(result, *(SYNTHETIC_FIGURES if with_synthetic else ())),
    }
    for metric in measured:
        figures = result["metrics"].get(metric, {})
        row |= {f"{metric}_{figure}": figures.get(figure) for figure in FIGURES}
    row |= {"search": algorithm["algorithm"], "time_limit": algorithm["time"]}
    row |= {"budget_edges": result.get("budget"), "run_seconds": result["run_seconds"]}
    return row | {"version": settings["version"], "run": run.folder}


def _part(record: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: record.get(name) for name in names}


def _place(row: dict[str, Any]) -> tuple[Any, ...]:
    """Key of the order of rows: networks and algorithms by name, the rest by size where it has one."""
    attacker = (row["measure"] or "", row["distance"] or 0, row["fuzzy"] or "", bool(row["twins"]))
    return (row["network"], row["algorithm"], row["budget_edges"] or 0, attacker, row["k"], row["seed"])
