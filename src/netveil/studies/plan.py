"""Plans of experiments: networks × algorithms × budgets × attackers × k × seeds, from Python or a TOML file.

Synthetic networks, if a plan asks for any: networks × k of these × seeds.

`read_plan` checks a whole file before anything runs: all mistakes are told at once, each with its line.
"""

from __future__ import annotations

import os
import re
import tomllib
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_type_hints

import msgspec

from netveil.anonymity import DEFAULT_MEASURE, attackers_of, checked_k, find_measure
from netveil.anonymity.own import OwnMeasure
from netveil.attributes import NO_ATTRIBUTES
from netveil.errors import FileError, NetveilError, SettingError, is_whole, option, unknown_name
from netveil.files import FORMATS, ReadAs, format_of
from netveil.files.storage import load_file
from netveil.job import Anonymization, Job, Kind
from netveil.network import Network
from netveil.opening import open_network
from netveil.search import ALGORITHMS
from netveil.search.algorithm import Algorithm
from netveil.search.budget import budget_in_edges, parsed_budget, tell_if_ambiguous
from netveil.studies.generators import GenerateError, generate
from netveil.studies.task import SYNTHETIC, AlgorithmSpec, AttackerSpec, Task
from netveil.synthetic import check_k
from netveil.utility import METRICS

TaskShare = tuple[int, int]
"""(I, N): of the tasks, every N-th from the I-th on, counted from 1."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Runs of an experiment, with its networks loaded; `read_plan` makes one from a file."""

    name: str
    networks: tuple[Network, ...]  # each under its name in the plan: `planned_network`
    algorithms: tuple[AlgorithmSpec, ...] = ()
    budgets: tuple[str, ...] = ("5%",)
    attackers: tuple[AttackerSpec, ...] = (AttackerSpec((DEFAULT_MEASURE,), 1, None, False),)
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
        >>> [(task.algorithm.name, task.seed) for task in plan.tasks()]
        [('es', 1), ('es', 2), ('ga-conf1', 1), ('ga-conf1', 2)]
        >>> [task.seed for task in plan.tasks(share=(2, 2))]
        [2, 2]
        """
        networks = self.networks
        measures = [find_measure(name) for attacker in self.attackers for name in attacker.measures]
        if not any(isinstance(measure, OwnMeasure) for measure in measures):
            networks = tuple(
                replace(each, labels=range(each.node_count), reading=None, attributes=NO_ATTRIBUTES)
                for each in networks
            )
        deleting = product(networks, self.algorithms, self.budgets, self.attackers, self.k, self.seeds)
        drawing = product(networks, (SYNTHETIC,), (None,), (None,), self.synthetic, self.seeds)
        first, step = (1, 1) if share is None else share
        return [Task(*settings, self.metrics) for settings in (*deleting, *drawing)][first - 1 :: step]


def planned_network(name: str, network: Network) -> Network:
    """A network under its name in a plan, without the edges that show how its file was read."""
    return replace(network, name=name, reading=None)


# Options of an anonymization, as plans give them: keys with their types, values checked one by one.


Name = Annotated[str, msgspec.Meta(pattern=r"\S")]
Types = Mapping[str, Any]
"""Keys of a table, and the type of each value as `msgspec.convert` takes it."""

TYPES: dict[Kind, Any] = {
    "flag": bool,
    "whole": int,
    "number": float,
    "share": str | int | float,
    "text": str,
    "names": str | list[str],
    "pairs": dict[str, Any],
}


def option_types(table: str, kind: type[Job] = Anonymization) -> Types:
    """Options of a job that a table of a plan may hold: the plan's name of each, and its type."""
    return {
        each.argument: TYPES[each.kind] for each in kind.declared().values() if each.about.in_plan == table
    }


ALGORITHM: Types = {"name": Name, **option_types("algorithms")}
ATTACKER: Types = option_types("measures")


