"""Other releases of the same network beside a release: two of them can be laid on each other."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

from netveil.errors import either_way
from netveil.network import Network

MOST_FOLDERS = 1_000  # that are looked into; in a folder with more, releases need not be found
MOST_RECORDS = 100  # that are read


def warning_of_others(folder: Path, network: Network) -> str | None:
    """What to say where a release of the same network is beside this folder, whose release is to come."""
    beside = next(releases_beside(folder, network), None)
    if beside is None:
        return None
    again = either_way(
        f"netveil.audit_together(original, [{str(beside)!r}, {str(folder)!r}])",
        f"netveil audit ORIGINAL {beside} {folder}",
    )
    return (
        f"{beside} holds a release of the same network. Whoever has two can lay them on each other, which "
        f"undoes most deletions: publish one only. What both give away: {again}"
    )


def releases_beside(folder: Path, network: Network) -> Iterator[Path]:
    """The folders beside this one that hold a release of the network. What cannot be read is passed over."""
    try:
        with os.scandir(folder.parent) as entries:
            names = sorted(entry.name for entry, _ in zip(entries, range(MOST_FOLDERS), strict=False))
    except OSError:
        return
    read = 0
    for name in names:
        other = folder.parent / name
        record = other / "private" / "run.json"
        # Not Path.is_file: it raises for a folder that may not be entered.
        if not (os.path.isdir(other / "public") and os.path.isfile(record)):  # noqa: PTH112, PTH113
            continue
        if os.path.realpath(other) == os.path.realpath(folder):  # the one that is overwritten
            continue
        read += 1
        if read > MOST_RECORDS:
            return
        if _fingerprint(record) == network.fingerprint:
            yield other


def _fingerprint(record: Path) -> str | None:
    """Of the network that a record is about, if it says so."""
    try:
        return str(json.loads(record.read_text(encoding="utf-8"))["fingerprint"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
