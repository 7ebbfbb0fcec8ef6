"""Excel: the one sheet with something on it, as a person sees it; reading only."""

from __future__ import annotations

import io
from datetime import date, datetime
from typing import Any

import openpyxl
import pytest

from netveil.errors import FileError, SettingError
from netveil.files import FORMATS
from netveil.network import Network

Sheet = list[list[Any]]
DAY = datetime(2024, 5, 1)  # noqa: DTZ001 - Excel knows no time zones


def book(*sheets: Sheet, hidden: int | None = None) -> bytes:
    """An Excel file with these sheets, called Sheet 1 and so on; one may be hidden."""
    workbook = openpyxl.Workbook()
    for number, rows in enumerate(sheets, start=1):
        sheet = workbook.create_sheet(f"Sheet {number}")
        for row in rows:
            sheet.append(row)
        sheet.sheet_state = "hidden" if number == hidden else "visible"
    del workbook["Sheet"]
    written = io.BytesIO()
    workbook.save(written)
    return written.getvalue()


def network_of(*sheets: Sheet, hidden: int | None = None, **options: Any) -> Network:
    """The network in an Excel file."""
    return FORMATS["xlsx"].read(book(*sheets, hidden=hidden), "a.xlsx", **options)


def test_cells_are_read_as_a_person_sees_them() -> None:
    """Whole numbers without a point, days without an hour, texts without blanks around; no empty rows."""
    network = network_of(
        [
            ["Source", "Target"],
            [1.0, 2],
            [None, None],
            [" Anna Bell ", True],
            [DAY, date(2024, 5, 2)],
            [DAY.replace(hour=12, minute=30), 0.5],
        ]
    )

    assert network.labels == (
        *("1", "2", "Anna Bell", "TRUE", "2024-05-01", "2024-05-02", "2024-05-01 12:30:00", "0.5"),
    )
    assert network.edge_count == 4
    assert network.reading is not None
    assert (network.reading.header, network.reading.columns) == (True, ("Source", "Target"))
    assert network.reading.first == (("1", "2"), ("Anna Bell", "TRUE"), ("2024-05-01", "2024-05-02"))


@pytest.mark.parametrize(("rows", "options", "header", "columns"), [
    ([["a", "b"], ["b", "c"]], {}, False, ("1", "2")),
    ([[None, "a", "b"], [None, "b", "c"]], {}, False, ("2", "3")),
    ([["From", "To", "when"], ["a", "b", 1], ["b", "c", 2]], {}, True, ("From", "To")),
    ([["day", "From", "To"], [1, "a", "b"], [2, "b", "c"]], {}, True, ("From", "To")),
    ([["day", "x", "y"], [1, "a", "b"], [2, "b", "c"]], {"columns": "x,y"}, True, ("x", "y")),
    ([["day", "x", "y"], [1, "a", "b"], [2, "b", "c"]], {"columns": "2,3"}, True, ("x", "y")),
    ([["x", "y"], ["a", "b"], ["b", "c"]], {"header": True}, True, ("x", "y")),
    ([["a", "b", 1], ["b", "c", 2]], {"columns": "1,2"}, False, ("1", "2")),
])  # fmt: skip
def test_header_and_columns_are_found_or_said(
    rows: Sheet, options: dict[str, Any], header: bool, columns: tuple[str, str]
) -> None:
    """All of these are a, b and c in a row; columns have the numbers that Excel gives them."""
    network = network_of(rows, **options)

    assert network == Network.from_edges([("a", "b"), ("b", "c")])
    assert network.reading is not None
    assert (network.reading.header, network.reading.columns) == (header, columns)


def test_one_sheet_with_something_on_it_is_meant() -> None:
    """Empty sheets and hidden ones do not count."""
    rows: Sheet = [["from", "to"], ["a", "b"]]

    assert network_of([], rows).labels == network_of(rows, [["x"]], hidden=2).labels == ("a", "b")
    with pytest.raises(FileError, match=r"something on 2 sheets \(Sheet 1, Sheet 3\).* sheet='Sheet 1'"):
        network_of(rows, [], rows)


