"""The folder in which the page keeps what it is given and what it makes: private, and one server's at a time.

FOLDER/lock
FOLDER/networks/<id>/record.json   and the file as it came, perhaps with a table of persons
FOLDER/runs/<id>/record.json       protected.txt, release/ when it is done, its best so far while it runs
FOLDER/releases/<id>/record.json   release/, which was brought

Whatever a request names is an id, never a path: an id that is not ours opens nothing. `Networks` and
`Releases` list what is there; `Runs` in `running.py` does so for runs, and works them off.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, TypeVar

import msgspec

from netveil.errors import FileError, SettingError, option
from netveil.files.json_records import DamagedRecordError, Shape, check_shape, read_record
from netveil.files.storage import split_name, write_whole
from netveil.release.records import read_run
from netveil.web.answers import busy, missing, mistake

log = logging.getLogger("netveil")

ID = re.compile(r"[0-9a-f]{16}")
RECORD = "record.json"
LOCK = "lock"
KINDS = ("networks", "runs", "releases")

Record = dict[str, Any]
Entry = TypeVar("Entry")


def new_id() -> str:
    """Draw a name that nobody can guess, and that is safe as one of a folder."""
    return secrets.token_hex(8)


def id_of_folder(folder: Path) -> str:
    """The id of a folder of the user's: the same at each start of the page, so that addresses stay right."""
    return hashlib.sha256(str(folder.resolve()).encode(errors="surrogateescape")).hexdigest()[:16]


def now() -> str:
    """The time, as records have it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class ById(Generic[Entry]):
    """Entries (networks, runs, releases or experiments) by id, the oldest first."""

    def __init__(self, what: str, entries: Iterable[tuple[str, Entry]] = ()) -> None:
        """`what` is what the page calls an entry."""
        self._what, self._entries = what, dict(entries)

    def all(self) -> list[Entry]:
        """All entries."""
        return list(self._entries.values())

    def get(self, name: str) -> Entry:
        """Entry of an id; an error where there is none."""
        if name not in self._entries:
            raise missing(self._what)
        return self._entries[name]

    def find(self, name: str | None) -> Entry | None:
        """Entry of an id; None where there is none."""
        return None if name is None else self._entries.get(name)


class DataFolder:
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
        """The folder of an entry; whoever asks has checked that its id is ours."""
        if ID.fullmatch(name) is None:
            raise ValueError("not an id")
        return self.path / kind / name

    def make(self, kind: str, name: str) -> Path:
        """Make the folder of a new entry."""
        folder = self.folder(kind, name)
        folder.mkdir(mode=0o700)
        return folder

    def write(self, kind: str, record: Record) -> None:
        """Keep a record, which has its `id`; it is replaced whole."""
        text = json.dumps(record, ensure_ascii=False).encode(errors="backslashreplace")
        write_whole(text, self.folder(kind, record["id"]) / RECORD, private=True)

    def entries(self, kind: str, made_of: Callable[[Record], Entry]) -> Iterator[tuple[str, Entry]]:
        """Yield ids and entries that are made of the records of a kind, the oldest first.

        Records that were never written are skipped; so are damaged ones, with a warning.
        """
        found = []
        for folder in sorted((self.path / kind).iterdir()):
            if ID.fullmatch(folder.name) is None:
                continue
            try:
                record = read_record(folder / RECORD, {"id": str})
                if record["id"] != folder.name:
                    raise DamagedRecordError("id is not the name of its folder")
                since = str(record.get("created") or record.get("added") or "")
                found.append((since, folder.name, made_of(record)))
            except (DamagedRecordError, msgspec.ValidationError) as damage:
                remedy = "The page does without it; delete its folder if it is of no use."
                log.warning("warning: %s is damaged: %s. %s", folder / RECORD, damage, remedy)
            except OSError:  # the server ended before it was written
                continue
        yield from ((name, entry) for _, name, entry in sorted(found, key=lambda each: each[0]))

    def remove(self, kind: str, name: str) -> None:
        """Delete an entry with all that belongs to it."""
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


NOT_ASKED: Record = dict.fromkeys(
    ("format", "columns", "separator", "header", "encoding", "nominations", "sheet")
)
"""Options of reading that the user has not set."""
UNREAD: Record = {
    **dict.fromkeys(("nodes", "edges", "dropped", "reading", "table", "problem", "sha256", "fingerprint")),
    "notes": [],
    "attributes": [],
    "attributes_of_people": [],
}
SHAPE_OF_NETWORK: Shape = {
    **dict.fromkeys(("name", "file", "added"), str),
    "source": Literal["upload", "builtin", "release"],
    "state": Literal["reading", "read", "question", "refused"],
    "asked": dict.fromkeys(NOT_ASKED, object),
    "release": str | None,
    "attributes": list[str],
}
COUNT = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
FURTHER_SHAPES: dict[str, Shape] = {
    "read": {"nodes": COUNT, "edges": COUNT},
    "release": {"original": {"path": str, "shown": str, "asked": Record}},
}
"""Further shapes of a network's record, by its state and by its source."""
SHAPE_OF_PERSONS: Shape = {
    "id": Annotated[str, msgspec.Meta(pattern=rf"\A{ID.pattern}\Z")],
    "file": str,
    "key": str | None,
}
PRIVATE = ("sha256", "fingerprint", "original")  # of no use to the page

