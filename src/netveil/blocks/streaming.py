"""Cut a file into blocks without holding its network: ties are streamed to disk, and sorted there.

What cannot be streamed is read whole, and cut as a network in memory is: the blocks are the same.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, cast

from netveil.blocks.arrow_stream import NotStreamedError, ties_of_arrow
from netveil.blocks.cutting import BlocksFolder, checked_blocks, cut_network
from netveil.blocks.edges_on_disk import EdgesOnDisk, sha256_of
from netveil.blocks.manifest import Blocks
from netveil.blocks.table_stream import ties_of_table
from netveil.errors import NetveilError
from netveil.files import ReadAs
from netveil.files.hidden import hidden_folder
from netveil.files.node_table import find_nodes
from netveil.files.oddities import accounted
from netveil.files.read_write import format_of
from netveil.files.storage import STDIN, split_name
from netveil.network import Network
from netveil.open_network import open_network


class CutFile(NamedTuple):
    """A network that was cut, and how it was read."""

    blocks: Blocks
    read_whole: str  # why it was not streamed; empty if it was


def cut_file(
    network: str | os.PathLike[str],
    out: str | os.PathLike[str],
    blocks: int | None = None,
    *,
    read_as: ReadAs | None = None,
    overwrite: bool = False,
    listener: Callable[[float], None] | None = None,
) -> CutFile:
    """Write the blocks of the network in a file, or of one that netveil has, to a new private folder.

    Parquet and Arrow files of whole numbers or texts, and plain tables of two columns, are streamed: memory
    is for a million ties, about 110 bytes a person and at most 256 MB of names: others are on disk. All else
    is read whole.
    """
    given, asked = os.fspath(network), ReadAs() if read_as is None else read_as
    if blocks is not None:
        checked_blocks(blocks)
    folder = BlocksFolder(out, overwrite=overwrite)  # before anything is read
    with folder.telling(), hidden_folder(folder.path) as meanwhile:
        try:
            edges = streamed_edges(given, asked, meanwhile)
        except NotStreamedError as error:
            why = str(error)
        else:
            return CutFile(
                cut_network(edges, out, blocks, given=given, overwrite=overwrite, listener=listener), ""
            )
    whole = open_network(given, asked)
    return CutFile(cut_network(whole, out, blocks, given=given, overwrite=overwrite, listener=listener), why)


def streamed_edges(file: str, asked: ReadAs, folder: Path) -> EdgesOnDisk:
    """The network in a file, on disk in a folder; NotStreamedError if it must be read whole."""
    if file == STDIN or not Path(file).is_file():
        raise NotStreamedError("it is no file")
    try:
        chosen = format_of(file, asked.format)
        said = asked.for_format(chosen.name, chosen.options)
    except NetveilError:
        raise NotStreamedError("there is something unusual about it") from None
    name, _, compression = split_name(file)
    if compression:
        raise NotStreamedError("it is compressed")
    if find_nodes(Path(file)) is not None:
        raise NotStreamedError("its people are in a table of their own")
    if chosen.name == "edge-list":
        found = ties_of_table(file, asked, folder)
    elif chosen.name in ("parquet", "arrow"):
        found = ties_of_arrow(file, chosen.name, said.get("columns"), folder)
    else:
        raise NotStreamedError(f"files of the format {chosen.name} cannot be streamed")
    found = replace(found, name=name, sha256=sha256_of(file))
    assert found.reading is not None
    # What is odd about a network is told by its size, its degrees and what was dropped, which `found` has.
    return replace(found, reading=accounted(cast("Network", found), found.reading))
