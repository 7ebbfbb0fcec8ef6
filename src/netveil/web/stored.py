"""The folder in which the page keeps what it is given and what it makes: private, and one server's at a time.

FOLDER/lock
FOLDER/networks/<id>/record.json   and the file as it came
FOLDER/runs/<id>/record.json       protected.txt, release/ when it is done, its best so far while it runs
FOLDER/releases/<id>/record.json   release/, which was brought

Whatever a request names is an id, never a path: an id that is not ours opens nothing.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, get_args

from netveil.errors import FileError, SettingError, option
from netveil.files.json_records import (
    DamagedRecordError,
    any_record,
    any_text,
    anything,
    check_shape,
    one_of,
    or_none,
    read_record,
    whole,
)
from netveil.files.storage import split_name, write_whole
from netveil.opening import BUILTIN
from netveil.release.records import read_run
from netveil.web.answers import busy, missing, mistake
from netveil.web.uploads import Announced
from netveil.web.work.releases import told_by

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


# The networks that were brought, as they came, with how they were read.


ASKED = ("format", "columns", "separator", "header", "encoding")
NOT_ASKED: dict[str, Any] = dict.fromkeys(ASKED)
UNREAD: dict[str, Any] = {
    **dict.fromkeys(("nodes", "edges", "dropped", "reading", "table", "problem", "sha256", "fingerprint")),
    "notes": [],
    "attributes": [],
}
SHAPE_OF_NETWORK = {
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
    check_shape(record, SHAPE_OF_NETWORK)
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


# The record of a run: what was asked, how far it has come, what came of it. It survives the server.


State = Literal[
    "queued", "starting", "searching", "paused", "reporting", "done", "failed", "cancelled", "cut-off"
]
SHAPE_OF_RUN = {
    **dict.fromkeys(("network", "name", "extension", "command", "created"), any_text),
    **dict.fromkeys(("given", "options"), any_record),
    "announced": [any_text],
    "history": [anything],
    "state": one_of(*get_args(State)),
    "revision": whole(),
}
TOLD = dict.fromkeys(("made_at", "fingerprint", "published_sha256"), or_none(any_text))
"""What lists of releases need to know of one."""
ACTIVE = ("starting", "searching", "paused", "reporting")
MOST_POINTS = 600  # of the history that is kept

CAN: dict[str, tuple[str, ...]] = {
    "queued": ("cancel",),
    "starting": ("stop", "cancel"),
    "searching": ("pause", "stop", "cancel"),
    "paused": ("continue", "stop", "cancel"),
    "reporting": ("pause", "stop", "cancel"),
    "cut-off": ("resume",),
}
"""What a user may ask of a run in each state."""


@dataclass
class Run:
    """A run, as its record has it."""

    id: str
    network: str  # the id of the network
    name: str  # what the network is called
    given: dict[str, Any]  # the network as workers are told of it
    options: dict[str, Any]
    extension: str  # of the network that is published
    command: str  # that does the same
    kind: Literal["search", "point"] = "search"
    source: str | None = None  # of a point: the id of the release whose curve it is on
    source_folder: str | None = None  # of a point: where that release is
    budget: int | None = None  # of a point
    note: str = ""
    state: State = "queued"
    revision: int = 0  # grows with each change, so that the page tells which of two records is newer
    created: str = field(default_factory=now)
    started: str | None = None
    ended: str | None = None
    doing: str = "waiting"
    announced: list[str] = field(default_factory=list)
    progress: dict[str, Any] | None = None
    history: list[list[float]] = field(default_factory=list)
    error: str | None = None
    figures: dict[str, Any] | None = None
    release: dict[str, Any] = field(default_factory=dict)  # what lists of releases need to know of it
    resumed: bool = False

    @staticmethod
    def check(record: dict[str, Any]) -> None:
        """DamagedRecordError unless a record is that of a run."""
        check_shape(record, SHAPE_OF_RUN)
        if record["state"] == "done":
            check_shape(record, {"figures": any_record, "release": TOLD})

    @classmethod
    def of_record(cls, record: dict[str, Any]) -> Run:
        """What `record` wrote; one that was running then was cut off."""
        known = {each.name for each in fields(cls)}
        run = cls(**{name: value for name, value in record.items() if name in known})
        if run.state in ACTIVE:
            run.cut_off()
        return run

    def record(self) -> dict[str, Any]:
        """What is kept on disk."""
        return asdict(self)

    def shown(self, place_in_queue: int = 0) -> dict[str, Any]:
        """What the page sees."""
        hidden = ("given", "extension", "command", "source_folder", "release", "source")
        document = {name: value for name, value in asdict(self).items() if name not in hidden}
        return {
            **document,
            "from": self.source,
            "queue": place_in_queue,
            "can": list(CAN.get(self.state, ())),
        }

    @property
    def is_active(self) -> bool:
        """Whether a process works for it."""
        return self.state in ACTIVE

    @property
    def is_open(self) -> bool:
        """Whether it waits, runs or can go on: whether the network is still needed."""
        return self.is_active or self.state in ("queued", "cut-off")

    def add_progress(self, progress: dict[str, Any]) -> list[float]:
        """Note how far it has come; of a long history every second point is forgotten."""
        point = [round(progress["seconds"], 3), progress["at_risk"], progress["deleted"]]
        self.progress = {**progress, "doing": self.doing}
        self.history.append(point)
        if len(self.history) > MOST_POINTS:
            self.history = [*self.history[:-1:2], self.history[-1]]
        return point

    def end(self, state: State, error: str | None = None) -> None:
        """It is over."""
        self.state, self.error, self.ended, self.doing = state, error, now(), ""

    def cut_off(self) -> None:
        """The server ended while it ran."""
        self.revision += 1
        self.state, self.doing = "cut-off", "cut off; it can go on from its best"


# Releases, wherever they come from: runs that are done, folders that were brought or named at the start.


FIGURES_LEFT_OUT = ("history", "report", "reading", "command", "protected_edges", "input")
"""Of a run's record, what is no part of the document of `netveil anonymize`."""

