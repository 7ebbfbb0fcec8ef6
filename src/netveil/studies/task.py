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
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from netveil._version import __version__
from netveil.anonymity import Attackers
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


@dataclass(frozen=True)
class AlgorithmSpec:
    """An algorithm of a plan, with all its settings."""

    name: str  # in the plan
    algorithm: str  # a name in `netveil.search.ALGORITHMS`
    config: str | None  # the preset or file that the settings come from
    settings: Mapping[str, Any]
    time: float | None  # seconds after which a search stops; results then depend on the machine
    others: Mapping[str, Any] = field(default_factory=dict)  # further options of the job


SYNTHETIC = AlgorithmSpec("synthetic", "synthetic", config=None, settings={}, time=None)
"""Stands for the algorithm in runs that draw a synthetic network, for which nothing is searched."""


@dataclass(frozen=True)
class AttackerSpec:
    """Attackers of a plan: measures that share distance, fuzziness and twins."""

    measures: tuple[str, ...]  # names, or module:function
    distance: int
    fuzzy: str | None  # the share by which her numbers may be off: '5%'
    twins: bool

    @property
    def name(self) -> str:
        """Measures, and what differs from the defaults: 'count-d2-twins'."""
        reach = f"-d{self.distance}" if self.distance != 1 else ""
        doubt = f"-fuzzy{self.fuzzy}" if self.fuzzy is not None else ""
        return f"{'+'.join(self.measures)}{reach}{doubt}{'-twins' * self.twins}"


@dataclass(frozen=True, eq=False)
class Task:
    """One run of a plan. It can be pickled, and holds the network itself."""

    network: Network  # under its name in the plan
    algorithm: AlgorithmSpec
    budget: str | None  # None for a synthetic network, in which no tie is deleted
    attacker: AttackerSpec | None  # None for a synthetic network, which protects from all
    k: int
    seed: int
    metrics: tuple[str, ...] = ()
    version: str = __version__  # of the netveil that planned it: workers must have the same

    @property
    def is_synthetic(self) -> bool:
        """Whether a synthetic network is drawn, instead of ties deleted."""
        return self.attacker is None

    @property
    def attackers(self) -> Attackers:
        """Attackers to protect from."""
        given = self.attacker
        assert given is not None, "a synthetic network has no attackers to name"
        return Attackers.of(given.measures, given.distance, given.fuzzy, given.twins, self.k)

    @property
    def settings(self) -> dict[str, Any]:
        """Record of what is run: all but the network's edges and the metrics."""
        return {
            "network": self.network.name,
            "fingerprint": self.network.fingerprint,
            "algorithm": asdict(self.algorithm),
            "budget": self.budget,
            "attacker": None if self.attacker is None else asdict(self.attacker),
            "k": self.k,
            "seed": self.seed,
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
        parts = (
            self.network.name,
            self.algorithm.name,
            "" if self.budget is None else self.budget.replace("%", "pct"),
            "" if self.attacker is None else self.attacker.name.replace("%", "pct"),
            f"k{self.k}",
            f"seed{self.seed}",
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
    result = (_drawn if task.is_synthetic else _searched)(task, control)
    return replace(result, figures={**result.figures, "run_seconds": round(time.perf_counter() - began, 3)})


def _searched(task: Task, control: Control) -> TaskResult:
    """Delete ties, and measure utility."""
    job = Anonymization(
        measures=task.attackers,
        budget=task.budget,
        algorithm=task.algorithm.algorithm,
        settings=task.algorithm.settings,
        time=task.algorithm.time,
        **task.algorithm.others,
        seed=task.seed,
        threads=1,
    )
    release = finished(anonymizing(task.network, job, control))
    interrupted = release.outcome.stopped_by == "interrupted"
    metrics = {} if interrupted else utility(task.network, release.remaining, task.metrics)
    return TaskResult(
        {**release.figures(), "metrics": metrics},
        tuple(thinned(release.outcome.history, ROWS_OF_HISTORY)),
        tuple(release.outcome.deleted_edges.tolist()),
    )


def _drawn(task: Task, control: Control) -> TaskResult:
    """Draw a synthetic network, and measure utility."""
    steps = synthesizing(task.network, Synthesis(k=task.k, seed=task.seed))
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
