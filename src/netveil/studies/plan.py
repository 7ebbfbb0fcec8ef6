"""Plans of experiments: networks × algorithms × budgets × attackers × k × seeds, from Python or a TOML file.

Synthetic networks, if a plan asks for any: networks × k of these × seeds.

`read_plan` checks a whole file before anything runs, and tells the mistakes of all entries at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeVar, get_type_hints

import msgspec

from netveil.anonymity import DEFAULT_MEASURE, attackers_of, checked_k, find_measure
from netveil.anonymity.measure import OwnMeasure
from netveil.attributes import NO_ATTRIBUTES
from netveil.errors import FileError, NetveilError, SettingError, is_whole, option, unknown_name
from netveil.files import ReadAs
from netveil.job import Anonymization, Synthesis
from netveil.network import Network
from netveil.opening import open_network
from netveil.search import ALGORITHMS
from netveil.search.algorithm import Algorithm, toml_values
from netveil.search.budget import budget_in_edges, parsed_budget
from netveil.studies.generators import generate
from netveil.studies.task import SYNTHETIC, Task, attacker_name
from netveil.synthetic import check_k
from netveil.utility import METRICS

TaskShare = tuple[int, int]
"""(I, N): of the tasks, every N-th from the I-th on, counted from 1."""
Options = Mapping[str, Any]
"""Options of a job by their names."""


class PlannedAlgorithm(NamedTuple):
    """An algorithm of a plan: a job for it, with all its settings."""

    name: str
    config: str | None  # the preset or file that the settings come from
    job: Anonymization


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Runs of an experiment, with its networks loaded; `read_plan` makes one from a file."""

    name: str
    networks: tuple[Network, ...]  # each under its name in the plan: `planned_network`
    algorithms: tuple[PlannedAlgorithm, ...] = ()
    budgets: tuple[str, ...] = ("5%",)
    attackers: tuple[Options, ...] = field(default_factory=lambda: (planned_attacker(DEFAULT_MEASURE),))
    k: tuple[int, ...] = (2,)
    synthetic: tuple[int, ...] = ()  # k of synthetic networks
    seeds: tuple[int, ...] = (1,)
    metrics: tuple[str, ...] = ()  # names in `netveil.utility.METRICS`
    text: str = field(default="", compare=False)  # the file that it was read from, for the record

    def tasks(self, share: TaskShare | None = None) -> list[Task]:
        """Runs in a fixed order, or the share of them that one of several processes takes.

        Networks travel with numbers for labels and without attributes, unless an attacker is a user's
        function, which may look at them.

        >>> from netveil import load
        >>> plan = Plan(
        ...     name="small",
        ...     networks=(planned_network("karate", load("karate")),),
        ...     algorithms=(planned_algorithm("es"), planned_algorithm("ga", config="conf1")),
        ...     seeds=(1, 2),
        ... )
        >>> [(task.algorithm, task.job.seed) for task in plan.tasks()]
        [('es', 1), ('es', 2), ('ga-conf1', 1), ('ga-conf1', 2)]
        >>> [task.job.seed for task in plan.tasks(share=(2, 2))]
        [2, 2]
        """
        networks = self.networks
        measures = [find_measure(name) for attacker in self.attackers for name in attacker["measures"]]
        if not any(isinstance(measure, OwnMeasure) for measure in measures):
            networks = tuple(
                replace(each, labels=range(each.node_count), reading=None, attributes=NO_ATTRIBUTES)
                for each in networks
            )
        settings = (networks, self.algorithms, self.budgets, self.attackers, self.k, self.seeds)
        tasks = [
            Task(network, name, config, replace(job, **attacker, budget=budget, k=k, seed=seed), self.metrics)
            for network, (name, config, job), budget, attacker, k, seed in product(*settings)
        ]
        for network, k, seed in product(networks, self.synthetic, self.seeds):
            tasks.append(Task(network, SYNTHETIC, None, Synthesis(k=k, seed=seed), self.metrics))
        first, step = (1, 1) if share is None else share
        return tasks[first - 1 :: step]


def planned_network(name: str, network: Network) -> Network:
    """A network under its name in a plan, without the edges that show how its file was read."""
    return replace(network, name=name, reading=None)


