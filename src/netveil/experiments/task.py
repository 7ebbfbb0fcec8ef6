"""A task: one run of a plan, with all that a worker anywhere needs; and the result that comes back."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from netveil._version import __version__
from netveil.anonymity import Attackers
from netveil.errors import NetveilError
from netveil.network import Network
from netveil.search import Progress

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
