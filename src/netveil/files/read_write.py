"""Read and write a network in the format that its file's suffix or the user names."""

from __future__ import annotations

import csv
import io
import os
import stat
from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from netveil.errors import (
    DirectionsWarning,
    FileError,
    LossWarning,
    SettingError,
    check_kinds,
    option,
    warn_caller,
)
from netveil.files.adjacency_list import looks_like_adjacency_list
from netveil.files.edge_list import NEEDS_QUOTES, TABLE_SEPARATORS, written_table
from netveil.files.encodings import decoded
from netveil.files.format import Columns, Format, ReadAs
from netveil.files.labels import as_lines, fit_labels, quoted
from netveil.files.matrix import looks_like_matrix
from netveil.files.other_kinds import LOOKED_AT as BYTES_OF_KINDS, check_kind
from netveil.files.persons import WITHOUT_ATTRIBUTES, Persons, PersonTable, persons_of_frame, with_persons
from netveil.files.storage import (
    COMPRESSIONS,
    STDIN,
    STDIN_NAME,
    Content,
    bounded_bytes,
    compression_of,
    decompressed,
    in_memory,
    load_file,
    open_stored,
    split_name,
    store,
    stored_bytes,
)
from netveil.files.tables.cells import question, without_declaration
from netveil.files.tables.lines import SEPARATORS, cells_at, lines_of, parts_of
from netveil.files.tables.people import accounted
from netveil.formatting import counted, text_in
from netveil.network import DIRECTIONS, FIRST_TIES, WEIGHTS, Network, Reading, as_network, losses
from netveil.registries import FORMATS

if TYPE_CHECKING:
    import pandas

# What a table in a text is, where its name does not tell: ties, everybody's contacts, or a matrix.


LOOKED_AT = 100_000
"""Bytes at both ends of a text."""

LINES_FOR_COLONS = 1000  # that are looked at for those of adjacency lists


def kind_of_table(content: Content, file: str, asked: ReadAs) -> str:
    """Format of a text that may be an edge list; a question where it could be two of them."""
    if asked.columns is not None or asked.nominations or not _may_be_another(content):
        return "edge-list"
    lines = without_declaration(lines_of(decoded(in_memory(content), file, asked.encoding)).texts)
    is_plain = asked.header is None and asked.separator is None
    if is_plain and looks_like_adjacency_list(lines[:LINES_FOR_COLONS]):
        return "adjacency-list"
    marks = [mark for mark in SEPARATORS if any(mark in line for line in lines)]
    for mark in [asked.mark] if asked.mark else marks:
        rows = [cells_at(line, mark) or [line] for line in lines]
        if all(len(row) > 2 and not row[-1] for row in rows):  # a separator at the end of each line
            rows = [row[:-1] for row in rows]
        told = looks_like_matrix(rows)
        if told is None:
            raise question(
                file,
                "it could be a matrix or a list of ties with weights",
                f"Give {option('format', 'matrix')} or {option('format', 'edge-list')}.",
                rows,
            )
        if told:
            return "matrix"
    return "edge-list"


def _may_be_another(content: Content) -> bool:
    """Whether a text has a colon in its first lines, or as many lines as cells in one.

    Only then it may be another table than an edge list, so that all of it must be looked at.
    """
    size = len(content)
    # Zeros are those of two bytes a letter.
    beginning, end = (
        content[start : start + LOOKED_AT].replace(b"\0", b"") for start in (0, max(size - LOOKED_AT, 0))
    )
    first = [line for line in beginning.splitlines()[:20] if not line.lstrip(b" ").startswith((b"#", b"%"))]
    if any(b": " in line or line.rstrip().endswith(b":") for line in first):
        return True
    lines = [*first, *end.splitlines()[-2:]]
    longest = max((line.count(mark.encode()) + 1 for line in lines for mark in SEPARATORS), default=0)
    if longest < 3:
        return False
    line_end = b"\n" if b"\n" in beginning else b"\r"
    count = sum(part.count(line_end) for part in parts_of(content, 0, size))
    return count - longest < 20  # comments, empty lines and names may come on top


