"""`netveil report`: render a release's report and its page to sign again."""

from __future__ import annotations

import click


@click.command()
@click.argument("release")
def report(release: str) -> None:
    """Render the report and the page to sign of a RELEASE folder again, from its record."""
    from netveil.release.folder import render_again

    for page in render_again(release):
        click.echo(page)
