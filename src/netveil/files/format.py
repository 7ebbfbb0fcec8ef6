"""What a format is: a name, suffixes, a reader and a writer."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from netveil.network import Network


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
    suffixes: tuple[str, ...]  # lower case, without that of a compression
    description: str  # one line
    read: Callable[..., Network]  # (content, file), and what is in `options` by name, where it is given
    write: Callable[[Network, str], bytes]
    extras: Callable[[bytes, str], Extras] = lambda content, file: Extras()
    options: frozenset[str] = frozenset()  # of `ReadAs`, those that `read` takes
    holds_attributes: bool = False  # whether `write` writes those that the network has
    opening: re.Pattern[str] | None = None  # how a text begins that is of this format and no edge list
