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
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, fields, replace
from errno import EEXIST, ENOTEMPTY
from itertools import chain
from pathlib import Path
from statistics import median
from typing import Annotated, Any, NamedTuple, TypedDict

import msgspec

from netveil.errors import FileError, needing
from netveil.files.staging import OUT, staged_folder, sweep
from netveil.files.storage import store, write_new
from netveil.formatting import csv_table
from netveil.search import Progress
from netveil.studies.task import (
    FIGURES,
    SHORT_IDENTITY,
    SYNTHETIC,
    AlgorithmSpec,
    AttackerSpec,
    Task,
    TaskResult,
    identity_of,
)
from netveil.utility import METRICS

# Records of runs, checked by their types when they are read: anybody may have changed them meanwhile.


Whole = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
Number = Annotated[float, msgspec.Meta(ge=-(2**63), le=2**63)]  # not 1e999, which is read as infinity
Printable = Annotated[str, msgspec.Meta(pattern="^[^\ud800-\udfff]*$")]  # no halves of characters


class SettingsRecord(TypedDict):
    """settings.json: what was run."""

    network: str
    fingerprint: Printable
    algorithm: AlgorithmSpec
    budget: Printable | None  # None for a synthetic network, as are attackers
    attacker: AttackerSpec | None
    k: Whole
    seed: int
    identity: Printable
    version: Printable


ResultRecord = msgspec.defstruct(
    "ResultRecord",
    [
        *((name, Whole) for name in ("nodes", "edges", "budget", "deleted", "evaluations")),
        *((f"{what}_{when}", Whole) for what in ("at_risk", "unique") for when in ("before", "after")),
        ("generations", Whole | None),
        ("stopped_by", Printable),
        ("seconds", Number),
        ("run_seconds", Number),
        ("metrics", dict[Printable, dict[Printable, Number | None]]),
    ],
)
"""result.json: figures of the run; there are more of them than are checked here."""


SyntheticRecord = msgspec.defstruct(
    "SyntheticRecord",
    [
        *((name, Whole) for name in ("nodes", "edges", "k", "rows", "smallest_row")),
        *((name, Number) for name in ("ceiling", "true_ties", "seconds", "run_seconds")),
        ("metrics", dict[Printable, dict[Printable, Number | None]]),
    ],
)
"""result.json of a synthetic network; there are more figures than are checked here."""


def read_json(file: Path, kind: Any) -> Any:
    """A record that has this type. OSError if the file cannot be read, ValueError if it is damaged."""
    try:
        record = json.loads(file.read_text(encoding="utf-8"))
        msgspec.convert(record, kind)
    except RecursionError:
        raise ValueError(f"{file} is nested too deeply") from None
    return record


SECONDS_OF_A_LONG_RUN = 60.0  # beside which it does not matter that a worker first loads and compiles


class Kind(NamedTuple):
    """Runs of one algorithm take about as long for each edge."""

    algorithm: str  # by its name in the plan
    edges: int  # of the network


@dataclass
class Durations:
    """Seconds an edge of finished runs, by algorithm, from which the rest is estimated."""

    an_edge: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    def add(self, kind: Kind, seconds: float, is_first: bool = False) -> None:
        """Learn from a run; not from a short one that was the first of its worker."""
        if not is_first or seconds >= SECONDS_OF_A_LONG_RUN:
            self.an_edge[kind.algorithm].append(seconds / max(kind.edges, 1))

    def remaining(self, kinds: Iterable[Kind], workers: int) -> float | None:
        """Seconds that runs of these kinds take on this many workers; None while nothing is known.

        The median of an algorithm counts, as single runs may be slow; where none is finished, that of all.

        >>> durations = Durations()
        >>> durations.add(Kind("ga", 100), 4.0)
        >>> durations.remaining([Kind("ga", 100), Kind("es", 1000)], workers=2)
        22.0
        """
        if not self.an_edge:
            return None
        of = {name: median(known) for name, known in self.an_edge.items()}
        of_all = median(chain.from_iterable(self.an_edge.values()))
        return sum(kind.edges * of.get(kind.algorithm, of_all) for kind in kinds) / workers


