"""The study `simulated`: what drives initial uniqueness, and what GA and UGA achieve then."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from importlib.resources import as_file, files
from pathlib import Path

from netveil.experiments.plan import Plan
from netveil.experiments.plan_file import read_plan
from netveil.files.storage import store
from netveil.studies.simulated.study_page import summarize
from netveil.studies.study import Conclusion, RunOptions, Study, StudyRuns
from netveil.words import are, counted

QUICK_SEEDS = 1


@dataclass(frozen=True)
class SimulatedNetworks:
    """The ready plan on simulated networks."""

    plan: Plan
    quick: bool
    announcement: str = ""

    def conclude(self, runs: StudyRuns, options: RunOptions) -> Conclusion:
        """Write the page and the figures once all runs are finished."""
        page = None if runs.missing else self._write(runs)
        document = {
            "plan": "simulated",
            "out": str(runs.folder),
            **({} if runs.summary is None else asdict(runs.summary)),
            "missing": runs.missing,
            "page": None if page is None else str(page),
        }
        left = f"{counted(runs.missing, 'run')} {are(runs.missing)}"
        unfinished = f"{runs.folder}: {left} still to be done, and then the table."
        return Conclusion(document, unfinished if page is None else f"page: {page}", runs.interrupted)

    def _write(self, runs: StudyRuns) -> Path:
        """The page and the figures, beside the runs; returns the page."""
        outlook = summarize(runs.rows, self.quick)
        for name, figure in outlook.figures.items():
            store(figure, str(runs.folder / f"{name}.svg"))
        page = runs.folder / "simulated.md"
        store(outlook.markdown.encode(), str(page))
        return page


def planned(seeds: int | None, quick: bool) -> SimulatedNetworks:
    """The plan that comes with netveil, with this many seeds."""
    with as_file(files("netveil").joinpath("studies", "simulated", "simulated.toml")) as file:
        plan = read_plan(file, QUICK_SEEDS if quick and seeds is None else seeds)
    return SimulatedNetworks(replace(plan, name="simulated"), quick)


STUDY = Study("simulated", planned)