TIES: Sheet = [["from", "to"], ["a", "b"], ["b", "c"], ["c", "a"], ["c", "d"]]
PERSONS: Sheet = [["name", "age"], ["a", 31], ["b", 29], ["c", None], ["d", 40], ["e", 5]]
LEGEND: Sheet = [["Survey of 2024"], ["see page 2"]]


def test_a_sheet_is_named_or_asked_for() -> None:
    """By its name; the others are told as left out."""
    network = network_of(LEGEND, TIES, PERSONS, sheet="sheet 2")

    assert network == network_of(TIES) and network.attributes.names == ()
    assert network.reading is not None
    assert (network.reading.sheet, network.reading.dropped) == ("Sheet 2", ("2 further sheets",))
    with pytest.raises(FileError, match=r"on 3 sheets \(Sheet 1, Sheet 2, Sheet 3\)"):
        network_of(LEGEND, TIES, PERSONS)
    with pytest.raises(SettingError, match="no such sheet with something on it; it has Sheet 1, Sheet 3"):
        network_of(TIES, [], LEGEND, sheet="Sheet 2")


@pytest.mark.parametrize("turned", [False, True])
def test_a_sheet_of_persons_beside_one_of_ties_is_understood(turned: bool) -> None:
    """Whichever comes first; also of two columns, which could be ties of names and ages."""
    network = network_of(*((PERSONS, TIES) if turned else (TIES, PERSONS)))

    assert network.labels == ("a", "b", "c", "d", "e") and network.edge_count == 4
    assert network.attributes.node == {"age": [31, 29, None, 40, 5]}
    assert network.reading is not None and network.reading.dropped == network.reading.oddities == ()


@pytest.mark.parametrize("other", [
    [["name", "age"], ["x", 1], ["y", 2]],  # other people
    [["name", "age"], ["a", 1], ["a", 2], ["b", 3], ["c", 1], ["d", 2]],  # twice
    [["from", "to"], ["a", "b"], ["b", "c"], ["c", "d"], ["d", "a"]],  # ties of another year
])  # fmt: skip
def test_two_sheets_that_may_be_anything_are_asked_about(other: Sheet) -> None:
    """Never a wrong network."""
    with pytest.raises(FileError, match="any may be meant"):
        network_of(TIES, other)


@pytest.mark.parametrize(("rows", "options", "rule"), [
    ([], {}, "a.xlsx holds no ties: its sheets are empty"),
    ([["from", "to"]], {}, "a.xlsx holds no edges"),
    ([["Anna"], ["Bob"]], {}, "a.xlsx, line 1: expected two node labels, found one. Fill the cell"),
    ([["Anna", "Bob"], ["Carl", "Dan"]], {}, "names the columns or is a tie. Give header=True"),
    ([["x", "Anna", "Bob"], ["y", "Bob", "Dan"]], {}, "not clear which two of its 3 columns"),
    ([["from", "to"], [], ["Anna", None]], {}, "a.xlsx, line 3: expected two node labels, found one"),
    ([["from", "to"], ["Anna", "#N/A"]], {}, "a.xlsx, line 2: expected two node labels, found one"),
    ([["Anna", "Bob"]], {"header": False, "columns": "1,3"}, "there is no column 3; the table has"),
])  # fmt: skip
def test_a_sheet_that_is_no_network_or_two_is_told(rows: Sheet, options: dict[str, Any], rule: str) -> None:
    """In one line that names nobody."""
    with pytest.raises((FileError, SettingError)) as caught:
        network_of(rows, **options)
    told = str(caught.value)

    assert rule in told and told.endswith(".") and "\n" not in told
    assert "Anna" not in told and "Bob" not in told


@pytest.mark.parametrize(("content", "rule"), [
    (b"", "a.xlsx is damaged or no Excel file at all"),
    (b"from,to\na,b\n", "a.xlsx is damaged or no Excel file at all"),
    (b"PK\x03\x04", "a.xlsx is damaged or no Excel file at all"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a.xlsx is locked by a password, or an old .xls file"),
])  # fmt: skip
def test_what_is_no_excel_file_is_told(content: bytes, rule: str) -> None:
    """A password makes another kind of file of it."""
    with pytest.raises(FileError, match=rule):
        FORMATS["xlsx"].read(content, "a.xlsx")


WHOLE = book([["from", "to"], ["a", "b"], ["b", "c"]])
