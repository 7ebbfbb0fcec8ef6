"""Excel: one tie a row on a sheet, and perhaps persons on another. Read only; a release is published as .csv.

A cell is the text that a person sees: 1.0 is 1, a day is 2024-05-01. Rows and columns without anything are
passed over.
"""

from __future__ import annotations

import io
import warnings
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, time
from typing import Any

from netveil.errors import FileError, SettingError, option
from netveil.files.edge_list import network_of_rows
from netveil.files.format import Format, ReadAs, imported
from netveil.files.persons import PersonTable, fitting_persons, with_persons
from netveil.files.storage import MOST_CELLS_ANYWAY, check_unpacked
from netveil.files.tables.people import named_pairs
from netveil.formatting import counted
from netveil.network import Network

EXTRA = "xlsx"
"""The extra of netveil that brings openpyxl."""

MOST_ROWS = 1 << 20
"""Rows that a sheet of Excel can have."""

MOST_PEOPLE = 0.5
"""Share of the people of ties who must have a row, for a sheet to be that of their persons."""

_ZIP = b"PK\x03\x04"
_OLD_OR_LOCKED = b"\xd0\xcf\x11\xe0"
_FAILED = {"#N/A", "#REF!", "#VALUE!", "#DIV/0!", "#NAME?", "#NUM!", "#NULL!", "#GETTING_DATA"}
"""Cells that Excel shows where a formula has no result."""


def read(content: bytes, file: str, **asked: Any) -> Network:
    """Network from the sheet that holds something; `asked` are options of `ReadAs`."""
    sheets, options = sheets_of(content, file), ReadAs(**asked)
    if not sheets:
        raise FileError(f"{file} holds no ties: its sheets are empty. Write one tie a row.")
    if options.sheet is not None:
        title = _named_sheet(options.sheet, sheets, file)
        return _network_on(title, sheets, file, options)
    if len(sheets) == 1:
        return _network_on(next(iter(sheets)), sheets, file, options)
    found = _ties_and_persons(sheets, file, options)
    if found is not None:
        return found
    rule = f"there is something on {len(sheets)} sheets ({', '.join(sheets)}), and any may be meant"
    raise FileError(
        f"{file}: {rule}. Name the one with the ties, such as {option('sheet', next(iter(sheets)))}."
    )


Rows = list[tuple[int, list[str]]]
"""The rows of a sheet that hold something, with their numbers."""


def _named_sheet(wanted: str, sheets: dict[str, Rows], file: str) -> str:
    """Title of the sheet that a user named; SettingError without one."""
    for same in (str, str.casefold):
        for title in sheets:
            if same(title.strip()) == same(wanted.strip()):
                return title
    known = ", ".join(sheets)
    raise SettingError(
        f"{option('sheet', wanted)}: {file} has no such sheet with something on it; it has {known}."
    )


def _network_on(title: str, sheets: dict[str, Rows], file: str, asked: ReadAs) -> Network:
    """Network on one sheet of a workbook."""
    numbers, rows = zip(*sheets[title], strict=True)
    network = network_of_rows(list(rows), numbers, file, asked, "xlsx")
    reading, others = network.reading, len(sheets) - 1
    assert reading is not None
    dropped = (*reading.dropped, *([counted(others, "further sheet")] if others else []))
    reading = replace(reading, sheet=title, dropped=dropped)
    return replace(network, notes=(f"Excel: sheet {title}", *network.notes), reading=reading)


def _ties_and_persons(sheets: dict[str, Rows], file: str, asked: ReadAs) -> Network | None:
    """Network of a workbook with a sheet of ties and one of their people; None where that is not clear.

    Everybody of the ties must have a row on the other sheet, or most of them where that fits no two sheets.
    A sheet whose columns are called from and to, or the like, holds no persons.
    """
    named = [title for title, rows in sheets.items() if named_pairs(rows[0][1])]
    ties: dict[str, Network] = {}
    for title in (named or sheets) if len(sheets) == 2 else ():
        with suppress(FileError, SettingError):
            ties[title] = _network_on(title, sheets, file, asked)
    for share in (1.0, MOST_PEOPLE):
        fitting = [
            (title, persons)
            for title, network in ties.items()
            for other, rows in sheets.items()
            if other not in (title, *named)
            and (persons := fitting_persons(rows, f"{file}, sheet {other}", network.labels, share=share))
            and not _hold_people(persons, network)
        ]
        if fitting:
            break
    if len(fitting) != 1:
        return None
    title, persons = fitting[0]
    network = with_persons(ties[title], persons)
    reading = network.reading
    assert reading is not None
    left_out = tuple(each for each in reading.dropped if each != counted(1, "further sheet"))
    return replace(network, reading=replace(reading, dropped=left_out))


def _hold_people(persons: PersonTable, network: Network) -> bool:
    """Whether an attribute of persons is mostly other people, so that its sheet may hold ties as well."""
    people = set(map(str, network.labels))
    values = [{str(each) for each in column if each is not None} for column in persons.attributes.values()]
    return any(len(each & people) > len(each) / 2 for each in values)


def sheets_of(content: bytes, file: str) -> dict[str, Rows]:
    """Sheets that a person sees and that hold something, by their names."""
    from zipfile import ZipFile

    openpyxl = imported("openpyxl", EXTRA, file)
    if content.startswith(_OLD_OR_LOCKED):
        rule = "is locked by a password, or an old .xls file"
        raise FileError(f"{file} {rule}. Save it as .xlsx without a password, or as a CSV file.")
    try:
        with ZipFile(io.BytesIO(content)) as archive:  # which an Excel file is
            size = sum(each.file_size for each in archive.infolist())
        check_unpacked(size, len(content), file)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # on styles and the like, which do not matter here
            book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
            seen = [sheet for sheet in book.worksheets if sheet.sheet_state == "visible"]
            found = {sheet.title: _rows(sheet, size) for sheet in seen}
    except FileError:
        raise
    # openpyxl trusts its files: what a damaged one leads to may be any exception at all.
    except Exception:
        rule = "is damaged or no Excel file at all"
        raise FileError(f"{file} {rule}. Save it again, or as a CSV file.") from None
    return {title: rows for title, rows in found.items() if rows}


def _rows(sheet: Any, size: int) -> Rows:
    """Rows of a sheet; ValueError if its cells are so far apart that nearly all between are empty."""
    sheet.reset_dimensions()  # some programs write wrong ones, and rows would be missing
    rows, cells = [], 0
    for number, values in enumerate(sheet.iter_rows(values_only=True), start=1):
        row = [_text(value) for value in values]
        if any(row):
            rows.append((number, row))
            cells += len(row)
        if number > MOST_ROWS or cells > max(MOST_CELLS_ANYWAY, size):
            raise ValueError
    return rows


def _text(value: Any) -> str:
    """Text of a cell as a person sees it."""
    match value:
        case None:
            return ""
        case bool():
            return str(value).upper()
        case float() if value.is_integer():
            return str(int(value))
        case datetime() if value.time() == time():
            return str(value.date())
    text = str(value).strip()
    return "" if text in _FAILED else text


FORMAT = Format(
    name="xlsx",
    suffixes=(".xlsx",),
    description="a sheet of Excel with one tie a row; needs openpyxl; read only",
    read=read,
    tables=sheets_of,
    options=frozenset({"columns", "header", "nominations", "sheet"}),
    magic=(_ZIP,),
)
