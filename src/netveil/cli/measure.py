"""`netveil measure`: who can be singled out."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from netveil.cli.entry import say_what_is_left
from netveil.cli.options import (
    FLAG,
    Output,
    attacker_options,
    opened_on_bar,
    options,
    output_options,
    reading_document,
    reading_lines,
    reading_options,
    warn_of_oddities,
)
from netveil.cli.progress import share_on_bar
from netveil.errors import SettingError, option
from netveil.formatting import counted, in_columns, percentage

if TYPE_CHECKING:
    from collections.abc import Mapping

    from netveil.anonymity import Anonymity, Attackers, Cascade
    from netveil.blocks import Blocks
    from netveil.files import ReadAs
    from netveil.network import Network


@click.command()
@click.argument("network", required=False)
@reading_options
@attacker_options
@options(
    ("--cascade", "", "Go on from those singled out to others among their contacts.", FLAG),
    ("--people", "FILE", "Write who is at risk, by label, to a new private file (CSV)."),
    ("--diverse", "NAME=L", "Count people whose lookalikes have fewer than L values of it."),
    ("--blocks", "DIR", "Count in the blocks that `netveil blocks` cut, instead."),
    ("--dask", "ADDRESS", "Count --blocks on the workers of this Dask scheduler."),
)
@output_options
def measure(
    network: str | None,
    read_as: ReadAs,
    attackers: Attackers,
    cascade: bool,
    people: str | None,
    diverse: str | None,
    blocks: str | None,
    dask: str | None,
    output: Output,
) -> int:
    """Who in NETWORK can be singled out.

    NETWORK is a file, - for standard input, or the name of a built-in network (see `netveil networks`). With
    --blocks it can be left out; if it is given, the blocks must be those of that network.
    """
    import netveil.api
    from netveil.blocks import measure_blocks
    from netveil.files.storage import check_new, store_private
    from netveil.progress import heard_by
    from netveil.studies import LostCluster

    exact = len(attackers.each) == 1 and attackers.fuzzy is None and not attackers.twins
    known = ",".join(attackers.known)
    given = {"people": people, "blocks": blocks, "dask": dask, "known": known, "diverse": diverse}
    _check_options(network, exact, cascade=cascade, **given)
    if people is not None:
        check_new(people)
    chain = None
    source: Network | Blocks
    if blocks is None:
        source = loaded = opened_on_bar(network or "", read_as, output.quiet, counted=True)
        is_quick = loaded.edge_count < netveil.api.LARGE
        with share_on_bar("counting", output.quiet or is_quick) as listener, heard_by(listener):
            anonymity = netveil.api.measure(loaded, attackers)
        touching = len(anonymity.edges_at_risk(loaded))
        told = told_by_attributes(loaded, attackers, anonymity, diverse)
        if cascade:
            chain = netveil.api.cascade(loaded, attackers.each[0].measure, attackers.distance)
        if people is not None:
            store_private(anonymity.people(loaded).to_csv().encode(errors="backslashreplace"), people)
            say_what_is_left(lambda: f"{people} is written.")
    else:
        source = cut = _opened_blocks(blocks, network, read_as, output.quiet)
        network, told = network or cut.given, {}
        warn_of_oddities(cut)
        try:
            with share_on_bar("counting", output.quiet) as listener:
                anonymity, touching = measure_blocks(cut, attackers, dask=dask, listener=listener)
        except LostCluster as error:
            click.echo(f"netveil: {error}; start it and its workers, and measure again.", err=True)
            return 1
    document = {
        **anonymity.to_dict(),
        **told,
        "network": network,
        "edges_at_risk": touching,
        "dropped": asdict(source.dropped),
        "reading": reading_document(source, output.quiet),
        **({} if chain is None else {"cascade": chain.to_dict()}),
        **({} if people is None else {"people": {"file": people, "written": anonymity.at_risk}}),
    }
    size = f"{counted(source.node_count, 'node')}, {counted(source.edge_count, 'edge')}"
    before = [f"{network}: {size}", *(f"  {line}" for line in reading_lines(source))]
    result = [verdict(anonymity), *([] if chain is None else [chain_reaction(chain)]), *by_attributes(told)]
    after = ["", f"{size_table(anonymity)}, {counted(touching, 'edge')} with an end at risk"]
    if people is not None:
        written = counted(anonymity.at_risk, "person", "people")
        after.append(f"{written} at risk written to {people}: keep it private.")
    output.tell(document, *(result if output.quiet else [*before, *result, *after]))
    return 0


def _check_options(network: str | None, exact: bool, *, cascade: bool, **given: str | None) -> None:
    """Raise where options contradict each other; `exact`: one attacker, whose knowledge is exact."""
    if cascade and not exact:
        raise SettingError(
            "--cascade follows one attacker with exact knowledge; give one --measure, and leave "
            "--fuzzy and --twins out."
        )
    if given["blocks"] is not None:
        beyond = ["cascade"] * cascade + [name for name in ("people", "known", "diverse") if given[name]]
        if beyond:
            raise SettingError(
                f"{option(beyond[0])} needs the network itself, and blocks hold no labels and attributes; "
                f"leave it out, or measure without {option('blocks')}."
            )
    elif given["dask"] is not None:
        raise SettingError(
            f"{option('dask', given['dask'])}: a cluster counts in blocks; cut the network with `netveil "
            f"blocks`, and give their folder ({option('blocks', 'DIR')})."
        )
    elif network is None:
        raise click.UsageError("Missing argument 'NETWORK'.")


def _opened_blocks(folder: str, network: str | None, read_as: ReadAs, quiet: bool) -> Blocks:
    """Open blocks, which must be those of a network if it is named: its file is told by its SHA-256."""
    from netveil.blocks import open_blocks

    blocks = open_blocks(folder)
    if network is not None and blocks.sha256 and Path(network).is_file():
        blocks.check_file(Path(network))
    elif network is not None:
        blocks.check_network(opened_on_bar(network, read_as, quiet))
    return blocks


def verdict(anonymity: Anonymity) -> str:
    """Sentence for a privacy officer: how many people are at risk, and to which attacker."""
    few, k, attackers = anonymity.k - 1, anonymity.k, anonymity.attackers
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


def told_by_attributes(
    network: Network, attackers: Attackers, anonymity: Anonymity, diverse: str | None
) -> dict[str, Any]:
    """Figures on known attributes: people singled out, and people in classes without diversity."""
    from netveil.anonymity.attackers import diversity_of, singled_out_by

    told: dict[str, Any] = {}
    if attackers.known:
        told["singled_out_by"] = singled_out_by(network, attackers.each, attackers.k)
    if diverse is not None:
        told["diverse"] = asdict(diversity_of(network, anonymity.class_of, diverse))
    return told


def by_attributes(told: Mapping[str, Any]) -> list[str]:
    """Sentences on attributes."""
    lines = []
    if by := told.get("singled_out_by"):
        lines.append(
            f"At risk by known attributes alone: {by['attributes']:,}; by contacts alone: "
            f"{by['structure']:,}; by both together: {by['both']:,}."
        )
    if few := told.get("diverse"):
        have = counted(few["people"], "person has", "people have")
        lines.append(
            f"{have} lookalikes with fewer than {few['l']} values of {few['attribute']}: whoever finds their "
            f"class learns it, or nearly."
        )
    return lines


def chain_reaction(found: Cascade) -> str:
    """Sentence on the cascade: people found by going on from unique people, whatever k is."""
    unique = found.rounds[0]
    if unique == 0:
        return "Nobody is unique, so there is nobody to go on from."
    start = f"From the {unique:,} who are unique" if unique > 1 else "From the one who is unique"
    if len(found.rounds) == 1:
        return f"{start} nobody else can be found among their contacts."
    return (
        f"{start} an attacker can go on to others among their contacts: {found.total:,} people "
        f"({percentage(found.total, len(found.identified))}) in all, "
        f"after {counted(len(found.rounds) - 1, 'round')}."
    )


def size_table(anonymity: Anonymity) -> str:
    """Table of people by number of lookalikes, themselves included, in bands."""
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
