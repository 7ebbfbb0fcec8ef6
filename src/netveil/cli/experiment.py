"""`netveil experiment`: run a plan or a study, or what is missing of it, and collect the results."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from netveil import studies
from netveil.cli.entry import say_what_is_left
from netveil.cli.options import out_option, output_options, print_json, user_code_option
from netveil.cli.progress import LogLines, bar_or_lines, stopping_on_signals
from netveil.errors import SettingError, for_command_line
from netveil.formatting import are, counted
from netveil.studies import STUDIES

SECONDS_BETWEEN_LINES = 30.0  # of a log: an experiment takes hours
HELP = f"""Run what PLAN describes: networks × algorithms × budgets × measures × k × seeds.

PLAN is a TOML file, or the name of a study that comes with netveil: {", ".join(STUDIES)}. Stop it in any way
and start the same command again: only what is missing runs. With --collect, PLAN may also be the folder of
runs, and a study is not run: its tables and figures are written again.
"""


@click.command(help=HELP)
@click.argument("plan")
@out_option("Folder of the runs. [default: PLAN-runs, or the name of the study]")
@click.option("--workers", type=int, metavar="N", help="Processes to run on. [default: all cores]")
@click.option("--dask", metavar="ADDRESS", help="Run on the workers of this Dask scheduler instead.")
@click.option(
    "--task",
    "share",
    metavar="I/N",
    help="Run only every N-th run from the I-th on, for N jobs that share DIR, as of a job array.",
)
@click.option("--seeds", type=int, metavar="N", help="Seeds 1 to N instead of those of the plan.")
@click.option("--networks", metavar="FOLDER", help="Folder of networks; of the study searches.")
@click.option("--quick", is_flag=True, help="A small version of a study that comes with netveil.")
@click.option(
    "--collect", "collects", is_flag=True, help="Write the table of all finished runs, results.csv."
)
@click.option("--parquet", is_flag=True, help="Write it as results.parquet too; with --collect.")
@user_code_option
@output_options
def experiment(
    plan: str,
    out: str | None,
    workers: int | None,
    dask: str | None,
    share: str | None,
    seeds: int | None,
    networks: str | None,
    quick: bool,
    collects: bool,
    parquet: bool,
    as_json: bool,
    quiet: bool,
) -> int:
    """Run a plan or a study; `HELP` says it to users."""
    from netveil.search import Control
    from netveil.studies.plan import check_count_of_seeds
    from netveil.studies.study import planned_study

    if parquet and not collects:
        raise SettingError("--parquet is about the table; give --collect too.")
    part = None if share is None else _parsed_share(share)
    if seeds is not None:
        check_count_of_seeds(seeds)
    is_study = plan in STUDIES  # ./paper is a folder, paper the study
    if not is_study and Path(plan).is_dir() and collects:
        unused = {"out": out, "workers": workers, "dask": dask, "task": share, "seeds": seeds}
        _check_unused(plan, **unused, networks=networks, quick=quick)
        return _print_table(Path(plan), parquet, as_json)
    folder, planned = planned_study(plan, seeds, quick, networks)
    stop, place = Control(), Path(out) if out else folder
    say_what_is_left(lambda: go_on_from(place))
    with stopping_on_signals(stop), _progress(quiet) as listener:
        options = studies.RunOptions(
            folder=place,
            run=not (is_study and collects),
            collect=collects,
            parquet=parquet,
            workers=workers,
            dask=dask,
            share=part,
            stop=stop,
            listener=listener,
            tell=lambda line: None if quiet else click.echo(line, err=True),
        )
        return run_and_tell(planned, options, as_json=as_json, quiet=quiet)


def _check_unused(folder: str, **options: object) -> None:
    """Raise if an option was given that says nothing about the table of a folder."""
    given = [f"--{name}" for name, value in options.items() if value is not None and value is not False]
    if given:
        them = "it" if len(given) == 1 else "them"
        raise SettingError(
            f"{', '.join(given)} {are(len(given))} of no use with the folder {folder}, whose runs are only "
            f"collected; leave {them} out, or give the plan."
        )


def _parsed_share(text: str) -> studies.TaskShare:
    found = re.fullmatch(r"(\d{1,9})/(\d{1,9})", text.strip())
    if found is None or not 1 <= int(found[1]) <= int(found[2]):
        raise SettingError(f"--task {text}: give I/N with I from 1 to N, such as --task 1/10.")
    return int(found[1]), int(found[2])


def _print_table(folder: Path, parquet: bool, as_json: bool) -> int:
    """Write the table of a folder's runs, and say where."""
    tables = list(map(str, studies.collect(folder, parquet)))
    if as_json:
        print_json({"out": str(folder), "tables": tables})
    else:
        click.echo("\n".join(tables))
    _name_damaged(folder)
    return 0


def run_and_tell(
    planned: Callable[[], studies.PlannedStudy],
    options: studies.RunOptions,
    *,
    as_json: bool = False,
    quiet: bool = False,
) -> int:
    """Plan a study, run what is missing, write its conclusion, and say so; returns the exit code."""
    try:
        study = planned()
    except studies.PlanError as error:
        for problem in error.problems:
            click.echo(f"netveil: {for_command_line(problem)}", err=True)
        return 2
    if study.announcement and not quiet:
        click.echo(study.announcement, err=True)
    try:
        runs = studies.run_study(study.plan, options)
        conclusion = study.conclude(runs, options)
    except KeyboardInterrupt:  # the second Ctrl-C: the first one ends the runs, and then the study
        return _stopped("interrupted", options.folder, 130)
    except studies.LostCluster as error:
        return _stopped(str(error), options.folder, 1)
    if as_json:
        print_json(conclusion.document)
    elif not quiet:
        click.echo(conclusion.words)
    return _ending(runs, conclusion)


def _ending(runs: studies.StudyRuns, conclusion: studies.Conclusion) -> int:
    """Say on standard error what went wrong or is doubtful; returns the exit code."""
    if runs.tables:
        _name_damaged(runs.folder)
    for line in filter(
        None, [runs.warning, *(f"failed: {run}: {error}" for run, error in runs.failed.items())]
    ):
        click.echo(line, err=True)
    if conclusion.interrupted:
        return _stopped("interrupted", runs.folder, 130)
    failed = f"{counted(len(runs.failed), 'run')} failed; the same command tries again."
    problem = failed if runs.failed else conclusion.problem
    if problem is not None:
        click.echo(f"netveil: {problem}", err=True)
    return 0 if problem is None else 1


def _name_damaged(folder: Path) -> None:
    """Warn of folders among the runs that are in no table."""
    store = studies.Store(folder)
    for name in store.damaged(store.finished()):
        what = "is damaged or a copy, and not in the table"
        click.echo(f"warning: {store.runs / name} {what}; delete it, or run the plan again.", err=True)


def _stopped(why: str, folder: Path, code: int) -> int:
    """Say that nothing is lost; returns the exit code."""
    click.echo(f"netveil: {why}; {go_on_from(folder)}", err=True)
    return code


def go_on_from(folder: Path) -> str:
    """Sentence on what is left of an experiment that is cut off."""
    return f"what is finished stays in {folder}, and the same command goes on from there."


@contextmanager
def _progress(quiet: bool) -> Iterator[studies.ExperimentListener | None]:
    """Show progress of an experiment as a bar or as lines of a log, unless `quiet`."""
    with bar_or_lines("reading the plan", quiet, LogLines(SECONDS_BETWEEN_LINES)) as redraw:
        yield redraw and (lambda status: redraw(*status.on_bar()))
