"""`netveil report`: render a release's report again."""

from __future__ import annotations

import click

from netveil.release_folder import render_again


@click.command()
@click.argument("release")
def report(release: str) -> None:
    """Render the report of a RELEASE folder again, from its private record."""
    click.echo(render_again(release))
