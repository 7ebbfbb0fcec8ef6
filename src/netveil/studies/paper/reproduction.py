"""Run the paper's experiment, or what is missing of it, and write its tables, figures and page.

DIR/runs, DIR/failed    the experiment, a folder a run
DIR/tuning              successive halving, a file a network and algorithm
DIR/tables, DIR/figures what came out of them
DIR/index.html          all of it beside the published values
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from netveil._version import __version__
from netveil.errors import FileError
from netveil.experiments import ExperimentListener, Summary, TaskShare
from netveil.files.staging import OUT
from netveil.files.storage import store
from netveil.formatting import are, counted
from netveil.search import Control
from netveil.studies.paper.figures import (
    CONFIGURATIONS,
    FINALISTS,
    RUNS,
    Picture,
    about_times,
    halving_figure,
    runtime_figure,
    runtime_table,
    top_table,
    tuned,
    utility_figure,
    utility_table,
)
from netveil.studies.paper.published import PROPERTIES, TUNED_NETWORKS, Scope, title_of
from netveil.studies.paper.runs import TABLE_FORMATS, PaperRuns, Table, html
from netveil.studies.paper.tables import (
    HEADINGS,
    Baseline,
    baselines_of,
    baselines_table,
    configurations_table,
    differences,
    printed,
    properties_of,
    properties_table,
    reductions_table,
    statements_table,
)
from netveil.studies.study import RunOptions, StudyRuns, run_study
from netveil.threads import available_cores
from netveil.tuning import TuningResult

# One self-contained page with every table and figure beside the published values; works offline.


@dataclass(frozen=True)
class Section:
    """A part of the page."""

    title: str
    items: Sequence[Table | Picture] = ()
    texts: Sequence[str] = ()  # paragraphs above
    sentences: Sequence[str] = ()  # a list that follows them


def rendered(sections: Sequence[Section], **told: Any) -> str:
    """The page as text; what the template has to be told besides is given by name."""
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    templates = Environment(
        loader=ChoiceLoader([PackageLoader("netveil.studies.paper"), PackageLoader("netveil.report")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters["as_html"] = html
    return templates.get_template("paper.html").render(version=__version__, sections=sections, **told)


NOT_TUNED = (
    "Successive halving has not been run: it comes last, in the whole experiment only (without --quick)."
)
TUNING = f"{CONFIGURATIONS} configurations, {FINALISTS} left, {RUNS} runs of each, whatever --seeds is"


@dataclass(frozen=True)
class Reproduction:
    """What was run and written."""

    folder: Path
    summary: Summary | None  # None where nothing was to be run, only to be written again
    missing: int  # runs of the experiment that are not finished
    tables: tuple[Path, ...]
    figures: tuple[Path, ...]
    page: Path | None  # None if it was interrupted, or only a share was run
    differences: tuple[str, ...]  # sentences on where ours and the published differ
    interrupted: bool = False


def reproduce(
    scope: Scope,
    folder: str | Path,
    *,
    workers: int | None = None,
    dask: str | None = None,
    share: TaskShare | None = None,
    run: bool = True,
    stop: Control | None = None,
    listener: ExperimentListener | None = None,
    tell: Callable[[str], None] = lambda line: None,
) -> Reproduction:
    """Run what the folder lacks, then write everything, unless only a share was run or it was interrupted.

    Parameters
    ----------
    workers, dask, share, stop, listener
        As for `netveil.experiments.run_plan`. Successive halving always takes place on this machine.
    run
        Whether to run anything, or only to write tables from what is there.
    tell
        Hears what is being done between runs.
    """
    options = RunOptions(
        folder=Path(folder),
        run=run,
        workers=workers,
        dask=dask,
        share=share,
        stop=Control() if stop is None else stop,
        listener=listener,
        tell=tell,
    )
    return reproduction(scope, run_study(scope.plan, options), options)


def reproduction(scope: Scope, runs: StudyRuns, options: RunOptions) -> Reproduction:
    """Tune and write everything, as far as runs are finished; what `reproduce` does after its runs."""
    unfinished = Reproduction(runs.folder, runs.summary, runs.missing, (), (), None, ())
    if runs.interrupted:
        return replace(unfinished, interrupted=True)
    if not runs.rows or (options.share is not None and runs.missing):
        return unfinished
    tunings = _tunings(scope, options)
    if options.stop.asked_to_stop() is not None:
        return replace(unfinished, interrupted=True)
    options.tell("writing tables and figures")
    return _write(scope, runs, tunings)


def _tunings(scope: Scope, options: RunOptions) -> list[TuningResult]:
    """Successive halving on the paper's three networks, in its order; none in the quick version."""
    if scope.quick:
        return []
    by_name = {spec.name: spec for spec in scope.networks}
    return tuned(
        [by_name[name] for name in TUNED_NETWORKS if name in by_name],
        options.folder / "tuning",
        RUNS,
        run=options.run,
        workers=options.workers,
        stop=options.stop,
        tell=options.tell,
    )


