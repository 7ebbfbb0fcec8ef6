"""Tables as offices have them: what is clear is read right, what is not is asked; never a wrong network."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from drawn_tables import NAMES as LABELS
from hypothesis import HealthCheck, given, settings, strategies as st
from numpy.typing import NDArray
from test_files_persons import book

import netveil as nv
from netveil.errors import DirectionsWarning, FileError, LossWarning, NetveilError, SettingError
from netveil.files.edge_list import read
from netveil.files.tables.people import accounted
from netveil.network import Network, Reading, losses

NAMES = [f"{first} {last}" for first in ("Anna", "Bob", "Eve", "Kai") for last in ("Bell", "Carr", "Dorn")]
TIES = [(NAMES[u], NAMES[v]) for u in range(12) for v in range(u + 1, 12) if (u * v) % 5 == 1 or v == u + 1]
WANTED = Network.from_edges(TIES)


def found_in(text: str | bytes, **options: Any) -> Network:
    """The network in a table."""
    return read(text if isinstance(text, bytes) else text.encode(), "contacts.csv", **options)


def how(text: str | bytes, **options: Any) -> Reading:
    """How a table is read."""
    reading = found_in(text, **options).reading
    assert reading is not None
    return reading


def table(line: str, header: str = "", end: str = "\n", ties: list[tuple[str, str]] = TIES) -> str:
    """A line for each tie, with its people and number."""
    lines = [line.format(one=one, two=two, n=n) for n, (one, two) in enumerate(ties)]
    return "".join(f"{each}{end}" for each in ([header] if header else []) + lines)


def question(text: str | bytes, **options: Any) -> FileError:
    """What is asked about a table."""
    with pytest.raises(FileError) as caught:
        found_in(text, **options)
    assert not any(name in str(caught.value) for name in NAMES), "a message names nobody"
    return caught.value


@pytest.mark.parametrize(("text", "columns"), [
    (table("{one},{two}", "person,contact"), ("person", "contact")),
    (table("{one};{two}", "\ufeffPerson A;Person B", "\r\n"), ("Person A", "Person B")),
    (table("{one}|{two}|2024-01-31", "Von|Nach|Datum"), ("Von", "Nach")),
    (table("{n},{one},{two},hello {n}", "timestamp,sender,receiver,text"), ("sender", "receiver")),
    (table('2024-01-31 12:30;"{one}";"{two}"', '"time";"Absender";"Empfänger"'),
     ("Absender", "Empfänger")),
    (table("{one}\t{two}\t{n},5", "caller\tcallee\tduration"), ("caller", "callee")),
    (table("{one};{two};0,{n}", "ego;alter;Gewicht"), ("ego", "alter")),
    (table("{one},{two},x", "expéditeur,destinataire,lieu"), ("expéditeur", "destinataire")),
    (table("{one},{two},2020,2021", "person,contact,start,end"), ("person", "contact")),
    (table("{one},{two}"), ("1", "2")),
    (table("{one},{two},0.{n}"), ("1", "2")),
    (table("'{one}','{two}'"), ("1", "2")),
    ("sep=;\n" + table("{one};{two}", "from;to"), ("from", "to")),
    (table("{one};{two};;", "from;to;;"), ("from", "to")),  # as spreadsheets leave empty columns
    (table('"{one}","{two}","said ""hi"",\nand left"', "from,to,note"), ("from", "to")),
])  # fmt: skip
def test_a_table_is_read_by_its_separator_header_and_columns(text: str, columns: tuple[str, str]) -> None:
    assert found_in(text) == WANTED
    assert how(text).columns == columns
    assert how(text).first == tuple(TIES[:3])


def test_a_header_of_texts_is_told_from_a_long_table() -> None:
    """Where every other line has somebody who comes again, a first line of strangers names the columns."""
    labels = [f"{name.replace(' ', '')}" for name in NAMES]
    ties = [(labels[u], labels[v]) for u in range(12) for v in range(12) if u != v]
    text = table("{one},{two}", "Chef,Helfer", ties=ties)

    assert len(ties) > 100 and how(text).header is True
    assert "names the columns or is a tie" in str(question("\n".join(text.split("\n")[:20])))


@pytest.mark.parametrize(("text", "unclear", "remedy"), [
    ("Chef,Helfer\nAnna,Bob\nAnna,Eve\n", "whether its first line names the columns", "--no-header"),
    ("person,contact\nperson,Bob\nBob,Eve\n", "whether its first line names the columns", "--header"),
    (table("{n},{one},{two},{two}", "a,b,c,d"), "its header does not say which two", "--columns"),
    (table("{one},{two},{two},{one}", "from,to,source,target"), "does not say which two", "--columns"),
    (table("{n},{one},{two}"), "not clear which two of its 3 columns", "--columns"),
    (table("17000000{n:02} {n} 3", ties=TIES), "not clear which two of its 3 columns", "--columns"),
    (table("{one};{two},x"), "can be split at each of semicolon and comma", "--separator semicolon"),
    ("1 2 a,b\n3 4 a,b\n1 4 c,d\n", "can be split at each of comma and blank", "--separator blank"),
    ("1 2\n1 3 4\n2 5\n", "some lines have 2 cells and others 3", "--nominations if"),
    ("anna,bob\nbob,eve,kai\n", "some lines have 2 cells and others 3", "--columns 1,2"),
    ("from,to\nanna,bob\nbob,eve,kai\n", "line 3: has 3 cells, but the header names fewer", "in quotes"),
    ('from,to\nanna,"bob\nlea"\nbob,kai\n', "line 2: a label goes on in the next line", "Close the quote"),
    ("anna\tbob,carl\nbob\tanna\ncarl\tanna,bob\n", "some cells list several people", "--columns 1,2"),
])  # fmt: skip
def test_what_is_not_clear_is_asked(text: str, unclear: str, remedy: str) -> None:
    told = question(text).for_command_line()

    assert told.startswith("contacts.csv") and unclear in told and remedy in told and "\n" not in told


def survey(label: Callable[[int], str], people: int = 160, named: int = 3) -> list[list[str]]:
    """A line for each of some people: who was asked, and whom they named."""
    draw = random.Random(1)
    everybody = [[other for other in range(people) if other != asked] for asked in range(people)]
    return [[label(asked), *map(label, draw.sample(everybody[asked], named))] for asked in range(people)]


SURVEYED: dict[str, Callable[[int], str]] = {
    "names": lambda person: f"{NAMES[person % 12]} {person}",
    "numbers": lambda person: str(person + 1),
    "codes": lambda person: str(1000 + 7 * person),
}


@pytest.mark.parametrize("header", ["ego,alter,x,y", "source,target,also,and"])
@pytest.mark.parametrize("label", SURVEYED.values(), ids=SURVEYED)
@pytest.mark.parametrize("gaps", [False, True])
def test_further_columns_of_the_same_people_are_asked_about(
    header: str, label: Callable[[int], str], gaps: bool
) -> None:
    """A survey of 480 nominations, of which two columns are 160; not everybody need have named three."""
    rows = survey(label)
    for row in rows[::3] if gaps else []:
        row[3] = ""
    text = "\n".join([header, *map(",".join, rows)])
    asked = question(text)

    assert "hold the same people as columns" in str(asked)
    assert "Give nominations=True if" in str(asked) and "such as columns='1,2'" in str(asked)
    assert asked.__notes__[0] == f"    {header.replace(',', ' | ')}"
    oddities = how(text, columns="1,2").oddities
    last_two = " and ".join(header.split(",")[2:]).replace(" and ", ", ")
    assert oddities == (
        f"columns {last_two} hold the same people as those that are read: ties there are left out",
    )
    assert how(text, columns=header.rpartition(",")[0].partition(",")[2]).oddities  # the two in the middle


def test_columns_of_fractions_may_be_asked_for() -> None:
    lines = [f"{n % 40},{n * 7 % 40},1.5" for n in range(400)]
    network = found_in("\n".join(lines), columns="2,3")

    assert network.node_count == 41 and network.edge_count == 40


def test_further_columns_of_the_same_people_without_a_header_are_asked_about() -> None:
    label = SURVEYED["codes"]
    rows = [[label((asked + step) % 160) for step in (0, 1, 9, 5)] for asked in range(160)]
    text = "\n".join(map(",".join, rows))

    assert "columns 3, 4 hold the same people as columns 1 and 2" in str(question(text))
    assert how(text, columns="1,2").oddities[0].startswith("columns 3, 4 hold the same people")


@pytest.mark.thorough
@pytest.mark.parametrize("first", [0, 1, 1000])
@pytest.mark.parametrize("draw", [
    lambda rng, ties: rng.integers(1, 6, ties),
    lambda rng, ties: rng.poisson(8, ties),
    lambda rng, ties: rng.geometric(0.05, ties),
    lambda rng, ties: rng.integers(1, 101, ties),
    lambda rng, ties: rng.integers(18, 80, ties),
    lambda rng, ties: 1_600_000_000 + 37 * np.arange(ties),
    lambda rng, ties: np.arange(1, ties + 1),
    lambda rng, ties: np.sort(rng.integers(0, ties, ties)),
], ids=["strengths", "counts", "calls", "percent", "ages", "seconds", "lines", "days"])  # fmt: skip
def test_numbers_about_ties_are_not_taken_for_people(
    draw: Callable[[np.random.Generator, int], NDArray[np.int64]], first: int
) -> None:
    for people in (20, 34, 60, 150, 500):
        rng = np.random.default_rng(people)
        ends = rng.integers(0, people, (3 * people, 2)) + first
        about = draw(rng, len(ends))
        lines = [",".join(map(str, row)) for row in np.column_stack((ends, about)).tolist()]
        count_lines = (np.diff(about) == 1).all()  # without a header, these have always been asked about

        assert how("\n".join(["source,target,x", *lines])).columns == ("source", "target")
        assert count_lines or how("\n".join(lines)).columns == ("1", "2")
        assert not any("same people" in oddity for oddity in how("\n".join(lines), columns="1,2").oddities)


def test_a_question_shows_the_first_lines_as_they_were_seen() -> None:
    """Apart from the message, which names nobody: four lines, cells between bars, long ones cut."""
    asked = question(table("{n},{one},{two},{two}" + "x" * 50, "a,b,c,d"))

    assert asked.__notes__ == [
        "    a | b | c | d",
        "    0 | Anna Bell | Anna Carr | Anna Carr" + "x" * 20 + "…",
        "    1 | Anna Carr | Anna Dorn | Anna Dorn" + "x" * 20 + "…",
        "    2 | Anna Carr | Eve Bell | Eve Bell" + "x" * 21 + "…",
    ]


def test_every_option_settles_what_it_is_for() -> None:
    columns = table("{n},{one},{two}")
    assert found_in(columns, columns="2,3") == found_in(columns, columns=(2, 3)) == WANTED
    named = table("{n},{one},{two},{two}", "a,Boss of,c,d")
    assert found_in(named, columns="Boss of,c") == found_in(named, columns=["boss_of", "C"]) == WANTED
    separator = table("{one};{two}")
    read_at = [found_in(separator, separator=mark, columns="1,2") for mark in ("blank", ";")]
    assert set(read_at[0].labels) != set(read_at[1].labels) == set(NAMES)
    assert set(found_in("Chef,Helfer\nAnna,Bob\nAnna,Eve\n", header=True).labels) == {"Anna", "Bob", "Eve"}
    assert len(found_in("Chef,Helfer\nAnna,Bob\nAnna,Eve\n", header=False).labels) == 5
    text = table("{one};{two}").replace("Anna", "Zoë").encode("cp1250")
    assert "Zoë Bell" in found_in(text, encoding="cp1250").labels
    assert "Zoë Bell" not in found_in(text, encoding="cp1251").labels
    declared = "sep=;\r\nfrom;to\r\nanna;bob\r\n"
    assert set(found_in(declared, separator=";", header=True).labels) == {"anna", "bob"}
    with pytest.raises(FileError, match="the header names fewer columns"):
        found_in("person,contact\nBell, Anna,Carr, Bob\nCarr, Bob,Dorn, Eve\n", columns="person,contact")


@pytest.mark.parametrize(("options", "rule"), [
    ({"columns": "1"}, "columns '1': give two"),
    ({"columns": "1,9"}, "there is no column 9; the table has columns 1 to 3"),
    ({"columns": "2,2"}, "these are the same"),
    ({"columns": "a,nosuch"}, "there is no column 'nosuch'"),
    ({"columns": "a,b", "header": False}, "'a' is a name, but the table has no header"),
    ({"separator": "ab"}, "separator 'ab': give one character"),
    ({"encoding": "nosuch"}, "unknown encoding 'nosuch'"),
    ({"encoding": "rot13"}, "unknown encoding 'rot13'"),
])  # fmt: skip
def test_an_option_that_fits_no_table_is_a_mistake(options: dict[str, Any], rule: str) -> None:
    with pytest.raises(SettingError, match=rule.replace("'", "['\"]?")):
        found_in(table("{one},{two},{n}", "a,b,c"), **options)


@pytest.mark.parametrize(("header", "cells", "dropped", "lost"), [
    ("Source,Target,Type,Weight", "Directed,1.5", ("directions", "weights"), ["directions", "weights"]),
    ("Source,Target,Type,Weight", "Undirected,2", ("weights", "1 further column"), ["weights"]),
    ("from,to,gewicht,since", "3,2020", ("weights", "1 further column"), ["weights"]),
    ("from,to,weight,type", "heavy,friend", ("2 further columns",), []),
])  # fmt: skip
def test_directions_and_weights_are_called_so(
    header: str, cells: str, dropped: tuple[str, ...], lost: list[str]
) -> None:
    network = found_in(table(f"{{one}},{{two}},{cells}", header))

    assert network.reading is not None and network.reading.dropped == dropped
    assert list(losses(network)) == lost


def test_a_tie_that_is_given_from_both_ends_is_no_repeat() -> None:
    rows = "anna,bob,{0}\nbob,anna,{0}\nanna,carl,{0}\nanna,carl,{0}\n"
    undirected = found_in("from,to,type\n" + rows.format("undirected"))
    directed = found_in("from,to,type\n" + rows.format("directed"))

    assert undirected.dropped.duplicates == 2 and directed.dropped.duplicates == 1
    assert undirected.reading is not None and undirected.reading.both_ways == 1
    assert accounted(undirected, undirected.reading).dropped[1:] == (
        *("1 repeated tie", "1 tie given from both ends"),
    )


def test_two_modes_are_noticed() -> None:
    text = "person,event\n" + "".join(f"p{at},meeting {at % 5}\n" for at in range(40))

    assert "it may be a network of two modes" in how(text).oddities[0]


@pytest.mark.parametrize(("header", "line", "persons", "category", "told"), [
    ("Type", "Directed", None, DirectionsWarning, "directions are ignored: whichever way a tie goes"),
    ("Weight", "2.5", None, LossWarning, "weights are ignored: all ties count alike.$"),
    ("Type,Weight", "Directed,2", None, DirectionsWarning, "it is one tie; weights are ignored"),
    ("Note", "x", "who,age\na,1\nb,2\n", LossWarning, "1 person of the ties is not in persons.csv"),
])  # fmt: skip
def test_python_warns_of_what_is_lost(
    header: str, line: str, persons: str | None, category: type[Warning], told: str, tmp_path: Path
) -> None:
    (tmp_path / "ties.csv").write_text(f"Source,Target,{header}\na,b,{line}\nb,c,{line}\n", encoding="utf-8")
    (tmp_path / "persons.csv").write_text(persons or "", encoding="utf-8")
    with pytest.warns(LossWarning, match=told) as caught:
        nv.read(tmp_path / "ties.csv", persons=tmp_path / "persons.csv" if persons else None)

    assert [each.category for each in caught] == [category]


# Whole files, by their names.


Ties = set[frozenset[str]]


def ties_of(network: Network) -> Ties:
    """Ties by labels, directions apart."""
    return {frozenset(map(str, tie)) for tie in network.to_edges()}


def ties(text: str) -> Ties:
    """Ties between names with a hyphen in between: `anna-bob bob-carl`."""
    return {frozenset(tie.split("-")) for tie in text.split()}


def write(file: str, content: str | bytes) -> None:
    """A file in the folder of a test."""
    Path(file).write_bytes(content if isinstance(content, bytes) else content.encode())


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own for each test."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


THREE = ties("anna-bob bob-carl carl-anna")
ROWS = "anna;bob;{}\nbob;carl;{}\ncarl;anna;{}\n"


@pytest.mark.filterwarnings("ignore::netveil.errors.LossWarning")
@pytest.mark.parametrize(("content", "expected"), [
    pytest.param(
        "id;submitted;respondent;colleague1;colleague2;q1;q2;comment\n"
        "1;2024-05-01 10:11;anna;bob;carl;1;5;fine, thanks\n2;2024-05-01 10:30;bob;anna;;2;4;\n"
        "3;2024-05-02 09:00;carl;bob;anna;5;5;-\n", THREE, id="export of a survey"),
    pytest.param("source,target,q1,q2,q3\n101,102,1,5,4\n102,103,2,5,3\n103,101,3,4,4\n",
                 ties("101-102 102-103 103-101"), id="Likert scales"),
    pytest.param("# export of 2024\nfrom;to;weight\n" + ROWS.format(1, 2, 3), THREE, id="comment above"),
    pytest.param(
        "Source,Target,Type,Id,Label,Interval,Weight\n1,2,Undirected,0,,,1.0\n2,3,Undirected,1,,,2.0\n",
        ties("1-2 2-3"), id="Gephi"),
    pytest.param("Source,Target,Type,Id,Label,Weight\nanna,bob,Directed,0,friend,1\nbob,carl,Directed,1,boss,2\n"
                 "carl,anna,Directed,2,boss,1\n", THREE, id="Gephi, directed"),
    pytest.param(";anna;bob;carl\nanna;0;1;1\nbob;1;0;1\ncarl;1;1;0\n", THREE, id="table of everybody"),
    pytest.param(",anna,bob,carl\nanna,0,2.5,0.5\nbob,2.5,0,1\ncarl,0.5,1,0\n", THREE, id="with weights"),
    pytest.param("from;to;weight\n" + ROWS.format("0,5", "1,25", "2,0"), THREE, id="decimal commas"),
    pytest.param(ROWS.format("0,5", "1,25", "2,0"), THREE, id="decimal commas, no header"),
    pytest.param("\ufefffrom;to;date\n" + ROWS.format(*["01.05.2024"] * 3), THREE, id="BOM and dates"),
    pytest.param('from,to\n"Bell\tAnna",bob\n', {frozenset(("Bell\tAnna", "bob"))}, id="tab in quotes"),
    pytest.param('from,to,note\nanna,bob,"met\nat work"\nbob,carl,\ncarl,anna,"a;b"\n', THREE,
                 id="line break in quotes"),
    pytest.param("from,to\n007,012\n012,7\n", ties("007-012 012-7"), id="zeros ahead"),
    pytest.param("from, to\n anna , bob\nbob , carl\ncarl, anna \n", THREE, id="blanks around"),
    pytest.param(",from,to\n0,anna,bob\n1,bob,carl\n2,carl,anna\n", THREE, id="numbers of lines"),
    pytest.param("sep=;\r\nfrom;to;\r\nanna;bob;\r\nbob;carl;\r\ncarl;anna;\r\n", THREE, id="of Excel"),
    pytest.param("nom;contact\nFrançois;Zoë\nHélène;Zoë\n".encode("latin-1"), ties("François-Zoë Hélène-Zoë"),
                 id="latin-1"),
    pytest.param("caller;callee;start;seconds\n0041791;0041792;2024-05-01 10:00;33\n"
                 "0041792;0041793;2024-05-01 11:00;12\n", ties("0041791-0041792 0041792-0041793"),
                 id="calls"),
    pytest.param('from,to,weight\n"anna",bob,1\nbob,carl\ncarl,anna\n', THREE, id="ragged"),
    pytest.param("from,to,weight\nanna,bob,1\nbob,carl\ncarl,anna\n", THREE, id="ragged, bare"),
    pytest.param('note,from,to,weight\n"",anna,bob,1\nx,bob,carl\ny,carl,anna\n', THREE, id="ragged, empty"),
    pytest.param("note,from,to,weight\n,anna,bob,1\nx,bob,carl\ny,carl,anna\n", THREE, id="ragged behind"),
    pytest.param("from;to\nanna\xa0;\xa0bob \nbob;carl\ncarl;anna\n", THREE, id="blanks of Word"),
    pytest.param("from;to\n;\nanna;bob\n;\nbob;carl\ncarl;anna\n", THREE, id="empty rows"),
    pytest.param("4 26 {'weight': 3}\n26 7 {'color': 'red', 'since': 2020}\n7 4 {}\n", ties("4-26 26-7 7-4"),
                 id="networkx"),
    pytest.param("('anna', 'bob'),\n('bob', 'carl'),\n('carl', 'anna')\n", THREE, id="a list of Python"),
    pytest.param("| person | contact |\n|---|:--|\n| anna | bob |\n| bob | carl |\n| carl | anna |\n", THREE,
                 id="Markdown"),
])  # fmt: skip
def test_files_that_are_clear_are_read(content: str | bytes, expected: Ties) -> None:
    write("ties.csv", content)

    assert ties_of(nv.read("ties.csv")) == expected


@pytest.mark.parametrize(("content", "told"), [
    ("Survey of the ward;;\nfrom;to;weight\n" + ROWS.format(1, 2, 3), "line 1: the columns are named"),
    ("Survey of the ward\nfrom;to;weight\n" + ROWS.format(1, 2, 3), "in line 2. Leave out what is above"),
    ("Survey\n\n2024\nfrom;to;weight\n" + ROWS.format(1, 2, 3), "line 1: the columns are named"),
    ("person;contacts;;\n;first;second;third\nanna;bob;carl;\nbob;anna;;\ncarl;anna;bob;\n", "--nominations"),
    ("from;to;weight\n" + ROWS.format(1, 2, 3) + "Total;;6\n", "line 5: this last line looks like totals"),
    ("from;to;weight\n" + ROWS.format(1, 2, 3) + ";;6\n", "line 5: expected two node labels, found one"),
    ("from;to\nanna;bob\nbob;carl\nGrand total;2\n", "line 4: this last line looks like totals"),
    ("respondent;friend1;friend2\nanna;bob;carl\nbob;anna;\ncarl;anna;bob\nSumme;3;2\n", "looks like totals"),
    ("from,to\nanna,bob\nbob,carl\n\nSource: ward survey, 2024\n", "line 5: this last line looks like a"),
    ("person;club\nanna;chess\nanna;choir\nbob;chess\ncarl;choir\n", "whether its first line names"),
    ("Id,Label,Modularity\n1,anna,0\n2,bob,1\n3,carl,0\n", "does not say which two of its 3 columns"),
    ("name,age,team\nanna,31,a\nbob,29,b\ncarl,40,a\n", "does not say which two of its 3 columns"),
    (";anna;bob;carl\nanna;;x;\nbob;x;;x\ncarl;;x;\n", "not clear which two of its 4 columns"),
    ("anna,bob,zoe\nbob,anna,zoe\n", "not clear which two of its 3 columns"),
    ("from,to\nanna,bob\nbob,carl\nfrom,to\ncarl,anna\n", "whether its first line names"),
    ('person,friends\nanna,"bob, carl"\nbob,anna\ncarl,"anna, bob"\n', "whether its first line names"),
    ("31220\t1\t5\n31220\t2\t7\n31240\t1\t5\n31240\t3\t4\n31260\t4\t5\n31260\t2\t3\n", "which two of its 3"),
    ("1 0 1 1\n0 1 1 0\n1 1 0 0\n0 1 0 1\n1 0 0 1\n1 1 1 0\n", "which two of its 4"),  # a part of a matrix
    ("anna,Bern,34\nbob,Basel,35\ncarl,Bern,36\n", "which two of its 3"),  # people and what is known of them
    ("id,age,city\n21,30,Bern\n22,21,Bern\n30,44,Basel\n31,22,Bern\n", "which two of its 3"),
    ("name,freund,from,to\nanna,bob,2001,2003\nbob,eve,2001,2004\n", "which two of its 4"),
    ("Madonna,Cher\n" + table("{one},{two}"), "whether its first line names"),
    ("1 2\n" * 3000 + "anna, bob\n", "line 3001: "),  # a line unlike all others, far down
    ("person,contact\nBell, Anna,Carr, Bob\nCarr, Bob,Dorn, Eve\n", "the header names fewer columns"),
    ("", "the file is empty"),
    ("\n \n", "the file is empty"),
    ("from;to;weight\n", "holds no edges"),
    ("<html><table><tr><td>anna</td></tr></table></html>\n", "is a web page"),
])  # fmt: skip
def test_files_that_are_not_clear_are_asked_about(content: str, told: str) -> None:
    write("ties.csv", content)
    with pytest.raises(NetveilError) as caught:
        nv.read("ties.csv")
    message = caught.value.for_command_line()

    assert told in message and message.startswith("ties.csv") and "\n" not in message
    assert not any(name in message for name in ("anna", "bob", "carl"))


def test_what_may_be_no_tie_or_nobody_is_told() -> None:
    """Weights of 0 and labels such as NA are read as they stand, with a warning that the report repeats."""
    write("ties.csv", "from;to;weight\n" + ROWS.format(1, "0,0", 2) + "dora;NA;1\n")
    with pytest.warns(nv.LossWarning, match="weights are ignored"):
        reading = nv.read("ties.csv", header=True).reading

    assert reading is not None
    assert reading.oddities == (
        "some labels are NA, - or the like, and were taken for people",
        "column weight holds 0, and lines with it were taken for ties too",
    )


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore::netveil.errors.LossWarning")
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    labels=LABELS,
    places=st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), min_size=1, max_size=9),
    known=st.sets(st.integers(0, 7)),
    turned=st.booleans(),
    names=st.sampled_from([("name", "age"), ("who", "team", "age"), ("id", "age", "contact")]),
)
def test_ties_and_persons_on_two_sheets(
    labels: list[str], places: list[tuple[int, int]], known: set[int], turned: bool, names: tuple[str, ...]
) -> None:
    """Ties are those that were written and ages come to their people, or there is a question."""
    written = [(labels[u], labels[v]) for u, v in places]
    persons = {labels[at]: 20 + at for at in known}
    cells: dict[str, dict[str, Any]] = {
        "age": persons,
        "team": dict.fromkeys(persons, "a"),
        "contact": dict.fromkeys(persons, "phone"),
    }
    rows = [list(names), *([name, *(cells[column][name] for column in names[1:])] for name in persons)]
    sheets = [["from", "to"], *map(list, written)], rows
    write("book.xlsx", book(*(reversed(sheets) if turned else sheets)))
    try:
        network = nv.read("book.xlsx")
    except NetveilError:
        return
    assert ties_of(network) == {frozenset(tie) for tie in written if len(set(tie)) > 1}
    assert set(network.labels) == {*persons, *(name for tie in written for name in tie)}
    ages = dict(zip(network.labels, network.attributes.node["age"], strict=True))
    assert ages == {str(label): persons.get(str(label)) for label in network.labels}
