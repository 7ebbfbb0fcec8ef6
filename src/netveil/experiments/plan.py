"""A plan: what an experiment is about. Its tasks: networks × algorithms × budgets × attackers × k × seeds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Any

from netveil.anonymity import DEFAULT_MEASURE, MEASURES, attackers_of
from netveil.attributes import NO_ATTRIBUTES
from netveil.errors import unknown_name
from netveil.experiments.task import AlgorithmSpec, AttackerSpec, NetworkSpec, Task
from netveil.network import Network
from netveil.search import ALGORITHMS
from netveil.search.control import checked_time

TaskShare = tuple[int, int]
"""(I, N): of the tasks, every N-th from the I-th on, counted from 1."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What an experiment is about, with its networks loaded; `read_plan` makes one from a file."""

    name: str
    networks: tuple[NetworkSpec, ...]
    algorithms: tuple[AlgorithmSpec, ...]
    budgets: tuple[str, ...] = ("5%",)
    attackers: tuple[AttackerSpec, ...] = (AttackerSpec((DEFAULT_MEASURE,)),)
    k: tuple[int, ...] = (2,)
    seeds: tuple[int, ...] = (1,)
    metrics: tuple[str, ...] = ()  # names in `netveil.utility.METRICS`
    text: str = field(default="", compare=False)  # the file that it was read from, for the record

    def tasks(self, share: TaskShare | None = None) -> list[Task]:
        """All runs in a fixed order, or the share of them that one of several processes takes.

        >>> from netveil import load
        >>> plan = Plan(
        ...     name="small",
        ...     networks=(planned_network("karate", load("karate")),),
        ...     algorithms=(planned_algorithm("es"), planned_algorithm("ga", config="conf1")),
        ...     seeds=(1, 2),
        ... )
        >>> [(task.algorithm.name, task.seed) for task in plan.tasks()]
        [('es', 1), ('es', 2), ('ga-conf1', 1), ('ga-conf1', 2)]
        >>> [task.seed for task in plan.tasks(share=(2, 2))]
        [2, 2]
        """
        networks = self.networks if self._looks_at_labels else tuple(map(_unlabelled, self.networks))
        whole = product(networks, self.algorithms, self.budgets, self.attackers, self.k, self.seeds)
        first, step = (1, 1) if share is None else share
        return [Task(*settings, self.metrics) for settings in whole][first - 1 :: step]

    @property
    def _looks_at_labels(self) -> bool:
        """Whether an attacker is a user's function, which may do so."""
        return any(name not in MEASURES for attacker in self.attackers for name in attacker.measures)


def planned_network(name: str, network: Network) -> NetworkSpec:
    """A network under the name that it has in a plan, without the ties that tell how its file was read."""
    return NetworkSpec(name, replace(network, name=name, reading=None))


def planned_algorithm(
    algorithm: str,
    *,
    name: str | None = None,
    config: str | Path | None = None,
    settings: Mapping[str, Any] | None = None,
    time: float | None = None,
) -> AlgorithmSpec:
    """An algorithm with all its settings known, so that no file is needed where it runs.

    `config` is a preset or a TOML file, `settings` are single values which win over it. The name is the
    algorithm's and, if there is one, the configuration's, unless it is given.
    """
    if algorithm not in ALGORITHMS:
        raise unknown_name("algorithm", algorithm, ALGORITHMS)
    chosen = ALGORITHMS[algorithm].settings(config, settings or {})
    own_name = algorithm if config is None else f"{algorithm}-{Path(config).stem}"
    return AlgorithmSpec(
        name=own_name if name is None else name,
        algorithm=algorithm,
        config=None if config is None else Path(config).name,
        settings=asdict(chosen),
        time=None if time is None else float(checked_time(time)),
    )


def planned_attacker(
    *measures: str, distance: int = 1, fuzzy: str | None = None, twins: bool = False
) -> AttackerSpec:
    """An attacker, or several who all have the same reach and doubts, checked."""
    attackers_of(measures, distance, fuzzy, twins)
    return AttackerSpec(measures, distance, fuzzy, twins)


def _unlabelled(spec: NetworkSpec) -> NetworkSpec:
    """The network with numbers for labels, and nothing else that tells of people: workers need none of it."""
    numbers = range(spec.network.node_count)
    return NetworkSpec(
        spec.name, replace(spec.network, labels=numbers, reading=None, attributes=NO_ATTRIBUTES)
    )
