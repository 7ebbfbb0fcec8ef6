"""`netveil verify`: recompute what a release claims."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from netveil.cli.options import Output, opened_on_bar, options, output_options, reading_options

if TYPE_CHECKING:
    from netveil.files import ReadAs


@click.command()
@click.argument("release")
@options(("--original", "FILE", "The original network: with it all claims are recomputed."))
@reading_options
@output_options
def verify(release: str, original: str | None, read_as: ReadAs, output: Output) -> int:
    """Recompute what a RELEASE folder claims: a line a claim, exit code 3 if one differs.

    Without the original, what its files show by themselves: figures of the published network, hashes, tables.
    The options on how to read a file are about the original.
    """
    from netveil.release.claims import verify_release

    network = None if original is None else opened_on_bar(original, read_as, output.quiet, original=True)
    found = verify_release(release, network)
    document = {"release": release, "original": original, **found.to_dict()}
    output.tell(document, found.summary() if output.quiet else found.table())
    return 3 if found.differs else 0
