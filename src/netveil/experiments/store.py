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
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, fields, replace
from errno import EEXIST, ENOTEMPTY
from pathlib import Path
from statistics import fmean, median
from typing import Any, NamedTuple

from netveil.errors import FileError, needing
from netveil.experiments.task import FIGURES, SHORT_IDENTITY, Task, TaskResult, identity_of
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
from netveil.files.staging import OUT, staged_folder, sweep
from netveil.files.storage import store, write_new
from netveil.formatting import csv_table
from netveil.search import Progress
from netveil.utility import METRICS

# How long the rest of an experiment takes, estimated from finished runs of the same kind.


SECONDS_OF_A_LONG_RUN = 60.0  # beside which it does not matter that a worker first loads and compiles


class Kind(NamedTuple):
    """Runs of the same kind take about as long."""

    network: str  # by its name in the plan
    algorithm: str
    edges: int  # of the network: with more of them, runs take longer


@dataclass
class Durations:
    """How long runs took."""

    seconds: dict[Kind, list[float]] = field(default_factory=lambda: defaultdict(list))

    def add(self, kind: Kind, seconds: float, is_first: bool = False) -> None:
        """Learn from a run; not from a short one that was the first of its worker."""
        if not is_first or seconds >= SECONDS_OF_A_LONG_RUN:
            self.seconds[kind].append(seconds)

    def remaining(self, kinds: Iterable[Kind], workers: int) -> float | None:
        """Seconds that runs of these kinds take on this many workers; None while nothing is known.

        A run takes the median of its kind, as the first run of a worker takes longer. Where no run of the
        kind is finished, it takes as long for each edge as runs of its algorithm on other networks, or as all
        runs.

        >>> durations = Durations()
        >>> durations.add(Kind("small", "ga", 100), 4.0)
        >>> durations.remaining([Kind("small", "ga", 100), Kind("large", "ga", 1000)], workers=2)
        22.0
        """
        if not self.seconds:
            return None
        return sum(count * self._expected(kind) for kind, count in Counter(kinds).items()) / workers

    def _expected(self, kind: Kind) -> float:
        if kind in self.seconds:
            return median(self.seconds[kind])
        alike = [known for known in self.seconds if known.algorithm == kind.algorithm] or list(self.seconds)
        return kind.edges * fmean(median(self.seconds[known]) / max(known.edges, 1) for known in alike)


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


# One tidy table of all finished runs: a row a run.


def results_table(folder: str | Path) -> list[dict[str, Any]]:
    """A row for each finished run of an experiment, sorted by its settings; what is not known is None."""
    runs = list(Store(folder).finished().values())
    measured = [name for name in METRICS if any(name in run.result.get("metrics", {}) for run in runs)]
    return sorted((_row(run, measured) for run in runs), key=_place)


def damaged_runs(folder: str | Path) -> list[str]:
    """A warning for each folder among the runs that is not a whole record, and so in no table."""
    store = Store(folder)
    return [
        f"warning: {store.runs / name} is damaged or a copy, and not in the table; delete it, or run the "
        f"plan again."
        for name in store.damaged(store.finished())
    ]


def collect(folder: str | Path, parquet: bool = False) -> list[Path]:
    """Write the table as results.csv, and as results.parquet if asked, into the experiment's folder."""
    rows = results_table(folder)
    if not rows:
        damaged = Store(folder).damaged({})
        beside = f" (damaged: {', '.join(damaged)})" if damaged else ""
        raise FileError(f"{folder}: no run is finished yet{beside}. Run the plan first.")
    written = [Path(folder) / "results.csv"]
    if parquet:
        written.append(_write_parquet(rows, Path(folder) / "results.parquet"))
    store(
        csv_text(rows[0], (row.values() for row in rows)).encode(errors="backslashreplace"), str(written[0])
    )
    return written


def _write_parquet(rows: list[dict[str, Any]], file: Path) -> Path:
    with needing("pyarrow", "a Parquet table", extra="parquet"):
        import pyarrow
        from pyarrow import parquet
    stream = pyarrow.BufferOutputStream()
    parquet.write_table(pyarrow.Table.from_pylist(rows), stream)
    store(stream.getvalue().to_pybytes(), str(file))
    return file


def _row(run: FinishedRun, measured: list[str]) -> dict[str, Any]:
    settings, result = run.settings, run.result
    algorithm, attacker = settings["algorithm"], settings["attacker"]
    at_risk_before, at_risk_after = result["at_risk_before"], result["at_risk_after"]
    row = {
        "network": settings["network"],
        "nodes": result["nodes"],
        "edges": result["edges"],
        "algorithm": algorithm["name"],
        "config": algorithm["config"],
        "budget": settings["budget"],
        "measure": " + ".join(attacker["measures"]),
        "distance": attacker["distance"],
        "fuzzy": attacker["fuzzy"],
        "twins": attacker["twins"],
        "k": settings["k"],
        "seed": settings["seed"],
        "at_risk_before": at_risk_before,
        "at_risk_after": at_risk_after,
        "reduction": (at_risk_before - at_risk_after) / at_risk_before if at_risk_before else None,
        "unique_before": result["unique_before"],
        "unique_after": result["unique_after"],
        "deleted": result["deleted"],
        "deleted_share": result["deleted"] / result["edges"] if result["edges"] else 0.0,
        "evaluations": result["evaluations"],
        "generations": result["generations"],
        "seconds": result["seconds"],
        "stopped_by": result["stopped_by"],
    }
    for metric in measured:
        figures = result["metrics"].get(metric, {})
        row |= {f"{metric}_{figure}": figures.get(figure) for figure in FIGURES}
    return row | {
        "search": algorithm["algorithm"],
        "time_limit": algorithm["time"],
        "budget_edges": result["budget"],
        "run_seconds": result["run_seconds"],
        "version": settings["version"],
        "run": run.folder,
    }


def _place(row: dict[str, Any]) -> tuple[Any, ...]:
    """Where a row stands: networks and algorithms by name, the rest by size where it has one."""
    attacker = (row["measure"], row["distance"], row["fuzzy"] or "", row["twins"])
    return (row["network"], row["algorithm"], row["budget_edges"], attacker, row["k"], row["seed"])
