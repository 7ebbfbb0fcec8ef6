"""The state of the server, which all routes share: events for open pages, workers, the queue of runs.

A worker process gets orders and answers them: see `netveil.web.worker`. `Workers` answers what the page asks
about networks; `Runs` works off searches one at a time, for a search uses all cores; `PageState` has them.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from netveil.files.storage import write_whole
from netveil.web.data_folder import (
    DataFolder,
    Experiments,
    NetworkEntry,
    Networks,
    PersonsFile,
    Record,
    Releases,
    Run,
    Stored,
    new_id,
    now,
)
from netveil.web.forms import POLICY, PROTECTED, policy_file
from netveil.web.guard import Session
from netveil.web.requests import WebError, busy, mistake

SECONDS_BETWEEN = 0.1  # two messages about the same thing
SECONDS_OF_SILENCE = 15.0  # after which a comment tells that the stream is alive


class Events:
    """The event stream: tells every open page what changes, the newest only where a page is slow to listen.

    All calls are made in the thread of the server.
    """

    def __init__(self) -> None:
        self._pages: set[_Page] = set()
        self._numbers = count(1)
        self._is_closed = False

    def tell(self, event: str, thing: str, document: Any) -> None:
        """Tell all pages that something about a thing has changed."""
        for page in self._pages:
            # In the order of what happened last, so that an end is never overtaken by what came before.
            page.waiting.pop((event, thing), None)
            page.waiting[event, thing] = document
            page.is_told.set()

    def close(self) -> None:
        """End all streams, after what waits has been told."""
        self._is_closed = True
        self.tell("ending", "", {})

    async def stream(self, snapshot: Callable[[], Any]) -> AsyncIterator[str]:
        """Messages for a page: first how everything stands, then what changes."""
        page = _Page()
        self._pages.add(page)
        try:
            yield self._message("snapshot", snapshot())
            while not self._is_closed or page.waiting:
                try:
                    await asyncio.wait_for(page.is_told.wait(), SECONDS_OF_SILENCE)
                except TimeoutError:
                    yield ": still here\n\n"
                    continue
                page.is_told.clear()
                waiting, page.waiting = page.waiting, {}
                for (event, _), document in waiting.items():
                    yield self._message(event, document)
                if not self._is_closed:
                    await asyncio.sleep(SECONDS_BETWEEN)
        finally:
            self._pages.discard(page)

    def _message(self, event: str, document: Any) -> str:
        data = json.dumps(document, separators=(",", ":"))
        return f"event: {event}\nid: {next(self._numbers)}\ndata: {data}\n\n"


class _Page:
    """An open page: messages that wait for it, by event and thing, and whether there are any."""

    def __init__(self) -> None:
        self.waiting: dict[tuple[str, str], Any] = {}
        self.is_told = asyncio.Event()


Message = dict[str, Any]
PLACE_OF_NETVEIL = Path(__file__).parents[2]
GONE = "The process that did this ended unexpectedly; there was probably not enough memory."


class WorkerProcess:
    """A worker process. What it says is heard in the thread of the server's event loop."""

    def __init__(self, on_message: Callable[[Message], None], on_end: Callable[[], None]) -> None:
        # The worker shall find the same netveil as the server, and nothing else of its name.
        places = [str(PLACE_OF_NETVEIL), os.environ.get("PYTHONPATH", "")]
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "netveil.web.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=None if os.environ.get("NETVEIL_DEBUG") else subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, places))},
            start_new_session=True,  # Ctrl-C is for the server, which tells us
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._orders, self._answers = self._process.stdin, self._process.stdout
        self._on_message, self._on_end, self._loop = on_message, on_end, asyncio.get_running_loop()
        self.has_ended = asyncio.Event()
        self.waiting: dict[int, asyncio.Future[Any]] = {}  # for answers, by the numbers of orders
        threading.Thread(target=self._listen, daemon=True).start()

    def order(self, message: Message) -> None:
        """Send an order; one to a process that has ended is lost, and its end is told."""
        with suppress(OSError, ValueError):
            self._orders.write(json.dumps(message).encode() + b"\n")
            self._orders.flush()

    def let_go(self) -> None:
        """Close the pipe of orders: the process ends when it has kept what it must."""
        with suppress(OSError, ValueError):
            self._orders.close()

    def kill(self) -> None:
        """End the process at once."""
        self._process.kill()

    def _listen(self) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody listens any more
            while (line := self._answers.readline()).endswith(b"\n"):  # else it was killed within a line
                self._loop.call_soon_threadsafe(self._on_message, json.loads(line))
        self._process.wait()
        self._answers.close()
        self.let_go()  # if it was killed, nobody closed its pipe
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._end)

    def _end(self) -> None:
        self.has_ended.set()
        self._on_end()


