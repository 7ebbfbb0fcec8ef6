"""Damaged files of every format, for readers that must take them or refuse them in one line.

`seeds_of` has valid files of each format in the registry, `inputs` damages them: the same ones for the same
seed. `fuzzing.py` reads them.
"""

from __future__ import annotations

import io
import random
import re
from collections.abc import Iterator
from typing import NamedTuple

from netveil.errors import NetveilError
from netveil.files import FORMATS
from netveil.network import Network

NAME = "contacts.x"
LABELS = ("qzanna", "qz bob", "qzcarl", "qz-dora", "Qzévé", "qz'finn")
LABELLED = Network.from_numbered_edges([(0, 1), (1, 2), (0, 3), (3, 4), (2, 3)], 6, LABELS)
NUMBERED = Network.from_numbered_edges([(0, 1), (1, 2), (0, 3), (3, 4)], 6)


def _book() -> bytes:
    import openpyxl

    workbook = openpyxl.Workbook()
    for row in (
        ("source", "target", "weight"),
        ("qzanna", "qzbob", 1),
        ("qzbob", 7, 0.5),
        (7, "qzanna", None),
    ):
        workbook.active.append(row)
    written = io.BytesIO()
    workbook.save(written)
    return written.getvalue()


def _tables(name: str) -> list[bytes]:
    """Parquet and Arrow files of other kinds than netveil writes."""
    import pyarrow
    from pyarrow import ipc, parquet

    table = pyarrow.table(
        {
            "from": pyarrow.array(["qzanna", "qzbob", "qzanna"]).dictionary_encode(),
            "to": ["qzbob", "qzcarl", "qzcarl"],
            "when": [1, 2, None],
        }
    )
    written = io.BytesIO()
    if name == "parquet":
        parquet.write_table(table, written, compression="gzip")
    else:
        with ipc.new_stream(written, table.schema, options=ipc.IpcWriteOptions(compression="zstd")) as writer:
            writer.write_table(table)
    return [written.getvalue()]


_TEXTS: dict[str, list[str]] = {
    "edge-list": [
        'source;target;weight\nqzanna;qzbob;1\n"qz;carl";qzanna;2,5\n',
        "# a remark\n# nodes: 5\n0 1\n1 2\n",
        "1,2,1700000000\n2,3,1700000001\n3,1,1700000002\n",
        "qzanna\tqzbob\nqzbob\tqzcarl\nqzcarl\tqzanna\n",
        "sep=;\n\"qzanna\";\"qz\nbob\"\n'qzx';'qzy'\n",
    ],
    "graphml": [
        '<?xml version="1.0"?><!DOCTYPE g SYSTEM "b"><graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
        '<key id="k" for="node" attr.name="name" attr.type="string"/><key id="w" for="edge" attr.name="w" '
        'attr.type="double"/><graph edgedefault="directed"><node id="a"><data key="k">qzanna</data></node>'
        '<node id="b"><data key="k">qzbob</data></node><edge source="a" target="b"><data key="w">1.5</data>'
        "</edge></graph></graphml>"
    ],
    "gml": [
        'Creator "qz"\ngraph [ directed 1 node [ id 1 label "qzanna" age 3 ] node [ id 2 label "qz&amp;bob" '
        'age 4.5 ] edge [ source 1 target 2 w "x" ] ]'
    ],
    "pajek": [
        '*Network qz\n*Vertices 3\n1 "qzanna" 0.1 0.2\n2 qzbob\n3 "qz carl"\n*Arcs :1 "x"\n1 2 1\n'
        "*Edgeslist\n3 1 2\n"
    ],
    "matrix-market": [
        "%%MatrixMarket matrix coordinate real general\n% qz\n3 3 3\n1 2 0.5\n2 3 1\n3 3 0\n",
        "3 3 2\n1 2\n2 3\n",
    ],
    "nauty": ["! qz\n!n=4\n!m=6\n0: 1 2;\n1: 0;\n2: 0 3;\n3: 2.\n"],
    "json": [
        '{"directed": true, "nodes": [{"id": "qzanna", "age": 3}, {"id": 7}], "links": [{"source": 7, '
        '"target": "qzanna", "w": 1.5}]}',
        '[["qzanna", "qzbob"], ["qzbob", 3]]',
        '[{"from": "qzanna", "to": "qzbob", "w": null}, {"from": "qzbob", "to": 1e3}]',
        '{"qzanna": ["qzbob"], "qzbob": ["qzanna", 4]}',
        '{"nodes": [{"name": "qzanna"}, {"name": "qzbob"}], "links": [{"source": 0, "target": 1}]}',
    ],
    "matrix": [
        ",qzanna,qzbob,qzcarl\nqzanna,0,1,0\nqzbob,1,0,2.5\nqzcarl,0,2.5,0\n",
        "0 1 0 1\n1 0 1 0\n0 1 0 0\n1 0 0 0\n",
    ],
    "adjacency-list": [
        'qzanna: qzbob, qzcarl\n"qz: bob": qzanna\nqzdora:\n',
        "qzanna qzbob qzcarl\nqzbob qzcarl\n",
    ],
}


