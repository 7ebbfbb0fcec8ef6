"""`netveil audit`: what an attacker who knows the original could still find."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from netveil.cli.options import output_options, print_json, reading_options

if TYPE_CHECKING:
    from netveil.files import ReadAs


@click.command()
@click.argument("original")
@click.argument("released")
@reading_options
@click.option(
    "--labels",
    "labels_file",
    metavar="FILE",
    help="Table original,published, to score with. [default: the release's own]",
)
@click.option(
    "--measure", "measures", multiple=True, metavar="NAME", help="What the attacker knows. [default: all]"
)
@click.option(
    "--distance",
    "distances",
    type=int,
    multiple=True,
    metavar="D",
    help="How far it reaches. [default: 1, and 2 unless that takes long]",
)
@click.option(
    "--fuzzy",
    multiple=True,
    metavar="SHARE",
    help="By how much the numbers she knows may be off. [default: 5% and 10%]",
)
@click.option(
    "--deletions",
    multiple=True,
    metavar="SHARE",
    help="By how much she takes these numbers to have fallen by deletions. Where one of --fuzzy and "
    "--deletions is given, the other is not tried. [default: 5%, 10% and 20%]",
)
@output_options
def audit(
    original: str,
    released: str,
    read_as: ReadAs,
    labels_file: str | None,
    measures: tuple[str, ...],
    distances: tuple[int, ...],
    fuzzy: tuple[str, ...],
    deletions: tuple[str, ...],
    as_json: bool,
    quiet: bool,
) -> None:
    """What an attacker who knows ORIGINAL could still find in RELEASED.

    ORIGINAL is a file or the name of a built-in network. RELEASED is a release folder or a file. Attackers
    need no table of labels; it only tells whether they are right. --measure, --distance, --fuzzy and
    --deletions may be given several times.
    """
    import netveil.api
    from netveil.open_network import open_network, open_released

    given = open_released(released, read_as, labels_file)
    found = netveil.api.audit(
        open_network(original, read_as),
        given.network,
        labels=given.labels,
        measure=measures or None,
        distance=distances or None,
        fuzzy=fuzzy or None,
        deletions=deletions or None,
        file=given.file,
        format=given.format_name,
    )
    for note in found.notes:
        click.echo(f"warning: {note}", err=True)
    if as_json:
        print_json({**found.to_dict(), "original": original, "released": released})
        return
    click.echo(found.table())
    click.echo(f"\n{found.findings()}")
    if not quiet:
        click.echo(f"\n{found.paragraph()}")
