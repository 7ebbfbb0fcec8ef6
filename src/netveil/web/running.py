"""The queue of runs: one at a time, for a search uses all cores; what it tells is noted and passed on."""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from netveil.files.storage import write_whole
from netveil.web.answers import busy, missing
from netveil.web.children import GONE, Child, Message
from netveil.web.events import Events
from netveil.web.keeping.place import Place, new_id, now
from netveil.web.keeping.runs import CAN, Run
from netveil.web.work.releases import told_by

SECONDS_BETWEEN_RECORDS = 5.0  # of how far a run has come, which a kill of the server may lose
SECONDS_TO_LEAVE = 4.0  # for searches to keep their best when the server ends
MOST_WAITING = 20  # runs in the queue
PROTECTED = "protected.txt"


class Runs:
    """All runs: those that wait, the one that runs, and those that are over."""

    def __init__(self, place: Place, events: Events, on_done: Callable[[Run], None]) -> None:
        self.place, self.events, self.on_done = place, events, on_done
        self._runs = {record["id"]: Run.of_record(record) for record in place.records("runs", Run.check)}
        self._children: dict[str, Child] = {}
        self._recorded_at = 0.0
        self._is_closing = False

    def all(self) -> list[Run]:
        """All of them, the oldest first."""
        return list(self._runs.values())

    def get(self, name: str) -> Run:
        """The run of this id; an error where there is none."""
        if name not in self._runs:
            raise missing("run")
        return self._runs[name]

    def shown(self, run: Run) -> dict[str, Any]:
        """A run as the page sees it."""
        waiting = [each.id for each in self._runs.values() if each.state == "queued"]
        return run.shown(waiting.index(run.id) + 1 if run.id in waiting else 0)

    def folder_of(self, run: Run) -> Path:
        """Where the release of a run is, or is going to be."""
        return self.place.folder("runs", run.id) / "release"

    def protected_file(self, run: Run) -> Path | None:
        """The file with the ties that must stay, if there are any."""
        file = self.place.folder("runs", run.id) / PROTECTED
        return file if file.is_file() else None

    def add(self, **what: Any) -> Run:
        """Put a run into the queue; an error if that is full."""
        self._check_room()
        run = Run(id=new_id(), **what)
        folder = self.place.make("runs", run.id)
        if run.options["protect"].strip():
            text = run.options["protect"].replace("\r\n", "\n").rstrip("\n") + "\n"
            write_whole(text.encode(errors="backslashreplace"), folder / PROTECTED, private=True)
        self._runs[run.id] = run
        self._note(run)
        self.start_next()
        return run

    def start_next(self) -> None:
        """Start the first that waits, unless one runs."""
        if self._is_closing or self._children or any(run.is_active for run in self._runs.values()):
            return
        waiting = [run for run in self._runs.values() if run.state == "queued"]
        if waiting:
            self._start(waiting[0])
            for other in waiting[1:]:  # each has moved up
                self._tell(other)

    def ask(self, run: Run, word: str) -> None:
        """Do what the user wants of a run; an error if that cannot be done now."""
        if word not in CAN.get(run.state, ()):
            raise busy(f"This cannot be done with a run that is {run.state}.")
        if word == "resume":
            self._check_room()
            run.state, run.resumed, run.ended, run.doing = "queued", True, None, "waiting"
            self._note(run)
            self.start_next()
        elif word == "cancel":
            child = self._children.get(run.id)
            run.end("cancelled")
            self._note(run)
            if child is not None:
                child.kill()
        else:
            self._children[run.id].order({"do": word})

    def remove(self, name: str) -> None:
        """Delete a run and its release."""
        run = self.get(name)
        if run.is_active or run.id in self._children:
            raise busy("This run is not over; cancel it first.")
        self.place.remove("runs", name)
        del self._runs[name]
        self.events.tell("run-gone", name, {"id": name})

    async def close(self) -> None:
        """Have running searches keep their best, and end all processes; what takes too long is killed."""
        self._is_closing = True
        children = list(self._children.values())
        for child in children:
            child.order({"do": "leave"})
            child.let_go()
        waits = [asyncio.create_task(child.has_ended.wait()) for child in children]
        if waits:
            await asyncio.wait(waits, timeout=SECONDS_TO_LEAVE)
        for child in children:
            child.kill()
        for run in self._runs.values():
            if run.is_active:
                run.cut_off()
                self._note(run)

    def _check_room(self) -> None:
        """Raise if no more runs may wait."""
        if sum(run.state == "queued" for run in self._runs.values()) >= MOST_WAITING:
            raise busy(
                f"{MOST_WAITING} runs wait already, the most that the queue takes. Wait until one has begun, "
                f"or cancel one; for many runs at once there is netveil experiment."
            )

    def _start(self, run: Run) -> None:
        protected = self.protected_file(run)
        order = {
            "id": 0,
            "do": "make",
            "kind": run.kind,
            "network": run.given,
            "options": run.options,
            "extension": run.extension,
            "command": run.command,
            "folder": str(self.folder_of(run)),
            "protect": None if protected is None else str(protected),
            "resume": run.resumed,
            "from": run.source_folder,
            "budget": run.budget,
        }
        run.state, run.started, run.doing = "starting", now(), "starting"
        child = Child(lambda message: self._hear(run, message), lambda: self._ended(run))
        self._children[run.id] = child
        child.order(order)
        self._note(run)

    def _hear(self, run: Run, message: Message) -> None:
        """What the process of a run tells."""
        if run.state == "cancelled":
            return
        if "told" in message:
            self._hear_on_the_way(run, message["told"])
            return
        if "error" in message:
            run.end("failed", message["error"]["message"])
        else:
            from netveil.release.folder import read_run

            run.figures = message["result"]
            run.release = told_by(read_run(self.folder_of(run)))
            run.end("done")
        self._note(run)
        if run.state == "done":
            self.on_done(run)
        self._children[run.id].let_go()

    def _hear_on_the_way(self, run: Run, told: Message) -> None:
        if "progress" in told:
            point = run.add_progress(told["progress"])
            document = {"id": run.id, "progress": run.progress, "point": point}
            self.events.tell("progress", run.id, document)
            if time.monotonic() - self._recorded_at > SECONDS_BETWEEN_RECORDS:
                self._write(run)
            return
        if "announced" in told:
            run.announced.append(told["announced"])
        run.state = told.get("state", run.state)
        run.doing = told.get("doing", run.doing)
        self._note(run)

    def _ended(self, run: Run) -> None:
        """The process of a run has ended, as it should or not."""
        self._children.pop(run.id, None)
        if run.state == "cancelled":
            self._forget_unfinished(run)
        elif run.is_active and not self._is_closing:
            run.end("failed", GONE)
            if (self.place.folder("runs", run.id) / ".release.unfinished" / "best.json").is_file():
                run.cut_off()
            self._note(run)
        self.start_next()

    def _forget_unfinished(self, run: Run) -> None:
        """Nothing is kept of what was cancelled but its record."""
        shutil.rmtree(self.place.folder("runs", run.id) / ".release.unfinished", ignore_errors=True)
        shutil.rmtree(self.folder_of(run), ignore_errors=True)

    def _note(self, run: Run) -> None:
        """Tell the pages of a run that has changed, and keep its record."""
        self._tell(run)
        self._write(run)

    def _tell(self, run: Run) -> None:
        run.revision += 1
        self.events.tell("run", run.id, self.shown(run))

    def _write(self, run: Run) -> None:
        self._recorded_at = time.monotonic()
        with suppress(OSError):  # a search goes on though a full disk leaves it without a record
            self.place.write("runs", run.record())
