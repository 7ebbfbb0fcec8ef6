"""From a file as published to the text inside: decompressed, taken out of its archive, within a bound.

Everything happens in memory and nothing is written under a name from an archive, so no archive can reach a
file of the user's, and none can grow beyond the bound.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from collections.abc import Callable
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import IO, Any

from netveil.errors import FileError

_MOST_NAMES_SHOWN = 5


def unpacked(content: bytes, file: str, member: str | None, most_bytes: int) -> tuple[bytes, str]:
    """What is in a file, by its suffixes, and the name under which it was.

    `member` is the file to take from a .zip or .tar archive; the folders in the archive do not matter.
    """
    name = Path(file).name
    suffix = Path(name).suffix.lower()
    if suffix in _STREAMS:
        content, name = _taken(content, file, suffix, most_bytes), Path(name).stem
        suffix = Path(name).suffix.lower()
    if suffix not in _ARCHIVES:
        return content, name
    if member is None:
        raise FileError(f"{file} is an archive, and a single file is wanted. Unpack it first.")
    return _taken(content, file, suffix, most_bytes, member), member


def _taken(content: bytes, file: str, suffix: str, most_bytes: int, member: str = "") -> bytes:
    """What a compressed file holds, or the member of an archive, if it is whole and not too much."""
    from tarfile import TarError
    from zipfile import BadZipFile

    packed = BytesIO(content)
    try:
        opened = _ARCHIVES[suffix](packed, file, member) if member else _STREAMS[suffix](packed)
        with opened as stream:
            taken: bytes = stream.read(most_bytes + 1)
    # RuntimeError: encrypted, or packed in an unknown way
    except (OSError, EOFError, ValueError, RuntimeError, zlib.error, lzma.LZMAError, BadZipFile, TarError):
        raise FileError(f"{file} is damaged, cut off or no {suffix} file at all. Fetch it again.") from None
    if len(taken) > most_bytes:
        raise FileError(
            f"{file} unpacks to more than the {most_bytes:,} bytes that are allowed. Check the file."
        )
    return taken


def _in_zip(packed: BytesIO, file: str, member: str) -> IO[bytes]:
    """One file of a zip archive; its checksum is checked when it is read."""
    from zipfile import ZipFile

    archive = ZipFile(packed)
    return archive.open(_chosen(archive.namelist(), file, member))


def _in_tar(packed: BytesIO, file: str, member: str) -> IO[bytes]:
    """One file of a tar archive; links in it are not followed."""
    from tarfile import TarFile

    archive = TarFile(fileobj=packed)
    files = {each.name: each for each in archive if each.isreg()}
    stream = archive.extractfile(files[_chosen(list(files), file, member)])
    assert stream is not None, "a regular file has content"
    return stream


def _chosen(names: list[str], file: str, member: str) -> str:
    """The full name of the member."""
    for name in names:
        if PurePosixPath(name).name == member:
            return name
    shown = ", ".join(names[:_MOST_NAMES_SHOWN]) or "nothing"
    more = ", …" if len(names) > _MOST_NAMES_SHOWN else ""
    raise FileError(f"{file} does not hold {member}; it holds {shown}{more}. Fetch it again, or another one.")


_STREAMS: dict[str, Callable[[BytesIO], Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
_ARCHIVES = {".zip": _in_zip, ".tar": _in_tar}