def read(
    path: str | os.PathLike[str],
    format: str | Format | None = None,  # noqa: A002
    *,
    columns: Columns | None = None,
    separator: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    nominations: bool | None = None,
    sheet: str | None = None,
    persons: Persons | pandas.DataFrame | None = None,
    persons_key: str | None = None,
) -> Network:
    """Network from a file, in the format that its suffix or `format` names; .gz, .bz2 and .xz may follow.

    `-` is standard input; without `format`, how it begins says what it is, and what says nothing is an edge
    list.

    What is not given is found out from the file; where it can be read in two ways, an error asks.

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
    nominations
        Whether a line is a person and any number of named contacts; `columns` may then be more than two, and
        'respondent,colleague*' has a star for any ending.
    sheet
        Of a workbook, the name of the one with the ties.
    persons
        Attributes of people: a .csv, .tsv, .xlsx or .parquet file, or a table of pandas. People in it without
        ties come in.
    persons_key
        Name of the column of `persons` that holds the labels of people; the first without it.

    Examples
    --------
    >>> import netveil as nv
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as place:
    ...     file = Path(place, "contacts.csv")
    ...     _ = file.write_text("who,whom\\nanna,bob\\nbob,carl\\n")
    ...     nv.read(file, header=True)
    Network('contacts', 3 nodes, 2 edges)
    """
    format = None if format is None else FORMATS.named(format)  # noqa: A001
    texts = ("separator", "encoding", "sheet", "persons_key")
    check_kinds(locals(), path="file", header="flag?", nominations="flag?", **dict.fromkeys(texts, "text?"))
    asked = ReadAs(
        format=format,
        columns=columns,
        separator=separator,
        header=header,
        encoding=encoding,
        nominations=nominations,
        sheet=sheet,
        persons=None if persons is None else _as_persons(persons, persons_key),
        persons_key=persons_key,
    )
    network = read_as(os.fspath(path), asked)
    _warn_of_losses(network, os.fspath(path))
    return network


def _warn_of_losses(network: Network, file: str) -> None:
    """Warn once of directions and weights that were dropped, and of people who are not among the persons."""
    lost, reading = losses(network), network.reading
    told = [lost[DIRECTIONS]] if DIRECTIONS in lost else []
    if reading is not None:  # weights that are attributes are still there
        told += [lost[WEIGHTS]] if WEIGHTS in reading.dropped else []
        told += [each for each in reading.oddities if each.endswith(WITHOUT_ATTRIBUTES)]
    if told:
        category = DirectionsWarning if DIRECTIONS in lost else LossWarning
        warn_caller(f"{file}: {'; '.join(told)}.", category)


def _as_persons(given: Persons | pandas.DataFrame, key: str | None) -> Persons:
    """Persons as a file or a table; those of pandas are read."""
    if isinstance(given, str | os.PathLike | PersonTable):
        return given
    if not hasattr(given, "columns"):
        raise SettingError(f"persons: give a file or a DataFrame, not a {type(given).__name__}.")
    return persons_of_frame(given, key)


def read_as(file: str, asked: ReadAs) -> Network:
    """Network from a file or standard input, read as a user asked.

    A published table comes with the nodes in the table beside it.
    """
    return with_persons(_read_ties(file, asked.without_persons()), asked.persons, asked.persons_key)


def _read_ties(file: str, asked: ReadAs) -> Network:
    is_stdin = file == STDIN
    source, name = (STDIN_NAME, STDIN_NAME) if is_stdin else (file, split_name(file)[0])
    if not is_stdin and asked.format is None and _format_with(split_name(file)[1]) is None:
        check_kind(_beginning_of(file), file)
    # What a file is called is checked before the file is touched.
    known = None if is_stdin and asked.format is None else format_of(source, asked.format)
    with open_stored(file) if known and known.reads_parts else nullcontext() as stored:
        if stored is None:
            packed = stored_bytes(file)
            content: Content = decompressed(packed, source, _packing(packed, file))
            digest = sha256(packed).hexdigest()
            del packed  # what is packed need not stay in memory beside what it holds
        else:
            content = stored
        network, chosen = _read_content(content, source, known, asked)
        digest = digest if stored is None else stored.sha256()
    reading = network.reading or Reading(chosen.name)
    if not reading.first:  # it can be read in one way only
        ties = network.edge_labels(range(min(FIRST_TIES, network.edge_count)))
        reading = replace(reading, first=tuple((str(u), str(v)) for u, v in ties))
    reading = accounted(network, reading, network.labels)
    return replace(network, name=name, file=Path(source).name, sha256=digest, reading=reading)