_SUFFIX = re.compile(r"\.[a-z0-9_-]{1,12}")


class Networks(ById[Record]):
    """Records of the networks that were brought: the file as it came, and how it was read."""

    def __init__(self, data: DataFolder) -> None:
        super().__init__("network", data.entries("networks", _checked_network))
        self.data = data

    def add(self, shown: str, source: str, **more: Any) -> Record:
        """Add a network that is still to be read; `shown` is what the user calls its file."""
        record = {
            "id": new_id(),
            "source": source,
            "added": now(),
            "revision": 0,
            "state": "reading",
            "name": split_name(shown)[0],
            "file": shown if source == "upload" else "",
            "size": 0,
            "asked": dict(NOT_ASKED),
            "persons": None,
            "release": None,
            **UNREAD,
            **more,
        }
        self.data.make("networks", record["id"])
        self._entries[record["id"]] = record
        return record

    def file_of(self, record: Record) -> Path:
        """Where the file of a network is: a name of our own, with the suffixes that tell its format."""
        return self.data.folder("networks", record["id"]) / f"content{safe_suffixes(record['file'])}"

    def file_of_persons(self, record: Record, persons: Record) -> Path:
        """Where a table of persons is; each has a name of its own, for workers remember what they opened."""
        stored = f"persons-{persons['id']}{safe_suffixes(persons['file'])}"
        return self.data.folder("networks", record["id"]) / stored

    def given(self, record: Record) -> Record:
        """The network as workers are told of it."""
        if record["source"] == "builtin":
            return {"kind": "builtin", "name": record["name"]}
        if record["source"] == "release":
            return {"kind": "release", **record["original"]}
        path = str(self.file_of(record))
        given = {"kind": "file", "path": path, "shown": record["file"], "asked": record["asked"]}
        if (persons := record["persons"]) is None:
            return given
        path = str(self.file_of_persons(record, persons))
        return {**given, "persons": {"path": path, "shown": persons["file"], "key": persons["key"]}}

    def change(self, record: Record, **what: Any) -> None:
        """Change a record; by its revision the page tells which of two is newer."""
        record.update(what, revision=record.get("revision", 0) + 1)

    def shown(self, record: Record) -> Record:
        """The record of a network as the page sees it."""
        return {key: value for key, value in record.items() if key not in PRIVATE}

    def settle(self, record: Record, answer: Record) -> None:
        """Note how a network was read, or why not."""
        problem = answer.get("problem")
        state = "read" if problem is None else "question" if problem.pop("asks") else "refused"
        self.change(record, **UNREAD | answer, state=state)
        self.data.write("networks", record)

    def read_from(self, name: str) -> Record:
        """The record of a network that was read; an error where it was not."""
        record = self.get(name)
        if record["state"] != "read":
            raise mistake("This network has not been read yet; say first how to read it.")
        return record

    def remove(self, name: str) -> None:
        """Delete a network."""
        self.get(name)
        self.data.remove("networks", name)
        del self._entries[name]


def _checked_network(record: Record) -> Record:
    """The record of a network; DamagedRecordError if it is none."""
    check_shape(record, SHAPE_OF_NETWORK)
    for kind in (record["state"], record["source"]):
        check_shape(record, FURTHER_SHAPES.get(kind, {}))
    if record.setdefault("persons", None) is not None:
        check_shape(record["persons"], SHAPE_OF_PERSONS)
    return record


def safe_suffixes(file: str) -> str:
    """The suffixes of a file, which tell its format and compression: nothing else of its name is used.

    >>> safe_suffixes("../../contacts.2024.CSV.gz"), safe_suffixes("a.b/../c"), safe_suffixes("a.§")
    ('.csv.gz', '', '')
    """
    _, suffix, compression = split_name(file)
    return (suffix if _SUFFIX.fullmatch(suffix) else "") + compression


def safe_name(given: str) -> str:
    """A file's name without its folder, short, and without what no name of a file holds."""
    if not given.strip():
        raise mistake("The file has no name.")
    bare = re.sub(r"[\x00-\x1f\x7f]", "", given).replace("\\", "/").rpartition("/")[2].strip()
    return bare[-120:] or "network"


