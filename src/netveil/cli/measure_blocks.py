"""`netveil measure --blocks`: who can be singled out in a network that is in blocks on disk."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from netveil.cli.bars import share_on_bar
from netveil.cli.measure import document, print_words
from netveil.cli.options import print_json, warn_of_oddities
from netveil.errors import SettingError, option

if TYPE_CHECKING:
    from netveil.anonymity import Attackers
    from netveil.blocks import Blocks
    from netveil.files import ReadAs


def measure_in_blocks(
    network: str | None,
    read_as: ReadAs,
    attackers: Attackers,
    folder: str,
    dask: str | None,
    unused: Mapping[str, bool],
    as_json: bool,
    quiet: bool,
) -> int | None:
    """Measure a network in blocks, and print what was found; returns the exit code if that is not 0.

    `unused` are options that need the network itself, and whether they are given.
    """
    from netveil.blocks import measure_blocks, open_blocks
    from netveil.experiments import LostCluster

    for name, is_given in unused.items():
        if is_given:
            raise SettingError(
                f"{option(name)} needs the network itself, and blocks hold no labels; leave it out, or "
                f"measure without {option('blocks')}."
            )
    blocks = open_blocks(folder)
    if network is not None:
        _check_same(blocks, network, read_as)
    warn_of_oddities(blocks)
    try:
        with share_on_bar("counting", quiet) as listener:
            found = measure_blocks(blocks, attackers, dask=dask, listener=listener)
    except LostCluster as error:
        click.echo(f"netveil: {error}; start it and its workers, and measure again.", err=True)
        return 1
    given = blocks.given if network is None else network
    touching = found.edges_at_risk or 0
    if as_json:
        print_json(document(given, blocks, found, touching, quiet))
    else:
        print_words(given, blocks, found, touching, quiet)
    return None


def _check_same(blocks: Blocks, network: str, read_as: ReadAs) -> None:
    """Raise unless the blocks are those of a network; one from a file is told by the file's SHA-256."""
    from netveil.open_network import open_network

    if blocks.sha256 and Path(network).is_file():
        blocks.check_file(Path(network))
    else:
        blocks.check_network(open_network(network, read_as))