def _packing(content: bytes, file: str) -> str:
    """Compression of a file, by its name or, of standard input, by how it begins."""
    return compression_of(content) if file == STDIN else split_name(file)[2]


def _beginning_of(file: str) -> bytes:
    """First bytes of a file, and all of a zip archive; none if it cannot be read."""
    try:
        with Path(file).open("rb") as stream:
            start = stream.read(BYTES_OF_KINDS)
    except (OSError, ValueError):  # reading tells why
        return b""
    return bounded_bytes(file) if start.startswith(b"PK\x03\x04") else start


def _read_content(content: Content, file: str, known: Format | None, asked: ReadAs) -> tuple[Network, Format]:
    """Network in the content of a file, and its format, which is told by how it begins unless it is known."""
    begun = (each for each in FORMATS.values() if each.begins(content[0:LOOKED_AT]))
    chosen = known or next(begun, FORMATS["edge-list"])
    check_kind(content, file, chosen.name)
    nodes = find_nodes(Path(file)) if chosen.name == "edge-list" else None
    if nodes is None and isinstance(content, bytes) and not (content[:LOOKED_AT].strip() or content.strip()):
        raise FileError(f"{file}: the file is empty. Give one that has ties, or people, in it.")
    if nodes is not None and holds_no_tie(content):
        network = Network.from_numbered_edges([], 0)
    else:
        if nodes is None and asked.format is None and chosen.name == "edge-list":
            chosen = FORMATS[kind_of_table(content, file, asked)]
        given = content if chosen.reads_parts else in_memory(content)
        network = chosen.read(given, file, **asked.for_format(chosen.name, chosen.options))
    return network if nodes is None else with_nodes(network, nodes), chosen


def write(
    network: Network,
    path: str | os.PathLike[str],
    format: str | Format | None = None,  # noqa: A002
    *,
    keep_attributes: Iterable[str] = (),
    overwrite: bool = False,
) -> None:
    """Write labels and edges, and nothing else, to a file that appears whole or not at all.

    Of the network's attributes those in `keep_attributes` are written too, to GraphML and GML. A file that is
    there stays as it is, and FileError says so, unless `overwrite` asks to replace it.

    >>> import netveil as nv
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as place:
    ...     nv.write(nv.load("karate"), f"{place}/karate.csv")
    ...     nv.read(f"{place}/karate.csv").edge_count
    78
    """
    check_kinds(locals(), path="file", keep_attributes="names", overwrite="flag")
    format = None if format is None else FORMATS.named(format)  # noqa: A001
    network, file = as_network(network), os.fspath(path)
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
    """Format that `name` or the suffix of a file says; an error where neither does."""
    if name is not None:
        return FORMATS[FORMATS.named(name)]
    _, suffix, _ = split_name(file)
    known = _format_with(suffix)
    if known is not None:
        return known
    found = f"the suffix {suffix} belongs to no format" if suffix else "it has no suffix that names a format"
    packed = " ".join(COMPRESSIONS)
    remedy = f"Name one with {option('format')}: {', '.join(FORMATS)} ({packed} may follow a suffix)"
    raise FileError(f"{file}: {found}. {remedy}.")


def format_to_write(file: str, name: str | None = None) -> Format:
    """Format that `name` or the suffix of a file says; an error if netveil does not write it."""
    chosen = format_of(file, name)
    if not chosen.is_written:
        others = ", ".join(known.name for known in FORMATS.values() if known.is_written)
        rule = f"netveil reads {chosen.name} files, but does not write them"
        raise FileError(f"{file}: {rule}. Choose one of {others}, or the suffix of one, such as .csv.")
    return chosen


