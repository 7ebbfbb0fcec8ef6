"""Files as bytes: compressed by their last suffix, read whole, and written whole or not at all.

`-` is standard input, which has no suffix: how it is compressed is told by how it begins. `bounds` says how
much is read at most.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import stat
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from netveil.errors import FileError
from netveil.files.bounds import check_size, endless, most_of_a_stream, most_unpacked, unpacks_to_too_much
from netveil.files.hidden import NEW_FILE, hidden_file, sweep
from netveil.files.stored_file import reason_of, telling_reading
from netveil.files.syncing import sync_folder

_BLOCK = 1 << 20


@dataclass(frozen=True)
class Compression:
    """One way to make a file smaller."""

    compress: Callable[[bytes], bytes]
    opened: Callable[[io.BytesIO], Any]  # a stream of what is in compressed bytes
    magic: bytes  # how compressed bytes begin


def _gzip(content: bytes) -> bytes:
    # `gzip.compress` tells the operating system; this leaves name, time and system blank.
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=packed, mtime=0) as stream:
        stream.write(content)
    return packed.getvalue()


COMPRESSIONS = {
    ".gz": Compression(_gzip, gzip.open, b"\x1f\x8b"),
    ".bz2": Compression(bz2.compress, bz2.open, b"BZh"),
    ".xz": Compression(lzma.compress, lzma.open, b"\xfd7zXZ\0"),
}
"""By the suffix that follows that of the format."""

STDIN = "-"
"""What users give instead of a file for standard input; a file of that name is ./- to them."""

STDIN_NAME = "stdin"
"""What standard input is called in messages, and the network that is read from it."""


def split_name(file: str) -> tuple[str, str, str]:
    """A file's name without its suffixes, the suffix of its format and that of its compression, lower case.

    >>> split_name("data/contacts.2024.CSV.gz")
    ('contacts.2024', '.csv', '.gz')
    """
    path = Path(file)
    compression = path.suffix.lower() if path.suffix.lower() in COMPRESSIONS else ""
    inner = path.with_suffix("") if compression else path
    return inner.stem, inner.suffix.lower(), compression


def load(file: str) -> bytes:
    """What a file holds, decompressed."""
    return decompressed(stored_bytes(file), file, split_name(file)[2])


def stored_bytes(file: str) -> bytes:
    """The bytes of a file as they are, or those of standard input, which can be read once."""
    if file == STDIN:
        return _standard_input()
    with telling_reading(file):
        return bounded_bytes(file)


def bounded_bytes(file: str | os.PathLike[str]) -> bytes:
    """The same where errors of the system are told by the caller; FileError for what is too large."""
    with Path(file).open("rb", buffering=0) as stream:
        about = os.fstat(stream.fileno())
        if stat.S_ISREG(about.st_mode) and about.st_size:
            check_size(about.st_size, os.fspath(file))
            return stream.readall()
        return _all_of(stream, os.fspath(file))  # a pipe, a device, or what the system makes up


def _all_of(stream: IO[bytes] | io.RawIOBase, file: str) -> bytes:
    """What is in a stream that does not say how much that is, up to a bound."""
    blocks, size, bound = [], 0, most_of_a_stream()
    while block := stream.read(_BLOCK):
        blocks.append(block)
        size += len(block)
        if size > bound:
            raise endless(file, bound)
    return b"".join(blocks)


def _standard_input() -> bytes:
    try:
        content = _all_of(sys.stdin.buffer, STDIN_NAME)
    except (AttributeError, OSError, ValueError):  # there is none, or a notebook's, or it is closed
        raise FileError("there is no standard input to read here. Give a file instead of -.") from None
    if not content:
        rule = "standard input is empty, or was read already: it can be read once"
        raise FileError(f"{rule}. Pipe a network into the command, and give - for one network only.")
    return content


def decompressed(content: bytes, file: str, compression: str) -> bytes:
    """What these bytes hold, by the suffix of their compression; as they are if that is empty."""
    if not compression:
        return content
    bound = most_unpacked(len(content))
    try:
        with COMPRESSIONS[compression].opened(io.BytesIO(content)) as stream:
            blocks, size = [], 0
            while (block := stream.read(_BLOCK)) and size <= bound:
                blocks.append(block)
                size += len(block)
    except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError):
        rule = f"is damaged or no {compression} file at all"
        raise FileError(f"{file} {rule}. Fetch it again, or give it its right suffix.") from None
    if size > bound:
        raise unpacks_to_too_much(file, len(content), bound)
    return b"".join(blocks)


def compression_of(content: bytes) -> str:
    """The suffix of the compression that these bytes begin like; empty if they begin like none."""
    return next((suffix for suffix, each in COMPRESSIONS.items() if content.startswith(each.magic)), "")


def store(content: bytes, file: str) -> None:
    """Write a file, compressed by its suffix. It appears whole or not at all, and replaces an older one."""
    compression = split_name(file)[2]
    if compression:
        content = COMPRESSIONS[compression].compress(content)
    target = Path(file)
    with _telling(file):
        # Replacing a folder fails late, and replacing a device such as /dev/null would succeed.
        if target.exists() and not target.is_file():
            raise FileError(f"{file} is not a file that can be replaced. Give another name.")
        write_whole(content, target)


def store_private(content: bytes, file: str) -> None:
    """Write a new file that nobody but its owner can read. It appears whole or not at all."""
    target = Path(file)
    compression = split_name(file)[2]
    if compression:
        content = COMPRESSIONS[compression].compress(content)
    with _telling(file):
        check_new(file)
        write_whole(content, target, private=True, new=True)


def check_new(file: str) -> None:
    """Raise if a private file is there already, has no folder to be in, or would be published."""
    target = Path(file)
    if file in ("", "-"):
        raise FileError(f"'{file}' is not the name of a file, and what is private is not printed. Give one.")
    if (target.parent / "about.json").exists():
        raise FileError(f"{file} is in the public part of a release, and names people. Choose another place.")
    with _telling(file):
        if target.exists() or target.is_symlink():
            raise FileExistsError
        if not target.parent.is_dir():
            raise FileNotFoundError


def write_whole(content: bytes, target: Path, *, private: bool = False, new: bool = False) -> None:
    """Write a file under a hidden name beside its place, and rename it. OSError if that is not possible.

    With `private`, nobody but its owner can ever read it; with `new`, an older file is not replaced. What
    killed processes left of the same file is swept.
    """
    sweep(target.parent, target.name)
    part, descriptor = hidden_file(target, 0o600 if private else 0o666)
    try:
        try:
            _write(descriptor, content)
            if sys.platform != "win32":  # where open files can be renamed, it is held until it has its name
                _name(part, target, new)
        finally:
            os.close(descriptor)
        if sys.platform == "win32":
            _name(part, target, new)
    finally:
        part.unlink(missing_ok=True)
    sync_folder(target.parent)


def write_new(content: bytes, file: Path, *, private: bool = False) -> None:
    """Write a file that must not be there yet, not even as a link, and have it on the disk."""
    descriptor = os.open(file, NEW_FILE, 0o600 if private else 0o666)
    try:
        _write(descriptor, content)
    finally:
        os.close(descriptor)


def _write(descriptor: int, content: bytes) -> None:
    left = memoryview(content)
    while left:
        left = left[os.write(descriptor, left) :]
    os.fsync(descriptor)


def _name(part: Path, target: Path, new: bool) -> None:
    if new:
        _put_in_free_place(part, target)
    else:
        part.replace(target)


def _put_in_free_place(part: Path, target: Path) -> None:
    """Rename a file; FileExistsError if another process has put something in its place."""
    try:
        target.hardlink_to(part)
    except FileExistsError:
        raise
    except OSError:  # some disks know no hard links: there, a moment is left to the other process
        if target.exists():
            raise FileExistsError from None
        part.replace(target)


@contextmanager
def _telling(file: str) -> Iterator[None]:
    """Turn an error of the file system into one line."""
    try:
        yield
    except FileExistsError:
        raise FileError(f"{file} exists already, and is not overwritten. Choose another name.") from None
    except (FileNotFoundError, NotADirectoryError):
        raise FileError(f"{file}: its folder does not exist. Make the folder first.") from None
    except PermissionError:
        raise FileError(f"{file}: no permission to write there. Choose another folder.") from None
    except (OSError, ValueError) as error:
        raise FileError(
            f"{file} cannot be written: {reason_of(error)}. Choose another name or folder."
        ) from None
