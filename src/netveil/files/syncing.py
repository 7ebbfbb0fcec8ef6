"""What must be on the disk before something is put in its place, and the one step in which it is.

Without the first, "whole or not at all" would not hold when the power fails: a file system may keep a rename
and lose what the renamed file holds.
"""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from functools import cache
from pathlib import Path

_NOT_FOR_FOLDERS = (errno.EINVAL, errno.EBADF, errno.ENOTSUP, errno.EACCES)
"""What a disk answers that cannot write a folder at once: there, no more can be done."""

_AT_FDCWD, _RENAME_EXCHANGE = -100, 2
_NOT_HERE = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EPERM)
"""What a kernel or a disk answers that cannot exchange two folders."""


def sync_tree(folder: Path) -> None:
    """Have every file and folder below a folder written to the disk, and the folder itself last."""
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_dir():
            sync_folder(path)
        else:
            _sync(path)
    sync_folder(folder)


def sync_folder(folder: Path) -> None:
    """Have the entries of a folder written to the disk, where the system and the disk can."""
    if sys.platform == "win32":
        return
    try:
        _sync(folder)
    except OSError as error:
        if error.errno not in _NOT_FOR_FOLDERS:
            raise


def _sync(path: Path) -> None:
    if sys.platform == "win32":  # a file must be open for writing there: its writer has done it
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def exchange(one: Path, other: Path) -> bool:
    """Let two folders change places in one step; False if the system or the disk cannot do that."""
    rename = _renameat2()
    if rename is None:
        return False
    if rename(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _RENAME_EXCHANGE) == 0:
        return True
    number = ctypes.get_errno()
    if number in _NOT_HERE:
        return False
    raise OSError(number, os.strerror(number), str(other))


@cache
def _renameat2() -> ctypes._NamedFuncPointer | None:
    """The system's own, which Python does not offer; None where there is none."""
    if sys.platform != "linux":
        return None
    found = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if found is not None:
        found.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)
    return found
