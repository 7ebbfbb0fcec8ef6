"""`netveil networks`: the networks that need no file, and those that can be fetched."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from netveil.cli.entry import say_what_is_left
from netveil.cli.options import FLAG, Output, options, output_options, print_json
from netveil.cli.progress import LogLines, bar_or_lines
from netveil.errors import NetveilError, SettingError, unknown_name
from netveil.formatting import counted, in_columns
from netveil.progress import is_terminal

if TYPE_CHECKING:
    from netveil.fetching import DownloadProgress, FoundNetwork

SECONDS_BETWEEN_LINES = 5.0


@click.group(invoke_without_command=True)
@options(("--json as_json", "", "Print one JSON document.", FLAG))
@click.pass_context
def networks(context: click.Context, as_json: bool) -> None:
    """List the built-in networks and those to fetch; fetch some."""
    if context.invoked_subcommand is not None:
        return
    from netveil.fetching import CATALOGUE, place_of
    from netveil.opening import BUILTIN

    found = {known.name: place_of(known) for known in CATALOGUE.values()}
    if as_json:
        told = ("name", "description", "source")
        builtin = [
            {"available": each.available(), **{key: getattr(each, key) for key in told}}
            for each in BUILTIN.values()
        ]
        fetchable = [
            {
                "available": found[known.name] != "address",
                "place": found[known.name],
                "description": known.title,
                "source": known.citation,
                **{key: getattr(known, key) for key in ("name", "nodes", "edges", "unique", "address")},
            }
            for known in CATALOGUE.values()
        ]
        print_json({"networks": builtin, "fetchable": fetchable})
        return
    places = {"address": "not fetched yet", "cache": "in the cache", "NETVEIL_DATA": "in NETVEIL_DATA"}
    rows: list[tuple[str, str]] = []
    for each in BUILTIN.values():
        needs = "" if each.available() else f" (not installed: pip install 'netveil[{each.needs}]')"
        rows += [(each.name, f"{each.description}{needs}"), ("", f"Source: {each.source}")]
    for known in CATALOGUE.values():
        size = f"{counted(known.nodes, 'node')}, {counted(known.edges, 'edge')}"
        rows.append((known.name, f"{known.title} {size}; {places[found[known.name]]}."))
        rows.append(("", f"Source: {known.citation}; {known.address}"))
    lines = in_columns(rows, left=2)
    how = "To be fetched by `netveil networks fetch NAME`, and then used by name like those above:"
    click.echo("\n".join([*lines[: 2 * len(BUILTIN)], "", how, "", *lines[2 * len(BUILTIN) :]]))


def fetch_mistakes(names: tuple[str, ...], everything: bool) -> list[SettingError]:
    """Mistakes in the names, found before anything is fetched."""
    from netveil.fetching import CATALOGUE
    from netveil.opening import BUILTIN

    if everything == bool(names):
        return [SettingError("give the names of networks, or --all; `netveil networks` lists them.")]
    return [
        SettingError(f"network '{name}' is built in; it needs no fetching.")
        if name in BUILTIN
        else unknown_name("network", name, CATALOGUE)
        for name in dict.fromkeys(names)
        if name in BUILTIN or name not in CATALOGUE
    ]


def sentence(found: FoundNetwork) -> str:
    """Sentence on a fetched network: counts, place and checksum."""
    from netveil.fetching import CATALOGUE

    network = found.network
    place = {"NETVEIL_DATA": "found in NETVEIL_DATA", "cache": "already in the cache", "address": "fetched"}
    counts = f"{counted(network.node_count, 'node')}, {counted(network.edge_count, 'edge')}"
    unique = CATALOGUE[network.name].unique
    alone = "" if unique is None else f", {counted(unique, 'unique node')}"
    told = f"{network.name}: {counts}{alone}, as expected; {place[found.place]}: {found.file}"
    if found.place == "cache":
        return told
    against = {
        "as published": "SHA-256 as published",
        "as fetched before": "SHA-256 as when it was fetched before",
        "not known": f"not checked against a known checksum; its SHA-256 is {network.sha256}",
    }
    return f"{told}; {against[found.checksum]}"


@networks.command("fetch")
@click.argument("names", nargs=-1, metavar="NAME...")
@options(("--all everything", "", "Fetch every network of the list.", FLAG))
@output_options
def fetch_command(names: tuple[str, ...], everything: bool, output: Output) -> int:
    """Fetch networks from their public homes, check them, and keep them in the cache.

    A file in the folder NETVEIL_DATA is taken instead, and what is in the cache is not fetched again.
    """
    from netveil.fetching import CATALOGUE, fetch

    found, failed = [], False
    mistakes = fetch_mistakes(names, everything)
    for mistake in mistakes:
        click.echo(f"netveil: {mistake}", err=True)
    if mistakes:
        return 2
    for name in CATALOGUE if everything else dict.fromkeys(names):
        try:
            with _progress(name, output.quiet) as progress:
                found.append(fetch(name, progress=progress))
        except NetveilError as error:
            failed = True
            click.echo(f"netveil: {' '.join(error.for_command_line().split())}", err=True)
        else:
            say_what_is_left(lambda: "what was fetched is in the cache.")
            if not output.as_json:
                click.echo(sentence(found[-1]))
    if output.as_json and not failed:
        rows = [
            {
                "name": each.network.name,
                "nodes": each.network.node_count,
                "edges": each.network.edge_count,
                "unique": CATALOGUE[each.network.name].unique,
                "place": each.place,
                "file": str(each.file),
                "sha256": each.network.sha256,
                "checksum": each.checksum,
            }
            for each in found
        ]
        print_json({"networks": rows})
    return 2 if failed else 0


@contextmanager
def _progress(name: str, quiet: bool) -> Iterator[DownloadProgress | None]:
    """Show a download on a terminal, as a bar or as lines; nothing elsewhere."""

    def received(done: int, total: int | None) -> str:
        from rich.filesize import decimal

        return f"{name}: {decimal(done)}" + ("" if total is None else f" of {decimal(total)}")

    with bar_or_lines(name, quiet or not is_terminal(), LogLines(SECONDS_BETWEEN_LINES)) as redraw:
        yield redraw and (lambda done, total: redraw(done, total, received(done, total)))
