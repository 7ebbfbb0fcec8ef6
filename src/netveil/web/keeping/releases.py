"""Releases, wherever they come from: runs that are done, folders that were brought or named at the start."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from netveil.errors import FileError
from netveil.files.json_records import any_text, check_shape
from netveil.release.folder import read_run
from netveil.web.answers import busy, missing, mistake
from netveil.web.keeping.place import Place, new_id, now
from netveil.web.keeping.runs import TOLD, Run
from netveil.web.uploads import Announced
from netveil.web.work.releases import told_by

FIGURES_LEFT_OUT = ("history", "report", "reading", "command", "protected_edges", "input")
"""Of a run's record, what is no part of the document of `netveil anonymize`."""

SHAPE = {"added": any_text, "figures": {"network": any_text}, "told": TOLD}
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
        for record in place.records("releases", lambda record: check_shape(record, SHAPE)):
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