def planned_algorithm(
    algorithm: str | Algorithm,
    *,
    name: str | None = None,
    config: str | Path | None = None,
    settings: Mapping[str, Any] | None = None,
    time: float | None = None,
    **others: Any,
) -> AlgorithmSpec:
    """An algorithm with all its settings known, so that no file is needed where it runs.

    `config` is a preset or a TOML file, `settings` are single values which win over it, `others` further
    options of the job. The name is the algorithm's and, if there is one, the configuration's, unless it is
    given.
    """
    algorithm = ALGORITHMS.named(algorithm)
    Anonymization(algorithm=algorithm, time=time, **others).check()
    own_name = algorithm if config is None else f"{algorithm}-{Path(config).stem}"
    return AlgorithmSpec(
        name=own_name if name is None else name,
        algorithm=algorithm,
        config=None if config is None else Path(config).name,
        settings=asdict(ALGORITHMS[algorithm].settings(config, settings or {})),
        time=None if time is None else float(time),
        others=others,
    )


def planned_attacker(
    *measures: str, distance: int = 1, fuzzy: str | None = None, twins: bool = False
) -> AttackerSpec:
    """An attacker, or several with the same distance, fuzziness and twins, checked."""
    attackers_of(measures, distance, fuzzy, twins)
    return AttackerSpec(measures, distance, fuzzy, twins)


def _budget(given: Any) -> str:
    """A budget as text; whether it fits each network is checked later."""
    parsed_budget(given)
    return str(given).strip()


def _class_size(given: Any) -> int:
    """A k of 2 or more; whether it fits each network is checked later."""
    if not is_whole(given):
        raise SettingError(f"k = {given!r}: give a whole number, 2 or more.")
    return checked_k(int(given), nodes=max(2, int(given)))


def _seed(given: Any) -> int:
    if not is_whole(given) or given < 0:
        raise SettingError(f"seed {given!r}: give a whole number, 0 or more.")
    return int(given)


# Mistakes in a plan, each with its line.


class PlanError(FileError):
    """A plan that cannot be run. `problems` are sentences, one for each mistake."""

    longest = 20_000

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__(" ".join(problems))
        self.problems = tuple(problems)

    def __reduce__(self) -> tuple[type[PlanError], tuple[tuple[str, ...]]]:
        """Pickled by its problems."""
        return PlanError, (self.problems,)


TomlPath = tuple[str | int, ...]
"""Keys and places in lists that lead to a value: ("networks", 2, "name") is the name of the third network."""

_CLOSINGS = tuple(quotes + "]" * depth for depth in range(6) for quotes in ("", '"""', "'''"))


def line_of(path: TomlPath, text: str) -> int:
    """Line, from 1, on which a key or a value of a list begins in a TOML document; `tomllib` does not tell.

    It is the first line up to which the document holds that value. Only lists and long texts go over several
    lines: what is open after a line can be closed.

    >>> line_of(("networks", 1, "name"), "seeds = 3\\nnetworks = [\\n  'demo',\\n  {name = 'b'},\\n]\\n")
    4
    """
    lines = text.split("\n")
    counts = range(1, len(lines))
    return 1 + bisect_left(counts, True, key=lambda count: _holds("\n".join(lines[:count]), path))


def _holds(text: str, path: TomlPath) -> bool:
    """Whether the beginning of a document has a value at this path."""
    for closing in _CLOSINGS:
        with suppress(ValueError):  # of tomllib: something else is open
            value: Any = tomllib.loads(f"{text}\n{closing}")
            try:
                for key in path:
                    value = value[key]
            except (LookupError, TypeError):
                return False
            return True
    return False


# A plan from a TOML file.


READING: Types = {**get_type_hints(ReadAs), "columns": str | list, "persons": str}
"""How to read a file: the options of the command line."""
NETWORK: Types = {"name": Name, "network": Name, **READING, "generate": dict[str, Any]}
KEYS = ("name", "networks", "algorithms", "budgets", "measures", "k", "synthetic", "seeds", "metrics")
NEEDED = {"networks": 'networks = ["demo"]', "algorithms": 'algorithms = ["ga", "uga"]'}
MOST_SEEDS = 1_000_000
LARGEST_NUMBER = 2**63 - 1  # that every reader of TOML must know

_TOO_LARGE = f"this number is too large; numbers are between -{LARGEST_NUMBER} and {LARGEST_NUMBER}."
_WORDS = {"str": "a text", "bool": "true or false", "object": "a table", "array": "a list"}

Value = TypeVar("Value")


