"""What `netveil networks` says of the networks that are built in and of those that can be fetched."""

from __future__ import annotations

from typing import Any

from netveil.builtin import BUILTIN
from netveil.columns import in_columns
from netveil.errors import SettingError, unknown_name
from netveil.fetching import CATALOGUE, FetchableNetwork, FoundNetwork, place_of
from netveil.words import counted


def listing() -> str:
    """Every network with what it is, where it comes from and where it is."""
    builtin: list[tuple[str, str]] = []
    for each in BUILTIN.values():
        needs = "" if each.available() else f" (not installed: pip install 'netveil[{each.needs}]')"
        builtin += [(each.name, f"{each.description}{needs}"), ("", f"Source: {each.source}")]
    fetchable: list[tuple[str, str]] = []
    for known in CATALOGUE.values():
        size = f"{counted(known.nodes, 'node')}, {counted(known.edges, 'edge')}"
        fetchable.append((known.name, f"{known.title} {size}; {_whereabouts(known)}."))
        fetchable.append(("", f"Source: {known.citation}; {known.address}"))
    lines = in_columns([*builtin, *fetchable], left=2)
    how = "To be fetched by `netveil networks fetch NAME`, and then used by name like those above:"
    return "\n".join([*lines[: len(builtin)], "", how, "", *lines[len(builtin) :]])


def builtin_rows() -> list[dict[str, Any]]:
    """The built-in ones, for the document."""
    return [
        {
            "name": each.name,
            "available": each.available(),
            "description": each.description,
            "source": each.source,
        }
        for each in BUILTIN.values()
    ]


def fetchable_rows() -> list[dict[str, Any]]:
    """Those to be fetched, for the document."""
    rows = []
    for known in CATALOGUE.values():
        place = place_of(known)
        rows.append(
            {
                "name": known.name,
                "available": place != "address",
                "place": place,
                "description": known.title,
                "nodes": known.nodes,
                "edges": known.edges,
                "unique": known.unique,
                "source": known.citation,
                "address": known.address,
            }
        )
    return rows


def _whereabouts(known: FetchableNetwork) -> str:
    place = place_of(known)
    return "not fetched yet" if place == "address" else f"in {'the cache' if place == 'cache' else place}"


def mistakes(names: tuple[str, ...], everything: bool) -> list[SettingError]:
    """All that is wrong with the names, known before anything is fetched."""
    if everything == bool(names):
        return [SettingError("give the names of networks, or --all; `netveil networks` lists them.")]
    return [
        SettingError(f"network '{name}' is built in; it needs no fetching.")
        if name in BUILTIN
        else unknown_name("network", name, CATALOGUE)
        for name in dict.fromkeys(names)
        if name in BUILTIN or name not in CATALOGUE
    ]


def sentence(found: FoundNetwork) -> str:
    """What was fetched, from where, and where it is now."""
    network = found.network
    place = {"NETVEIL_DATA": "found in NETVEIL_DATA", "cache": "already in the cache", "address": "fetched"}
    counts = f"{counted(network.node_count, 'node')}, {counted(network.edge_count, 'edge')}"
    unique = CATALOGUE[network.name].unique
    alone = "" if unique is None else f", {counted(unique, 'unique node')}"
    told = f"{network.name}: {counts}{alone}, as expected; {place[found.place]}: {found.file}"
    if found.place == "cache":
        return told
    against = {
        "as published": "SHA-256 as published",
        "as fetched before": "SHA-256 as when it was fetched before",
        "not known": f"not checked against a known checksum; its SHA-256 is {network.sha256}",
    }
    return f"{told}; {against[found.checksum]}"


def row(found: FoundNetwork) -> dict[str, Any]:
    """The same for the document."""
    return {
        "name": found.network.name,
        "nodes": found.network.node_count,
        "edges": found.network.edge_count,
        "unique": CATALOGUE[found.network.name].unique,
        "place": found.place,
        "file": str(found.file),
        "sha256": found.network.sha256,
        "checksum": found.checksum,
    }
