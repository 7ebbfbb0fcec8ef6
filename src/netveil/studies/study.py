"""Studies: plans that are run, and the tables, pages and words that follow from finished runs.

`run_plan` hands out tasks as workers get free, and writes each result as it comes
`planned_study` → `Study` → `run_study` (what is missing runs, then it concludes) → `StudyRuns`
"""

from __future__ import annotations

import asyncio
import os
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from dataclasses import asdict, dataclass, field
from functools import cached_property, partial
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any, Protocol

from netveil._version import __version__
from netveil.errors import FileError, SettingError, check_kinds, on_command_line, option, unknown_name
from netveil.files.storage import store
from netveil.formatting import are, counted, duration, table_of
from netveil.plotting import check_figures, plot_points
from netveil.progress import AnyProgress, watched_by
from netveil.search import Control
from netveil.studies import OF_A_FOLDER, STUDIES
from netveil.studies.plan import Plan, TaskShare, read_plan
from netveil.studies.pools import Pool, pool_of
from netveil.studies.store import Store, collect, results_table
from netveil.studies.task import DIED_TWICE, LostCluster, Task, TaskResult, explained, is_loss

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

SECONDS_BETWEEN_LOOKS = 0.2  # at whether to stop, while nothing comes back

Row = dict[str, Any]
"""A row of `results_table`."""


@dataclass(frozen=True)
class ExperimentStatus:
    """Progress of an experiment."""

    total: int  # runs of the plan, or of this process's share of it
    done: int  # finished, now or earlier
    failed: int
    remaining_seconds: float | None  # None while nothing is known about how long runs take

    def on_bar(self) -> tuple[int, int, str]:
        """How many runs are over, of how many, and the words for it."""
        parts = [f"{self.done:,} of {counted(self.total, 'run')}"]
        if self.failed:
            parts.append(f"{self.failed:,} failed")
        if self.remaining_seconds is not None:
            parts.append(f"about {duration(self.remaining_seconds)} left")
        return self.done + self.failed, self.total, " · ".join(parts)


@dataclass
class Summary:
    """Summary of an experiment: of its way so far, or of one that has ended."""

    total: int  # runs of the plan, or of this process's share of it
    already: int  # had been finished earlier
    done: int = 0  # finished now
    failed: dict[str, str] = field(default_factory=dict)  # why, by the names of their folders
    interrupted: bool = False
    seconds: float = 0.0  # from the first task to the last result
    run_seconds: float = 0.0  # the time of all runs that were finished now, added up
    workers: int = 0  # as of when it was last asked


def run_plan(
    plan: Plan,
    folder: str | Path,
    *,
    workers: int | None = None,
    dask: str | None = None,
    share: TaskShare | None = None,
    stop: Control | None = None,
    listener: Callable[[ExperimentStatus], None] | None = None,
) -> Summary:
    """Run what the folder lacks of a plan; a run that fails does not stop the others.

    Parameters
    ----------
    workers
        Processes to run on, as many as cores by default. With 1, runs take place in this process.
    dask
        The address of a Dask scheduler to run on instead.
    share
        (I, N): only every N-th run from the I-th on, for N processes that share the folder.
    stop
        Its `interrupt` ends the experiment soon; finished runs stay.
    listener
        Called with how far it has come.
    """
    stop = Control() if stop is None else stop
    tasks = plan.tasks(share)
    store = Store(folder)
    store.check()
    missing = store.missing(tasks, store.finished() if store.runs.is_dir() else {})
    summary = Summary(len(tasks), len(tasks) - len(missing))
    if not missing:
        store.prepare(plan.text)
        return summary
    with pool_of(workers, dask, stop) as pool:
        store.prepare(plan.text)  # not before it is sure that there are workers
        began = time.perf_counter()
        _Running(pool, store, summary, deque(missing), listener).to_the_end(stop)
        summary.seconds = time.perf_counter() - began
        return summary


