"""Downloads from a server on this machine: what is good is kept, what is wrong is told in one line."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from local_server import EDGES, NODES, SMALL, TINY, UNIQUE, Pages, catalogued, netveil, running_server, tiny

from netveil.errors import FileError, NetveilError, NetworkError, SettingError
from netveil.fetching import CATALOGUE, fetch, find_network

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


@pytest.mark.parametrize(
    ("path", "member"),
    [
        ("/tiny.txt", None),
        ("/tiny.txt.gz", None),
        ("/tiny.zip", "tiny.txt"),
        ("/tiny.tar.bz2", "out.tiny"),
        ("/moved.txt", None),
    ],
)
def test_a_good_file_is_read_checked_and_kept(
    server: str, cache: Path, monkeypatch: pytest.MonkeyPatch, path: str, member: str | None
) -> None:
    """Packed or not, redirected or not; the cache has the text as published, and its SHA-256."""
    catalogued(monkeypatch, tiny(server + path, member))
    found = fetch("tiny", SMALL)

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


def test_every_address_of_the_catalogue_is_https() -> None:
    """Whoever is on the way of a download by http can put another file in its place."""
    assert {urlsplit(known.address).scheme for known in CATALOGUE.values()} == {"https"}


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

    for part in ("`netveil networks fetch tiny`", f"{server}/tiny.txt", "tiny.txt into", "NETVEIL_DATA"):
        assert part in str(raised.value)
    assert Pages.asked == []


def test_an_unknown_name_gets_a_suggestion() -> None:
    """From the catalogue."""
    with pytest.raises(SettingError, match=r"unknown network 'grcq': did you mean grqc\?"):
        find_network("grcq")


def test_a_cache_that_cannot_be_written_is_told(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file is where the folder should be."""
    (tmp_path / "taken").write_text("")
    monkeypatch.setenv("NETVEIL_CACHE", str(tmp_path / "taken" / "cache"))
    catalogued(monkeypatch, tiny(f"{server}/tiny.txt"))

    with pytest.raises(NetveilError, match="Set NETVEIL_CACHE to a folder"):
        fetch("tiny")


def test_progress_is_told_on_the_way(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bytes so far and bytes in all, if the server says how many."""
    heard: list[tuple[int, int | None]] = []
    catalogued(monkeypatch, tiny(f"{server}/tiny.txt"))
    fetch("tiny", progress=lambda done, total: heard.append((done, total)))

    assert heard[-1] == (len(TINY), len(TINY))


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
