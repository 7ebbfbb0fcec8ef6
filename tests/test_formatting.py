"""Numbers, shares, tables and cells as text: what is shown is what is meant, and no cell is a formula."""

from __future__ import annotations

import csv
import io
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

import netveil as nv
from netveil.errors import SettingError
from netveil.files.read_write import read_labels, read_pairs
from netveil.formatting import (
    PeopleFound,
    change,
    csv_table,
    defused,
    figure,
    in_columns,
    parsed_number,
    parsed_share,
    percentage,
    text_in,
)


@given(st.integers(1, 10**7), st.integers(1, 10**7))
def test_a_percentage_reads_back_as_the_share(part: int, whole: int) -> None:
    """To half a unit of its last digit; more than nothing is never 0%."""
    shown = percentage(part, whole)
    number = shown.removesuffix("%")
    last_digit = 10.0 ** -len(number.partition(".")[2])

    assert shown.endswith("%") and "e" not in shown
    assert abs(float(number) - 100 * part / whole) <= last_digit * 0.5000001
    assert float(number) > 0
    assert percentage(-part, whole) == f"-{shown}" and percentage(part, whole, signed=True) == f"+{shown}"


@given(st.floats(-1e6, 1e6))
def test_a_figure_reads_back_as_the_number(value: float) -> None:
    """To four decimals, or to three digits where these would show nothing."""
    shown = figure(value)

    assert "e" not in shown
    assert abs(float(shown.replace(",", "")) - value) <= 0.00005001 + abs(value) * 1e-12
    assert value == 0 or float(shown.replace(",", "")) != 0
    assert int(figure(round(value * 1000)).replace(",", "")) == round(value * 1000)  # in full


@given(st.integers(1, 500), st.floats(0, 1))
def test_people_found_and_their_share_are_of_one_pair_of_figures(people: int, share: float) -> None:
    """Never more than there are; nobody and everybody only where it is so; the share is of what is shown."""
    mean = share * people
    shown = PeopleFound.of_means(mean, people)

    assert str(shown) == f"{shown.found} of {people}" and shown.share == percentage(shown.found, people)
    assert abs(shown.found - mean) <= 1 and 0 <= shown.found <= people
    assert (shown.found == 0) == (mean == 0)
    assert people == 1 or (shown.found == people) == (mean == people)


RULE = "give a share, such as 5%."
ROWS = [["measure", "people", "share"], ["count", "1,204", "5%"], ["ego", "7", ""]]


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
NO_FORMULAS = ["'=1", "''=1", "'", "''", "'t Hooft", "-5", "'-5", "+1.5e3", 'a"=b', "x;=1+1", "a,=1", " =1"]
TRICKY = [*FORMULAS, *NO_FORMULAS]
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


def test_a_release_with_formulas_for_names_loads_again(tmp_path: Path) -> None:
    """Its tables hold no formula; labels, deleted edges and people are those that were."""
    names = ["=1+1", "+a", "-b", "@c", "\td", "'=e", "Anna", "-5", "x;=1", "\rf"]
    network = nv.Network.from_edges([(one, other) for one in names for other in names[:4] if one != other])
    release = nv.anonymize(network, budget=4, seed=1, algorithm="es")
    folder = nv.save(release, tmp_path / "release", utility=False, audit=False)
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


def test_what_is_shown_of_changes_halves_and_means() -> None:
    """A dash is not "same"; halves go away from zero, as in browsers; 399.7 of 400 is not everybody."""
    assert (change(0, 0.0), change(None, None)) == ("same", "–")
    assert (change(0.5, 0.25), change(3, 3.0), change(4, None)) == ("+25.0%", "+3", "+4")
    halves = {113: "28.3%", 205: "51.3%", -113: "-28.3%", 0.5: "0.13%"}
    assert {part: percentage(part, 400) for part in halves} == halves
    assert (figure(0.03125), figure(-0.03125), figure(1e300)[:6]) == ("0.0313", "-0.0313", "1,000,")
    shown = PeopleFound.of_means(399.667, 400)
    assert (str(shown), shown.share) == ("399 of 400", "99.8%")
    assert PeopleFound.of_means(0, 0).share == "–"


def test_a_share_is_exact() -> None:
    shares: dict[Any, Any] = {
        "5%": Fraction(1, 20),
        " 0.29 ": Fraction(29, 100),
        " 1 % ": Fraction(1, 100),
        "1e-2": Fraction(1, 100),
        "1/3": Fraction(1, 3),
        Fraction(1, 7): Fraction(1, 7),
        0.07: Fraction(7, 100),
        1: 1,
        0: 0,
    }
    for given_as, share in shares.items():
        assert parsed_share(given_as, "loss", RULE) == parsed_number(given_as, "loss", RULE) == share


def test_what_is_no_share_is_refused() -> None:
    """With what it is for and the rule: no number, below 0%, above 100%; 0% where it must be more."""
    no_numbers: list[Any] = [
        "some",
        "",
        "%",
        "1/0",
        "1e9999",
        "1e-999999999",
        True,
        float("nan"),
        float("inf"),
        [1],
    ]
    no_shares: list[Any] = ["-1%", "101%", 2, "0%"]
    told = [(each, f"'{each}' is not a number") for each in no_numbers]
    for given_as, what in told + [(each, f"{each} is not a share") for each in no_shares]:
        with pytest.raises(SettingError) as caught:
            parsed_share(given_as, "loss", RULE, above_zero=given_as == "0%")
        assert str(caught.value) == f"loss {what}; {RULE}"
    assert all(isinstance(parsed_number(each, "loss", RULE), Fraction) for each in no_shares)


def test_what_is_in_the_same_column_lines_up() -> None:
    """As wide as the widest cell, no blanks at the end of a line; as many columns flush left as asked for."""
    assert in_columns(ROWS) == ["measure  people  share", "count     1,204     5%", "ego           7"]
    assert in_columns(ROWS, left=3, gap=" ") == ["measure people share", "count   1,204  5%", "ego     7"]
    assert in_columns(ROWS, left=0)[1:] == ["  count   1,204     5%", "    ego       7"]
    assert in_columns([]) == []


@given(TEXTS)
def test_defusing_is_undone(text: str) -> None:
    """What needs none stays as it is; a cell stays whole in spreadsheets where semicolons separate."""
    assert text_in(defused(text)) == text
    assert defused("Anna") == "Anna"
    assert csv_table(("a", "b"), [["x;=1+1", "y\t=1"]]) == 'a,b\n"x;=1+1","y\t=1"\n'
