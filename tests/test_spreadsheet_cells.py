"""Cells of private tables: none is a formula to a spreadsheet, and each reads back as it was."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

import netveil as nv
from netveil.files.read_write import read_labels, read_pairs
from netveil.formatting import csv_table, defused, text_in

FORMULAS = [
    "=1+1",
    "=cmd|' /C calc'!A0",
    "+1+1",
    "-1+1",
    "@SUM(1)",
    "\t=1",
    "\r=1",
    "＝1+1",
    "-",
    "+49 171 1",
]
TRICKY = [
    *FORMULAS,
    "'=1",
    "''=1",
    "'",
    "''",
    "'t Hooft",
    "-5",
    "'-5",
    "+1.5e3",
    'a"=b',
    "x;=1+1",
    "a,=1",
    " =1",
]
TEXTS = st.one_of(st.sampled_from(TRICKY), st.text("'=+-@\t\r\n;,\"a1 ", max_size=6), st.text(max_size=6))


def cells_of(table: str) -> list[list[str]]:
    """What a reader of CSV finds, header and all."""
    return list(csv.reader(io.StringIO(table, newline="")))


@given(st.lists(st.tuples(TEXTS, TEXTS), max_size=8))
def test_every_text_reads_back_and_none_is_run(rows: list[tuple[str, str]]) -> None:
    """However it begins, through the text of a table and a reader of CSV."""
    found = cells_of(csv_table(("one", "two"), rows))[1:]

    assert [tuple(map(text_in, row)) for row in found] == rows
    for row in found:
        for cell in row:
            assert (
                not cell.startswith(tuple("=+-@\t\r\n＝＋－＠"))
                or cell.lstrip("+-")[:1].isdigit()
                or "." in cell
            )


@given(TEXTS)
def test_defusing_is_undone(text: str) -> None:
    """And what needs none stays as it is."""
    assert text_in(defused(text)) == text
    assert defused("Anna") == "Anna"


@pytest.mark.parametrize("formula", FORMULAS)
def test_a_formula_is_a_text_to_a_spreadsheet(formula: str) -> None:
    """By the mark that spreadsheets use themselves; numbers, as figures are, need none."""
    assert defused(formula) == f"'{formula}"
    assert csv_table(("a",), [[-1.5], [None], [True], ["-0.5"]]) == "a\n-1.5\n\nTrue\n-0.5\n"
    assert cells_of(csv_table(("network", "k"), [[formula, 2]])) == [["network", "k"], [f"'{formula}", "2"]]


def test_a_cell_stays_whole_where_semicolons_separate() -> None:
    """As in the spreadsheets of half of Europe, where the rest of it would be a cell of its own."""
    assert csv_table(("a", "b"), [["x;=1+1", "y\t=1"]]) == 'a,b\n"x;=1+1","y\t=1"\n'


def test_a_release_with_formulas_for_names_loads_again(tmp_path: Path) -> None:
    """Its tables hold no formula; labels, deleted edges and people are those that were."""
    names = ["=1+1", "+a", "-b", "@c", "\td", "'=e", "Anna", "-5", "x;=1", "\rf"]
    network = nv.Network.from_edges([(one, other) for one in names for other in names[:4] if one != other])
    release = nv.anonymize(network, budget=4, seed=1, algorithm="es")
    folder = nv.save(release, tmp_path / "release", utility=False, audit=False, baselines=False)
    private = folder / "private"
    loaded = nv.load_release(folder)
    deleted = read_pairs(private / "deleted_edges.csv", ("source", "target"), "edges", "")

    assert loaded.original == network
    assert read_labels(private / "labels.csv") == {str(one): str(two) for one, two in release.labels.items()}
    assert deleted == [(str(one), str(two)) for one, two in release.deleted_edges]
    for table in private.glob("*.csv"):
        with table.open(encoding="utf-8", newline="") as file:
            firsts = {cell[:1] for row in csv.reader(file) for cell in row if cell != "-5"}
        assert not firsts & set("=+-@\t\r"), table.name
