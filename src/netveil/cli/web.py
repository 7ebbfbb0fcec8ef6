"""`netveil web`: the same in a page on this machine only."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import click

from netveil.cli.options import FLAG, options
from netveil.errors import SettingError, needing

PATH = click.Path(path_type=Path)


@click.command()
@click.argument("folders", nargs=-1, metavar="[FOLDER]...", type=PATH)
@options(
    ("--port", "P", "Port to listen on. [default: any that is free]", {"type": int, "default": 0}),
    ("--no-browser", "", "Print the address, and open no browser.", FLAG),
    (
        "--folder",
        "DIR",
        "Where networks, runs and releases are kept. [default: a folder of your user's]",
        {"type": PATH},
    ),
    ("--temporary", "", "Keep nothing: all is deleted when the page ends.", FLAG),
    (
        "--largest-upload",
        "MB",
        "Files that are larger are not taken.",
        {"default": 100, "show_default": True},
    ),
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
