"""Files as bytes: compressed by their last suffix, read whole, and written whole or not at all.

`-` is standard input, which has no suffix: how it is compressed is told by how it begins.

No file fills the memory, be it packed, endless or a few bytes that announce much. Too much, in bytes, is

- of a plain file: more than the free memory; where it is read part by part, what is made of it must fit;
- of a pipe or a device, which has no size beforehand: more than MOST_OF_A_STREAM;
- of a packed file: more than MOST_TIMES its size, where that is more than MOST_UNPACKED_ANYWAY.

NETVEIL_LARGEST_FILE sets one bound for all of these.
"""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import lzma
import os
import re
import secrets
import stat
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from contextvars import ContextVar
from functools import partial
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from netveil.errors import FileError, SettingError
from netveil.files.staging import NEW_FILE, hidden_file, sweep, sync

VARIABLE = "NETVEIL_LARGEST_FILE"

MOST_OF_A_STREAM = 1 << 30
"""Bytes of what says nothing of its size."""

MOST_UNPACKED_ANYWAY = 1 << 28
MOST_TIMES = 100
"""A packed file may grow to so many bytes, or to so many times its size: tables of ties grow twenty times."""

MOST_CELLS_ANYWAY = 10_000_000
MOST_CELLS_PER_CELL = 20
"""For each cell of a table that is written, so many may be empty, in a large one."""

_SIZE = re.compile(r"(\d{1,15})\s*+([kmgt]?)(?:i?b)?", re.IGNORECASE | re.ASCII).fullmatch
_UNITS = {"": 0, "k": 10, "m": 20, "g": 30, "t": 40}
_FREE = re.compile(r"^MemAvailable:\s++(\d++) kB$", re.MULTILINE | re.ASCII)


def set_by_user() -> int | None:
    """Bound that NETVEIL_LARGEST_FILE says; None where it is not set."""
    text = os.environ.get(VARIABLE, "").strip()
    if not text:
        return None
    size = _SIZE(text)
    if size is None or not int(size.group(1)):
        raise SettingError(f"{VARIABLE} = {text}: give a number of bytes, such as 8000000000 or 8G.")
    return int(size.group(1)) << _UNITS[size.group(2).lower()]


def free_memory() -> int:
    """Bytes of memory that are free, as far as the system tells, within what shell and container allow."""
    allowed = [1 << 62]
    with suppress(ImportError, OSError):  # there is none in Windows
        import resource

        soft = resource.getrlimit(resource.RLIMIT_AS)[0]
        allowed += [soft] * (soft != resource.RLIM_INFINITY)
    with suppress(OSError):
        text = Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii").strip()
        allowed += [int(text)] * text.isdecimal()
    with suppress(OSError):
        told = _FREE.search(Path("/proc/meminfo").read_text(encoding="ascii"))
        if told:
            return min(*allowed, int(told.group(1)) * 1024)
    with suppress(AttributeError, OSError, ValueError):
        allowed.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    return min(allowed)


def check_size(size: int, file: str, *, in_parts: bool = False) -> None:
    """Raise if a file of this size is too large to be read; `in_parts`, it need not fit into memory."""
    chosen = set_by_user()
    bound = chosen or (size if in_parts else free_memory())
    if size > bound:
        why = f"{VARIABLE} allows {bound:,}" if chosen else f"{bound:,} bytes of memory are free"
        remedy = f"Take a machine with more memory, or set {VARIABLE} to more bytes, such as {_more(size)}"
        raise FileError(f"{file} has {size:,} bytes, and {why}. {remedy}.", about="memory")


def most_unpacked(packed: int) -> int:
    """Bytes that a packed file of this size may hold."""
    return set_by_user() or min(max(MOST_UNPACKED_ANYWAY, MOST_TIMES * packed), free_memory())


def check_unpacked(unpacked: int, packed: int, file: str) -> None:
    """Raise if a packed file holds more bytes than it may."""
    if unpacked > (bound := most_unpacked(packed)):
        rule = f"has {packed:,} bytes and unpacks to more than {bound:,}, as files do that fill a memory"
        remedy = f"If it is right, set {VARIABLE} to more bytes, such as {_more(bound)}"
        raise FileError(f"{file} {rule}. {remedy}.")


