"""Entries of a plan that are a name or a table: algorithms and attackers. All that is wrong is noted."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from netveil.anonymity import DEFAULT_MEASURE
from netveil.errors import SettingError, unknown_name
from netveil.experiments.plan import planned_algorithm, planned_attacker
from netveil.experiments.plan_errors import Problems
from netveil.experiments.task import AlgorithmSpec, AttackerSpec
from netveil.experiments.toml_lines import TomlPath
from netveil.search import ALGORITHMS

Types = Mapping[str, Any]
"""The keys of a table, and of what type their values must be; `object` where any will do."""

ALGORITHM: Types = {
    "name": str,
    "algorithm": str,
    "config": str,
    "settings": Mapping,
    "time": (int, float),
}
ATTACKER: Types = {"measure": (str, list), "distance": int, "fuzzy": (str, int, float), "twins": bool}

_WANTED = {
    str: "a text",
    int: "a whole number",
    bool: "true or false",
    Mapping: "a table",
    (str, list): "a text, or a list of them",
}


def table_of(given: Any, kind: str, types: Types, needed: str, path: TomlPath, problems: Problems) -> Types:
    """The keys of an entry that are right; what is wrong is noted. A text stands for the needed key."""
    table = {needed: given} if isinstance(given, str) else given
    if not isinstance(table, Mapping):
        raise SettingError(f"{kind} {given!r}: give a name, or a table such as {{{needed} = ...}}.")
    for key in table:
        if key not in types:
            problems.add((*path, key), str(unknown_name("key", key, types)))
    if needed not in table:
        problems.add(path, f"this {kind} has no key {needed}; add it.")
    return checked_types(table, types, path, problems)


def checked_types(table: Mapping[str, Any], types: Types, path: TomlPath, problems: Problems) -> Types:
    """The values of the right types; the others are noted. True is not a number, and no name is empty."""
    right = {}
    for key, kind in types.items():
        if key not in table:
            continue
        value = table[key]
        if (isinstance(value, bool) and kind is not bool) or not isinstance(value, kind):
            problems.add((*path, key), f"{key} = {value!r}: give {_WANTED.get(kind, 'a number')}.")
        elif key == "name" and not value.strip():
            problems.add((*path, key), f"name = {value!r}: it is empty; give a text, or leave it out.")
        else:
            right[key] = value
    return right


def algorithm_of(given: Any, path: TomlPath, problems: Problems, folder: Path) -> AlgorithmSpec:
    """An algorithm as a plan gives it: its name, or a table. Files are looked for in the folder."""
    with problems.all_of():
        table = table_of(given, "algorithm", ALGORITHM, "algorithm", path, problems)
        algorithm, config = table.get("algorithm"), table.get("config")
        with problems.at((*path, "time")):
            planned_algorithm("es", time=table.get("time"))
        if algorithm is not None and algorithm not in ALGORITHMS:
            problems.add((*path, "algorithm"), str(unknown_name("algorithm", algorithm, ALGORITHMS)))
        elif algorithm is not None:
            # A file is looked for beside the plan, unless it is a preset of the algorithm.
            if config is not None and config not in ALGORITHMS[algorithm].presets:
                config = folder / config
            with problems.at((*path, "config")):
                planned_algorithm(algorithm, config=config)
            for name, value in table.get("settings", {}).items():
                with problems.at((*path, "settings", name)):
                    planned_algorithm(algorithm, settings={name: value})
    return planned_algorithm(**{**table, "config": config})


def attacker_of(given: Any, path: TomlPath, problems: Problems) -> AttackerSpec:
    """An attacker as a plan gives her: a measure, a list of them, or a table."""
    with problems.all_of():
        whole = {"measure": given} if isinstance(given, list) else given
        table = dict(table_of(whole, "measure", ATTACKER, "measure", path, problems))
        measures = table.pop("measure", [])
        measures = measures if isinstance(measures, list) else [measures]
        if "fuzzy" in table:
            table["fuzzy"] = str(table["fuzzy"])
        for measure in measures:
            with problems.at((*path, "measure")):
                if not isinstance(measure, str):
                    raise SettingError(f"measure {measure!r}: give the name of a measure, such as count.")
                planned_attacker(measure)
        for key, value in table.items():
            with problems.at((*path, key)):
                planned_attacker(DEFAULT_MEASURE, **{key: value})
    return planned_attacker(*measures, **table)
