"""Tables of every shape, as people have them: a strategy that writes random networks."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

NAMES = st.sampled_from(
    [
        [f"{first} {last}" for first in ("Anna", "Bob", "Zoë", "Jörg") for last in ("Bell", "Carr", "Dorn")],
        ["anna", "bob", "carl", "dora", "eve", "finn", "gus", "hanna", "ida", "jan", "kai", "lea"],
        [f"{last}, {first}" for first in ("Anna", "Bob", "Eve") for last in ("Bell", "Carr", "Dorn")],
        [f"P{number:03d}" for number in range(12)],
        [str(number) for number in range(12)],
        [f"user{number}@example.org" for number in range(12)],
        ["O'Brien", 'the "boss"', "a;b", "c|d", "e,f", "Anna-Lena", "#1", "x y z", "Ünal", "José"],
        ["source", "target", "from", "to", "weight", "person", "contact", "name", "1", "a"],
        ["2020-01-01", "2021-05-31", "12:30", "1.5", "0,5", "NA", "-", "nan"],
    ]
)
"""Labels of a network, among them some that look like something else."""

HEADERS = st.sampled_from(
    [None, "source,target", "Person A,Person B", "Absender,Empfänger", "Chef,Helfer", "x,y"]
)
FURTHER = st.lists(
    st.sampled_from(["weight", "comma weight", "date", "text", "number", "time", "empty"]), max_size=3
)
CELLS: dict[str, Callable[[int], str]] = {
    "weight": lambda row: f"{row * 0.37:.2f}",
    "comma weight": lambda row: f"{row * 0.37:.2f}".replace(".", ","),
    "date": lambda row: f"2024-{row % 12 + 1:02d}-{row % 28 + 1:02d}",
    "text": lambda row: ["colleague", "friend of the family", "said: hello, you", ""][row % 4],
    "number": lambda row: str(row * row % 7),
    "time": lambda row: str(1_700_000_000 + row),
    "empty": lambda row: "",
}


@dataclass(frozen=True)
class Shape:
    """A network as a table, and all that a reader can be told about it."""

    edges: list[tuple[str, str]]
    separator: str
    header: bool
    encoding: str
    columns: str  # of the people, by number
    content: bytes

    @property
    def options(self) -> dict[str, Any]:
        """What a user may say."""
        return {name: getattr(self, name) for name in ("separator", "header", "encoding", "columns")}


@st.composite
def shapes(draw: st.DrawFn) -> Shape:
    """A random network in a table of a random shape."""
    labels = draw(NAMES)
    place = st.integers(0, len(labels) - 1)
    pairs = draw(st.lists(st.tuples(place, place), min_size=1, max_size=draw(st.sampled_from([4, 12, 40]))))
    edges = [(labels[u], labels[v]) for u, v in pairs]
    header, kinds = draw(HEADERS), draw(FURTHER)
    if header is None and "source" in labels:
        header = "source,target"  # else a first tie could be two well-known names of columns
    if "2020-01-01" in labels:
        kinds = []  # where people are called like dates, nobody can tell them from dates
    before = draw(st.integers(0, len(kinds)))
    if header is None and "number" in kinds[:before] and all(map(str.isdigit, labels)):
        before = 0  # columns of nothing but small numbers mean what they do in edge lists: people come first
    separator = draw(st.sampled_from(",;\t| "))
    further = [[CELLS[kind](row) for kind in kinds] for row in range(len(edges))]
    rows = [[*row[:before], *edge, *row[before:]] for edge, row in zip(edges, further, strict=True)]
    if header is not None:
        named = [f"{kind} {number}" for number, kind in enumerate(kinds)]
        rows.insert(0, [*named[:before], *header.split(","), *named[before:]])
    # A blank cannot stand for an empty cell, and a first cell that begins with # would start a comment.
    everywhere = separator == " " or any(row[0].startswith(("#", "%")) for row in rows) or draw(st.booleans())
    text = io.StringIO()
    quoted: dict[str, Any] = {"quoting": csv.QUOTE_ALL} if everywhere else {}
    csv.writer(text, delimiter=separator, lineterminator="\n", **quoted).writerows(rows)
    ended = text.getvalue().replace("\n", draw(st.sampled_from(["\n", "\r\n", "\r"])))
    encoding = draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252", "cp1250"]))
    try:
        content = ended.encode(encoding)
    except UnicodeEncodeError:
        encoding = "utf-8"
        content = ended.encode()
    columns = f"{before + 1},{before + 2}"
    return Shape(edges, separator, header is not None, encoding, columns, content)
