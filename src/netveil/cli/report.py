"""`netveil report`: render a release's report and its page to sign again, or pack what is public."""

from __future__ import annotations

import click

from netveil.cli.entry import say_what_is_left
from netveil.cli.options import options


@click.command()
@click.argument("release")
@options(
    (
        "--zip packed",
        "FILE",
        "Instead, write public/ with a checklist to this zip, as export desks and repositories want it.",
    )
)
def report(release: str, packed: str | None) -> None:
    """Render report, page to sign and decision of a RELEASE folder again, from its record."""
    from netveil.release.deposit import zip_deposit
    from netveil.release.folder import render_again

    if packed is not None:
        click.echo(zip_deposit(release, packed))
        return
    pages = render_again(release)
    say_what_is_left(lambda: f"the pages in {release} are written.")
    for page in pages:
        click.echo(page)