@dataclass(frozen=True)
class FinishedRun:
    """Records of a finished run, checked."""

    folder: str
    settings: dict[str, Any]  # a SettingsRecord
    result: dict[str, Any]  # a ResultRecord

    @property
    def kind(self) -> Kind:
        """Runs of this kind take about as long."""
        return Kind(self.settings["algorithm"]["name"], self.result["edges"])


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
        self.check()
        with self._telling():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            for folder in (self.path, self.runs, self.failed):
                folder.mkdir(mode=0o700, exist_ok=True)
                sweep(folder)
        if plan:
            store(plan.encode(), str(self.path / "plan.toml"))

    def finished(self) -> dict[str, FinishedRun]:
        """Finished runs by the names of their folders.

        A run that is damaged, or a copy of another, does not count: it is run again.
        """
        if not self.runs.is_dir():
            raise FileError(f"{self.path} is not the folder of an experiment; give one that has runs in it.")
        found = {}
        for folder in sorted(self.runs.iterdir()):
            if folder.name.startswith("."):  # being written, or left behind by a process that was killed
                continue
            with suppress(OSError, ValueError):
                settings = read_json(folder / "settings.json", SettingsRecord)
                kind = SyntheticRecord if _is_synthetic(settings) else ResultRecord
                result = read_json(folder / "result.json", kind)
                if _is_record_of(settings, folder):
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


def _is_record_of(settings: Mapping[str, Any], folder: Path) -> bool:
    """Whether these are the settings of the run that the folder is named after, and nothing is missing."""
    identity = str(settings["identity"])
    own = {name: value for name, value in settings.items() if name not in ("identity", "version")}
    is_named_so = folder.name.endswith(f"_{identity[:SHORT_IDENTITY]}")
    is_there = (folder / "trace.csv").is_file()
    if _is_synthetic(settings):
        is_there = settings["budget"] is settings["attacker"] is None
    return identity_of(own) == identity and is_named_so and is_there


def _is_synthetic(settings: Mapping[str, Any]) -> bool:
    """Whether these are the settings of a run that draws a synthetic network."""
    return bool(settings["algorithm"]["algorithm"] == SYNTHETIC.algorithm)


def _files(task: Task, result: TaskResult) -> dict[str, str]:
    """Texts of the files of a run, by name."""
    settings = {**task.settings, "identity": task.identity, "version": task.version}
    records = {"settings.json": _json(settings), "result.json": _json(dict(result.figures))}
    if task.is_synthetic:
        return records
    edges = task.network.edges
    deleted = [(number, *map(int, edges[number])) for number in result.deleted_edges]
    columns = [column.name for column in fields(Progress)]
    return records | {
        "trace.csv": csv_table(columns, (asdict(row).values() for row in result.trace)),
        "deleted_edges.csv": csv_table(["edge", "source", "target"], deleted),
    }


def _json(document: dict[str, Any]) -> str:
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def results_table(folder: str | Path) -> list[dict[str, Any]]:
    """A row for each finished run of an experiment, sorted by its settings; what is not known is None."""
    runs = list(Store(folder).finished().values())
    found = dict.fromkeys(name for run in runs for name in run.result["metrics"])
    measured = [name for name in METRICS if name in found]
    measured += [name for name in found if name not in measured]  # of somebody's own
    with_synthetic = any(_is_synthetic(run.settings) for run in runs)
    return sorted((_row(run, measured, with_synthetic) for run in runs), key=_place)


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
    text = csv_table(rows[0], (row.values() for row in rows))
    contents = {"results.csv": text.encode(errors="backslashreplace")}
    if parquet:
        contents["results.parquet"] = _parquet(rows)
    for name, content in contents.items():
        store(content, str(Path(folder) / name))
    return [Path(folder) / name for name in contents]


def _parquet(rows: list[dict[str, Any]]) -> bytes:
    with needing("pyarrow", "a Parquet table", extra="parquet"):
        import pyarrow
        from pyarrow import parquet
    stream = pyarrow.BufferOutputStream()
    parquet.write_table(pyarrow.Table.from_pylist(rows), stream)
    return bytes(stream.getvalue().to_pybytes())


SYNTHETIC_FIGURES = ("rows", "smallest_row", "ceiling", "true_ties")


def _row(run: FinishedRun, measured: list[str], with_synthetic: bool) -> dict[str, Any]:
    """A run as a row; `with_synthetic` adds columns that only synthetic networks fill."""
    settings, result = run.settings, run.result
    algorithm = settings["algorithm"]
    attacker = settings["attacker"] or {}
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
    return row | {
        "search": algorithm["algorithm"],
        "time_limit": algorithm["time"],
        "budget_edges": result.get("budget"),
        "run_seconds": result["run_seconds"],
        "version": settings["version"],
        "run": run.folder,
    }


def _part(record: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: record.get(name) for name in names}


def _place(row: dict[str, Any]) -> tuple[Any, ...]:
    """Key of the order of rows: networks and algorithms by name, the rest by size where it has one."""
    attacker = (row["measure"] or "", row["distance"] or 0, row["fuzzy"] or "", bool(row["twins"]))
    return (row["network"], row["algorithm"], row["budget_edges"] or 0, attacker, row["k"], row["seed"])
