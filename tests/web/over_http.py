"""`netveil web` as its tests meet it: in this process behind its guard, or as a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
from starlette.testclient import TestClient

from netveil.web.data_folder import DataFolder
from netveil.web.guard import Session
from netveil.web.server import application
from netveil.web.state import PageState
from waiting import HANG, until

PORT = 4711
BASE = f"http://127.0.0.1:{PORT}"

# A label with a script and a name that must be in no log; everybody else is nobody.
NASTY = "<script>alert(1)</script>"
CONTACTS = (
    "who;whom;weight\nZebediah;Anna;1\nAnna;Bob;2\nBob;Zebediah;1\n"
    f"Bob;{NASTY};4\n{NASTY};Cleo;1\nCleo;Dan;1\n"
)


def state_in(folder: Path, **more: Any) -> PageState:
    """The state of a server that keeps its things in a folder."""
    return PageState(DataFolder(folder), Session(PORT), **more)


def client_of(state: PageState, *, let_in: bool = True) -> TestClient:
    """A browser in this process; work is done nowhere, for nothing is started."""
    client = TestClient(application(state), base_url=BASE, follow_redirects=False)
    if let_in:
        assert client.get(state.address.removeprefix(BASE)).status_code == 303
        client.headers["Origin"] = BASE
    return client


def announced(*files: tuple[str, int]) -> dict[str, str]:
    """The header that tells which files a request brings."""
    rows = [{"name": name, "size": size} for name, size in files]
    return {"X-Netveil-Files": quote(json.dumps(rows))}


def bring(client: TestClient, name: str, content: bytes, path: str = "/api/networks") -> Any:
    """The answer to a file that is brought, as a network or to a path."""
    return client.post(path, content=content, headers=announced((name, len(content))))


def bring_folder(browser: TestClient | httpx.Client, files: dict[str, bytes]) -> Any:
    """The answer to a release folder with these files."""
    sizes = announced(*((f"mine/{name}", len(content)) for name, content in files.items()))
    return browser.post("/api/releases", content=b"".join(files.values()), headers=sizes)


def files_in(folder: Path) -> dict[str, bytes]:
    """All files of a folder, by their names in it."""
    return {str(each.relative_to(folder)): each.read_bytes() for each in folder.rglob("*") if each.is_file()}


class Served:
    """A server in a process of its own, and a browser that it let in."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.folder = folder
        self.log = folder.with_name(f"{folder.name}.log")
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "netveil", "web", "--no-browser", "--folder", str(folder), *arguments],
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip()
        if not self.address:
            self.process.communicate()  # or its pipe would be found open in some other test
            raise AssertionError(f"it does not serve: {self.log.read_text()}")
        self.base = self.address.partition("/?")[0]
        # Each request by a connection of its own: the server ends one that is idle, maybe as we ask again.
        limits = httpx.Limits(max_keepalive_connections=0)
        headers = {"Origin": self.base}
        self.browser = httpx.Client(base_url=self.base, headers=headers, timeout=HANG, limits=limits)
        assert self.browser.get(self.address).status_code == 303

    def get(self, path: str) -> Any:
        """The document at a path."""
        answer = self.browser.get(path)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def post(self, path: str, document: Any = None, status: int | tuple[int, ...] = (200, 201)) -> Any:
        """What comes of a request that changes something."""
        answer = self.browser.post(path, json={} if document is None else document)
        assert answer.status_code in ((status,) if isinstance(status, int) else status), answer.text
        return answer.json()

    def upload(self, name: str, content: bytes) -> Any:
        """The record of a network that was uploaded."""
        answer = self.browser.post("/api/networks", content=content, headers=announced((name, len(content))))
        assert answer.status_code == 201, answer.text
        return answer.json()

    def run(self, network: str, **options: Any) -> str:
        """Put a search into the queue; its id."""
        return str(self.post("/api/runs", {"network": network, "options": options})["id"])

    def wait(self, run: str, *states: str) -> Any:
        """Wait until a run is in one of these states; the run."""
        until(lambda: self.get(f"/api/runs/{run}")["state"] in (*states, "failed"), self.process)
        found = self.get(f"/api/runs/{run}")
        assert found["state"] in states, found["error"]
        return found

    def workers(self) -> list[int]:
        """The processes that it has started, where the system tells."""
        place = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return list(map(int, place.read_text().split())) if place.exists() else []

    def end(self, number: int = signal.SIGTERM) -> int:
        """Send a signal, and wait for the end; the exit code, and nothing more was printed."""
        assert self.process.stdout is not None
        workers = self.workers()
        self.browser.close()
        self.process.send_signal(number)
        rest = self.process.stdout.read()
        self.process.stdout.close()
        code = self.process.wait(HANG)
        assert rest == ""
        until(lambda: not any(map(is_alive, workers)))
        return code


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that only waits to be asked how it ended does not."""
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False


@contextmanager
def served(folder: Path, *arguments: str) -> Iterator[Served]:
    """A server for a while."""
    server = Served(folder, *arguments)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.process.kill()
            server.process.wait(HANG)
        if server.process.stdout is not None:
            server.process.stdout.close()
        server.browser.close()


def mode_of(path: Path) -> int:
    """Who may do what with a file."""
    return os.stat(path).st_mode & 0o777  # noqa: PTH116
