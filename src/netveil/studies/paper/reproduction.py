"""The study `paper`: run the paper's experiment, or what is missing of it; write tables, figures and a page.

DIR/runs, DIR/failed    the experiment, a folder a run
DIR/tuning              successive halving, a file a network and algorithm
DIR/tables, DIR/figures what came out of them
DIR/index.html          all of it beside the published values
"""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from netveil._version import __version__
from netveil.errors import FileError
from netveil.files.staging import OUT
from netveil.files.storage import store
from netveil.formatting import are, counted
from netveil.studies import Conclusion, Plan, RunOptions, Study, StudyRuns, Summary, run_study
from netveil.studies.paper import paper_figures as figures, paper_tables as tables
from netveil.studies.paper.paper_figures import DRAWN, FINALISTS, RUNS, PaperFigure, tuned
from netveil.studies.paper.paper_tables import PaperRuns
from netveil.studies.paper.published import PROPERTIES, TUNED_NETWORKS, Scope, paper_scope, title_of
from netveil.studies.tables import Table
from netveil.studies.tuning import TuningResult
from netveil.threads import available_cores

NOT_TUNED = (
    "Successive halving has not been run: it comes last, in the whole experiment only (without --quick)."
)
TUNING = f"{DRAWN} configurations, {FINALISTS} left, {RUNS} runs of each, whatever --seeds is"


Items = Sequence[Table | PaperFigure]


@dataclass(frozen=True)
class Section:
    """A section of the page."""

    title: str
    items: Items = ()
    texts: Sequence[str] = ()  # paragraphs above
    sentences: Sequence[str] = ()  # a list that follows them


def rendered(sections: Sequence[Section], **told: Any) -> str:
    """Render the self-contained page; further values of the template are given by name."""
    from netveil.report.page import templates

    template = templates("netveil.studies.paper").get_template("paper.html")
    return template.render(version=__version__, sections=sections, **told)


def reproduce(scope: Scope, folder: str | Path, **options: Any) -> Conclusion:
    """Run what the folder lacks, then write everything, unless only a share was run or it was interrupted.

    Options are those of `netveil.studies.RunOptions`: workers, dask, share, stop and listener as for
    `netveil.studies.run_plan` (successive halving always takes place on this machine); `run=False` only
    writes tables from what is there; `tell` hears what is being done between runs.
    """
    chosen = RunOptions(folder=Path(folder), **options)
    return PaperAgain(scope).conclude(run_study(scope.plan, chosen), chosen)


class Written(NamedTuple):
    """Files that were written, and sentences on where ours and the published figures differ."""

    page: str | None = None  # None if it was interrupted, or only a share was run
    tables: Sequence[str] = ()
    figures: Sequence[str] = ()
    differences: Sequence[str] = ()


def _tunings(scope: Scope, options: RunOptions) -> list[TuningResult]:
    """Successive halving on the paper's three networks, in its order; none in the quick version."""
    if scope.quick:
        return []
    by_name = {network.name: network for network in scope.networks}
    return tuned([by_name[name] for name in TUNED_NETWORKS if name in by_name], options)


def _write(scope: Scope, finished: StudyRuns, tunings: Sequence[TuningResult]) -> Written:
    """Write every table and figure, and the page."""
    folder, summary, missing = finished.folder, finished.summary, finished.missing
    runs = PaperRuns(finished.rows, scope.names, scope.configurations)
    baselines = tables.baselines_of(runs, folder)
    sentences = tables.differences(runs, baselines)
    sections = _sections(scope, runs, baselines, tunings, sentences)
    total = missing + len(runs.rows)
    incomplete = f"INCOMPLETE: {missing:,} of {counted(total, 'run')} {are(missing)} missing."
    page = rendered(
        sections,
        scope=scope.text,
        quick=scope.quick,
        warnings=[incomplete] if missing else [],
        command=f"netveil experiment paper{' --quick' * scope.quick} --seeds {scope.seeds}",
        machine=_machine(runs, summary),
    )
    written: dict[type, list[str]] = {Table: [], PaperFigure: []}
    for item in (item for section in sections for item in section.items):
        place = folder / ("tables" if isinstance(item, Table) else "figures")
        for suffix, content in item.files().items():
            written[type(item)].append(_file(place, f"{item.name}.{suffix}", content))
    page_file = _file(folder, "index.html", page.encode())
    return Written(page_file, written[Table], written[PaperFigure], sentences)


