"""What every study is: a plan of runs, what is written once they are finished, and what is said about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from netveil._version import __version__
from netveil.errors import FileError, on_command_line
from netveil.experiments import ExperimentListener, Plan, Summary, TaskShare, collect, results_table, run_plan
from netveil.experiments.run_experiment import about_other_versions
from netveil.search import Control


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """How the runs of a study are done; `run_plan` says what workers, dask, share, stop and listener mean."""

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
    """The runs of a study, as far as they are finished."""

    plan: Plan
    folder: Path
    summary: Summary | None  # None where nothing was to be run
    tables: tuple[Path, ...]  # of all runs, if that was asked for

    @cached_property
    def wanted(self) -> frozenset[str]:
        """The names of the runs that the plan asks for; the folder may hold others."""
        return frozenset(task.folder for task in self.plan.tasks())

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """The rows of `results_table` that belong to the plan."""
        return [row for row in results_table(self.folder) if row["run"] in self.wanted]

    @property
    def missing(self) -> int:
        """How many runs of the plan are not finished."""
        return len(self.wanted) - len(self.rows)

    @property
    def interrupted(self) -> bool:
        """Whether they were stopped before the end."""
        return self.summary is not None and self.summary.interrupted

    @property
    def failed(self) -> dict[str, str]:
        """Why runs failed, by their names."""
        return {} if self.summary is None else self.summary.failed

    @property
    def warning(self) -> str | None:
        """The sentence on runs of other versions of netveil, if there are any."""
        if self.summary is not None:
            return about_other_versions(self.summary.by_other_versions, self.folder)
        return about_other_versions(sum(row["version"] != __version__ for row in self.rows), self.folder)


@dataclass(frozen=True)
class Conclusion:
    """What a study has to say after its runs."""

    document: dict[str, Any]  # for programs
    words: str  # for people
    interrupted: bool = False  # during the runs or after them
    problem: str | None = None  # a sentence on why it is not complete although nothing failed


class PlannedStudy(Protocol):
    """A study whose networks are loaded, ready to be run."""

    @property
    def plan(self) -> Plan:
        """What is to be run."""

    @property
    def announcement(self) -> str:
        """One line on what is to be run, to be shown before; empty if there is none."""

    def conclude(self, runs: StudyRuns, options: RunOptions) -> Conclusion:
        """Write what follows from the runs, as far as they are finished, and say what was written."""


@dataclass(frozen=True)
class Study:
    """A study that comes with netveil, as the registry lists it."""

    name: str
    planned: Callable[[int | None, bool], PlannedStudy]  # from the number of seeds, if given, and --quick


def run_study(plan: Plan, options: RunOptions) -> StudyRuns:
    """Run what is missing of a plan, unless nothing is to be run, and write the table if asked."""
    summary = None
    if options.run:
        summary = run_plan(
            plan,
            options.folder,
            workers=options.workers,
            dask=options.dask,
            share=options.share,
            stop=options.stop,
            listener=options.listener,
        )
    elif not StudyRuns(plan, options.folder, None, ()).rows:
        raise FileError(
            f"{options.folder}: no run of {plan.name} is finished; run it"
            f"{on_command_line(' without --collect')} first."
        )
    has_runs = summary is None or summary.already + summary.done > 0
    tables = collect(options.folder, options.parquet) if options.collect and has_runs else []
    return StudyRuns(plan, options.folder, summary, tuple(tables))
