"""`netveil experiment paper`: what the command line calls, and what it says afterwards."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from netveil.errors import SettingError
from netveil.experiments import LostCluster, Options, PlanError, collect
from netveil.studies.paper.reproduce import Reproduction, reproduce
from netveil.studies.paper.scope import Scope, paper_scope


def paper_experiment(options: Options) -> int:
    """Run the paper's experiment, write its tables and figures, say where; returns the exit code."""
    if options.dask is not None and options.workers is not None:
        raise SettingError("--workers is of no use with --dask: the cluster has its own; leave it out.")
    try:
        scope = paper_scope(options.seeds, options.quick)
    except PlanError as error:
        for problem in error.problems:
            click.echo(f"netveil: {problem}", err=True)
        return 2
    folder = options.out or Path("paper-quick" if options.quick else "paper")
    if not options.quiet:
        click.echo(f"{scope.text}: {', '.join(scope.names)}", err=True)
    try:
        found = reproduce(
            scope,
            folder,
            workers=options.workers,
            dask=options.dask,
            share=options.share,
            run=not options.collect,
            stop=options.stop,
            listener=options.listener,
            tell=lambda line: None if options.quiet else click.echo(line, err=True),
        )
    except KeyboardInterrupt:
        return _interrupted(folder)
    except LostCluster as error:
        click.echo(f"netveil: {error}; {_how_to_go_on(folder)}", err=True)
        return 1
    if options.collect:
        collect(folder, options.parquet)
    if options.as_json:
        click.echo(json.dumps(_document(scope, found), indent=2, ensure_ascii=False))
    elif not options.quiet:
        click.echo(_in_words(scope, found))
    return _ending(found)


def _document(scope: Scope, found: Reproduction) -> dict[str, Any]:
    return {
        "plan": "paper",
        "out": str(found.folder),
        "quick": scope.quick,
        "scope": scope.text,
        "networks": list(scope.names),
        "seeds": scope.seeds,
        "configurations": list(scope.configurations),
        "summary": None if found.summary is None else asdict(found.summary),
        "missing": found.missing,
        "page": None if found.page is None else str(found.page),
        "tables": list(map(str, found.tables)),
        "figures": list(map(str, found.figures)),
        "differences": list(found.differences),
    }


def _in_words(scope: Scope, found: Reproduction) -> str:
    if found.page is None:
        return f"{_runs(found.missing)} still to be done, and then the tables: {found.folder}"
    lines = [
        scope.text,
        f"page: {found.page}",
        f"tables and figures: {found.folder}/tables, {found.folder}/figures",
    ]
    return "\n".join(lines)


def _ending(found: Reproduction) -> int:
    """Say what went wrong, on standard error; returns the exit code."""
    summary = found.summary
    failed = {} if summary is None else summary.failed
    for run, error in failed.items():
        click.echo(f"failed: {run}: {error}", err=True)
    if found.interrupted:
        return _interrupted(found.folder)
    if failed:
        click.echo(f"netveil: {_runs(len(failed))} failed; the same command tries again.", err=True)
        return 1
    if summary is None and found.missing:
        does = "is" if found.missing == 1 else "are"
        text = f"{_runs(found.missing)} {does} missing; the same command without --collect runs what is."
        click.echo(f"netveil: {found.folder}: {text}", err=True)
        return 1
    return 0


def _runs(number: int) -> str:
    """So many runs.

    >>> _runs(1), _runs(1200)
    ('1 run', '1,200 runs')
    """
    return f"{number:,} run{'s' * (number != 1)}"


def _interrupted(folder: Path) -> int:
    click.echo(f"netveil: interrupted; {_how_to_go_on(folder)}", err=True)
    return 130


def _how_to_go_on(folder: Path) -> str:
    return f"what is finished stays in {folder}, and the same command goes on from there."