def suffix_for(file: str, format: str | None = None) -> str:  # noqa: A002
    """The suffix, without its dot, for a network to be written in the same format as this file's.

    For a name that is not a file, such as that of a built-in network, it is `txt`; for a format that is
    only read, or that no suffix names because it is somebody's `module:object`, `csv`.

    >>> suffix_for("contacts.csv.gz"), suffix_for("demo"), suffix_for("contacts.dat", "graphml")
    ('csv', 'txt', 'graphml')
    >>> suffix_for("contacts.xlsx"), suffix_for("contacts.txt", "matrix")
    ('csv', 'csv')
    """
    _, suffix, _ = split_name(file)
    known = FORMATS[FORMATS.named(format)] if format is not None else _format_with(suffix)
    if known is not None and not (known.is_written and known.name in FORMATS):
        return "csv"
    if known is not None and suffix not in known.suffixes:
        return known.suffixes[0].removeprefix(".")
    return suffix.removeprefix(".") or "txt"


def _format_with(suffix: str) -> Format | None:
    return next((known for known in FORMATS.values() if suffix in known.suffixes), None)


# The table of nodes beside the table of ties in a public folder: people without ties have no place in that.
#
#     public/network.csv  source,target   a line a tie
#     public/nodes.csv    node            a line a node, every published label in the order of the network
#
# It is written for .csv and .tsv files only: other formats have a place for nodes of their own.


HEADER = "node"
LONGEST_HEADER = 1000  # bytes of the first line of a published table: names of columns


def place_of_nodes(network_file: Path) -> Path | None:
    """File of the nodes of a published table, `nodes` for `network`; None for other formats."""
    stem, suffix, compression = split_name(str(network_file))
    if suffix not in TABLE_SEPARATORS or stem != "network":
        return None
    return network_file.with_name(f"nodes{suffix}{compression}")


def find_nodes(network_file: Path) -> Path | None:
    """File with the nodes of a network, if that lies in a public folder with one."""
    place = place_of_nodes(network_file)
    in_public = network_file.parent.name == "public" and (network_file.parent / "about.json").is_file()
    return place if place is not None and in_public and place.is_file() else None


def write_tables(network: Network, network_file: Path, place: Path) -> None:
    """Write the table of ties and, at that place, the table of nodes."""
    separator = TABLE_SEPARATORS[split_name(str(network_file))[1]]
    store(written_table(network, str(network_file), separator, isolated=False), str(network_file))
    labels = [quoted(label, NEEDS_QUOTES) for label in fit_labels(network, str(place))]
    store(as_lines([HEADER, *labels]), str(place))


def read_nodes(file: Path) -> tuple[list[str], int]:
    """Labels of a table of nodes and number of its further columns; FileError unless each label is once."""
    text = decoded(load_file(str(file)), str(file))
    try:
        rows = list(
            csv.reader(io.StringIO(text, newline=""), delimiter=TABLE_SEPARATORS[split_name(str(file))[1]])
        )
    except csv.Error:
        rows = []
    labels = [row[0] if row else "" for row in rows]
    if labels[:1] != [HEADER] or not all(labels) or len(set(labels[1:])) < len(labels) - 1:
        rule = f"expected the column {HEADER} with a label in each line, and each label once"
        raise FileError(f"{file}: {rule}. Make the release again.")
    return labels[1:], max(map(len, rows)) - 1


def with_nodes(network: Network, file: Path) -> Network:
    """A network with the nodes of its table, in that order; numbers 0 to n-1 become whole numbers again."""
    labels, _ = read_nodes(file)
    number = {label: place for place, label in enumerate(labels)}
    unknown = sum(str(label) not in number for label in network.labels)
    if unknown:
        rule = f"{counted(unknown, 'label')} of the network cannot be found in it"
        raise FileError(f"{file}: {rule}. Make the release again.")
    new_number = np.array([number[str(label)] for label in network.labels], dtype=np.int64)
    numbered = labels == [str(place) for place in range(len(labels))]
    found = Network.from_numbered_edges(
        new_number[network.edges],
        len(labels),
        None if numbered else tuple(labels),
        notes=(*network.notes, f"{counted(len(labels), 'node')} from {file.name}"),
    )
    return replace(found, dropped=network.dropped, reading=network.reading)


