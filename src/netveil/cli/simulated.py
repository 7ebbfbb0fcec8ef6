"""`netveil experiment simulated`: what drives initial uniqueness, and what GA and UGA achieve then."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import click

from netveil._version import __version__
from netveil.errors import FileError
from netveil.experiments.collect import collect, damaged_runs, results_table
from netveil.experiments.failure import LostCluster
from netveil.experiments.named import Options
from netveil.experiments.plan import Plan
from netveil.experiments.plan_file import read_plan
from netveil.experiments.run_experiment import Summary, about_other_versions, run_plan
from netveil.files.storage import store
from netveil.studies.simulated.study_page import summarize

QUICK_SEEDS = 1

Rows = Sequence[Mapping[str, Any]]


def simulated_experiment(options: Options) -> int:
    """Run the ready plan on simulated networks, write its table and figures, say where; the exit code.

    With `collect` nothing is run: the tables are written of what is finished.
    """
    folder = options.out or Path("simulated-quick" if options.quick else "simulated")
    seeds = QUICK_SEEDS if options.quick and options.seeds is None else options.seeds
    with as_file(files("netveil").joinpath("studies", "simulated", "simulated.toml")) as file:
        plan = replace(read_plan(file, seeds), name="simulated")
    go_on = f"what is finished stays in {folder}, and the same command goes on from there."
    try:
        summary = None if options.collect else _run(plan, folder, options)
    except KeyboardInterrupt:
        click.echo(f"netveil: interrupted; {go_on}", err=True)
        return 130
    except LostCluster as error:
        click.echo(f"netveil: {error}; {go_on}", err=True)
        return 1
    wanted = {task.folder for task in plan.tasks()}
    rows = [row for row in results_table(folder) if row["run"] in wanted]
    if options.collect:
        if not rows:
            raise FileError(
                f"{folder}: no run of this experiment is finished; run it without --collect first."
            )
        collect(folder, options.parquet)
    missing = len(wanted) - len(rows)
    page = None if missing else _write(folder, rows, options.quick)
    _warn(folder, rows, summary)
    _tell(options, folder, summary, missing, page)
    if summary is not None and summary.interrupted:
        click.echo(f"netveil: interrupted; {go_on}", err=True)
        return 130
    return 1 if summary is not None and summary.failed else 0


def _run(plan: Plan, folder: Path, options: Options) -> Summary:
    """Run what is missing."""
    return run_plan(
        plan,
        folder,
        workers=options.workers,
        dask=options.dask,
        share=options.share,
        stop=options.stop,
        listener=options.listener,
    )


def _write(folder: Path, rows: Rows, quick: bool) -> Path:
    """The page and the figures, beside the runs; returns the page."""
    outlook = summarize(rows, quick)
    for name, figure in outlook.figures.items():
        store(figure, str(folder / f"{name}.svg"))
    page = folder / "simulated.md"
    store(outlook.markdown.encode(), str(page))
    return page


def _warn(folder: Path, rows: Rows, summary: Summary | None) -> None:
    """Say what is doubtful, on standard error: runs of other versions, damaged and failed ones."""
    warning = about_other_versions(sum(row["version"] != __version__ for row in rows), folder)
    failed = {} if summary is None else summary.failed
    lines = [] if warning is None else [warning]
    for line in [*lines, *damaged_runs(folder), *(f"failed: {run}: {why}" for run, why in failed.items())]:
        click.echo(line, err=True)


def _tell(options: Options, folder: Path, summary: Summary | None, missing: int, page: Path | None) -> None:
    """Say what was done."""
    if options.as_json:
        document = {
            "plan": "simulated",
            "out": str(folder),
            **({} if summary is None else asdict(summary)),
            "missing": missing,
            "page": None if page is None else str(page),
        }
        click.echo(json.dumps(document, indent=2, ensure_ascii=False))
    elif not options.quiet:
        runs = "1 run is" if missing == 1 else f"{missing:,} runs are"
        unfinished = f"{folder}: {runs} still to be done, and then the table."
        click.echo(unfinished if page is None else f"page: {page}")
