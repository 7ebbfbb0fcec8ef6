"""What a server can do wrong, and what a file can be instead of the network that is meant."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from local_server import SMALL, UNIQUE, Pages, catalogued, running_server, tiny

from netveil.errors import FileError, NetworkError
from netveil.fetching import fetch

IMPATIENT = {
    "/slow.txt": replace(SMALL, silence=0.2),
    "/silent.txt": replace(SMALL, silence=0.2),
    "/dribble.txt": replace(SMALL, seconds=0.5),
}
"""Limits that must be reached, by path: what is not slow has all the time it needs."""


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


@pytest.mark.parametrize(
    ("path", "member", "what"),
    [
        ("/truncated.txt", None, "broke off after 20 of 46 bytes"),
        ("/missing.txt", None, "answered 404 (Not Found)"),
        ("/slow.txt", None, "sent nothing for 0.2 seconds"),
        ("/silent.txt", None, "sent nothing for 0.2 seconds"),
        ("/dribble.txt", None, "took more than 0.5 seconds"),
        ("/endless.txt", None, "has more than the 10,000 bytes that are allowed"),
        ("/huge.txt", None, "has more than the 10,000 bytes that are allowed"),
        ("/page.txt", None, "sent a web page instead of the file"),
        ("/page.zip", "tiny.txt", "sent a web page instead of the file"),
        ("/to-a-file.txt", None, "answered 302"),
        ("/to-plain-http.txt", None, "answered 302"),
        ("/digits.txt", None, "has more than the 10,000 bytes that are allowed"),
        ("/coloured.txt", None, "answered 404 (\\x1b[31mNo)"),
    ],
)
def test_what_a_server_can_do_wrong(
    server: str, cache: Path, monkeypatch: pytest.MonkeyPatch, path: str, member: str | None, what: str
) -> None:
    """One line with name, address, what happened and what to do; nothing is kept."""
    catalogued(monkeypatch, tiny(server + path, member))
    with pytest.raises(FileError) as raised:
        fetch("tiny", IMPATIENT.get(path, SMALL))

    assert str(raised.value).startswith(f"tiny: {server}{path} {what}")
    assert str(raised.value).endswith(f"or put {path[1:]} into a folder and set NETVEIL_DATA to that folder.")
    assert not cache.exists()


@pytest.mark.parametrize(
    ("path", "member", "what"),
    [
        ("/cut.txt.gz", None, "is damaged, cut off or no .gz file at all"),
        ("/bent.txt.gz", None, "is damaged, cut off or no .gz file at all"),
        ("/plain.txt.gz", None, "is damaged, cut off or no .gz file at all"),
        ("/bomb.txt.gz", None, "unpacks to more than the 100,000 bytes that are allowed"),
        ("/cut.zip", "tiny.txt", "is damaged, cut off or no .zip file at all"),
        ("/bomb.zip", "tiny.txt", "unpacks to more than the 100,000 bytes that are allowed"),
        ("/tiny.zip", "big.txt", "does not hold big.txt; it holds ../../elsewhere/readme.txt, "),
        ("/cut.tar.bz2", "out.tiny", "is damaged, cut off or no .bz2 file at all"),
        ("/named.zip", "tiny.txt", "does not hold tiny.txt; it holds \\x1b]0;xxx"),
        ("/tiny.tar.bz2", "out.link", "does not hold out.link; it holds tiny/meta.tiny, tiny/out.tiny."),
        ("/words.txt", None, "line 2: expected two node labels, found one"),
    ],
)
def test_what_a_file_can_be_instead(
    server: str, cache: Path, monkeypatch: pytest.MonkeyPatch, path: str, member: str | None, what: str
) -> None:
    """Damaged, far too large once unpacked, without the member, or no network: nothing is kept."""
    catalogued(monkeypatch, tiny(server + path, member))
    with pytest.raises(FileError) as raised:
        fetch("tiny", SMALL)

    assert str(raised.value).startswith(server + path) and what in str(raised.value)
    assert len(str(raised.value)) < 2100 and "\x1b" not in str(raised.value)
    assert not cache.exists()


@pytest.mark.parametrize(
    ("path", "counts", "expected", "found"),
    [
        ("/other.txt", {}, "5 nodes, 5 edges", "3 nodes, 2 edges"),
        ("/tiny.txt", {"nodes": 6}, "6 nodes, 5 edges", "5 nodes, 5 edges"),
        ("/tiny.txt", {"edges": 7}, "5 nodes, 7 edges", "5 nodes, 5 edges"),
        (
            "/tiny.txt",
            {"unique": 3},
            "5 nodes, 5 edges, 3 unique nodes",
            f"5 nodes, 5 edges, {UNIQUE} unique",
        ),
    ],
)
def test_another_network_is_not_taken_for_the_one_meant(
    server: str,
    cache: Path,
    monkeypatch: pytest.MonkeyPatch,
    path: str,
    counts: dict[str, Any],
    expected: str,
    found: str,
) -> None:
    """Each of the three numbers counts; the error has what was expected and what was found."""
    catalogued(monkeypatch, replace(tiny(server + path), **counts))
    with pytest.raises(NetworkError) as raised:
        fetch("tiny")

    assert f"{path} is not tiny: expected {expected}, found {found}" in str(raised.value)
    assert not cache.exists()


def test_no_server_at_all(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A port where nobody listens, and an address that is none of the web."""
    catalogued(monkeypatch, tiny("http://127.0.0.1:9/tiny.txt"))
    with pytest.raises(FileError, match=r"tiny: http://127.0.0.1:9/tiny.txt cannot be reached \("):
        fetch("tiny", SMALL)
    catalogued(monkeypatch, tiny("file:///etc/hostname"))
    with pytest.raises(FileError, match=r"is no safe address of the web \(https\)"):
        fetch("tiny", SMALL)
    catalogued(monkeypatch, tiny("http://example.org/tiny.txt"))
    with pytest.raises(FileError, match=r"is no safe address of the web \(https\)"):
        fetch("tiny", SMALL)
