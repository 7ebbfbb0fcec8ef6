"""Downloads from a server on this machine: what is good is kept, what is wrong is told in one line."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from local_server import EDGES, NODES, SMALL, TINY, UNIQUE, Pages, catalogued, netveil, running_server, tiny

from netveil.errors import FileError, NetveilError, NetworkError, SettingError
from netveil.fetching import fetch, find_network

DIGEST = hashlib.sha256(TINY).hexdigest()


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The address of the server."""
    with running_server() as address:
        yield address


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, no folder of data, and no proxy."""
    monkeypatch.setenv("NETVEIL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.delenv("NETVEIL_DATA", raising=False)
    Pages.asked.clear()
    return tmp_path / "cache"


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
    found = fetch("tiny", SMALL, progress=lambda done, total: heard.append((done, total)))

    assert heard[-1] == (len(Pages.files.get(path, TINY)),) * 2
    assert (found.network.name, found.network.node_count, found.network.edge_count) == ("tiny", NODES, EDGES)
    assert (found.place, found.file) == ("address", cache / "tiny.txt")
    assert {path.name for path in cache.iterdir()} == {"tiny.txt", "tiny.json"}
    assert found.file.read_bytes() == TINY
    record = json.loads((cache / "tiny.json").read_text())
    assert record["sha256"] == hashlib.sha256(TINY).hexdigest() == found.network.sha256
    assert record["address"] == server + path


def test_the_second_time_nobody_is_asked(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cache answers, with and without leave to download."""
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
    """Though its counts are right: the same ties in another order."""
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
    """The error has the command, the address and where to put the file."""
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
    """A file is where the folder should be."""
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


IMPATIENT = {
    "/slow.txt": replace(SMALL, silence=0.2),
    "/silent.txt": replace(SMALL, silence=0.2),
    "/dribble.txt": replace(SMALL, seconds=0.5),
}
"""Limits that must be reached, by path: what is not slow has all the time it needs."""


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
    with pytest.raises(FileError) as raised:
        fetch("tiny", IMPATIENT.get(path, SMALL))
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
    """A port where nobody listens, and addresses that are not safe."""
    catalogued(monkeypatch, tiny(address))
    with pytest.raises(FileError, match=what):
        fetch("tiny", SMALL)
