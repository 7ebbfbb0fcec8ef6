"""`netveil experiment`: run a plan, or what is missing of it, and collect the results."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from netveil.cli.options import output_options, print_json
from netveil.cli.progress import stopping_on_signals
from netveil.errors import FileError, SettingError, unknown_name

if TYPE_CHECKING:
    from netveil.experiments import (
        ExperimentListener,
        ExperimentStatus,
        NamedExperiment,
        Options,
        Summary,
        TaskShare,
    )

SECONDS_BETWEEN_LINES = 30.0  # of a log: an experiment takes hours


def _paper(options: Options) -> int:
    from netveil.cli.paper import paper_experiment

    return paper_experiment(options)


def _simulated(options: Options) -> int:
    from netveil.cli.simulated import simulated_experiment

    return simulated_experiment(options)


NAMED: dict[str, NamedExperiment] = {"paper": _paper, "simulated": _simulated}
"""Experiments that come with netveil; each is imported when it is asked for."""


@click.command()
@click.argument("plan")
@click.option("--out", metavar="DIR", help="Folder of the runs. [default: PLAN-runs]")
@click.option("--workers", type=int, metavar="N", help="Processes to run on. [default: all cores]")
@click.option("--dask", metavar="ADDRESS", help="Run on the workers of this Dask scheduler instead.")
@click.option(
    "--task",
    "share",
    metavar="I/N",
    help="Run only every N-th run from the I-th on, for N jobs that share DIR, as of a job array.",
)
@click.option("--seeds", type=int, metavar="N", help="Seeds 1 to N instead of those of the plan.")
@click.option("--quick", is_flag=True, help="A small version, of experiments that come with netveil.")
@click.option(
    "--collect", "collects", is_flag=True, help="Write the table of all finished runs, results.csv."
)
@click.option("--parquet", is_flag=True, help="Write it as results.parquet too; with --collect.")
@output_options
def experiment(
    plan: str,
    out: str | None,
    workers: int | None,
    dask: str | None,
    share: str | None,
    seeds: int | None,
    quick: bool,
    collects: bool,
    parquet: bool,
    as_json: bool,
    quiet: bool,
) -> int:
    """Run what PLAN describes: networks × algorithms × budgets × measures × k × seeds.

    PLAN is a TOML file, or the name of an experiment that comes with netveil: paper, simulated. Stop it in
    any way and start the same command again: only what is missing runs. With --collect, PLAN may also be the
    folder of runs, and an experiment by its name is not run.
    """
    from netveil.experiments import LostCluster, Options, PlanError, collect, read_plan, run_plan
    from netveil.experiments.plan_file import check_count_of_seeds
    from netveil.search import Control

    if parquet and not collects:
        raise SettingError("--parquet is about the table; give --collect too.")
    part = None if share is None else _parsed_share(share)
    if seeds is not None:
        check_count_of_seeds(seeds)
    if plan not in NAMED and Path(plan).is_dir() and collects:  # ./paper is a folder, paper the experiment
        _check_unused(plan, out=out, workers=workers, dask=dask, task=share, seeds=seeds, quick=quick)
        return _print_table(Path(plan), parquet, as_json)
    stop = Control()
    with stopping_on_signals(stop), _progress(quiet) as listener:
        if plan in NAMED:
            options = Options(
                out=None if out is None else Path(out),
                workers=workers,
                dask=dask,
                share=part,
                collect=collects,
                parquet=parquet,
                quick=quick,
                seeds=seeds,
                as_json=as_json,
                quiet=quiet,
                stop=stop,
                listener=listener,
            )
            return NAMED[plan](options)
        if quick:
            raise SettingError(f"--quick is of no use with the plan {plan}; write fewer seeds into it.")
        _check_file(plan)
        folder = Path(out or f"{Path(plan).stem}-runs")
        try:
            given = read_plan(plan, seeds)
        except PlanError as error:
            for problem in error.problems:
                click.echo(f"netveil: {problem}", err=True)
            return 2
        try:
            summary = run_plan(
                given, folder, workers=workers, dask=dask, share=part, stop=stop, listener=listener
            )
        except KeyboardInterrupt:  # the second one
            click.echo(f"netveil: interrupted; {_how_to_go_on(folder)}", err=True)
            return 130
        except LostCluster as error:
            click.echo(f"netveil: {error}; {_how_to_go_on(folder)}", err=True)
            return 1
    tables = collect(folder, parquet) if collects and summary.already + summary.done else []
    if as_json:
        document = {"plan": plan, "out": str(folder), **asdict(summary), "tables": list(map(str, tables))}
        print_json(document)
    elif not quiet:
        click.echo(_in_words(summary, folder, tables))
    if tables:
        _name_damaged(folder)
    return _ending(summary, folder)


def _check_unused(folder: str, **options: object) -> None:
    """Raise if an option was given that says nothing about the table of a folder."""
    given = [f"--{name}" for name, value in options.items() if value is not None and value is not False]
    if given:
        one = len(given) == 1
        raise SettingError(
            f"{', '.join(given)} {'is' if one else 'are'} of no use with the folder {folder}, whose runs are "
            f"only collected; leave {'it' if one else 'them'} out, or give the plan."
        )


def _name_damaged(folder: Path) -> None:
    """Say which folders among the runs are in no table."""
    from netveil.experiments import damaged_runs

    for warning in damaged_runs(folder):
        click.echo(warning, err=True)


def _check_file(plan: str) -> None:
    """Raise if there is no such plan."""
    if Path(plan).is_dir():
        raise FileError(f"{plan} is a folder. Give a plan, or --collect for the table of its runs.")
    if not Path(plan).exists() and not any(mark in plan for mark in "./\\"):
        nothing = unknown_name("experiment", plan, NAMED)
        raise FileError(f"{plan}: there is no such file. As an experiment that comes with netveil: {nothing}")


def _parsed_share(text: str) -> TaskShare:
    found = re.fullmatch(r"(\d{1,9})/(\d{1,9})", text.strip())
    if found is None or not 1 <= int(found[1]) <= int(found[2]):
        raise SettingError(f"--task {text}: give I/N with I from 1 to N, such as --task 1/10.")
    return int(found[1]), int(found[2])


def _print_table(folder: Path, parquet: bool, as_json: bool) -> int:
    """Write the table of a folder's runs, and say where."""
    from netveil.experiments import collect

    tables = list(map(str, collect(folder, parquet)))
    if as_json:
        print_json({"out": str(folder), "tables": tables})
    else:
        click.echo("\n".join(tables))
    _name_damaged(folder)
    return 0


