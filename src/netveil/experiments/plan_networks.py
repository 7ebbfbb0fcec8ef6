"""The networks of a plan: files, built-in and fetched ones by their names, and generated ones."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from netveil.builtin import BUILTIN, load
from netveil.errors import FileError, SettingError, unknown_name
from netveil.experiments.plan import planned_network
from netveil.experiments.task import NetworkSpec
from netveil.fetching import CATALOGUE, find_network
from netveil.files import read
from netveil.network import Network
from netveil.simulated import generate

KEYS = ("name", "network", "format", "generate")


def network_of(given: Any, folder: Path) -> NetworkSpec:
    """A network as a plan gives it: a text, or a table with `network` or `generate`, and perhaps a name."""
    table = {"network": given} if isinstance(given, str) else given
    if not isinstance(table, Mapping):
        raise SettingError(
            f"network {given!r}: give a file, a name, or a table such as {{name = ..., generate = ...}}."
        )
    for key in table:
        if key not in KEYS:
            raise unknown_name("key", key, KEYS)
    for key in ("name", "network", "format"):
        if not isinstance(table.get(key, ""), str):
            raise SettingError(f"{key} = {table[key]!r}: give a text.")
    if "generate" in table:
        return _generated(table)
    source = table.get("network", table.get("name"))
    if source is None:
        raise SettingError("this network has neither a name, nor network nor generate; add one of them.")
    network = _loaded(source, folder, table.get("format"))
    return planned_network(table.get("name", network.name), network)


def _generated(table: Mapping[str, Any]) -> NetworkSpec:
    if "name" not in table:
        raise SettingError("a generated network needs a name; add name = ... beside generate.")
    if "network" in table or "format" in table:
        raise SettingError("a network is either generated or read; leave out generate, or the other keys.")
    if not isinstance(table["generate"], Mapping):
        raise SettingError(
            f"generate = {table['generate']!r}: give a table such as {{kind = ..., nodes = 500}}."
        )
    return planned_network(table["name"], generate(table["generate"]))


def _loaded(source: str, folder: Path, format_name: str | None) -> Network:
    """A file beside the plan, or a built-in network, or one to be fetched."""
    file = folder / source
    try:
        exists, is_folder = file.exists(), file.is_dir()
    except OSError:  # a name too long: reading tells
        exists, is_folder = True, False
    if source in BUILTIN and (is_folder or not exists) and format_name is None:
        return load(source)
    if is_folder:
        raise FileError(f"{file} is a folder. Give a file in it.")
    if exists or format_name is not None or any(mark in source for mark in "./\\"):
        return read(file, format_name)
    if source in CATALOGUE:
        return find_network(source)
    nothing = unknown_name("network", source, (*BUILTIN, *CATALOGUE))
    raise FileError(f"{file}: there is no such file. By name: {nothing}")
