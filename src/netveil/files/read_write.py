"""Read and write a network in the format that its file's suffix or the user names."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from netveil.errors import FileError, option, unknown_name
from netveil.files.asked import Columns, ReadAs
from netveil.files.format import Format
from netveil.files.formats import FORMATS
from netveil.files.node_table import find_nodes, holds_no_tie, with_nodes
from netveil.files.oddities import accounted
from netveil.files.storage import (
    COMPRESSIONS,
    STDIN,
    STDIN_NAME,
    compression_of,
    decompressed,
    split_name,
    store,
    stored_bytes,
)
from netveil.files.stored_file import StoredFile, open_stored
from netveil.files.table_kind import LOOKED_AT, kind_of_table, may_be_another
from netveil.files.tables.plain_text import parts_of
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

    `-` is standard input; without `format`, how it begins says what it is, and what says nothing is an edge
    list.

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
    """Network from a file or standard input, read as a user asked.

    A published table comes with the nodes in the table beside it.
    """
    is_stdin = file == STDIN
    source, name = (STDIN_NAME, STDIN_NAME) if is_stdin else (file, split_name(file)[0])
    read_here = None if is_stdin else _read_in_parts(file, format_of(file, asked.format), asked)
    network, chosen, digest = read_here or _read_at_once(file, asked)
    reading = network.reading or _plain_reading(network, chosen)
    reading = accounted(network, reading, network.labels)
    return replace(network, name=name, file=Path(source).name, sha256=digest, reading=reading)


class _Read(NamedTuple):
    """What was read."""

    network: Network
    format: Format
    sha256: str  # of the file


def _read_in_parts(file: str, chosen: Format, asked: ReadAs) -> _Read | None:
    """Read a large file whose bytes need not stand in memory all at once; None if that cannot be done."""
    if chosen.read_stored is None or split_name(file)[2]:
        return None
    stored = open_stored(file)
    if stored is None:
        return None
    with stored:
        if chosen.name == "edge-list" and not _is_plain_list(stored, asked):
            return None
        network = chosen.read_stored(stored, file, **asked.for_format(chosen.name, chosen.options))
        return None if network is None else _Read(network, chosen, stored.sha256())


def _is_plain_list(stored: StoredFile, asked: ReadAs) -> bool:
    """Whether a text can only be an edge list, and has no table of nodes beside it."""
    if find_nodes(Path(stored.file)) is not None:
        return False
    if asked.format is not None or asked.columns is not None:
        return True
    size = stored.size

    def lines() -> int:
        return sum(part.count(b"\n") for part in parts_of(stored, 0, size))

    ends = stored.part(0, LOOKED_AT), stored.part(max(size - LOOKED_AT, 0), size)
    return not may_be_another(*ends, lines)


def _read_at_once(file: str, asked: ReadAs) -> _Read:
    """Read a file, or standard input, all of whose bytes fit into memory."""
    if file == STDIN:
        stored = stored_bytes(file)
        source = STDIN_NAME
        content = decompressed(stored, source, compression_of(stored))
        chosen = format_that_begins(content) if asked.format is None else format_of(source, asked.format)
    else:
        chosen = format_of(file, asked.format)  # before the file is touched
        stored = stored_bytes(file)
        source = file
        content = decompressed(stored, source, split_name(file)[2])
    digest = sha256(stored).hexdigest()
    del stored  # what is packed need not stay in memory beside what it holds
    nodes = find_nodes(Path(file)) if chosen.name == "edge-list" else None
    if nodes is not None and holds_no_tie(content):
        network = Network.from_numbered_edges([], 0)
    else:
        if nodes is None and asked.format is None and chosen.name == "edge-list":
            chosen = FORMATS[kind_of_table(content, source, asked)]
        network = chosen.read(content, source, **asked.for_format(chosen.name, chosen.options))
    network = network if nodes is None else with_nodes(network, nodes)
    return _Read(network, chosen, digest)


def format_that_begins(content: bytes) -> Format:
    """The format of content without a name: as its beginning says, an edge list if that says nothing."""
    return next((known for known in FORMATS.values() if known.begins(content)), FORMATS["edge-list"])


def _plain_reading(network: Network, chosen: Format) -> Reading:
    """How a file was read that can be read in one way only: its format, and the first ties."""
    ties = network.edge_labels(range(min(FIRST_TIES, network.edge_count)))
    return Reading(chosen.name, first=tuple((str(u), str(v)) for u, v in ties))


def write(
    network: Network,
    path: str | os.PathLike[str],
    format: str | None = None,  # noqa: A002
    *,
    keep_attributes: Iterable[str] = (),
    overwrite: bool = False,
) -> None:
    """Write labels and edges, and nothing else, to a file that appears whole or not at all.

    Of the network's attributes those in `keep_attributes` are written too, to GraphML and GML. A file that is
    there stays as it is, and FileError says so, unless `overwrite` asks to replace it.
    """
    file = os.fspath(path)
    chosen, (attributes, _) = format_to_write(file, format), network.attributes.chosen(keep_attributes)
    if attributes.names and not chosen.holds_attributes:
        raise cannot_hold_attributes(file, chosen)
    check_place(file, overwrite=overwrite)
    store(chosen.write(replace(network, attributes=attributes), file), file)


def check_place(file: str, *, overwrite: bool) -> None:
    """Raise if there is a file already that nobody asked to replace."""
    if not overwrite and os.path.lexists(file):
        replacing = option("overwrite", True)
        raise FileError(f"{file} exists already. Give another name, or replace it with {replacing}.")


def cannot_hold_attributes(file: str, chosen: Format) -> FileError:
    """Error for attributes that are to go into a file of a format that has no place for them."""
    able = " or ".join(name for name, each in FORMATS.items() if each.holds_attributes)
    return FileError(f"{file}: {chosen.name} has no place for attributes. Choose {able}, or keep none.")


def format_of(file: str, name: str | None = None) -> Format:
    """The format that `name` or the suffix of a file says; an error where neither does."""
    if name is not None:
        if name not in FORMATS:
            raise unknown_name("format", name, FORMATS)
        return FORMATS[name]
    _, suffix, _ = split_name(file)
    known = _format_with(suffix)
    if known is not None:
        return known
    found = f"the suffix {suffix} belongs to no format" if suffix else "it has no suffix that names a format"
    packed = " ".join(COMPRESSIONS)
    remedy = f"Name one with {option('format')}: {', '.join(FORMATS)} ({packed} may follow a suffix)"
    raise FileError(f"{file}: {found}. {remedy}.")


def format_to_write(file: str, name: str | None = None) -> Format:
    """The format that `name` or the suffix of a file says, if netveil writes it; an error if it does not."""
    chosen = format_of(file, name)
    if not chosen.is_written:
        others = ", ".join(known.name for known in FORMATS.values() if known.is_written)
        rule = f"netveil reads {chosen.name} files, but does not write them"
        raise FileError(f"{file}: {rule}. Choose one of {others}, or the suffix of one, such as .csv.")
    return chosen


def suffix_for(file: str, format: str | None = None) -> str:  # noqa: A002
    """The suffix, without its dot, for a network to be written in the same format as this file's.

    For a name that is not a file, such as that of a built-in network, it is `txt`; for a format that is
    only read, `csv`.

    >>> suffix_for("contacts.csv.gz"), suffix_for("demo"), suffix_for("contacts.dat", "graphml")
    ('csv', 'txt', 'graphml')
    >>> suffix_for("contacts.xlsx"), suffix_for("contacts.txt", "matrix")
    ('csv', 'csv')
    """
    _, suffix, _ = split_name(file)
    known = FORMATS[format] if format is not None else _format_with(suffix)
    if known is not None and not known.is_written:
        return "csv"
    if known is not None and suffix not in known.suffixes:
        return known.suffixes[0].removeprefix(".")
    return suffix.removeprefix(".") or "txt"


def _format_with(suffix: str) -> Format | None:
    return next((known for known in FORMATS.values() if suffix in known.suffixes), None)
