"""`netveil measure`: who can be singled out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import click

import netveil.api
from netveil.anonymity import Anonymity, Attacker, Cascade, attackers_of
from netveil.cli.options import attacker_options, load_network, network_options, output_options, print_json
from netveil.errors import SettingError
from netveil.network import Network


@click.command()
@network_options
@attacker_options
@click.option("--cascade", is_flag=True, help="Go on from those singled out to others among their contacts.")
@output_options
def measure(
    network: str,
    format_name: str | None,
    measures: tuple[str, ...],
    distance: int,
    fuzzy: str | None,
    twins: bool,
    k: int,
    cascade: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Who in NETWORK can be singled out.

    NETWORK is a file or the name of a built-in network (see `netveil networks`).
    """
    if cascade:
        _check_cascade(measures, fuzzy, twins)
    loaded = load_network(network, format_name)
    anonymity = netveil.api.measure(loaded, measures, k, distance, fuzzy=fuzzy, twins=twins)
    found = netveil.api.cascade(loaded, measures[0], distance) if cascade else None
    if as_json:
        print_json(
            {
                **anonymity.to_dict(),
                "network": network,
                "edges_at_risk": len(anonymity.edges_at_risk(loaded)),
                "dropped": asdict(loaded.dropped),
                **({} if found is None else {"cascade": found.to_dict()}),
            }
        )
        return
    if not quiet:
        click.echo(understood(network, loaded))
    for line in verdicts(anonymity, attackers_of(measures, distance, fuzzy, twins)):
        click.echo(line)
    if found is not None:
        click.echo(chain_reaction(found, anonymity.nodes))
    if not quiet:
        touching = counted(len(anonymity.edges_at_risk(loaded)), "edge")
        click.echo(f"\n{size_table(anonymity)}, {touching} with an end at risk")


def _check_cascade(measures: tuple[str, ...], fuzzy: str | None, twins: bool) -> None:
    """Raise where a cascade is asked for with anything but one attacker who is sure of what she knows."""
    if len(measures) > 1 or fuzzy is not None or twins:
        raise SettingError(
            "--cascade follows one attacker with exact knowledge; give one --measure, and leave "
            "--fuzzy and --twins out."
        )


def understood(given: str, network: Network) -> str:
    """What was understood from the file, in a few lines."""
    lines = [f"{given}: {counted(network.node_count, 'node')}, {counted(network.edge_count, 'edge')}"]
    dropped = network.dropped
    if dropped.self_loops or dropped.duplicates:
        loops = counted(dropped.self_loops, "self-loop")
        lines.append(f"  dropped: {loops}, {counted(dropped.duplicates, 'repeated edge')}")
    lines += [f"  {note}" for note in network.notes]
    return "\n".join(lines)


def counted(number: int, thing: str) -> str:
    """A number of things, in words that fit one and many."""
    return f"{number:,} {thing}{'s' * (number != 1)}"


def verdicts(anonymity: Anonymity, attackers: Sequence[Attacker]) -> list[str]:
    """The sentences that a privacy officer reads: what is at stake, and to which attacker."""
    if anonymity.k == 2:
        alike, threat = "have surroundings that nobody else has", "can single them out"
    else:
        alike = f"have surroundings that fewer than {anonymity.k - 1} others have"
        threat = f"can narrow each of them down to fewer than {anonymity.k} people"
    if anonymity.twins:
        alike = f"{alike}, people with the same contacts counted as one"
    people = f"{anonymity.at_risk:,} of {anonymity.nodes:,} people ({anonymity.uniqueness:.1%})"
    if len(attackers) == 1:
        pause = "," if attackers[0].distance > 1 or attackers[0].fuzzy is not None else ""
        return [f"{people} {alike}: an attacker who {attackers[0].knowledge}{pause} {threat}."]
    return [
        f"{people} {alike}, to one attacker or another:",
        *(
            f"  {alone.at_risk:,} ({alone.uniqueness:.1%}) to an attacker who {attacker.knowledge}"
            for attacker, alone in zip(attackers, anonymity.each, strict=True)
        ),
    ]


def chain_reaction(found: Cascade, people: int) -> str:
    """How far an attacker gets who goes on from those she has found."""
    if len(found.rounds) == 1:
        return "From them nobody else can be found among their contacts."
    return (
        f"From them she can go on to others among their contacts: {found.total:,} people "
        f"({found.total / people:.1%}) in all, after {counted(len(found.rounds) - 1, 'round')}."
    )


def size_table(anonymity: Anonymity) -> str:
    """How many people share their state with how many, in bands."""
    lines = ["people with the same state      people    share"]
    starts = sorted({1, 2, 3, 4, 5, 10, 100, anonymity.k})  # no band is at risk in part
    for low, following in zip(starts, [*starts[1:], None], strict=True):
        high = following - 1 if following else anonymity.nodes
        people = sum(nodes for size, nodes in anonymity.class_sizes.items() if low <= size <= high)
        band = "1 (unique)" if low == 1 else str(low) if low == high else f"{low} to {high}"
        if following is None:
            band = f"{low} or more"
        mark = "   at risk" if low < anonymity.k and people else ""
        lines.append(f"{band:<26}{people:>12,} {people / anonymity.nodes:>8.1%}{mark}")
    lines.append(f"{anonymity.classes:,} classes in all")
    return "\n".join(lines)