SHAPE_OF_RELEASE = {"added": any_text, "figures": {"network": any_text}, "told": TOLD}
"""The record of a release that was brought."""

_KEPT = re.compile(
    r"(?:^|/)(?:(public)/(network\.[a-z0-9]{1,12}(?:\.(?:gz|bz2|xz))?|nodes\.[a-z0-9]{1,12}|about\.json)"
    r"|(private)/(run\.json|labels\.csv|deleted_edges\.csv|people_at_risk\.csv|curve\.json))$"
)
"""The files of a release that are kept of an upload; pages are rendered anew."""


@dataclass
class Kept:
    """A release that is at hand."""

    id: str
    source: str  # run, upload or folder
    folder: Path
    name: str
    figures: dict[str, Any]
    told: dict[str, Any]  # made_at, fingerprint, published_sha256
    note: str = ""
    network: str | None = None
    added: str = field(default_factory=now)

    def shown(self, others: list[Kept]) -> dict[str, Any]:
        """A release as lists have it; with others of its network: two must not be published."""
        mine = self.told["fingerprint"], self.told["published_sha256"]
        same = [
            other.id
            for other in others
            if other.told["fingerprint"] == mine[0] and other.told["published_sha256"] != mine[1]
        ]
        return {
            "id": self.id,
            "source": self.source,
            "name": self.name,
            "note": self.note,
            "network": self.network,
            "made_at": self.told["made_at"],
            "figures": self.figures,
            "same_network": same,
            "can_delete": self.source != "folder",
        }


