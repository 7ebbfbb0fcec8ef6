"""`netveil compare`: what changed between a network and its releases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from netveil.cli.options import (
    FLAG,
    SEVERAL,
    WHOLE,
    Output,
    opened_with_releases,
    options,
    output_options,
    reading_options,
)
from netveil.registries import CLUSTERING_WAYS

if TYPE_CHECKING:
    from netveil.files import ReadAs

LONGEST_NAME = 24  # of a release above its column


@click.command()
@click.argument("original")
@click.argument("released", nargs=-1, required=True)
@reading_options
@options(
    ("--labels labels_file", "FILE", "Table original,published. [default: the release's own]"),
    ("--top", "N", "Central nodes to compare. [default: 100, or a fifth]", WHOLE),
    (
        "--clustering",
        "|".join(CLUSTERING_WAYS),
        "Leave nodes with fewer than two neighbours out, or count them as 0.",
        {"default": CLUSTERING_WAYS[0], "show_default": True},
    ),
    ("--metric metrics", "NAME", "Only this metric. Repeatable. [default: all]", SEVERAL),
    ("--exact", "", "Never sample, however large the network is.", FLAG),
    ("--seed", "N", "Decides what is random.", {"default": 0, "show_default": True}),
    ("--threads", "N", "Threads to compute with. [default: all cores]", WHOLE),
)
@output_options
def compare(
    original: str,
    released: tuple[str, ...],
    read_as: ReadAs,
    labels_file: str | None,
    output: Output,
    **wishes: Any,  # called as the parameters of `netveil.compare`
) -> None:
    """What changed between ORIGINAL and RELEASED.

    ORIGINAL is a file or the name of a built-in network. RELEASED is a release folder, where the network and
    the table of labels are found, or a file. The nodes of two files are matched by label.

    Several RELEASED are shown side by side, such as a release with deleted ties and a synthetic one.
    """
    import netveil.api
    from netveil.utility.comparison import side_by_side

    network, given = opened_with_releases(original, released, read_as, labels_file, output.quiet)
    wishes["metrics"] = wishes["metrics"] or None
    progress = False if output.quiet else None
    comparisons = [netveil.api.compare(network, each, **wishes, progress=progress) for each in given]
    told = [""] if len(released) == 1 else [f"{name}: " for name in released]
    # Also where only the result is asked for: it may be about the wrong nodes.
    for whose, each in zip(told, comparisons, strict=True):
        for note in each.notes:
            click.echo(f"warning: {whose}{note}", err=True)
    documents = [
        {**each.to_dict(), "original": original, "released": name}
        for name, each in zip(released, comparisons, strict=True)
    ]
    lines = [f"{whose}{each.sentence()}" for whose, each in zip(told, comparisons, strict=True)]
    lines[-1] += f"; {comparisons[0].nodes:,} nodes.\n"
    ends = [name if len(name) <= LONGEST_NAME else f"…{name[1 - LONGEST_NAME :]}" for name in released]
    names = ["after"] if len(released) == 1 else ends
    table = side_by_side(comparisons, names, notes=not output.quiet)
    output.tell({**documents[0], "comparisons": documents}, *([] if output.quiet else lines), table)