def read_plan(path: str | Path, seeds: int | None = None) -> Plan:
    """The plan in a TOML file, its networks loaded; `seeds` replaces those of the file by 1 to `seeds`.

    Files in it are relative to its folder. PlanError if anything is wrong with it.
    """
    file = str(path)
    if seeds is not None:
        check_count_of_seeds(seeds)
    try:
        text = load_file(file).decode("utf-8-sig")  # some editors begin a file with a mark
        document = tomllib.loads(text)
    except UnicodeDecodeError:
        raise FileError(f"{file} is not a text file. Give a plan in TOML.") from None
    except tomllib.TOMLDecodeError as error:
        what, _, place = str(error).partition(" (at ")
        found = re.match(r"line (\d+)", place)
        line = int(found[1]) if found else max(1, len(text.splitlines()))
        raise PlanError([f"{file}, line {line}: not TOML: {what}."]) from None
    except RecursionError:
        raise FileError(f"{file}: brackets in brackets, far too many. Give a plan in TOML.") from None
    except ValueError:  # Python does not read a number of thousands of digits
        digits = re.search(r"\d[\d_]{999}", text)
        line = text.count("\n", 0, digits.start() if digits else 0) + 1
        raise PlanError([f"{file}, line {line}: {_TOO_LARGE}"]) from None
    reader = _PlanReader(file, text, document)
    for place_of_it in _too_large(document):
        reader.note(place_of_it, _TOO_LARGE)
    reader.check()
    if seeds is not None:
        document["seeds"] = seeds
    plan = reader.plan()
    reader.check()
    for budget in plan.budgets:
        tell_if_ambiguous(budget)
    return plan


def check_count_of_seeds(seeds: int) -> None:
    """Raise unless this is a possible number of seeds."""
    if not is_whole(seeds) or not 1 <= seeds <= MOST_SEEDS:
        raise SettingError(f"{option('seeds', seeds)}: give how many, between 1 and {MOST_SEEDS:,}.")


