"""A part of a release as one zip, which tells nothing but its files: no times, no owner, no folder."""

from __future__ import annotations

import os
import stat
import tempfile
import zipfile
from collections.abc import Container, Iterator
from itertools import chain
from pathlib import Path
from typing import IO

NOON = (1980, 1, 1, 12, 0, 0)  # of every file: when it was written is nobody's business
CHUNK = 1 << 16
PLAIN = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"))
"""How to open a file that is no link, without waiting for whoever writes to a pipe."""


def zip_of(folder: Path, more: dict[str, bytes], place: Path) -> IO[bytes]:
    """All files of a folder below its name, and `more` by their names in it, zipped to a nameless file.

    The file is at a `place` of our own, and gone when it is closed. Somebody may have sent the folder: a link
    in it would bring a file of the user's into what is published, and is left out. OSError if the folder
    itself is a link.
    """
    target = tempfile.TemporaryFile(dir=place)  # noqa: SIM115  # the answer closes it
    try:
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in chain(_plain_files(folder, more), more.items()):
                entry = zipfile.ZipInfo(f"{folder.name}/{name}", NOON)
                entry.compress_type, entry.create_system, entry.external_attr = (
                    zipfile.ZIP_DEFLATED,
                    3,
                    0o600 << 16,
                )
                archive.writestr(entry, content)
    except BaseException:
        target.close()
        raise
    target.seek(0)
    return target


def _plain_files(folder: Path, but: Container[str]) -> Iterator[tuple[str, bytes]]:
    """Names and contents of the files in a folder.

    All are opened below the folder once that is open, where the system can: whoever owns it may put a link in
    its place after it was looked at.
    """
    opened = os.open(folder, PLAIN | os.O_DIRECTORY) if os.open in os.supports_dir_fd else None
    try:
        for name in sorted(os.listdir(folder if opened is None else opened)):  # noqa: PTH208
            path = name if opened is not None else folder / name
            if name not in but and stat.S_ISREG(os.stat(path, dir_fd=opened, follow_symlinks=False).st_mode):
                with os.fdopen(os.open(path, PLAIN, dir_fd=opened), "rb") as stream:
                    yield name, stream.read()
    finally:
        if opened is not None:
            os.close(opened)


def chunks_of(file: IO[bytes]) -> Iterator[bytes]:
    """The bytes of a file, which is closed at the end."""
    with file:
        while chunk := file.read(CHUNK):
            yield chunk
