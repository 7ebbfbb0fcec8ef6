"""Makes the N-th file operation below a folder fail, or ends the process in its place.

Operations are opening, listing, making, renaming, linking and removing, which Python announces to audit
hooks, and writing, syncing and exchanging, which it does not.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from typing import Any

KILL = "kill"
KINDS = ("ENOSPC", "EIO", KILL)
KILLED = 9  # exit code of a process that ended so
ANNOUNCED = {
    "open",
    *(f"os.{name}" for name in ("listdir", "scandir", "mkdir", "rename", "link", "remove", "rmdir", "chmod")),
}


class Injector:
    """Counts file operations below a folder, and lets one of them go wrong. For good: only in a child."""

    def __init__(self, folder: str, number: int, kind: str) -> None:
        self.folder, self.number, self.kind = folder, number, kind
        self.count = 0
        self.operations: list[str] = []

    def install(self) -> None:
        """From now on."""
        write, fsync = os.write, os.fsync
        sys.addaudithook(self._announced)

        def half_written(descriptor: int, content: Any) -> int:
            self.happens(
                "write", _path(descriptor), lambda: write(descriptor, bytes(content)[: len(content) // 2])
            )
            return write(descriptor, content)

        def synced(descriptor: int) -> None:
            self.happens("fsync", _path(descriptor))
            fsync(descriptor)

        os.write, os.fsync = half_written, synced  # type: ignore[assignment]

    def _announced(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event in ANNOUNCED and arguments and isinstance(arguments[0], (str, bytes, os.PathLike)):
            self.happens(event, os.fsdecode(arguments[0]))

    def happens(self, operation: str, path: str, at_last: Callable[[], object] = lambda: None) -> None:
        """An operation is about to happen; `at_last` is done before a kill."""
        if not os.path.abspath(path).startswith(self.folder):  # noqa: PTH100 - a Path would be an operation
            return
        self.count += 1
        self.operations.append(operation)
        if self.count != self.number:
            return
        if self.kind == KILL:
            at_last()
            os._exit(KILLED)
        number = getattr(errno, self.kind)
        raise OSError(number, os.strerror(number), path)


def _path(descriptor: int) -> str:
    return os.readlink(f"/proc/self/fd/{descriptor}")  # noqa: PTH115