class Workers:
    """Worker processes that answer what the page asks, by key.

    The one with the empty key remembers networks, others are each for one order that takes long.
    """

    def __init__(self) -> None:
        self._children: dict[str, WorkerProcess] = {}
        self._numbers = count()

    def start(self, key: str = "") -> WorkerProcess:
        """Start a process if it does not run: early, it is ready in time."""
        if key in self._children:
            return self._children[key]
        child = self._children[key] = WorkerProcess(
            lambda message: _settle(child.waiting.pop(message["id"], None), message),
            lambda: self._ended(key, child),
        )
        return child

    async def ask(self, do: str, *, alone: str = "", **order: Any) -> Any:
        """Have a process do an order; returns the answer.

        With `alone`, a process of its own under this key, which `cancel` ends; whoever asks for the same
        meanwhile waits for it, too.
        """
        child = self.start(alone)
        answer = next(iter(child.waiting.values()), None) if alone else None
        if answer is None:
            number = next(self._numbers)
            answer = child.waiting[number] = asyncio.get_running_loop().create_future()
            child.order({"id": number, "do": do, **order})
            if alone:
                answer.add_done_callback(lambda _: self._ended(alone, child))
        return await asyncio.shield(answer)

    def cancel(self, key: str) -> bool:
        """End the process of an order under this key; whether there was one."""
        child = self._children.get(key)
        if child is None or not child.waiting:
            return False
        cancelled = {"error": {"kind": "busy", "message": "This was cancelled."}}
        _settle(child.waiting.popitem()[1], cancelled)
        child.kill()
        return True

    def close(self) -> None:
        """End all processes: what they look at is kept nowhere else."""
        for child in self._children.values():
            child.kill()

    def _ended(self, key: str, child: WorkerProcess) -> None:
        """Forget a process that has ended or is about to; whoever still waits for it is told."""
        if self._children.get(key) is child:
            self._children.pop(key).let_go()
        for answer in child.waiting.values():
            _settle(answer, {"error": {"kind": "defect", "message": GONE}})


def _settle(answer: asyncio.Future[Any] | None, message: Message) -> None:
    """Hand what a process said to whoever waits for it."""
    if answer is None or answer.done():
        return
    if "error" in message:
        answer.set_exception(WebError(**message["error"]))
        answer.exception()  # told to whoever waits; if nobody does any more, that is no defect
    else:
        answer.set_result(message["result"])


SECONDS_BETWEEN_RECORDS = 5.0  # of how far a run has come, which a kill of the server may lose
SECONDS_TO_LEAVE = 4.0  # for searches to keep their best when the server ends
MOST_WAITING = 20  # runs in the queue
IN_ORDERS = ("kind", "options", "extension", "command", "resumed", "source_folder", "budget")


