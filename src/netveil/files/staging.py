"""A folder that appears whole or not at all: filled in a hidden place beside its own, then renamed.

What a killed process leaves in the hidden place is swept by the next who uses the same folder.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import re
import secrets
import shutil
import stat
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from netveil.errors import FileError, on_command_line, option

# Hidden places in which something is made before it is put where it belongs, and what becomes of them.
#
#     .netveil-<target>-<random>.folder   0700; new/NAME is filled, old/NAME is being replaced
#     .netveil-<target>-<random>.part     a file being written
#
# A process holds a lock on each of its own, which ends with the process. What nobody holds was left by one
# that was killed: the next who uses the same target sweeps it, and puts back what was being replaced.


NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
"""How to open a file that must not be there yet, not even as a link."""

SECONDS_UNTIL_SWEPT = 3600.0  # where the system or the disk knows no locks

_NAME = re.compile(r"\.netveil-(?P<target>[0-9a-f]{8})-[0-9a-f]{12}\.(folder|part)")


def exchange(one: Path, other: Path) -> bool:
    """Let two folders change places in one step, as Linux can; False where the system or the disk cannot.

    Else a release that is overwritten would be in a hidden place alone for a moment, and stay there if the
    process were killed in it.
    """
    rename = getattr(ctypes.CDLL(None), "renameat2", None) if os.name == "posix" else None
    here, exchanging = -100, 2  # AT_FDCWD and RENAME_EXCHANGE
    return rename is not None and not rename(here, os.fsencode(one), here, os.fsencode(other), exchanging)


def sync(path: Path) -> None:
    """Have a file, or the entries of a folder, written to the disk, where the system and the disk can.

    Without it "whole or not at all" would not hold when the power fails: a file system may keep a rename and
    lose what the renamed file holds.
    """
    if sys.platform == "win32":  # a file must be open for writing there: its writer has done it
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError:
        if not path.is_dir():  # some disks cannot write a folder at once: there, no more can be done
            raise
    finally:
        os.close(descriptor)


class InUseError(Exception):
    """Another process, or another part of this one, holds a folder or a file."""


class Hold:
    """A lock on a folder or a file, until `end` is called or the process ends, be it by `kill -9`.

    Where the system or the disk knows no such locks, nobody is kept out, and `is_lock` is False.
    """

    def __init__(self, path: Path) -> None:
        """Lock a path: InUseError if somebody else holds it; FileNotFoundError if it is gone."""
        self.is_lock, self._descriptor = False, -1
        if sys.platform != "win32":  # folders cannot be opened there
            self._descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
            try:
                self.is_lock = _lock(self._descriptor)
                if not os.path.samestat(os.fstat(self._descriptor), path.lstat()):
                    raise FileNotFoundError  # swept between opening and locking
            except BaseException:
                self.end()
                raise

    def end(self) -> None:
        """Release the lock."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def __del__(self) -> None:
        self.end()


def _lock(descriptor: int) -> bool:
    """Lock an open file or folder; False where there are no locks."""
    if sys.platform == "win32":
        return False
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise InUseError from None
    except OSError:  # as of some network file systems
        return False
    return True


@contextmanager
def hidden_folder(target: Path) -> Iterator[Path]:
    """A new hidden folder beside a target, which only its owner can open; removed in the end."""
    target.parent.mkdir(parents=True, exist_ok=True)
    path = hidden_name(target, "folder")
    path.mkdir(mode=0o700)
    hold = Hold(path)
    try:
        yield path
    finally:
        with suppress(OSError):  # the next who uses the target tries again
            _clear(path)
        hold.end()


def hidden_file(target: Path, mode: int) -> tuple[Path, int]:
    """A new hidden file beside a target, open for writing and held until it is closed."""
    path = hidden_name(target, "part")
    descriptor = os.open(path, NEW_FILE, mode)
    _lock(descriptor)
    return path, descriptor


def hidden_name(target: Path, kind: str) -> Path:
    """A new hidden name beside a target; short, for the target's own may be as long as names can be."""
    return target.parent / f".netveil-{_short(target.name)}-{secrets.token_hex(6)}.{kind}"


def _short(name: str) -> str:
    """Hash that tells targets in one folder apart."""
    return hashlib.sha256(os.fsencode(name)).hexdigest()[:8]


def sweep(folder: Path, name: str | None = None) -> None:
    """Remove what killed processes have left in a folder, for a target of this name or for all.

    Whatever cannot be looked at or removed stays: a sweep is never a reason to fail.
    """
    with suppress(OSError):
        for entry in list(folder.iterdir()):
            found = _NAME.fullmatch(entry.name)
            if found is None or (name is not None and found["target"] != _short(name)):
                continue
            with suppress(OSError, InUseError):
                status = entry.lstat()
                hold = Hold(entry)
                is_mine = not hasattr(os, "geteuid") or status.st_uid == os.geteuid()
                if is_mine and (hold.is_lock or time.time() - status.st_mtime > SECONDS_UNTIL_SWEPT):
                    _clear(entry)
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


