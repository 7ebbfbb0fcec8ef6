"""A part of a release as one zip, which tells nothing but its files: no times, no owner, no folder."""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

NOON = (1980, 1, 1, 12, 0, 0)  # of every file: when it was written is nobody's business
CHUNK = 1 << 16


def zip_of(folder: Path, more: dict[str, Path], place: Path) -> IO[bytes]:
    """All files of a folder below its name, and `more` by their names in it, zipped to a nameless file.

    The file is at a `place` of our own, and gone when it is closed. A link in the folder, which somebody may
    have sent along with it, would bring a file of the user's into what is published: it is left out.
    """
    files = {path.name: path for path in sorted(folder.iterdir()) if _is_own(path)} | more
    target = tempfile.TemporaryFile(dir=place)  # noqa: SIM115  # the answer closes it
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, path in files.items():
            entry = zipfile.ZipInfo(f"{folder.name}/{name}", NOON)
            entry.compress_type, entry.create_system, entry.external_attr = (
                zipfile.ZIP_DEFLATED,
                3,
                0o600 << 16,
            )
            archive.writestr(entry, path.read_bytes())
    target.seek(0)
    return target


def _is_own(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def chunks_of(file: IO[bytes]) -> Iterator[bytes]:
    """The bytes of a file, which is closed at the end."""
    with file:
        while chunk := file.read(CHUNK):
            yield chunk
