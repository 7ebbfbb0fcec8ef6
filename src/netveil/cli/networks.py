"""`netveil networks`: the networks that need no file, and those that can be fetched."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from netveil.builtin import BUILTIN
from netveil.cli.options import output_options, print_json
from netveil.errors import NetveilError, SettingError, unknown_name
from netveil.fetching import CATALOGUE, FetchableNetwork, Found, fetch, place_of
from netveil.fetching.downloading import Progress


@click.group(invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.pass_context
def networks(context: click.Context, as_json: bool) -> None:
    """List the built-in networks and those to fetch; fetch some."""
    if context.invoked_subcommand is not None:
        return
    if as_json:
        print_json({"networks": _builtin_rows(), "fetchable": _fetchable_rows()})
        return
    for each in BUILTIN.values():
        needs = "" if each.available() else f" (not installed: pip install 'netveil[{each.needs}]')"
        click.echo(f"{each.name:<16}{each.description}{needs}\n{'':<16}Source: {each.source}")
    click.echo("\nTo be fetched by `netveil networks fetch NAME`, and then used by name like those above:\n")
    for known in CATALOGUE.values():
        size = f"{known.nodes:,} nodes, {known.edges:,} edges"
        click.echo(f"{known.name:<16}{known.title} {size}; {_whereabouts(known)}.")
        click.echo(f"{'':<16}Source: {known.citation}; {known.address}")


def _builtin_rows() -> list[dict[str, Any]]:
    return [
        {
            "name": each.name,
            "available": each.available(),
            "description": each.description,
            "source": each.source,
        }
        for each in BUILTIN.values()
    ]


def _fetchable_rows() -> list[dict[str, Any]]:
    rows = []
    for known in CATALOGUE.values():
        place = place_of(known)
        rows.append(
            {
                "name": known.name,
                "available": place != "address",
                "place": place,
                "description": known.title,
                "nodes": known.nodes,
                "edges": known.edges,
                "unique": known.unique,
                "source": known.citation,
                "address": known.address,
            }
        )
    return rows


def _whereabouts(known: FetchableNetwork) -> str:
    place = place_of(known)
    return "not fetched yet" if place == "address" else f"in {'the cache' if place == 'cache' else place}"


@networks.command("fetch")
@click.argument("names", nargs=-1, metavar="NAME...")
@click.option("--all", "everything", is_flag=True, help="Fetch every network of the list.")
@output_options
def fetch_command(names: tuple[str, ...], everything: bool, as_json: bool, quiet: bool) -> int:
    """Fetch networks from their public homes, check them, and keep them in the cache.

    A file in the folder NETVEIL_DATA is taken instead, and what is in the cache is not fetched again.
    """
    found = []
    failures = []
    mistakes = _mistakes(names, everything)
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
            click.echo(f"netveil: {' '.join(str(error).split())}", err=True)
        else:
            if not as_json:
                click.echo(_sentence(found[-1]))
    if as_json and not failures:
        print_json({"networks": [_row(each) for each in found]})
    return 2 if failures else 0


def _mistakes(names: tuple[str, ...], everything: bool) -> list[SettingError]:
    """All that is wrong with the names, known before anything is fetched."""
    if everything == bool(names):
        return [SettingError("give the names of networks, or --all; `netveil networks` lists them.")]
    return [
        SettingError(f"network '{name}' is built in; it needs no fetching.")
        if name in BUILTIN
        else unknown_name("network", name, CATALOGUE)
        for name in dict.fromkeys(names)
        if name in BUILTIN or name not in CATALOGUE
    ]


def _sentence(found: Found) -> str:
    network = found.network
    place = {"NETVEIL_DATA": "found in NETVEIL_DATA", "cache": "already in the cache", "address": "fetched"}
    counts = f"{network.node_count:,} nodes, {network.edge_count:,} edges"
    unique = CATALOGUE[network.name].unique
    alone = "" if unique is None else f", {unique:,} unique nodes"
    return f"{network.name}: {counts}{alone}, as expected; {place[found.place]}: {found.file}"


def _row(found: Found) -> dict[str, Any]:
    return {
        "name": found.network.name,
        "nodes": found.network.node_count,
        "edges": found.network.edge_count,
        "unique": CATALOGUE[found.network.name].unique,
        "place": found.place,
        "file": str(found.file),
        "sha256": found.network.sha256,
    }


@contextmanager
def _progress(name: str, quiet: bool) -> Iterator[Progress | None]:
    """A bar on a terminal while a network is downloaded, and nothing elsewhere."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, TextColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}"), BarColumn(bar_width=20), DownloadColumn())
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(name, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
