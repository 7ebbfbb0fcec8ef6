"""The study `paper`: the paper's experiment, its tables and figures beside the published ones."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from netveil.experiments import Plan
from netveil.formatting import are, counted
from netveil.studies.paper.published import Scope, paper_scope
from netveil.studies.paper.reproduction import Reproduction, reproduction
from netveil.studies.study import Conclusion, RunOptions, Study, StudyRuns


@dataclass(frozen=True)
class PaperAgain:
    """The paper's experiment in a scope."""

    scope: Scope

    @property
    def plan(self) -> Plan:
        """Every network × algorithm × seed."""
        return self.scope.plan

    @property
    def announcement(self) -> str:
        """What is run, and on which networks."""
        return f"{self.scope.text}: {', '.join(self.scope.names)}"

    def conclude(self, runs: StudyRuns, options: RunOptions) -> Conclusion:
        """Tune, and write the tables, the figures and the page."""
        found = reproduction(self.scope, runs, options)
        left = f"{found.folder}: {counted(found.missing, 'run')} {are(found.missing)}"
        words = f"{left} still to be done, and then the tables."
        if found.page is not None:
            where = f"{found.folder}/tables, {found.folder}/figures"
            words = f"{self.scope.text}\npage: {found.page}\ntables and figures: {where}"
        incomplete = f"{left} missing; the same command without --collect runs what is."
        problem = incomplete if found.missing and not options.run else None
        return Conclusion(self._document(found), words, found.interrupted, problem)

    def _document(self, found: Reproduction) -> dict[str, Any]:
        return {
            "plan": "paper",
            "out": str(found.folder),
            "quick": self.scope.quick,
            "scope": self.scope.text,
            "networks": list(self.scope.names),
            "seeds": self.scope.seeds,
            "configurations": list(self.scope.configurations),
            "summary": None if found.summary is None else asdict(found.summary),
            "missing": found.missing,
            "page": None if found.page is None else str(found.page),
            "tables": list(map(str, found.tables)),
            "figures": list(map(str, found.figures)),
            "differences": list(found.differences),
        }


STUDY = Study("paper", lambda seeds, quick: PaperAgain(paper_scope(seeds, quick)))
