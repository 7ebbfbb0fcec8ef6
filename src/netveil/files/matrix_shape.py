"""The shape of a matrix in text: where its names are, and which half of it is there.

ValueErrors have a rule with its remedy and, where it is about one, the number of a row from 0. What can be
told from no row, but from the user, has the rule alone.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from netveil.errors import option
from netveil.files.tables.kinds import is_number

Rows = list[list[str]]


@dataclass(frozen=True)
class Shape:
    """A square of cells, and the names beside it."""

    body: Rows
    top: list[str] | None  # names in the first row
    left: list[str] | None  # names in the first column

    @property
    def has_header(self) -> bool:
        """Whether the first row holds names."""
        return self.top is not None


def rectangular(rows: Rows) -> Rows:
    """The rows with equally many cells each: the corner, and the half that is not there, are filled in."""
    lengths = [len(row) for row in rows]
    longest = max(lengths)
    if min(lengths) == longest:
        return rows
    if lengths == list(range(len(rows), 0, -1)):
        return [[""] * (longest - len(row)) + row for row in rows]
    if set(lengths[1:]) == {longest} and lengths[0] == longest - 1:
        return [["", *rows[0]], *rows[1:]]
    for names in (0, 1):  # rows before the triangle
        if names and all(map(_is_value, rows[0])):
            continue
        below = lengths[names:]
        grows = below == list(range(below[0], below[0] + len(below))) if below else False
        if grows and (not names or lengths[0] in (below[-1], below[-1] - 1, below[-1] + 1)):
            longest = max(longest, lengths[0] + (lengths[0] == below[-1] - 1) * names)
            head = [row if len(row) == longest else ["", *row] for row in rows[:names]]
            return head + [row + [""] * (longest - len(row)) for row in rows[names:]]
    times = Counter(lengths)
    common = max(times, key=lambda length: (times[length], length))
    odd = next(number for number, length in enumerate(lengths) if length != common)
    raise ValueError(
        f"the row has {lengths[odd]} cells and others have {common}. Correct it, or {option('separator')}.",
        odd,
    )


def shape_of(rows: Rows, header: bool | None) -> Shape:
    """The square in a rectangle of cells; `header` is what the user says of names in the first row."""
    height, width = len(rows), len(rows[0])
    left = [row[0] for row in rows]
    # Names on one side only that are numbers might be a row or a column too many.
    if height == width + 1 and (header or (header is None and not all(map(_is_value, rows[0])))):
        return Shape(rows[1:], rows[0], None)
    if height == width - 1 and not header and not all(map(_is_value, left)):
        return Shape([row[1:] for row in rows], None, left)
    if height != width or (header and height < 2):
        rule = f"{height} rows of {width} cells are not a matrix of as many rows as columns"
        remedy = (
            f"Correct it, give an edge list, or say {option('header', True)} if the first row holds names"
        )
        raise ValueError(f"{rule}. {remedy}.", None)
    named = Shape([row[1:] for row in rows[1:]], rows[0][1:], [row[0] for row in rows[1:]])
    has_names = height > 1 and _has_names(rows, named) if header is None else header
    return named if has_names else Shape(rows, None, None)


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
    return cell.lower() in ("", "nan", "na") or bool(is_number(cell) or is_number(cell.replace(",", ".", 1)))
