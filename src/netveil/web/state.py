"""What all routes share: networks, runs, releases, experiments, the event stream, and who looks at them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from netveil.web.answers import WebError, busy
from netveil.web.figures import Experiments
from netveil.web.guard import Session
from netveil.web.running import Events, Looker, Runs
from netveil.web.stored import Networks, Place, Record, Releases, Run, shown

LARGEST_UPLOAD = 100 << 20
UNPACKED = 10  # times the largest upload: what a compressed one may unpack to


@dataclass
class Hall:
    """The state of a server. There is one, made when it starts."""

    place: Place
    session: Session
    port: int
    releases_given: list[Path] = field(default_factory=list)
    experiments_given: list[Path] = field(default_factory=list)
    largest_upload: int = LARGEST_UPLOAD
    is_temporary: bool = False
    quit: Callable[[], None] = lambda: None

    def __post_init__(self) -> None:
        self.events = Events()
        self.looker = Looker()
        self.networks = Networks(self.place)
        self.releases = Releases(self.place, self.releases_given)
        self.experiments = Experiments(self.experiments_given)
        self.runs = Runs(self.place, self.events, self._done)
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
        return f"http://127.0.0.1:{self.port}/?token={self.session.new_token()}"

    def state(self) -> dict[str, Any]:
        """How everything stands."""
        return {
            "networks": [shown(record) for record in self.networks.all()],
            "runs": [self.runs.shown(run) for run in self.runs.all()],
            "releases": [self.releases.shown(kept) for kept in self.releases.all()],
            "experiments": self.experiments.all(),
        }

    async def read(self, record: Record) -> Record:
        """Have a network read, and note how; pages are told."""
        self.networks.begin(record)
        self.tell_network(record)
        try:
            most = UNPACKED * self.largest_upload
            answer = await self.looker.ask("read", network=self.networks.given(record), most=most)
        except WebError as error:
            answer = {"problem": {"message": error.message, "lines": [], "asks": False}}
        self.networks.settle(record, answer)
        self.tell_network(record)
        return shown(record)

    def tell_network(self, record: Record) -> None:
        """Tell pages how a network is."""
        self.events.tell("network", record["id"], shown(record))

    def check_unused(self, network: str, what: str) -> None:
        """Raise if a run of a network waits or runs, or can go on."""
        if any(run.network == network and run.is_open for run in self.runs.all()):
            raise busy(f"A run of this network is not over; {what} when it is, or cancel or delete the run.")

    def remove_run(self, name: str) -> None:
        """Delete a run and its release."""
        self.runs.remove(name)
        with suppress(KeyError):
            self.releases.forget_run(name)
        self.events.tell("release-gone", name, {"id": name})

    async def close(self) -> None:
        """End what runs, keeping what can be kept."""
        self.looker.close()
        await self.runs.close()

    def _done(self, run: Run) -> None:
        kept = self.releases.add_run(run, self.runs.folder_of(run))
        for each in self.releases.all():  # whether others of the same network are there has changed, too
            if each.told["fingerprint"] == kept.told["fingerprint"]:
                self.events.tell("release", each.id, self.releases.shown(each))