OUT = on_command_line(" (--out)")
"""How to name another folder; in Python it is plain from the call."""


class OutputFolder(ABC):
    """Folder of a result: checked before the work, filled after it."""

    kind: str  # of result: 'release'
    is_private = False  # whether nobody but its owner shall open it

    def __init__(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        self.path = Path(path)
        self.overwrite = overwrite
        self.unfinished = self.path.parent / f".{self.path.name}.unfinished"
        sweep(self.path.parent, self.path.name)  # may bring back what was there
        self.check()

    @abstractmethod
    def is_result(self, entries: set[str]) -> bool:
        """Whether a folder with these entries is an older result, which may be replaced."""

    def check(self) -> None:
        """Raise if the folder cannot be made, or is there and must stay."""
        if not self.path.name:
            raise FileError(f"'{self.path}' is not a folder that can be made. Give its name{OUT}.")
        with self.telling():
            for path in (self.unfinished, hidden_name(self.path, "folder")):
                path.exists()  # a name that cannot be shall fail now
            if not (self.path.exists() or self.path.is_symlink()):
                return
            # What would not be overwritten either must not be answered by the advice to do so.
            is_folder = self.path.is_dir() and not self.path.is_symlink()
            if not is_folder or not self.is_result({entry.name for entry in self.path.iterdir()}):
                raise FileError(
                    f"{self.path} exists and is not a {self.kind}; it is not overwritten. "
                    f"Choose another{OUT}."
                )
            if not self.overwrite:
                raise FileError(
                    f"{self.path} exists already. Choose another folder{OUT}, or overwrite it "
                    f"({option('overwrite', True)})."
                )

    @contextmanager
    def filled(self) -> Iterator[Path]:
        """A hidden folder to fill; it is put in its place when the block ends, all at once."""
        with (
            self.telling(),
            staged_folder(self.path, replace=self.overwrite, private=self.is_private) as staging,
        ):
            yield staging
            self.check()  # another process may have been quicker

    @contextmanager
    def telling(self) -> Iterator[None]:
        """Turn an error of the file system into one line."""
        try:
            yield
        except OSError as error:
            reason = f": {error.strerror}" if error.strerror else ""
            raise FileError(f"{self.path} cannot be written{reason}. {self.remedy(error)}.") from None

    def remedy(self, error: OSError) -> str:
        """What to do about an error of the file system."""
        return f"Choose another folder{OUT}"


def check_own(folder: Path, entries: set[str]) -> None:
    """Raise if a hidden folder is not what netveil made: in a shared folder, anybody may have put it there.

    It must be a folder and no link, belong to this user, be closed to all others, and hold these entries only
    besides what is being written.
    """
    status = folder.lstat()
    mine = os.geteuid() if hasattr(os, "geteuid") else status.st_uid
    if not stat.S_ISDIR(status.st_mode):
        why = "it is a link or a file"
    elif status.st_uid != mine:
        why = "it belongs to another user"
    elif hasattr(os, "geteuid") and status.st_mode & 0o077:
        why = f"others can open it (mode {stat.S_IMODE(status.st_mode):o})"
    elif not {entry.name for entry in folder.iterdir() if not _NAME.fullmatch(entry.name)} <= entries:
        why = "it holds what netveil did not write"
    else:
        return
    raise FileError(f"{folder} is not netveil's own: {why}. Remove it, or choose another folder{OUT}.")


@contextmanager
def staged_folder(target: Path, *, replace: bool, private: bool = False) -> Iterator[Path]:
    """A new folder to fill, which is put in the place of `target` when the block ends.

    Until then it is in a hidden folder that only its owner can open; with `private`, so is the new folder. If
    anything is raised, nothing is left of it and `target` stays as it is.
    """
    with hidden_folder(target) as hidden:
        staging = hidden / "new" / target.name
        staging.parent.mkdir()
        staging.mkdir(mode=0o700 if private else 0o777)
        yield staging
        for path in (*sorted(staging.rglob("*"), reverse=True), staging):
            sync(path)
        if not (replace and os.path.lexists(target) and exchange(staging, target)):
            if replace and os.path.lexists(target):  # `_clear` moves it back, now or in the next sweep
                (hidden / "old").mkdir()
                with suppress(FileNotFoundError):  # another process has just moved it away
                    target.rename(hidden / "old" / target.name)
            staging.rename(target)  # fails if something is there
        sync(target.parent)
