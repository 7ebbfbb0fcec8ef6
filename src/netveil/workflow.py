"""The one workflow, whoever calls it: the command line, `netveil.anonymize` and `save`, experiments.

    read → measure → search → baselines → compare → audit → record → folder

`anonymizing` measures, searches and returns a release; `publish` finds out what its report shows, and writes
its folder. Everything that takes long is a generator underneath: it tells how far it has come.
"""

from __future__ import annotations

import secrets
from collections.abc import Generator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from numbers import Real
from pathlib import Path
from typing import Any

from netveil.anonymity import Attackers
from netveil.cores import available_cores
from netveil.errors import SettingError
from netveil.files import Protect, protected_edges
from netveil.kernels.arrays import IntVector
from netveil.network import Network
from netveil.release.folder import ReleaseFolder
from netveil.release.gather import Around, gather
from netveil.release.release import Release
from netveil.report import Evidence
from netveil.search import DEFAULT_ALGORITHM, Control, Progress, check_effort, searching
from netveil.share import Share


@dataclass(frozen=True, kw_only=True)
class Request:
    """What is asked of a search; `netveil.anonymize` explains each."""

    attackers: Attackers
    budget: str | int | float | None = None
    target: Share | None = None
    algorithm: str = DEFAULT_ALGORITHM
    config: str | Path | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    seed: int | None = None
    time: float | None = None
    effort: float | None = None
    threads: int | None = None
    keep: Mapping[str, Share] | None = None
    protect: Protect | None = None
    curve: bool = False
    keep_labels: bool = False
    start: IntVector | None = None


def anonymizing(network: Network, request: Request, control: Control) -> Generator[Progress, None, Release]:
    """Search for edges to delete; yields how far the search has come, and returns the release."""
    if request.time is not None:
        if not isinstance(request.time, Real) or not request.time > 0:
            raise SettingError(
                f"time {request.time}: give the seconds that the search may take, more than 0."
            )
        control.time_limit = request.time
    changes = dict(request.settings)
    if request.effort is not None:
        check_effort(request.algorithm, changes)
        changes["effort"] = request.effort
    outcome = yield from searching(
        network,
        request.attackers,
        budget=request.budget,
        algorithm=request.algorithm,
        config=request.config,
        changes=changes,
        seed=secrets.randbits(32) if request.seed is None else request.seed,
        threads=available_cores() if request.threads is None else request.threads,
        start=request.start,
        keep=request.keep,
        protected=None if request.protect is None else protected_edges(network, request.protect),
        target=request.target,
        curve=request.curve,
        control=control,
    )
    return Release(network, outcome, request.keep_labels)


def publish(
    release: Release,
    folder: ReleaseFolder,
    extension: str = "txt",
    *,
    command: str = "",
    utility: bool = True,
    audit: bool = True,
    baselines: bool = True,
    threads: int | None = None,
    around: Around = lambda part: nullcontext(),
) -> Evidence:
    """Find out what the report of a release shows, and write its folder.

    `extension` is that of the published network, `command` what made the release; `around` hears how far it
    has come. Returns what was found out: parts that were not wanted, or interrupted, are missing.
    """
    evidence = gather(
        release, utility=utility, audit=audit, baselines=baselines, threads=threads, around=around
    )
    folder.save(release, extension, evidence, command)
    return evidence
