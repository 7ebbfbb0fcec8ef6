"""A large file on disk, which is read part by part: its bytes never stand in memory all at once."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

from netveil.errors import FileError
from netveil.files.bounds import check_size

LARGE_FILE = 1 << 21
"""Bytes from which on a file is worth the trouble."""


class StoredFile:
    """An open file. It must stay as it is while it is read."""

    def __init__(self, file: str) -> None:
        self.stream, self.file = Path(file).open("rb"), file  # noqa: SIM115 - closed at the end of the block
        self._before = self._state()

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return self._before[0]

    def part(self, start: int, stop: int) -> bytes:
        """The bytes from one place to another."""
        with telling_reading(self.file):
            self.stream.seek(start)
            return self.stream.read(stop - start)

    def sha256(self) -> str:
        """Of all its bytes; FileError if they are not those any more that it had when it was opened."""
        self.stream.seek(0)
        with telling_reading(self.file):
            digest = hashlib.file_digest(self.stream, "sha256").hexdigest()
        if self._state() != self._before:
            raise FileError(f"{self.file} changed while it was read. Read it again when nobody writes to it.")
        return digest

    def _state(self) -> tuple[int, int]:
        about = os.fstat(self.stream.fileno())
        return about.st_size, about.st_mtime_ns

    def __enter__(self) -> StoredFile:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stream.close()


Content = bytes | StoredFile
"""What a file holds, in memory or not."""


def size_of(content: Content) -> int:
    """Bytes of a file."""
    return content.size if isinstance(content, StoredFile) else len(content)


def part_of(content: Content, start: int, stop: int) -> bytes:
    """The bytes from one place to another."""
    return content.part(start, stop) if isinstance(content, StoredFile) else content[start:stop]


def open_stored(file: str) -> StoredFile | None:
    """A file to be read part by part; None if it is small, or no file but a pipe or a device."""
    with telling_reading(file):
        about = Path(file).stat()  # a pipe can be opened once, and that is for whoever reads it
        if not stat.S_ISREG(about.st_mode) or about.st_size < LARGE_FILE:
            return None
        check_size(about.st_size, file, in_parts=True)
        return StoredFile(file)


@contextmanager
def telling_reading(file: str) -> Iterator[None]:
    """Turn an error of the file system in reading a file into one line."""
    try:
        yield
    except FileNotFoundError:
        raise FileError(f"{file}: there is no such file. Check the name and the folder.") from None
    except IsADirectoryError:
        raise FileError(f"{file} is a folder. Give a file in it.") from None
    except PermissionError:
        raise FileError(f"{file}: no permission to read it. Ask its owner, or copy it.") from None
    except (OSError, ValueError) as error:
        raise FileError(f"{file} cannot be read: {reason_of(error)}. Check the name.") from None


def reason_of(error: OSError | ValueError) -> str:
    """What the system says, without the path, which the message has already."""
    return (error.strerror if isinstance(error, OSError) else None) or "the name or its folder is not valid"
