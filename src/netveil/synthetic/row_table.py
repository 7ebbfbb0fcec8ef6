"""The table that a synthetic network is drawn from, and its two files. No network is seen here.

table.csv       community,people,degree,inside,triangles,bin: a line a row, people of a row are all equal
table-ties.csv  what,one,other,number: k, nodes in the largest component, ties between communities, ties
                between bins of similar degree, and bounds on figures of the whole network: from one to other,
                in millionths
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from netveil.errors import FileError
from netveil.formatting import csv_table

TABLE, TIES = "table.csv", "table-ties.csv"
COLUMNS = ("community", "people", "degree", "inside", "triangles", "bin")
TIES_COLUMNS = ("what", "one", "other", "number")
MOST_NODES = 2**31 - 1
MOST_DIGITS = 15
FIGURES = ("clustering", "path_length", "lcc", "assortativity")  # that may have bounds
UNIT = 1_000_000  # bounds are in millionths
REMEDY = "Take the file as netveil wrote it, or make a new table."

Counts = NDArray[np.int64]
Bounds = dict[str, tuple[int, int]]  # least and most by name, in millionths


@dataclass(frozen=True, eq=False)
class RowTable:
    """All that is known of a network when a synthetic one is drawn. Rows are different, and ascend."""

    k: int  # each row stands for so many people or more
    community: Counts  # (rows): numbers from 0
    people: Counts  # (rows): nodes that are equal in all that follows
    degree: Counts  # (rows)
    inside: Counts  # (rows): neighbours in the own community
    triangles: Counts  # (rows)
    bin: Counts  # (rows): numbers from 0; rows of similar degree share one
    between: Counts  # (communities, communities): edges, above the diagonal
    mixing: Counts  # (bins, bins): edges, on and above the diagonal
    largest: int  # nodes in the largest component
    bounds: Bounds = field(default_factory=dict)  # figures of the whole network that drawings must keep

    @property
    def node_count(self) -> int:
        """Number of people that all rows stand for."""
        return int(self.people.sum())

    @property
    def row_count(self) -> int:
        """Number of rows."""
        return len(self.people)

    @property
    def smallest_row(self) -> int:
        """People of the smallest row; nobody is found with a higher probability than one over it."""
        return int(self.people.min(initial=self.node_count))

    @property
    def ceiling(self) -> float:
        """Share of people that anybody can find on average, whatever she knows: rows / people."""
        return self.row_count / max(self.node_count, 1)

    @property
    def row_of_node(self) -> Counts:
        """Row of each node of a network that is drawn: nodes are numbered row by row."""
        return np.repeat(np.arange(self.row_count), self.people)

    def __eq__(self, other: object) -> bool:
        """Whether all figures are equal."""
        if not isinstance(other, RowTable):
            return NotImplemented
        return all(
            np.array_equal(getattr(self, each.name), getattr(other, each.name)) for each in fields(self)
        )

    __hash__ = None  # type: ignore[assignment]  # arrays have none


def write_table(table: RowTable, folder: Path) -> tuple[Path, Path]:
    """Write the two files of a table into a folder that exists; returns their paths."""
    files = (folder / TABLE, folder / TIES)
    for file, text in zip(files, table_texts(table), strict=True):
        file.write_text(text, encoding="utf-8", newline="")
    return files


def table_texts(table: RowTable) -> tuple[str, str]:
    """Contents of `table.csv` and of `table-ties.csv`."""
    rows = np.column_stack([getattr(table, column) for column in COLUMNS]).tolist()
    ties: list[tuple[str, int | None, int | None, int]] = [
        ("k", None, None, table.k),
        ("largest", None, None, table.largest),
    ]
    for what, matrix in (("communities", table.between), ("bins", table.mixing)):
        ties += [(what, one, other, int(matrix[one, other])) for one, other in np.argwhere(matrix).tolist()]
    ties += [(name, least, most, UNIT) for name, (least, most) in table.bounds.items()]
    return csv_table(COLUMNS, rows), csv_table(TIES_COLUMNS, ties)


def read_table(folder: Path) -> RowTable:
    """Read the two files of a table; a FileError where they do not make one."""
    columns = np.array([row for _, row in _lines(folder / TABLE, COLUMNS)], np.int64).reshape(-1, 6).T
    community, people, degree, inside, triangles, bins = columns
    _check_rows(folder / TABLE, columns)
    parts = [int(part.max(initial=-1)) + 1 for part in (community, bins)]
    matrices = {
        "communities": np.zeros((parts[0],) * 2, np.int64),
        "bins": np.zeros((parts[1],) * 2, np.int64),
    }
    single: dict[str, int] = {}
    bounds: Bounds = {}
    file = folder / TIES
    for line, (what, one, other, number) in _tie_lines(file):
        if what in ("k", "largest"):
            single[what] = number
        elif what in matrices:
            size = len(matrices[what])
            if not (0 <= one <= other < size and (one < other or what == "bins")):
                raise _damaged(file, line, f"{what} {one} and {other}, of {size} numbered from 0")
            matrices[what][one, other] = number
        elif what in FIGURES:
            if not (one <= other and number == UNIT):
                raise _damaged(file, line, f"{what} is not between two numbers in parts of {UNIT}")
            bounds[what] = (one, other)
        else:
            raise _damaged(
                file, line, f"{what!r} is none of k, largest, communities, bins, {', '.join(FIGURES)}"
            )
    k, largest = single.get("k", 0), single.get("largest", -1)
    if k < 2 or people.min(initial=k) < k:
        raise _damaged(file, None, f"k {k}: a row of {TABLE} stands for fewer people, or k is below 2")
    if not 0 <= largest <= people.sum():
        raise _damaged(
            file, None, f"largest {largest}: not between 0 and the {people.sum():,} people of {TABLE}"
        )
    return RowTable(
        k,
        community,
        people,
        degree,
        inside,
        triangles,
        bins,
        matrices["communities"],
        matrices["bins"],
        largest,
        bounds,
    )


def _check_rows(file: Path, columns: Counts) -> None:
    """Raise a FileError for rows that no network can have, or that are not written as `write_table` does."""
    community, people, degree, inside, triangles, bins = columns
    nodes = int(people.astype(object).sum()) if people.size else 0
    if nodes > MOST_NODES:
        raise _damaged(file, None, f"{nodes:,} people are more than {MOST_NODES:,}")
    of_community = np.bincount(community, people, 1) if community.max(initial=0) < len(community) else None
    if of_community is None or set(community.tolist()) != set(range(int(community.max(initial=-1)) + 1)):
        raise _damaged(file, None, "communities are not numbered from 0")
    if set(bins.tolist()) != set(range(int(bins.max(initial=-1)) + 1)):
        raise _damaged(file, None, "bins are not numbered from 0")
    rules = (
        (degree < max(nodes, 1), "degree is not below the number of people"),
        (inside <= degree, "inside is more than degree"),
        (inside < np.maximum(of_community[community], 1), "inside is not below the people of the community"),
        (triangles <= degree * (degree - 1) // 2, "triangles are more than pairs of neighbours"),
    )
    for holds, rule in rules:
        if not holds.all():
            raise _damaged(file, int(np.argmin(holds)) + 2, rule)
    keys = [tuple(row) for row in columns[[0, 2, 3, 4]].T.tolist()]
    for place in range(1, len(keys)):
        if keys[place - 1] >= keys[place]:
            raise _damaged(file, place + 2, "rows are not different and ascending")


def _tie_lines(file: Path) -> Iterator[tuple[int, tuple[str, int, int, int]]]:
    """Lines of `table-ties.csv`; -1 where `one` or `other` is empty. Bounds may be below zero."""
    for line, (what, *cells) in _cells(file, TIES_COLUMNS):
        one, other = (
            -_number(file, line, cell[1:])
            if what in FIGURES and cell.startswith("-")
            else _number(file, line, cell)
            if cell
            else -1
            for cell in cells[:2]
        )
        yield line, (what, one, other, _number(file, line, cells[2]))


def _lines(file: Path, columns: tuple[str, ...]) -> Iterator[tuple[int, list[int]]]:
    """Lines of a table of whole numbers, with their line numbers."""
    for line, cells in _cells(file, columns):
        yield line, [_number(file, line, cell) for cell in cells]


def _cells(file: Path, columns: tuple[str, ...]) -> Iterator[tuple[int, list[str]]]:
    """Lines of a table below its header."""
    try:
        lines = list(csv.reader(file.read_text(encoding="utf-8").splitlines()))
    except OSError as error:
        raise FileError(f"{file}: {error.strerror}. Give the folder in which a table was written.") from None
    except (UnicodeDecodeError, csv.Error):
        raise _damaged(file, None, "not a CSV file in UTF-8") from None
    if not lines or tuple(lines[0]) != columns:
        raise _damaged(file, 1, f"the header is not {','.join(columns)}")
    for number, cells in enumerate(lines[1:], 2):
        if len(cells) != len(columns):
            raise _damaged(file, number, f"{len(cells)} cells instead of {len(columns)}")
        yield number, cells


def _number(file: Path, line: int, cell: str) -> int:
    if not (cell.isascii() and cell.isdigit() and len(cell) <= MOST_DIGITS):
        raise _damaged(
            file, line, f"{cell[:MOST_DIGITS]!r} is no whole number of at most {MOST_DIGITS} digits"
        )
    return int(cell)


def _damaged(file: Path, line: int | None, what: str) -> FileError:
    where = f"{file}, line {line}" if line else str(file)
    return FileError(f"{where}: {what}. {REMEDY}")
