"""`netveil web`: the same in a page on this machine only."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import click

from netveil.errors import SettingError, needing


@click.command()
@click.argument("folders", nargs=-1, metavar="[FOLDER]...", type=click.Path(path_type=Path))
@click.option(
    "--port", type=int, default=0, metavar="P", help="Port to listen on. [default: any that is free]"
)
@click.option("--no-browser", is_flag=True, help="Print the address, and open no browser.")
@click.option(
    "--folder",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Where networks, runs and releases are kept. [default: a folder of your user's]",
)
@click.option("--temporary", is_flag=True, help="Keep nothing: all is deleted when the page ends.")
@click.option(
    "--largest-upload",
    type=int,
    default=100,
    show_default=True,
    metavar="MB",
    help="Files that are larger are not taken.",
)
def web(
    folders: tuple[Path, ...],
    port: int,
    no_browser: bool,
    folder: Path | None,
    temporary: bool,
    largest_upload: int,
) -> None:
    """Do the same in a page of your browser, on this machine only.

    Prints the address to open, which works once, and serves until Ctrl-C. FOLDERs are release folders to look
    at and compare, and folders of experiments to watch.
    """
    for package in ("starlette", "uvicorn"):
        with needing(package, "netveil web", extra="web"):
            import_module(package)
    from netveil.web.server import serve

    if largest_upload < 1:
        raise SettingError(f"--largest-upload {largest_upload}: give megabytes, 1 or more.")
    if temporary and folder is not None:
        raise SettingError("--temporary keeps nothing, and --folder says where; give one of them.")
    serve(
        port,
        folder=folder,
        temporary=temporary,
        given=folders,
        browser=not no_browser,
        largest_upload=largest_upload << 20,
        say=click.echo,
    )