def _sections(
    scope: Scope,
    runs: PaperRuns,
    baselines: Sequence[tables.Baseline],
    tunings: Sequence[TuningResult],
    sentences: Sequence[str],
) -> list[Section]:
    """Sections of the page, in the paper's order."""
    text = scope.text
    properties = {network.name: tables.properties_of(network) for network in scope.networks}
    odd = []
    for name in (name for name in properties if name in PROPERTIES):
        ours, published = tables.printed(properties[name]), tables.printed(PROPERTIES[name])
        odd += [
            f"{title_of(name)}, {tables.HEADINGS[field]}: {ours[field]} here, {published[field]} published."
            for field in ours
            if ours[field] != published[field]
        ]
    said = (
        "Figures that are further apart than two standard deviations, the larger of both sides; ES and UA "
        "with either average of the table below:"
        if sentences
        else "No figure is further from the published one than two standard deviations."
    )
    table_one = [tables.properties_table(properties, text), tables.reductions_table(runs, scope.seeds, text)]
    runtime: Items = [figures.runtime_figure(runs, text), tables.runtime_table(runs, text)]
    halving: Items = (
        [figures.halving_figure(tunings, TUNING), figures.top_table(tunings, TUNING)] if tunings else []
    )
    return [
        Section("Anonymity", table_one, ["Printed otherwise in the paper:"] if odd else [], odd),
        Section("Where the figures differ", [tables.baselines_table(baselines, text)], [said], sentences),
        Section("Utility", [figures.utility_figure(runs, text), tables.utility_table(runs, text)]),
        Section("Runtime", runtime),
        Section("In words", [tables.statements_table(runs, text)]),
        Section("Configurations", [tables.configurations_table(runs, text)]),
        Section("Tuning", halving, [] if tunings else [NOT_TUNED]),
    ]


def _machine(runs: PaperRuns, summary: Summary | None) -> str:
    """Sentence on what the runtimes depend on, without the name of the machine."""
    versions = ", ".join(sorted({str(row["version"]) for row in runs.rows}))
    took = ""
    if summary is not None and summary.done:
        workers = counted(summary.workers, "worker")
        took = f"; {counted(summary.done, 'run')} in {summary.seconds / 60:.1f} min on {workers}"
    return (
        f"{counted(len(runs.rows), 'run')} by netveil {versions}, Python {platform.python_version()}, "
        f"{platform.machine()}, {counted(available_cores(), 'core')}{took}"
    )


def _file(folder: Path, name: str, content: bytes) -> str:
    """Write a file, whole or not at all; returns its path."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"{folder} cannot be made: {error.strerror}. Give another folder{OUT}.") from None
    store(content, str(folder / name))
    return str(folder / name)


@dataclass(frozen=True)
class PaperAgain:
    """The paper's experiment in a scope."""

    scope: Scope

    @property
    def plan(self) -> Plan:
        """Plan of the runs: networks × algorithms × seeds."""
        return self.scope.plan

    @property
    def announcement(self) -> str:
        """Scope in words, and its networks."""
        return f"{self.scope.text}: {', '.join(self.scope.names)}"

    def conclude(self, runs: StudyRuns, options: RunOptions) -> Conclusion:
        """Tune, and write the tables, the figures and the page, as far as runs are finished."""
        scope, written, interrupted = self.scope, Written(), runs.interrupted
        if not interrupted and runs.rows and not (options.share is not None and runs.missing):
            tunings = _tunings(scope, options)
            interrupted = options.stop.asked_to_stop() is not None
            if not interrupted:
                options.tell("writing tables and figures")
                written = _write(scope, runs, tunings)
        left = f"{runs.folder}: {counted(runs.missing, 'run')} {are(runs.missing)}"
        words = f"{left} still to be done, and then the tables."
        if written.page is not None:
            where = f"{runs.folder}/tables, {runs.folder}/figures"
            words = f"{scope.text}\npage: {written.page}\ntables and figures: {where}"
        incomplete = f"{left} missing; the same command without --collect runs what is."
        problem = incomplete if runs.missing and not options.run else None
        document = {
            "plan": "paper",
            "out": str(runs.folder),
            "quick": scope.quick,
            "scope": scope.text,
            "networks": list(scope.names),
            "seeds": scope.seeds,
            "configurations": list(scope.configurations),
            "summary": None if runs.summary is None else asdict(runs.summary),
            "missing": runs.missing,
            **written._asdict(),
        }
        return Conclusion(document, words, interrupted, problem)


STUDY = Study("paper", lambda seeds, quick: PaperAgain(paper_scope(seeds, quick)))
