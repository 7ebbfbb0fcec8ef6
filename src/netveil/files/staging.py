"""A folder that appears whole or not at all: filled in a hidden place beside its own, then renamed.

What a killed process leaves in the hidden place is swept by the next who uses the same folder.
"""

from __future__ import annotations

import os
import stat
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from netveil.errors import FileError, on_command_line, option
from netveil.files.hidden import hidden_folder, hidden_name, is_hidden_name, sweep
from netveil.files.syncing import exchange, sync_folder, sync_tree

OUT = on_command_line(" (--out)")
"""How to name another folder; in Python it is plain from the call."""


class OutputFolder(ABC):
    """Where a result is going to be: checked before the work, filled after it."""

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
            raise FileError(f"{self.path} cannot be written{reason}. Choose another folder{OUT}.") from None


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
    elif not {entry.name for entry in folder.iterdir() if not is_hidden_name(entry.name)} <= entries:
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
        sync_tree(staging)
        put_in_place(staging, target, replaced=hidden / "old" / target.name, replace=replace)


def put_in_place(staging: Path, target: Path, *, replaced: Path, replace: bool) -> None:
    """Rename a folder to `target`.

    With `replace`, the two are exchanged in one step. Where that cannot be done, what is there is moved to
    `replaced` first, and moved back if the rename fails, now or by the next sweep. Without `replace`, the
    rename fails if something is there.
    """
    if not (replace and os.path.lexists(target)):
        staging.rename(target)
    elif not exchange(staging, target):
        replaced.parent.mkdir()
        with suppress(FileNotFoundError):  # another process has just moved it away
            target.rename(replaced)
        try:
            staging.rename(target)
        except BaseException:
            with suppress(OSError):  # another process has put something in its place
                replaced.rename(target)
            raise
    sync_folder(target.parent)
