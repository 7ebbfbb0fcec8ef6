"""Catalogue of networks that others publish, from `data/networks.toml`: homes, formats, expected counts."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib.resources import files
from pathlib import PurePosixPath
from urllib.parse import urlsplit


@dataclass(frozen=True, kw_only=True)
class FetchableNetwork:
    """A network at its public home."""

    name: str
    title: str  # one sentence on nodes and edges
    address: str
    nodes: int
    edges: int
    citation: str
    unique: int | None = None  # nodes alone in their class by measure count, where the paper has the number
    member: str | None = None  # the file inside the archive at the address, if it is one
    format: str = "edge-list"
    sha256: str | None = None  # of the file, unpacked, where somebody who can download it has told

    @property
    def file_name(self) -> str:
        """The file's name at its address."""
        return PurePosixPath(urlsplit(self.address).path).name

    @property
    def by_hand(self) -> str:
        """Remedy where it cannot be downloaded."""
        return f"put {self.file_name} into a folder and set NETVEIL_DATA to that folder"


_ENTRIES = tomllib.loads((files("netveil") / "data" / "networks.toml").read_text(encoding="utf-8"))

CATALOGUE = {name: FetchableNetwork(name=name, **entry) for name, entry in _ENTRIES.items()}
"""Every network that can be fetched, by its name."""

PAPER = tuple(network for network in CATALOGUE.values() if network.unique is not None)
"""The five of the paper, in the order of its Table 1."""
