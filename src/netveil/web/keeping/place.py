"""The folder in which the page keeps what it is given and what it makes: private, and one server's at a time.

FOLDER/lock
FOLDER/networks/<id>/record.json   and the file as it came
FOLDER/runs/<id>/record.json       protected.txt, release/ when it is done, its best so far while it runs
FOLDER/releases/<id>/record.json   release/, which was brought

Whatever a request names is an id, never a path: an id that is not ours opens nothing.
"""

from __future__ import annotations

import json
import logging
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from netveil.errors import FileError, SettingError, option
from netveil.files.json_records import DamagedRecordError, one_of, read_record
from netveil.files.storage import write_whole
from netveil.web.answers import busy

log = logging.getLogger("netveil")

ID = re.compile(r"[0-9a-f]{16}")
RECORD = "record.json"
LOCK = "lock"
KINDS = ("networks", "runs", "releases")


def new_id() -> str:
    """A name that nobody can guess, and that is safe as one of a folder."""
    return secrets.token_hex(8)


def now() -> str:
    """The time, as records have it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class Place:
    """The folder of the page, and the records in it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
            _check_ours(path)
            path.chmod(0o700)
            for kind in KINDS:
                (path / kind).mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            raise FileError(
                f"{path} cannot be written: {error.strerror}. Choose another folder with {option('folder')}."
            ) from None

    def folder(self, kind: str, name: str) -> Path:
        """The folder of a thing; whoever asks has checked that it is ours."""
        if ID.fullmatch(name) is None:
            raise ValueError("not an id")
        return self.path / kind / name

    def make(self, kind: str, name: str) -> Path:
        """The same, newly made."""
        folder = self.folder(kind, name)
        folder.mkdir(mode=0o700)
        return folder

    def write(self, kind: str, record: dict[str, Any]) -> None:
        """Keep a record, which has its `id`; it is replaced whole."""
        text = json.dumps(record, ensure_ascii=False)
        write_whole(
            text.encode(errors="backslashreplace"), self.folder(kind, record["id"]) / RECORD, private=True
        )

    def records(self, kind: str, check: Callable[[dict[str, Any]], None]) -> Iterator[dict[str, Any]]:
        """All records of a kind, the oldest first; what is half written is passed over.

        A record that is damaged, or for which `check` raises DamagedRecordError, is told of and passed over.
        """
        found = []
        for folder in sorted((self.path / kind).iterdir()):
            if ID.fullmatch(folder.name) is None:
                continue
            try:
                record = read_record(folder / RECORD, {"id": one_of(folder.name)})
                check(record)
                found.append(record)
            except DamagedRecordError as damage:
                log.warning(
                    "warning: %s is damaged: %s. The page does without it; delete its folder if it is of no "
                    "use.",
                    folder / RECORD,
                    damage,
                )
            except OSError:  # the server ended before it was written
                continue
        yield from sorted(found, key=lambda record: str(record.get("created") or record.get("added") or ""))

    def remove(self, kind: str, name: str) -> None:
        """Delete a thing with all that belongs to it."""
        folder = self.folder(kind, name)
        shutil.rmtree(folder, ignore_errors=True)
        if folder.exists():
            raise busy(f"Not all of it could be deleted. Delete the rest by hand: {folder}")

    @contextmanager
    def served_alone(self) -> Iterator[None]:
        """Hold the folder while a server runs: two would write over each other's records."""
        file = os.open(self.path / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            try:
                _lock(file)
            except OSError:
                raise SettingError(
                    f"{self.path} is used by another netveil web. Open the address that it printed, end it, "
                    f"or give this one a folder of its own: {option('folder')}."
                ) from None
            yield
        finally:
            os.close(file)


def _check_ours(path: Path) -> None:
    """Raise for a folder with other things in it: it would be closed to whoever else uses them."""
    if not (path / KINDS[0]).is_dir() and any(each.name != LOCK for each in path.iterdir()):
        raise SettingError(
            f"{path} holds other things. Give an empty or a new folder for the page to keep its own: "
            f"{option('folder')}."
        )


def _lock(file: int) -> None:
    """Take the lock or raise OSError; the system gives it back when the process ends, however it does."""
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
    else:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def usual_folder() -> Path:
    """Where the page keeps its things unless the user says otherwise."""
    from platformdirs import user_data_path

    return user_data_path("netveil", appauthor=False) / "web"
