"""`netveil convert`: the same network in another file, cleaned and compact."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from netveil.cli.options import (
    network_options,
    opened_on_bar,
    output_options,
    print_json,
    reading_document,
    reading_lines,
)
from netveil.formatting import counted

if TYPE_CHECKING:
    from netveil.files import ReadAs


@click.command()
@network_options
@click.option("--out", required=True, metavar="FILE", help="File to write; its suffix says the format.")
@click.option("--overwrite", is_flag=True, help="Replace the file that is there.")
@output_options
def convert(network: str, read_as: ReadAs, out: str, overwrite: bool, as_json: bool, quiet: bool) -> None:
    """Write NETWORK to another file: each tie once, no loops, nothing but people and ties.

    Nothing is anonymized: the file names the same people. A Parquet file is small and quickly read again.
    """
    from netveil.files.read_write import check_place, format_to_write, write

    chosen = format_to_write(out)
    check_place(out, overwrite=overwrite)  # before a large network is read
    loaded = opened_on_bar(network, read_as, quiet)
    write(loaded, out, overwrite=overwrite)
    if as_json:
        print_json(
            {
                "network": network,
                "file": out,
                "format": chosen.name,
                "bytes": Path(out).stat().st_size,
                "nodes": loaded.node_count,
                "edges": loaded.edge_count,
                "dropped": asdict(loaded.dropped),
                "reading": reading_document(loaded, quiet),
            }
        )
        return
    if not quiet:
        for line in reading_lines(loaded):
            click.echo(line)
    held = f"{counted(loaded.node_count, 'node')}, {counted(loaded.edge_count, 'edge')}"
    click.echo(f"{out}: {held} ({chosen.name}). It names the same people: private.")
