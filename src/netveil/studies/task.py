"""Tasks: one run of a plan each, with all that a worker needs, and its result.

`Task` (settings, identity, folder name) → `execute` on a worker → `TaskResult`; errors of workers in words
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
import time
from asyncio import CancelledError as Unscheduled
from collections.abc import Mapping, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from netveil._version import __version__
from netveil.errors import NetveilError
from netveil.job import Anonymization, Synthesis
from netveil.network import Network
from netveil.progress import finished
from netveil.release.records import ROWS_OF_HISTORY
from netveil.release.synthetic_release import SyntheticRelease
from netveil.report import thinned
from netveil.search import Control, Progress
from netveil.utility import METRICS, MetricSettings, Side
from netveil.workflow import anonymizing, synthesizing

LONGEST_PART = 40  # characters of a folder's name for each setting
SHORT_IDENTITY = 10  # characters of it for what tells runs apart
FIGURES = ("before", "after", "change", "score")  # of each metric; the score of similarities only


SYNTHETIC = "synthetic"
"""Stands for the algorithm in runs that draw a synthetic network, for which nothing is searched."""


def attacker_name(measures: Sequence[str], distance: int, fuzzy: str | None, twins: bool) -> str:
    """Name of attackers in a plan: measures, and what differs from the defaults.

    >>> attacker_name(["count"], 2, None, True)
    'count-d2-twins'
    """
    reach = f"-d{distance}" if distance != 1 else ""
    doubt = f"-fuzzy{fuzzy}" if fuzzy is not None else ""
    return f"{'+'.join(measures)}{reach}{doubt}{'-twins' * twins}"


@dataclass(frozen=True, eq=False)
class Task:
    """One run of a plan. It can be pickled, and holds the network itself."""

    network: Network  # under its name in the plan
    algorithm: str  # its name in the plan, or SYNTHETIC
    config: str | None  # the preset or file that its settings come from
    job: Anonymization | Synthesis  # with all settings, so that no file is needed where it runs
    metrics: tuple[str, ...] = ()
    version: str = __version__  # of the netveil that planned it: workers must have the same

    @property
    def is_synthetic(self) -> bool:
        """Whether a synthetic network is drawn, instead of ties deleted."""
        return isinstance(self.job, Synthesis)

    @cached_property
    def settings(self) -> dict[str, Any]:
        """Record of what is run: all but the network's edges and the metrics."""
        asked, declared = self.job.to_document(), self.job.declared()
        algorithm = {
            "algorithm": asked.get("algorithm", SYNTHETIC),
            "settings": asked.get("settings", {}),
            "time": asked.get("time"),
        }
        algorithm["others"] = {
            name: asked[name]
            for name in self.job.given()
            if declared[name].in_plan == "algorithms" and name not in algorithm
        }
        attacker = {name: asked[name] for name, each in declared.items() if each.in_plan == "measures"}
        return {
            "network": self.network.name,
            "fingerprint": self.network.fingerprint,
            "algorithm": {"name": self.algorithm, "config": self.config, **algorithm},
            "budget": asked.get("budget"),
            "attacker": attacker or None,
            "k": asked["k"],
            "seed": asked["seed"],
        }

    @cached_property
    def identity(self) -> str:
        """SHA-256 of the settings and the network, equal on every machine.

        Metrics are no part of it: the search is the same, whatever is measured afterwards. Nor is the
        version, which stands in the record of a run.
        """
        return hashlib.sha256(json.dumps(self.settings, sort_keys=True).encode()).hexdigest()

    @property
    def folder(self) -> str:
        """Name of the run's folder: readable, and different for each run."""
        budget, attacker = self.settings["budget"] or "", self.settings["attacker"]
        known = "" if attacker is None else attacker_name(**attacker)
        parts = (
            *(self.network.name, self.algorithm, budget.replace("%", "pct"), known.replace("%", "pct")),
            *(f"k{self.job.k}", f"seed{self.job.seed}"),
        )
        readable = (re.sub(r"[^A-Za-z0-9.+]+", "-", part)[:LONGEST_PART].strip("-.") for part in parts)
        return "_".join([*filter(None, readable), self.identity[:SHORT_IDENTITY]])


@dataclass(frozen=True, eq=False)
class TaskResult:
    """Outcome of a run."""

    figures: Mapping[str, Any]  # of `netveil anonymize --json` or `synthesize --json`, and the metrics
    trace: tuple[Progress, ...]  # how the search went
    deleted_edges: tuple[int, ...]  # their numbers in the network

    @property
    def seconds(self) -> float:
        """Duration of the whole run, measuring utility included."""
        return float(self.figures["run_seconds"])

    @property
    def is_whole(self) -> bool:
        """Whether the search came to its end; an interrupted one is run again."""
        return bool(self.figures.get("stopped_by") != "interrupted")


