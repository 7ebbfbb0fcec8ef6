"""Studies: a plan of runs, tables and pages written from finished runs, and a conclusion in words."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from netveil._version import __version__
from netveil.errors import FileError, SettingError, check_kinds, on_command_line, option, unknown_name
from netveil.files.storage import store
from netveil.formatting import are, counted, duration, table_of
from netveil.plotting import plot_points
from netveil.progress import AnyProgress, watched_by
from netveil.search import Control
from netveil.studies import STUDIES
from netveil.studies.plan import Plan, TaskShare, read_plan
from netveil.studies.run_experiment import ExperimentListener, ExperimentStatus, Summary, run_plan
from netveil.studies.store import collect, results_table

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

Row = dict[str, Any]
"""A row of `results_table`."""


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """Options of running a study; `run_plan` says what workers, dask, share, stop and listener mean."""

    folder: Path
    run: bool = True  # False: nothing runs, and what follows from finished runs is written again
    collect: bool = False  # whether to write the table of all runs
    parquet: bool = False  # as results.parquet too
    workers: int | None = None
    dask: str | None = None
    share: TaskShare | None = None
    stop: Control = field(default_factory=Control)
    listener: ExperimentListener | None = None
    tell: Callable[[str], None] = lambda line: None  # hears what is done between runs


@dataclass(frozen=True)
class StudyRuns:
    """Finished runs of a study.

    >>> import netveil as nv
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as place:
    ...     plan = Path(place, "plan.toml")
    ...     _ = plan.write_text("networks = ['karate']\\nalgorithms = ['es']\\nseeds = 1\\n")
    ...     nv.experiment(plan, f"{place}/runs", workers=1).missing
    0
    """

    plan: Plan
    folder: Path
    summary: Summary | None  # None where nothing was to be run
    tables: tuple[Path, ...]  # of all runs, if that was asked for
    conclusion: Conclusion | None = None  # what was written of them

    @cached_property
    def wanted(self) -> frozenset[str]:
        """Names of the runs that the plan asks for; the folder may hold others."""
        return frozenset(task.folder for task in self.plan.tasks())

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """Rows of `results_table` that belong to the plan."""
        return [row for row in results_table(self.folder) if row["run"] in self.wanted]

    def to_pandas(self) -> pandas.DataFrame:
        """One row a finished run of the plan."""
        return table_of(self.rows)

    def plot(self, ax: Axes | None = None) -> Axes:
        """People left at risk against edges deleted, a point a run and a colour an algorithm.

        On axes of matplotlib that are returned; both are shares, so that networks can be compared.
        """
        series: dict[str, list[tuple[float, float]]] = {}
        for row in self.rows:
            if row["reduction"] is not None:
                point = (100 * row["deleted_share"], 100 * (1 - row["reduction"]))
                series.setdefault(row["algorithm"], []).append(point)
        return plot_points(series, ylabel="people left at risk (% of those at first)", ax=ax)

    @property
    def missing(self) -> int:
        """Number of runs of the plan that are not finished."""
        return len(self.wanted) - len(self.rows)

    @property
    def interrupted(self) -> bool:
        """Whether the runs were stopped before the end."""
        return self.summary is not None and self.summary.interrupted

    @property
    def failed(self) -> dict[str, str]:
        """Errors of failed runs, by the names of the runs."""
        return {} if self.summary is None else self.summary.failed

    @property
    def warning(self) -> str | None:
        """Warning of runs of other versions of netveil; None if there are none."""
        count = sum(row["version"] != __version__ for row in self.rows)
        runs = f"{count:,} of the runs in {self.folder} {are(count)} of another version of netveil"
        return f"warning: {runs}; delete what is to be run again." if count else None


@dataclass(frozen=True)
class Conclusion:
    """Conclusion of a study after its runs."""

    document: dict[str, Any]  # for programs
    words: str  # for people
    interrupted: bool = False  # during the runs or after them
    problem: str | None = None  # a sentence on why it is not complete although nothing failed


class PlannedStudy(Protocol):
    """A study whose networks are loaded, ready to be run."""

    @property
    def plan(self) -> Plan:
        """Plan of the runs."""

    def conclude(self, runs: StudyRuns, options: RunOptions) -> Conclusion:
        """Write tables and pages from the finished runs, and say what was written."""


@dataclass(frozen=True)
class Study:
    """A study that comes with netveil, as the registry lists it."""

    name: str
    planned: Callable[..., PlannedStudy]  # from the number of seeds, if given, --quick, and --networks
    takes_networks: bool = False  # whether it is about a folder of networks, --networks


@dataclass(frozen=True)
class StudyPage:
    """Conclusion from all runs of a study: its pages and files."""

    markdown: str
    files: dict[str, bytes]  # figures that the page shows, by name
    more: dict[str, Any] = field(default_factory=dict)  # for programs


@dataclass(frozen=True)
class PageStudy:
    """A study with a page of Markdown, which is written once all its runs are finished."""

    plan: Plan
    page: Callable[[list[Row]], StudyPage]

    def conclude(self, runs: StudyRuns, options: RunOptions) -> Conclusion:
        """Write the page, unless runs are missing."""
        summary = {} if runs.summary is None else asdict(runs.summary)
        document = {"plan": self.plan.name, "out": str(runs.folder), **summary, "missing": runs.missing}
        if runs.missing:
            left = f"{runs.folder}: {counted(runs.missing, 'run')} {are(runs.missing)}"
            words = f"{left} still to be done, and then the table."
            return Conclusion({**document, "page": None}, words, runs.interrupted)
        page = self.page(runs.rows)
        file = runs.folder / f"{self.plan.name}.md"
        for name, content in {**page.files, file.name: page.markdown.encode()}.items():
            store(content, str(runs.folder / name))
        return Conclusion({**document, "page": str(file), **page.more}, f"page: {file}", runs.interrupted)


def planned_study(
    plan: str, seeds: int | None = None, quick: bool = False, networks: str | None = None
) -> tuple[Path, Callable[[], PlannedStudy]]:
    """Folder for the runs of a plan or of a study that comes with netveil, and what plans it."""
    study = STUDIES.get(plan)
    for name, value, is_used in (
        ("networks", networks, study is not None and study.takes_networks),
        ("quick", quick or None, study is not None),
    ):
        if value is not None and not is_used:
            raise SettingError(f"{option(name, value)} is of no use with {plan}; leave it out.")
    if study is not None:
        given = (seeds, quick, networks) if study.takes_networks else (seeds, quick)
        return Path(f"{plan}-quick" if quick else plan), partial(study.planned, *given)
    if Path(plan).is_dir():
        table = on_command_line(", or --collect for the table of its runs")
        raise FileError(f"{plan} is a folder. Give a plan{table}.")
    if not Path(plan).exists() and not any(mark in plan for mark in "./\\"):
        nothing = unknown_name("study", plan, STUDIES)
        raise FileError(f"{plan}: there is no such file. As a study that comes with netveil: {nothing}")
    return Path(f"{Path(plan).stem}-runs"), lambda: UserPlan(plan, read_plan(plan, seeds))


def experiment(
    plan: str | os.PathLike[str],
    out: str | os.PathLike[str] | None = None,
    *,
    seeds: int | None = None,
    quick: bool = False,
    networks: str | os.PathLike[str] | None = None,
    workers: int | None = None,
    dask: str | None = None,
    progress: AnyProgress = None,
) -> StudyRuns:
    """Run what a plan describes, or what is missing of it: networks × algorithms × budgets × seeds and more.

    Each run is kept as it is finished: interrupted in any way, the same call goes on from there.

    Parameters
    ----------
    plan
        A TOML file, or the name of a study that comes with netveil: 'paper', 'searches' or 'simulated'.
    out
        Folder of the runs; PLAN-runs, or the name of the study, if not given.
    seeds
        Seeds 1 to this number instead of those of the plan.
    quick
        A small version of a study that comes with netveil.
    networks
        A folder of networks, for the study 'searches'.
    workers
        Processes to run on, as many as cores by default. With 1, runs take place in this process.
    dask
        The address of a Dask scheduler to run on instead.
    progress
        Who watches: see `netveil.anonymize`. A function is told an `ExperimentStatus` as `state`.

    Examples
    --------
    >>> import netveil as nv
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as place:
    ...     plan = Path(place, "plan.toml")
    ...     _ = plan.write_text("networks = ['karate']\\nalgorithms = ['es', 'ua']\\nseeds = 2\\n")
    ...     study = nv.experiment(plan, f"{place}/runs", workers=1)
    ...     [(row["algorithm"], row["seed"]) for row in study.rows]
    [('es', 1), ('es', 2), ('ua', 1), ('ua', 2)]
    """
    check_kinds(
        locals(),
        plan="file",
        out="file?",
        networks="file?",
        seeds="whole?",
        quick="flag",
        workers="whole?",
        dask="text?",
    )
    folder, planned = planned_study(
        os.fspath(plan), seeds, quick, None if networks is None else os.fspath(networks)
    )
    study = planned()
    with watched_by(progress, ExperimentStatus.on_bar) as watcher:
        place = folder if out is None else Path(out)
        options = RunOptions(
            folder=place, workers=workers, dask=dask, listener=watcher.step, tell=watcher.announce
        )
        runs = run_study(study.plan, options)
        return replace(runs, conclusion=study.conclude(runs, options))


def run_study(plan: Plan, options: RunOptions) -> StudyRuns:
    """Run what is missing of a plan, unless nothing is to be run, and write the table if asked."""
    summary = None
    if options.run:
        names = ("workers", "dask", "share", "stop", "listener")
        summary = run_plan(plan, options.folder, **{name: getattr(options, name) for name in names})
    elif not StudyRuns(plan, options.folder, None, ()).rows:
        first = f"run it{on_command_line(' without --collect')} first"
        raise FileError(f"{options.folder}: no run of {plan.name} is finished; {first}.")
    has_runs = summary is None or summary.already + summary.done > 0
    tables = collect(options.folder, options.parquet) if options.collect and has_runs else []
    return StudyRuns(plan, options.folder, summary, tuple(tables))


@dataclass(frozen=True)
class UserPlan:
    """A plan from a file."""

    file: str  # as the user named it
    plan: Plan

    def conclude(self, runs: StudyRuns, options: RunOptions) -> Conclusion:
        """Say how the runs ended, and where the table is."""
        summary = runs.summary
        assert summary is not None, "a plan is always run"
        document = {"plan": self.file, "out": str(runs.folder), **asdict(summary)}
        finished = summary.already + summary.done
        already = f" ({summary.already:,} earlier)" if summary.already else ""
        of_all = f"{finished:,} of {counted(summary.total, 'run')}"
        lines = [f"{of_all} {are(finished)} finished{already}: {runs.folder}"]
        if summary.done:
            lines.append(
                f"{counted(summary.done, 'run')} of {duration(summary.run_seconds)} in all, done in "
                f"{duration(summary.seconds)} by {counted(summary.workers, 'worker')}."
            )
        lines += [f"table: {table}" for table in runs.tables]
        if not runs.tables and not summary.interrupted:
            lines.append(f"table of the results: netveil experiment {runs.folder} --collect")
        tables = list(map(str, runs.tables))
        return Conclusion({**document, "tables": tables}, "\n".join(lines), runs.interrupted)