class Releases:
    """Releases by id. That of a run has the id of the run."""

    def __init__(self, place: Place, folders: list[Path]) -> None:
        self.place = place
        self._kept: dict[str, Kept] = {}
        for folder in folders:
            self._add_folder(folder)
        for record in place.records("releases", lambda record: check_shape(record, SHAPE_OF_RELEASE)):
            self._kept[record["id"]] = self._of_record(record)

    def all(self) -> list[Kept]:
        """All of them."""
        return list(self._kept.values())

    def shown(self, kept: Kept) -> dict[str, Any]:
        """A release as lists have it."""
        return kept.shown(self.all())

    def get(self, name: str) -> Kept:
        """The release of this id; an error where there is none."""
        if name not in self._kept:
            raise missing("release")
        return self._kept[name]

    def add_run(self, run: Run, folder: Path) -> Kept:
        """The release of a run that is done."""
        assert run.figures is not None
        kept = Kept(run.id, "run", folder, run.name, run.figures, run.release, run.note, run.network)
        self._kept[run.id] = kept
        return kept

    def add_upload(self, name: str, answer: dict[str, Any]) -> Kept:
        """A release that was brought, and found to be whole."""
        figures = answer.pop("figures")
        record = {"id": name, "added": now(), "figures": figures, "told": answer}
        self.place.write("releases", record)
        self._kept[name] = self._of_record(record)
        return self._kept[name]

    def remove(self, name: str) -> Kept:
        """Delete a release; one that was named at the start is the user's own, and stays."""
        kept = self.get(name)
        if kept.source == "folder":
            raise busy("This folder was named when the page was started; it is not deleted from here.")
        if kept.source == "upload":
            self.place.remove("releases", name)
        del self._kept[name]
        return kept

    def forget_run(self, name: str) -> None:
        """The release of a run that is deleted."""
        self._kept.pop(name, None)

    def _of_record(self, record: dict[str, Any]) -> Kept:
        folder = self.place.folder("releases", record["id"]) / "release"
        figures, told = record["figures"], record["told"]
        return Kept(
            record["id"], "upload", folder, str(figures["network"]), figures, told, added=record["added"]
        )

    def _add_folder(self, folder: Path) -> None:
        run = read_run(folder)
        # The same folder has the same id whenever the page is started, so that its address stays right.
        name = hashlib.sha256(str(folder.resolve()).encode(errors="surrogateescape")).hexdigest()[:16]
        self._kept[name] = Kept(name, "folder", folder, folder.name, figures_in(run), told_by(run))


def figures_in(run: dict[str, Any]) -> dict[str, Any]:
    """The document of `netveil anonymize` in a run's record."""
    return {name: value for name, value in run.items() if name not in FIGURES_LEFT_OUT}


def place_of_upload(folder: Path, file: Announced) -> Path | None:
    """Where a file of a brought release belongs; None for what is no part of one.

    >>> place_of_upload(Path("x"), Announced("my/release/private/run.json", 1)).as_posix()
    'x/private/run.json'
    >>> place_of_upload(Path("x"), Announced("public/../../../run.json", 1))
    """
    found = _KEPT.search(file.name.replace("\\", "/"))
    if found is None:
        return None
    part, name = (found[1], found[2]) if found[1] else (found[3], found[4])
    return folder / part / name


def check_upload(files: list[Announced]) -> None:
    """Raise unless these are files of one release, with its public and its private part."""
    places = [place for file in files if (place := place_of_upload(Path("release"), file)) is not None]
    if len(places) != len(set(places)):
        raise mistake("These are files of several releases; bring one release folder at a time.")
    names = {f"{place.parent.name}/{place.name}" for place in places}
    if not any(name.startswith("public/network.") for name in names):
        raise mistake("This is not a release folder: it has no public/network file.")
    for name in ("private/run.json", "private/labels.csv", "private/deleted_edges.csv"):
        if name not in names:
            raise mistake(
                f"This is only the public part of a release, or damaged: {name} is missing. Bring the whole "
                f"folder, or the network file in it as a network."
            )


def new_upload(place: Place) -> tuple[str, Path]:
    """The id and the empty folder of a release that is to come."""
    name = new_id()
    folder = place.make("releases", name) / "release"
    for part in ("public", "private"):
        (folder / part).mkdir(mode=0o700, parents=True)
    return name, folder


def record_of(kept: Kept) -> dict[str, Any]:
    """The whole record of a release; a message for people where it is gone."""
    try:
        return read_run(kept.folder)
    except FileError:
        raise missing("release") from None


def published_name(kept: Kept) -> str:
    """The suffix of the published network."""
    found = sorted((kept.folder / "public").glob("network.*"))
    return found[0].name.partition(".")[2] if found else "txt"
