"""The networks that a worker has opened, as the server names them: files of its own, built-ins, releases."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from netveil.anonymity import Anonymity, Attackers, anonymity_of
from netveil.builtin import load
from netveil.errors import SettingError
from netveil.files import ReadAs
from netveil.files.read_write import read_as
from netveil.files.storage import split_name
from netveil.network import Network
from netveil.release.load import load_release
from netveil.release.release import Release

Thing = TypeVar("Thing")


class Memory:
    """The last few things that were made, by what they were made of."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._things: OrderedDict[Any, Any] = OrderedDict()

    def get(self, key: Any, make: Callable[[], Thing]) -> Thing:
        """The thing of this key; made if it is not there."""
        if key not in self._things:
            self._things[key] = make()
            while len(self._things) > self.most:
                self._things.popitem(last=False)
        self._things.move_to_end(key)
        thing: Thing = self._things[key]
        return thing


_NETWORKS = Memory(3)
_RELEASES = Memory(3)
_MEASURED = Memory(12)


def network_of(given: dict[str, Any]) -> Network:
    """The network that the server means."""
    return _NETWORKS.get(repr(given), lambda: _opened(given))


def _opened(given: dict[str, Any]) -> Network:
    if given["kind"] == "builtin":
        return load(given["name"])
    if given["kind"] == "release":
        return release_of(given["path"]).original
    columns = given["asked"]["columns"]
    asked = ReadAs(**given["asked"] | {"columns": tuple(columns) if isinstance(columns, list) else columns})
    network = read_as(given["path"], asked)
    return replace(network, name=split_name(given["shown"])[0], file=Path(given["shown"]).name)


def release_of(path: str) -> Release:
    """The release in a folder of the server's."""
    return _RELEASES.get((path, _changed(path)), lambda: load_release(path))


def _changed(path: str) -> int:
    """When a release was written: one that was made again is another."""
    return (Path(path) / "private" / "run.json").stat().st_mtime_ns


def attackers_of_query(asked: dict[str, Any]) -> Attackers:
    """The attackers that a page asks for; measures by their names only, for a request must run no code."""
    for name in asked["measures"]:
        if ":" in name:
            raise SettingError(f"measure {name}: the page knows netveil's own measures only; choose one.")
    return Attackers.of(
        asked["measures"], asked["distance"], asked["fuzzy"], bool(asked["twins"]), asked["k"]
    )


def measured(given: dict[str, Any], asked: dict[str, Any]) -> tuple[Network, Anonymity]:
    """A network, and who is at risk in it to these attackers."""
    network = network_of(given)
    attackers = attackers_of_query(asked)
    key = (repr(given), repr(sorted(asked.items())))
    return network, _MEASURED.get(key, lambda: anonymity_of(network, attackers.each, attackers.k))
