"""Which two columns of a table hold the people: said by the user, or clear; else a question.

It is clear where there are two columns, or where the names of exactly two are a well-known pair such as
`source` and `target`. Tables of Parquet, Arrow, Excel and JSON come through here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from netveil.errors import FileError, SettingError, is_whole
from netveil.files.asked import Columns
from netveil.files.header import HEADERS, is_number

_SHOWN = 12
"""How many names of columns a question lists."""


class Chosen(NamedTuple):
    """Two columns."""

    places: tuple[int, int]  # from 0
    names: tuple[str, str]  # of the header, or numbers from 1


def chosen_columns(
    names: Sequence[str] | None,
    column_count: int,
    file: str,
    asked: Columns | None,
    candidates: Sequence[int] | None = None,
) -> Chosen:
    """The two columns of people. `names` are those of the header, None without one.

    `candidates` are the places of columns that may be meant where the user does not say; all, if not given.
    """
    if asked is not None:
        first, second = (_place(each, names, column_count, file) for each in _pair(asked))
        if first == second:
            raise SettingError("columns: both are the same column; name the two that hold the people.")
        return _chosen((first, second), names)
    places = range(column_count) if candidates is None else candidates
    if len(places) < 2:
        found = f"the table has {len(places)}"
        raise FileError(f"{file}: a tie needs two columns with people, but {found}. Add the other.")
    if len(places) == 2:
        return _chosen((places[0], places[1]), names)
    known = [pair for pair in well_known_pairs(names or []) if set(pair) <= set(places)]
    if len(known) == 1:
        return _chosen(known[0], names)
    raise FileError(f"{file}: {_question(names, column_count)}")


def well_known_pairs(names: Sequence[str]) -> list[tuple[int, int]]:
    """Places of columns whose names are a well-known pair, such as `From` and `To`."""
    place: dict[str, int] = {}
    for number, name in enumerate(names):
        place.setdefault(plain(name), number)
    return [(place[one], place[two]) for one, two in HEADERS if one in place and two in place]


def plain(name: str) -> str:
    """A column's name in lower case and without blanks and marks, as HEADERS has them."""
    return re.sub(r"\W|_", "", name).lower()


def first_row_is_header(rows: Sequence[Sequence[str]], file: str) -> bool:
    """Whether the first row of a table names its columns; a question where that cannot be told.

    It does if it holds a well-known pair, or if some column has a text there and numbers only below. It does
    not if it holds a number, or somebody who occurs below.
    """
    first, below = rows[0], rows[1:]
    if well_known_pairs(first):
        return True
    if not below or any(is_number(cell) for cell in first):
        return False
    columns = [[row[place] for row in below if row[place]] for place in range(len(first))]
    if any(cells and all(map(is_number, cells)) for cells in columns):
        return True
    if any(cell in cells for cell in first if cell for cells in columns):
        return False
    raise FileError(
        f"{file}: it is not clear whether the first row names the columns or is a tie. "
        f"Say --header or --no-header."
    )


def _pair(asked: Columns) -> tuple[str | int, str | int]:
    given = [part.strip() for part in asked.split(",")] if isinstance(asked, str) else list(asked)
    if len(given) != 2 or not all(is_whole(each) or (isinstance(each, str) and each) for each in given):
        raise SettingError("columns: give the two that hold the people, such as A,B or 1,2.")
    return given[0], given[1]


def _place(asked: str | int, names: Sequence[str] | None, column_count: int, file: str) -> int:
    """The place of a column that is called by its name or its number from 1."""
    if isinstance(asked, str) and names is not None:
        same = [place for place, name in enumerate(names) if name == asked]
        same = same or [place for place, name in enumerate(names) if plain(name) == plain(asked)]
        if len(same) == 1:
            return same[0]
        if len(same) > 1:
            raise SettingError(f"columns: {file} has {len(same)} columns '{asked}'; give their numbers.")
    if re.fullmatch(r"\d{1,9}", str(asked), re.ASCII) and 1 <= int(asked) <= column_count:
        return int(asked) - 1
    raise SettingError(f"columns: {file} has no column '{asked}'; it has {_listed(names, column_count)}.")


def _chosen(places: tuple[int, int], names: Sequence[str] | None) -> Chosen:
    one, two = (str(place + 1) if names is None else names[place] for place in places)
    return Chosen(places, (one, two))


def _question(names: Sequence[str] | None, column_count: int) -> str:
    example = "1,2" if names is None else ",".join(names[:2])
    return (
        f"it is not clear which two columns hold the people; there are {_listed(names, column_count)}. "
        f"Name them, such as --columns {example}."
    )


def _listed(names: Sequence[str] | None, column_count: int) -> str:
    if names is None:
        return f"{column_count} columns without names"
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"the columns {', '.join(names[:_SHOWN])}{more}"
