"""Published networks: the folder, the cache, and downloads from a server on this machine.

It publishes a small network well and in all the wrong ways: what is good is kept, what is wrong is told.
"""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import json
import re
import sys
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar, NamedTuple
from urllib.parse import urlsplit

import platformdirs
import pytest

import netveil.fetching as fetching
from graphs import SHARED_NETWORKS, needs_shared
from netveil.cli import main
from netveil.errors import FileError, NetveilError, NetworkError, SettingError
from netveil.fetching import CATALOGUE, FetchableNetwork, cache_folder, fetch, find_network
from netveil.files import FORMATS, read, write
from netveil.opening import BUILTIN
from waiting import HANG

# A square with a tail: the corner with three neighbours and the end of the tail are unique.
TINY = b"# a small network\n1 2\n2 3\n3 4\n4 1\n1 5\n5 5\n2 1\n"
NODES, EDGES, UNIQUE = 5, 5, 2
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


DIGEST = hashlib.sha256(TINY).hexdigest()


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The address of the server."""
    with running_server() as address:
        yield address


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, no folder of data, no proxy, and bounds that only what is endless reaches."""
    monkeypatch.setenv("NETVEIL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.delenv("NETVEIL_DATA", raising=False)
    for name, bound in {"SILENCE": HANG, "SECONDS": HANG, "MOST_BYTES": 10_000}.items():
        monkeypatch.setattr(fetching, name, bound)
    Pages.asked.clear()
    return tmp_path / "cache"


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder of data."""
    folder = tmp_path / "data"
    folder.mkdir()
    monkeypatch.setenv("NETVEIL_DATA", str(folder))
    return folder


@pytest.mark.parametrize(("path", "member"), [
    ("/tiny.txt", None),
    ("/tiny.txt.gz", None),
    ("/tiny.zip", "tiny.txt"),
    ("/tiny.tar.bz2", "out.tiny"),
    ("/moved.txt", None),
])  # fmt: skip
def test_a_good_file_is_read_checked_and_kept(
    server: str, cache: Path, monkeypatch: pytest.MonkeyPatch, path: str, member: str | None
) -> None:
    """Packed or not, redirected or not; the cache has the text as published, and its SHA-256."""
    catalogued(monkeypatch, tiny(server + path, member))
    heard: list[tuple[int, int | None]] = []
    found = fetch("tiny", progress=lambda done, total: heard.append((done, total)))

    assert heard[-1] == (len(Pages.files.get(path, TINY)),) * 2
    assert (found.network.name, found.network.node_count, found.network.edge_count) == ("tiny", NODES, EDGES)
    assert (found.place, found.file) == ("address", cache / "tiny.txt")
    assert {path.name for path in cache.iterdir()} == {"tiny.txt", "tiny.json"}
    assert found.file.read_bytes() == TINY
    record = json.loads((cache / "tiny.json").read_text())
    assert record["sha256"] == hashlib.sha256(TINY).hexdigest() == found.network.sha256
    assert record["address"] == server + path


def test_the_second_time_nobody_is_asked(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    catalogued(monkeypatch, tiny(f"{server}/tiny.txt"))
    first = find_network("tiny")

    assert fetch("tiny").place == "cache"
    assert find_network("tiny", download=False) == find_network("tiny") == first
    assert Pages.asked == ["/tiny.txt"]


def test_a_damaged_file_in_the_cache_is_fetched_again(
    server: str, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its SHA-256 is not that of the record; so is one without a record, and a record that is none."""
    catalogued(monkeypatch, tiny(f"{server}/tiny.txt"))
    fetch("tiny")

    (cache / "tiny.txt").write_bytes(TINY + b"1 3\n")
    assert fetch("tiny").place == "address"
    (cache / "tiny.json").unlink()
    assert fetch("tiny").place == "address"
    (cache / "tiny.json").write_text("[]")
    assert fetch("tiny").place == "address"
    assert fetch("tiny").place == "cache"


def test_a_file_with_another_checksum_is_not_taken(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    catalogued(monkeypatch, replace(tiny(f"{server}/tiny.txt"), sha256="0" * 64))
    with pytest.raises(NetworkError, match=f"its SHA-256 is {DIGEST}, and that of the published file 0000"):
        fetch("tiny")
    catalogued(monkeypatch, replace(tiny(f"{server}/tiny.txt"), sha256=DIGEST))

    assert fetch("tiny").checksum == "as published"


def test_a_later_download_is_held_against_the_first(
    server: str, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file with the same counts passes once, and is said to be unchecked; another one later does not."""
    catalogued(monkeypatch, tiny(f"{server}/tiny.txt"))
    first = fetch("tiny")
    (cache / "tiny.txt").unlink()
    again = fetch("tiny")
    monkeypatch.setitem(Pages.files, "/tiny.txt", TINY + b"# the same ties\n")
    (cache / "tiny.txt").unlink()

    assert (first.checksum, again.checksum) == ("not known", "as fetched before")
    with pytest.raises(
        NetworkError, match=rf"and was {DIGEST} when tiny was fetched before. .* delete .*tiny.json"
    ):
        fetch("tiny")
    (cache / "tiny.json").unlink()
    assert fetch("tiny").checksum == "not known"


def test_without_leave_to_download_nobody_is_asked(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    catalogued(monkeypatch, tiny(f"{server}/tiny.txt"))
    with pytest.raises(FileError) as raised:
        find_network("tiny", download=False)

    with pytest.raises(SettingError, match=r"unknown network 'grcq': did you mean grqc\?"):
        find_network("grcq")
    for part in ("`netveil networks fetch tiny`", f"{server}/tiny.txt", "tiny.txt into", "NETVEIL_DATA"):
        assert part in str(raised.value)
    assert Pages.asked == []


def test_a_cache_that_cannot_be_written_is_told(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "taken").write_text("")
    monkeypatch.setenv("NETVEIL_CACHE", str(tmp_path / "taken" / "cache"))
    catalogued(monkeypatch, tiny(f"{server}/tiny.txt"))

    with pytest.raises(NetveilError, match="Set NETVEIL_CACHE to a folder"):
        fetch("tiny")


def test_the_command_fetches_and_others_take_the_name(
    server: str, cache: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fetched, then in the cache, then measured by its name; a failure beside it gives exit code 2."""
    catalogued(monkeypatch, tiny(f"{server}/tiny.txt"))
    first, second = (netveil(capsys, "networks", "fetch", "tiny") for _ in range(2))
    row = json.loads(netveil(capsys, "networks", "fetch", "tiny", "--json").out)["networks"][0]
    measured = json.loads(netveil(capsys, "measure", "tiny", "--json").out)

    assert (first.code, first.err) == (second.code, second.err) == (0, "")
    assert (
        first.out == f"tiny: 5 nodes, 5 edges, 2 unique nodes, as expected; fetched: {cache / 'tiny.txt'}; "
        f"not checked against a known checksum; its SHA-256 is {DIGEST}\n"
    )
    assert "already in the cache" in second.out
    assert (row["place"], row["unique"], row["checksum"]) == ("cache", UNIQUE, "as fetched before")
    assert (measured["network"], measured["nodes"], measured["unique"]) == ("tiny", NODES, UNIQUE)

    (cache / "tiny.json").unlink()
    catalogued(monkeypatch, tiny(f"{server}/missing.txt"))
    failed = netveil(capsys, "networks", "fetch", "tiny")
    assert (failed.code, failed.out, failed.err.count("\n")) == (2, "", 1)
    assert failed.err.startswith("netveil: tiny: ") and "404" in failed.err


IMPATIENT = {"/slow.txt": ("SILENCE", 0.2), "/silent.txt": ("SILENCE", 0.2), "/dribble.txt": ("SECONDS", 0.5)}
"""Bounds that must be reached, by path: what is not slow has all the time it needs."""


@pytest.mark.parametrize(("path", "member", "what"), [
    ("/truncated.txt", None, "broke off after 20 of 46 bytes"),
    ("/missing.txt", None, "answered 404 (Not Found)"),
    ("/slow.txt", None, "sent nothing for 0.2 seconds"),
    ("/silent.txt", None, "sent nothing for 0.2 seconds"),
    ("/dribble.txt", None, "took more than 0.5 seconds"),
    ("/endless.txt", None, "has more than the 10,000 bytes that are allowed"),
    ("/huge.txt", None, "has more than the 10,000 bytes that are allowed"),
    ("/to-a-file.txt", None, "answered 302"),
    ("/to-plain-http.txt", None, "answered 302"),
    ("/digits.txt", None, "has more than the 10,000 bytes that are allowed"),
    ("/coloured.txt", None, "answered 404 (\\x1b[31mNo)"),
    # Files that are something else.
    ("/cut.txt.gz", None, "is damaged or no .gz file at all"),
    ("/bent.txt.gz", None, "is damaged or no .gz file at all"),
    ("/plain.txt.gz", None, "is damaged or no .gz file at all"),
    ("/bomb.txt.gz", None, "unpacks to more than 100,000"),
    ("/cut.zip", "tiny.txt", "is damaged, cut off or no archive at all"),
    ("/bomb.zip", "tiny.txt", "unpacks to more than 100,000"),
    ("/tiny.zip", "big.txt", "does not hold big.txt; it holds ../../elsewhere/readme.txt, "),
    ("/cut.tar.bz2", "out.tiny", "is damaged or no .bz2 file at all"),
    ("/named.zip", "tiny.txt", "does not hold tiny.txt; it holds \\x1b]0;xxx"),
    ("/tiny.tar.bz2", "out.link", "does not hold out.link; it holds tiny/meta.tiny, tiny/out.tiny."),
    ("/page.txt", None, "is a web page (HTML or SVG), which holds no network"),
    ("/page.zip", "tiny.txt", "is damaged, cut off or no archive at all"),
    ("/words.txt", None, "line 2: expected two node labels, found one"),
])  # fmt: skip
def test_what_can_be_wrong_with_a_download(
    server: str, cache: Path, monkeypatch: pytest.MonkeyPatch, path: str, member: str | None, what: str
) -> None:
    """One line with the address and what happened, and of a server also what to do; nothing is kept."""
    catalogued(monkeypatch, tiny(server + path, member))
    monkeypatch.setenv("NETVEIL_LARGEST_FILE", "100000")
    monkeypatch.setattr(fetching, *IMPATIENT.get(path, ("SILENCE", HANG)))
    with pytest.raises(FileError) as raised:
        fetch("tiny")
    told = str(raised.value)

    assert f"{server}{path}" in told and what in told
    assert not told.startswith("tiny: ") or told.endswith("and set NETVEIL_DATA to that folder.")
    assert len(told) < 2100 and "\x1b" not in told
    assert not cache.exists()


@pytest.mark.parametrize(("path", "counts", "told"), [
    ("/other.txt", {}, "expected 5 nodes, 5 edges, found 3 nodes, 2 edges"),
    ("/tiny.txt", {"nodes": 6}, "expected 6 nodes, 5 edges, found 5 nodes, 5 edges"),
    ("/tiny.txt", {"edges": 7}, "expected 5 nodes, 7 edges, found 5 nodes, 5 edges"),
    ("/tiny.txt", {"unique": 3}, f"3 unique nodes, found 5 nodes, 5 edges, {UNIQUE} unique"),
])  # fmt: skip
def test_another_network_is_not_taken_for_the_one_meant(
    server: str, cache: Path, monkeypatch: pytest.MonkeyPatch, path: str, counts: dict[str, Any], told: str
) -> None:
    """Each of the three numbers counts; the error has what was expected and what was found."""
    catalogued(monkeypatch, replace(tiny(server + path), **counts))
    with pytest.raises(NetworkError) as raised:
        fetch("tiny")

    assert f"{path} is not tiny: expected" in str(raised.value) and told in str(raised.value)
    assert not cache.exists()


@pytest.mark.parametrize(("address", "what"), [
    ("http://127.0.0.1:9/tiny.txt", r"tiny: http://127.0.0.1:9/tiny.txt cannot be reached \("),
    ("file:///etc/hostname", r"is no safe address of the web \(https\)"),
    ("http://example.org/tiny.txt", r"is no safe address of the web \(https\)"),
])  # fmt: skip
def test_no_server_at_all(monkeypatch: pytest.MonkeyPatch, address: str, what: str) -> None:
    catalogued(monkeypatch, tiny(address))
    with pytest.raises(FileError, match=what):
        fetch("tiny")


# The folder of data, the catalogue, and the list that the command prints.


UNREACHABLE = "http://127.0.0.1:9"
SIZES = {
    "fb-reed98": (962, 18_812, 748),
    "blogs": (1_224, 16_715, 598),
    "fb-simmons": (1_518, 32_988, 1_192),
    "college-msg": (1_899, 13_838, 454),
    "grqc": (5_242, 14_484, 285),
}


@pytest.mark.parametrize(("file", "content"), [
    ("tiny.txt", TINY),
    ("tiny.csv", TINY.replace(b" ", b",")),
    ("TINY.Edges", TINY),
    # These bytes are part of the test's name, and workers must agree on it: no time of day in them.
    ("tiny.txt.gz", gzip.compress(TINY, mtime=0)),
    ("tiny.zip", zipped({"any/out.tiny": TINY})),
    ("download.tiny.tar.bz2", bz2.compress(tarred({"tiny/out.tiny": TINY}))),
    ("out.tiny", TINY),
    ("tiny.mtx", b"%%MatrixMarket matrix coordinate pattern symmetric\n5 5 5\n2 1\n3 2\n4 3\n4 1\n5 1\n"),
])  # fmt: skip
def test_a_file_may_have_the_networks_name_or_that_of_its_home(
    data: Path, monkeypatch: pytest.MonkeyPatch, file: str, content: bytes
) -> None:
    monkeypatch.setitem(CATALOGUE, "tiny", tiny(f"{UNREACHABLE}/files/download.tiny.tar.bz2", "out.tiny"))
    (data / file).write_bytes(content)
    found = fetch("tiny")

    assert (found.place, found.file) == ("NETVEIL_DATA", data / file)
    assert (found.network.node_count, found.network.edge_count) == (5, 5)
    assert find_network("tiny", download=False) == found.network
    assert not cache_folder().exists()


def test_the_folder_is_tried_before_the_cache_and_the_address(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(CATALOGUE, "tiny", tiny(f"{UNREACHABLE}/tiny.txt.gz"))
    (data / "tiny.txt").write_bytes(b"1 2\n")

    with pytest.raises(
        NetworkError, match=r"tiny.txt is not tiny: expected 5 nodes, 5 edges, found 2 nodes, 1"
    ):
        fetch("tiny")


def test_what_is_in_the_folder_under_other_names(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An archive of which nobody knows what is meant; a file unpacked already; no folder at all."""
    monkeypatch.setitem(CATALOGUE, "tiny", tiny(f"{UNREACHABLE}/Published.txt.gz"))
    (data / "tiny.zip").write_bytes(zipped({"a.txt": TINY}))
    with pytest.raises(FileError, match=r"tiny.zip is an archive, and a single file is wanted. Unpack it fi"):
        fetch("tiny")
    (data / "tiny.zip").unlink()
    (data / "published.txt").write_bytes(TINY)

    assert fetch("tiny").file == data / "published.txt"
    monkeypatch.setenv("NETVEIL_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(SettingError, match=r"NETVEIL_DATA = .*nowhere: there is no such folder"):
        find_network("grqc")


def test_the_cache_is_where_the_system_keeps_caches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    monkeypatch.delenv("NETVEIL_CACHE")
    if sys.platform == "linux":
        assert cache_folder() == Path("/somewhere/netveil/networks")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == platformdirs.user_cache_path("netveil", False, opinion=False) / "networks"
    monkeypatch.setenv("NETVEIL_CACHE", "/mine")
    assert cache_folder() == Path("/mine")


@pytest.mark.quick(2)
@needs_shared
@pytest.mark.parametrize("name", [*SIZES, "arenas-email", "netscience"])
def test_networks_that_are_here_are_as_published(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """The paper's with nodes, edges and unique nodes of Table 1, from a folder with files under their names.

    The rest of the catalogue cannot be checked on machines without internet.
    """
    monkeypatch.setenv("NETVEIL_DATA", str(SHARED_NETWORKS))
    known = CATALOGUE[name]
    network = find_network(name, download=False)

    assert (known.nodes, known.edges, known.unique) == SIZES.get(name, (known.nodes, known.edges, None))
    assert (network.name, network.node_count, network.edge_count) == (name, known.nodes, known.edges)


@pytest.mark.quick(1)
@needs_shared
@pytest.mark.parametrize("name", ["fb-reed98", "blogs", "grqc"])
def test_the_papers_networks_as_their_homes_publish_them(data: Path, name: str) -> None:
    """In the archives of Network Repository and KONECT, and as SNAP has it, made from files here."""
    known = CATALOGUE[name]
    if name == "fb-reed98":
        write(read(SHARED_NETWORKS / "fb-reed98.txt"), data / "matrix.mtx")
        archive = zipped({"readme.html": b"<html>", "socfb-Reed98.mtx": (data / "matrix.mtx").read_bytes()})
    elif name == "blogs":
        raw = (SHARED_NETWORKS / "raw" / "moreno_blogs.txt").read_bytes()
        archive = bz2.compress(tarred({"moreno_blogs/out.moreno_blogs": b"% asym positive\n" + raw}))
    else:
        archive = gzip.compress((SHARED_NETWORKS / "raw" / "CA-GrQc.txt").read_bytes())
    (data / known.file_name).write_bytes(archive)

    assert find_network(name, download=False).edge_count == known.edges


@pytest.mark.parametrize("name", CATALOGUE)
def test_every_entry_of_the_catalogue_is_complete(name: str) -> None:
    known = CATALOGUE[name]
    address = urlsplit(known.address)

    assert known.name == name and re.fullmatch("[a-z0-9-]+", name) and name not in BUILTIN
    # Whoever is on the way of a download by http can put another file in its place.
    assert address.scheme == "https" and address.hostname and known.file_name
    assert known.format in FORMATS
    assert (known.member is not None) == known.file_name.endswith((".zip", ".tar.bz2"))
    assert known.title.endswith(".") and known.citation
    assert 0 < known.nodes < known.edges <= known.nodes * (known.nodes - 1) / 2
    assert (known.unique is not None) == (name in SIZES)
    assert [other for other in CATALOGUE if CATALOGUE[other].address == known.address] == [name]


def test_the_list_has_sizes_sources_and_whereabouts(
    data: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(CATALOGUE, "tiny", tiny(f"{UNREACHABLE}/tiny.txt"))
    (data / "tiny.txt").write_bytes(TINY)
    said = netveil(capsys, "networks")
    document = json.loads(netveil(capsys, "networks", "--json").out)

    assert (said.code, said.err) == (0, "")
    assert "tiny            Five people. 5 nodes, 5 edges; in NETVEIL_DATA." in said.out
    assert re.search(r"^grqc .* 5,242 nodes, 14,484 edges; not fetched yet\.$", said.out, re.MULTILINE)
    assert [row["name"] for row in document["networks"]] == list(BUILTIN)
    rows = {row["name"]: row for row in document["fetchable"]}
    assert rows.keys() == CATALOGUE.keys()
    assert (rows["tiny"]["available"], rows["tiny"]["place"]) == (True, "NETVEIL_DATA")
    assert (rows["grqc"]["available"], rows["grqc"]["place"], rows["grqc"]["unique"]) == (
        False,
        "address",
        285,
    )


@pytest.mark.parametrize(("arguments", "lines"), [
    ("fetch", ["give the names of networks, or --all; `netveil networks` lists them."]),
    ("fetch grqc --all", ["give the names of networks, or --all"]),
    ("fetch grqc blog", ["unknown network 'blog': did you mean blogs?"]),
    ("fetch nosuch grq karate", ["network 'nosuch'", "mean grqc?", "'karate' is built in; it needs no"]),
    ("fetsh", ["No such command 'fetsh'."]),
])  # fmt: skip
def test_what_cannot_be_fetched(capsys: pytest.CaptureFixture[str], arguments: str, lines: list[str]) -> None:
    said = netveil(capsys, "networks", *arguments.split())

    assert (said.code, said.out) == (2, "")
    assert all(what in line for what, line in zip(lines, said.err.splitlines(), strict=True))


def test_a_failure_does_not_stop_the_others(
    data: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in list(CATALOGUE):
        monkeypatch.delitem(CATALOGUE, name)
    monkeypatch.setitem(CATALOGUE, "absent", replace(tiny(f"{UNREACHABLE}/absent.txt"), name="absent"))
    monkeypatch.setitem(CATALOGUE, "tiny", tiny(f"{UNREACHABLE}/tiny.txt"))
    (data / "tiny.txt").write_bytes(TINY)
    said = netveil(capsys, "networks", "fetch", "--all")

    assert (said.code, said.err.count("\n"), said.out.count("\n")) == (2, 1, 1)
    assert said.err.startswith(f"netveil: absent: {UNREACHABLE}/absent.txt cannot be reached")
    assert said.out.startswith("tiny: 5 nodes, 5 edges")
    assert netveil(capsys, "networks", "fetch", "tiny").code == 0
