"""`netveil measure`: who can be singled out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from netveil.cli.entry import say_what_is_left
from netveil.cli.options import (
    attacker_options,
    opened_on_bar,
    output_options,
    print_json,
    reading_document,
    reading_lines,
    reading_options,
    warn_of_oddities,
)
from netveil.cli.progress import share_on_bar
from netveil.errors import SettingError, option
from netveil.formatting import counted, in_columns, percentage

if TYPE_CHECKING:
    from netveil.anonymity import Anonymity, Attacker, Attackers, Cascade
    from netveil.blocks import Blocks
    from netveil.files import ReadAs
    from netveil.network import Network

    Measured = Network | Blocks


@click.command()
@click.argument("network", required=False)
@reading_options
@attacker_options
@click.option("--cascade", is_flag=True, help="Go on from those singled out to others among their contacts.")
@click.option("--people", metavar="FILE", help="Write who is at risk, by label, to a new private file (CSV).")
@click.option("--blocks", metavar="DIR", help="Count in the blocks that `netveil blocks` cut, instead.")
@click.option("--dask", metavar="ADDRESS", help="Count --blocks on the workers of this Dask scheduler.")
@output_options
def measure(
    network: str | None,
    read_as: ReadAs,
    attackers: Attackers,
    cascade: bool,
    people: str | None,
    blocks: str | None,
    dask: str | None,
    as_json: bool,
    quiet: bool,
) -> int | None:
    """Who in NETWORK can be singled out.

    NETWORK is a file, - for standard input, or the name of a built-in network (see `netveil networks`). With
    --blocks it can be left out; if it is given, the blocks must be those of that network.
    """
    if cascade:
        _check_cascade(attackers)
    if blocks is not None:
        unused = {"cascade": cascade, "people": people is not None}
        return measure_in_blocks(network, read_as, attackers, blocks, dask, unused, as_json, quiet)
    if dask is not None:
        raise SettingError(
            f"{option('dask', dask)}: a cluster counts in blocks; cut the network with `netveil blocks`, and "
            f"give their folder ({option('blocks', 'DIR')})."
        )
    if network is None:
        raise click.UsageError("Missing argument 'NETWORK'.")
    _measure_network(network, read_as, attackers, cascade, people, as_json, quiet)
    return None


def _measure_network(
    network: str,
    read_as: ReadAs,
    attackers: Attackers,
    cascade: bool,
    people: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Measure a network in memory, and print what was found."""
    import netveil.api
    from netveil.api import LARGE
    from netveil.files.storage import check_new, store_private
    from netveil.progress import heard_by

    if people is not None:
        check_new(people)
    loaded = opened_on_bar(network, read_as, quiet)
    warn_of_oddities(loaded)
    with share_on_bar("counting", quiet or loaded.edge_count < LARGE) as listener, heard_by(listener):
        anonymity = netveil.api.measure(loaded, attackers)
    found = netveil.api.cascade(loaded, attackers.each[0].measure, attackers.distance) if cascade else None
    if people is not None:
        store_private(anonymity.people(loaded).to_csv().encode(errors="backslashreplace"), people)
        say_what_is_left(lambda: f"{people} is written.")
    touching = len(anonymity.edges_at_risk(loaded))
    if as_json:
        print_json(
            {
                **document(network, loaded, anonymity, touching, quiet),
                **({} if found is None else {"cascade": found.to_dict()}),
                **({} if people is None else {"people": {"file": people, "written": anonymity.at_risk}}),
            }
        )
        return
    chain = None if found is None else chain_reaction(found, anonymity.nodes)
    print_words(network, loaded, anonymity, touching, quiet, chain)
    if people is not None and not quiet:
        written = counted(anonymity.at_risk, "person", "people")
        click.echo(f"{written} at risk written to {people}: keep it private.")


def document(
    given: str, network: Measured, anonymity: Anonymity, touching: int, quiet: bool
) -> dict[str, Any]:
    """Document for --json; `touching` edges have an end at risk."""
    return {
        **anonymity.to_dict(),
        "network": given,
        "edges_at_risk": touching,
        "dropped": asdict(network.dropped),
        "reading": reading_document(network, quiet),
    }


def print_words(
    given: str, network: Measured, anonymity: Anonymity, touching: int, quiet: bool, chain: str | None = None
) -> None:
    """Print the figures in words; `chain` is the sentence on a cascade."""
    if not quiet:
        click.echo(understood(given, network))
    click.echo(verdict(anonymity, anonymity.attackers))
    if chain is not None:
        click.echo(chain)
    if not quiet:
        edges = counted(touching, "edge")
        click.echo(f"\n{size_table(anonymity)}, {edges} with an end at risk")


