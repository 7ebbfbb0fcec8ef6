"""The record of a run: what was asked, how far it has come, what came of it. It survives the server."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal, get_args

from netveil.files.json_records import any_record, any_text, anything, check_shape, one_of, or_none, whole
from netveil.web.keeping.place import now

State = Literal[
    "queued", "starting", "searching", "paused", "reporting", "done", "failed", "cancelled", "cut-off"
]
SHAPE = {
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
        check_shape(record, SHAPE)
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
