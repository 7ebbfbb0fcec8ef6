"""A network by what users call it: a file, a built-in network or one that was fetched."""

from __future__ import annotations

import os
from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from netveil.builtin import BUILTIN, load
from netveil.errors import FileError, SettingError, unknown_name
from netveil.fetching import CATALOGUE, find_network
from netveil.files import ReadAs, find_release, read, read_as, read_labels
from netveil.files.storage import STDIN
from netveil.network import Network


def open_network(name: str, asked: ReadAs | None = None) -> Network:
    """A file, standard input (`-`), or a built-in or fetched network if no file has that name."""
    asked = ReadAs() if asked is None else asked
    if name == STDIN:
        return read_as(name, asked)
    try:
        exists, is_folder = Path(name).exists(), Path(name).is_dir()
    except OSError:  # a name too long, or in a folder that may not be entered: reading tells which
        exists, is_folder = True, False
    if (is_folder or not exists) and asked == ReadAs():
        if name in BUILTIN:
            return load(name)
        if name in CATALOGUE:
            return find_network(name, download=False)
    if name in BUILTIN and not exists:
        raise SettingError(f"{name} is a built-in network, which is not read from a file; leave options out.")
    if is_folder:
        raise FileError(f"{name} is a folder. Give a file in it.")
    if exists or asked.format is not None or any(mark in name for mark in "./\\"):
        return read_as(name, asked)
    nothing = unknown_name("network", name, BUILTIN)
    raise FileError(
        f"{name}: there is no such file. As a built-in: {nothing} Others: `netveil networks` lists them."
    )


class Released(NamedTuple):
    """A released network, as far as it is at hand."""

    network: Network
    labels: Mapping[Any, Hashable] | None  # original → published, where there is a table
    file: Path | None  # that was or will be published
    format_name: str | None  # of that file, where its suffix does not say


def open_released(given: str, asked: ReadAs, labels_file: str | os.PathLike[str] | None = None) -> Released:
    """The network of a release folder, with its own table of labels, or that of any file."""
    release = find_release(given)
    # Netveil chose the suffix in a release folder; a format named for the original need not be the release's.
    network = open_network(given, asked) if release is None else read(release.network)
    file = Path(given) if release is None else release.network
    table = labels_file or (release.labels if release else None)
    return Released(
        network,
        labels=read_labels(table) if table else None,
        file=file if file.is_file() and given != STDIN else None,
        format_name=None if release else asked.format,
    )
