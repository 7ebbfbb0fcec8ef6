"""What a format is: a name, suffixes, a reader and, where there is one, a writer."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from netveil.errors import FileError
from netveil.network import Network

_BEGINNING = 4096
"""Bytes that tell the format of what has no name."""


def no_writer(network: Network, file: str) -> bytes:
    """Stands for the writer of a format that is only read."""
    rule = "netveil reads files of this format, but writes none"
    raise FileError(f"{file}: {rule}. Choose another suffix or format, such as .csv or .graphml.")


@dataclass(frozen=True)
class Extras:
    """What a file holds beside labels and edges: an audit warns of it."""

    columns: int = 0  # columns or attributes
    remarks: tuple[str, ...] = ()  # comments and the like


@dataclass(frozen=True)
class Format:
    """One way to write a network into a file.

    All functions see uncompressed bytes. The second argument is the name of the file as the user gave it:
    errors name it, and the suffix may matter (`.csv` has commas).
    """

    name: str
    suffixes: tuple[str, ...]  # lower case, without that of a compression; none where --format must say it
    description: str  # one line
    read: Callable[..., Network]  # (content, file), and what is in `options` by name, where it is given
    read_stored: Callable[..., Network | None] | None = (
        None  # the same of a large `StoredFile`, part by part;
    )
    # where it returns None, `read` must read it
    write: Callable[[Network, str], bytes] = no_writer
    extras: Callable[[bytes, str], Extras] = lambda content, file: Extras()
    options: frozenset[str] = frozenset()  # of `ReadAs`, those that `read` takes
    holds_attributes: bool = False  # whether `write` writes those that the network has
    opening: re.Pattern[str] | None = None  # how a text begins that is of this format and no edge list
    magic: tuple[bytes, ...] = ()  # how the bytes of a file begin that is no text

    @property
    def is_written(self) -> bool:
        """Whether netveil writes it, and not only reads it."""
        return self.write is not no_writer

    def begins(self, content: bytes) -> bool:
        """Whether the beginning of some content says that it is of this format."""
        if content.startswith(self.magic):
            return True
        if self.opening is None:
            return False
        return self.opening.match(content[:_BEGINNING].decode("utf-8-sig", errors="replace")) is not None
