"""`netveil audit`: what an attacker who knows the original could still find."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from netveil.cli.options import output_options, print_json, reading_on_bar, reading_options, user_code_option
from netveil.cli.progress import telling
from netveil.errors import SettingError

if TYPE_CHECKING:
    from netveil.auditing import Audit
    from netveil.auditing.together import Audits
    from netveil.files import ReadAs


@click.command()
@click.argument("original")
@click.argument("released", nargs=-1, required=True)
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
@click.option(
    "--matching",
    default="usual",
    show_default=True,
    metavar="EXTENT",
    help="How much is tried of attackers who match the whole network: none, brief, usual or all.",
)
@click.option(
    "--seed", type=int, default=0, show_default=True, metavar="N", help="Decides what those attackers know."
)
@click.option("--threads", type=int, metavar="N", help="Threads for those attackers. [default: all cores]")
@user_code_option
@output_options
def audit(
    original: str,
    released: tuple[str, ...],
    read_as: ReadAs,
    labels_file: str | None,
    measures: tuple[str, ...],
    distances: tuple[int, ...],
    fuzzy: tuple[str, ...],
    deletions: tuple[str, ...],
    matching: str,
    seed: int,
    threads: int | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """What an attacker who knows ORIGINAL could still find in RELEASED.

    ORIGINAL is a file or the name of a built-in network. RELEASED is a release folder or a file. Attackers
    need no table of labels; it only tells whether they are right. --measure, --distance, --fuzzy and
    --deletions may be given several times.

    Several RELEASED are releases of the same network: each is audited, and each two are laid on each other.
    """
    import netveil.api
    from netveil.api import audit_together
    from netveil.opening import open_network, open_released

    if labels_file is not None and len(released) > 1:
        raise SettingError(
            f"--labels {labels_file} is the table of one release; leave it out, and give release folders, "
            f"which bring their own."
        )
    options: dict[str, Any] = {
        "measure": measures or None,
        "distance": distances or None,
        "fuzzy": fuzzy or None,
        "deletions": deletions or None,
        "matching": matching,
        "seed": seed,
        "threads": threads,
    }
    with reading_on_bar(original, *released, quiet=quiet):
        given = [open_released(each, read_as, labels_file) for each in released]
        network = open_network(original, read_as, original=True)
    with telling("trying attacks", quiet or as_json, at_once=False) as listener:
        options["listener"] = listener
        if len(released) == 1:
            one = netveil.api.audit(network, given[0], **options)
        else:
            several = audit_together(network, given, names=released, **options)
    if len(released) == 1:
        _tell_one(one, original, released[0], as_json, quiet)
    else:
        _tell_several(several, original, released, as_json, quiet)


def _tell_one(found: Audit, original: str, released: str, as_json: bool, quiet: bool) -> None:
    for note in filter(None, [found.about_added(), *found.notes]):
        click.echo(f"warning: {note}", err=True)
    if as_json:
        print_json({**found.to_dict(), "original": original, "released": released})
        return
    click.echo(found.table())
    click.echo(f"\n{found.findings()}")
    if not quiet:
        click.echo(f"\n{found.paragraph()}")


def _tell_several(
    found: Audits, original: str, released: tuple[str, ...], as_json: bool, quiet: bool
) -> None:
    """Print the audit of each release without its table, then that of each two of them."""
    for name, audit in zip(released, found.releases, strict=True):
        for note in filter(None, [audit.about_added(), *audit.notes]):
            click.echo(f"warning: {name}: {note}", err=True)
    if as_json:
        document = found.to_dict()
        names = [{"original": original, "released": name} for name in released]
        releases = [{**each, **name} for each, name in zip(document["releases"], names, strict=True)]
        print_json({"original": original, **document, "releases": releases})
        return
    for name, audit in zip(released, found.releases, strict=True):
        click.echo(f"{name}:\n{audit.findings()}")
        click.echo("" if quiet else f"{audit.paragraph()}\n")
    click.echo(found.table())
    if found.findings():
        click.echo(f"\n{found.findings()}")
    if not quiet:
        click.echo(f"\n{found.paragraph()}")