def are_too_sparse(rows: int, width: int, cells: int) -> bool:
    """Whether a table of so many rows and columns would be mostly empty: `cells` are written in the file."""
    return rows * width > max(MOST_CELLS_ANYWAY, MOST_CELLS_PER_CELL * cells)


def _more(size: int) -> str:
    """A bound that is well above a size, as users give it.

    >>> _more(5_000_000_000)
    '8G'
    """
    return f"{1 << max(size >> 30, 1).bit_length()}G"


# A large file on disk, which is read part by part: its bytes never stand in memory all at once.


LARGE_FILE = 1 << 21
"""Bytes from which on a file is worth the trouble."""


class StoredFile:
    """Open file that is read part by part, as slices, and must not change meanwhile."""

    def __init__(self, file: str) -> None:
        self.stream, self.file = Path(file).open("rb"), file  # noqa: SIM115 - closed at the end of the block
        self._before = self._state()

    def _state(self) -> tuple[int, int]:
        about = os.fstat(self.stream.fileno())
        return about.st_size, about.st_mtime_ns

    def __len__(self) -> int:
        return self._before[0]

    def __getitem__(self, part: slice) -> bytes:
        start, stop, _ = part.indices(len(self))
        with telling_reading(self.file):
            self.stream.seek(start)
            return self.stream.read(max(stop - start, 0))

    def whole(self) -> bytes:
        """All bytes of the file, which must fit into memory."""
        check_size(len(self), self.file)
        return self[0 : len(self)]

    def sha256(self) -> str:
        """SHA-256 of the file; FileError if it changed since it was opened."""
        self.stream.seek(0)
        with telling_reading(self.file):
            digest = hashlib.file_digest(self.stream, "sha256").hexdigest()
        if self._state() != self._before:
            raise FileError(f"{self.file} changed while it was read. Read it again when nobody writes to it.")
        return digest

    def __enter__(self) -> StoredFile:
        return self

    def __exit__(self, *error: object) -> None:
        self.stream.close()


Content = bytes | StoredFile
"""Content of a file, in memory or not: both have a length and slices."""


def in_memory(content: Content) -> bytes:
    """Content of a file as bytes."""
    return content if isinstance(content, bytes) else content.whole()


@contextmanager
def open_stored(file: str) -> Iterator[StoredFile | None]:
    """A plain file to be read part by part; None if it is small, packed, a pipe or a device."""
    if file == STDIN or split_name(file)[2]:
        yield None
        return
    with telling_reading(file):
        about = Path(file).stat()  # a pipe can be opened once, and that is for whoever reads it
        is_large = stat.S_ISREG(about.st_mode) and (about.st_size >= LARGE_FILE or puts_ties_on_disk())
        opened = StoredFile(file) if is_large else nullcontext()
    with opened as stored:
        if stored is not None:
            check_size(len(stored), file, in_parts=True)
        yield stored


_IN_READING: dict[type[Exception], str] = {
    FileNotFoundError: ": there is no such file. Check the name and the folder",
    IsADirectoryError: " is a folder. Give a file in it",
    PermissionError: ": no permission to read it. Ask its owner, or copy it",
    Exception: " cannot be read: {reason}. Check the name",
}
_IN_WRITING: dict[type[Exception], str] = {
    FileExistsError: " exists already, and is not overwritten. Choose another name",
    FileNotFoundError: ": its folder does not exist. Make the folder first",
    NotADirectoryError: ": its folder does not exist. Make the folder first",
    PermissionError: ": no permission to write there. Choose another folder",
    Exception: " cannot be written: {reason}. Choose another name or folder",
}
"""Messages for errors of the file system; the first that fits is taken."""


