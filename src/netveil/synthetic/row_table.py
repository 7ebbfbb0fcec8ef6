"""The table that a synthetic network is drawn from, and its two files. No network is seen here.

table.csv       community,people,degree,inside,triangles,bin: a line a row, people of a row are all equal
table-ties.csv  what,one,other,number: k, nodes in the largest component, ties between communities, ties
                between bins of similar degree, and bounds on figures of the whole network: from one to other,
                in millionths
"""

from __future__ import annotations

import csv
from dataclasses import dataclass, field, fields
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from netveil.errors import FileError
from netveil.formatting import csv_table

TABLE, TIES = "table.csv", "table-ties.csv"
COLUMNS = ("community", "people", "degree", "inside", "triangles", "bin")
TIES_COLUMNS = ("what", "one", "other", "number")
FIGURES = ("clustering", "path_length", "lcc", "assortativity")  # that may have bounds
UNIT = 1_000_000  # bounds are in millionths

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
    try:
        columns = np.array(_lines(folder / TABLE, COLUMNS), np.int64).reshape(-1, len(COLUMNS)).T
        matrices: dict[str, Counts] = {}
        for what, part in (("communities", columns[0]), ("bins", columns[-1])):
            if not np.array_equal(np.unique(part), np.arange(len(np.unique(part)))):
                raise ValueError(f"{what} are not numbered from 0")
            matrices[what] = np.zeros((len(np.unique(part)),) * 2, np.int64)
        single: dict[str, int] = {}
        bounds: Bounds = {}
        for what, one, other, number in _lines(folder / TIES, TIES_COLUMNS):
            if what in matrices:
                if not 0 <= int(one) <= int(other) or int(number) < 0:
                    raise ValueError(f"{what} {one} and {other}: no number of ties")
                matrices[what][int(one), int(other)] = int(number)
            elif what in FIGURES and int(number) == UNIT:
                bounds[what] = (int(one), int(other))
            else:
                single[what] = int(number)
        between, mixing = matrices.values()
        table = RowTable(single.pop("k"), *columns, between, mixing, single.pop("largest"), bounds)  # type: ignore[call-arg]
        if single:
            raise ValueError(f"{', '.join(single)}: not known")
        _check(table)
    except OSError as error:
        raise FileError(
            f"{error.filename}: {error.strerror}. Give the folder in which a table was written."
        ) from None
    except (ValueError, LookupError, OverflowError, csv.Error) as error:
        raise FileError(
            f"{folder}: {TABLE} and {TIES} do not make a table ({error}). Take the files as netveil wrote "
            f"them, or make a new table."
        ) from None
    return table


def _lines(file: Path, columns: tuple[str, ...]) -> list[list[str]]:
    """Cells of a file below its header."""
    header, *lines = csv.reader(file.read_text(encoding="utf-8").splitlines())
    if tuple(header) != columns or any(len(line) != len(columns) for line in lines):
        raise ValueError(f"{file.name} does not have the columns {','.join(columns)}")
    return lines


def _check(table: RowTable) -> None:
    """Raise ValueError for a table that no network has: drawing would fail, or take all memory."""
    people, degree = table.people, table.degree
    keys = np.column_stack((table.community, degree, table.inside, table.triangles))
    nodes = sum(people.tolist())
    rules = (
        (
            2 <= table.k <= people.min(initial=table.k),
            "a row stands for fewer than k people, or k is below 2",
        ),
        (nodes < 2**31, f"{nodes:,} people are too many"),
        (0 <= table.largest <= nodes, "largest is not between 0 and the number of people"),
        (keys.min(initial=0) >= 0, "a number is below zero"),
        (degree.max(initial=0) < max(nodes, 1), "degree is not below the number of people"),
        ((table.inside <= degree).all(), "inside is more than degree"),
        (
            (table.triangles <= degree * (degree - 1) // 2).all(),
            "triangles are more than pairs of neighbours",
        ),
        (np.array_equal(keys, np.unique(keys, axis=0)), "rows are not different and ascending"),
        (all(least <= most for least, most in table.bounds.values()), "bounds do not ascend"),
    )
    for holds, rule in rules:
        if not holds:
            raise ValueError(rule)