def _in_words(summary: Summary, folder: Path, tables: list[Path]) -> str:
    already = f" ({summary.already:,} had been before)" if summary.already else ""
    finished = summary.already + summary.done
    are = "is" if finished == 1 else "are"
    lines = [f"{finished:,} of {summary.total:,} runs {are} finished{already}: {folder}"]
    if summary.done:
        runs = f"{summary.done:,} run{'s' * (summary.done != 1)}"
        lines.append(
            f"{runs} of {_spoken(summary.run_seconds)} in all, done in "
            f"{_spoken(summary.seconds)} by {summary.workers} worker{'s' * (summary.workers != 1)}."
        )
    lines += [f"table: {table}" for table in tables]
    if not tables and not summary.interrupted:
        lines.append(f"table of the results: netveil experiment {folder} --collect")
    return "\n".join(lines)


def _ending(summary: Summary, folder: Path) -> int:
    """Say what went wrong, on standard error; returns the exit code."""
    warning = summary.warning(folder)
    if warning is not None:
        click.echo(warning, err=True)
    for run, error in summary.failed.items():
        click.echo(f"failed: {run}: {error}", err=True)
    if summary.interrupted:
        click.echo(f"netveil: interrupted; {_how_to_go_on(folder)}", err=True)
        return 130
    if summary.failed:
        runs = f"{len(summary.failed):,} run{'s' * (len(summary.failed) != 1)}"
        click.echo(f"netveil: {runs} failed; the same command tries again.", err=True)
        return 1
    return 0


def _how_to_go_on(folder: Path) -> str:
    return f"what is finished stays in {folder}, and the same command goes on from there."


@contextmanager
def _progress(quiet: bool) -> Iterator[ExperimentListener | None]:
    """Shows how far it has come on standard error: a bar on a terminal, a line now and then elsewhere."""
    if quiet:
        yield None
    elif sys.stderr.isatty():
        from rich.console import Console
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn

        columns = (SpinnerColumn(), BarColumn(bar_width=30), TextColumn("{task.description}"))
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            row = bar.add_task("reading the plan", total=None)

            def draw(status: ExperimentStatus) -> None:
                finished = status.done + status.failed
                bar.update(row, total=status.total, completed=finished, description=_described(status))

            yield draw
    else:
        last = time.monotonic() - SECONDS_BETWEEN_LINES

        def log(status: ExperimentStatus) -> None:
            nonlocal last
            if time.monotonic() - last >= SECONDS_BETWEEN_LINES:
                last = time.monotonic()
                click.echo(_described(status), err=True)

        yield log


def _described(status: ExperimentStatus) -> str:
    """One line on how far it has come."""
    parts = [f"{status.done:,} of {status.total:,} runs"]
    if status.failed:
        parts.append(f"{status.failed:,} failed")
    if status.remaining_seconds is not None:
        parts.append(f"about {_spoken(status.remaining_seconds)} left")
    return " · ".join(parts)


def _spoken(seconds: float) -> str:
    """A duration for people.

    >>> _spoken(3.2), _spoken(200), _spoken(10_000)
    ('3 s', '3 min', '2 h 47 min')
    """
    minutes = round(seconds / 60)
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"
