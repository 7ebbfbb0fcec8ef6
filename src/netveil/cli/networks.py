"""`netveil networks`: the networks that need no file."""

from __future__ import annotations

import click

from netveil.builtin import BUILTIN
from netveil.cli.options import print_json


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def networks(as_json: bool) -> None:
    """List the built-in networks."""
    if as_json:
        rows = [
            {
                "name": each.name,
                "available": each.available(),
                "description": each.description,
                "source": each.source,
            }
            for each in BUILTIN.values()
        ]
        print_json({"networks": rows})
        return
    for each in BUILTIN.values():
        needs = "" if each.available() else f" (not installed: pip install 'netveil[{each.needs}]')"
        click.echo(f"{each.name:<16}{each.description}{needs}\n{'':<16}Source: {each.source}")
