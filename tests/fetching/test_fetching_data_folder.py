"""NETVEIL_DATA, the catalogue, and the list that the command prints."""

from __future__ import annotations

import bz2
import gzip
import json
import re
import sys
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import platformdirs
import pytest
from local_server import TINY, netveil, tarred, tiny, zipped

from graphs import SHARED_NETWORKS, needs_shared
from netveil.errors import FileError, NetworkError, SettingError
from netveil.fetching import CATALOGUE, cache_folder, fetch, find_network
from netveil.files import FORMATS, read, write
from netveil.opening import BUILTIN

UNREACHABLE = "http://127.0.0.1:9"
SIZES = {
    "fb-reed98": (962, 18_812, 748),
    "blogs": (1_224, 16_715, 598),
    "fb-simmons": (1_518, 32_988, 1_192),
    "college-msg": (1_899, 13_838, 454),
    "grqc": (5_242, 14_484, 285),
}


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder of data and an empty cache."""
    folder = tmp_path / "data"
    folder.mkdir()
    monkeypatch.setenv("NETVEIL_DATA", str(folder))
    monkeypatch.setenv("NETVEIL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("no_proxy", "*")
    return folder


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
    """Packed or not, in any format, and nothing goes into the cache."""
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
    """A wrong file in it is an error and no reason to look elsewhere."""
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
    """NETVEIL_CACHE before all, then XDG_CACHE_HOME, then the home folder."""
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
    """Its name can be typed, its address is one of the web, and its format is known."""
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
    """For a reader and, with --json, for a program."""
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
    """One line each, told before anything is fetched."""
    said = netveil(capsys, "networks", *arguments.split())

    assert (said.code, said.out) == (2, "")
    assert all(what in line for what, line in zip(lines, said.err.splitlines(), strict=True))


def test_a_failure_does_not_stop_the_others(
    data: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line each, of success or failure, and exit code 2."""
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
