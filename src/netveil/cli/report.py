"""`netveil report`: render a release's report again."""

from __future__ import annotations

import click


@click.command()
@click.argument("release")
def report(release: str) -> None:
    """Render the report of a RELEASE folder again, from its private record."""
    from netveil.release.folder import render_again

    click.echo(render_again(release))