def holds_no_tie(content: Content) -> bool:
    """Whether a published table has a header only, as that of people who have no ties."""
    return len(content[0:LONGEST_HEADER].splitlines()) == 1


# Files of a release folder: the published network, to read and to write, and the table of labels.


@dataclass(frozen=True)
class ReleaseFiles:
    """Files of a release folder."""

    network: Path
    labels: Path | None  # None where only the public part is at hand


def find_release(path: str | os.PathLike[str]) -> ReleaseFiles | None:
    """Files of the release that this folder, its public folder or its network file belongs to, if any."""
    given = Path(path)
    if given.is_dir():
        is_public = given.resolve().name == "public"
        public = given if is_public else given / "public"
        check_plain(given.resolve().parent if is_public else given)
        network = _network_in(public, given)
    elif (
        given.resolve().parent.name == "public" and split_name(given.name)[0] == "network" and given.is_file()
    ):
        public, network = given.resolve().parent, given
        check_plain(public.parent)
    else:
        return None
    labels = public.resolve().parent / "private" / "labels.csv"
    return ReleaseFiles(network, labels if labels.is_file() else None)


_JUNCTION = getattr(stat, "IO_REPARSE_TAG_MOUNT_POINT", "none")  # a folder of Windows that is a link


def check_plain(folder: str | os.PathLike[str], parts: Iterable[str] = ("public", "private")) -> None:
    """Raise if anything in these parts of a folder is neither a file nor a folder; links are not followed.

    Somebody may have sent the folder. A link in it leads to files of whoever opens it, which might then be
    published; reading from a pipe or a device may never end.
    """
    left = [Path(folder) / part for part in parts]
    while left:
        path = left.pop()
        try:
            about = path.lstat()
            if stat.S_ISDIR(about.st_mode) and getattr(about, "st_reparse_tag", None) != _JUNCTION:
                left += sorted(path.iterdir())
                continue
        except (OSError, ValueError):  # nothing is there, or nobody here may look: reading tells which
            continue
        if not stat.S_ISREG(about.st_mode):
            is_link = stat.S_ISLNK(about.st_mode) or stat.S_ISDIR(about.st_mode)
            what = "a link, which may lead anywhere" if is_link else "neither a file nor a folder"
            raise FileError(
                f"{path} is {what}; nothing of {folder} is read. Put a plain copy in its place, or remove it."
            )


def write_published(network: Network, file: Path) -> None:
    """Write the network of a release into its public folder; beside a table of ties stands one of nodes."""
    place = place_of_nodes(file)
    if place is None:
        write(network, file, keep_attributes=network.attributes.names)
    else:
        write_tables(network, file, place)


def read_labels(path: str | os.PathLike[str]) -> dict[str, str]:
    """Original label → published label, from the table `original,published` of a release."""
    return dict(read_pairs(path, ("original", "published"), "labels", "Give a release's labels.csv."))


def read_pairs(
    path: str | os.PathLike[str], columns: tuple[str, str], what: str, remedy: str
) -> list[tuple[str, str]]:
    """Rows of a private table of a release, which has these two columns."""
    try:
        text = io.StringIO(bounded_bytes(path).decode("utf-8-sig"), newline="")
        header, *rows = list(csv.reader(text)) or [[]]
    except (OSError, ValueError, csv.Error):
        raise FileError(f"{path} cannot be read as a table of {what}. {remedy}") from None
    if header != list(columns):
        raise FileError(f"{path}, line 1: expected the columns {','.join(columns)}. {remedy}")
    for number, row in enumerate(rows, start=2):
        if len(row) != 2:
            raise FileError(f"{path}, line {number}: expected two labels, found {len(row)}.")
    return [(text_in(first), text_in(second)) for first, second in rows]


def _network_in(public: Path, given: Path) -> Path:
    found = sorted(public.glob("network.*")) if public.is_dir() else []
    if not found:
        raise FileError(f"{given} is a folder without public/network.*. Give a release folder or a file.")
    if len(found) > 1:
        raise FileError(f"{public} has {len(found)} files network.*. Name the one to compare.")
    return found[0]