def _check_cascade(attackers: Attackers) -> None:
    """Raise unless there is one attacker, with exact knowledge: a cascade needs that."""
    if len(attackers.each) > 1 or attackers.fuzzy is not None or attackers.twins:
        raise SettingError(
            "--cascade follows one attacker with exact knowledge; give one --measure, and leave "
            "--fuzzy and --twins out."
        )


def understood(given: str, network: Measured) -> str:
    """Lines on what was understood from the file."""
    size = f"{given}: {counted(network.node_count, 'node')}, {counted(network.edge_count, 'edge')}"
    return "\n".join([size, *(f"  {line}" for line in reading_lines(network))])


def verdict(anonymity: Anonymity, attackers: Sequence[Attacker]) -> str:
    """What a privacy officer reads: how many are at stake, and to which attacker."""
    few, k = anonymity.k - 1, anonymity.k
    people = f"{anonymity.at_risk:,} of {anonymity.nodes:,} people ({percentage(anonymity.uniqueness)})"
    counted_once = ", people with the same contacts counted as one" * anonymity.twins
    if len(attackers) > 1:
        threat = "be singled out" if k == 2 else f"each be narrowed down to fewer than {k} people"
        return "\n".join(
            [
                f"{people} can {threat} by one attacker or another{counted_once}:",
                *(
                    f"  {alone.at_risk:,} ({percentage(alone.uniqueness)}) by an attacker who "
                    f"{attacker.knowledge} ({attacker.name})"
                    for attacker, alone in zip(attackers, anonymity.each, strict=True)
                ),
            ]
        )
    threat = "single them out" if k == 2 else f"narrow each of them down to fewer than {k} people"
    if anonymity.fuzzy is None:
        alike = "that nobody else has" if k == 2 else f"that fewer than {few} others have"
    else:
        alike = "like nobody else's" if k == 2 else f"like those of fewer than {few} others"
    have = "has" if anonymity.at_risk == 1 else "have"
    pause = "," * (attackers[0].distance > 1 or anonymity.fuzzy is not None)
    return (
        f"{people} {have} surroundings {alike}{counted_once}: "
        f"an attacker who {attackers[0].knowledge}{pause} can {threat}."
    )


def chain_reaction(found: Cascade, people: int) -> str:
    """How far an attacker gets who goes on from the unique people, whatever k is."""
    unique = found.rounds[0]
    if unique == 0:
        return "Nobody is unique, so there is nobody to go on from."
    start = f"From the {unique:,} who are unique" if unique > 1 else "From the one who is unique"
    if len(found.rounds) == 1:
        return f"{start} nobody else can be found among their contacts."
    return (
        f"{start} she can go on to others among their contacts: {found.total:,} people "
        f"({percentage(found.total, people)}) in all, after {counted(len(found.rounds) - 1, 'round')}."
    )


def size_table(anonymity: Anonymity) -> str:
    """How many people look like how many, themselves included, in bands."""
    rows = [["people who look alike", "people", "share", ""]]
    starts = sorted({1, 2, 3, 4, 5, 10, 100, anonymity.k})  # no band is at risk in part
    for low, following in zip(starts, [*starts[1:], None], strict=True):
        high = following - 1 if following else anonymity.nodes
        people = sum(nodes for size, nodes in anonymity.class_sizes.items() if low <= size <= high)
        band = "1 (unique)" if low == 1 else str(low) if low == high else f"{low} to {high}"
        if following is None:
            band = f"{low} or more"
        mark = "at risk" if low < anonymity.k and people else ""
        rows.append([band, f"{people:,}", percentage(people, anonymity.nodes), mark])
    return "\n".join([*in_columns(rows), f"{counted(anonymity.classes, 'class', 'classes')} in all"])


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
    from netveil.studies import LostCluster

    for name, is_given in unused.items():
        if is_given:
            raise SettingError(
                f"{option(name)} needs the network itself, and blocks hold no labels; leave it out, or "
                f"measure without {option('blocks')}."
            )
    blocks = open_blocks(folder)
    if network is not None:
        _check_same(blocks, network, read_as, quiet)
    warn_of_oddities(blocks)
    try:
        with share_on_bar("counting", quiet) as listener:
            found, touching = measure_blocks(blocks, attackers, dask=dask, listener=listener)
    except LostCluster as error:
        click.echo(f"netveil: {error}; start it and its workers, and measure again.", err=True)
        return 1
    given = blocks.given if network is None else network
    if as_json:
        print_json(document(given, blocks, found, touching, quiet))
    else:
        print_words(given, blocks, found, touching, quiet)
    return None


def _check_same(blocks: Blocks, network: str, read_as: ReadAs, quiet: bool) -> None:
    """Raise unless the blocks are those of a network; one from a file is told by the file's SHA-256."""
    if blocks.sha256 and Path(network).is_file():
        blocks.check_file(Path(network))
    else:
        blocks.check_network(opened_on_bar(network, read_as, quiet))