@dataclass
class _Running:
    """An experiment that is running."""

    pool: Pool
    store: Store
    summary: Summary
    waiting: deque[Task]
    listener: Callable[[ExperimentStatus], None] | None
    handed_out: dict[Future[TaskResult], Task] = field(default_factory=dict)
    died: set[str] = field(default_factory=set)  # runs whose process died once
    seconds_an_edge: dict[str, list[float]] = field(default_factory=dict)  # of finished runs, by algorithm

    def to_the_end(self, stop: Control) -> None:
        """Run until nothing is left or it is stopped."""
        self._tell()
        while self.waiting or self.handed_out:
            while self.waiting and len(self.handed_out) < self.pool.at_once and not stop.asked_to_stop():
                future = self.pool.submit(self.waiting[0])
                self.handed_out[future] = self.waiting.popleft()
            finished, _ = wait(self.handed_out, SECONDS_BETWEEN_LOOKS, FIRST_COMPLETED)
            lost = [self._take_back(self.handed_out.pop(future), future) for future in finished]
            if stop.asked_to_stop() is not None:
                self.pool.abandon()
                self.summary.interrupted = bool(self.waiting or self.handed_out)
                return
            if any(lost):
                raise LostCluster("the machines that runs were handed to do not answer any more")
            self._tell()

    def _take_back(self, task: Task, future: Future[TaskResult]) -> bool:
        """Write a result that came back, or why there is none; returns whether the machines are lost."""
        try:
            result = future.result()
        except (Exception, asyncio.CancelledError) as error:
            if is_loss(error) or (isinstance(error, BrokenExecutor) and task.folder not in self.died):
                self.waiting.appendleft(task)
                self.died.add(task.folder)
                return is_loss(error)
            text = DIED_TWICE if isinstance(error, BrokenExecutor) else explained(error)
            self.summary.failed[task.folder] = text
            self.store.save_failure(task, text)
            return False
        if not result.is_whole:  # stopped in the middle: to be run again
            self.waiting.appendleft(task)
            return False
        self.store.save(task, result)
        self.summary.done += 1
        self.summary.run_seconds += result.seconds
        known = self.seconds_an_edge.setdefault(task.algorithm, [])
        known.append(result.seconds / max(task.network.edge_count, 1))
        return False

    def _tell(self) -> None:
        """Count the workers while there is work left for them, and tell the listener."""
        left, so_far = (*self.waiting, *self.handed_out.values()), self.summary
        if left:
            so_far.workers = self.pool.workers
        remaining = None
        if self.seconds_an_edge:  # an algorithm that has not run yet is as slow as the others
            known = {name: fmean(seconds) for name, seconds in self.seconds_an_edge.items()}
            usual = fmean(known.values())
            rates = (task.network.edge_count * known.get(task.algorithm, usual) for task in left)
            remaining = sum(rates) / so_far.workers
        if self.listener is not None:
            finished, failed = so_far.already + so_far.done, len(so_far.failed)
            self.listener(ExperimentStatus(finished + failed + len(left), finished, failed, remaining))


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
    listener: Callable[[ExperimentStatus], None] | None = None
    tell: Callable[[str], None] = lambda line: None  # hears what is done between runs


@dataclass
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
    tables: tuple[Path, ...] = ()  # of all runs, if that was asked for
    conclusion: Conclusion = field(init=False, compare=False)  # what was written of them

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
    def left(self) -> str:
        """Beginning of a sentence on the runs that are not finished."""
        return f"{self.folder}: {counted(self.missing, 'run')} {are(self.missing)}"

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


class Study(Protocol):
    """A study whose networks are loaded, ready to be run."""

    @property
    def plan(self) -> Plan:
        """Plan of the runs."""

    def conclude(self, runs: StudyRuns, options: RunOptions) -> Conclusion:
        """Write tables and pages from the finished runs, and say what was written."""


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
            words = f"{runs.left} still to be done, and then the table."
            return Conclusion({**document, "page": None}, words, runs.interrupted)
        page = self.page(runs.rows)
        file = runs.folder / f"{self.plan.name}.md"
        for name, content in {**page.files, file.name: page.markdown.encode()}.items():
            store(content, str(runs.folder / name))
        return Conclusion({**document, "page": str(file), **page.more}, f"page: {file}", runs.interrupted)


def planned_study(
    plan: str, seeds: int | None = None, quick: bool = False, networks: str | None = None
) -> tuple[Path, Callable[[], Study]]:
    """Folder for the runs of a plan or of a study that comes with netveil, and what plans it."""
    of_no_use = {"networks": plan not in OF_A_FOLDER and networks, "quick": plan not in STUDIES and quick}
    for name, value in of_no_use.items():
        if value:
            raise SettingError(f"{option(name, value)} is of no use with {plan}; leave it out.")
    if plan in STUDIES:
        check_figures()  # before the runs, not after them
        given = (seeds, quick, networks) if plan in OF_A_FOLDER else (seeds, quick)
        return Path(f"{plan}-quick" if quick else plan), partial(STUDIES[plan], *given)
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
    of = None if networks is None else os.fspath(networks)
    folder, planned = planned_study(os.fspath(plan), seeds, quick, of)
    study = planned()
    with watched_by(progress, ExperimentStatus.on_bar) as watcher:
        place = folder if out is None else Path(out)
        options = RunOptions(
            folder=place, workers=workers, dask=dask, listener=watcher.step, tell=watcher.announce
        )
        return run_study(study, options)


def run_study(study: Study, options: RunOptions) -> StudyRuns:
    """Run what is missing of a study, unless nothing is to be run, and write what follows from its runs."""
    plan, summary = study.plan, None
    if options.run:
        names = ("workers", "dask", "share", "stop", "listener")
        summary = run_plan(plan, options.folder, **{name: getattr(options, name) for name in names})
    runs = StudyRuns(plan, options.folder, summary)
    if summary is None and not runs.rows:
        first = f"run it{on_command_line(' without --collect')} first"
        raise FileError(f"{options.folder}: no run of {plan.name} is finished; {first}.")
    if options.collect and (summary is None or summary.already + summary.done > 0):
        runs.tables = tuple(collect(options.folder, options.parquet))
    runs.conclusion = study.conclude(runs, options)
    return runs


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
