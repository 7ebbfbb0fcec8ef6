"""`netveil experiment simulated`: what drives initial uniqueness, and what GA and UGA achieve then."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from importlib.resources import as_file, files
from pathlib import Path

import click

from netveil.experiments.collect import collect, results_table
from netveil.experiments.failure import LostCluster
from netveil.experiments.named import Options
from netveil.experiments.plan_file import read_plan
from netveil.experiments.run import Summary, run_plan
from netveil.files.storage import store
from netveil.simulated.outlook import summarize

QUICK_SEEDS = 1


def simulated_experiment(options: Options) -> int:
    """Run the ready plan on simulated networks, write its table and figures, say where; the exit code."""
    folder = options.out or Path("simulated-quick" if options.quick else "simulated")
    seeds = options.seeds or (QUICK_SEEDS if options.quick else None)
    with as_file(files("netveil").joinpath("simulated", "simulated.toml")) as file:
        plan = replace(read_plan(file, seeds), name="simulated")
    go_on = f"what is finished stays in {folder}, and the same command goes on from there."
    try:
        summary = run_plan(
            plan,
            folder,
            workers=options.workers,
            dask=options.dask,
            share=options.share,
            stop=options.stop,
            listener=options.listener,
        )
    except KeyboardInterrupt:
        click.echo(f"netveil: interrupted; {go_on}", err=True)
        return 130
    except LostCluster as error:
        click.echo(f"netveil: {error}; {go_on}", err=True)
        return 1
    whole = len(plan.tasks()) == len(results_table(folder))
    page = _write(folder) if whole else None
    if options.collect:
        collect(folder, options.parquet)
    _tell(options, folder, summary, page)
    if summary.interrupted:
        click.echo(f"netveil: interrupted; {go_on}", err=True)
        return 130
    return 1 if summary.failed else 0


def _write(folder: Path) -> Path:
    """The table and the figures, beside the runs; returns the page."""
    outlook = summarize(results_table(folder))
    for name, figure in outlook.figures.items():
        store(figure.encode(), str(folder / f"{name}.svg"))
    page = folder / "simulated.md"
    store(outlook.markdown.encode(), str(page))
    return page


def _tell(options: Options, folder: Path, summary: Summary, page: Path | None) -> None:
    """Say what was done, and which runs failed."""
    for run, error in summary.failed.items():
        click.echo(f"failed: {run}: {error}", err=True)
    if options.as_json:
        document = {
            "plan": "simulated",
            "out": str(folder),
            **asdict(summary),
            "page": None if page is None else str(page),
        }
        click.echo(json.dumps(document, indent=2, ensure_ascii=False))
    elif not options.quiet:
        unfinished = f"{folder}: some runs are still to be done, and then the table."
        click.echo(unfinished if page is None else f"page: {page}")
