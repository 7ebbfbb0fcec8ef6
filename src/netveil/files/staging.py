"""A folder that appears whole or not at all: filled under a hidden name beside its place, then renamed."""

from __future__ import annotations

import os
import secrets
import shutil
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from netveil.errors import FileError, on_command_line, option

OUT = on_command_line(" (--out)")
"""How to name another folder; in Python it is plain from the call."""


class OutputFolder(ABC):
    """Where a result is going to be: checked before the work, filled after it."""

    kind: str  # of result: 'release'

    def __init__(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        self.path = Path(path)
        self.overwrite = overwrite
        self.unfinished = self.path.parent / f".{self.path.name}.unfinished"
        self.check()

    @abstractmethod
    def is_result(self, entries: set[str]) -> bool:
        """Whether a folder with these entries is an older result, which may be replaced."""

    def check(self) -> None:
        """Raise if the folder cannot be made, or is there and must stay."""
        if not self.path.name:
            raise FileError(f"'{self.path}' is not a folder that can be made. Give its name{OUT}.")
        with self.telling():
            self.unfinished.exists()  # has the longest name of all
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
        with self.telling(), staged_folder(self.path, replace=self.overwrite) as staging:
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


def hidden_beside(target: Path) -> Path:
    """A new name for a hidden folder beside another."""
    return target.with_name(f".{target.name}.{secrets.token_hex(4)}")


@contextmanager
def staged_folder(target: Path, *, replace: bool) -> Iterator[Path]:
    """A new hidden folder to fill, which is put in the place of `target` when the block ends.

    If anything is raised, the hidden folder is removed and `target` stays as it is.
    """
    staging = hidden_beside(target)
    try:
        staging.mkdir(parents=True)
        yield staging
        put_in_place(staging, target, replace=replace)
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def put_in_place(staging: Path, target: Path, *, replace: bool) -> None:
    """Rename a folder to `target`.

    With `replace`, what is there is moved away first, and moved back if the rename fails. Without, the rename
    fails if something is there.
    """
    replaced = hidden_beside(target)
    if replace:
        with suppress(FileNotFoundError):  # nothing is there, or another process has just moved it away
            target.rename(replaced)
    try:
        staging.rename(target)
    except BaseException:
        with suppress(OSError):  # nothing was moved away, or another process has put something in its place
            replaced.rename(target)
        raise
    if replaced.exists():
        shutil.rmtree(replaced)
