"""The networks of a plan: files, built-in and fetched ones by their names, and generated ones."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from netveil.builtin import BUILTIN, load
from netveil.errors import FileError, SettingError, unknown_name
from netveil.experiments.plan import planned_network
from netveil.experiments.plan_entries import Types, checked_types
from netveil.experiments.plan_errors import Problems
from netveil.experiments.task import NetworkSpec
from netveil.experiments.toml_lines import TomlPath
from netveil.fetching import CATALOGUE, find_network
from netveil.files import FORMATS, ReadAs, format_of, read_as
from netveil.network import Network
from netveil.simulated import GenerateError, generate

READING: Types = {"format": str, "columns": (str, list), "separator": str, "header": bool, "encoding": str}
"""How to read a file: the options of the command line."""
NETWORK: Types = {"name": str, "network": str, **READING, "generate": Mapping}


def network_of(given: Any, path: TomlPath, problems: Problems, folder: Path) -> NetworkSpec:
    """A network as a plan gives it: a text, or a table with `network` or `generate`, and perhaps a name.

    All that is wrong is noted. A file is looked for in the folder.
    """
    table = {"network": given} if isinstance(given, str) else given
    if not isinstance(table, Mapping):
        raise SettingError(
            f"network {given!r}: give a file, a name, or a table such as {{name = ..., generate = ...}}."
        )
    with problems.all_of():
        for key in table:
            if key not in NETWORK:
                problems.add((*path, key), str(unknown_name("key", key, NETWORK)))
        right = checked_types(table, NETWORK, path, problems)
        if "format" in right and right["format"] not in FORMATS:
            problems.add((*path, "format"), str(unknown_name("format", right["format"], FORMATS)))
        if "generate" in table:
            network = _generated(table, right, path, problems)
        else:
            network = _read(table, right, path, problems, folder)
    assert network is not None, "else there was a problem"
    return planned_network(right.get("name", network.name), network)


def _generated(table: Mapping[str, Any], right: Types, path: TomlPath, problems: Problems) -> Network | None:
    """A simulated network; None, and all problems noted, where it cannot be one."""
    if "name" not in table:
        problems.add(path, "a generated network needs a name; add name = ... beside generate.")
    if any(key in table for key in ("network", *READING)):
        problems.add(path, "a network is either generated or read; leave out generate, or the other keys.")
    if "generate" not in right:
        return None
    with problems.at((*path, "generate")):
        try:
            return generate(right["generate"])
        except GenerateError as error:
            for key, problem in error.problems.items():
                problems.add((*path, "generate", key), problem)
    return None


def _read(
    table: Mapping[str, Any], right: Types, path: TomlPath, problems: Problems, folder: Path
) -> Network | None:
    """A network that there is already; None, and the problem noted, where it cannot be read."""
    key = "network" if "network" in table else "name"
    if key not in table:
        problems.add(path, "this network has neither a name, nor network nor generate; add one of them.")
    if key not in right or right.get("format", "edge-list") not in FORMATS:
        return None
    with problems.at((*path, key)):
        if not right[key].strip():
            raise SettingError(f"{key} = {right[key]!r}: it is empty; give a file or a name.")
        asked = ReadAs(**{option: right[option] for option in READING if option in right})
        return _loaded(right[key], folder, asked)
    return None


def _loaded(source: str, folder: Path, asked: ReadAs) -> Network:
    """A file beside the plan, or a built-in network, or one to be fetched."""
    file = folder / source
    try:
        exists, is_folder = file.exists(), file.is_dir()
    except OSError:  # a name too long: reading tells
        exists, is_folder = True, False
    if source in BUILTIN and (is_folder or not exists) and asked == ReadAs():
        return load(source)
    if is_folder:
        raise FileError(f"{file} is a folder. Give a file in it.")
    if exists and asked.format is None:
        _check_suffix(file, source)
    if exists or asked.format is not None or any(mark in source for mark in "./\\"):
        return read_as(str(file), asked)
    if source in CATALOGUE:
        return find_network(source)
    nothing = unknown_name("network", source, (*BUILTIN, *CATALOGUE))
    raise FileError(f"{file}: there is no such file. By name: {nothing}")


def _check_suffix(file: Path, source: str) -> None:
    """Raise, in the words of a plan, if a file's name does not say its format."""
    try:
        format_of(str(file))
    except FileError:
        example = f'{{network = "{source}", format = "edge-list"}}'
        raise FileError(
            f"{file}: its suffix names no format. Add format = ... to the network's table, such as "
            f"{example}; the choice is {', '.join(FORMATS)}."
        ) from None
