"""Read and write a network in the format that its file's suffix or the user names."""

from __future__ import annotations

import os
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from netveil.errors import FileError, unknown_name
from netveil.files.format import Format
from netveil.files.formats import FORMATS
from netveil.files.storage import COMPRESSIONS, load, split_name, store
from netveil.network import Network


def read(path: str | os.PathLike[str], format: str | None = None) -> Network:  # noqa: A002
    """Network from a file, in the format that its suffix or `format` names; .gz, .bz2 and .xz may follow."""
    file = os.fspath(path)
    chosen = format_of(file, format)
    network = chosen.read(load(file), file)
    return replace(network, name=split_name(file)[0], sha256=sha256(Path(file).read_bytes()).hexdigest())


def write(network: Network, path: str | os.PathLike[str], format: str | None = None) -> None:  # noqa: A002
    """Write labels and edges, and nothing else, to a file that appears whole or not at all."""
    file = os.fspath(path)
    store(format_of(file, format).write(network, file), file)


def format_of(file: str, name: str | None = None) -> Format:
    """The format that `name` or the suffix of a file says; an error where neither does."""
    if name is not None:
        if name not in FORMATS:
            raise unknown_name("format", name, FORMATS)
        return FORMATS[name]
    _, suffix, _ = split_name(file)
    for known in FORMATS.values():
        if suffix in known.suffixes:
            return known
    found = f"the suffix {suffix} belongs to no format" if suffix else "it has no suffix that names a format"
    packed = " ".join(COMPRESSIONS)
    remedy = f"Name one with --format: {', '.join(FORMATS)} ({packed} may follow a suffix)"
    raise FileError(f"{file}: {found}. {remedy}.")


def suffix_for(file: str, format: str | None = None) -> str:  # noqa: A002
    """The suffix, without its dot, for a network to be written in the same format as this file's.

    For a name that is not a file, such as that of a built-in network, it is `txt`.

    >>> suffix_for("contacts.csv.gz"), suffix_for("demo"), suffix_for("contacts.dat", "graphml")
    ('csv', 'txt', 'graphml')
    """
    _, suffix, _ = split_name(file)
    if format is not None and suffix not in FORMATS[format].suffixes:
        return FORMATS[format].suffixes[0].removeprefix(".")
    return suffix.removeprefix(".") or "txt"