def _write(scope: Scope, finished: StudyRuns, tunings: Sequence[TuningResult]) -> Reproduction:
    """Every table and figure as files, and the page."""
    folder, summary, missing = finished.folder, finished.summary, finished.missing
    runs = PaperRuns(finished.rows, scope.names, scope.configurations)
    baselines = baselines_of(runs, folder)
    sentences = (
        *(found.sentence for found in differences(runs)),
        *(each.sentence for each in baselines if each.is_far),
    )
    workers = summary.workers if summary is not None and summary.done else None
    sections = _sections(scope, runs, baselines, tunings, sentences, workers)
    tables = [item for section in sections for item in section.items if isinstance(item, Table)]
    figures = [item for section in sections for item in section.items if isinstance(item, Picture)]
    total = missing + len(runs.rows)
    incomplete = f"INCOMPLETE: {missing:,} of {counted(total, 'run')} {are(missing)} missing."
    quick = " --quick" if scope.quick else ""
    page = rendered(
        sections,
        scope=scope.text,
        quick=scope.quick,
        warnings=[incomplete] if missing else [],
        command=f"netveil experiment paper{quick} --seeds {scope.seeds}",
        machine=_machine(runs, summary),
    )
    return Reproduction(
        folder,
        summary,
        missing,
        tuple(
            _file(folder / "tables", f"{table.name}.{suffix}", form(table).encode())
            for table in tables
            for suffix, form in TABLE_FORMATS.items()
        ),
        tuple(
            _file(folder / "figures", f"{drawn.name}.{suffix}", content)
            for drawn in figures
            for suffix, content in (("svg", drawn.svg.encode()), ("png", drawn.png))
        ),
        _file(folder, "index.html", page.encode()),
        sentences,
    )


def _sections(
    scope: Scope,
    runs: PaperRuns,
    baselines: Sequence[Baseline],
    tunings: Sequence[TuningResult],
    sentences: Sequence[str],
    workers: int | None,
) -> list[Section]:
    """The page's parts, in the paper's order."""
    text = scope.text
    properties = {spec.name: properties_of(spec) for spec in scope.networks}
    table_one = [properties_table(properties, text), reductions_table(runs, scope.seeds, text)]
    odd = [
        f"{title_of(name)}, {HEADINGS[field]}: {value} here, {printed(PROPERTIES[name])[field]} published."
        for name, ours in properties.items()
        if name in PROPERTIES
        for field, value in printed(ours).items()
        if value != printed(PROPERTIES[name])[field]
    ]
    said = (
        "Figures that are further apart than two standard deviations, the larger of both sides; ES and UA "
        "with either average of the table below:"
        if sentences
        else "No figure is further from the published one than two standard deviations."
    )
    halving = (
        Section("Tuning", [halving_figure(tunings, TUNING), top_table(tunings, TUNING)])
        if tunings
        else Section("Tuning", texts=[NOT_TUNED])
    )
    return [
        Section("Anonymity", table_one, ["Printed otherwise in the paper:"] if odd else [], odd),
        Section("Where the figures differ", [baselines_table(baselines, text)], [said], sentences),
        Section("Utility", [utility_figure(runs, text), utility_table(runs, text)]),
        Section("Runtime", [runtime_figure(runs, text), runtime_table(runs, text)], [about_times(workers)]),
        Section("In words", [statements_table(runs, text)]),
        Section("Configurations", [configurations_table(runs, text)]),
        halving,
    ]


def _machine(runs: PaperRuns, summary: Summary | None) -> str:
    """What the runtimes depend on, without the name of the machine."""
    versions = ", ".join(sorted({str(row["version"]) for row in runs.rows}))
    took = ""
    if summary is not None and summary.done:
        workers = counted(summary.workers, "worker")
        took = f"; {counted(summary.done, 'run')} in {summary.seconds / 60:.1f} min on {workers}"
    return (
        f"{counted(len(runs.rows), 'run')} by netveil {versions}, Python {platform.python_version()}, "
        f"{platform.machine()}, {counted(available_cores(), 'core')}{took}"
    )


def _file(folder: Path, name: str, content: bytes) -> Path:
    """Write a file, whole or not at all."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"{folder} cannot be made: {error.strerror}. Give another folder{OUT}.") from None
    store(content, str(folder / name))
    return folder / name
