"""Options that commands share: same spelling, same meaning everywhere."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import click

from netveil.anonymity import DEFAULT_MEASURE, MEASURES
from netveil.files import FORMATS

if TYPE_CHECKING:
    from netveil.network import Network

Command = TypeVar("Command", bound=Callable[..., Any])


def network_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """NETWORK, and how to read it."""
    return click.argument("network")(reading_options(command))


def reading_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """--format, --columns, --separator, --header and --encoding, handed on as one record, `read_as`."""

    @click.option(
        "--format", "format_name", metavar="NAME", help=f"Format of the file: {', '.join(FORMATS)}."
    )
    @click.option(
        "--columns",
        metavar="A,B",
        help="Where the people are in a table: names of its header, or numbers from 1.",
    )
    @click.option(
        "--separator", metavar="CHAR", help="Between the cells of a table: ',', ';', '|', tab or blank."
    )
    @click.option("--header/--no-header", default=None, help="Whether the first line names the columns.")
    @click.option("--encoding", metavar="NAME", help="Of a text: utf-8, cp1252, utf-16, …")
    @wraps(command)
    def with_asked(
        *arguments: Any,
        format_name: str | None,
        columns: str | None,
        separator: str | None,
        header: bool | None,
        encoding: str | None,
        **others: Any,
    ) -> Any:
        from netveil.files import ReadAs

        asked = ReadAs(
            format=format_name, columns=columns, separator=separator, header=header, encoding=encoding
        )
        return command(*arguments, read_as=asked, **others)

    return with_asked


def reading_lines(network: Network) -> list[str]:
    """How a file was read, and its first ties, for people to check."""
    if network.reading is None:
        return list(network.notes)
    return [line for line in (network.reading.sentence(), *network.notes, network.reading.ties()) if line]


def reading_document(network: Network, quiet: bool) -> dict[str, Any] | None:
    """How a file was read, for JSON; with --quiet without its first ties, which name people."""
    if network.reading is None:
        return None
    document = network.reading.to_dict()
    if quiet:
        del document["first"]
    return document


def warn_of_oddities(network: Network) -> None:
    """Say on standard error what is odd about a network; also where only the result is asked for."""
    for oddity in network.reading.oddities if network.reading else ():
        click.echo(f"warning: {oddity}. Check that this is the network that was meant.", err=True)


def attacker_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """--measure, --distance, --fuzzy, --twins and --k, handed to the command as one record, `attackers`."""

    @click.option(
        "--measure",
        "measures",
        multiple=True,
        default=(DEFAULT_MEASURE,),
        show_default=True,
        metavar="NAME",
        help=f"What the attacker knows: {', '.join(MEASURES)}, or your own as module:function. Repeatable: "
        "at risk is whom any of the attackers can single out.",
    )
    @click.option(
        "--distance", default=1, show_default=True, help="How far the attacker's knowledge reaches."
    )
    @click.option(
        "--fuzzy", metavar="SHARE", help="The attacker's numbers may be off by this share, such as 5%."
    )
    @click.option("--twins", is_flag=True, help="Count people with the same contacts as one lookalike.")
    @click.option("--k", default=2, show_default=True, help="People with fewer than K alike are at risk.")
    @wraps(command)
    def with_attackers(
        *arguments: Any,
        measures: tuple[str, ...],
        distance: int,
        fuzzy: str | None,
        twins: bool,
        k: int,
        **others: Any,
    ) -> Any:
        from netveil.anonymity import Attackers

        return command(*arguments, attackers=Attackers.of(measures, distance, fuzzy, twins, k), **others)

    return with_attackers


def output_options(command: Command) -> Command:
    """--json and --quiet."""
    command = click.option("--quiet", is_flag=True, callback=_silence, help="Print nothing but the result.")(
        command
    )
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")(command)


def _silence(context: click.Context, option: click.Parameter, quiet: bool) -> bool:
    """Not even that kernels are being compiled."""
    if quiet:
        import logging

        logging.getLogger("netveil").setLevel(logging.WARNING)
    return quiet


def print_json(document: dict[str, Any]) -> None:
    """The one JSON document on standard output."""
    import json

    click.echo(json.dumps(document, indent=2, ensure_ascii=False))
