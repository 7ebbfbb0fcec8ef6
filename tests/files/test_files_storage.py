"""Files as bytes: packed, private, from standard input, and of kinds that hold no network."""

from __future__ import annotations

import hashlib
import io
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from zipfile import ZipFile

import openpyxl
import pytest
from test_files_persons import WHOLE

import netveil as nv
from netveil.cli import main
from netveil.errors import FileError, SettingError
from netveil.files import FORMATS, read, write
from netveil.files.other_kinds import BEGINNINGS
from netveil.files.storage import COMPRESSIONS, store
from netveil.network import Network

EDGE = Network.from_numbered_edges([(0, 1)], 2)

not_root = pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")


def test_a_missing_file_is_named_as_the_user_did(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    with pytest.raises(FileError, match=r"^contacts.csv: there is no such file\. Check"):
        read("contacts.csv")


def test_a_folder_is_no_network(tmp_path: Path) -> None:
    (tmp_path / "a.txt").mkdir()

    with pytest.raises(FileError, match=r"is a folder. Give a file in it"):
        read(tmp_path / "a.txt")
    with pytest.raises(FileError, match="is not a file that can be replaced"):
        write(EDGE, tmp_path / "a.txt", overwrite=True)


@not_root
def test_a_file_without_permission_is_told(tmp_path: Path) -> None:
    write(EDGE, tmp_path / "a.txt")
    (tmp_path / "a.txt").chmod(0)
    with pytest.raises(FileError, match="no permission to read it"):
        read(tmp_path / "a.txt")
    tmp_path.chmod(0o500)
    with pytest.raises(FileError, match="no permission to write there"):
        write(EDGE, tmp_path / "b.txt")


@pytest.mark.parametrize("compression", COMPRESSIONS)
@pytest.mark.parametrize("damage", ["cut", "rubbish", "changed"])
def test_a_damaged_compressed_file_is_told(compression: str, damage: str, tmp_path: Path) -> None:
    path = tmp_path / f"a.txt{compression}"
    write(Network.from_numbered_edges([(0, node) for node in range(1, 99)], 99), path)
    whole = path.read_bytes()
    changed = whole[:-6] + bytes(byte ^ 255 for byte in whole[-6:])
    path.write_bytes({"cut": whole[: len(whole) // 2], "rubbish": b"0 1\n", "changed": changed}[damage])

    with pytest.raises(FileError, match=f"is damaged or no {compression} file at all"):
        read(path)


@pytest.mark.parametrize("file", ["missing/a.txt", "file/a.txt", "a\0.txt", "a" * 300 + ".txt"])
def test_a_file_that_cannot_be_is_told(file: str, tmp_path: Path) -> None:
    """A folder that is not there or is a file, and names that no system takes; in one line each."""
    (tmp_path / "file").write_text("")

    with pytest.raises(FileError) as reading:
        read(tmp_path / file)
    with pytest.raises(FileError) as writing:
        write(EDGE, tmp_path / file)
    assert "\n" not in f"{reading.value}{writing.value}"
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("there", ["file", "folder", "link to nothing"])
def test_what_is_there_is_not_replaced_unasked(tmp_path: Path, there: str) -> None:
    path = tmp_path / "a.txt"
    if there == "file":
        path.write_text("old")
    elif there == "folder":
        path.mkdir()
    else:
        path.symlink_to("nowhere.txt")
    before = path.lstat()

    with pytest.raises(FileError) as caught:
        write(EDGE, path)
    assert (
        str(caught.value) == f"{path} exists already. Give another name, or replace it with overwrite=True."
    )
    assert path.lstat() == before and list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("there", ["old", None])
@pytest.mark.parametrize("failure", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_failure_while_writing_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failure: BaseException, there: str | None
) -> None:
    path = tmp_path / "a.txt"
    if there is not None:
        path.write_text(there)

    def failing(self: Path, target: Path) -> Path:
        raise failure

    monkeypatch.setattr(Path, "replace", failing)
    with pytest.raises((FileError, KeyboardInterrupt)) as caught:
        write(EDGE, path, overwrite=True)
    assert caught.type is KeyboardInterrupt or "No space left on device" in str(caught.value)
    assert [each.read_text() for each in tmp_path.iterdir()] == ([] if there is None else [there])


def test_a_device_is_not_replaced() -> None:
    """As root, replacing /dev/null would succeed and break the machine."""
    with pytest.raises(FileError, match="/dev/null is not a file that can be replaced"):
        store(b"", "/dev/null")


def test_a_new_file_has_the_permissions_that_the_user_set(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("")
    write(EDGE, tmp_path / "a.txt")

    assert (tmp_path / "a.txt").stat().st_mode == (tmp_path / "plain").stat().st_mode


# `-` is standard input: read once, and taken for what it begins like.


PATH = Network.from_numbered_edges([(0, 1), (1, 2)], 4)
RECOGNISED = [name for name, known in FORMATS.items() if known.magic or known.opening]


def content_of(name: str) -> bytes:
    """A file of a format, with ties a-b and b-c or 0-1 and 1-2."""
    if FORMATS[name].is_written:
        return FORMATS[name].write(PATH, "a")
    workbook, written = openpyxl.Workbook(), io.BytesIO()
    for row in (["from", "to"], ["a", "b"], ["b", "c"]):
        workbook.worksheets[0].append(row)
    workbook.save(written)
    return written.getvalue()


@pytest.mark.parametrize("name", ["edge-list", *RECOGNISED])
@pytest.mark.parametrize("compression", ["", *COMPRESSIONS])
def test_it_is_taken_for_what_it_begins_like(
    name: str, compression: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = content_of(name)
    if compression:
        content = COMPRESSIONS[compression].compress(content)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))
    network = nv.read("-")

    assert network.edges.tolist() == [[0, 1], [1, 2]]
    assert network.name == "stdin"
    assert network.sha256 == hashlib.sha256(content).hexdigest()
    assert network.reading is not None and network.reading.format == name


def test_its_format_can_be_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"0;1\n1;0\n")))
    assert nv.read("-", "matrix", separator=";").edge_count == 1

    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"a b\nAnna\n")))
    with pytest.raises(FileError, match=r"^stdin, line 2: expected two node labels"):
        nv.read("-")
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"x")))
    with pytest.raises(SettingError, match="unknown format 'graphlm'"):
        nv.read("-", "graphlm")


