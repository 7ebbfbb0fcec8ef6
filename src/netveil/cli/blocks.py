"""`netveil blocks`: cut a network into blocks on disk."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from netveil.cli.options import (
    WHOLE,
    Output,
    network_options,
    options,
    out_options,
    output_options,
    reading_lines,
    warn_of_oddities,
)
from netveil.cli.progress import share_on_bar
from netveil.errors import SettingError, option
from netveil.formatting import counted

if TYPE_CHECKING:
    from netveil.files import ReadAs


@click.command()
@network_options
@out_options("New private folder for the blocks. Required.", "older blocks in the folder")
@options(("--number", "", "Blocks of nodes to cut. [default: by the number of edges]", WHOLE))
@output_options
def blocks(
    network: str, read_as: ReadAs, out: str | None, number: int | None, overwrite: bool, output: Output
) -> None:
    """Cut NETWORK into blocks on disk, to measure it where it does not fit into one memory.

    `netveil measure --blocks DIR` counts in them, on this machine or on a Dask cluster. The folder holds no
    labels, but every tie: keep it private.
    """
    from netveil.blocks import cut_network

    if out is None:
        raise SettingError(f"give a new folder for the blocks: {option('out', 'DIR')}.")
    with share_on_bar("cutting", output.quiet) as listener:
        made = cut_network(network, out, number, read_as=read_as, overwrite=overwrite, listener=listener)
    warn_of_oddities(made)
    largest = max(map(made.bytes_of, made.triples()), default=0)
    document = {
        "network": network,
        "nodes": made.node_count,
        "edges": made.edge_count,
        "blocks": made.block_count,
        "tasks": len(made.triples()),
        "largest_task_bytes": largest,
        "folder": out,
        "streamed": made.is_streamed,
    }
    size = f"{counted(made.node_count, 'node')}, {counted(made.edge_count, 'edge')}"
    texts = [f"{network}: {size}", *(f"  {line}" for line in reading_lines(made))]
    if not made.is_streamed and Path(network).is_file():
        texts.append("  read whole, not streamed as plain tables, Parquet and Arrow files are")
    texts.append(
        f"{counted(made.block_count, 'block')} in {Path(out)}: keep it private. Counting takes "
        f"{counted(len(made.triples()), 'task')}, with up to {largest / 1e6:,.1f} MB each."
    )
    output.tell(document, *([] if output.quiet else texts))
