"""The folder in which the page keeps what it is given and what it makes: private, and one server's at a time.

FOLDER/networks/<id>/record.json   and the file as it came, perhaps with a table of persons
FOLDER/runs/<id>/record.json       protected.txt, release/ when it is done, its best so far while it runs
FOLDER/releases/<id>/release/      a release that was brought; incoming/ until all of it is there and checked

Whatever a request names is an id, never a path: an id that is not ours opens nothing. `Releases` lists what
is there of all sources, `Experiments` what is only watched; `Runs` in `state.py` works off the queue.
"""

from __future__ import annotations

import hashlib
import json
import logging
import re
import secrets
import shutil
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from math import prod
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, TypeVar

import msgspec

from netveil.errors import FileError, NetveilError, SettingError, option
from netveil.files.json_records import DamagedRecordError, read_record
from netveil.files.staging import Hold, InUseError
from netveil.files.storage import split_name, write_whole
from netveil.release.records import read_run
from netveil.studies.store import Store, results_table
from netveil.web.requests import ID, busy, missing, mistake

log = logging.getLogger("netveil")

RECORD = "record.json"
KINDS = ("networks", "runs", "releases")

Record = dict[str, Any]
Count = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
Id = Annotated[str, msgspec.Meta(pattern=rf"\A{ID.pattern}\Z")]


def new_id() -> str:
    """Draw a name that nobody can guess, and that is safe as one of a folder."""
    return secrets.token_hex(8)


def id_of_folder(folder: Path) -> str:
    """The id of a folder of the user's: the same at each start of the page, so that addresses stay right."""
    return hashlib.sha256(str(folder.resolve()).encode(errors="surrogateescape")).hexdigest()[:16]


