"""What is made to fill a memory or to take for ever: refused with the bound, or read in proportion."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import lzma
import os
import threading
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from damaging import seeds_of
from netveil.errors import FileError, SettingError
from netveil.files import FORMATS, read, storage
from netveil.files.storage import decompressed, load_file

TIES = b"anna bob\nbob carl\n"
BANNER = b"%%MatrixMarket matrix coordinate pattern symmetric\n"
SHEET = "xl/worksheets/sheet1.xml"


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("suffix", "pack"), [(".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress)]
)
def test_a_packed_file_that_grows_too_much_is_refused(
    suffix: str, pack: Callable[[bytes], bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As soon as the bound is reached, in memory of about the bound; the error says how to raise it."""
    monkeypatch.setattr(storage, "MOST_UNPACKED_ANYWAY", 2_000_000)
    monkeypatch.setattr(storage, "MOST_TIMES", 10)
    packed = tmp_path / f"a.txt{suffix}"
    packed.write_bytes(pack(b" " * 24_000_000))
    tracemalloc.start()
    with pytest.raises(FileError) as refused:
        read(packed)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert "unpacks to more than 2,000,000" in str(refused.value)
    assert "set NETVEIL_LARGEST_FILE to more bytes, such as 2G." in str(refused.value)
    assert peak < 20_000_000
    packed.write_bytes(pack(TIES))
    assert read(packed).edge_count == 2


def test_a_file_may_grow_by_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """A large packed file holds more than a small one may."""
    monkeypatch.setattr(storage, "MOST_UNPACKED_ANYWAY", 100)
    content = bytes(range(256)) * 4
    packed = gzip.compress(content)

    assert len(packed) * storage.MOST_TIMES > len(content) > 100
    assert decompressed(packed, "a", ".gz") == content


def test_the_variable_says_one_bound_for_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of plain files, packed ones and streams; in bytes, or with a unit."""
    plain, packed = tmp_path / "a.txt", tmp_path / "a.txt.gz"
    plain.write_bytes(TIES * 100)
    packed.write_bytes(gzip.compress(TIES * 100))
    for size in ("1k", "1 KB", "1024"):
        monkeypatch.setenv("NETVEIL_LARGEST_FILE", size)
        with pytest.raises(FileError, match=r"has 1,800 bytes, and NETVEIL_LARGEST_FILE allows 1,024. Take"):
            load_file(str(plain))
        with pytest.raises(FileError, match="unpacks to more than 1,024, as files do"):
            load_file(str(packed))
        with pytest.raises(FileError, match="/dev/zero goes on after 1,024 bytes"):
            load_file("/dev/zero")
    monkeypatch.setenv("NETVEIL_LARGEST_FILE", "1M")
    assert load_file(str(plain)) == load_file(str(packed)) == TIES * 100
    for wrong in ("much", "-1", "0", "1.5G"):
        monkeypatch.setenv("NETVEIL_LARGEST_FILE", wrong)
        with pytest.raises(SettingError, match=rf"NETVEIL_LARGEST_FILE = {wrong}: give a number of bytes"):
            load_file(str(plain))


def test_a_plain_file_may_be_as_large_as_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No fixed bound: a file of several gigabytes is read where it fits, and refused unread where not."""
    large = tmp_path / "a.txt"
    large.write_bytes(TIES)
    monkeypatch.setattr(storage, "free_memory", lambda: 10)
    with pytest.raises(
        FileError, match=r"has 18 bytes, and 10 bytes of memory are free. Take a machine with"
    ):
        read(large)
    monkeypatch.setattr(storage, "free_memory", lambda: 1 << 60)

    storage.check_size(50 << 40, "a.txt")


def test_a_pipe_is_read_once_and_hashed(tmp_path: Path) -> None:
    """Its hash is that of what came through: a second look would wait for ever."""
    pipe = tmp_path / "pipe.txt"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(TIES,))
    writer.start()
    network = read(pipe)
    writer.join()

    assert network.sha256 == hashlib.sha256(TIES).hexdigest()
    assert network.edge_count == 2


@pytest.mark.parametrize(("name", "content"), [
    ("pajek", b"*Vertices 100000000\n*Edges\n1 2\n"),
    ("pajek", b'*Vertices 100000000\n1 "anna"\n'),
    ("nauty", b"!n=100000000\n0: 1;\n"),
    ("matrix-market", BANNER + b"100000000 100000000 1\n2 1\n"),
    ("matrix-market", b"100000000 100000000 1\n2 1\n"),
    ("edge-list", b"# nodes: 100000000\n0 1\n"),
])  # fmt: skip
def test_announced_nodes_are_held_against_the_file(name: str, content: bytes) -> None:
    """A few bytes cannot ask for a hundred million nodes; a million they can, in memory for a million."""
    with pytest.raises(
        FileError, match="announces 100,000,000 nodes, and the file is so small that 1,000,000 are"
    ):
        FORMATS[name].read(content, "contacts.x")

    assert FORMATS[name].read(content.replace(b"100000000", b"1000000"), "contacts.x").node_count == 1_000_000


