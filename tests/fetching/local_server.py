"""A web server on this machine that publishes a small network well and in all the wrong ways."""

from __future__ import annotations

import bz2
import gzip
import io
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar, NamedTuple

import pytest

from netveil.cli import main
from netveil.fetching import CATALOGUE, DownloadLimits, FetchableNetwork
from waiting import HANG

# A square with a tail: the corner with three neighbours and the end of the tail are unique.
TINY = b"# a small network\n1 2\n2 3\n3 4\n4 1\n1 5\n5 5\n2 1\n"
NODES, EDGES, UNIQUE = 5, 5, 2
SMALL = DownloadLimits(silence=HANG, seconds=HANG, downloaded=10_000)
PAGE = b"\n<!DOCTYPE html><html><body>Please log in.</body></html>"


def zipped(members: dict[str, bytes]) -> bytes:
    """A zip archive of these files."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return packed.getvalue()


def tarred(members: dict[str, bytes]) -> bytes:
    """A tar archive of these files, and a link to a file of the system under the name `out.link`."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
        link = tarfile.TarInfo("tiny/out.link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/hostname"
        archive.addfile(link)
    return packed.getvalue()


def tiny(address: str, member: str | None = None) -> FetchableNetwork:
    """The catalogue's entry of the small network at an address."""
    return FetchableNetwork(
        name="tiny",
        title="Five people.",
        address=address,
        member=member,
        nodes=NODES,
        edges=EDGES,
        unique=UNIQUE,
        citation="nobody",
    )


class Said(NamedTuple):
    """How a command ended and what it printed."""

    code: int
    out: str
    err: str


def netveil(capsys: pytest.CaptureFixture[str], *arguments: str) -> Said:
    """Run a command."""
    capsys.readouterr()
    code = main(arguments)
    return Said(code, *capsys.readouterr())


REDIRECTIONS = {
    "/moved.txt": "/tiny.txt",
    "/to-a-file.txt": "file:///etc/hostname",
    "/to-plain-http.txt": "http://example.org/tiny.txt",
}


class Pages(BaseHTTPRequestHandler):
    """What the server has, by path."""

    asked: ClassVar[list[str]] = []
    ready: ClassVar[threading.Event] = threading.Event()  # set when the slow may end
    files: ClassVar[dict[str, bytes]] = {
        "/tiny.txt": TINY,
        "/tiny.txt.gz": gzip.compress(TINY),
        "/cut.txt.gz": gzip.compress(TINY)[:-6],
        "/bent.txt.gz": gzip.compress(TINY)[:-8] + bytes(8),
        "/plain.txt.gz": TINY,
        "/bomb.txt.gz": gzip.compress(bytes(5_000_000)),
        "/tiny.zip": zipped({"../../elsewhere/readme.txt": b"hello", "../../elsewhere/tiny.txt": TINY}),
        "/cut.zip": zipped({"tiny.txt": TINY})[:-30],
        "/bomb.zip": zipped({"tiny.txt": bytes(5_000_000)}),
        "/tiny.tar.bz2": bz2.compress(tarred({"tiny/meta.tiny": b"hello", "tiny/out.tiny": TINY})),
        "/cut.tar.bz2": bz2.compress(tarred({"tiny/out.tiny": TINY}))[:-10],
        "/named.zip": zipped({"\x1b]0;" + 4000 * "x": b""}),
        "/page.txt": PAGE,
        "/page.zip": PAGE,
        "/other.txt": b"1 2\n2 3\n",
        "/words.txt": b"there is\nnothing\n",
    }

    def do_GET(self) -> None:
        """Answer well, or as the path says."""
        self.asked.append(self.path)
        if self.path in REDIRECTIONS:
            self._send(302, Location=REDIRECTIONS[self.path])
        elif self.path == "/digits.txt":
            self._send(200, length="9" * 5000)
        elif self.path == "/coloured.txt":
            self.send_response(404, "\x1b[31mNo")
            self.end_headers()
        elif self.path in ("/truncated.txt", "/slow.txt"):
            self._send(200, TINY[:20], length=len(TINY))
            if self.path == "/slow.txt":
                self.ready.wait(HANG)
        elif self.path == "/endless.txt":
            self._send(200, TINY * 1000)
        elif self.path == "/huge.txt":
            self._send(200, TINY, length=10**12)
        elif self.path == "/silent.txt":
            self.ready.wait(HANG)
        elif self.path == "/dribble.txt":
            self._send(200, length=10_000)
            while not self.ready.wait(0.05):
                self.wfile.write(b"#")
        elif self.path in self.files:
            self._send(200, self.files[self.path], length=len(self.files[self.path]))
        else:
            self.send_error(404)

    def _send(self, code: int, content: bytes = b"", length: object = None, **headers: str) -> None:
        self.send_response(code)
        for name, value in (headers | ({} if length is None else {"Content-Length": str(length)})).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *arguments: object) -> None:
        """Say nothing."""


class Server(ThreadingHTTPServer):
    """Does not complain when a client hangs up."""

    daemon_threads = True

    def handle_error(self, *arguments: object) -> None:
        """Say nothing."""


@contextmanager
def running_server() -> Iterator[str]:
    """The address of a server that runs meanwhile."""
    Pages.asked.clear()
    Pages.ready.clear()
    with Server(("127.0.0.1", 0), Pages) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            Pages.ready.set()
            server.shutdown()
            thread.join()


def catalogued(monkeypatch: pytest.MonkeyPatch, known: FetchableNetwork) -> None:
    """Put an entry into the catalogue."""
    monkeypatch.setitem(CATALOGUE, known.name, known)
