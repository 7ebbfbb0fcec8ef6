"""A task: one run of a plan, with all that a worker anywhere needs; and the result that comes back."""

from __future__ import annotations

import hashlib
import json
import re
import threading
import time
from asyncio import CancelledError as Unscheduled
from collections.abc import Mapping, Sequence
from concurrent.futures import CancelledError
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from netveil._version import __version__
from netveil.anonymity import Attackers
from netveil.errors import NetveilError
from netveil.job import Anonymization
from netveil.network import Network
from netveil.progress import finished
from netveil.release.records import ROWS_OF_HISTORY
from netveil.report import thinned
from netveil.search import Control, Progress
from netveil.utility import METRICS, MetricSettings, Side
from netveil.workflow import anonymizing

# Why a run failed, in one line.


DIED_TWICE = "its process died, and again when it ran alone; it may lack memory for this network."


class LostCluster(Exception):  # noqa: N818  # neither a user's mistake nor a defect
    """The machines that an experiment ran on do not answer any more; what is finished stays."""


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
    """Whether this is what becomes of a run when the cluster is lost, which is not the run's fault."""
    # A lost connection is an error of Dask, which need not be installed.
    return isinstance(error, (CancelledError, Unscheduled)) or type(error).__name__ == "CommClosedError"


def in_one_line(error: BaseException) -> str:
    """What an error says, without line ends."""
    return " ".join(str(error).split())


LONGEST_PART = 40  # characters of a folder's name for each setting
SHORT_IDENTITY = 10  # characters of it for what tells runs apart
FIGURES = ("before", "after", "change", "score")  # of each metric; the score of similarities only


@dataclass(frozen=True, eq=False)
class NetworkSpec:
    """A network of a plan."""

    name: str
    network: Network


@dataclass(frozen=True)
class AlgorithmSpec:
    """An algorithm of a plan, with all its settings."""

    name: str  # in the plan
    algorithm: str  # a name in `netveil.search.ALGORITHMS`
    config: str | None  # the preset or file that the settings come from
    settings: Mapping[str, Any]
    time: float | None = None  # seconds after which a search stops; results then depend on the machine


@dataclass(frozen=True)
class AttackerSpec:
    """Whom a plan protects from: one attacker, or several with the same reach and doubts."""

    measures: tuple[str, ...]  # names, or module:function
    distance: int = 1
    fuzzy: str | None = None  # the share by which her numbers may be off: '5%'
    twins: bool = False

    @property
    def name(self) -> str:
        """All that tells her from others."""
        parts = ["+".join(self.measures)]
        if self.distance != 1:
            parts.append(f"d{self.distance}")
        if self.fuzzy is not None:
            parts.append(f"fuzzy{self.fuzzy}")
        if self.twins:
            parts.append("twins")
        return "-".join(parts)


@dataclass(frozen=True, eq=False)
class Task:
    """One run of a plan. It can be pickled, and holds the network itself."""

    network: NetworkSpec
    algorithm: AlgorithmSpec
    budget: str
    attacker: AttackerSpec
    k: int
    seed: int
    metrics: tuple[str, ...] = ()
    version: str = __version__  # of the netveil that planned it: workers must have the same

    @property
    def attackers(self) -> Attackers:
        """Whom the run protects from."""
        given = self.attacker
        return Attackers.of(given.measures, given.distance, given.fuzzy, given.twins, self.k)

    @property
    def settings(self) -> dict[str, Any]:
        """What the run is about, apart from the network's edges and the metrics, as a document."""
        return {
            "network": self.network.name,
            "fingerprint": self.network.network.fingerprint,
            "algorithm": asdict(self.algorithm),
            "budget": self.budget,
            "attacker": {**asdict(self.attacker), "measures": list(self.attacker.measures)},
            "k": self.k,
            "seed": self.seed,
        }

    @cached_property
    def identity(self) -> str:
        """SHA-256 of the settings and the network: the same run has the same one on every machine.

        The metrics are no part of it: the search is the same, whatever is measured afterwards. Nor is the
        version, which the record of a run tells.
        """
        return identity_of(self.settings)

    @property
    def folder(self) -> str:
        """The name of the run's folder: to be read by people, and different for each run."""
        parts = (
            self.network.name,
            self.algorithm.name,
            self.budget.replace("%", "pct"),
            self.attacker.name.replace("%", "pct"),
            f"k{self.k}",
            f"seed{self.seed}",
        )
        readable = (re.sub(r"[^A-Za-z0-9.+]+", "-", part)[:LONGEST_PART].strip("-.") for part in parts)
        return "_".join([*filter(None, readable), self.identity[:SHORT_IDENTITY]])


