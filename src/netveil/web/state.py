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
from netveil.web.answers import WebError, busy, mistake
from netveil.web.data_folder import ById, DataFolder, Networks, Record, Releases, Run, id_of_folder
from netveil.web.guard import Session
from netveil.web.running import Events, Runs, Workers

LARGEST_UPLOAD = 100 << 20
UNPACKED = 10  # times the largest upload: what a compressed one may unpack to
FACTORS = ("networks", "algorithms", "budgets", "measures", "k")  # of a plan, whose entries are multiplied


class Experiments(ById[Path]):
    """Folders of `netveil experiment` that were named at the start; the page only watches them."""

    def __init__(self, folders: list[Path]) -> None:
        super().__init__("experiment", ((id_of_folder(folder), folder) for folder in folders))
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
            "failed": len(_failures(store)),
            "damaged": len(store.damaged(finished)),
            "total": _planned(folder),
            "changed": _changed(folder),
        }

    def document(self, name: str) -> Record:
        """The table of results as far as there is one, and what failed."""
        rows, failures = results_table(self.get(name)), _failures(Store(self.get(name)))
        table = {"columns": list(rows[0]) if rows else [], "rows": [list(row.values()) for row in rows]}
        return {**self._row(name), **table, "failures": failures}


def _failures(store: Store) -> list[Record]:
    """Runs that failed, and why, in the last line of the reason."""
    rows = []
    for file in sorted(store.failed.glob("*.json")):
        with suppress(OSError, ValueError, TypeError, KeyError, IndexError):
            error = str(json.loads(file.read_text(encoding="utf-8"))["error"])
            rows.append({"run": file.stem, "error": error.strip().splitlines()[-1]})
    return rows


def _planned(folder: Path) -> int | None:
    """Number of runs in the plan; None if it cannot be read."""
    try:
        plan = tomllib.loads((folder / "plan.toml").read_text(encoding="utf-8"))
        factors = [len(plan[name]) if isinstance(plan.get(name), list) else 1 for name in FACTORS]
        seeds = plan.get("seeds", 1)
        return prod(factors) * (len(seeds) if isinstance(seeds, list) else int(seeds))
    except (OSError, ValueError, TypeError):
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
                self.releases.add_run(run, self.runs.folder_of(run))
        for record in self.networks.all():
            if record["state"] == "reading":  # the server ended meanwhile
                problem = {"message": "Reading was interrupted; read it again.", "lines": [], "asks": True}
                self.networks.settle(record, {"problem": problem})

    @property
    def address(self) -> str:
        """A fresh address, which works once."""
        return f"http://127.0.0.1:{self.session.port}/?token={self.session.new_token()}"

    def document(self) -> Record:
        """All networks, runs, releases and experiments, as the page sees them."""
        return {
            "networks": [self.networks.shown(record) for record in self.networks.all()],
            "runs": [self.runs.shown(run) for run in self.runs.all()],
            "releases": [self.releases.shown(release) for release in self.releases.all()],
            "experiments": self.experiments.rows(),
        }

    async def read(self, record: Record) -> Record:
        """Have a network read, and note how; pages are told."""
        self.networks.change(record, state="reading")
        self.events.tell("network", record["id"], self.networks.shown(record))
        try:
            answer = await self._reading_of(record)
        except WebError as error:
            answer = {"problem": {"message": error.message, "lines": [], "asks": False}}
        return self._settled(record, answer)

    async def read_with(self, record: Record, persons: Record) -> Record:
        """Have a network read with a table of persons; one that does not fit leaves it as it was."""
        before = record["revision"]
        answer = await self._reading_of({**record, "persons": persons})
        if answer["problem"] is not None:
            raise mistake(answer["problem"]["message"])
        self.networks.get(record["id"])  # it may have been deleted meanwhile, or a run started
        self.check_unused(record["id"], "read it again")
        if record["revision"] != before:
            raise busy("The network was read in another way meanwhile; bring the persons once more.")
        self.forget_persons(record)
        record["persons"] = persons
        return self._settled(record, answer)

    def forget_persons(self, record: Record) -> None:
        """Let go of the table of persons of a network; its file stays if a run was given it."""
        if record["persons"] is not None:
            given = self.networks.given(record)["persons"]
            if all(run.given.get("persons") != given for run in self.runs.all()):
                Path(given["path"]).unlink(missing_ok=True)
            record["persons"] = None

    async def _reading_of(self, record: Record) -> Record:
        """Have a worker read a network; returns how it went."""
        most = UNPACKED * self.largest_upload
        answer: Record = await self.workers.ask("read", network=self.networks.given(record), most=most)
        return answer

    def _settled(self, record: Record, answer: Record) -> Record:
        """Note how a network was read; pages are told."""
        self.networks.settle(record, answer)
        document = self.networks.shown(record)
        self.events.tell("network", record["id"], document)
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
        """Delete a release; pages are told."""
        self.releases.remove(name)
        self.events.tell("release-gone", name, {"id": name})

    def remove_run(self, name: str) -> None:
        """Delete a run and its release; pages are told."""
        self.runs.remove(name)
        if self.releases.find(name) is not None:
            self.remove_release(name)

    async def close(self) -> None:
        """End all processes; running searches keep their best."""
        self.events.close()
        self.workers.close()
        await self.runs.close()

    def _done(self, run: Run) -> None:
        """List the release of a run; of others of its network, pages are told that there is another one."""
        made = self.releases.add_run(run, self.runs.folder_of(run))
        for each in self.releases.all():
            if each.identity["fingerprint"] == made.identity["fingerprint"]:
                self.events.tell("release", each.id, self.releases.shown(each))
