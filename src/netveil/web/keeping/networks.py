"""The networks that were brought, as they came, with how they were read."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from netveil.builtin import BUILTIN
from netveil.files.json_records import any_record, any_text, anything, check_shape, one_of, or_none, whole
from netveil.files.storage import split_name
from netveil.web.answers import missing, mistake
from netveil.web.keeping.place import Place, new_id, now

ASKED = ("format", "columns", "separator", "header", "encoding")
NOT_ASKED: dict[str, Any] = dict.fromkeys(ASKED)
UNREAD: dict[str, Any] = {
    **dict.fromkeys(("nodes", "edges", "dropped", "reading", "table", "problem", "sha256", "fingerprint")),
    "notes": [],
    "attributes": [],
}
SHAPE = {
    **dict.fromkeys(("name", "file", "added"), any_text),
    "source": one_of("upload", "builtin", "release"),
    "state": one_of("reading", "read", "question", "refused"),
    "asked": dict.fromkeys(ASKED, anything),
    "release": or_none(any_text),
    "attributes": [any_text],
}
SHAPE_WHERE_READ = {"nodes": whole(), "edges": whole()}
SHAPE_FROM_RELEASE = {"original": {"path": any_text, "shown": any_text, "asked": any_record}}
PRIVATE = ("sha256", "fingerprint", "original")  # of no use to the page

Record = dict[str, Any]

_SUFFIX = re.compile(r"\.[a-z0-9_-]{1,12}")


class Networks:
    """Records of networks by id, in memory and on disk."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self._records = {record["id"]: record for record in place.records("networks", _check)}

    def all(self) -> list[Record]:
        """All of them, the oldest first."""
        return list(self._records.values())

    def get(self, name: str) -> Record:
        """The record of this id; an error where there is none."""
        if name not in self._records:
            raise missing("network")
        return self._records[name]

    def has(self, name: str | None) -> bool:
        """Whether there is such a network."""
        return name in self._records

    def add(self, shown: str, source: str, **more: Any) -> Record:
        """A new network, which is still to be read; `shown` is what the user calls its file."""
        name = new_id()
        self.place.make("networks", name)
        record = {
            "id": name,
            "name": split_name(shown)[0],
            "file": shown if source == "upload" else "",
            "size": 0,
            "source": source,
            "added": now(),
            "state": "reading",
            "revision": 0,
            "asked": dict(NOT_ASKED),
            "release": None,
            **UNREAD,
            **more,
        }
        self._records[name] = record
        return record

    def file_of(self, record: Record) -> Path:
        """Where the file of a network is: a name of our own, with the suffixes that tell its format."""
        return self.place.folder("networks", record["id"]) / f"content{safe_suffixes(record['file'])}"

    def given(self, record: Record) -> dict[str, Any]:
        """The network as workers are told of it."""
        if record["source"] == "builtin":
            return {"kind": "builtin", "name": record["name"]}
        if record["source"] == "release":
            return {"kind": "release", **record["original"]}
        path = str(self.file_of(record))
        return {"kind": "file", "path": path, "shown": record["file"], "asked": record["asked"]}

    def begin(self, record: Record) -> None:
        """Note that a network is being read."""
        _change(record, state="reading")

    def settle(self, record: Record, answer: dict[str, Any]) -> Record:
        """Note how a network was read, or why not."""
        problem = answer.get("problem")
        state = "read" if problem is None else "question" if problem.pop("asks") else "refused"
        _change(record, **UNREAD | answer, state=state)
        self.place.write("networks", record)
        return record

    def read_from(self, name: str) -> Record:
        """The record of a network that was read; an error where it was not."""
        record = self.get(name)
        if record["state"] != "read":
            raise mistake("This network has not been read yet; say first how to read it.")
        return record

    def remove(self, name: str) -> None:
        """Delete a network."""
        self.get(name)
        self.place.remove("networks", name)
        del self._records[name]


def _check(record: Record) -> None:
    """DamagedRecordError unless a record is that of a network."""
    check_shape(record, SHAPE)
    if record["state"] == "read":
        check_shape(record, SHAPE_WHERE_READ)
    if record["source"] == "release":
        check_shape(record, SHAPE_FROM_RELEASE)


def _change(record: Record, **what: Any) -> None:
    """Change a record; by its revision the page tells which of two is newer."""
    record.update(what, revision=record.get("revision", 0) + 1)


def shown(record: Record) -> Record:
    """A record as the page sees it."""
    return {key: value for key, value in record.items() if key not in PRIVATE}


def checked_builtin(name: Any) -> str:
    """The name of a built-in network."""
    if not isinstance(name, str) or name not in BUILTIN:
        raise mistake(f"There is no built-in network of this name; the choice is {', '.join(BUILTIN)}.")
    return name


def safe_suffixes(file: str) -> str:
    """The suffixes of a file, which tell its format and compression: nothing else of its name is used.

    >>> safe_suffixes("../../contacts.2024.CSV.gz"), safe_suffixes("a.b/../c"), safe_suffixes("a.§")
    ('.csv.gz', '', '')
    """
    _, suffix, compression = split_name(file)
    return (suffix if _SUFFIX.fullmatch(suffix) else "") + compression


def safe_name(given: Any) -> str:
    """A file's name without its folder, short, and without what no name of a file holds."""
    if not isinstance(given, str) or not given.strip():
        raise mistake("The file has no name.")
    bare = re.sub(r"[\x00-\x1f\x7f]", "", given).replace("\\", "/").rpartition("/")[2].strip()
    return bare[-120:] or "network"
