"""A plan from a TOML file. Whatever is wrong with it is told at once, with lines, before anything runs."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from netveil.anonymity import DEFAULT_MEASURE, checked_k
from netveil.errors import FileError, SettingError, is_whole, unknown_name
from netveil.experiments.plan import Plan, planned_algorithm, planned_attacker
from netveil.experiments.plan_networks import network_of
from netveil.experiments.problems import PlanError, Problems
from netveil.experiments.task import AlgorithmSpec, AttackerSpec, NetworkSpec
from netveil.experiments.toml_lines import TomlPath, lines_of
from netveil.files.storage import load
from netveil.search import ALGORITHMS
from netveil.search.budget import budget_in_edges
from netveil.search.share import exact_number
from netveil.utility import METRICS

KEYS = ("name", "networks", "algorithms", "budgets", "measures", "k", "seeds", "metrics")
NEEDED = {"networks": 'networks = ["demo"]', "algorithms": 'algorithms = ["ga", "uga"]'}
MOST_SEEDS = 1_000_000

Value = TypeVar("Value")


def read_plan(path: str | Path, seeds: int | None = None) -> Plan:
    """The plan in a TOML file, its networks loaded; `seeds` replaces those of the file by 1 to so many.

    Files in it are relative to its folder. PlanError if anything is wrong with it.
    """
    file = str(path)
    try:
        text = load(file).decode()
        document = tomllib.loads(text)
    except UnicodeDecodeError:
        raise FileError(f"{file} is not a text file. Give a plan in TOML.") from None
    except tomllib.TOMLDecodeError as error:
        raise PlanError([f"{file}, line {_line(error, text)}: not TOML: {_without_line(error)}."]) from None
    if seeds is not None:
        document["seeds"] = seeds
    problems = Problems(file, lines_of(text))
    plan = _Reader(document, problems, Path(file).parent).plan(Path(file).stem, text)
    problems.check()
    return plan


class _Reader:
    """Reads the keys of a document, and notes what is wrong instead of stopping at it."""

    def __init__(self, document: Mapping[str, Any], problems: Problems, folder: Path) -> None:
        self.document = document
        self.problems = problems
        self.folder = folder

    def plan(self, stem: str, text: str) -> Plan:
        """The plan as far as it can be read."""
        for key in self.document:
            if key not in KEYS:
                self.problems.add((key,), str(unknown_name("key", key, KEYS)))
        for key, example in NEEDED.items():
            if key not in self.document:
                self.problems.add((), f"the plan has no {key}; add a line such as {example}")
        name = self.document.get("name", stem)
        if not isinstance(name, str):
            self.problems.add(("name",), f"name = {name!r}: give a text.")
        networks = self._each("networks", [], lambda value: network_of(value, self.folder), _name)
        budgets = self._each("budgets", ["5%"], _budget, _size_of_budget)
        sizes = self._each("k", [2], _whole_number, int)
        self._check_budgets(budgets, networks)
        self._check_sizes(sizes, networks)
        return Plan(
            name=str(name),
            networks=tuple(networks.values()),
            algorithms=tuple(self._each("algorithms", [], self._algorithm, _name).values()),
            budgets=tuple(budgets.values()),
            attackers=tuple(self._each("measures", [DEFAULT_MEASURE], _attacker, _name).values()),
            k=tuple(sizes.values()),
            seeds=self._seeds(),
            metrics=self._metrics(),
            text=text,
        )

    def _each(
        self,
        key: str,
        default: list[Any],
        read: Callable[[Any], Value],
        same: Callable[[Value], object],
    ) -> dict[TomlPath, Value]:
        """The values of a list, or a single one, by their places; no two may be the `same`."""
        given = self.document.get(key, default)
        places: dict[TomlPath, Any] = {(key,): given}
        if isinstance(given, list):
            places = {(key, number): value for number, value in enumerate(given)}
            if not given and key in self.document:
                self.problems.add((key,), f"{key} is empty; give one or more, or leave it out.")
        values: dict[TomlPath, Value] = {}
        seen: set[object] = set()
        for path, entry in places.items():
            with self.problems.at(path):
                value = read(entry)
                if same(value) in seen:
                    raise SettingError(
                        f"{key}: {_shown(same(value), value)} is there already; give each once, "
                        f"or another name."
                    )
                seen.add(same(value))
                values[path] = value
        return values

    def _algorithm(self, given: Any) -> AlgorithmSpec:
        keys = ("name", "algorithm", "config", "settings", "time")
        table = _table(given, "algorithm", keys, "algorithm")
        _check_types(table, {"name": str, "config": str, "settings": Mapping, "time": (int, float)})
        config, algorithm = table.get("config"), table["algorithm"]
        # A file is looked for beside the plan, unless it is a preset of the algorithm.
        is_preset = algorithm in ALGORITHMS and config in ALGORITHMS[algorithm].presets
        if config is not None and not is_preset:
            config = self.folder / config
        return planned_algorithm(
            algorithm,
            name=table.get("name"),
            config=config,
            settings=table.get("settings"),
            time=table.get("time"),
        )

    def _seeds(self) -> tuple[int, ...]:
        given = self.document.get("seeds", 1)
        if isinstance(given, list):
            return tuple(self._each("seeds", [], _seed, int).values())
        with self.problems.at(("seeds",)):
            if not is_whole(given) or not 1 <= given <= MOST_SEEDS:
                raise SettingError(
                    f"seeds = {given!r}: give how many, 1 or more, or a list of whole numbers from 0."
                )
            return tuple(range(1, given + 1))
        return ()

    def _metrics(self) -> tuple[str, ...]:
        given = self.document.get("metrics", [])
        if given in ("all", ["all"]):
            return tuple(METRICS)
        if given == []:
            return ()
        return tuple(self._each("metrics", [], _metric, str).values())

    def _check_budgets(
        self, budgets: Mapping[TomlPath, str], networks: Mapping[TomlPath, NetworkSpec]
    ) -> None:
        for path, budget in budgets.items():
            for spec in networks.values():
                try:
                    budget_in_edges(budget, spec.network.edge_count)
                except SettingError as error:
                    self.problems.add(path, f"{error} (network {spec.name})")
                    break

    def _check_sizes(self, sizes: Mapping[TomlPath, int], networks: Mapping[TomlPath, NetworkSpec]) -> None:
        for path, k in sizes.items():
            for spec in networks.values():
                try:
                    checked_k(k, spec.network.node_count)
                except SettingError as error:
                    self.problems.add(path, f"{error} (network {spec.name})")
                    break


def _attacker(given: Any) -> AttackerSpec:
    keys = ("measure", "distance", "fuzzy", "twins")
    table = _table(given if not isinstance(given, list) else {"measure": given}, "measure", keys, "measure")
    _check_types(table, {"distance": int, "fuzzy": (str, int, float), "twins": bool})
    measures = table["measure"] if isinstance(table["measure"], list) else [table["measure"]]
    for measure in measures:
        if not isinstance(measure, str):
            raise SettingError(f"measure {measure!r}: give the name of a measure, such as count.")
    fuzzy = table.get("fuzzy")
    return planned_attacker(
        *measures,
        distance=table.get("distance", 1),
        fuzzy=None if fuzzy is None else str(fuzzy),
        twins=table.get("twins", False),
    )


def _table(given: Any, kind: str, keys: tuple[str, ...], needed: str) -> Mapping[str, Any]:
    """An entry as a table; a text stands for one with the needed key alone."""
    table = {needed: given} if isinstance(given, str) else given
    if not isinstance(table, Mapping):
        raise SettingError(f"{kind} {given!r}: give a name, or a table such as {{{needed} = ...}}.")
    for key in table:
        if key not in keys:
            raise unknown_name("key", key, keys)
    if needed not in table:
        raise SettingError(f"this {kind} has no key {needed}; add it.")
    return table


def _check_types(table: Mapping[str, Any], types: Mapping[str, Any]) -> None:
    """Raise if a value is of another type. True is no number."""
    wanted = {str: "a text", int: "a whole number", bool: "true or false", Mapping: "a table"}
    for key, kind in types.items():
        value = table.get(key)
        mistaken = isinstance(value, bool) and kind is not bool
        if key in table and (mistaken or not isinstance(value, kind)):
            raise SettingError(f"{key} = {value!r}: give {wanted.get(kind, 'a number')}.")


def _name(spec: NetworkSpec | AlgorithmSpec | AttackerSpec) -> str:
    return spec.name


def _budget(given: Any) -> str:
    """The budget as text; whether it is one at all is checked here, and that it fits with each network."""
    rule = "give a share up to 100% (5% or 0.05) or a number of edges."
    if isinstance(given, bool) or not isinstance(given, (str, int, float)):
        raise SettingError(f"budget {given!r} is not a number; {rule}")
    text = str(given).strip()
    try:
        _size_of_budget(text)
    except ValueError:
        raise SettingError(f"budget {text} is not a number; {rule}") from None
    return text


def _size_of_budget(text: str) -> object:
    """Equal for two budgets that are the same: 5% and 0.05, but not 1 edge and 100%."""
    return text.lstrip("+-").isdigit(), exact_number(text)


def _whole_number(given: Any) -> int:
    if not is_whole(given):
        raise SettingError(f"k = {given!r}: give a whole number, 2 or more.")
    return int(given)


def _seed(given: Any) -> int:
    if not is_whole(given) or given < 0:
        raise SettingError(f"seed {given!r}: give a whole number, 0 or more.")
    return int(given)


def _metric(given: Any) -> str:
    if given not in list(METRICS):
        raise unknown_name("metric", str(given), ["all", *METRICS])
    return str(given)


def _shown(same: object, value: object) -> str:
    """What two entries have in common, as a user wrote it."""
    return f"'{same}'" if isinstance(same, str) else str(value)


def _line(error: tomllib.TOMLDecodeError, text: str) -> int:
    found = re.search(r"at line (\d+)", str(error))
    return int(found[1]) if found else max(1, len(text.splitlines()))


def _without_line(error: tomllib.TOMLDecodeError) -> str:
    return re.sub(r" \(at .*\)$", "", str(error))