def now() -> str:
    """The time, as records have it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class HowToRead(msgspec.Struct, forbid_unknown_fields=True):
    """Options of reading a file; None where the user has not set one."""

    format: str | None = None
    columns: list[str] | str | None = None
    separator: str | None = None
    header: bool | None = None
    encoding: str | None = None
    nominations: bool | None = None
    sheet: str | None = None

    def __post_init__(self) -> None:
        """Take fields that were left empty for not set."""
        for name in ("format", "columns", "separator", "encoding", "sheet"):
            setattr(self, name, getattr(self, name) or None)


class PersonsFile(msgspec.Struct):
    """A table of persons that was brought beside a network."""

    id: Id
    file: str
    key: str | None


UNREAD: Record = {
    **dict.fromkeys(("nodes", "edges", "dropped", "reading", "table", "problem")),
    **{name: [] for name in ("notes", "attributes", "attributes_of_people")},
}
"""What is known of a network that has not been read."""


class NetworkEntry(msgspec.Struct, kw_only=True):
    """Record of a network that was brought: where it is from, and how it was read."""

    id: Id
    source: Literal["upload", "builtin", "release"]
    name: str
    file: str = ""  # what the user calls it
    size: int = 0
    added: str = msgspec.field(default_factory=now)
    asked: HowToRead = msgspec.field(default_factory=HowToRead)
    persons: PersonsFile | None = None
    release: str | None = None  # id of the release whose original it is
    original: Record | None = None  # that original, as workers are told of it
    revision: int = 0  # grows with each change, so that the page tells which of two records is newer
    state: Literal["reading", "read", "question", "refused"] = "reading"
    nodes: Count | None = None
    edges: Count | None = None
    dropped: Record | None = None
    reading: Record | None = None
    table: Record | None = None
    problem: Record | None = None
    notes: list[str] = []
    attributes: list[str] = []
    attributes_of_people: list[str] = []

    def __post_init__(self) -> None:
        """Raise for a record on disk that lacks what its state or its source promises."""
        if self.state == "read" and (self.nodes is None or self.edges is None):
            raise ValueError("it lacks the size of the network")
        if self.source == "release" and not {"path", "shown", "asked"} <= set(self.original or ()):
            raise ValueError("it lacks the original")

    def shown(self) -> Record:
        """The record as the page sees it."""
        document: Record = msgspec.to_builtins(self)
        del document["original"]  # of no use to the page
        return document

    def settle(self, answer: Record) -> None:
        """Note how the network was read, or why not."""
        problem = answer.get("problem")
        state = "read" if problem is None else "question" if problem.pop("asks") else "refused"
        for name, value in {**UNREAD, **answer, "state": state, "revision": self.revision + 1}.items():
            setattr(self, name, value)


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


class Run(msgspec.Struct, kw_only=True):
    """A run as its record has it: what was asked, how far it has come, what came of it."""

    id: Id
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
    added: str = msgspec.field(default_factory=now, name="created")
    started: str | None = None
    ended: str | None = None
    doing: str = "waiting"
    announced: list[str] = []
    progress: Record | None = None
    history: list[list[float]] = []
    error: str | None = None
    figures: Record | None = None
    resumed: bool = False

    def __post_init__(self) -> None:
        """Raise for a record on disk of a run that is done, but has no figures."""
        if self.state == "done" and self.figures is None:
            raise ValueError("it lacks the figures of its release")

    def shown(self, place_in_queue: int = 0) -> Record:
        """The run as the page sees it."""
        document: Record = msgspec.to_builtins(self)
        for hidden in ("given", "extension", "command", "source_folder"):
            del document[hidden]
        return {"from": document.pop("source"), **document, "queue": place_in_queue, "can": self.can}

    @property
    def can(self) -> list[str]:
        """What a user may ask of the run now; of a network that is half drawn nothing can be kept."""
        nothing_yet = self.kind == "synthetic" and self.state != "reporting"
        return [word for word in CAN.get(self.state, ()) if not (nothing_yet and word == "stop")]

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
        self.progress = {"doing": self.doing, **progress}
        if "at_risk" not in progress:
            return None
        point = [round(progress["seconds"], 3), progress["at_risk"], progress["deleted"]]
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


Kept = TypeVar("Kept", bound=NetworkEntry | Run)
Entry = TypeVar("Entry")


class ById(Generic[Entry]):
    """Entries (networks, runs, releases or experiments) by id, the oldest first."""

    def __init__(self, what: str, entries: Mapping[str, Entry] | None = None) -> None:
        """`what` is what the page calls an entry."""
        self._what, self._entries = what, dict(entries or {})

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
    """The folder of the page, one server's at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not (path / KINDS[0]).is_dir() and any(path.iterdir()):
                raise SettingError(
                    f"{path} holds other things. Give an empty or a new folder for the page to keep its own: "
                    f"{option('folder')}."
                )
            path.chmod(0o700)
            for kind in KINDS:
                (path / kind).mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            raise FileError(
                f"{path} cannot be written: {error.strerror}. Choose another folder with {option('folder')}."
            ) from None

    @contextmanager
    def served_alone(self) -> Iterator[None]:
        """Hold the folder while a server runs: two would write over each other's records."""
        try:
            hold = Hold(self.path.resolve())
        except InUseError:
            raise SettingError(
                f"{self.path} is used by another netveil web. Open the address that it printed, end it, "
                f"or give this one a folder of its own: {option('folder')}."
            ) from None
        try:
            yield
        finally:
            hold.end()


class Stored(ById[Kept]):
    """Entries that are kept on disk, each in a folder of its own with its record."""

    def __init__(self, data: DataFolder, kind: str, record: type[Kept]) -> None:
        self._place = data.path / kind
        entries: list[Kept] = self._read(record)
        super().__init__(kind.removesuffix("s"), {each.id: each for each in entries})

    def folder(self, name: str) -> Path:
        """The folder of an entry; whoever asks has checked that its id is ours."""
        if ID.fullmatch(name) is None:
            raise ValueError("not an id")
        return self._place / name

    def add(self, entry: Kept) -> Path:
        """Add an entry, and make its folder."""
        folder = self.folder(entry.id)
        folder.mkdir(mode=0o700)
        self._entries[entry.id] = entry
        return folder

    def write(self, entry: Kept) -> None:
        """Keep the record of an entry; it is replaced whole."""
        text = json.dumps(msgspec.to_builtins(entry))
        write_whole(text.encode(), self.folder(entry.id) / RECORD, private=True)

    def remove(self, name: str) -> None:
        """Delete an entry with all that belongs to it."""
        self.get(name)
        remove_folder(self.folder(name))
        del self._entries[name]

    def _read(self, kind: type[Kept]) -> list[Kept]:
        """Entries on disk, the oldest first. One never written is skipped, a damaged one with a warning."""
        found = []
        for folder in self._place.iterdir():
            if ID.fullmatch(folder.name) is None:
                continue
            try:
                entry = msgspec.convert(read_record(folder / RECORD, {"id": str}), kind)
                if entry.id != folder.name:
                    raise DamagedRecordError("id is not the name of its folder")
                found.append(entry)
            except (DamagedRecordError, msgspec.ValidationError) as damage:
                remedy = "The page does without it; delete its folder if it is of no use."
                log.warning("warning: %s is damaged: %s. %s", folder / RECORD, damage, remedy)
            except OSError:  # the server ended before it was written
                continue
        return sorted(found, key=lambda each: (each.added, each.id))


