"""Options that commands share: same spelling, same meaning everywhere."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import click

from netveil.anonymity import DEFAULT_MEASURE, MEASURES
from netveil.files import FORMATS

Command = TypeVar("Command", bound=Callable[..., Any])


def network_options(command: Command) -> Command:
    """NETWORK and --format."""
    command = click.option(
        "--format", "format_name", metavar="NAME", help=f"Format of the file: {', '.join(FORMATS)}."
    )(command)
    return click.argument("network")(command)


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
