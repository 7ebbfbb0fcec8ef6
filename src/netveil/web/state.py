"""The state of the server, which all routes share: networks, runs, releases, experiments, events."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import prod
from pathlib import Path

from netveil.errors import NetveilError
from netveil.studies.store import Store, results_table
from netveil.web.data_folder import (
    ById,
    DataFolder,
    NetworkEntry,
    Networks,
    PersonsFile,
    Record,
    Releases,
    Run,
    id_of_folder,
)
from netveil.web.guard import Session
from netveil.web.requests import WebError, busy, mistake
from netveil.web.running import Events, Runs, Workers

LARGEST_UPLOAD = 100 << 20
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


@dataclass
class PageState:
    """The state of a server. There is one, made when it starts."""

    data: DataFolder
    session: Session
    releases_given: list[Path] = field(default_factory=list)
    experiments_given: list[Path] = field(default_factory=list)
    largest_upload: int = LARGEST_UPLOAD
    is_temporary: bool = False
    quit: Callable[[], None] = lambda: None

    def __post_init__(self) -> None:
        self.events = Events()
        self.workers = Workers()
        self.networks = Networks(self.data)
        self.releases = Releases(self.data, self.releases_given)
        self.experiments = Experiments(self.experiments_given)
        self.runs = Runs(self.data, self.events, self._done)
        for run in self.runs.all():
            if run.state == "done":
                self.releases.add_kept(
                    run.id, "run", self.runs.folder_of(run), note=run.note, network=run.network
                )
        for network in self.networks.all():
            if network.state == "reading":  # the server ended meanwhile
                message = "Reading was interrupted; read it again."
                network.settle({"problem": {"message": message, "lines": [], "asks": True}})

    @property
    def address(self) -> str:
        """A fresh address, which works once."""
        return f"http://127.0.0.1:{self.session.port}/?token={self.session.new_token()}"

    def document(self) -> Record:
        """All networks, runs, releases and experiments, as the page sees them."""
        return {
            "networks": [network.shown() for network in self.networks.all()],
            "runs": [self.runs.shown(run) for run in self.runs.all()],
            "releases": [self.releases.shown(release) for release in self.releases.all()],
            "experiments": self.experiments.rows(),
        }

    async def read(self, network: NetworkEntry) -> Record:
        """Have a network read, and note how; pages are told."""
        network.state, network.revision = "reading", network.revision + 1
        self.events.tell("network", network.id, network.shown())
        try:
            answer = await self.workers.ask("read", network=self.networks.given(network))
        except WebError as error:
            answer = {"problem": {"message": error.message, "lines": [], "asks": False}}
        return self._settled(network, answer)

    async def read_with(self, network: NetworkEntry, persons: PersonsFile) -> Record:
        """Have a network read with a table of persons; one that does not fit leaves it as it was."""
        place = self.networks.file_of(persons, network.id)
        beside = {"path": str(place), "shown": persons.file, "key": persons.key}
        given = {**self.networks.given(network), "persons": beside}
        answer: Record = await self.workers.ask("read", network=given)
        if answer["problem"] is not None:
            raise mistake(answer["problem"]["message"])
        self.forget_persons(network)
        network.persons = persons
        return self._settled(network, answer)

    def forget_persons(self, network: NetworkEntry) -> None:
        """Let go of the table of persons of a network; its file stays if a run was given it."""
        given = self.networks.given(network).get("persons")
        if given is not None and all(run.given.get("persons") != given for run in self.runs.all()):
            Path(given["path"]).unlink(missing_ok=True)
        network.persons = None

    def _settled(self, network: NetworkEntry, answer: Record) -> Record:
        """Note how a network was read; pages are told."""
        self.networks.get(network.id)  # it may have been deleted meanwhile
        network.settle(answer)
        self.networks.write(network)
        self.events.tell("network", network.id, document := network.shown())
        return document

    def check_unused(self, network: str, what: str) -> None:
        """Raise if a run of a network waits or runs, or can go on."""
        if any(run.network == network and run.is_open for run in self.runs.all()):
            raise busy(f"A run of this network is not over; {what} when it is, or cancel or delete the run.")

    def remove_network(self, name: str) -> None:
        """Delete a network; pages are told."""
        self.networks.remove(name)
        self.events.tell("network-gone", name, {"id": name})

    def remove_release(self, name: str) -> None:
        """Delete a release, of a run with the run; pages are told."""
        if self.runs.find(name) is not None:
            self.runs.remove(name)
        if self.releases.find(name) is not None:
            self.releases.remove(name)
            self.events.tell("release-gone", name, {"id": name})

    async def close(self) -> None:
        """End all processes; running searches keep their best."""
        self.events.close()
        self.workers.close()
        await self.runs.close()

    def _done(self, run: Run) -> None:
        """List the release of a run; of others of its network, pages are told that there is another one."""
        made = self.releases.add(run.id, "run", self.runs.folder_of(run), note=run.note, network=run.network)
        for each in self.releases.all():
            if each.fingerprint == made.fingerprint:
                self.events.tell("release", each.id, self.releases.shown(each))
