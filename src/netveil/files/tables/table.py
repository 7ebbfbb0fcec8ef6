"""Tables of ties: cells, two columns of which are people, and an account of how that was found out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from netveil.errors import FileError, option
from netveil.files.encodings import at_line
from netveil.files.format import ReadAs
from netveil.files.tables.cells import (
    NO_CELLS,
    NUMBERS,
    VALUES,
    Column,
    TableCells,
    cells_of,
    kind_of,
    numbered,
    numbered_among,
    question,
)
from netveil.files.tables.header import (
    TOTALS,
    about_ties,
    is_header,
    named_pairs,
    normalized,
    weights_of_zero,
)
from netveil.files.tables.lines import ANY, MARKS, SEPARATORS, TableLines, bared, lines_of
from netveil.files.tables.nominations import (
    Nominations,
    are_nominations,
    asked_nominations,
    dropped_cells,
    found_nominations,
    nominated,
)
from netveil.files.tables.people import (
    asked_places,
    further_people,
    left_out,
    parsed_columns,
    people_columns,
    several_ties,
)
from netveil.formatting import counted
from netveil.kernels.arrays import IntMatrix, IntVector
from netveil.reading import DIRECTIONS, WEIGHTS

FIND_OUT = ReadAs()
"""Nothing is said of how a table is to be read."""

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
    counts = {"comment line": len(lines.comments), "empty line": lines.empty}
    account = [counted(count, noun) for noun, count in counts.items() if count]
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
    dropped: tuple[str, ...] = ()
    by_name = wanted is not None and any(not column.isdigit() for column in wanted)
    has_header = asked.header is not False
    if asked.header is None and not by_name:
        has_header = _has_header(cells, wanted, file)
    names, start = (cells.row(0), 1) if has_header else (None, 0)
    if len(cells) == start:
        return TieTable(NO_CELLS, NO_CELLS, cells.line_numbers[:0], cells, (0, 1), has_header, dropped)
    if wanted is None or by_name:  # names of columns mean nothing in lines that have more cells
        _check_even(cells, names, file)
    columns_below = [cells.column(place)[start:] for place in range(cells.width)]
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
    if wanted is None:
        _check_contacts(cells, first, second, file)
    oddities = left_out(further, names)
    if names is not None:
        oddities += weights_of_zero(names, columns_below, [p for p in range(cells.width) if p not in people])
    if asked.header is None and has_header and wanted is None and _is_guess(cells):
        oddities += ("the first line was taken for a header, as its names come nowhere else",)
    return TieTable(first, second, numbers, cells, people, has_header, dropped, oddities)


def _named_in(cells: TableCells, chosen: Nominations, file: str) -> TieTable:
    """Ties between each person of a table of nominations and the contacts that they name."""
    people, start = (chosen.person, *chosen.contacts), int(chosen.has_header)
    if chosen.has_header:
        _check_even(cells, cells.row(0), file)
    found = nominated(cells, chosen, file)
    first, second = (Column(codes, cells.texts) for codes in (found.first, found.second))
    numbers = np.asarray(cells.line_numbers)[start:][found.rows]
    _check_labels(cells, first, second, numbers, file)
    names = cells.row(0) if chosen.has_header else None
    columns_below = [cells.column(place)[start:] for place in range(cells.width)]
    further = further_people(people, names, columns_below)
    dropped = (*_further_columns(cells, people, names), *dropped_cells(found.missing))
    oddities = left_out(further, names)
    return TieTable(
        first, second, numbers, cells, people, chosen.has_header, dropped, oddities, found.everybody
    )


def _further_columns(
    cells: TableCells, people: Sequence[int], names: Sequence[str] | None
) -> tuple[str, ...]:
    """What further columns hold that is lost, in words: directions, weights, or something else."""
    used = [place for place in range(cells.width) if place not in people and any(cells.column(place))]
    columns = [cells.column(place)[1:] for place in range(cells.width)]
    weights, directions = (0, 0) if names is None else about_ties(names, columns, used)
    others = len(used) - weights - directions
    named = ((DIRECTIONS, directions), (WEIGHTS, weights))
    further = (counted(others, "further column"),) if others else ()
    return (*(kind for kind, count in named if count), *further)


def _has_header(cells: TableCells, wanted: tuple[str, str] | None, file: str) -> bool:
    """Whether the first line names the columns; a question where that cannot be told."""
    two = (0, 1) if cells.width == 2 else None
    people = two if wanted is None else asked_places(wanted, None, cells.width)
    below = [cells.column(place)[1:] for place in range(cells.width)]
    told = is_header(cells.row(0), people, below)
    if told is None:
        raise question(
            file,
            "it is not clear whether its first line names the columns or is a tie",
            f"Give {option('header', True)} if it names them, {option('header', False)} if it is a tie.",
            cells.first_rows(),
        )
    return told


def _is_guess(cells: TableCells) -> bool:
    """Whether nothing but the rest of the table tells that its first line is a header."""
    below = [cells.column(place)[1:].kind for place in range(cells.width)]
    return not named_pairs(cells.row(0)) and not any(kind in VALUES for kind in below)


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
    above = set[str]().union(*(cells.column(place)[:-1].distinct for place in range(cells.width)))
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
    kinds = [cells.column(place).kind for place in range(cells.width)]
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


def _check_contacts(cells: TableCells, first: Column, second: Column, file: str) -> None:
    """Raise if the second person of some line is a list of people, as `bob, carl` is."""
    if second.holds_digits:
        return
    whole = "".join(second.distinct)
    if cells.has_quotes or not any(mark in whole for mark in ",;|"):  # quotes say that a cell is one thing
        return
    people: set[str] = set()
    for label in second.distinct:
        mark = next((mark for mark in ",;|" if mark in label and mark != cells.separator), None)
        if mark is None:
            continue
        people = people or {*first.distinct, *second.distinct}
        if all(part.strip() in people for part in label.split(mark)):
            raise question(
                file,
                "some cells list several people, so that it is not clear where one ends",
                f"Write one tie a line, or a line such as `anna: bob, carl` for each person; if each cell "
                f"is one person, give {option('columns', '1,2')}.",
                cells.first_rows(),
            )


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
