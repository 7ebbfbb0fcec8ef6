"""Formats of files: name, suffixes, reader and, where there is one, writer; and the one list of them.

Also how a user wants a file to be read, where it could be read in several ways (`ReadAs`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from importlib import import_module
from typing import Any

from netveil.errors import FileError, SettingError, needing
from netveil.files.tables.lines import parsed_separator
from netveil.network import Network


def imported(module: str, extra: str, file: str) -> Any:
    """Module of a package that comes with an extra; MissingPackageError if it is not installed."""
    with needing(module.partition(".")[0], f"{file}: such a file", extra):
        return import_module(module)


Columns = str | Sequence[str | int]
"""Columns of people: 'A,B' or a pair, each by its name in the header or its number from 1.

Of nominations there may be more.
"""


@dataclass(frozen=True, kw_only=True)
class ReadAs:
    """Options of reading as a user gave them; None where netveil is to find out, or to ask."""

    format: str | None = None  # a name in FORMATS; without it, as the file's suffix says
    columns: Columns | None = None
    separator: str | None = None  # a character, or its name: 'tab', 'semicolon', …
    header: bool | None = None  # whether the first line names the columns
    encoding: str | None = None  # as Python calls it: 'cp1252', 'utf-16', …
    nominations: bool | None = None  # whether a line is a person and any number of named contacts
    sheet: str | None = None  # of a workbook, by its name
    persons: Any = None  # a file with attributes of people, or a `PersonTable`
    persons_key: str | None = None  # the column of that file that holds the labels of people

    @property
    def mark(self) -> str | None:
        """Separator as a character; None where none was given."""
        return None if self.separator is None else parsed_separator(self.separator)

    def of_tables(self) -> dict[str, Any]:
        """Options of tables that were given: keywords for a format's `read`."""
        others = ("format", "persons", "persons_key")
        given = {each.name: getattr(self, each.name) for each in fields(self) if each.name not in others}
        return {name: value for name, value in given.items() if value is not None}

    def without_persons(self) -> ReadAs:
        """Options of reading ties alone."""
        return replace(self, persons=None, persons_key=None)

    def for_format(self, name: str, understood: frozenset[str]) -> dict[str, Any]:
        """Options of tables that were given; SettingError if a format does not understand one."""
        said = self.of_tables()
        for option in said.keys() - understood:
            raise SettingError(f"{option} is of no use for {name} files; leave it out.")
        return said


_BEGINNING = 4096
"""Bytes that tell the format of what has no name."""


def no_writer(network: Network, file: str) -> bytes:
    """Writer of a format that is only read: FileError."""
    rule = "netveil reads files of this format, but writes none"
    raise FileError(f"{file}: {rule}. Choose another suffix or format, such as .csv or .graphml.")


NumberedRows = Sequence[tuple[int, Sequence[Any]]]
"""Rows of a table, the header among them, each with the number of its line."""


@dataclass(frozen=True)
class Format:
    """One way to write a network into a file.

    All functions see uncompressed bytes, but for `read` of a format that `reads_parts`. The second argument
    is the name of the file as the user gave it: errors name it, and the suffix may matter (.csv: commas).
    """

    name: str
    suffixes: tuple[str, ...]  # lower case, without that of a compression; none where --format must say it
    description: str  # one line
    read: Callable[..., Network]  # (content, file), and what is in `options` by name, where it is given
    reads_parts: bool = False  # whether `read` takes a large `StoredFile` as well, and reads it part by part
    write: Callable[[Network, str], bytes] = no_writer
    options: frozenset[str] = frozenset()  # of `ReadAs`, those that `read` takes
    holds_attributes: bool = False  # whether `write` writes those that the network has
    opening: re.Pattern[str] | None = None  # how a text begins that is of this format and no edge list
    magic: tuple[bytes, ...] = ()  # how the bytes of a file begin that is no text
    tables: Callable[[bytes, str], Mapping[str, NumberedRows]] | None = None  # all, such as sheets, by name

    @property
    def is_written(self) -> bool:
        """Whether netveil writes the format, and not only reads it."""
        return self.write is not no_writer

    def begins(self, content: bytes) -> bool:
        """Whether content begins like this format."""
        text = content[:_BEGINNING].decode("utf-8-sig", errors="replace")
        return content.startswith(self.magic) or bool(self.opening and self.opening.match(text))
