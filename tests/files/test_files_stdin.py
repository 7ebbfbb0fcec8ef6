"""`-` is standard input: read once, and taken for what it begins like."""

from __future__ import annotations

import hashlib
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import openpyxl
import pytest

import netveil as nv
from netveil.cli import main
from netveil.errors import FileError, SettingError
from netveil.files import FORMATS
from netveil.files.storage import COMPRESSIONS
from netveil.network import Network

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
    """Compressed or not; the hash is that of the bytes that came in."""
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
    """With the options of that format; errors call it stdin."""
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
    """As in a notebook."""
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
    """A file that is called - is not meant."""
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
    """Nothing, or nothing any more, is a mistake of the user."""
    code, out, err = run(arguments, content)

    assert (code, out) == (2, "")
    assert "standard input is empty, or was read already: it can be read once" in err
