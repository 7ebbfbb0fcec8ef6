"""A folder that appears whole or not at all: filled under a hidden name beside its place, then renamed."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


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
