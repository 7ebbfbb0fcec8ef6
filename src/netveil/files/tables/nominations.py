"""Nominations: one person a line and any number of named contacts, as surveys have them.

They are recognised by a header such as `respondent; colleague1; colleague2`, where the contacts are people of
the first column; else `--nominations`, or a star in `--columns respondent,colleague*`, says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from netveil.errors import FileError, SettingError, option
from netveil.files.encodings import at_line
from netveil.files.format import ReadAs
from netveil.files.tables.cells import Column, TableCells, is_missing, question, shared_cells
from netveil.files.tables.header import (
    ABOUT_TIES,
    CONTACTS,
    contact_columns,
    is_header,
    named_pairs,
    normalized,
)
from netveil.files.tables.people import are_people, listed_columns, place_of_column
from netveil.formatting import counted
from netveil.kernels.arrays import IntVector

_DIGITS = "0123456789"


class Nominations(NamedTuple):
    """Columns of a table of nominations, counted from 0."""

    person: int
    contacts: tuple[int, ...]
    has_header: bool


class Nominated(NamedTuple):
    """Nominations of a table, as codes of its texts."""

    everybody: IntVector  # as they are met, row by row
    first: IntVector  # of each nomination: who names
    second: IntVector  # and who is named
    rows: IntVector  # of the table below its header
    missing: int  # cells such as NA that name nobody


def are_nominations(asked: ReadAs) -> bool:
    """Whether a user says that a table holds nominations."""
    starred = asked.columns is not None and any("*" in column for column in listed_columns(asked.columns))
    if starred and asked.nominations is False:
        raise SettingError(f"{option('columns')} with a star means nominations; leave one of the two out.")
    return bool(asked.nominations) or starred


def asked_nominations(cells: TableCells, file: str, asked: ReadAs) -> Nominations:
    """Columns of nominations that a user told of; a question where they are not clear."""
    wanted = None if asked.columns is None else listed_columns(asked.columns)
    by_name = wanted is not None and any(not column.isdigit() for column in wanted)
    has_header = asked.header is not False
    if asked.header is None and not by_name:
        has_header = _has_header(cells, file)
    names = cells.row(0) if has_header else None
    if wanted is not None:
        places = _places(wanted, names, cells.width)
        return Nominations(places[0], places[1:], has_header)
    columns = _below(cells, has_header)
    found = None if names is None else _by_names(names, columns)
    if found is not None:
        return found
    used = tuple(place for place in range(1, cells.width) if any(columns[place]))
    unclear = [place for place in used if columns[place].kind in ("date", "number")]
    if names is not None:  # a column may be about the person
        others = [[column for column in columns if column is not each] for each in columns]
        unclear += [place for place in used if not shared_cells(columns[place], others[place])[1]]
    if unclear or (names and not used):
        example = f"{option('columns', '1,2,3')} ({'names do' if names else 'numbers from 1'} too)"
        raise question(
            file,
            "it is not clear which of its columns hold contacts",
            f"Name the person's column and those of contacts, such as {example}.",
            cells.first_rows(),
        )
    return Nominations(0, used, has_header)


def found_nominations(cells: TableCells, file: str, asked: ReadAs) -> Nominations | None:
    """Columns of nominations in a table of which nobody said so; None for others.

    A question where names of columns say so, but their cells do not.
    """
    if asked.header is False or cells.width < 3:
        return None
    names = cells.row(0)
    stem, contacts = contact_columns(names)
    if not contacts or not (asked.header or _names_columns(cells, contacts)):
        return None
    is_pair = len(contacts) == 2 and set(contacts) in map(set, named_pairs(names))
    if is_pair and stem not in CONTACTS:  # `person1` and `person2` of a tie
        return None
    columns = _below(cells, True)
    found = _by_names(names, columns, clearly=True)
    if found is not None or stem not in CONTACTS:
        return found
    if columns[0].kind != columns[contacts[0]].kind and len(contacts) == 2:
        return None
    pair = option("columns", f"{contacts[0] + 1},{contacts[1] + 1}")
    raise question(
        file,
        "a line may be a person and named contacts, but few of those who are named have a line",
        f"Give {option('nominations', True)} if it is, or name the two columns to read, such as {pair}.",
        cells.first_rows(),
    )


def nominated(cells: TableCells, chosen: Nominations, file: str) -> Nominated:
    """Who names whom, row by row; FileError for contacts that nobody named."""
    start = int(chosen.has_header)
    persons, contacts = cells.codes[start:, chosen.person], cells.codes[start:, list(chosen.contacts)]
    empty = cells.texts.empty
    without = (persons == empty) & (contacts != empty).any(axis=1)
    if without.any():
        line = int(cells.line_numbers[start + int(without.argmax())])
        raise at_line(file, line, "expected the person who names others, found none. Fill the first cell.")
    named = np.unique(contacts)
    missing_codes = [
        code for code, text in zip(named, cells.texts.some(named), strict=True) if is_missing(text)
    ]
    nobody = np.setdiff1d(np.array(missing_codes, dtype=np.int64), np.setdiff1d(persons, [empty]))
    is_named = ~np.isin(contacts, nobody)
    _check_single_people(cells, chosen, contacts[is_named], file)
    rows, _ = np.nonzero(is_named)
    # A person stands before the contacts, also where there are none.
    whole = np.column_stack((persons, contacts))
    everybody = whole[np.column_stack((persons != empty, is_named))]
    missing = int(np.count_nonzero(~is_named & (contacts != empty)))
    return Nominated(everybody, persons[rows], contacts[is_named], rows, missing)


def _check_single_people(cells: TableCells, chosen: Nominations, named: IntVector, file: str) -> None:
    """Raise if a cell lists several people: `bob, carl`."""
    start = int(chosen.has_header)
    people = cells.column(chosen.person)[start:].distinct
    for text in cells.texts.some(np.unique(named)):
        for mark in ",;|":
            parts = [part.strip() for part in text.split(mark)]
            if len(parts) > 1 and text not in people and all(part in people for part in parts):
                raise question(
                    file,
                    "some cells list several people, so that it is not clear where one ends",
                    "Write one contact a cell, or a line such as `anna: bob, carl` for each person.",
                    cells.first_rows(),
                )


def dropped_cells(missing: int) -> tuple[str, ...]:
    """Clause on cells of contacts that say that there is none, as NA does."""
    return (counted(missing, "contact such as NA or -", "contacts such as NA or -"),) if missing else ()


def _has_header(cells: TableCells, file: str) -> bool:
    """Whether the first line of nominations names the columns; a question where that cannot be told."""
    _, contacts = contact_columns(cells.row(0))
    if contacts and _names_columns(cells, contacts):
        return True
    told = is_header(cells.row(0), None, [column[1:] for column in _below(cells, False)])
    if told is None:
        raise _unclear_header(file, cells)
    return told


def _unclear_header(file: str, cells: TableCells) -> FileError:
    return question(
        file,
        "it is not clear whether its first line names the columns or is a person with contacts",
        f"Give {option('header', True)} if it names them, {option('header', False)} if it does not.",
        cells.first_rows(),
    )


def _names_columns(cells: TableCells, contacts: Sequence[int]) -> bool:
    """Whether a first line such as `respondent; friend1; friend2` can only name the columns.

    Labels may end with numbers as well: then all do, and the name of the person's column does not.
    """
    first = cells.row(0)
    person = next(place for place in range(len(first)) if place not in contacts)
    columns = [cells.column(place)[1:] for place in (person, *contacts)]
    above = {first[place] for place in (person, *contacts)}
    if not len(columns[0]) or any(column.has_one_of(above) for column in columns):
        return False
    labels = set[str]().union(*(column.distinct for column in columns)) - {""}
    stems = {label.rstrip(_DIGITS) for label in labels if label.rstrip(_DIGITS) not in ("", label)}
    if not stems:
        return True
    all_numbered = all(label.rstrip(_DIGITS) != label for label in labels)
    stem = normalized(first[contacts[0]]).rstrip(_DIGITS)
    return all_numbered and stem not in map(normalized, stems) and not first[person][-1:].isdigit()


def _by_names(
    names: Sequence[str], columns: Sequence[Column], *, clearly: bool = False
) -> Nominations | None:
    """Columns of nominations whose names differ by a number, with the one column of those who name.

    Where it must be told `clearly`, most of those who are named must have a line themselves.
    """
    stem, contacts = contact_columns(names)
    if not contacts:
        return None
    codes = np.concatenate([columns[place].codes for place in contacts])
    together = Column(codes[codes != columns[0].texts.empty], columns[0].texts)
    others = [place for place in range(len(names)) if place not in contacts]
    found = [
        place
        for place in others
        if normalized(names[place]) not in ABOUT_TIES
        and (
            are_people(together, [columns[place]], stem in CONTACTS)
            if clearly
            else shared_cells(together, [columns[place]])[1]
        )
    ]
    if not found and not clearly:
        found = others[:1]
    return Nominations(found[0], contacts, True) if len(found) == 1 else None


def _below(cells: TableCells, has_header: bool) -> list[Column]:
    return [cells.column(place)[int(has_header) :] for place in range(cells.width)]


def _places(wanted: Sequence[str], names: Sequence[str] | None, width: int) -> tuple[int, ...]:
    """Places of the columns that a user named, a star standing for any ending."""
    places: list[int] = []
    for column in wanted:
        if "*" not in column:
            places.append(place_of_column(column, names, width))
            continue
        start, _, end = (part.casefold() for part in column.partition("*"))
        found = [
            place
            for place, name in enumerate(names or ())
            if name.casefold().startswith(start) and name.casefold().endswith(end)
        ]
        if not found:
            missing = SettingError(f"columns: no column is called '{column}'; give names or numbers from 1.")
            missing.add_note(f"  the columns: {', '.join(names or ())}")
            raise missing
        places += [place for place in found if place not in places]
    if len(set(places)) < len(places) or len(places) < 2:
        raise SettingError(
            f"columns {','.join(wanted)}: give the person's column and at least one of contacts, each once."
        )
    return tuple(places)
