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

_DAMAGE = (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError)
_MOST_NAMES_SHOWN = 5
_STREAMS: dict[str, Callable[[BytesIO], Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}


def unpacked(content: bytes, file: str, member: str | None, most_bytes: int) -> tuple[bytes, str]:
    """What is in a file, by its suffixes, and the name under which it was.

    `member` is the file to take from a .zip or .tar archive; the folders in the archive do not matter.
    """
    name = Path(file).name
    opened = _decompressed(content, file, most_bytes)
    if opened is not None:
        content, name = opened, Path(name).stem
    suffix = Path(name).suffix.lower()
    if suffix not in (".zip", ".tar"):
        return content, name
    if member is None:
        raise FileError(f"{file} is an archive, and a single file is wanted. Unpack it first.")
    take = _from_zip if suffix == ".zip" else _from_tar
    return take(content, file, member, most_bytes), member


def _decompressed(content: bytes, file: str, most_bytes: int) -> bytes | None:
    """The content of a .gz, .bz2 or .xz file; None for any other."""
    suffix = Path(file).suffix.lower()
    if suffix not in _STREAMS:
        return None
    try:
        with _STREAMS[suffix](BytesIO(content)) as stream:
            return _bounded(stream, file, most_bytes)
    except _DAMAGE:
        raise FileError(f"{file} is damaged, cut off or no {suffix} file at all. Fetch it again.") from None


def _from_zip(content: bytes, file: str, member: str, most_bytes: int) -> bytes:
    """One file of a zip archive; its checksum is checked."""
    from zipfile import BadZipFile, ZipFile

    try:
        with ZipFile(BytesIO(content)) as archive:
            name = _chosen(archive.namelist(), file, member)
            with archive.open(name) as stream:
                return _bounded(stream, file, most_bytes)
    except (BadZipFile, RuntimeError, *_DAMAGE):  # RuntimeError: encrypted, or packed in an unknown way
        raise FileError(f"{file} is damaged, cut off or no .zip file at all. Fetch it again.") from None


def _from_tar(content: bytes, file: str, member: str, most_bytes: int) -> bytes:
    """One file of a tar archive; links in it are not followed."""
    import tarfile

    try:
        with tarfile.open(fileobj=BytesIO(content), mode="r:") as archive:
            files = {each.name: each for each in archive if each.isreg()}
            stream = archive.extractfile(files[_chosen(list(files), file, member)])
            assert stream is not None, "a regular file has content"
            with stream:
                return _bounded(stream, file, most_bytes)
    except (tarfile.TarError, *_DAMAGE):
        raise FileError(f"{file} is damaged, cut off or no .tar file at all. Fetch it again.") from None


def _chosen(names: list[str], file: str, member: str) -> str:
    """The full name of the member."""
    for name in names:
        if PurePosixPath(name).name == member:
            return name
    shown = ", ".join(names[:_MOST_NAMES_SHOWN]) or "nothing"
    more = ", …" if len(names) > _MOST_NAMES_SHOWN else ""
    raise FileError(f"{file} does not hold {member}; it holds {shown}{more}. Fetch it again, or another one.")


def _bounded(stream: IO[bytes], file: str, most_bytes: int) -> bytes:
    """All that a stream holds, if that is not too much."""
    content = stream.read(most_bytes + 1)
    if len(content) > most_bytes:
        raise FileError(
            f"{file} unpacks to more than the {most_bytes:,} bytes that are allowed. Check the file."
        )
    return content
