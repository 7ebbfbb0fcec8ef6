"""What people hand over in Python where a network is expected: a graph, a file, a release or its folder."""

from __future__ import annotations

import os
from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from netveil.any_network import as_network, kind_of
from netveil.errors import NetworkError
from netveil.files import ReadAs
from netveil.network import Network
from netveil.open_network import Released, open_network, open_released
from netveil.release.release import Release

if TYPE_CHECKING:
    from netveil.any_network import AnyGraph

    AnyNetwork: TypeAlias = AnyGraph | str | os.PathLike[str]
    """A graph of any kind, the name of a file, or that of a built-in network."""
    AnyReleased: TypeAlias = AnyNetwork | Release
    """The same, a release, or the name of its folder."""


def original_from(given: AnyNetwork) -> Network:
    """The network that is meant: a graph as a Network, a file read, a built-in network loaded."""
    if isinstance(given, Release):
        raise NetworkError("a release holds two networks; give its .original, or its .network to publish.")
    if isinstance(given, str | os.PathLike):
        return open_network(os.fsdecode(given))
    return as_network(given)


def network_from(given: AnyReleased) -> Network:
    """The same; of a release or its folder, the published network."""
    return released_from(given).network if _is_release(given) else original_from(given)


def released_from(given: AnyReleased, labels: Mapping[Any, Hashable] | None = None) -> Released:
    """A released network and what is known of it: a release and its folder bring their labels along."""
    if isinstance(given, Release):
        return Released(given.network, given.labels if labels is None else labels, None, None)
    if not isinstance(given, str | os.PathLike):
        return Released(as_network(given), labels, None, None)
    opened = open_released(os.fsdecode(given), ReadAs())
    return opened if labels is None else opened._replace(labels=labels)


def kind_given(given: AnyNetwork) -> Literal["network", "networkx", "igraph"]:
    """Which library's graph was given, for one of the same kind to give back; a file is a Network."""
    return "network" if isinstance(given, str | os.PathLike) else kind_of(given)


def _is_release(given: AnyReleased) -> bool:
    if isinstance(given, Release):
        return True
    if not isinstance(given, str | os.PathLike):
        return False
    folder = Path(os.fsdecode(given))
    return any(os.path.isfile(place / "about.json") for place in (folder, folder / "public"))  # noqa: PTH113
