"""`netveil report`: render a release's report and its page to sign again."""

from __future__ import annotations

import click

from netveil.cli.entry import say_what_is_left


@click.command()
@click.argument("release")
def report(release: str) -> None:
    """Render the report and the page to sign of a RELEASE folder again, from its record."""
    from netveil.release.folder import render_again

    pages = render_again(release)
    say_what_is_left(lambda: f"the pages in {release} are written.")
    for page in pages:
        click.echo(page)
