"""Read and write a network in the format that its file's suffix or the user names."""

from __future__ import annotations

import os
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from netveil.errors import FileError, unknown_name
from netveil.files.asked import Columns, ReadAs
from netveil.files.format import Format
from netveil.files.formats import FORMATS
from netveil.files.storage import COMPRESSIONS, load, split_name, store
from netveil.network import Network
from netveil.reading import FIRST_TIES, Reading


def read(
    path: str | os.PathLike[str],
    format: str | None = None,  # noqa: A002
    *,
    columns: Columns | None = None,
    separator: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
) -> Network:
    """Network from a file, in the format that its suffix or `format` names; .gz, .bz2 and .xz may follow.

    Parameters
    ----------
    columns
        The two columns of a table that hold the people: 'A,B' or a pair, by names of the header or by numbers
        from 1.
    separator
        What stands between the cells of a table: a character, or 'tab', 'comma', 'semicolon', 'bar', 'blank'.
    header
        Whether the first line of a table names its columns.
    encoding
        Of a text, as Python calls it: 'cp1252', 'utf-16'.

    What is not given is found out from the file; where it can be read in two ways, an error asks.
    """
    asked = ReadAs(format=format, columns=columns, separator=separator, header=header, encoding=encoding)
    return read_as(os.fspath(path), asked)


def read_as(file: str, asked: ReadAs) -> Network:
    """Network from a file, read as a user asked."""
    chosen = format_of(file, asked.format)
    network = chosen.read(load(file), file, **asked.for_format(chosen.name, chosen.options))
    reading = network.reading or _plain_reading(network, chosen)
    return replace(
        network,
        name=split_name(file)[0],
        file=Path(file).name,
        sha256=sha256(Path(file).read_bytes()).hexdigest(),
        reading=reading,
    )


def _plain_reading(network: Network, chosen: Format) -> Reading:
    """How a file was read that can be read in one way only: its format, and the first ties."""
    ties = network.edge_labels(range(min(FIRST_TIES, network.edge_count)))
    return Reading(chosen.name, first=tuple((str(u), str(v)) for u, v in ties))


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
