"""Tables of ties: cells, two columns of which are people, and an account of how that was found out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from netveil.errors import FileError, SettingError, option
from netveil.files.encodings import at_line, comments_in
from netveil.files.format import ReadAs
from netveil.files.tables.cells import (
    NO_CELLS,
    NUMBERS,
    VALUES,
    Column,
    TableCells,
    cells_of,
    is_missing,
    kind_of,
    numbered,
    numbered_among,
    question,
    shared_cells,
)
from netveil.files.tables.lines import ANY, MARKS, SEPARATORS, TableLines, bared, lines_of
from netveil.files.tables.people import (
    ABOUT_TIES,
    CONTACTS,
    TOTALS,
    about_ties,
    are_people,
    asked_places,
    contact_columns,
    further_people,
    holding_zero,
    is_header,
    left_out,
    listed_columns,
    named_pairs,
    normalized,
    parsed_columns,
    people_columns,
    place_of_column,
    several_ties,
)
from netveil.formatting import counted
from netveil.kernels.arrays import IntMatrix, IntVector
from netveil.network import DIRECTIONS, WEIGHTS

FIND_OUT = ReadAs()
"""Options of reading with none given: everything is found out."""

LINES_OF_TITLE = 3
"""Lines at most above the names of columns."""

MOST_COLUMNS = 10_000
"""Columns of a table that is looked at: every rule looks at every column."""


@dataclass(frozen=True)
class TieTable:
    """Ties of a table: one a row, as two labels."""

    first: Column  # of the two labels of each tie
    second: Column
    line_numbers: IntVector | range  # of each tie
    cells: TableCells  # of all columns, the header included
    people: tuple[int, ...]  # places of their columns, counted from 0
    has_header: bool
    dropped: tuple[str, ...]  # comments, empty lines and further columns, in words
    oddities: tuple[str, ...] = ()  # what makes one doubt that lines are what they were taken for
    everybody: IntVector | None = None  # of nominations: codes of all labels, as they are met

    def __len__(self) -> int:
        return len(self.line_numbers)

    @cached_property
    def numbered(self) -> tuple[Sequence[str], IntMatrix]:
        """Labels in the order in which they are met, and each tie as two places among them."""
        if self.everybody is not None:  # some name nobody
            return numbered_among(self.everybody, self.first, self.second)
        return numbered(self.first, self.second)

    def column(self, place: int) -> Column:
        """Cells of one column, one for each tie; none if there is no such column."""
        return self.cells.column(place)[int(self.has_header) :] if place < self.cells.width else NO_CELLS

    @property
    def separator(self) -> str | None:
        """Separator in words; None for cells of a spreadsheet."""
        if not self.cells.separator:
            return None
        return (SEPARATORS | {ANY: "blanks and marks"}).get(self.cells.separator, self.cells.separator)

    @property
    def people_names(self) -> tuple[str, ...]:
        """Columns of people by their names, or their numbers from 1."""
        names = self.cells.row(0) if self.has_header else []
        return tuple(names[place] if names else str(place + 1) for place in self.people)


def tie_table(text: str, file: str, asked: ReadAs = FIND_OUT) -> TieTable:
    """Ties in the text of a table; what is not given is found out, or asked."""
    lines = bared(lines_of(text))
    cells = cells_of(lines.texts, lines.numbers, file, asked.mark)
    return with_account(ties_in(cells, file, asked), lines)


def with_account(ties: TieTable, lines: TableLines) -> TieTable:
    """Ties in some lines of a text, with an account of its other lines."""
    below = lines.comments[len(lines.comments) - lines.inner_comments :]  # those above may name the columns
    account = [
        *comments_in("\n".join(lines.comments)),
        *[counted(lines.empty, "empty line")] * bool(lines.empty),
    ]
    oddities = (*ties.oddities, *_odd_comments(below, ties.cells))
    return replace(ties, dropped=(*account, *ties.dropped), oddities=oddities)


def ties_in(cells: TableCells, file: str, asked: ReadAs) -> TieTable:
    """Ties in the cells of a table; what is not given is found out, or asked."""
    said = are_nominations(asked)
    wanted = None if asked.columns is None or said else parsed_columns(asked.columns)
    if not len(cells):
        return TieTable(NO_CELLS, NO_CELLS, cells.line_numbers, cells, (0, 1), False, ())
    if cells.width > MOST_COLUMNS:
        rule = f"has {cells.width:,} cells, and a table of ties has {MOST_COLUMNS:,} columns at most"
        remedy = f"Give {option('format', 'matrix')} or {option('format', 'adjacency-list')} if it is one"
        raise at_line(file, cells.longest_line, f"{rule}. {remedy}, or leave columns out.")
    _check_ends(cells, file, asked)
    if said:
        return _named_in(cells, asked_nominations(cells, file, asked), file)
    if wanted is None and asked.nominations is None:
        found = found_nominations(cells, file, asked)
        if found is not None:
            return _named_in(cells, found, file)
    if cells.shortest < 2:
        raise _one_label(file, cells.shortest_line, cells)
    by_name = wanted is not None and any(not column.isdigit() for column in wanted)
    has_header = asked.header is not False
    if asked.header is None and not by_name:
        two = (0, 1) if cells.width == 2 else None
        known = two if wanted is None else asked_places(wanted, None, cells.width)
        has_header = _has_header(cells, known, "a tie", file)
    names, start = (cells.row(0), 1) if has_header else (None, 0)
    if len(cells) == start:
        return TieTable(NO_CELLS, NO_CELLS, cells.line_numbers[:0], cells, (0, 1), has_header, ())
    if wanted is None or by_name:  # names of columns mean nothing in lines that have more cells
        _check_even(cells, names, file)
    columns_below = cells.columns(start)
    people = (
        asked_places(wanted, names, cells.width) if wanted else people_columns(names, columns_below, file)
    )
    further = further_people(people, names, columns_below)
    if further and wanted is None:
        raise several_ties(further, people, file, cells.first_rows())
    dropped = _further_columns(cells, people, names)
    first, second = (columns_below[place] for place in people)
    numbers = cells.line_numbers[start:]
    _check_labels(cells, first, second, numbers, file)
    marks = "" if second.holds_digits or cells.has_quotes else "".join(second.distinct)
    if wanted is None and any(mark in marks for mark in _BETWEEN_PEOPLE):
        everybody = first.distinct | second.distinct
        remedy = "Write one tie a line, or a line such as `anna: bob, carl` for each person; if each cell is"
        remedy += f" one person, give {option('columns', '1,2')}."
        _check_single_people(cells, second.distinct, everybody, remedy, file)
    oddities = (*left_out(further, names), *holding_zero(names or (), columns_below if names else ()))
    if asked.header is None and has_header and wanted is None and _is_guess(cells):
        oddities += ("the first line was taken for a header, as its names come nowhere else",)
    return TieTable(first, second, numbers, cells, people, has_header, dropped, oddities)


def _named_in(cells: TableCells, chosen: Nominations, file: str) -> TieTable:
    """Ties between each person of a table of nominations and the contacts that they name, row by row."""
    people, start = (chosen.person, *chosen.contacts), int(chosen.has_header)
    if chosen.has_header:
        _check_even(cells, cells.row(0), file)
    whole, empty = cells.codes[start:, list(people)], cells.texts.empty
    persons, contacts = whole[:, 0], whole[:, 1:]
    without = (persons == empty) & (contacts != empty).any(axis=1)
    if without.any():
        line = int(cells.line_numbers[start + int(without.argmax())])
        raise at_line(file, line, "expected the person who names others, found none. Fill the first cell.")
    named = np.unique(contacts)
    missing = [code for code, text in zip(named, cells.texts.some(named), strict=True) if is_missing(text)]
    nobody = np.setdiff1d(np.array(missing, dtype=np.int64), np.setdiff1d(persons, [empty]))
    is_named = ~np.isin(contacts, nobody)
    labels = cells.column(chosen.person)[start:].distinct
    texts = [text for text in cells.texts.some(np.unique(contacts[is_named])) if text not in labels]
    remedy = "Write one contact a cell, or a line such as `anna: bob, carl` for each person."
    _check_single_people(cells, texts, labels, remedy, file)
    rows, _ = np.nonzero(is_named)
    first, second = (Column(codes, cells.texts) for codes in (persons[rows], contacts[is_named]))
    numbers = np.asarray(cells.line_numbers)[start:][rows]
    _check_labels(cells, first, second, numbers, file)
    names = cells.row(0) if chosen.has_header else None
    count = int(np.count_nonzero(~is_named & (contacts != empty)))
    told = [counted(count, "contact such as NA or -", "contacts such as NA or -")] * bool(count)
    return TieTable(
        first,
        second,
        numbers,
        cells,
        people,
        chosen.has_header,
        (*_further_columns(cells, people, names), *told),
        left_out(further_people(people, names, cells.columns(start)), names),
        everybody=whole[np.column_stack((persons != empty, is_named))],  # a person before the contacts
    )


def _further_columns(
    cells: TableCells, people: Sequence[int], names: Sequence[str] | None
) -> tuple[str, ...]:
    """Losses by further columns, in words: directions, weights, or something else."""
    used = [place for place in range(cells.width) if place not in people and any(cells.column(place))]
    columns = cells.columns(1)
    weights, directions = (0, 0) if names is None else about_ties(names, columns, used)
    others = len(used) - weights - directions
    named = ((DIRECTIONS, directions), (WEIGHTS, weights))
    further = (counted(others, "further column"),) if others else ()
    return (*(kind for kind, count in named if count), *further)


def _has_header(cells: TableCells, people: tuple[int, int] | None, otherwise: str, file: str) -> bool:
    """Whether the first line names the columns; a question where it may be something else as well."""
    told = is_header(cells.row(0), people, cells.columns(1))
    if told is None:
        raise question(
            file,
            f"it is not clear whether its first line names the columns or is {otherwise}",
            f"Give {option('header', True)} if it names them, else {option('header', False)}.",
            cells.first_rows(),
        )
    return told


def _is_guess(cells: TableCells) -> bool:
    """Whether nothing but the rest of the table tells that its first line is a header."""
    kinds = [column.kind for column in cells.columns(1)]
    return not named_pairs(cells.row(0)) and not any(kind in VALUES for kind in kinds)


def _check_ends(cells: TableCells, file: str, asked: ReadAs) -> None:
    """Raise if a title above the names of columns, or a last line of totals or sources, would be people."""
    first, last = cells.row(0), cells.row(len(cells) - 1)
    for place in range(1, min(len(cells), 1 + LINES_OF_TITLE)):
        row = cells.row(place)
        is_title = sum(map(bool, first)) < sum(map(bool, row)) and not named_pairs(first)
        if asked.header is not False and is_title and named_pairs(row):
            below = f"the columns are named further below, in line {cells.line_numbers[place]}"
            raise at_line(file, int(cells.line_numbers[0]), f"{below}. Leave out what is above their names.")
    begin, *others = [cell for cell in last if cell] or [""]
    is_total = normalized(begin) in TOTALS and all(kind_of(cell) in NUMBERS for cell in others)
    if len(cells) < 3 or not (is_total or ": " in begin):
        return
    above = set[str]().union(*(column[:-1].distinct for column in cells.columns(0)))
    is_apart = begin not in others and above.isdisjoint(others) and not any(": " in cell for cell in above)
    if begin not in above and (is_total or is_apart):
        what = "totals of the lines above" if is_total else "a remark"
        remedy = "Leave it out, or write # before it"
        raise at_line(file, int(cells.line_numbers[-1]), f"this last line looks like {what}. {remedy}.")


def _check_even(cells: TableCells, names: Sequence[str] | None, file: str) -> None:
    """Raise unless lines with fewer cells than others can only lack what is behind the people."""
    if cells.shortest == cells.width:
        return
    if names is not None:
        if names[-1]:
            return
        rule = f"has {cells.width} cells, but the header names fewer columns"
        raise at_line(file, cells.longest_line, f"{rule}. Put a cell that holds the separator in quotes.")
    _check_labels(cells, cells.column(0), cells.column(1), cells.line_numbers, file)
    kinds = [column.kind for column in cells.columns(0)]
    if kinds[:2] == ["text", "text"] and "text" not in kinds[2:]:
        return
    raise question(
        file,
        f"some lines have {cells.shortest} cells and others {cells.width}, so it is not clear what they mean",
        f"Give {option('columns', '1,2')} if the first two are people and the rest is about the tie, or "
        f"{option('nominations', True)} if a line has a person and all contacts.",
        cells.first_rows(),
    )


def _check_labels(
    cells: TableCells, first: Column, second: Column, numbers: IntVector | range, file: str
) -> None:
    for column in (first, second):
        if column.holds_digits:
            continue
        if "" in column:
            raise _one_label(file, int(numbers[column.index("")]), cells)
        at = _ends_with_mark(column) if cells.separator in (" ", ANY) and not cells.has_quotes else None
        if at is not None:
            rule = "a label ends with a comma or semicolon, where others are separated by blanks"
            raise at_line(file, int(numbers[at]), f"{rule}. Separate all labels alike.")
        if "\n" in "".join(column.distinct):
            line = next(int(number) for number, label in zip(numbers, column, strict=True) if "\n" in label)
            raise at_line(file, line, "a label goes on in the next line. Close the quote that it opens.")


def _ends_with_mark(column: Column) -> int | None:
    whole = "\n".join(column.distinct) + "\n"
    if ",\n" not in whole and ";\n" not in whole:  # as in nearly all tables
        return None
    return next((place for place, label in enumerate(column) if label.endswith((",", ";"))), None)


_BETWEEN_PEOPLE = ",;|"


def _check_single_people(
    cells: TableCells, texts: Iterable[str], people: Set[str], remedy: str, file: str
) -> None:
    """Raise if one of these cells is a list of people, as `bob, carl` is."""
    for text in texts:
        for mark in _BETWEEN_PEOPLE:
            parts = text.split(mark)
            if len(parts) > 1 and all(part.strip() in people for part in parts):
                unclear = "some cells list several people, so that it is not clear where one ends"
                raise question(file, unclear, remedy, cells.first_rows())


def _one_label(file: str, line: int, cells: TableCells) -> FileError:
    in_text = f"Separate them by a comma, a semicolon, a tab or a blank ({option('separator')})."
    remedy = in_text if cells.separator and cells.shortest < 2 else "Fill the cell, or leave the line out."
    if cells.width > 2:
        remedy += f" If a line is a person and named contacts, give {option('nominations', True)}."
    return at_line(file, line, f"expected two node labels, found one. {remedy}")


def _odd_comments(comments: Sequence[str], cells: TableCells) -> tuple[str, ...]:
    """Warning of comments that may be ties of people whose labels begin with #."""
    like_ties = sum(comment.count(cells.separator) == cells.width - 1 for comment in comments)
    if cells.separator not in MARKS or not like_ties:
        return ()
    lines = counted(like_ties, "line that starts with # or % was", "lines that start with # or % were")
    return (f"{lines} taken for comments, and may be ties; put labels that begin so in quotes",)


# Nominations: one person a line and any number of named contacts, as surveys have them.
#
# They are recognised by a header such as `respondent; colleague1; colleague2`, where the contacts are people
# of the first column; else `--nominations`, or a star in `--columns respondent,colleague*`, says so.


_DIGITS = "0123456789"


class Nominations(NamedTuple):
    """Columns of a table of nominations, counted from 0."""

    person: int
    contacts: tuple[int, ...]
    has_header: bool


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
        _, contacts = contact_columns(cells.row(0))
        is_named = bool(contacts) and _names_columns(cells, contacts)
        has_header = is_named or _has_header(cells, None, "a person with contacts", file)
    names = cells.row(0) if has_header else None
    if wanted is not None:
        places = _places(wanted, names, cells.width)
        return Nominations(places[0], places[1:], has_header)
    columns = cells.columns(int(has_header))
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
    columns = cells.columns(1)
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