class Runs(Stored[Run]):
    """All runs: those that wait, the one that runs, and those that are over."""

    def __init__(self, data: DataFolder, events: Events, on_done: Callable[[Run], None]) -> None:
        super().__init__(data, "runs", Run)
        self.events, self.on_done = events, on_done
        self._children: dict[str, WorkerProcess] = {}
        self._recorded_at = 0.0
        self._is_closing = False
        for run in self.all():
            if run.is_active:  # when the server ended
                run.cut_off()

    def shown(self, run: Run) -> dict[str, Any]:
        """A run as the page sees it."""
        return run.shown(self._waiting().index(run) + 1 if run.state == "queued" else 0)

    def _waiting(self) -> list[Run]:
        return [run for run in self.all() if run.state == "queued"]

    def folder_of(self, run: Run) -> Path:
        """Where the release of a run is, or is going to be."""
        return self.folder(run.id) / "release"

    def protected_file(self, run: Run) -> Path | None:
        """The file with the ties that must stay, if there are any."""
        file = self.folder(run.id) / PROTECTED
        return file if file.is_file() else None

    def queue(self, **what: Any) -> Run:
        """Put a run into the queue; an error if that is full."""
        self._check_room()
        run = Run(id=new_id(), **what)
        folder, protected = self.add(run), run.options.get("protect", "").strip()
        policy = run.options.get("policy")
        texts = {PROTECTED: protected and f"{protected}\n", POLICY: policy and policy_file(policy)[1]}
        for name, text in texts.items():
            if text:
                write_whole(text.encode(errors="backslashreplace"), folder / name, private=True)
        self._note(run)
        self.start_next()
        return run

    def start_next(self) -> None:
        """Start the first that waits, unless one runs."""
        is_busy = self._is_closing or self._children or any(run.is_active for run in self.all())
        waiting = [] if is_busy else self._waiting()
        if waiting:
            self._start(waiting[0])
            for other in waiting[1:]:  # each has moved up
                self._tell(other)

    def ask(self, run: Run, word: str) -> None:
        """Do what the user wants of a run; an error if that cannot be done now."""
        if word not in run.can:
            raise busy(f"This cannot be done with a run that is {run.state}.")
        if word == "resume":
            self._check_room()
            run.state, run.resumed, run.ended, run.doing = "queued", True, None, "waiting"
            self._note(run)
            self.start_next()
        elif word == "cancel":
            run.end("cancelled")
            self._note(run)
            if run.id in self._children:
                self._children[run.id].kill()
        else:
            self._children[run.id].order({"do": word})

    def remove(self, name: str) -> None:
        """Delete a run and its release."""
        if self.get(name).is_active:
            raise busy("This run is not over; cancel it first.")
        if name in self._children:  # its process is about to end
            self._children[name].kill()
        super().remove(name)
        self.events.tell("run-gone", name, {"id": name})

    async def close(self) -> None:
        """Have running searches keep their best, and end all processes; what takes too long is killed."""
        self._is_closing = True
        children = list(self._children.values())
        for child in children:
            child.order({"do": "leave"})
            child.let_go()
        with suppress(TimeoutError):
            async with asyncio.timeout(SECONDS_TO_LEAVE):
                for child in children:
                    await child.has_ended.wait()
        for child in children:
            child.kill()
        for run in filter(lambda each: each.is_active, self.all()):
            run.cut_off()
            self._note(run)

    def _check_room(self) -> None:
        """Raise if no more runs may wait."""
        if len(self._waiting()) >= MOST_WAITING:
            raise busy(
                f"{MOST_WAITING} runs wait already, the most that the queue takes. Wait until one has begun, "
                f"or cancel one; for many runs at once there is netveil experiment."
            )

    def _start(self, run: Run) -> None:
        run.state, run.started, run.doing = "starting", now(), "starting"
        child = WorkerProcess(lambda message: self._hear(run, message), lambda: self._ended(run))
        self._children[run.id] = child
        protected, policy = self.protected_file(run), run.options.get("policy")
        own = self.folder(run.id) / POLICY
        files = {
            "folder": str(self.folder_of(run)),
            "protect": protected and str(protected),
            "policy": policy and (str(own) if own.is_file() else policy_file(policy)[0]),
        }
        asked = {name: getattr(run, name) for name in IN_ORDERS}
        child.order({"id": 0, "do": "make", "network": run.given, **files, **asked})
        self._note(run)

    def _hear(self, run: Run, message: Message) -> None:
        """Note what the process of a run tells."""
        if run.state == "cancelled":
            return
        told = message.get("told", {})
        if "progress" in told:
            point = run.add_progress(told["progress"])
            self.events.tell("progress", run.id, {"id": run.id, "progress": run.progress, "point": point})
            if time.monotonic() - self._recorded_at > SECONDS_BETWEEN_RECORDS:
                self._write(run)
            return
        if "error" in message:
            run.end("failed", message["error"]["message"])
        elif "result" in message:
            run.figures = message["result"]
            run.end("done")
        run.announced += [told["announced"]] if "announced" in told else []
        run.state, run.doing = told.get("state", run.state), told.get("doing", run.doing)
        self._note(run)
        if run.state == "done":
            self.on_done(run)
        if "told" not in message:
            self._children[run.id].let_go()

    def _ended(self, run: Run) -> None:
        """Note that the process of a run has ended, as it should or not."""
        self._children.pop(run.id, None)
        unfinished = self.folder(run.id) / ".release.unfinished"
        if run.state == "cancelled":  # nothing is kept of it but its record
            shutil.rmtree(unfinished, ignore_errors=True)
            shutil.rmtree(self.folder_of(run), ignore_errors=True)
        elif run.is_active and not self._is_closing:
            run.end("failed", GONE)
            if (unfinished / "best.json").is_file():
                run.cut_off()
            self._note(run)
        self.start_next()

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
            self.write(run)


LARGEST_UPLOAD = 100 << 20


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
