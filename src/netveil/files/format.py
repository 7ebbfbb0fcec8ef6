"""What a format is: a name, suffixes, a reader and a writer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from netveil.network import Network


@dataclass(frozen=True)
class Format:
    """One way to write a network into a file.

    Readers and writers see uncompressed bytes. The second argument of both is the name of the file as the
    user gave it: errors name it, and the suffix may matter (`.csv` has commas).
    """

    name: str
    suffixes: tuple[str, ...]  # lower case, without that of a compression
    description: str  # one line
    read: Callable[[bytes, str], Network]
    write: Callable[[Network, str], bytes]
