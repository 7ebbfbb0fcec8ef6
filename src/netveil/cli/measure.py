"""`netveil measure`: who can be singled out."""

from __future__ import annotations

from dataclasses import asdict

import click

import netveil.api
from netveil.anonymity import MEASURES, Anonymity
from netveil.cli.options import attacker_options, load_network, network_options, output_options, print_json
from netveil.network import Network


@click.command()
@network_options
@attacker_options
@output_options
def measure(
    network: str,
    format_name: str | None,
    measure_name: str,
    distance: int,
    k: int,
    as_json: bool,
    quiet: bool,
) -> None:
    """Who in NETWORK can be singled out.

    NETWORK is a file or the name of a built-in network (see `netveil networks`).
    """
    loaded = load_network(network, format_name)
    anonymity = netveil.api.measure(loaded, measure_name, k, distance)
    if as_json:
        document = anonymity.to_dict()
        print_json(
            {
                **document,
                "network": network,
                "edges_at_risk": len(anonymity.edges_at_risk(loaded)),
                "dropped": asdict(loaded.dropped),
            }
        )
        return
    if not quiet:
        click.echo(understood(network, loaded))
    click.echo(verdict(anonymity))
    if not quiet:
        touching = counted(len(anonymity.edges_at_risk(loaded)), "edge")
        click.echo(f"\n{size_table(anonymity)}, {touching} with an end at risk")


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


def verdict(anonymity: Anonymity) -> str:
    """The sentence that a privacy officer reads."""
    attacker = MEASURES[anonymity.measure].attacker
    if anonymity.k == 2:
        alike, threat = "have surroundings that nobody else has", "can single them out"
    else:
        alike = f"have surroundings that fewer than {anonymity.k - 1} others have"
        threat = f"can narrow each of them down to fewer than {anonymity.k} people"
    return (
        f"{anonymity.at_risk:,} of {anonymity.nodes:,} people ({anonymity.uniqueness:.1%}) {alike}: "
        f"an attacker who {attacker} {threat}."
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