@contextmanager
def telling_reading(file: str, told: dict[type[Exception], str] = _IN_READING) -> Iterator[None]:
    """Turn an error of the file system in reading a file into one line."""
    try:
        yield
    except (OSError, ValueError) as error:
        rule = next(rule for kind, rule in told.items() if isinstance(error, kind))
        # The reason that the system gives has no path: the message has it already.
        reason = getattr(error, "strerror", None) or "the name or its folder is not valid"
        raise FileError(f"{file}{rule.format(reason=reason)}.") from None


_telling = partial(telling_reading, told=_IN_WRITING)
"""Turn an error of the file system in writing a file into one line."""


_BLOCK = 1 << 20


class Compression(NamedTuple):
    """Compression of files: both ways, and how compressed bytes begin."""

    compress: Callable[[bytes], bytes]
    opened: Callable[[IO[bytes]], Any]  # a stream of what is in compressed bytes
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
"""Name that users give for standard input; a file that is called so is ./- to them."""

STDIN_NAME = "stdin"
"""Name of standard input in messages, and of the network that is read from it."""


def split_name(file: str) -> tuple[str, str, str]:
    """A file's name without its suffixes, the suffix of its format and that of its compression, lower case.

    >>> split_name("data/contacts.2024.CSV.gz")
    ('contacts.2024', '.csv', '.gz')
    """
    path = Path(file)
    compression = path.suffix.lower() if path.suffix.lower() in COMPRESSIONS else ""
    inner = path.with_suffix("") if compression else path
    return inner.stem, inner.suffix.lower(), compression


def load_file(file: str) -> bytes:
    """Content of a file, decompressed."""
    return decompressed(stored_bytes(file), file, split_name(file)[2])


def stored_bytes(file: str) -> bytes:
    """Bytes of a file as they are, or of standard input, which can be read once."""
    if file != STDIN:
        with telling_reading(file):
            return bounded_bytes(file)
    try:
        content = _all_of(sys.stdin.buffer, STDIN_NAME)
    except (AttributeError, OSError, ValueError):  # there is none, or a notebook's, or it is closed
        raise FileError("there is no standard input to read here. Give a file instead of -.") from None
    if not content:
        rule = "standard input is empty, or was read already: it can be read once"
        raise FileError(f"{rule}. Pipe a network into the command, and give - for one network only.")
    return content


def bounded_bytes(file: str | os.PathLike[str]) -> bytes:
    """Bytes of a file as they are; OSError of the system, FileError for what is too large."""
    with Path(file).open("rb", buffering=0) as stream:
        about = os.fstat(stream.fileno())
        if stat.S_ISREG(about.st_mode) and about.st_size:
            check_size(about.st_size, os.fspath(file))
            return stream.readall()
        return _all_of(stream, os.fspath(file))  # a pipe, a device, or what the system makes up


def _all_of(stream: IO[bytes] | io.RawIOBase, file: str) -> bytes:
    """Content of a stream of unknown length, up to a bound."""
    bound = set_by_user() or min(MOST_OF_A_STREAM, free_memory())
    content = _up_to(bound, stream)
    if len(content) > bound:
        rule = f"goes on after {bound:,} bytes, which is all that is read of a pipe or a device"
        remedy = f"Save it as a file and give that, or set {VARIABLE} to more bytes, such as {_more(bound)}"
        raise FileError(f"{file} {rule}. {remedy}.")
    return content


def _up_to(bound: int, stream: IO[bytes] | io.RawIOBase) -> bytes:
    """Content of a stream, or somewhat more than so many bytes of it."""
    content = bytearray()
    while len(content) <= bound and (block := stream.read(_BLOCK)):
        content += block
    return bytes(content)


def decompressed(content: bytes, file: str, compression: str) -> bytes:
    """Content of compressed bytes, by the suffix of their compression; as they are if that is empty."""
    if not compression:
        return content
    try:
        with COMPRESSIONS[compression].opened(io.BytesIO(content)) as stream:
            unpacked = _up_to(most_unpacked(len(content)), stream)
    except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError):
        rule = f"is damaged or no {compression} file at all"
        raise FileError(f"{file} {rule}. Fetch it again, or give it its right suffix.") from None
    check_unpacked(len(unpacked), len(content), file)
    return unpacked