RunState = Literal[
    "queued", "starting", "searching", "paused", "reporting", "done", "failed", "cancelled", "cut-off"
]
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

IDENTITY: Shape = dict.fromkeys(("made_at", "fingerprint", "published_sha256"), str | None)
"""Keys of a record that tell a release from others in lists."""


@dataclass
class Run:
    """A run as its record has it: what was asked, how far it has come, what came of it."""

    id: str
    network: str  # the id of the network
    name: str  # what the network is called
    given: Record  # the network as workers are told of it
    options: Record
    extension: str  # of the network that is published
    command: str  # that does the same
    kind: Literal["search", "point", "synthetic"] = "search"
    source: str | None = None  # of a point: the id of the release whose curve it is on
    source_folder: str | None = None  # of a point: where that release is
    budget: int | None = None  # of a point
    note: str = ""
    state: RunState = "queued"
    revision: int = 0  # grows with each change, so that the page tells which of two records is newer
    created: str = field(default_factory=now)
    started: str | None = None
    ended: str | None = None
    doing: str = "waiting"
    announced: list[str] = field(default_factory=list)
    progress: Record | None = None
    history: list[list[float]] = field(default_factory=list)
    error: str | None = None
    figures: Record | None = None
    release: Record = field(default_factory=dict)  # its identity
    resumed: bool = False

    @classmethod
    def of_record(cls, record: Record) -> Run:
        """The run of a record on disk; one that was running then was cut off."""
        run = msgspec.convert(record, cls)
        if run.state == "done":
            check_shape(asdict(run), {"figures": Record, "release": IDENTITY})
        if run.is_active:
            run.cut_off()
        return run

    def shown(self, place_in_queue: int = 0) -> Record:
        """The run as the page sees it."""
        hidden = ("given", "extension", "command", "source_folder", "release", "source")
        document = {name: value for name, value in asdict(self).items() if name not in hidden}
        return {**document, "from": self.source, "queue": place_in_queue, "can": list(self.can)}

    @property
    def can(self) -> tuple[str, ...]:
        """What a user may ask of the run now; of a network that is half drawn nothing can be kept."""
        words = CAN.get(self.state, ())
        has_best = self.kind != "synthetic" or self.state == "reporting"
        return words if has_best else tuple(word for word in words if word != "stop")

    def order(self) -> Record:
        """Part of the order to the run's worker process: all but the network and the files."""
        names = ("kind", "options", "extension", "command", "resumed", "source_folder", "budget")
        return {name: getattr(self, name) for name in names}

    @property
    def is_active(self) -> bool:
        """Whether a process works for the run."""
        return self.state in ACTIVE

    @property
    def is_open(self) -> bool:
        """Whether the run waits, goes on or can be resumed: whether the network is still needed."""
        return self.is_active or self.state in ("queued", "cut-off")

    def add_progress(self, progress: Record) -> list[float] | None:
        """Note how far the run has come; of a long history every second point is forgotten.

        Returns the new point of the history; None where ties are drawn, and nobody is counted.
        """
        if "at_risk" not in progress:
            self.progress = progress
            return None
        point = [round(progress["seconds"], 3), progress["at_risk"], progress["deleted"]]
        self.progress = {**progress, "doing": self.doing}
        self.history.append(point)
        if len(self.history) > MOST_POINTS:
            self.history = [*self.history[:-1:2], self.history[-1]]
        return point

    def end(self, state: RunState, error: str | None = None) -> None:
        """Note that the run is over."""
        self.state, self.error, self.ended, self.doing = state, error, now(), ""

    def cut_off(self) -> None:
        """Note that the server ended during the run."""
        self.revision += 1
        again = "can be drawn again" if self.kind == "synthetic" else "can go on from its best"
        self.state, self.doing = "cut-off", f"cut off; it {again}"


FIGURES_LEFT_OUT = ("history", "report", "reading", "command", "protected_edges", "input", "row_of_person")
"""Keys of a run's record that are no part of the document of the command that made it."""

SHAPE_OF_RELEASE: Shape = {"added": str, "figures": {"network": str}, "identity": IDENTITY}
"""The record of a release that was brought."""

_FILE_OF_RELEASE = re.compile(
    r"(?:^|/)((?:public)/(?:network(?:-[0-9]{1,6})?\.[a-z0-9]{1,12}(?:\.(?:gz|bz2|xz))?|nodes\.[a-z0-9]{1,12}|about\.json"
    r"|README\.md|datapackage\.json|datacite\.json)"
    r"|(?:private)/(?:run\.json|labels\.csv|deleted_edges\.csv|people_at_risk\.csv|decision\.json|curve\.json|table(?:-ties)?\.csv))$"
)
"""The files of a release that are kept of an upload; pages are rendered anew."""


