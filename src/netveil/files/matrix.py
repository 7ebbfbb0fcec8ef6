"""Adjacency matrices in text: a row for each person, a number in it for each other.

0, an empty cell and NaN mean no tie, any other number one; a tie from either side counts as one. Names may
stand in the first row, in the first column or in both, with or without a cell in the corner. Read only: a
matrix of thousands of people is mostly zeros, so releases are edge lists.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from netveil.errors import FileError, option
from netveil.files.encodings import at_line, comments_in, text_and_encoding
from netveil.files.format import Format, ReadAs
from netveil.files.labels import first_numbered, one_sided
from netveil.files.tables.cells import is_number, without_declaration
from netveil.files.tables.lines import SEPARATORS, cells_at, lines_of
from netveil.files.tables.people import named_pairs
from netveil.formatting import counted
from netveil.network import WEIGHTS, Network, Reading

# The shape of a matrix in text: where its names are, and which half of it is there.
#
# ValueErrors have a rule with its remedy and, where it is about one, the number of a row from 0. What can
# be told from no row, but from the user, has the rule alone.


Rows = list[list[str]]


@dataclass(frozen=True)
class Shape:
    """Square of cells, the names beside it, and where it stands in a file."""

    body: Rows
    top: list[str] | None = None  # names in the first row
    left: list[str] | None = None  # names in the first column
    line_numbers: Sequence[int] = ()  # of all rows, that with names too
    separator: str = ""

    def line_of(self, row: int) -> int:
        """Number of the line of a row of the body."""
        return int(self.line_numbers[row + (self.top is not None)])


def rectangular(rows: Rows) -> Rows:
    """Rows with equally many cells each: a missing corner is filled in."""
    lengths = [len(row) for row in rows]
    if set(lengths[1:]) == {lengths[0] + 1}:
        return [["", *rows[0]], *rows[1:]]
    times = Counter(lengths)
    common = max(times, key=lambda length: (times[length], length))
    odd = next((number for number, length in enumerate(lengths) if length != common), None)
    if odd is None:
        return rows
    rule = f"the row has {lengths[odd]} cells and others have {common}"
    raise ValueError(f"{rule}. Correct it, or {option('separator')}.", odd)


def shape_of(rows: Rows, header: bool | None) -> Shape:
    """Square in a rectangle of cells; `header` says whether the first row has names, None if unknown."""
    height, width = len(rows), len(rows[0])
    left = [row[0] for row in rows]
    # Names on one side only that are numbers might be a row or a column too many.
    if height == width + 1 and (header or (header is None and not all(map(_is_value, rows[0])))):
        return Shape(rows[1:], rows[0])
    if height == width - 1 and not header and not all(map(_is_value, left)):
        return Shape([row[1:] for row in rows], None, left)
    if height != width or (header and height < 2):
        rule = f"{height} rows of {width} cells are not a matrix of as many rows as columns"
        remedy = (
            f"Correct it, give an edge list, or say {option('header', True)} if names are in the first row"
        )
        raise ValueError(f"{rule}. {remedy}.", None)
    named = Shape([row[1:] for row in rows[1:]], rows[0][1:], [row[0] for row in rows[1:]])
    has_names = height > 1 and _has_names(rows, named) if header is None else header
    return named if has_names else Shape(rows)


def _has_names(rows: Rows, named: Shape) -> bool:
    """Whether the first row and the first column of a square are names, which may be numbers."""
    corner, top, left = rows[0][0], named.top or [], named.left or []
    if any(not _is_value(cell) for cell in [corner, *top, *left]):
        return True
    are_names = top == left and len(set(top)) == len(top) and all(cell.isdigit() for cell in top)
    if corner or not top or not are_names:
        return False
    # The corner is empty. It is the place between names if the diagonal is not empty elsewhere.
    if all(named.body[place][place] for place in range(len(top))):
        return True
    raise ValueError(
        "it is not clear whether the first row and column are names or numbers of ties. "
        f"Say {option('header', True)} if they are names, else {option('header', False)}."
    )


def _is_value(cell: str) -> bool:
    return number_in(cell, decimal_comma=True) is not None


def read(content: bytes, file: str, **options: Any) -> Network:
    """Network with a tie wherever the matrix has a number other than 0, above or below the diagonal."""
    asked = ReadAs(**options)
    text, encoding = text_and_encoding(content, file, asked.encoding)
    shape = _lines(text, file, asked)
    value, size = _values(shape, file), len(shape.body)
    ties = np.array([[value[cell] != 0 for cell in row] for row in shape.body], dtype=bool)
    pairs = np.argwhere(ties.reshape(size, size)).astype(np.int64)
    network = Network.from_numbered_edges(pairs, size, _names(shape, file), each_way=True)
    above, below = (pairs[:, 0] < pairs[:, 1]).any(), (pairs[:, 0] > pairs[:, 1]).any()
    halves = one_sided(network, len(pairs)) if above and below else ()
    if above != below:
        halves = (f"only the {'upper' if above else 'lower'} half has ties",)
    dropped = (*comments_in(text), *[WEIGHTS] * (not set(value.values()) <= {0, 1}))
    reading = Reading(
        "matrix",
        SEPARATORS.get(shape.separator, shape.separator),
        header=shape.top is not None,
        encoding=encoding,
        first=first_numbered(network, pairs),
        dropped=dropped + tuple(f"direction of {each}" for each in halves if "side" in each),
    )
    return replace(network, notes=(f"matrix: {counted(size, 'row')}", *halves), reading=reading)


def _lines(text: str, file: str, asked: ReadAs) -> Shape:
    """Rows of a file, split at the strongest separator with which they are a matrix."""
    content = lines_of(text)
    if content.texts and not without_declaration(content.texts[:1]):
        content = content._replace(texts=content.texts[1:], numbers=content.numbers[1:])
    if not content.texts:
        raise FileError(f"{file} holds no matrix: it has no rows. Write a row for each person.")
    candidates = [mark for mark in SEPARATORS if any(mark in line for line in content.texts)] or [","]
    trouble = None
    for mark in [asked.mark] if asked.mark else candidates:
        try:
            rows = [cells_at(line, mark) or [] for line in content.texts]
            if [] in rows:
                raise ValueError("a quote is opened and never closed. Close it.", rows.index([]))
            if len(rows) > 2 and all(len(row) == len(rows) + 1 and not row[-1] for row in rows):
                rows = [row[:-1] for row in rows]  # separators at the ends of lines
            shape = shape_of(rectangular(rows), asked.header)
            return replace(shape, line_numbers=content.numbers.tolist(), separator=mark)
        except ValueError as error:
            trouble = trouble or error
    rule, row = trouble.args if trouble is not None and len(trouble.args) == 2 else (str(trouble), None)
    raise FileError(f"{file}: {rule}") if row is None else at_line(file, int(content.numbers[row]), rule)


def _values(shape: Shape, file: str) -> dict[str, float]:
    """Number in each different cell, 0 where there is none."""
    value: dict[str, float] = {}
    for row, cells in enumerate(shape.body):
        for cell in set(cells) - value.keys():
            number = number_in(cell, decimal_comma=shape.separator != ",")
            if number is None:
                rule = "a cell of the matrix is not a number. Correct it."
                raise at_line(file, shape.line_of(row), rule)
            value[cell] = number
    return value


def number_in(cell: str, *, decimal_comma: bool) -> float | None:
    """Number in a cell, 0 where it is empty; None if it holds something else."""
    if cell.lower() in ("", "nan", "na"):
        return 0.0
    plain = cell.replace(",", ".", 1) if decimal_comma else cell
    return float(plain) if is_number(plain) else None


def _names(shape: Shape, file: str) -> tuple[str, ...] | None:
    """Names of people; FileError if they differ on both sides, are empty or stand twice."""
    if shape.left is not None and shape.top is not None:
        for row, (left, top) in enumerate(zip(shape.left, shape.top, strict=True)):
            if left != top:
                rule = "the name of a row is not that of the column with the same number"
                remedy = "Put both in one order, or give a matrix without names"
                raise at_line(file, shape.line_of(row), f"{rule}. {remedy}.")
    names = shape.left if shape.left is not None else shape.top
    first: dict[str, int] = {}
    for place, name in enumerate(names or ()):
        if not name or first.setdefault(name, place) != place:
            rule = f"names {first[name] + 1} and {place + 1} agree" if name else f"name {place + 1} is empty"
            line = shape.line_numbers[0] if shape.left is None else shape.line_of(place)
            raise at_line(file, line, f"{rule}. Give each person a name of their own.")
    return None if names is None else tuple(names)


def looks_like_matrix(rows: Sequence[Sequence[str]]) -> bool | None:
    """Whether cells, line by line, are surely a matrix; None where they may be one, or ties with weights.

    Surely: three columns or more, as many rows as columns beside names, numbers in all cells, and these are
    0 and 1 only, or the matrix is symmetric. Three columns of numbers may be ties with weights, unless they
    are all 0 or 1; so may what has names on one side only.
    """
    if not rows or max(map(len, rows)) < 3:
        return False
    try:
        shape = shape_of(rectangular([list(row) for row in rows]), None)
    except ValueError as error:
        numbers = (number_in(cell, decimal_comma=True) for row in rows for cell in row)
        return None if len(error.args) == 1 and None not in numbers else False
    values = [[number_in(cell, decimal_comma=True) for cell in row] for row in shape.body]
    if any(value is None for row in values for value in row):
        return False
    if shape.left is not None and shape.top is not None:
        return shape.left == shape.top
    grid = np.array(values, dtype=float)
    is_binary, is_symmetric = np.isin(grid, (0, 1)).all(), (grid == grid.T).all()
    if shape.top is None and shape.left is None:
        if is_binary or (is_symmetric and len(grid) > 3):
            return True
        # Three ties with weights: a matrix of three people would have zeros in its diagonal.
        return False if len(grid) == 3 and grid.diagonal().any() and not is_symmetric else None
    if not is_binary and not is_symmetric:
        return False
    return True if len(grid) > 3 and not named_pairs(shape.top or []) else None


FORMAT = Format(
    name="matrix",
    suffixes=(),
    description="an adjacency matrix in text, with names or without; read only",
    read=read,
    options=frozenset({"separator", "header", "encoding"}),
)