@pytest.mark.parametrize("stdin", [None, SimpleNamespace(), io.StringIO("a b")])
def test_there_may_be_none(stdin: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", stdin)

    with pytest.raises(FileError, match=r"no standard input to read here. Give a file instead of -"):
        nv.read("-")


@pytest.fixture
def run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[[str, bytes], tuple[int, str, str]]:
    """A command of netveil with standard input, in an empty folder: how it ends and what it says."""
    monkeypatch.chdir(tmp_path)

    def said(arguments: str, content: bytes) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        capsys.readouterr()
        return main(arguments.split()), *capsys.readouterr()

    return said


@pytest.mark.thorough
def test_every_command_that_takes_a_network_takes_it(
    run: Callable[[str, bytes], tuple[int, str, str]], tmp_path: Path
) -> None:
    (tmp_path / "-").write_text("x y\n", encoding="utf-8")
    karate = FORMATS["graphml"].write(nv.load("karate"), "a")
    quick = "--budget 5 --algorithm es --seed 1 --no-audit --no-baselines --no-utility --quiet"
    measured = run("measure - --json", karate)
    anonymized = run(f"anonymize - {quick}", karate)
    compared = run("compare - stdin-release --json", karate)
    against = run("compare karate - --json", karate)
    audited = run("audit - stdin-release --json", karate)

    assert json.loads(measured[1])["nodes"] == 34
    assert anonymized[0] == 0, anonymized[2]
    # The format in which it came is that in which it is published.
    assert (tmp_path / "stdin-release" / "public" / "network.graphml").is_file()
    assert json.loads(compared[1])["deleted"] > 0
    assert json.loads(against[1])["deleted"] == 0
    assert json.loads(audited[1])["nodes"] == 34
    assert nv.read(f"{tmp_path}/-", "edge-list").labels == ("x", "y")


@pytest.mark.parametrize(("arguments", "content"), [("measure -", b""), ("compare - -", b"a b\nb c\n")])
def test_it_can_be_read_once(
    run: Callable[[str, bytes], tuple[int, str, str]], arguments: str, content: bytes
) -> None:
    code, out, err = run(arguments, content)

    assert (code, out) == (2, "")
    assert "standard input is empty, or was read already: it can be read once" in err


# Files that hold no network are called what they are, whatever their names are.


def archive(*names: str) -> bytes:
    """A zip archive of files of these names."""
    written = io.BytesIO()
    with ZipFile(written, "w") as opened:
        for name in names:
            opened.writestr(name, "text")
    return written.getvalue()


KINDS = [
    (b"%PDF-1.7\n%\xe2\xe3", ".pdf", "a PDF document"),
    (b"\x89PNG\r\n\x1a\n\0\0", ".png", "a picture (PNG)"),
    (b"\xff\xd8\xff\xe0\0\x10JFIF", ".jpg", "a picture (JPEG)"),
    (b"RIFF\x24\0\0\0WEBPVP8 ", ".webp", "a picture (WebP)"),
    (b"\0\0\0\x18ftypheic", ".heic", "a picture (HEIC)"),
    (b'<svg xmlns="x">', ".svg", "a web page (HTML or SVG)"),
    (b"\n<!DOCTYPE html><html>", ".html", "a web page (HTML or SVG)"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", ".xls", "an old Office document (.xls, .doc), or one locked"),
    (b"{\\rtf1 anna", ".rtf", "a text document (RTF)"),
    (b"SQLite format 3\0", ".db", "an SQLite database"),
    (b"$FL2@(#) SPSS", ".sav", "an SPSS file"),
    (b"7z\xbc\xaf\x27\x1c", ".7z", "a 7z archive"),
    (bytes(257) + b"ustar\0", ".tar", "a tar archive"),
    (archive("word/document.xml"), ".docx", "a Word document"),
    (archive("ppt/presentation.xml"), ".pptx", "a PowerPoint document"),
    (archive("mimetype", "content.xml"), ".ods", "a document of OpenOffice or LibreOffice"),
    (archive("ties.csv"), ".zip", "a zip archive"),
    (WHOLE, ".zip", "an Excel workbook"),
]


@pytest.mark.parametrize(("content", "suffix", "kind"), KINDS)
def test_a_file_without_a_network_is_called_what_it_is(
    tmp_path: Path, content: bytes, suffix: str, kind: str
) -> None:
    for name in (f"mine{suffix}", "mine.csv", "mine.xlsx"):
        file = tmp_path / name
        file.write_bytes(content)
        if name == "mine.xlsx" and content in (WHOLE, KINDS[8][0]):  # which its reader knows
            continue
        with pytest.raises(FileError) as caught:
            nv.read(file)
        told = str(caught.value)
        assert told.startswith(f"{file} is {kind}") and told.endswith(".") and "\n" not in told


def test_no_beginning_is_that_of_a_format() -> None:
    """Else a network would be refused."""
    starts = [start for place, starts, *_ in BEGINNINGS if not place for start in starts]
    for format_ in nv.files.FORMATS.values():
        for magic in format_.magic:
            assert not any(magic.startswith(start) or start.startswith(magic) for start in starts)
