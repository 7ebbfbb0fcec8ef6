"""Evidence for the report of a release: steps of the workflow between the search and the folder.

Each yields how far it has come, can be left out, and ends at once when it is closed or interrupted.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from netveil.anonymity.measure import OwnMeasure
from netveil.auditing import Audit, auditing
from netveil.auditing.synthetic_attacks import attacking_synthetic
from netveil.deciding import decide, read_policy
from netveil.job import Anonymization, Synthesis
from netveil.progress import Watcher, finished, retold
from netveil.release.records import Clock, local_time
from netveil.release.register import Registered, others_than, releases_beside
from netveil.release.release import Release
from netveil.release.synthetic_release import SyntheticRelease
from netveil.report import Evidence
from netveil.search import ALGORITHMS, Control, Outcome, searching
from netveil.utility import METRICS, Comparison, comparing

SECONDS_OF_BASELINE = 20.0  # of each; most need less, unless states are slow to follow


def baselines_for(release: Release, job: Anonymization) -> Generator[str, None, dict[str, Outcome]]:
    """Outcomes of other algorithms with the budget, target and limits of a release."""
    outcome, found = release.outcome, {}
    wanted = {"every release", "curves"} if outcome.curve else {"every release"}
    for name, algorithm in ALGORITHMS.items():
        if algorithm.shown_beside not in wanted or name == outcome.algorithm:
            continue
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


def comparison_of_synthetic(release: SyntheticRelease, job: Synthesis) -> Generator[str, None, Comparison]:
    """Compare the original with the first network that was drawn, metric by metric."""
    assert release.original is not None, "nothing is gathered without it"
    steps = comparing(release.original, release.network, labels=release.labels, synthetic=True)
    return retold(steps, lambda name: METRICS[name].title)


def attacks_on_synthetic(release: SyntheticRelease, job: Synthesis) -> Generator[str, None, dict[str, Any]]:
    """Attack the first network that was drawn."""
    assert release.original is not None, "nothing is gathered without it"
    people = release.row_of_person, release.drawn[0], release.node_of_person(0)
    return attacking_synthetic(release.original, release.table, *people, release.seed)


Part = tuple[str, str, Callable[[Any, Any], Generator[str, None, Any]]]
PARTS: dict[str, dict[str, Part]] = {
    "deletion": {
        "baselines": ("baselines", "trying other algorithms with the same budget", baselines_for),
        "comparison": ("utility", "measuring what it cost", comparison_for),
        "audit": ("audit", "trying attacks on it", audit_for),
    },
    "synthetic": {
        "comparison": ("utility", "measuring what it still tells", comparison_of_synthetic),
        "attacks": ("audit", "trying attacks on it", attacks_on_synthetic),
    },
}
"""By kind and field of the evidence: the option that asks for it, what is done in words, and how."""


def gather(
    release: Release | SyntheticRelease,
    job: Anonymization | Synthesis | None = None,
    watcher: Watcher | None = None,
) -> Evidence:
    """Find out what a job wants its report to show, part after part; nothing without the original."""
    watcher, job = watcher or Watcher(), job or Anonymization()
    parts = {} if release.original is None else PARTS[release.kind]
    wanted = {name: part for name, part in parts.items() if getattr(job, part[0])}
    found: dict[str, Any] = {}
    for name, (_, doing, work) in wanted.items():
        with watcher.report(doing) as listener:
            found[name] = finished(work(release, job), listener)
    return Evidence(**found, skipped=tuple(name for name in wanted if name not in found))


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
    facts = replace(release.facts(evidence, asked), second_release=second, made_on=clock().date())
    decided = decide(release.figures(), facts, asked, release.original)
    return replace(evidence, decided=replace(decided, versions=tuple(each.version() for each in earlier)))
