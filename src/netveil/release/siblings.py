"""Other releases of the same network beside a release: two of them can be laid on each other."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from netveil.errors import either_way

MOST_FOLDERS = 1_000  # that are looked into; in a folder with more, releases need not be found
MOST_RECORDS = 100  # that are read
RECORD = Path("private", "run.json")


class _Record(NamedTuple):
    """What tells whether two releases are of one network, and whether they are the same."""

    fingerprint: object  # of the original
    published: tuple[object, ...]  # what decides the published network, but for the numbers of its nodes


def warning_of_others(folder: Path) -> str | None:
    """What to say where another release of the same network is beside this one, which has been written."""
    beside = next(releases_beside(folder), None)
    if beside is None:
        return None
    both = either_way(
        f"netveil.audit_together(original, [{str(beside)!r}, {str(folder)!r}])",
        f"netveil audit ORIGINAL {beside} {folder}",
    )
    return (
        f"{beside} holds another release of the same network. Whoever has two can lay them on each other, "
        f"which undoes most deletions: publish one only. What both give away: {both}"
    )


def releases_beside(folder: Path) -> Iterator[Path]:
    """The folders beside this release that hold another one of its network.

    A copy of it gives nothing more away, under other numbers either. What cannot be read is passed over.
    """
    this = _record(folder)
    if this is None:
        return
    try:
        with os.scandir(folder.parent) as entries:
            names = sorted(entry.name for entry, _ in zip(entries, range(MOST_FOLDERS), strict=False))
    except OSError:
        return
    # Not Path.is_file: it raises for a folder that may not be entered.
    others = (
        folder.parent / name
        for name in names
        if os.path.isdir(folder.parent / name / "public")  # noqa: PTH112
        and os.path.isfile(folder.parent / name / RECORD)  # noqa: PTH113
        and os.path.realpath(folder.parent / name) != os.path.realpath(folder)
    )
    for other in islice(others, MOST_RECORDS):
        record = _record(other)
        if record and record.fingerprint == this.fingerprint and record.published != this.published:
            yield other


def _record(folder: Path) -> _Record | None:
    """What the private record of a release says, if it can be read."""
    try:
        run = json.loads((folder / RECORD).read_text(encoding="utf-8"))
        table = folder / "private" / "deleted_edges.csv"
        deleted = table.read_bytes() if table.is_file() else None
        return _Record(run["fingerprint"], (deleted, run.get("keep_labels"), run.get("kept_attributes")))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
