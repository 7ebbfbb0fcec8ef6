"""`netveil networks`: the networks that need no file, and those that can be fetched."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from netveil.cli.bars import LogLines, bar, can_draw, is_terminal
from netveil.cli.ending import say_what_is_left
from netveil.cli.options import output_options, print_json
from netveil.errors import NetveilError

if TYPE_CHECKING:
    from netveil.fetching.downloading import DownloadProgress

SECONDS_BETWEEN_LINES = 5.0


@click.group(invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.pass_context
def networks(context: click.Context, as_json: bool) -> None:
    """List the built-in networks and those to fetch; fetch some."""
    if context.invoked_subcommand is not None:
        return
    from netveil.cli import network_list

    if as_json:
        print_json({"networks": network_list.builtin_rows(), "fetchable": network_list.fetchable_rows()})
        return
    click.echo(network_list.listing())


@networks.command("fetch")
@click.argument("names", nargs=-1, metavar="NAME...")
@click.option("--all", "everything", is_flag=True, help="Fetch every network of the list.")
@output_options
def fetch_command(names: tuple[str, ...], everything: bool, as_json: bool, quiet: bool) -> int:
    """Fetch networks from their public homes, check them, and keep them in the cache.

    A file in the folder NETVEIL_DATA is taken instead, and what is in the cache is not fetched again.
    """
    from netveil.cli import network_list
    from netveil.fetching import CATALOGUE, fetch

    found = []
    failures = []
    mistakes = network_list.mistakes(names, everything)
    for mistake in mistakes:
        click.echo(f"netveil: {mistake}", err=True)
    if mistakes:
        return 2
    for name in CATALOGUE if everything else dict.fromkeys(names):
        try:
            with _progress(name, quiet) as progress:
                found.append(fetch(name, progress=progress))
        except NetveilError as error:
            failures.append(error)
            click.echo(f"netveil: {' '.join(error.for_command_line().split())}", err=True)
        else:
            say_what_is_left(lambda: "what was fetched is in the cache.")
            if not as_json:
                click.echo(network_list.sentence(found[-1]))
    if as_json and not failures:
        print_json({"networks": [network_list.row(each) for each in found]})
    return 2 if failures else 0


@contextmanager
def _progress(name: str, quiet: bool) -> Iterator[DownloadProgress | None]:
    """A bar on a terminal while a network is downloaded, or lines if it draws none; nothing elsewhere."""
    if quiet or not is_terminal():
        yield None
    elif can_draw():
        with bar(name, counts_bytes=True) as redraw:
            yield lambda done, total: redraw(done, total, name)
    else:
        lines = LogLines(SECONDS_BETWEEN_LINES)
        yield lambda done, total: lines.say(_received(name, done, total))


def _received(name: str, done: int, total: int | None) -> str:
    """One line on a download."""
    from rich.filesize import decimal

    return f"{name}: {decimal(done)}" + ("" if total is None else f" of {decimal(total)}")