def test_a_table_that_is_nearly_all_empty_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """One line of a thousand cells beside a thousand lines of two would take a million."""
    monkeypatch.setattr(storage, "MOST_CELLS_ANYWAY", 10_000)
    content = b"a,b\n" * 1000 + b"c" + b",d" * 1000
    tracemalloc.start()
    with pytest.raises(
        FileError, match=r"line 1001: has 1,001 cells, and other lines have far fewer. Correct it, or"
    ):
        FORMATS["edge-list"].read(content, "contacts.x")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert peak < 3_000_000


def changed_sheet(change: Callable[[bytes], bytes]) -> bytes:
    """An Excel file whose sheet is changed."""
    (seed,) = seeds_of("xlsx")
    written = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(seed)) as source,
        zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as target,
    ):
        for each in source.infolist():
            content = source.read(each)
            target.writestr(each.filename, change(content) if each.filename == SHEET else content)
    return written.getvalue()


def test_an_excel_file_that_unpacks_to_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before it is unpacked; and so is one whose cells are so far apart that all between are empty."""
    monkeypatch.setattr(storage, "MOST_UNPACKED_ANYWAY", 1_000_000)
    monkeypatch.setattr("netveil.files.xlsx.MOST_CELLS_ANYWAY", 20_000)
    blown = changed_sheet(lambda sheet: sheet.replace(b"</sheetData>", b" " * 2_000_000 + b"</sheetData>"))
    with pytest.raises(FileError, match="unpacks to more than 1,000,000"):
        FORMATS["xlsx"].read(blown, "contacts.x")
    far = b'<row r="%d"><c r="XFD%d" t="n"><v>1</v></c></row>'
    rows = b"".join(far % (row, row) for row in range(5, 30))
    deep = changed_sheet(lambda sheet: sheet.replace(b'<row r="4"', b'<row r="99999999999"'))
    wide = changed_sheet(lambda sheet: sheet.replace(b"</sheetData>", rows + b"</sheetData>"))
    for apart in (deep, wide):
        with pytest.raises(FileError, match="is damaged or no Excel file at all"):
            FORMATS["xlsx"].read(apart, "contacts.x")


def blown_up(kind: str) -> bytes:
    """Tables of pyarrow that stand for far more than they hold."""
    import pyarrow
    from pyarrow import ipc, parquet

    written = io.BytesIO()
    texts = pyarrow.DictionaryArray.from_arrays(pyarrow.array([0] * 2000), pyarrow.array(["x" * 1000]))
    columns: dict[str, Any] = {"source": [1] * 200_000, "target": [2] * 200_000}
    if kind.endswith("texts"):
        columns = {"source": texts, "target": ["y"] * 2000}
    table = pyarrow.table(columns)
    if kind.startswith("parquet"):
        parquet.write_table(table, written)
    else:
        packing = ipc.IpcWriteOptions(compression=None if kind.endswith("texts") else kind.split()[1])
        with ipc.new_file(written, table.schema, options=packing) as writer:
            writer.write_table(table)
    return written.getvalue()


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["parquet rows", "parquet texts", "arrow zstd", "arrow lz4", "arrow texts"])
def test_a_table_of_columns_that_stands_for_much_fills_no_memory(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Equal rows and compressed parts are refused; one text in a thousand places is there once."""
    import pyarrow

    content, read = blown_up(kind), FORMATS[kind.split()[0]].read
    assert read(content, "contacts.x").node_count == 2
    monkeypatch.setenv("NETVEIL_LARGEST_FILE", "1M")
    if not kind.endswith("texts"):
        with pytest.raises(FileError, match="unpacks to more than 1,048,576"):
            read(content, "contacts.x")
        return
    before = pyarrow.default_memory_pool()
    pool = pyarrow.proxy_memory_pool(before)
    pyarrow.set_memory_pool(pool)
    try:
        assert read(content, "contacts.x").node_count == 2
    finally:
        pyarrow.set_memory_pool(before)
    assert 0 < pool.max_memory() < 1_000_000


@pytest.mark.parametrize("separator", [" ", ","])
def test_a_table_has_so_many_columns_at_most(separator: str) -> None:
    """As a text without line ends has; what it may be is said."""
    for rows in (1, 2):
        line = separator.join(f"p{number}" for number in range(10_001))
        with pytest.raises(
            FileError, match=r"f, line 1: has 10,001 cells, and a table of ties has 10,000 col"
        ):
            FORMATS["edge-list"].read("\n".join([line] * rows).encode(), "f")
