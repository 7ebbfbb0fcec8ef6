"""What people hand over in Python where a network is expected: a graph, a file, a release or its folder."""

from __future__ import annotations

import json
import os
from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from netveil.anonymity import MEASURES, Attacker, attackers_of
from netveil.any_network import as_network, is_directed, kind_of
from netveil.errors import NetveilError, NetworkError
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


def original_from(given: AnyNetwork, *, warn: bool = True) -> Network:
    """The network that is meant: a graph as a Network, a file read, a built-in network loaded.

    `warn` of directions that are ignored.
    """
    if isinstance(given, Release):
        raise NetworkError("a release holds two networks; give its .original, or its .network to publish.")
    if isinstance(given, str | os.PathLike):
        return open_network(os.fsdecode(given))
    return as_network(given, warn=warn)


def network_from(given: AnyReleased) -> Network:
    """The same; of a release or its folder, the published network."""
    return released_from(given).network if _is_release(given) else original_from(given)


def all_from(
    original: AnyNetwork,
    releases: Sequence[AnyReleased | Released],
    labels: Mapping[Any, Hashable] | None = None,
) -> tuple[Network, list[Released]]:
    """An original and its releases; of directions that are ignored, in however many, one warning tells."""
    given, told = [], False
    for each in releases:
        given.append(each if isinstance(each, Released) else released_from(each, labels, warn=not told))
        told = told or is_directed(each)
    return original_from(original, warn=not told), given


def released_from(
    given: AnyReleased, labels: Mapping[Any, Hashable] | None = None, *, warn: bool = True
) -> Released:
    """A released network and what is known of it: a release and its folder bring their labels along."""
    if isinstance(given, Release):
        return Released(given.network, given.labels if labels is None else labels, None, None)
    if not isinstance(given, str | os.PathLike):
        return Released(as_network(given, warn=warn), labels, None, None)
    opened = open_released(os.fsdecode(given), ReadAs())
    return opened if labels is None else opened._replace(labels=labels)


def kind_given(given: AnyNetwork) -> Literal["network", "networkx", "igraph"]:
    """Which library's graph was given, for one of the same kind to give back; a file is a Network."""
    return "network" if isinstance(given, str | os.PathLike) else kind_of(given)


def made_against(given: AnyReleased | Released) -> tuple[Attacker, ...]:
    """The attackers that a release was made against, as far as it or its about.json says; else none."""
    if isinstance(given, Release):
        return given.outcome.attackers.each
    file = given.file if isinstance(given, Released) else None
    if isinstance(given, str | os.PathLike) and _is_release(given):
        file = released_from(given).file
    try:
        place = Path(file or "").parent / "about.json"
        if file is None or not place.is_file():  # reading from a pipe may never end
            return ()
        about = json.loads(place.read_text(encoding="utf-8"))
        names = about["measure"].split(" + ")
        # A measure of somebody's own is not imported because a published file names it.
        if not all(name in MEASURES for name in names):
            return ()
        return attackers_of(names, about["distance"], about.get("fuzzy"), bool(about.get("twins")))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, NetveilError):
        return ()


def _is_release(given: AnyReleased) -> bool:
    if isinstance(given, Release):
        return True
    if not isinstance(given, str | os.PathLike):
        return False
    folder = Path(os.fsdecode(given))
    return any(os.path.isfile(place / "about.json") for place in (folder, folder / "public"))  # noqa: PTH113
