"""What a published file says besides labels and edges: columns, attributes, comments, a .gz header."""

from __future__ import annotations

import getpass
import re
import socket
from collections.abc import Iterator
from pathlib import Path

from netveil.auditing.leak import Leak
from netveil.files import format_of
from netveil.files.storage import load, split_name
from netveil.network import Network
from netveil.words import counted

MORE_THAN_TIES = (
    "Nobody is protected from those who know them: publish them only if they tell nothing about people."
)

REMEDY = "Write the network again with netveil, which writes labels and edges and nothing else."

TELLING = {
    "a path": re.compile(r"(?:^|[\s\"'=(:])~?(?:/[\w.+-]++){2}|\b[A-Za-z]:[\\/]\w|\\\\\w"),
    "an address": re.compile(r"\S@\w|\w://\S|\bwww\."),
    "a date": re.compile(r"\b\d{4}-\d\d-\d\d\b|\b\d{1,2}[./]\d{1,2}[./]\d{4}\b"),
}
"""What comments may give away."""

_GZIP_HAS_NAME = 0x08


def file_leaks(file: Path, format_name: str | None = None) -> Iterator[Leak]:
    """Everything that the text of a published file gives away, whatever its labels are."""
    name = str(file)
    extras = format_of(name, format_name).extras(load(name), name)
    if extras.columns:
        finding = (
            f"The file has further columns or attributes ({extras.columns:,}) besides the ends of each edge: "
            f"a weight or a time can single a tie out."
        )
        yield Leak("leak", "columns", finding, MORE_THAN_TIES)
    if extras.remarks:
        yield _about(extras.remarks)
    yield from packing_leaks(file)


def attribute_leaks(released: Network) -> Iterator[Leak]:
    """The attributes of a network that is not yet in a file, but will be published with them."""
    count = len(released.attributes.node) + len(released.attributes.edge)
    if count:
        finding = (
            f"The release carries attributes ({count:,}) besides the ends of each edge: an age, a weight "
            f"or a time can single people and ties out."
        )
        yield Leak("leak", "columns", finding, MORE_THAN_TIES)


def packing_leaks(file: Path) -> Iterator[Leak]:
    """What a compressed file says of the file that was compressed."""
    if split_name(str(file))[2] == ".gz" and _names_its_source(file):
        finding = "The compressed file holds the name of the file that it was made from, or its time."
        yield Leak("warning", "comments", finding, "Compress it with gzip --no-name.")


def _about(remarks: tuple[str, ...]) -> Leak:
    telling = [what for what, pattern in TELLING.items() if any(map(pattern.search, remarks))]
    telling += [what for what, word in _this_machine().items() if any(map(word.search, remarks))]
    held = f"The file holds {counted(len(remarks), 'comment')}"
    if telling:
        return Leak("leak", "comments", f"{held}, with {' and '.join(telling)}.", REMEDY)
    return Leak("warning", "comments", f"{held}: check that nothing tells where the data come from.", REMEDY)


def _this_machine() -> dict[str, re.Pattern[str]]:
    """Patterns for the names of this user and this machine."""
    try:
        names = {"the name of a user": getpass.getuser(), "the name of a machine": socket.gethostname()}
    except (OSError, KeyError):  # the system has no such names
        return {}
    return {
        what: re.compile(rf"\b{re.escape(name)}\b", re.IGNORECASE)
        for what, name in names.items()
        if len(name) > 2
    }


def _names_its_source(file: Path) -> bool:
    with file.open("rb") as stream:
        header = stream.read(10)
    return len(header) == 10 and bool(header[3] & _GZIP_HAS_NAME or any(header[4:8]))
