"""Excel: the one sheet that holds something, one tie a row. Read only; a release is published as .csv.

A cell is the text that a person sees: 1.0 is 1, a day is 2024-05-01. Rows and columns without anything are
passed over.
"""

from __future__ import annotations

import io
import warnings
from dataclasses import replace
from datetime import datetime, time
from typing import Any

import numpy as np

from netveil.errors import FileError
from netveil.files.edge_list import network_from_table
from netveil.files.format import Extras, Format, ReadAs, imported
from netveil.files.storage import MOST_CELLS_ANYWAY, check_unpacked
from netveil.files.tables.cells import padded
from netveil.files.tables.table import ties_in
from netveil.network import Network

EXTRA = "xlsx"
"""The extra of netveil that brings openpyxl."""

MOST_ROWS = 1 << 20
"""Of a sheet of Excel."""

_ZIP = b"PK\x03\x04"
_OLD_OR_LOCKED = b"\xd0\xcf\x11\xe0"
_FAILED = {"#N/A", "#REF!", "#VALUE!", "#DIV/0!", "#NAME?", "#NUM!", "#NULL!", "#GETTING_DATA"}
"""What Excel shows where a formula has no result."""


def read(content: bytes, file: str, **asked: Any) -> Network:
    """Network from the sheet that holds something; `asked` are options of `ReadAs`."""
    sheet, rows = _only_sheet(_sheets(content, file), file)
    numbers = np.array([number for number, _ in rows], dtype=np.int64)
    table = ties_in(padded([row for _, row in rows], numbers, file), file, ReadAs(**asked))
    network = network_from_table(table, file, format_name="xlsx")
    return replace(network, notes=(f"Excel: sheet {sheet}",))


Rows = list[tuple[int, list[str]]]
"""The rows of a sheet that hold something, with their numbers."""


def _only_sheet(sheets: dict[str, Rows], file: str) -> tuple[str, Rows]:
    if len(sheets) == 1:
        return next(iter(sheets.items()))
    if not sheets:
        raise FileError(f"{file} holds no ties: its sheets are empty. Write one tie a row.")
    rule = f"there is something on {len(sheets)} sheets ({', '.join(sheets)}), and any may be meant"
    raise FileError(f"{file}: {rule}. Save the right one as a CSV file, and give that.")


def _sheets(content: bytes, file: str) -> dict[str, Rows]:
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


def extras(content: bytes, file: str) -> Extras:
    """Further columns and sheets, and metadata of the file."""
    openpyxl = imported("openpyxl", EXTRA, file)
    sheets = _sheets(content, file)
    filled = {
        (title, place)
        for title, rows in sheets.items()
        for _, row in rows
        for place, cell in enumerate(row)
        if cell
    }
    about = openpyxl.load_workbook(io.BytesIO(content), read_only=True).properties
    said = (about.creator, about.lastModifiedBy, about.title, about.description, about.created)
    return Extras(max(len(filled) - 2, 0), tuple(str(each) for each in said if each))


FORMAT = Format(
    name="xlsx",
    suffixes=(".xlsx",),
    description="a sheet of Excel with one tie a row; needs openpyxl; read only",
    read=read,
    extras=extras,
    options=frozenset({"columns", "header"}),
    magic=(_ZIP,),
)
