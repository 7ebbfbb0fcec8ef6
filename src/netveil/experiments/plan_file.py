"""A plan from a TOML file. Whatever is wrong with it is told at once, with lines, before anything runs."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from netveil.anonymity import DEFAULT_MEASURE, checked_k
from netveil.errors import FileError, SettingError, is_whole, option, unknown_name
from netveil.experiments.plan import Plan
from netveil.experiments.plan_entries import algorithm_of, attacker_of, checked_types
from netveil.experiments.plan_errors import PlanError, Problems
from netveil.experiments.plan_networks import network_of
from netveil.experiments.task import AlgorithmSpec, AttackerSpec, NetworkSpec
from netveil.experiments.toml_lines import TomlPath, lines_of
from netveil.files.storage import load
from netveil.network import Network
from netveil.search.budget import budget_in_edges, parsed_budget, tell_if_ambiguous
from netveil.utility import METRICS

KEYS = ("name", "networks", "algorithms", "budgets", "measures", "k", "seeds", "metrics")
NEEDED = {"networks": 'networks = ["demo"]', "algorithms": 'algorithms = ["ga", "uga"]'}
MOST_SEEDS = 1_000_000
LARGEST_NUMBER = 2**63 - 1  # that every reader of TOML must know

Value = TypeVar("Value")


def read_plan(path: str | Path, seeds: int | None = None) -> Plan:
    """The plan in a TOML file, its networks loaded; `seeds` replaces those of the file by 1 to `seeds`.

    Files in it are relative to its folder. PlanError if anything is wrong with it.
    """
    file = str(path)
    if seeds is not None:
        check_count_of_seeds(seeds)
    try:
        text = load(file).decode("utf-8-sig")  # some editors begin a file with a mark
        document = tomllib.loads(text)
    except UnicodeDecodeError:
        raise FileError(f"{file} is not a text file. Give a plan in TOML.") from None
    except tomllib.TOMLDecodeError as error:
        raise PlanError([f"{file}, line {_line(error, text)}: not TOML: {_without_line(error)}."]) from None
    except RecursionError:
        raise FileError(f"{file}: brackets in brackets, far too many. Give a plan in TOML.") from None
    except ValueError:  # Python does not read a number of thousands of digits
        raise PlanError([f"{file}, line {_line_of_digits(text)}: {_TOO_LARGE}"]) from None
    problems = Problems(file, lines_of(text))
    for place in _too_large(document):
        problems.add(place, _TOO_LARGE)
    problems.check()
    if seeds is not None:
        document["seeds"] = seeds
    plan = _Reader(document, problems, Path(file).parent).plan(Path(file).stem, text)
    problems.check()
    for budget in plan.budgets:
        tell_if_ambiguous(budget)
    return plan


def check_count_of_seeds(seeds: int) -> None:
    """Raise unless this is a possible number of seeds."""
    if not is_whole(seeds) or not 1 <= seeds <= MOST_SEEDS:
        raise SettingError(f"{option('seeds', seeds)}: give how many, between 1 and {MOST_SEEDS:,}.")


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
        name = checked_types(self.document, {"name": str}, (), self.problems).get("name", stem)
        networks = self._each(
            "networks", [], lambda value, path: network_of(value, path, self.problems, self.folder), _name
        )
        algorithms = self._each(
            "algorithms", [], lambda value, path: algorithm_of(value, path, self.problems, self.folder), _name
        )
        attackers = self._each(
            "measures", [DEFAULT_MEASURE], lambda value, path: attacker_of(value, path, self.problems), _name
        )
        budgets = self._each("budgets", ["5%"], _budget, parsed_budget)
        sizes = self._each("k", [2], _class_size, int)
        self._check_fit(budgets, networks, lambda given, on: budget_in_edges(given, on.edge_count))
        self._check_fit(sizes, networks, lambda given, on: checked_k(given, on.node_count))
        return Plan(
            name=name,
            networks=tuple(networks.values()),
            algorithms=tuple(algorithms.values()),
            budgets=tuple(budgets.values()),
            attackers=tuple(attackers.values()),
            k=tuple(sizes.values()),
            seeds=self._seeds(),
            metrics=self._metrics(),
            text=text,
        )

    def _each(
        self,
        key: str,
        default: list[Any],
        read: Callable[[Any, TomlPath], Value],
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
                value = read(entry, path)
                if same(value) in seen:
                    raise SettingError(
                        f"{key}: {_shown(same(value), value)} is there already; give each once, "
                        f"or another name."
                    )
                seen.add(same(value))
                values[path] = value
        return values

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

    def _check_fit(
        self,
        values: Mapping[TomlPath, Value],
        networks: Mapping[TomlPath, NetworkSpec],
        check: Callable[[Value, Network], object],
    ) -> None:
        """Note each value that does not fit a network, with the first such network."""
        for path, value in values.items():
            for spec in networks.values():
                try:
                    check(value, spec.network)
                except SettingError as error:
                    self.problems.add(path, f"{error} (network {spec.name})")
                    break


def _name(spec: NetworkSpec | AlgorithmSpec | AttackerSpec) -> str:
    return spec.name


def _budget(given: Any, path: TomlPath) -> str:
    """The budget as text, if it can be one; whether it fits each network is checked later."""
    parsed_budget(given)
    return str(given).strip()


def _class_size(given: Any, path: TomlPath) -> int:
    """A k that is one at all; that it fits with each network is checked later."""
    if not is_whole(given):
        raise SettingError(f"k = {given!r}: give a whole number, 2 or more.")
    return checked_k(int(given), nodes=max(2, int(given)))


def _seed(given: Any, path: TomlPath) -> int:
    if not is_whole(given) or given < 0:
        raise SettingError(f"seed {given!r}: give a whole number, 0 or more.")
    return int(given)


def _metric(given: Any, path: TomlPath) -> str:
    if given == "all":
        raise SettingError('metrics: "all" stands alone; write metrics = "all", or leave it out here.')
    if given not in list(METRICS):
        raise unknown_name("metric", str(given), ["all", *METRICS])
    return str(given)


def _shown(same: object, value: object) -> str:
    """What two entries have in common, as a user wrote it."""
    return f"'{same}'" if isinstance(same, str) else str(value)


_TOO_LARGE = f"this number is too large; numbers are between -{LARGEST_NUMBER} and {LARGEST_NUMBER}."


def _too_large(value: Any, path: TomlPath = ()) -> Iterator[TomlPath]:
    """Where a document has whole numbers larger than every reader of TOML must support."""
    if isinstance(value, int) and abs(value) > LARGEST_NUMBER:
        yield path
    elif isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _too_large(inner, (*path, key))


def _line_of_digits(text: str) -> int:
    """The line with the first number of very many digits."""
    found = re.search(r"\d[\d_]{999}", text)
    return 1 if found is None else text.count("\n", 0, found.start()) + 1


def _line(error: tomllib.TOMLDecodeError, text: str) -> int:
    found = re.search(r"at line (\d+)", str(error))
    return int(found[1]) if found else max(1, len(text.splitlines()))


def _without_line(error: tomllib.TOMLDecodeError) -> str:
    return re.sub(r" \(at .*\)$", "", str(error))