def compression_of(content: bytes) -> str:
    """Suffix of the compression that these bytes begin like; empty if they begin like none."""
    return next((suffix for suffix, each in COMPRESSIONS.items() if content.startswith(each.magic)), "")


def store(content: bytes, file: str) -> None:
    """Write a file, compressed by its suffix. It appears whole or not at all, and replaces an older one."""
    target = Path(file)
    with _telling(file):
        # Replacing a folder fails late, and replacing a device such as /dev/null would succeed.
        if target.exists() and not target.is_file():
            raise FileError(f"{file} is not a file that can be replaced. Give another name.")
        write_whole(_packed(content, file), target)


def store_private(content: bytes, file: str) -> None:
    """Write a new file that nobody but its owner can read. It appears whole or not at all."""
    with _telling(file):
        check_new(file)
        write_whole(_packed(content, file), Path(file), private=True, new=True)


def _packed(content: bytes, file: str) -> bytes:
    """Content as it is stored, compressed by the suffix of the file."""
    compression = split_name(file)[2]
    return COMPRESSIONS[compression].compress(content) if compression else content


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
        _fill(descriptor, content)
        if new and os.path.lexists(target):
            raise FileExistsError
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
    sync(target.parent)


def write_new(content: bytes, file: Path, *, private: bool = False) -> None:
    """Write a file that must not be there yet, not even as a link, and have it on the disk."""
    _fill(os.open(file, NEW_FILE, 0o600 if private else 0o666), content)


def _fill(descriptor: int, content: bytes) -> None:
    """Write a new file, have it on the disk and close it."""
    try:
        left = memoryview(content)
        while left:
            left = left[os.write(descriptor, left) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


LARGE = 1_000_000  # ties; fewer fit anyway
WHOLE_NUMBERS, TEXTS, LINES = 14, 64, 40
"""Bytes of memory that reading a tie takes, rounded up: in a table of pyarrow, and in a text."""


def check_fits(ties: int, bytes_each: int, file: str) -> None:
    """Raise if there is less memory than so many ties take, unless they go to disk; say what to do."""
    needed, free = ties * bytes_each, free_memory()
    if ties >= LARGE and needed > free and not puts_ties_on_disk():
        raise FileError(
            f"{file} has about {ties:,} ties, which take {needed / 1e9:,.1f} GB of memory, and "
            f"{free / 1e9:,.1f} GB are free. Take a machine with more memory, or cut it into blocks there "
            f"(`netveil blocks`), which can be counted with little.",
            about="memory",
        )


# Arrays with a row a tie: in memory, or in files, where a network is read that may not fit into memory.


_BYTES_AT_ONCE = 1 << 20

_folder_for_ties: ContextVar[Path | None] = ContextVar("folder_for_ties", default=None)


@contextmanager
def ties_on_disk(folder: Path) -> Iterator[None]:
    """Have readers put the ties of plain tables into files of a folder, as long as the block lasts."""
    before = _folder_for_ties.set(folder)
    try:
        yield
    finally:
        _folder_for_ties.reset(before)


def puts_ties_on_disk() -> bool:
    """Whether readers are asked to put ties into files."""
    return _folder_for_ties.get() is not None


def room_for_ties(rows: int, columns: int) -> NDArray[np.int32]:
    """Array (rows, columns) for numbers of nodes or cells; OSError where it is on disk and that is full."""
    folder = _folder_for_ties.get()
    if folder is None or not rows * columns:
        return np.empty((rows, columns), np.int32)
    file, left = folder / f"ties-{secrets.token_hex(6)}", 4 * rows * columns
    with file.open("xb") as stream:  # written now: a full disk ends a process that writes into a mapped hole
        while left:
            left -= stream.write(bytes(min(left, _BYTES_AT_ONCE)))
    return np.asarray(np.memmap(file, np.int32, "r+", shape=(rows, columns)))


def is_on_disk(array: NDArray[Any]) -> bool:
    """Whether the numbers of an array are in a file."""
    part: Any = array
    while isinstance(part, np.ndarray) and not isinstance(part, np.memmap):
        part = part.base
    return isinstance(part, np.memmap)
