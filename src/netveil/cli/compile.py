"""`netveil compile`: compile beforehand what first runs need, such as on a machine that others will use."""

from __future__ import annotations

import click

from netveil.errors import NetveilError


@click.command()
def compile() -> None:  # noqa: A001 - the name of the command
    """Compile what the main commands need, so that the first run of each does not wait for it.

    Compiled code is kept in a folder of the user's, or in NUMBA_CACHE_DIR, for this processor, Python and
    numba.
    """
    from netveil.api import anonymize, audit, compare, measure, synthesize
    from netveil.kernels.compile_cache import kept_folder
    from netveil.network import Network
    from netveil.opening import load

    folder = kept_folder()
    if folder is None:
        raise NetveilError(
            "there is no folder to keep compiled code in; name one that only you can write to: "
            "NUMBA_CACHE_DIR=DIR."
        )
    karate = load("karate")
    click.echo("netveil anonymize, compare, audit …", err=True)
    release = anonymize(karate, "20%", seed=1, effort=1e-6)  # too many choices to be looked through
    compare(karate, release)
    audit(karate, release)
    click.echo("netveil synthesize …", err=True)
    synthesize(karate, seed=1)
    click.echo("netveil measure …", err=True)
    many = Network.from_edges((node, node + step) for node in range(5_000) for step in range(1, 6))
    measure(many)  # large enough for compiled loops
    click.echo(f"Compiled: {sum(1 for file in folder.iterdir() if file.is_file()):,} files in {folder}")
