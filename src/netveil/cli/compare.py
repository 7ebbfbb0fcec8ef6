"""`netveil compare`: what changed between two networks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from netveil.cli.options import output_options, print_json, reading_on_bar, reading_options
from netveil.formatting import percentage
from netveil.registries import CLUSTERING_WAYS

if TYPE_CHECKING:
    from netveil.files import ReadAs


@click.command()
@click.argument("original")
@click.argument("released")
@reading_options
@click.option(
    "--labels", "labels_file", metavar="FILE", help="Table original,published. [default: the release's own]"
)
@click.option("--top", type=int, metavar="N", help="Central nodes to compare. [default: 100, or a fifth]")
@click.option(
    "--clustering",
    default=CLUSTERING_WAYS[0],
    show_default=True,
    metavar="|".join(CLUSTERING_WAYS),
    help="Leave nodes with fewer than two neighbours out, or count them as 0.",
)
@click.option("--exact", is_flag=True, help="Never sample, however large the network is.")
@click.option("--seed", default=0, show_default=True, metavar="N", help="Decides what is random.")
@click.option("--threads", type=int, metavar="N", help="Threads to compute with. [default: all cores]")
@output_options
def compare(
    original: str,
    released: str,
    read_as: ReadAs,
    labels_file: str | None,
    as_json: bool,
    quiet: bool,
    **wishes: Any,  # called as the parameters of `netveil.compare`
) -> None:
    """What changed between ORIGINAL and RELEASED.

    ORIGINAL is a file or the name of a built-in network. RELEASED is a release folder, where the network and
    the table of labels are found, or a file. The nodes of two files are matched by label.
    """
    import netveil.api
    from netveil.opening import open_network, open_released

    with reading_on_bar(original, released, quiet=quiet):
        given = open_released(released, read_as, labels_file)
        network = open_network(original, read_as, original=True)
    comparison = netveil.api.compare(network, given, **wishes)
    # Also where only the result is asked for: it may be about the wrong nodes.
    for note in comparison.notes:
        click.echo(f"warning: {note}", err=True)
    if as_json:
        print_json({**comparison.to_dict(), "original": original, "released": released})
        return
    if not quiet:
        click.echo(
            f"{comparison.deleted:,} of {comparison.edges:,} edges deleted "
            f"({percentage(comparison.edges_deleted)}); {comparison.nodes:,} nodes.\n"
        )
    click.echo(comparison.table(notes=not quiet))
