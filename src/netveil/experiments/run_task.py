"""Execute a task: search, then measure what it cost. The same on every worker, one thread each."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import Any

from netveil._version import __version__
from netveil.experiments.task import FIGURES, NetworkSpec, Task, TaskResult, VersionError
from netveil.iterate import finished
from netveil.network import Network
from netveil.release.records import ROWS_OF_HISTORY
from netveil.report import thinned
from netveil.search import Control, Request
from netveil.utility import METRICS, MetricSettings, Side
from netveil.workflow import anonymizing

_worker = threading.local()
"""What a worker keeps from one run to the next: the network that it measured last, as it was before; and
that it has run at all, for the first run takes longer."""


def execute(task: Task, control: Control | None = None) -> TaskResult:
    """Run a task; what it returns depends on the task alone, times apart."""
    if task.version != __version__:  # its results would not be like those of the others
        raise VersionError(other_version("this worker", __version__, task.version))
    began = time.perf_counter()
    chosen = task.algorithm
    request = Request(
        attackers=task.attackers,
        budget=task.budget,
        algorithm=chosen.algorithm,
        settings=chosen.settings,
        time=chosen.time,
        seed=task.seed,
        threads=1,
    )
    control = Control() if control is None else control
    release = finished(anonymizing(task.network.network, request, control), control.listener)
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
