"""Open the network that a user names, with a bar where that takes long."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from netveil.cli.bars import share_on_bar

if TYPE_CHECKING:
    from netveil.files import ReadAs
    from netveil.network import Network

WORTH_A_BAR = 1 << 25
"""Bytes of a file that takes seconds to read."""


def opened_on_bar(name: str, asked: ReadAs, quiet: bool) -> Network:
    """A file, standard input, or a built-in or fetched network."""
    from netveil.listening import heard_by
    from netveil.open_network import open_network

    with share_on_bar("reading", quiet or not _is_large(name)) as listener, heard_by(listener):
        return open_network(name, asked)


def _is_large(name: str) -> bool:
    try:
        return Path(name).stat().st_size >= WORTH_A_BAR
    except (OSError, ValueError):  # no file, or none that can be looked at: reading tells
        return False
