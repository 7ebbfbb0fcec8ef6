"""Evidence for the report of a release: steps of the workflow between the search and the folder.

Each yields how far it has come, can be left out, and ends at once when it is closed or interrupted.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from netveil.anonymity.measure import OwnMeasure
from netveil.auditing import Audit, auditing
from netveil.auditing.synthetic_attacks import attacking_synthetic
from netveil.deciding import read_policy
from netveil.job import Anonymization, Synthesis
from netveil.progress import Watcher, finished, retold
from netveil.release.decision import decide
from netveil.release.records import Clock, local_time
from netveil.release.register import Registered, others_than, releases_beside
from netveil.release.release import Release
from netveil.release.synthetic_release import SyntheticRelease
from netveil.report import Evidence
from netveil.search import ALGORITHMS, Control, Outcome, searching
from netveil.utility import METRICS, Comparison, comparing

SECONDS_OF_BASELINE = 20.0  # of each; most need less, unless states are slow to follow


@dataclass(frozen=True)
class ReportPart:
    """A part of the evidence that a report shows."""

    name: str  # the field of Evidence
    doing: str  # what is done for it, for people: 'measuring what it cost'
    work: Callable[[Release, Anonymization], Generator[str, None, Any]]


def baselines_of(outcome: Outcome) -> list[str]:
    """Names of the algorithms that are shown beside the result."""
    wanted = {"every release", "curves"} if outcome.curve else {"every release"}
    return [
        name
        for name, algorithm in ALGORITHMS.items()
        if algorithm.shown_beside in wanted and name != outcome.algorithm
    ]


def baselines_for(release: Release, job: Anonymization) -> Generator[str, None, dict[str, Outcome]]:
    """Outcomes of other algorithms with the budget, target and limits of a release."""
    outcome, found = release.outcome, {}
    for name in baselines_of(outcome):
        asked = Anonymization(
            measures=outcome.attackers,
            budget=outcome.budget,
            target=outcome.target,
            algorithm=name,
            seed=outcome.seed,
            time=SECONDS_OF_BASELINE,
            threads=job.threads,
            keep={limit.name: limit.share for limit in outcome.limits},
            protect=outcome.protected_edges,
        )
        steps = searching(release.original, asked, Control())
        found[name] = yield from retold(steps, partial("{}: {.at_risk:,} at risk".format, name))
    return found


def comparison_for(release: Release, job: Anonymization) -> Generator[str, None, Comparison]:
    """Compare the original with what remains, metric by metric."""
    steps = comparing(release.original, release.remaining, threads=job.threads)
    return retold(steps, lambda name: METRICS[name].title)


def audit_for(release: Release, job: Anonymization) -> Generator[str, None, Audit]:
    """Audit the published network."""
    attackers = release.outcome.attackers.each
    against = [each for each in attackers if not isinstance(each.measure, OwnMeasure)]
    steps = auditing(
        release.original,
        release.network,
        labels=release.labels,
        also=against,
        matching=job.matching,
        threads=job.threads,
    )
    return retold(steps, lambda attack: attack.name)


BASELINES = ReportPart("baselines", "trying other algorithms with the same budget", baselines_for)
COMPARISON = ReportPart("comparison", "measuring what it cost", comparison_for)
AUDIT = ReportPart("audit", "trying attacks on it", audit_for)


def gather(release: Release, job: Anonymization | None = None, watcher: Watcher | None = None) -> Evidence:
    """Find out what a job wants its report to show, one part after the other."""
    watcher = Watcher() if watcher is None else watcher
    job = Anonymization() if job is None else job
    wanted = {BASELINES: job.baselines, COMPARISON: job.utility, AUDIT: job.audit}
    parts = [part for part, is_wanted in wanted.items() if is_wanted]
    found: dict[str, Any] = {}
    for part in parts:
        with watcher.report(part.doing) as listener:
            found[part.name] = finished(part.work(release, job), listener)
    return Evidence(**found, skipped=tuple(part.name for part in parts if part.name not in found))


def gather_of_synthetic(release: SyntheticRelease, job: Synthesis, watcher: Watcher) -> Evidence:
    """Find out what the report of a synthetic release shows; nothing without the original."""
    found: dict[str, Any] = {}
    original = release.original
    if original is not None and job.utility:
        with watcher.report("measuring what it still tells") as listener:
            steps = comparing(original, release.network, labels=release.labels, synthetic=True)
            found["comparison"] = finished(retold(steps, lambda name: METRICS[name].title), listener)
    if original is not None and job.audit:
        with watcher.report("trying attacks on it") as listener:
            people = release.row_of_person, release.drawn[0], release.node_of_person(0)
            attacks = attacking_synthetic(original, release.table, *people, release.seed)
            found["attacks"] = finished(attacks, listener)
    return Evidence(**found)


def with_verdict(
    release: Release | SyntheticRelease,
    evidence: Evidence,
    policy: Any = None,
    folder: Path | None = None,
    clock: Clock = local_time,
    earlier: Sequence[Registered] = (),
) -> Evidence:
    """Evidence with the verdict on a release that is to be written to a folder.

    `earlier` are releases of the network that the register knows: the log of the decision has them.
    """
    asked, second = None if policy is None else read_policy(policy), None
    if folder is not None:
        kept = [each for each in earlier if each.met is not False]  # rejected ones are not published
        others = others_than(folder, release.identity[1], kept)
        second = any(chain(releases_beside(folder, release.identity), others))
    facts = release.facts(evidence, asked, second, clock().date())
    decided = decide(release.figures(), facts, asked, release.original)
    return replace(evidence, decided=replace(decided, versions=tuple(each.version() for each in earlier)))