def planned_algorithm(
    algorithm: str | Algorithm,
    *,
    name: str | None = None,
    config: str | Path | None = None,
    settings: Mapping[str, Any] | None = None,
    time: float | None = None,
    **others: Any,
) -> PlannedAlgorithm:
    """An algorithm with all its settings known, so that no file is needed where it runs.

    `config` is a preset or a TOML file, `settings` are single values which win over it, `others` further
    options of the job. The name is the algorithm's and, if there is one, the configuration's, unless it is
    given.
    """
    algorithm = ALGORITHMS.named(algorithm)
    Anonymization(algorithm=algorithm, config=config, time=time, **others).check()
    chosen = asdict(ALGORITHMS[algorithm].settings(config, settings or {}))
    limit = None if time is None else float(time)
    job = Anonymization(algorithm=algorithm, settings=chosen, time=limit, threads=1, **others)
    own_name = algorithm if config is None else f"{algorithm}-{Path(config).stem}"
    return PlannedAlgorithm(name or own_name, None if config is None else Path(config).name, job)


def planned_attacker(
    *measures: str, distance: int = 1, fuzzy: str | None = None, twins: bool = False
) -> Options:
    """An attacker, or several with the same distance, fuzziness and twins, checked."""
    attackers_of(measures, distance, fuzzy, twins)
    return {"measures": measures, "distance": distance, "fuzzy": fuzzy, "twins": twins}


# A plan from a TOML file.


Name = Annotated[str, msgspec.Meta(pattern=r"\S")]
Types = Mapping[str, Any]
"""Keys of a table, and the type of each value as `msgspec.convert` takes it."""


def option_types(table: str) -> Types:
    """Options of a job that a table of a plan may hold: the plan's name of each, and its type."""
    hints = get_type_hints(Anonymization)
    return {
        each.argument: hints[name] for name, each in Anonymization.declared().items() if each.in_plan == table
    }


READING: Types = {**get_type_hints(ReadAs), "columns": str | list, "persons": str}
"""How to read a file: the options of the command line."""
NETWORK: Types = {"name": Name, "network": Name, **READING, "generate": dict[str, Any]}
DEFAULTS: Options = {
    "networks": (),
    "algorithms": (),
    "budgets": "5%",
    "measures": DEFAULT_MEASURE,
    "k": 2,
    "synthetic": (),
    "seeds": 1,
    "metrics": (),
}
PLAN: Types = {"name": Name, **dict.fromkeys(DEFAULTS, Any)}
EXAMPLE = 'networks = ["demo"] and algorithms = ["ga", "uga"]'
MOST_SEEDS = 1_000_000
SEED = Annotated[int, msgspec.Meta(ge=0)]

Value = TypeVar("Value")


class PlanError(FileError):
    """A plan that cannot be run. `problems` are sentences, one for each mistake."""

    longest = 20_000

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__(" ".join(problems))
        self.problems = tuple(problems)

    def __reduce__(self) -> tuple[type[PlanError], tuple[tuple[str, ...]]]:
        """Pickled by its problems."""
        return PlanError, (self.problems,)


def read_plan(path: str | Path, seeds: int | None = None) -> Plan:
    """The plan in a TOML file, its networks loaded; `seeds` replaces those of the file by 1 to `seeds`.

    Files in it are relative to its folder. PlanError if anything is wrong with it.
    """
    file = Path(path)
    document = toml_values(file, "there is no such file", EXAMPLE)
    if seeds is not None:
        check_count_of_seeds(seeds)
        document["seeds"] = seeds
    reader = _PlanReader(file, document)
    plan = reader.plan()
    if reader.problems:
        raise PlanError(reader.problems)
    return replace(plan, text=file.read_text(encoding="utf-8-sig"))


def check_count_of_seeds(seeds: int) -> None:
    """Raise unless this is a possible number of seeds."""
    if not is_whole(seeds) or not 1 <= seeds <= MOST_SEEDS:
        raise SettingError(f"{option('seeds', seeds)}: give how many, between 1 and {MOST_SEEDS:,}.")


