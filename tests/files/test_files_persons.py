"""Persons with attributes, and workbooks: sheets of ties and of people."""

from __future__ import annotations

import io
from datetime import date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pytest
from drawn_tables import NAMES
from hypothesis import HealthCheck, given, settings, strategies as st

import netveil as nv
from netveil.errors import AttributesWarning, FileError, LossWarning, NetveilError, SettingError
from netveil.files import FORMATS
from netveil.files.persons import person_table, with_persons
from netveil.network import Network, in_label_order

TIES = "from,to\nanna,bob\nbob,carl\ncarl,anna\ncarl,dora\n"
PERSONS = [
    ["who", "age", "team", "share", "member", "zip"],
    ["anna", "31", "a", "0.5", "TRUE", "01067"],
    ["carl", "", "b; c", "2", "false", "1"],
    ["bob", "29", "", "NA", "", "2"],
    ["zoe", "40", "ü", "1", "true", "3"],
]
VALUES = {
    "anna": (31, "a", 0.5, True, "01067"),
    "carl": (None, "b; c", 2.0, False, "1"),
    "bob": (29, None, None, None, "2"),
    "dora": (None,) * 5,
    "zoe": (40, "ü", 1.0, True, "3"),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with ties in a file."""
    monkeypatch.chdir(tmp_path)
    Path("ties.csv").write_text(TIES, encoding="utf-8")
    return tmp_path


def values_of(network: Network) -> dict[Any, tuple[Any, ...]]:
    """Values of all attributes of each person."""
    return dict(zip(network.labels, zip(*network.attributes.node.values(), strict=True), strict=True))


def written(rows: list[list[str]], mark: str = ",") -> str:
    """A table with quotes around all cells."""
    return "".join(mark.join(f'"{cell}"' for cell in row) + "\n" for row in rows)


def parquet(rows: list[list[str]], file: str) -> None:
    """A Parquet file of texts, without a value where a cell is empty."""
    import pyarrow
    import pyarrow.parquet

    columns = zip(*([cell or None for cell in row] for row in rows[1:]), strict=True)
    pyarrow.parquet.write_table(pyarrow.table(dict(zip(rows[0], map(list, columns), strict=True))), file)


@pytest.mark.parametrize(
    "file", ["p.csv", "p.tsv", "semicolons.csv", "p.xlsx", "p.parquet", "frame", "index"]
)
def test_attributes_come_to_their_people(folder: Path, file: str) -> None:
    """Typed by column; whoever is only in the table comes in without ties, whoever is missing has None."""
    persons: Any = file
    if file.endswith(".xlsx"):
        Path(file).write_bytes(book(PERSONS))
    elif file.endswith(".parquet"):
        parquet(PERSONS, file)
    elif "." in file:
        mark = "\t" if file.endswith(".tsv") else ";" if file == "semicolons.csv" else ","
        Path(file).write_text(written(PERSONS, mark), encoding="utf-8")
    else:
        import pandas

        persons = pandas.DataFrame(PERSONS[1:], columns=PERSONS[0])
        persons = persons.set_index("who") if file == "index" else persons
    with pytest.warns(LossWarning, match="1 person of the ties is not in"):
        network = nv.read("ties.csv", persons=persons)

    assert values_of(network) == VALUES
    assert list(network.attributes.node) == PERSONS[0][1:]
    assert (network.node_count, network.edge_count, network.degrees.tolist()) == (5, 4, [2, 2, 3, 1, 0])
    assert network.reading is not None
    assert "1 person of the ties is not in" in network.reading.oddities[0]


def test_another_column_may_be_the_key(folder: Path) -> None:
    Path("p.csv").write_text("nr,who,age\n1,anna,3\n2,bob,4\n3,carl,5\n4,dora,6\n", encoding="utf-8")
    network = nv.read("ties.csv", persons="p.csv", persons_key="who")

    assert values_of(network) == {"anna": (1, 3), "bob": (2, 4), "carl": (3, 5), "dora": (4, 6)}
    assert network.reading is not None and network.reading.oddities == ()


@pytest.mark.parametrize(
    ("persons", "values"),
    [
        (b"nr;age\n007;31\n012;29\n100;40\n", [31, 29, 40]),
        ("nr;age\n 007 ;31\n012;29\n100;40\n".encode("utf-8-sig"), [31, 29, 40]),
        ("nr;ort\n007;Zürich\n012;Genève\n100;\n".encode("latin-1"), ["Zürich", "Genève", None]),
        (b"nr;age\n7;31\n12;29\n100;40\n", None),
    ],
)
def test_keys_are_labels_to_the_letter(folder: Path, persons: bytes, values: list[Any] | None) -> None:
    Path("ties.csv").write_text("from;to\n007;012\n012;100\n", encoding="utf-8")
    Path("p.csv").write_bytes(persons)
    if values is None:
        with pytest.raises(FileError, match="differ from people of the ties by zeros ahead"):
            nv.read("ties.csv", persons="p.csv")
        return
    network = nv.read("ties.csv", persons="p.csv")

    assert network.labels == ("007", "012", "100") and network.edge_count == 2
    assert next(iter(network.attributes.node.values())) == values


@pytest.mark.parametrize(("persons", "options", "rule"), [
    ("who,age\nanna,1\nbob,2\nanna,3\n", {}, "p.csv, line 4: this person stands in line 2 already"),
    ("who,age\nanna,1\n,2\n", {}, "p.csv, line 3: expected a person in column who, found none"),
    ("who,age\nx,1\ny,2\n", {}, "none of its keys is a person of the network"),
    ("anna,1\nbob,2\ncarl,3\n", {}, "its first line is a person of the network"),
    ("who,age,age\nanna,1,2\n", {}, "line 1: two columns are called 'age'"),
    ("who,,age\nanna,1,2\n", {}, "line 1: a column has no name"),
    ("who,age\nanna,1\n", {"persons_key": "name"}, "has no such column; its columns are who, age"),
    ("", {}, "holds no persons"),
])  # fmt: skip
def test_tables_that_do_not_fit_are_mistakes(
    folder: Path, persons: str, options: dict[str, Any], rule: str
) -> None:
    Path("p.csv").write_text(persons, encoding="utf-8")
    with pytest.raises(NetveilError) as caught:
        nv.read("ties.csv", persons="p.csv", **options)

    assert rule in str(caught.value) and "anna" not in str(caught.value)


def test_what_is_no_table_of_persons_is_a_mistake(folder: Path) -> None:
    """A key without a table, another kind of file, another kind of thing, an attribute that is there."""
    with pytest.raises(SettingError, match="give both"):
        nv.read("ties.csv", persons_key="who")
    with pytest.raises(FileError, match="a table of persons is a"):
        nv.read("ties.csv", persons="p.graphml")
    with pytest.raises(SettingError, match="a file or a DataFrame, not a int"):
        nv.read("ties.csv", persons=3)  # type: ignore[arg-type]
    network = with_persons(
        nv.read("ties.csv"), person_table([(1, ["who", "age"]), (2, ["anna", "3"])], "p.csv")
    )
    with pytest.raises(FileError, match="has the attribute 'age' already"):
        with_persons(network, person_table([(1, ["who", "age"]), (2, ["anna", "3"])], "p.csv"))


def test_attributes_stay_with_people_through_a_release(folder: Path) -> None:
    """Deleting, renaming and reordering people; also where nodes are numbers, which stay so."""
    karate = nv.load("karate")
    table = person_table(
        [(1, ["nr", "twice"]), *((at, [str(at), str(2 * at)]) for at in (*range(33, 1, -1), 34, 35))], "p"
    )
    network = with_persons(karate, table)
    with pytest.warns(AttributesWarning):
        release = nv.anonymize(network, 3, algorithm="es", seed=1, keep_attributes=["twice"])

    assert network.node_count == 36 and isinstance(network.labels, range)
    assert network.attributes.node["twice"] == [None, None, *range(4, 72, 2)]
    for original, published in release.labels.items():
        place = list(release.network.labels).index(published)
        assert (
            release.network.attributes.node["twice"][place]
            == network.attributes.node["twice"][int(str(original))]
        )
    mixed = np.random.default_rng(1).permutation(network.node_count)
    assert values_of(in_label_order(network.relabelled(mixed))) == {
        int(mixed[node]): values for node, values in values_of(network).items()
    }


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    labels=NAMES,
    order=st.permutations(range(12)),
    ties=st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), min_size=1, max_size=9),
    mark=st.sampled_from(",;\t|"),
)
def test_persons_of_every_shape_come_to_their_people(
    folder: Path, labels: list[str], order: list[int], ties: list[tuple[int, int]], mark: str
) -> None:
    rows = [
        ["key", "number"],
        *([labels[at].replace('"', '""'), str(at)] for at in order if at < len(labels)),
    ]
    Path("any.csv").write_text(written(rows, mark), encoding="utf-8")
    network = Network.from_edges((labels[u % len(labels)], labels[v % len(labels)]) for u, v in ties)
    found = with_persons(network, "any.csv")

    assert values_of(found) == {label: (at,) for at, label in enumerate(labels)}
    assert (
        found.edges.tolist() == network.edges.tolist()
        and found.labels[: network.node_count] == network.labels
    )


# Excel: the one sheet with something on it, as a person sees it; reading only.


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
    rows: Sheet = [["from", "to"], ["a", "b"]]

    assert network_of([], rows).labels == network_of(rows, [["x"]], hidden=2).labels == ("a", "b")
    with pytest.raises(FileError, match=r"something on 2 sheets \(Sheet 1, Sheet 3\).* sheet='Sheet 1'"):
        network_of(rows, [], rows)


TIES_SHEET: Sheet = [["from", "to"], ["a", "b"], ["b", "c"], ["c", "a"], ["c", "d"]]
PERSONS_SHEET: Sheet = [["name", "age"], ["a", 31], ["b", 29], ["c", None], ["d", 40], ["e", 5]]
LEGEND: Sheet = [["Survey of 2024"], ["see page 2"]]


def test_a_sheet_is_named_or_asked_for() -> None:
    network = network_of(LEGEND, TIES_SHEET, PERSONS_SHEET, sheet="sheet 2")

    assert network == network_of(TIES_SHEET) and network.attributes.names == ()
    assert network.reading is not None
    assert (network.reading.sheet, network.reading.dropped) == ("Sheet 2", ("2 further sheets",))
    with pytest.raises(FileError, match=r"on 3 sheets \(Sheet 1, Sheet 2, Sheet 3\)"):
        network_of(LEGEND, TIES_SHEET, PERSONS_SHEET)
    with pytest.raises(SettingError, match="no such sheet with something on it; it has Sheet 1, Sheet 3"):
        network_of(TIES_SHEET, [], LEGEND, sheet="Sheet 2")


@pytest.mark.parametrize("turned", [False, True])
def test_a_sheet_of_persons_beside_one_of_ties_is_understood(turned: bool) -> None:
    """Whichever comes first; also of two columns, which could be ties of names and ages."""
    network = network_of(*((PERSONS_SHEET, TIES_SHEET) if turned else (TIES_SHEET, PERSONS_SHEET)))

    assert network.labels == ("a", "b", "c", "d", "e") and network.edge_count == 4
    assert network.attributes.node == {"age": [31, 29, None, 40, 5]}
    assert network.reading is not None and network.reading.dropped == network.reading.oddities == ()


@pytest.mark.parametrize("other", [
    [["name", "age"], ["x", 1], ["y", 2]],  # other people
    [["name", "age"], ["a", 1], ["a", 2], ["b", 3], ["c", 1], ["d", 2]],  # twice
    [["from", "to"], ["a", "b"], ["b", "c"], ["c", "d"], ["d", "a"]],  # ties of another year
])  # fmt: skip
def test_two_sheets_that_may_be_anything_are_asked_about(other: Sheet) -> None:
    with pytest.raises(FileError, match="any may be meant"):
        network_of(TIES_SHEET, other)


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
    with pytest.raises(FileError, match=rule):
        FORMATS["xlsx"].read(content, "a.xlsx")


WHOLE = book([["from", "to"], ["a", "b"], ["b", "c"]])