_SUFFIX = re.compile(r"\.[a-z0-9_-]{1,12}")


class Networks(Stored[NetworkEntry]):
    """The networks that were brought: the file as it came, and how it was read."""

    def __init__(self, data: DataFolder) -> None:
        super().__init__(data, "networks", NetworkEntry)

    def new(self, source: Literal["upload", "builtin", "release"], **more: Any) -> NetworkEntry:
        """Add a network that is still to be read."""
        more.setdefault("name", split_name(more.get("file", ""))[0])
        entry = NetworkEntry(id=new_id(), source=source, **more)
        self.add(entry)
        return entry

    def file_of(self, entry: NetworkEntry | PersonsFile, network: str) -> Path:
        """Where a file of a network is: a name of our own, with the suffixes that tell its format.

        Each table of persons has another name, for workers remember what they opened.
        """
        stem = "content" if isinstance(entry, NetworkEntry) else f"persons-{entry.id}"
        return self.folder(network) / f"{stem}{safe_suffixes(entry.file)}"

    def given(self, entry: NetworkEntry) -> Record:
        """The network as workers are told of it."""
        if entry.source == "builtin":
            return {"kind": "builtin", "name": entry.name}
        if entry.source == "release":
            return {"kind": "release", **(entry.original or {})}
        path = str(self.file_of(entry, entry.id))
        asked = msgspec.to_builtins(entry.asked)
        given = {"kind": "file", "path": path, "shown": entry.file, "asked": asked}
        if (persons := entry.persons) is not None:
            path = str(self.file_of(persons, entry.id))
            given["persons"] = {"path": path, "shown": persons.file, "key": persons.key}
        return given

    def read_from(self, name: str) -> NetworkEntry:
        """A network that was read; an error where it was not."""
        entry = self.get(name)
        if entry.state != "read":
            raise mistake("This network has not been read yet; say first how to read it.")
        return entry


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


FIGURES_LEFT_OUT = (
    *("history", "report", "reading", "command", "protected_edges", "input", "row_of_person"),
    *("decision", "published_files", "secret", "lost"),
)
"""Keys of a release's record that lists do without."""

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
    made_at: str | None
    fingerprint: str | None  # of the original
    published: Any  # SHA-256 of what is published
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
        super().__init__("release")
        self._place = data.path / "releases"
        for folder in folders:
            self.add(id_of_folder(folder), "folder", folder)
        for folder in sorted(self._place.glob("*/release")):
            if ID.fullmatch(folder.parent.name):
                self.add_kept(folder.parent.name, "upload", folder)

    def shown(self, release: ListedRelease) -> Record:
        """A release as lists have it; with others of its network: two must not be published."""
        same = [
            other.id
            for other in self.all()
            if other.fingerprint == release.fingerprint and other.published != release.published
        ]
        hidden = ("folder", "fingerprint", "published")
        document = {key: value for key, value in vars(release).items() if key not in hidden}
        return {**document, "same_network": same, "can_delete": release.source != "folder"}

    def add(
        self, name: str, source: Literal["run", "upload", "folder"], folder: Path, **more: Any
    ) -> ListedRelease:
        """List the release in a folder, with what its record says of it."""
        run = read_run(folder)
        figures = {key: value for key, value in run.items() if key not in FIGURES_LEFT_OUT}
        told = run.get("made_at"), run.get("fingerprint"), run.get("published_sha256")
        called = folder.name if source == "folder" else str(run.get("network"))
        self._entries[name] = ListedRelease(name, source, folder, called, figures, *told, **more)
        return self._entries[name]

    def add_kept(self, name: str, source: Literal["run", "upload"], folder: Path, **more: Any) -> None:
        """List a release that we keep; without one that is damaged, the page does with a warning."""
        try:
            self.add(name, source, folder, **more)
        except FileError as error:
            log.warning("warning: %s", error)

    def folder_of_upload(self, name: str) -> Path:
        """Where the parts of a release that is brought are put."""
        return self._place / name

    def remove(self, name: str) -> None:
        """Delete a release; one that was named at the start is the user's own, and stays."""
        source = self.get(name).source
        if source == "folder":
            raise busy("This folder was named when the page was started; it is not deleted from here.")
        if source == "upload":
            remove_folder(self.folder_of_upload(name))
        del self._entries[name]