_worker = threading.local()
"""State of a worker between runs: the network that was measured last."""


def execute(task: Task, control: Control | None = None) -> TaskResult:
    """Search or draw and measure utility on one thread; the result depends on the task alone, times apart."""
    if task.version != __version__:  # its results would not be like those of the others
        raise VersionError(other_version("this worker", __version__, task.version))
    began = time.perf_counter()
    control = Control() if control is None else control
    if isinstance(task.job, Synthesis):
        result = _drawn(task, task.job, control)
    else:
        result = _searched(task, task.job, control)
    return replace(result, figures={**result.figures, "run_seconds": round(time.perf_counter() - began, 3)})


def _searched(task: Task, job: Anonymization, control: Control) -> TaskResult:
    """Delete ties, and measure utility."""
    release = finished(anonymizing(task.network, job, control))
    interrupted = release.outcome.stopped_by == "interrupted"
    metrics = {} if interrupted else utility(task.network, release.remaining, task.metrics)
    return TaskResult(
        {**release.figures(), "metrics": metrics},
        tuple(thinned(release.outcome.history, ROWS_OF_HISTORY)),
        tuple(release.outcome.deleted_edges.tolist()),
    )


def _drawn(task: Task, job: Synthesis, control: Control) -> TaskResult:
    """Draw a synthetic network, and measure utility."""
    steps = synthesizing(task.network, job)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            release: SyntheticRelease = end.value
            break
        if control.asked_to_stop() is not None:
            return TaskResult({"stopped_by": "interrupted"}, (), ())
    # Nothing is published, so who is which node of a row need not be secret, and is the same every time.
    release = replace(release, secret=bytes.fromhex(task.identity))
    by_person = release.drawn[0].relabelled(np.argsort(release.node_of_person(0)))
    metrics = utility(task.network, by_person, task.metrics)
    return TaskResult({**release.figures(), "metrics": metrics}, (), ())


def utility(original: Network, remaining: Network, metrics: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Figures of these metrics, as `netveil.compare` has them; what the original needs is computed once."""
    if not metrics:
        return {}
    if getattr(_worker, "fingerprint", None) != original.fingerprint:
        _worker.before, _worker.fingerprint = Side(original, MetricSettings()), original.fingerprint
    before: Side = _worker.before
    after = Side(remaining, before.settings, like=before)
    findings = {name: METRICS[METRICS.named(name)].compare(before, after) for name in metrics}
    return {
        name: {figure: getattr(finding, figure) for figure in FIGURES} for name, finding in findings.items()
    }


# Errors of workers, each in one line.


DIED_TWICE = "its process died, twice; it may lack memory for this network."


class LostCluster(Exception):  # noqa: N818  # neither a user's mistake nor a defect
    """The machines of an experiment do not answer any more; finished runs stay."""


class VersionError(NetveilError):
    """A worker has another netveil than the one that planned the work, or none."""


def other_version(who: str, found: str, wanted: str, doing: str = "the experiment is run") -> str:
    """Sentence on a worker that has another version."""
    return (
        f"{who} has netveil {found}, and {doing} by netveil {wanted}; install the same on both "
        f"(pip install 'netveil=={wanted}') and start the worker again."
    )


def explained(error: BaseException) -> str:
    """One line on an error that a worker sent back; lost workers and missing packages in plain words."""
    if isinstance(error, NetveilError):
        return in_one_line(error)
    if isinstance(error, ModuleNotFoundError) and (error.name or "").split(".")[0] == "netveil":
        return f"a worker has no netveil; install it there (pip install 'netveil=={__version__}')."
    if type(error).__name__ == "KilledWorker":  # of Dask, which need not be installed
        return "its workers died, several times; they may lack memory for this network."
    return f"{type(error).__name__}: {in_one_line(error)}".rstrip(": ")


def is_loss(error: BaseException) -> bool:
    """Whether a run ended because the cluster was lost, which is not the run's fault."""
    # A lost connection is an error of Dask, which need not be installed.
    return isinstance(error, (CancelledError, Unscheduled)) or type(error).__name__ == "CommClosedError"


def in_one_line(error: BaseException) -> str:
    """Message of an error without line ends."""
    return " ".join(str(error).split())