class _PlanReader:
    """Reads the keys of a document; mistakes are noted, and what cannot be read is left out."""

    def __init__(self, file: str, text: str, document: Mapping[str, Any]) -> None:
        self.file, self.text, self.document = file, text, document
        self.folder = Path(file).parent  # where files are looked for
        self.problems: list[tuple[int, str]] = []  # lines and sentences

    def note(self, path: TomlPath, message: object) -> None:
        """Note a mistake in the value at this path, or in the table that should hold it."""
        while path and not _holds(self.text, path):
            path = path[:-1]
        line = line_of(path, self.text) if path else 1
        self.problems.append((line, " ".join(str(message).split())))

    @contextmanager
    def noting(self, path: TomlPath) -> Iterator[None]:
        """Note an error that is raised inside, and go on."""
        try:
            yield
        except NetveilError as error:
            self.note(path, error)

    def check(self) -> None:
        """Raise if there are mistakes, in the order of their lines."""
        if self.problems:
            in_order = sorted(self.problems, key=lambda problem: problem[0])
            raise PlanError([f"{self.file}, line {line}: {message}" for line, message in in_order])

    def plan(self) -> Plan:
        """The plan as far as it can be read."""
        known = self._typed({"name": Name, **dict.fromkeys(KEYS[1:], Any)}, self.document, ())
        for key, example in NEEDED.items():
            if key not in self.document and not (key == "algorithms" and "synthetic" in self.document):
                self.note((), f"the plan has no {key}; add a line such as {example}")
        networks = self._each("networks", [], self._network, lambda network: network.name)
        algorithms = self._each("algorithms", [], self._algorithm, lambda algorithm: algorithm.name)
        attackers = self._each("measures", [DEFAULT_MEASURE], self._attacker, lambda attacker: attacker.name)
        budgets = self._each("budgets", ["5%"], lambda given, path: _budget(given), parsed_budget)
        sizes = self._each("k", [2], lambda given, path: _class_size(given), int)
        synthetic = self._each("synthetic", [], lambda given, path: _class_size(given), int)
        self._check_fit(budgets, networks, lambda given, on: budget_in_edges(given, on.edge_count))
        self._check_fit(sizes, networks, lambda given, on: checked_k(given, on.node_count))
        self._check_fit(synthetic, networks, lambda given, on: check_k(given, on.node_count))
        return Plan(
            name=known.get("name", Path(self.file).stem),
            networks=tuple(networks.values()),
            algorithms=tuple(algorithms.values()),
            budgets=tuple(budgets.values()),
            attackers=tuple(attackers.values()),
            k=tuple(sizes.values()),
            synthetic=tuple(synthetic.values()),
            seeds=self._seeds(),
            metrics=self._metrics(),
            text=self.text,
        )

    def _each(
        self,
        key: str,
        default: list[Any],
        read: Callable[[Any, TomlPath], Value | None],
        same: Callable[[Value], object],
    ) -> dict[TomlPath, Value]:
        """Values of a list, or a single one, by their paths; no two may be the `same`."""
        given = self.document.get(key, default)
        entries: dict[TomlPath, Any] = {(key,): given}
        if isinstance(given, list):
            entries = {(key, number): value for number, value in enumerate(given)}
            if not given and key in self.document:
                self.note((key,), f"{key} is empty; give one or more, or leave it out.")
        values: dict[TomlPath, Value] = {}
        seen: set[object] = set()
        for path, entry in entries.items():
            with self.noting(path):
                value = read(entry, path)
                if value is None:
                    continue
                if (mark := same(value)) in seen:
                    shown = f"'{mark}'" if isinstance(mark, str) else value
                    raise SettingError(f"{key}: {shown} is there already; give each once, or another name.")
                seen.add(mark)
                values[path] = value
        return values

    def _typed(self, types: Types, table: Mapping[str, Any], path: TomlPath) -> dict[str, Any]:
        """Values of a table that have the type of their key."""
        right = {}
        for key, value in table.items():
            try:
                if key not in types:
                    raise unknown_name("key", key, types)
                right[key] = msgspec.convert(value, types[key])
            except SettingError as error:
                self.note((*path, key), error)
            except msgspec.ValidationError as error:
                self.note((*path, key), f"{key} = {value!r}: {_rule(error)}")
        return right

    def _entry(self, given: Any, kind: str, types: Types, path: TomlPath) -> dict[str, Any]:
        """Right values of an entry whose most important key is `kind`, for which a text or list may stand."""
        table = {kind: given} if isinstance(given, str | list) else given
        if not isinstance(table, Mapping):
            raise SettingError(f"{kind} {given!r}: give a name, or a table such as {{{kind} = ...}}.")
        if kind not in table:
            self.note(path, f"this {kind} has no key {kind}; add it.")
        return self._typed(types, table, path)

    def _algorithm(self, given: Any, path: TomlPath) -> AlgorithmSpec | None:
        """An algorithm: its name, or a table."""
        before = len(self.problems)
        table = self._entry(given, "algorithm", ALGORITHM, path)
        algorithm = table.get("algorithm")
        if "time" in table:
            with self.noting((*path, "time")):
                planned_algorithm("es", time=table["time"])
        found = None
        with self.noting((*path, "algorithm")):
            found = None if algorithm is None else ALGORITHMS[ALGORITHMS.named(algorithm)]
        if algorithm is not None and found is not None:
            if "config" in table and table["config"] not in found.presets:
                table["config"] = self.folder / table["config"]
            with self.noting((*path, "config")):
                planned_algorithm(algorithm, config=table.get("config"))
            for name, value in table.get("settings", {}).items():
                with self.noting((*path, "settings", name)):
                    planned_algorithm(algorithm, settings={name: value})
        return None if len(self.problems) > before else planned_algorithm(**table)

    def _attacker(self, given: Any, path: TomlPath) -> AttackerSpec | None:
        """An attacker: a measure, a list of them, or a table."""
        before = len(self.problems)
        table = self._entry(given, "measure", ATTACKER, path)
        measures = table.pop("measure", [])
        measures = [measures] if isinstance(measures, str) else measures
        if "fuzzy" in table:
            table["fuzzy"] = str(table["fuzzy"])
        checks: list[tuple[str, list[str], dict[str, Any]]] = [("measure", [each], {}) for each in measures]
        checks += [(key, [DEFAULT_MEASURE], {key: value}) for key, value in table.items()]
        for key, names, options in checks:
            with self.noting((*path, key)):
                planned_attacker(*names, **options)
        return None if len(self.problems) > before else planned_attacker(*measures, **table)

    def _network(self, given: Any, path: TomlPath) -> Network | None:
        """A network: a text, or a table with `network` or `generate`, and perhaps a name."""
        table = {"network": given} if isinstance(given, str) else given
        if not isinstance(table, Mapping):
            raise SettingError(
                f"network {given!r}: give a file, a name, or a table such as {{name = ..., generate = ...}}."
            )
        before = len(self.problems)
        right = self._typed(NETWORK, table, path)
        with self.noting((*path, "format")):
            FORMATS.named(right.get("format", "edge-list"))
        key = "network" if "network" in table else "name"
        network = None
        if "generate" in table:
            if "name" not in table:
                self.note(path, "a generated network needs a name; add name = ... beside generate.")
            if {"network", *READING} & table.keys():
                other = "leave out generate, or the other keys."
                self.note(path, f"a network is either generated or read; {other}")
            network = self._generated(right.get("generate"), (*path, "generate"))
        elif key not in table:
            self.note(path, "this network has neither a name, nor network nor generate; add one.")
        elif len(self.problems) == before:
            with self.noting((*path, key)):
                asked = ReadAs(**{option: right[option] for option in READING if option in right})
                network = _loaded(right[key], self.folder, asked)
        if network is None or len(self.problems) > before:
            return None
        return planned_network(right.get("name", network.name), network)

    def _generated(self, settings: dict[str, Any] | None, path: TomlPath) -> Network | None:
        """A simulated network, if the settings allow it."""
        if settings is not None:
            with self.noting(path):
                try:
                    return generate(settings)
                except GenerateError as error:
                    for key, problem in error.problems.items():
                        self.note((*path, key), problem)
        return None

    def _seeds(self) -> tuple[int, ...]:
        given = self.document.get("seeds", 1)
        if isinstance(given, list):
            return tuple(self._each("seeds", [], lambda each, path: _seed(each), int).values())
        if is_whole(given) and 1 <= given <= MOST_SEEDS:
            return tuple(range(1, given + 1))
        rule = "give how many, 1 or more, or a list of whole numbers from 0."
        self.note(("seeds",), f"seeds = {given!r}: {rule}")
        return ()

    def _metrics(self) -> tuple[str, ...]:
        given = self.document.get("metrics", [])
        if given in ("all", ["all"]):
            return tuple(METRICS)
        return () if given == [] else tuple(self._each("metrics", [], _metric, str).values())

    def _check_fit(
        self,
        values: Mapping[TomlPath, Value],
        networks: Mapping[TomlPath, Network],
        check: Callable[[Value, Network], object],
    ) -> None:
        """Note each value that does not fit a network, with the first such network."""
        for path, value in values.items():
            for network in networks.values():
                try:
                    check(value, network)
                except SettingError as error:
                    self.note(path, f"{error} (network {network.name})")
                    break


