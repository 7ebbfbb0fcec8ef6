"""Open the browser without showing the token: what a process is started with, all users of a machine see."""

from __future__ import annotations

import html
import os
import secrets
import threading
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>netveil</title>
<meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0;url={address}">
<p><a href="{address}">Open netveil</a></p></html>
"""


@contextmanager
def opened(address: str, folder: Path) -> Iterator[Callable[[], None]]:
    """Open a page of the user's own that leads to the address; yields what deletes that page again.

    It is in the user's home: browsers that are packed as snaps see no hidden folder, and no temporary one.
    """
    file = _written(address, [Path.home(), folder])
    # Some browsers run in the terminal, and would not let us serve.
    threading.Thread(target=webbrowser.open, args=[file.as_uri()], daemon=True).start()
    try:
        yield lambda: file.unlink(missing_ok=True)
    finally:
        file.unlink(missing_ok=True)


def _written(address: str, folders: list[Path]) -> Path:
    """The page in the first of these folders that can be written."""
    name = f"netveil-{secrets.token_hex(4)}.html"
    for folder in folders[:-1]:
        with suppress(OSError):
            return _write(folder / name, address)
    return _write(folders[-1] / name, address)


def _write(file: Path, address: str) -> Path:
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as stream:
        stream.write(PAGE.format(address=html.escape(address)))
    return file
