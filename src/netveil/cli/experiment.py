"""`netveil experiment`: run a plan or a study, or what is missing of it, and collect the results."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import click

from netveil import studies
from netveil.cli.entry import say_what_is_left
from netveil.cli.options import FLAG, WHOLE, Output, options, out_options, output_options, user_code_option
from netveil.cli.progress import LogLines, bar_or_lines, stopping_on_signals
from netveil.errors import SettingError, for_command_line
from netveil.formatting import counted
from netveil.studies import STUDIES

SECONDS_BETWEEN_LINES = 30.0  # of a log: an experiment takes hours
HELP = f"""Run what PLAN describes: networks × algorithms × budgets × measures × k × seeds.

PLAN is a TOML file, or the name of a study that comes with netveil: {", ".join(STUDIES)}. Stop it in any way
and start the same command again: only what is missing runs. With --collect, PLAN may also be the folder of
runs, and a study is not run: its tables and figures are written again.
"""


@click.command(help=HELP)
@click.argument("plan")
@out_options("Folder of the runs. [default: PLAN-runs, or the name of the study]")
@options(
    ("--workers", "N", "Processes to run on. [default: all cores]", WHOLE),
    ("--dask", "ADDRESS", "Run on the workers of this Dask scheduler instead."),
    ("--task share", "I/N", "Run only every N-th run from the I-th on, for N jobs that share DIR."),
    ("--seeds", "N", "Seeds 1 to N instead of those of the plan.", WHOLE),
    ("--networks", "FOLDER", "Folder of networks; of the study searches."),
    ("--quick", "", "A small version of a study that comes with netveil.", FLAG),
    ("--collect collects", "", "Write the table of all finished runs, results.csv.", FLAG),
    ("--parquet", "", "Write it as results.parquet too; with --collect.", FLAG),
)
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
    output: Output,
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
        others = {"out": out, "workers": workers, "dask": dask, "task": share, "seeds": seeds}
        for name, value in {**others, "networks": networks, "quick": quick or None}.items():
            if value is not None:
                raise SettingError(
                    f"--{name} is of no use with the folder {plan}, whose runs are only collected; leave it "
                    f"out, or give the plan."
                )
        return _print_table(Path(plan), parquet, output)
    folder, planned = planned_study(plan, seeds, quick, networks)
    stop, place = Control(), Path(out) if out else folder
    say_what_is_left(lambda: go_on_from(place))
    lines = LogLines(SECONDS_BETWEEN_LINES)
    with stopping_on_signals(stop), bar_or_lines("reading the plan", output.quiet, lines) as redraw:
        asked = studies.RunOptions(
            folder=place,
            run=not (is_study and collects),
            collect=collects,
            parquet=parquet,
            workers=workers,
            dask=dask,
            share=part,
            stop=stop,
            listener=redraw and (lambda status: redraw(*status.on_bar())),
            tell=lambda line: None if output.quiet else click.echo(line, err=True),
        )
        return run_and_tell(planned, asked, output)


def _parsed_share(text: str) -> studies.TaskShare:
    found = re.fullmatch(r"(\d{1,9})/(\d{1,9})", text.strip())
    if found is None or not 1 <= int(found[1]) <= int(found[2]):
        raise SettingError(f"--task {text}: give I/N with I from 1 to N, such as --task 1/10.")
    return int(found[1]), int(found[2])


def _print_table(folder: Path, parquet: bool, output: Output) -> int:
    """Write the table of a folder's runs, and say where."""
    tables = list(map(str, studies.collect(folder, parquet)))
    output.tell({"out": str(folder), "tables": tables}, *tables)
    _name_damaged(folder)
    return 0


def run_and_tell(planned: Callable[[], studies.Study], asked: studies.RunOptions, output: Output) -> int:
    """Plan a study, run what is missing, write its conclusion, and say so; returns the exit code."""
    try:
        study = planned()
    except studies.PlanError as error:
        for mistake in error.problems:
            click.echo(f"netveil: {for_command_line(mistake)}", err=True)
        return 2
    stays = go_on_from(asked.folder)
    try:
        runs = studies.run_study(study, asked)
    except (KeyboardInterrupt, studies.LostCluster) as error:  # the second Ctrl-C: the first ends the runs
        click.echo(f"netveil: {str(error) or 'interrupted'}; {stays}", err=True)
        return 1 if isinstance(error, studies.LostCluster) else 130
    conclusion = runs.conclusion
    output.tell(conclusion.document, *([] if output.quiet else [conclusion.words]))
    if runs.tables:
        _name_damaged(runs.folder)
    failures = [f"failed: {run}: {error}" for run, error in runs.failed.items()]
    for line in filter(None, [runs.warning, *failures]):
        click.echo(line, err=True)
    problem = conclusion.problem
    if failures:
        problem = f"{counted(len(failures), 'run')} failed; the same command tries again."
    if conclusion.interrupted:
        problem = f"interrupted; {stays}"
    if problem is not None:
        click.echo(f"netveil: {problem}", err=True)
    return 130 if conclusion.interrupted else 0 if problem is None else 1


def _name_damaged(folder: Path) -> None:
    """Warn of folders among the runs that are in no table."""
    store = studies.Store(folder)
    for name in store.damaged(store.finished()):
        what = "is damaged or a copy, and not in the table"
        click.echo(f"warning: {store.runs / name} {what}; delete it, or run the plan again.", err=True)


def go_on_from(folder: Path) -> str:
    """Sentence on what is left of an experiment that is cut off."""
    return f"what is finished stays in {folder}, and the same command goes on from there."