def remove_folder(folder: Path) -> None:
    """Delete a folder of ours; an error tells where the rest is if that cannot be done."""
    shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():
        raise busy(f"Not all of it could be deleted. Delete the rest by hand: {folder}")


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


FACTORS = ("algorithms", "budgets", "measures", "k")  # of a plan, whose entries are multiplied


class Experiments(ById[Path]):
    """Folders of `netveil experiment` that were named at the start; the page only watches them."""

    def __init__(self, folders: list[Path]) -> None:
        super().__init__("experiment", {id_of_folder(folder): folder for folder in folders})
        self._rows: dict[str, Record] = {}
        self.refresh()

    def rows(self) -> list[Record]:
        """Progress of each experiment when it was last looked at."""
        return list(self._rows.values())

    def refresh(self) -> list[Record]:
        """Look at all folders; returns the rows that changed. Takes a while where there are many runs."""
        changed = {}
        for name, folder in self._entries.items():
            with suppress(NetveilError, OSError):  # the folder is gone, or being moved
                if self._rows.get(name, {}).get("changed") != _changed(folder):
                    changed[name] = self._row(name)
        self._rows |= changed
        return list(changed.values())

    def _row(self, name: str) -> Record:
        folder = self.get(name)
        store = Store(folder)
        finished = store.finished()
        return {
            "id": name,
            "name": folder.resolve().name,
            "folder": str(folder),
            "finished": len(finished),
            "failed": len(list(store.failed.glob("*.json"))),
            "damaged": len(store.damaged(finished)),
            "total": _planned(folder),
            "changed": _changed(folder),
        }

    def document(self, name: str) -> Record:
        """The table of results as far as there is one, and what failed: the last line of the reason."""
        rows, failures = results_table(self.get(name)), []
        for file in sorted(Store(self.get(name)).failed.glob("*.json")):
            with suppress(OSError, ValueError, TypeError, LookupError):
                error = str(json.loads(file.read_text(encoding="utf-8"))["error"])
                failures.append({"run": file.stem, "error": error.strip().splitlines()[-1]})
        table = {"columns": list(rows[0]) if rows else [], "rows": [list(row.values()) for row in rows]}
        return {**self._row(name), **table, "failures": failures}


def _planned(folder: Path) -> int | None:
    """Number of runs in the plan; None if it cannot be read."""
    try:
        plan = tomllib.loads((folder / "plan.toml").read_text(encoding="utf-8"))
        sizes = {name: len(value) for name, value in plan.items() if isinstance(value, list)}
        deleting = prod(sizes.get(name, 1) for name in FACTORS) if "algorithms" in plan else 0
        seeds = sizes.get("seeds") or int(plan.get("seeds", 1))
        return sizes["networks"] * seeds * (deleting + sizes.get("synthetic", 0))
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _changed(folder: Path) -> str | None:
    """When the last run of an experiment was finished, or failed."""
    moments = [(folder / part).stat().st_mtime for part in ("runs", "failed") if (folder / part).is_dir()]
    return datetime.fromtimestamp(max(moments), UTC).isoformat(timespec="microseconds") if moments else None