def seeds_of(name: str) -> list[bytes]:
    """Valid files of a format: what netveil writes, and others where some are listed here."""
    found = [text.encode() for text in _TEXTS.get(name, ())]
    found += {"xlsx": lambda: [_book()]}.get(name, list)()
    if name in ("parquet", "arrow"):
        found += _tables(name)
    if FORMATS[name].is_written:
        for network in (LABELLED, NUMBERED):
            try:
                found.append(FORMATS[name].write(network, NAME))
            except NetveilError:  # a format without a place for labels
                continue
    if not found:
        raise LookupError(f"tests/damaging.py: write a valid {name} file into _TEXTS, to be damaged.")
    return found


_BITS = [
    b"", b" ", b"\n", b"\r", b"\t", b'"', b"'", b",", b";", b"|", b":", b"#", b"%", b"*", b"!", b"[", b"]",
    b"{", b"}", b"<", b">", b"&", b"=", b"-1", b"0", b"1", b"1e999", b"99999999999999999999", b"2147483647",
    b"x", b"\0", b"\x80", b"\xff\xfe", b"\xef\xbb\xbf", b"\x1b[31m", b"nan", b"NA", b"null", b"true", b"1.5",
    b"# nodes: 7\n", b"\xe2\x80\xae", b"*Vertices 9\n", b"!n=9\n", b"&#0;", b"&lol;", b"<!--", b"\\u0000",
    b"\\ud800", b"sep=|\n",
]  # fmt: skip


def mutated(seed: bytes, others: list[bytes], draw: random.Random) -> bytes:
    """A seed with one to four things done to it."""
    content = seed
    for _ in range(draw.choice((1, 1, 1, 2, 3, 4))):
        content = draw.choice(_MUTATIONS)(content, others, draw)
    return content


def _place(content: bytes, draw: random.Random) -> int:
    return draw.randint(0, len(content))


def _cut(content: bytes, others: list[bytes], draw: random.Random) -> bytes:
    return content[: _place(content, draw)]


def _flip(content: bytes, others: list[bytes], draw: random.Random) -> bytes:
    if not content:
        return content
    at = draw.randrange(len(content))
    return content[:at] + bytes([content[at] ^ (1 << draw.randrange(8))]) + content[at + 1 :]


def _patch(content: bytes, others: list[bytes], draw: random.Random) -> bytes:
    at = _place(content, draw)
    return content[:at] + draw.choice(_BITS) + content[at + draw.choice((0, 0, 1, 2, 5, 20)) :]


def _repeat(content: bytes, others: list[bytes], draw: random.Random) -> bytes:
    at, length = _place(content, draw), draw.choice((1, 2, 5, 20, 100))
    return content[:at] + content[at : at + length] * draw.choice((2, 3, 50, 2000)) + content[at + length :]


def _move(content: bytes, others: list[bytes], draw: random.Random) -> bytes:
    start, length, to = _place(content, draw), draw.choice((1, 5, 20, 100)), _place(content, draw)
    part, rest = content[start : start + length], content[:start] + content[start + length :]
    return rest[:to] + part + rest[to:]


def _splice(content: bytes, others: list[bytes], draw: random.Random) -> bytes:
    other = draw.choice(others)
    return content[: _place(content, draw)] + other[_place(other, draw) :]


def _change_number(content: bytes, others: list[bytes], draw: random.Random) -> bytes:
    numbers = list(re.finditer(rb"\d+", content))
    if not numbers:
        return content
    chosen = draw.choice(numbers)
    other = draw.choice((b"0", b"-1", b"2", b"1000000", b"99999999", b"9" * 30, b"9" * 5000, b"1.5", b""))
    return content[: chosen.start()] + other + content[chosen.end() :]


_MUTATIONS = (_cut, _flip, _patch, _patch, _patch, _repeat, _move, _splice, _change_number)


class Input(NamedTuple):
    """A damaged file."""

    format_name: str
    content: bytes


def inputs(format_name: str, seed: int) -> Iterator[Input]:
    """Damaged files of a format without end; the same ones for the same seed."""
    seeds, draw = seeds_of(format_name), random.Random(f"{format_name} {seed}")
    while True:
        yield Input(format_name, mutated(draw.choice(seeds), seeds, draw))