@dataclass
class ListedRelease:
    """A release of a run that is done, one that was brought, or in a folder that was named at the start."""

    id: str
    source: Literal["run", "upload", "folder"]
    folder: Path
    name: str
    figures: Record
    identity: Record
    note: str = ""
    network: str | None = None

    def record(self) -> Record:
        """Read the whole record of the release; a message for people where it is gone."""
        try:
            return read_run(self.folder)
        except FileError:
            raise missing("release") from None

    @property
    def extension(self) -> str:
        """The suffix of the published network."""
        found = sorted((self.folder / "public").glob("network.*"))
        return found[0].name.partition(".")[2] if found else "txt"


class Releases(ById[ListedRelease]):
    """Releases by id; the release of a run has the id of the run."""

    def __init__(self, data: DataFolder, folders: Iterable[Path]) -> None:
        super().__init__("release", ((id_of_folder(folder), _named(folder)) for folder in folders))
        self.data = data
        self._entries |= data.entries("releases", self._brought)

    def shown(self, release: ListedRelease) -> Record:
        """A release as lists have it; with others of its network: two must not be published."""
        mine = release.identity
        same = [
            other.id
            for other in self.all()
            if other.identity["fingerprint"] == mine["fingerprint"]
            and other.identity["published_sha256"] != mine["published_sha256"]
        ]
        document = {
            name: value for name, value in vars(release).items() if name not in ("folder", "identity")
        }
        can_delete = release.source != "folder"
        return {**document, "made_at": mine["made_at"], "same_network": same, "can_delete": can_delete}

    def add_run(self, run: Run, folder: Path) -> ListedRelease:
        """Add the release of a run that is done."""
        told = run.name, run.figures or {}, run.release, run.note, run.network
        self._entries[run.id] = ListedRelease(run.id, "run", folder, *told)
        return self._entries[run.id]

    def add_upload(self, name: str, answer: Record) -> ListedRelease:
        """Add a release that was brought, and found to be whole."""
        record = {"id": name, "added": now(), **answer}
        self.data.write("releases", record)
        self._entries[name] = self._brought(record)
        return self._entries[name]

    def remove(self, name: str) -> None:
        """Delete a release; one that was named at the start is the user's own, and stays."""
        source = self.get(name).source
        if source == "folder":
            raise busy("This folder was named when the page was started; it is not deleted from here.")
        if source == "upload":
            self.data.remove("releases", name)
        del self._entries[name]

    def _brought(self, record: Record) -> ListedRelease:
        check_shape(record, SHAPE_OF_RELEASE)
        folder, figures = self.data.folder("releases", record["id"]) / "release", record["figures"]
        return ListedRelease(record["id"], "upload", folder, figures["network"], figures, record["identity"])


def _named(folder: Path) -> ListedRelease:
    """The release in a folder that was named at the start."""
    run = read_run(folder)
    figures = {name: value for name, value in run.items() if name not in FIGURES_LEFT_OUT}
    return ListedRelease(id_of_folder(folder), "folder", folder, folder.name, figures, identity_in(run))


def identity_in(run: Record) -> Record:
    """Pick from a run's record what tells its release from others."""
    published = run.get("published_sha256")
    found = {name: run.get(name) for name in IDENTITY}
    return found | {"published_sha256": " ".join(published) if isinstance(published, list) else published}


def place_of_upload(folder: Path, name: str) -> Path | None:
    """Where a file of a brought release belongs; None for what is no part of one.

    >>> place_of_upload(Path("x"), "my/release/private/run.json").as_posix()
    'x/private/run.json'
    >>> place_of_upload(Path("x"), "public/../../../run.json")
    """
    found = _FILE_OF_RELEASE.search(name.replace("\\", "/"))
    return None if found is None else folder / found[1]


def check_upload(names: list[str]) -> None:
    """Raise unless these are files of one release, with its public and its private part."""
    places = [place.as_posix() for name in names if (place := place_of_upload(Path(), name)) is not None]
    if len(places) != len(set(places)):
        raise mistake("These are files of several releases; bring one release folder at a time.")
    if not any(name.startswith("public/network.") for name in places):
        raise mistake("This is not a release folder: it has no public/network file.")
    deed = "private/table.csv" if "private/table.csv" in places else "private/deleted_edges.csv"
    for name in ("private/run.json", "private/labels.csv", deed):
        if name not in places:
            raise mistake(
                f"This is only the public part of a release, or damaged: {name} is missing. Bring the whole "
                f"folder, or the network file in it as a network."
            )


def new_upload(data: DataFolder) -> tuple[str, Path]:
    """Make the empty folder of a release that is to come; returns its id and the folder."""
    name = new_id()
    folder = data.make("releases", name) / "release"
    for part in ("public", "private"):
        (folder / part).mkdir(mode=0o700, parents=True)
    return name, folder
