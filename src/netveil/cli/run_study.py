"""Run a study, be it of a user's plan, and tell how it ended: the same words and exit codes for all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from netveil.cli.options import print_json
from netveil.errors import for_command_line
from netveil.experiments import LostCluster, PlanError, damaged_runs
from netveil.studies.study import Conclusion, PlannedStudy, RunOptions, StudyRuns, run_study
from netveil.words import counted


def run_and_tell(
    planned: Callable[[], PlannedStudy], options: RunOptions, *, as_json: bool = False, quiet: bool = False
) -> int:
    """Plan a study, run what is missing, write what follows from it, and say so; returns the exit code."""
    try:
        study = planned()
    except PlanError as error:
        for problem in error.problems:
            click.echo(f"netveil: {for_command_line(problem)}", err=True)
        return 2
    if study.announcement and not quiet:
        click.echo(study.announcement, err=True)
    try:
        runs = run_study(study.plan, options)
        conclusion = study.conclude(runs, options)
    except KeyboardInterrupt:  # the second Ctrl-C: the first one ends the runs, and then the study
        return _stopped("interrupted", options.folder, 130)
    except LostCluster as error:
        return _stopped(str(error), options.folder, 1)
    if as_json:
        print_json(conclusion.document)
    elif not quiet:
        click.echo(conclusion.words)
    return _ending(runs, conclusion)


def name_damaged(folder: Path) -> None:
    """Say which folders among the runs are in no table."""
    for warning in damaged_runs(folder):
        click.echo(warning, err=True)


def _ending(runs: StudyRuns, conclusion: Conclusion) -> int:
    """Say what went wrong or is doubtful, on standard error; returns the exit code."""
    if runs.tables:
        name_damaged(runs.folder)
    if runs.warning is not None:
        click.echo(runs.warning, err=True)
    for run, error in runs.failed.items():
        click.echo(f"failed: {run}: {error}", err=True)
    if conclusion.interrupted:
        return _stopped("interrupted", runs.folder, 130)
    if runs.failed:
        failed = counted(len(runs.failed), "run")
        click.echo(f"netveil: {failed} failed; the same command tries again.", err=True)
        return 1
    if conclusion.problem is not None:
        click.echo(f"netveil: {conclusion.problem}", err=True)
        return 1
    return 0


def _stopped(why: str, folder: Path, code: int) -> int:
    """Say that nothing is lost; returns the exit code."""
    click.echo(f"netveil: {why}; {go_on_from(folder)}", err=True)
    return code


def go_on_from(folder: Path) -> str:
    """What is left of an experiment that is cut off."""
    return f"what is finished stays in {folder}, and the same command goes on from there."