def _rule(error: msgspec.ValidationError) -> str:
    """Rule that a value broke, from the words of msgspec to those of a plan."""
    if "regex" in str(error):
        return "it is empty; give a text, or leave it out."
    expected = str(error).split("`")[1].split(" | ")
    numbers = ["a number"] if "float" in expected else ["a whole number"] * ("int" in expected)
    return f"give {' or '.join([*numbers, *(_WORDS[each] for each in expected if each in _WORDS)])}."


def _loaded(source: str, folder: Path, asked: ReadAs) -> Network:
    """Open a file beside the plan, or a built-in network, or one to be fetched."""
    file = folder / source
    if asked.format is None and os.path.isfile(file):  # noqa: PTH113  # Path.is_file may raise
        try:
            format_of(str(file))
        except FileError:
            example = f'{{network = "{source}", format = "edge-list"}}'
            raise FileError(
                f"{file}: its suffix names no format. Add format = ... to the network's table, such as "
                f"{example}; the choice is {', '.join(FORMATS)}."
            ) from None
    return open_network(source, asked, original=True, folder=folder, download=True)


def _metric(given: Any, path: TomlPath) -> str:
    if given == "all":
        raise SettingError('metrics: "all" stands alone; write metrics = "all", or leave it out here.')
    return METRICS.named(given)


def _too_large(value: Any, path: TomlPath = ()) -> Iterator[TomlPath]:
    """Paths of whole numbers beyond those that every reader of TOML must support."""
    if isinstance(value, int) and abs(value) > LARGEST_NUMBER:
        yield path
    elif isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _too_large(inner, (*path, key))
