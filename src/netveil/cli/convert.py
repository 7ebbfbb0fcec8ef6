"""`netveil convert`: the same network in another file, cleaned and compact."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from netveil.cli.options import (
    FLAG,
    Output,
    network_options,
    opened_on_bar,
    options,
    output_options,
    reading_document,
    reading_lines,
)
from netveil.formatting import counted

if TYPE_CHECKING:
    from netveil.files import ReadAs


@click.command()
@network_options
@options(
    ("--out", "FILE", "File to write; its suffix says the format.", {"required": True}),
    ("--overwrite", "", "Replace the file that is there.", FLAG),
)
@output_options
def convert(network: str, read_as: ReadAs, out: str, overwrite: bool, output: Output) -> None:
    """Write NETWORK to another file: each tie once, no loops, nothing but people and ties.

    Nothing is anonymized: the file names the same people. A Parquet file is small and quickly read again.
    """
    from netveil.files.read_write import check_place, format_to_write, write

    chosen = format_to_write(out)
    check_place(out, overwrite=overwrite)  # before a large network is read
    loaded = opened_on_bar(network, read_as, output.quiet)
    write(loaded, out, overwrite=overwrite)
    document = {
        "network": network,
        "file": out,
        "format": chosen.name,
        "bytes": Path(out).stat().st_size,
        "nodes": loaded.node_count,
        "edges": loaded.edge_count,
        "dropped": asdict(loaded.dropped),
        "reading": reading_document(loaded, output.quiet),
    }
    held = f"{counted(loaded.node_count, 'node')}, {counted(loaded.edge_count, 'edge')}"
    sentence = f"{out}: {held} ({chosen.name}). It names the same people: private."
    output.tell(document, *([] if output.quiet else reading_lines(loaded)), sentence)
