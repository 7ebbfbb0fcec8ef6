"""What is found out about a release for its report: steps of the workflow between the search and the folder.

Each yields how far it has come, can be left out, and ends at once when it is closed or interrupted.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from functools import partial
from math import ceil, log10
from typing import Any

from netveil.anonymity import MEASURES
from netveil.auditing import Audit, auditing
from netveil.auditing.matching.run_matching import cases_for
from netveil.formatting import duration
from netveil.job import Anonymization
from netveil.network import Network
from netveil.progress import Watcher, finished, retold
from netveil.release.release import Release
from netveil.report import Evidence
from netveil.search import ALGORITHMS, Control, Outcome, searching
from netveil.threads import available_cores
from netveil.utility import METRICS, Comparison, MetricSettings, Side, comparing
from netveil.utility.communities import number_of_runs

# About how long parts of the report of a large network take, to be said before they begin.
#
# Rounded up from what was measured at one and at ten million edges: see docs/scale.md. Of small networks
# nothing is said.


LARGE = 500_000  # edges
TO_SET_UP_BASELINE = 3e-6  # seconds of one core for each edge
A_PATH_STEP, A_LOUVAIN_STEP = 2e-8, 2.5e-6  # for each node and edge end that is looked at
AN_ATTACK = 3.5e-5  # for each edge, all attackers who know surroundings together
A_MARK = 7e-9  # of attackers who match the whole network: `auditing.matching.plan` counts them
FITTING, TENFOLD = 1_000_000, 2.3  # edges; with ten times as many, a step takes so many times as long


def seconds_of_baselines(network: Network, number: int, seconds_of_each: float) -> float:
    """For so many other algorithms, with so much time for each."""
    return number * (seconds_of_each + TO_SET_UP_BASELINE * network.edge_count)


def seconds_of_comparison(network: Network, threads: int) -> float:
    """For all metrics: paths by all threads, communities by one of them meanwhile."""
    side = Side(network, MetricSettings())
    steps = len(side.with_edges) + 2 * network.edge_count
    paths = 2 * A_PATH_STEP * side.source_count * steps
    communities = 2 * A_LOUVAIN_STEP * number_of_runs(side) * steps
    # What does not fit into the processor's caches takes longer.
    slower = TENFOLD ** max(0.0, log10(max(network.edge_count, 1) / FITTING))
    return float(slower * max(communities, (communities + paths) / threads))


def seconds_of_audit(network: Network, threads: int) -> float:
    """For all attackers that are tried for a report."""
    cases, _ = cases_for(network, "brief")
    marks = sum(case.marks(network) for case in cases)
    return AN_ATTACK * network.edge_count + A_MARK * marks / threads


SECONDS_OF_BASELINE = 20.0  # of each; most need less, unless states are slow to follow


@dataclass(frozen=True)
class Part:
    """A part of the evidence."""

    name: str  # the field of Evidence
    doing: str  # what is done for it, for people: 'measuring what it cost'
    work: Callable[[Release, int], Generator[str, None, Any]]  # given the number of threads
    seconds: Callable[[Release, int], float] | None = None  # about how many it takes in a large network

    def with_duration(self, release: Release, threads: int) -> Part:
        """The same, which says how long it will take where the network is large."""
        if self.seconds is None or release.original.edge_count < LARGE:
            return self
        return replace(self, doing=f"{self.doing}, about {duration(ceil(self.seconds(release, threads)))}")


def baselines_of(outcome: Outcome) -> list[str]:
    """The algorithms that are shown beside what was found."""
    wanted = {"every release", "curves"} if outcome.curve else {"every release"}
    return [
        name
        for name, algorithm in ALGORITHMS.items()
        if algorithm.shown_beside in wanted and name != outcome.algorithm
    ]


def baselines_for(release: Release, threads: int) -> Generator[str, None, dict[str, Outcome]]:
    """The same budget spent by other algorithms, for the same target and under the same limits."""
    outcome, found = release.outcome, {}
    for name in baselines_of(outcome):
        job = Anonymization(
            measures=outcome.attackers,
            budget=outcome.budget,
            target=outcome.target,
            algorithm=name,
            seed=outcome.seed,
            time=SECONDS_OF_BASELINE,
            threads=threads,
            keep={limit.name: limit.share for limit in outcome.limits},
            protect=outcome.protected_edges,
        )
        steps = searching(release.original, job, Control(announcer=None))
        found[name] = yield from retold(steps, partial("{}: {.at_risk:,} at risk".format, name))
    return found


def comparison_for(release: Release, threads: int) -> Generator[str, None, Comparison]:
    """What the deletion cost, metric by metric."""
    steps = comparing(release.original, release.remaining, threads=threads)
    return retold(steps, lambda name: METRICS[name].title)


def audit_for(release: Release, threads: int) -> Generator[str, None, Audit]:
    """What an attacker who knows the original could still find in the published network."""
    against = [each for each in release.outcome.attackers.each if each.measure.name in MEASURES]
    steps = auditing(
        release.original,
        release.network,
        labels=release.labels,
        also=against,
        matching="brief",
        threads=threads,
    )
    return retold(steps, lambda attack: attack.name)


BASELINES = Part(
    "baselines",
    "trying other algorithms with the same budget",
    baselines_for,
    lambda release, threads: seconds_of_baselines(
        release.original, len(baselines_of(release.outcome)), SECONDS_OF_BASELINE
    ),
)
COMPARISON = Part(
    "comparison",
    "measuring what it cost",
    comparison_for,
    lambda release, threads: seconds_of_comparison(release.original, threads),
)
AUDIT = Part(
    "audit",
    "trying attacks on it",
    audit_for,
    lambda release, threads: seconds_of_audit(release.original, threads),
)


def gather(release: Release, job: Anonymization | None = None, watcher: Watcher | None = None) -> Evidence:
    """All that a job wants to be known of its release, one part after the other."""
    watcher = Watcher() if watcher is None else watcher
    job = Anonymization() if job is None else job
    wanted = {BASELINES: job.baselines, COMPARISON: job.utility, AUDIT: job.audit}
    parts = [part for part, is_wanted in wanted.items() if is_wanted]
    threads = available_cores() if job.threads is None else job.threads
    found: dict[str, Any] = {}
    for part in parts:
        with watcher.report(part.with_duration(release, threads).doing) as listener:
            found[part.name] = finished(part.work(release, threads), listener)
    return Evidence(**found, skipped=tuple(part.name for part in parts if part.name not in found))
