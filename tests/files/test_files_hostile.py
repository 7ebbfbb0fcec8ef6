"""Malformed, damaged and hostile files of every format: told in one line, bounded in time and memory."""

from __future__ import annotations

import ast
import bz2
import gzip
import hashlib
import importlib
import io
import lzma
import os
import re._constants as codes  # type: ignore[import-not-found]
import re._parser as parser  # type: ignore[import-not-found]
import sys
import threading
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

import pytest
from hypothesis import settings

import netveil
from damaging import NAME, Input, inputs, seeds_of
from fuzzing import TOKEN, wrong_with, wrong_with_message
from netveil.cli import main
from netveil.errors import FileError, NetveilError, SettingError
from netveil.files import FORMATS, read, storage
from netveil.files.storage import decompressed, load_file
from netveil.files.tables.lines import SEPARATORS, _cell_pattern
from netveil.network import Network

GRAPHML = b'<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph><node id="Anna"/>\n'
BANNER = b"%%MatrixMarket matrix coordinate pattern symmetric\n"


def error_of(name: str, content: bytes) -> str:
    """The message on reading a file that must fail."""
    with pytest.raises(FileError) as caught:
        FORMATS[name].read(content, "contacts.x")
    return caught.value.for_command_line()


@pytest.mark.parametrize(("name", "content", "message"), [
    ("edge-list", b"", "holds no edges"),
    ("edge-list", b"# Anna\n\n% Bob\n", "holds no edges"),
    ("edge-list", b"source,target\n", "holds no edges"),
    ("edge-list", b"a b\nAnna\n", "line 2: expected two node labels, found one. "
     "Separate them by a comma, a semicolon, a tab or a blank (--separator)."),
    ("edge-list", b"Anna/Bob\n", "line 1: expected two node labels"),
    ("edge-list", b"Anna,Bob\nCarl,Dora\n", "it is not clear whether its first line names"),
    ("edge-list", b"a,Anna,Bob\nb,Bob,Carl\n", "it is not clear which two of its 3 columns are the people"),
    ("edge-list", b"Anna;Bob,a\nBob;Carl,a\n", "can be split at each of semicolon and comma"),
    ("edge-list", b"a b\nAnna \0\n", "line 2: not a text file, it holds a zero byte"),
    ("edge-list", b"a b\r\nAnn\xb7\xb3 Bob\n", "line 2: byte 9 is not UTF-8 text"),
    ("edge-list", "André;Hélène\n".encode("cp1252"), "its letters could be cp1252 or cp1250"),
    ("edge-list", GRAPHML, "it looks like graphml. Read it with --format graphml"),
    ("edge-list", b'Creator "x"\ngraph\n[ node [ id 1 ] ]', "--format gml"),
    ("edge-list", b"*Vertices 3\n1 Anna\n", "--format pajek"),
    ("edge-list", BANNER + b"3 3 1\n2 1\n", "--format matrix-market"),
    ("edge-list", b"!n=3\n0: 1;\n", "--format nauty"),
    ("graphml", b"", "not valid GraphML"),
    ("graphml", b"Anna Bob\n", "line 1: not valid GraphML"),
    ("graphml", GRAPHML, "line 2: not valid GraphML"),
    ("graphml", GRAPHML + b'<edge source="Anna"/></graph></graphml>', "line 2: not valid GraphML"),
    ("graphml", b"<html></html>", "line 1: not valid GraphML"),
    ("graphml", b"<graphml>Ann\xe9</graphml>", "not valid GraphML"),
    ("graphml", GRAPHML + b'<node id="\0"/></graph></graphml>', "not valid GraphML"),
    ("gml", b"", "line 1: not valid GML"),
    ("gml", b'graph [\nnode [ id 0 label "Anna" ]\n', "line 3: not valid GML"),
    ("gml", b"graph [ node [ id 0 ]\n edge [ source 0 target 5 ] ]", "line 2: not valid GML"),
    ("gml", b'graph [ node [ id 0 label "Ann\xb7\xb3" ] ]', "line 1: byte 31 is not UTF-8"),
    ("gml", b'graph [ node [ id 0 label "\0" ] ]', "line 1: not a text file"),
    ("pajek", b"", "holds no network: there is no line `*Vertices`"),
    ("pajek", b"Anna Bob\n", "line 1: expected `*Vertices` and the number of nodes"),
    ("pajek", b"*Vertices\n", "line 1: expected the number of nodes"),
    ("pajek", b"*Vertices 9999999999\n", "line 1: announces more nodes"),
    ("pajek", b'*Vertices 2\n1 "Anna\n', "line 2: expected the number of a node and its label"),
    ("pajek", b"*Vertices 2\n3 Anna\n", "line 2: expected the number of a node, from 1 to 2"),
    ("pajek", b"*Vertices 2\n*Edges\n1 3\n", "line 3: expected the number of a node, from 1 to 2"),
    ("pajek", b"*Vertices 2\n*Edges\n1 0\n", "line 3: expected the number of a node, from 1 to 2"),
    ("pajek", b"*Vertices 2\n*Edges\n1 Anna\n", "line 3: expected the number of a node"),
    ("pajek", b"*Vertices 2\n*Edges\n1\n", "line 3: expected the numbers of two nodes, found one"),
    ("pajek", b"*Vertices 2\n*Matrix\n0 1\n", "line 3: a matrix of Pajek is not read"),
    ("matrix-market", b"", "holds no edges"),
    ("matrix-market", b"%%MatrixMarket tensor\n1 1 0\n", "line 1: expected `%%MatrixMarket matrix"),
    ("matrix-market", BANNER, "the line with the sizes of the matrix is missing"),
    ("matrix-market", BANNER + b"3 4 1\n2 1\n", "line 2: the matrix is 3 by 4"),
    ("matrix-market", BANNER + b"9999999999 9999999999 0\n", "line 2: announces more nodes"),
    ("matrix-market", BANNER + b"3 3 2\n2 1\n", "line 2: expected 2 entry lines to follow, found 1"),
    ("matrix-market", BANNER + b"3 3 1\n4 1\n", "line 3: a label is not a whole number from 1 to 3"),
    ("matrix-market", BANNER + b"3 3 1\n0 1\n", "line 3: a label is not a whole number from 1 to 3"),
    ("matrix-market", b"% c\n3 3 1\n1 4\n", "line 3: a label is not a whole number from 1 to 3"),
    ("matrix-market", b"3 3 2\n1 2\n", "line 1: expected 2 entry lines to follow, found 1"),
    ("nauty", b"", "holds no network: a line `!n=` with the number of nodes is missing"),
    ("nauty", b"0: 1;\n", "line 1: a line `!n=` with the number of nodes must come first"),
    ("nauty", b"!n=3\n0 1;\n", "line 2: expected `node: neighbours;`, with numbers"),
    ("nauty", b"!n=3\n0: Anna;\n", "line 2: expected `node: neighbours;`, with numbers"),
    ("nauty", b"!n=3\n0: 3;\n", "line 2: a node number is too large, as `!n=` announces 3 nodes"),
    ("nauty", b"!n=3\n3: 0;\n", "line 2: a node number is too large"),
    ("nauty", b"!n=3\n0: " + b"9" * 5000 + b";\n", "line 2: a node number is too large"),
    ("nauty", b"!n=3\n!m=4\n0: 1;\n", "expected 4 neighbours, as `!m=` says, found 1"),
    ("nauty", b"!n=5\n4: 3;\n!n=2\n", "line 3: a second line `!n=`"),
    ("nauty", b"!n=9999999999\n", "line 1: announces more nodes"),
    ("adjacency-list", b"", "holds no lists of contacts"),
    ("adjacency-list", b"# Anna: Bob\n", "holds no lists of contacts"),
    ("adjacency-list", b"Anna: Bob\nBob\n", "line 2: expected `label:` with a blank behind the colon"),
    ("adjacency-list", b": Bob\n", "line 1: expected `label:`"),
    ("adjacency-list", b"Anna:Bob,Carl\n", "line 1: a comma or semicolon in a list whose labels"),
    ("adjacency-list", b"Anna:Bob\n", "line 1: a colon in a list whose labels are separated by blanks"),
    ("adjacency-list", b"x y\n12:30 Anna\n", "line 2: a colon in a list"),
    ("adjacency-list", b"Anna, Bob\n", "line 1: a comma or semicolon in a list"),
    ("adjacency-list", b"Anna: Bob, Carl; Dan\n",
     "commas or by semicolons: there are both. Say which with --separator"),
    ("adjacency-list", b"x: y\nAnna: Bob,, Carl\n", "line 2: a label is empty"),
    ("adjacency-list", b'Anna: "Bob\n', "line 1: a label is empty, or a quote in it is never closed"),
    ("adjacency-list", b'Anna: "", Bob\n', "line 1: a label is empty"),
    ("matrix", b"", "holds no matrix"),
    ("matrix", b"# Anna\n", "holds no matrix"),
    ("matrix", b"0,1,0\n1,0,1\n", "2 rows of 3 cells are not a matrix"),
    ("matrix", b"1 2 5\n1 3 2\n2 3 1\n3 4 7\n", "4 rows of 3 cells are not a matrix"),
    ("matrix", b"0,1,0\n1,0\n0,1,0\n", "line 2: the row has 2 cells and others have 3"),
    ("matrix", b"0,1\n\n1\n0,1", "line 3: the row has 1 cells and others have 2"),
    ("matrix", b",Anna,Bob\nAnna,0,1\nCarl,1,0\n", "line 3: the name of a row is not that of the column"),
    ("matrix", b",Anna,Bob\nAnna,0,1\nBob,Anna,0\n", "line 3: a cell of the matrix is not a number"),
    ("matrix", b"0 1 0\n1 0 1\n0 Anna 0\n", "line 3: a cell of the matrix is not a number"),
    ("matrix", b"Anna,Anna\n0,1\n1,0\n", "line 1: names 1 and 2 agree"),
    ("matrix", b"Anna,0,1\n,1,0\n", "line 2: name 2 is empty"),
    ("matrix", b'"' + b"x" * 200_000 + b"\n0,1\n", "a quote is opened and never closed"),
])  # fmt: skip
def test_a_malformed_file_is_told_in_one_line(
    name: str, content: bytes, message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """With its name and line where there is one, and a remedy; not with a label, and nothing is printed."""
    error = error_of(name, content)

    assert message in error and error.startswith("contacts.x")
    assert error.endswith(".") and "\n" not in error
    assert "Anna" not in error and "Bob" not in error
    assert capfd.readouterr() == ("", "")


# What is made to fill a memory or to take for ever: refused with the bound, or read in proportion.


TIES = b"anna bob\nbob carl\n"
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
    monkeypatch.setattr(storage, "MOST_UNPACKED_ANYWAY", 100)
    content = bytes(range(256)) * 4
    packed = gzip.compress(content)

    assert len(packed) * storage.MOST_TIMES > len(content) > 100
    assert decompressed(packed, "a", ".gz") == content


def test_the_variable_says_one_bound_for_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
    with monkeypatch.context() as patch:  # quotes are unusual: it cannot be read part by part
        patch.setattr(storage, "LARGE_FILE", 0)
        large.write_bytes(TIES + b'"carl" anna\n')
        with pytest.raises(FileError, match="10 bytes of memory are free"):
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
    for rows in (1, 2):
        line = separator.join(f"p{number}" for number in range(10_001))
        with pytest.raises(
            FileError, match=r"f, line 1: has 10,001 cells, and a table of ties has 10,000 col"
        ):
            FORMATS["edge-list"].read("\n".join([line] * rows).encode(), "f")


# Readers take work in proportion to the file, however it is made: counted, not clocked.


PACKAGE = Path(netveil.__file__).parent
READERS = [
    *sorted((PACKAGE / "files").rglob("*.py")),
    PACKAGE / "auditing" / "leaks.py",
    PACKAGE / "errors.py",
]
MADE_IN_FUNCTIONS = {"_cell_pattern", "_this_machine"}
"""What makes patterns of its arguments; the first two are called for them, the third escapes a name."""


FOR_LABELS = {"KINDS_OF_LABELS"}
"""Patterns of the audit that look at one published label, not at a file."""


def gives_back(pattern: Any) -> bool:
    """Whether a part of a parsed pattern repeats without a bound and may give back what it has taken."""
    for code, argument in pattern:
        if code in (codes.MAX_REPEAT, codes.MIN_REPEAT) and argument[1] == codes.MAXREPEAT:
            return True
        inner = argument if isinstance(argument, tuple | list) else [argument]
        for part in inner:
            branches = part if isinstance(part, list) else [part]
            if any(isinstance(each, parser.SubPattern) and gives_back(each) for each in branches):
                return True
    return False


def patterns_in(module: ModuleType, source: str) -> Iterator[str | bytes]:
    """What a module gives to functions of `re` as a pattern, but in functions that make it of arguments."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef) and node.name in MADE_IN_FUNCTIONS:
            continue
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in FOR_LABELS:
            continue
        for call in ast.walk(node):
            if (
                isinstance(call, ast.Call)
                and isinstance(call.func, ast.Attribute)
                and isinstance(call.func.value, ast.Name)
                and (call.func.value.id, call.func.attr) != ("re", "escape")
                and call.func.value.id == "re"
            ):
                scope = {"name": b"key"} | vars(module)  # of the one pattern that is made in a loop
                yield eval(compile(ast.Expression(call.args[0]), "pattern", "eval"), scope)


@pytest.mark.parametrize("file", READERS, ids=lambda file: str(file.relative_to(PACKAGE)))
def test_no_pattern_of_a_reader_gives_back_what_it_took(file: Path) -> None:
    """A label of 20,000 digits and an x, or as many blanks, would be looked at again from each of them."""
    name = ".".join(file.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")
    found = list(patterns_in(importlib.import_module(name), file.read_text(encoding="utf-8")))

    assert [pattern for pattern in found if gives_back(parser.parse(pattern))] == []


def test_patterns_that_are_made_of_separators_give_nothing_back() -> None:
    """And the check would find those that do."""
    for separator in SEPARATORS:
        assert not gives_back(parser.parse(_cell_pattern(separator).pattern))
    for wrong in (r"\s*(\d+):", r"(?:a|b+)x", r"([ab]*?)c", r"(?=a+)b", r"(?:(?:x)*)y"):
        assert gives_back(parser.parse(wrong)), wrong
    assert not gives_back(parser.parse(r"\d{1,18}(?:[^\"]++|\"\")*+b??"))


def steps(work: Callable[[], object]) -> int:
    """How many steps of Python's own machine some work takes."""
    count = 0

    def trace(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal count
        frame.f_trace_opcodes = True
        count += event == "opcode"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def whole_numbers(length: int) -> bytes:
    """Two lines of so many columns."""
    return b"\n".join(b" ".join(b"%d" % (step * at) for at in range(2, length)) for step in (1, 7))


SHAPES: dict[str, tuple[str, Callable[[int], bytes]]] = {
    "digits and an x": ("edge-list", lambda n: b"a,b\n" + b"1" * n + b"x,b\nb,a\n"),
    "nauty blanks": ("nauty", lambda n: b"!n=5\n1:" + b" " * n + b"x\n"),
    "comments on nodes": ("edge-list", lambda n: b"# nodes: 5\n" * n + b"0 1\n"),
    "quoted cells": ("edge-list", lambda n: b"a " + b'"x" ' * n + b",b\n"),
    "columns of numbers": ("edge-list", whole_numbers),
    "columns of texts": (
        "edge-list",
        lambda n: b"\n".join(b",".join(b"%s%d" % (row, at) for at in range(n)) for row in (b"a", b"b")),
    ),
    "separators at the end": ("edge-list", lambda n: b"a,b\n" * n + b"c,a" + b"," * n + b"\n"),
    "open quotes": ("edge-list", lambda n: b'a,"b\n' * n),
    "lengths of rows": ("matrix", lambda n: b"\n".join(b"1," * (at * 7 % 40) + b"1" for at in range(n))),
    "blanks in contacts": ("adjacency-list", lambda n: b"a: b" + b" " * n + b"c, d\n"),
    "contacts": ("adjacency-list", lambda n: b"a: " + b"b, " * n + b"d\n"),
    "empty lines of a matrix": (
        "matrix-market",
        lambda n: b"%%MatrixMarket matrix coordinate\n" + b"\n" * n + b"x",
    ),
    "vertices": ("pajek", lambda n: b"*Vertices 9\n" + b'1 "a"\n' * n),
    "pairs": ("json", lambda n: b"[" + b'["a", "b"], ' * n + b'["b", "c"]]'),
}


@pytest.mark.thorough
@pytest.mark.parametrize("shape", SHAPES)
def test_ten_times_the_file_is_ten_times_the_work(shape: str) -> None:
    name, made = SHAPES[shape]

    def reading(length: int) -> Callable[[], None]:
        content = made(length)

        def read() -> None:
            with suppress(NetveilError):
                FORMATS[name].read(content, "contacts.x")

        return read

    reading(3)()  # imports what is needed
    once, ten_times = steps(reading(150)), steps(reading(1500))

    assert ten_times < 15 * once


def test_the_count_would_find_the_square() -> None:
    once, ten_times = (steps(lambda: [1 for _ in range(n) for _ in range(n)]) for n in (20, 200))  # noqa: B023

    assert ten_times > 50 * once


# Damaged files of every format: a network, or one line for users without anybody's name.


INPUTS = {"graphml": 4, "gml": 4, "xlsx": 1, "parquet": 2, "arrow": 4}  # for each example of a property
MEMORY_ANYWAY, MEMORY_PER_BYTE = 200_000_000, 2000
MOST_INPUTS = 8  # of formats that are read fast


@pytest.mark.quick(6)
@pytest.mark.parametrize("name", FORMATS)
def test_a_damaged_file_is_a_network_or_one_line(name: str) -> None:
    found = {
        given.content: wrong
        for given in islice(inputs(name, seed=17), INPUTS.get(name, MOST_INPUTS) * settings().max_examples)
        if (wrong := wrong_with(given)) is not None
    }

    assert not found


@pytest.mark.thorough
@pytest.mark.parametrize("name", [name for name in FORMATS if not FORMATS[name].magic])
def test_memory_is_in_proportion_to_a_damaged_file(name: str) -> None:
    """Beside what any file may take: a million announced nodes, or ten million empty cells."""
    for given in islice(inputs(name, seed=19), 40):
        tracemalloc.start()
        try:
            wrong = wrong_with(given)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

        assert wrong is None
        assert peak < MEMORY_ANYWAY + MEMORY_PER_BYTE * len(given.content), given.content[:200]


@pytest.mark.parametrize("name", FORMATS)
def test_the_files_that_are_damaged_are_valid(name: str) -> None:
    """Each of them is a network, or a question to its user; most have labels that would be found."""
    for seed in seeds_of(name):
        try:
            assert FORMATS[name].read(seed, NAME).node_count > 0
        except FileError as question:
            assert "Give " in str(question)
    assert any(TOKEN.search(content.decode("latin-1")) for content in seeds_of(name)) or name == "nauty"


@pytest.mark.parametrize("name", ["edge-list", "gml", "json", "pajek"])
def test_the_command_ends_with_two(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tried = 0
    for given in inputs(name, seed=18):
        try:
            FORMATS[name].read(given.content, NAME)
        except NetveilError:
            (tmp_path / NAME).write_bytes(given.content)
            code = main(["measure", str(tmp_path / NAME), "--format", name])
            out, err = capsys.readouterr()
            first, *shown = err.splitlines()

            assert (code, out) == (2, "") and first.startswith("netveil: ")
            assert "\x1b" not in err and all(line.startswith("  ") for line in shown)
            tried += 1
        if tried == 5:
            break


def test_what_is_wrong_would_be_found() -> None:
    assert wrong_with_message(FileError("contacts.x, line 1: Qzanna. Correct it.")) == "a label in a message"
    assert wrong_with_message(FileError("contacts.x, line 1: rule. Correct it.")) is None

    class BrokenError(FileError):
        def for_command_line(self) -> str:
            return "two\nlines"

    assert str(wrong_with_message(BrokenError("one"))).startswith("a message of several lines")
    with pytest.MonkeyPatch.context() as patch:
        nothing: dict[str, Network] = {}
        broken = replace(FORMATS["nauty"], read=lambda content, file: nothing["a defect"])
        patch.setattr("fuzzing.FORMATS", {"nauty": broken})
        assert wrong_with(Input("nauty", b"")) == "KeyError instead of an error for users"