class _PlanReader:
    """Reads the keys of a document; mistakes are noted, one an entry, and what cannot be read is left out."""

    def __init__(self, file: Path, document: Options) -> None:
        self.file, self.document = file, {**DEFAULTS, **document}
        self.problems: list[str] = []

    @contextmanager
    def noting(self, place: str = "") -> Iterator[None]:
        """Note an error that is raised inside, with its place in the file, and go on."""
        try:
            yield
        except NetveilError as error:
            where = f"{self.file}, {place}" if place else str(self.file)
            message = error.message.replace("\n", " ")
            self.problems.append(f"{where}: {message}")

    def plan(self) -> Plan:
        """The plan as far as it can be read."""
        given = self.document
        with self.noting():
            _typed(PLAN, given)
            if given["networks"] == () or given["algorithms"] == given["synthetic"] == ():
                raise SettingError(f"a plan needs networks and algorithms, such as {EXAMPLE}.")
        with self.noting("seeds"):
            if not isinstance(given["seeds"], list):
                check_count_of_seeds(given["seeds"])
                given["seeds"] = range(1, given["seeds"] + 1)
        if given["metrics"] in ("all", []):
            given["metrics"] = tuple(METRICS) if given["metrics"] else ()
        networks = self._each("networks", self._network, lambda network: network.name)

        def budget(given: Any) -> str:
            parsed_budget(given)
            for network in networks:
                budget_in_edges(given, network.edge_count)
            return str(given).strip()

        def class_size(given: Any, check: Callable[[int, int], object] = checked_k) -> int:
            size: int = _value("k", given, Annotated[int, msgspec.Meta(ge=2)])
            for network in networks:
                check(size, network.node_count)
            return size

        return Plan(
            name=given.get("name", self.file.stem),
            networks=networks,
            algorithms=self._each("algorithms", self._algorithm, lambda algorithm: algorithm.name),
            budgets=self._each("budgets", budget, parsed_budget),
            attackers=self._each("measures", _attacker, lambda attacker: attacker_name(**attacker)),
            k=self._each("k", class_size),
            synthetic=self._each("synthetic", lambda given: class_size(given, check_k)),
            seeds=self._each("seeds", lambda given: _value("seed", given, SEED)),
            metrics=self._each("metrics", METRICS.named),
        )

    def _each(
        self, key: str, read: Callable[[Any], Value], same: Callable[[Value], object] = lambda value: value
    ) -> tuple[Value, ...]:
        """Values of a list, or a single one; no two may be the `same`."""
        given = self.document[key]
        entries = given if isinstance(given, Sequence) and not isinstance(given, str) else [given]
        values: dict[object, Value] = {}
        for number, entry in enumerate(entries, start=1):
            with self.noting(f"{key}, entry {number}" if len(entries) > 1 else key):
                value = read(entry)
                if same(value) in values:
                    raise SettingError(f"{same(value)} is there already; give each once, or another name.")
                values[same(value)] = value
        with self.noting(key):
            if given == []:
                raise SettingError("the list is empty; give one or more, or leave it out.")
        return tuple(values.values())

    def _algorithm(self, given: Any) -> PlannedAlgorithm:
        """An algorithm: its name, or a table."""
        table = _table(given, "algorithm", {"name": Name, **option_types("algorithms")})
        algorithm = ALGORITHMS.named(table["algorithm"])
        config = table.get("config")
        if isinstance(config, str) and config not in ALGORITHMS[algorithm].presets:
            table["config"] = self.file.parent / config
        return planned_algorithm(**table)

    def _network(self, given: Any) -> Network:
        """A network: a text, or a table with `network` or `generate`, and perhaps a name."""
        table = _table(given, "network", NETWORK, "name" if isinstance(given, Mapping) else "network")
        read_as = {name: value for name, value in table.items() if name in READING}
        if "generate" not in table:
            source = table.get("network", table.get("name"))
            folder = self.file.parent
            network = open_network(source, ReadAs(**read_as), original=True, folder=folder, download=True)
        elif read_as or "network" in table:
            raise SettingError(
                "a network is either generated or read; leave out generate, or the other keys."
            )
        else:
            network = generate(table["generate"])
        return planned_network(table.get("name", network.name), network)


def _table(given: Any, kind: str, types: Types, needed: str = "") -> dict[str, Any]:
    """An entry as a table whose most important key is `kind`, for which a text or list may stand."""
    table = {kind: given} if isinstance(given, str | list) else given
    if not isinstance(table, Mapping):
        raise SettingError(f"{kind} {given!r}: give a name, or a table such as {{{kind} = ...}}.")
    if not table.keys() & {kind, needed}:
        raise SettingError(f"this {kind} has no key {needed or kind}; add it.")
    return _typed(types, table)


def _typed(types: Types, table: Options) -> dict[str, Any]:
    """Values of a table, each of the type of its key."""
    if unknown := table.keys() - types.keys():
        raise unknown_name("key", min(unknown), types)
    return {key: _value(key, value, types[key]) for key, value in table.items()}


def _value(key: str, given: Any, kind: Any) -> Any:
    """A value as this type has it; SettingError if it cannot be."""
    try:
        return msgspec.convert(given, kind)
    except msgspec.ValidationError as error:
        raise SettingError(f"{key} = {given!r}: {error}.") from None


def _attacker(given: Any) -> Options:
    """An attacker: a measure, a list of them, or a table."""
    table = _table(given, "measure", {**option_types("measures"), "measure": str | list[str]})
    measures = table.pop("measure")
    if "fuzzy" in table:
        table["fuzzy"] = str(table["fuzzy"])
    return planned_attacker(*([measures] if isinstance(measures, str) else measures), **table)
