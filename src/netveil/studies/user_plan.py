"""The study of a user's own plan: it runs, and there is a table of the results if that is asked for."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from netveil.experiments import Plan, Summary, read_plan
from netveil.studies.study import Conclusion, RunOptions, StudyRuns
from netveil.words import are, counted, duration


@dataclass(frozen=True)
class UserPlan:
    """A plan from a file."""

    file: str  # as the user named it
    plan: Plan
    announcement: str = ""

    @classmethod
    def read(cls, file: str, seeds: int | None) -> UserPlan:
        """The plan in a file; PlanError if anything is wrong with it."""
        return cls(file, read_plan(file, seeds))

    def conclude(self, runs: StudyRuns, options: RunOptions) -> Conclusion:
        """How the runs ended, and where the table is."""
        assert runs.summary is not None, "a plan is always run"
        document = {
            "plan": self.file,
            "out": str(runs.folder),
            **asdict(runs.summary),
            "tables": list(map(str, runs.tables)),
        }
        return Conclusion(document, _in_words(runs.summary, runs), runs.interrupted)


def _in_words(summary: Summary, runs: StudyRuns) -> str:
    already = f" ({summary.already:,} earlier)" if summary.already else ""
    finished = summary.already + summary.done
    of_all = f"{finished:,} of {counted(summary.total, 'run')}"
    lines = [f"{of_all} {are(finished)} finished{already}: {runs.folder}"]
    if summary.done:
        lines.append(
            f"{counted(summary.done, 'run')} of {duration(summary.run_seconds)} in all, done in "
            f"{duration(summary.seconds)} by {counted(summary.workers, 'worker')}."
        )
    lines += [f"table: {table}" for table in runs.tables]
    if not runs.tables and not summary.interrupted:
        lines.append(f"table of the results: netveil experiment {runs.folder} --collect")
    return "\n".join(lines)
