"""Hidden places in which something is made before it is put where it belongs, and what becomes of them.

    .netveil-<target>-<machine>-<random>.folder   0700; new/NAME is filled, old/NAME is being replaced
    .netveil-<target>-<machine>-<random>.part     a file being written

A process holds a lock on each of its own, which ends with the process. What nobody holds was left by one that
was killed: the next who uses the same target sweeps it, and puts back what was being replaced.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import secrets
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
"""How to open a file that must not be there yet, not even as a link."""

SECONDS_UNTIL_SWEPT = 3600.0  # of what another machine left in a shared folder: its locks may not be seen

_NAME = re.compile(r"\.netveil-(?P<target>[0-9a-f]{8})-(?P<machine>[0-9a-f]{4})-[0-9a-f]{12}\.(folder|part)")


class InUseError(Exception):
    """Another process, or another part of this one, holds a folder or a file."""


class Hold:
    """A lock on a folder or a file, until `end` is called or the process ends, be it by `kill -9`.

    Where the system or the disk knows no such locks, nobody is kept out, and `is_lock` is False.
    """

    def __init__(self, path: Path) -> None:
        """InUseError if somebody else holds it; FileNotFoundError if it is not there any more."""
        self._descriptor: int | None = None
        if sys.platform == "win32":  # folders cannot be opened there
            return
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
        try:
            is_lock = _lock(descriptor, path)
        except BaseException:
            os.close(descriptor)
            raise
        if is_lock:
            self._descriptor = descriptor
        else:
            os.close(descriptor)

    @property
    def is_lock(self) -> bool:
        """Whether others are kept out."""
        return self._descriptor is not None

    def end(self) -> None:
        """Let others have it."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def __del__(self) -> None:
        self.end()


def _lock(descriptor: int, path: Path) -> bool:
    """Lock what is open and should be at this path; whether that can be done here."""
    if sys.platform == "win32":
        return False
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise InUseError from None
    except OSError:  # as of some network file systems
        return False
    if not os.path.samestat(os.fstat(descriptor), path.lstat()):
        raise FileNotFoundError  # swept between opening and locking
    return True


@contextmanager
def hidden_folder(target: Path) -> Iterator[Path]:
    """A new hidden folder beside a target, which only its owner can open; removed in the end."""
    target.parent.mkdir(parents=True, exist_ok=True)
    hold = None
    while hold is None:
        path = hidden_name(target, "folder")
        path.mkdir(mode=0o700)
        with suppress(InUseError, FileNotFoundError):  # somebody took it for left over in this moment
            hold = Hold(path)
    try:
        yield path
    finally:
        with suppress(OSError):  # the next who uses the target tries again
            _clear(path)
        hold.end()


def hidden_file(target: Path, mode: int) -> tuple[Path, int]:
    """A new hidden file beside a target, open for writing and held until it is closed."""
    while True:
        path = hidden_name(target, "part")
        descriptor = os.open(path, NEW_FILE, mode)
        try:
            _lock(descriptor, path)
            return path, descriptor
        except (InUseError, FileNotFoundError):
            os.close(descriptor)


def hidden_name(target: Path, kind: str) -> Path:
    """A new hidden name beside a target; short, for the target's own may be as long as names can be."""
    return target.parent / f".netveil-{_short(target.name)}-{_machine()}-{secrets.token_hex(6)}.{kind}"


def is_hidden_name(name: str) -> bool:
    """Whether this is the name of one of these hidden places."""
    return _NAME.fullmatch(name) is not None


def sweep(folder: Path, name: str | None = None) -> None:
    """Remove what killed processes have left in a folder, for a target of this name or for all.

    Whatever cannot be looked at or removed stays: a sweep is never a reason to fail.
    """
    with suppress(OSError):
        for entry in list(folder.iterdir()):
            found = _NAME.fullmatch(entry.name)
            if found is not None and (name is None or found["target"] == _short(name)):
                with suppress(OSError, InUseError):
                    _sweep_one(entry, found["machine"])


def _sweep_one(entry: Path, machine: str) -> None:
    status = entry.lstat()
    if hasattr(os, "geteuid") and status.st_uid != os.geteuid():
        return
    is_young = time.time() - status.st_mtime < SECONDS_UNTIL_SWEPT
    hold = Hold(entry)
    try:
        if not is_young or (hold.is_lock and machine == _machine()):
            _clear(entry)
    finally:
        hold.end()


def _clear(entry: Path) -> None:
    """Remove a hidden folder or file. What was being replaced is put back first, if nothing is in its place.

    Where that fails nothing is removed.
    """
    if entry.is_symlink() or not entry.is_dir():
        entry.unlink()
        return
    with suppress(FileNotFoundError):
        for replaced in list((entry / "old").iterdir()):
            if not os.path.lexists(entry.parent / replaced.name):
                replaced.rename(entry.parent / replaced.name)
    shutil.rmtree(entry, ignore_errors=True)


def _short(name: str) -> str:
    """What tells targets in one folder apart."""
    return hashlib.sha256(os.fsencode(name)).hexdigest()[:8]


def _machine() -> str:
    """What tells machines that share a folder apart, without naming them."""
    return hashlib.sha256(platform.node().encode()).hexdigest()[:4]