@dataclass(frozen=True, eq=False)
class TaskResult:
    """What a run found."""

    figures: Mapping[str, Any]  # those of `netveil anonymize --json`, and the metrics
    trace: tuple[Progress, ...]  # how the search went
    deleted_edges: tuple[int, ...]  # their numbers in the network
    is_first: bool = False  # of its worker: its time includes that of loading and compiling

    @property
    def seconds(self) -> float:
        """Time of the whole run, that of measuring utility included."""
        return float(self.figures["run_seconds"])

    @property
    def is_whole(self) -> bool:
        """Whether the search came to its end, rather than to that of somebody's patience."""
        return bool(self.figures["stopped_by"] != "interrupted")


def identity_of(settings: Mapping[str, Any]) -> str:
    """SHA-256 of what a run is about, be it read from its record."""
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()


class VersionError(NetveilError):
    """A worker that has another netveil than the one which planned the work, or none."""


# Execute a task: search, then measure what it cost. The same on every worker, one thread each.


_worker = threading.local()
"""What a worker keeps from one run to the next: the network that it measured last, as it was before; and
that it has run at all, for the first run takes longer."""


def execute(task: Task, control: Control | None = None) -> TaskResult:
    """Run a task; what it returns depends on the task alone, times apart."""
    if task.version != __version__:  # its results would not be like those of the others
        raise VersionError(other_version("this worker", __version__, task.version))
    began = time.perf_counter()
    chosen = task.algorithm
    job = Anonymization(
        measures=task.attackers,
        budget=task.budget,
        algorithm=chosen.algorithm,
        settings=chosen.settings,
        time=chosen.time,
        seed=task.seed,
        threads=1,
    )
    control = Control() if control is None else control
    release = finished(anonymizing(task.network.network, job, control), control.listener)
    interrupted = release.outcome.stopped_by == "interrupted"
    metrics = {} if interrupted else utility(task.network, release.remaining, task.metrics)
    figures = {
        **release.figures(),
        "metrics": metrics,
        "run_seconds": round(time.perf_counter() - began, 3),
    }
    is_first = not getattr(_worker, "has_run", False)
    _worker.has_run = True
    return TaskResult(
        figures,
        tuple(thinned(release.outcome.history, ROWS_OF_HISTORY)),
        tuple(release.outcome.deleted_edges.tolist()),
        is_first,
    )


def other_version(who: str, found: str, wanted: str, doing: str = "the experiment is run") -> str:
    """The sentence on a worker that has another version."""
    return (
        f"{who} has netveil {found}, and {doing} by netveil {wanted}; install the same on both "
        f"(pip install 'netveil=={wanted}') and start the worker again."
    )


def utility(original: NetworkSpec, remaining: Network, metrics: Sequence[str]) -> dict[str, dict[str, Any]]:
    """The asked figures of `netveil.compare`, and no others: what the original needs is computed once."""
    if not metrics:
        return {}
    before = _before(original)
    after = Side(remaining, before.settings, like=before)
    findings = {name: METRICS[name].compare(before, after) for name in metrics}
    return {
        name: {figure: getattr(finding, figure) for figure in FIGURES} for name, finding in findings.items()
    }


def _before(original: NetworkSpec) -> Side:
    """The original as metrics look at it, kept for the next run on the same network."""
    if getattr(_worker, "fingerprint", None) != original.network.fingerprint:
        _worker.side = Side(original.network, MetricSettings())
        _worker.fingerprint = original.network.fingerprint
    side: Side = _worker.side
    return side
