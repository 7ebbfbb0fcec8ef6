"""Files as offices have them: read right, or one clear question; never a wrong network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from drawn_tables import NAMES
from hypothesis import HealthCheck, given, settings, strategies as st
from test_files_xlsx import book

import netveil as nv
from netveil.errors import NetveilError
from netveil.network import Network

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
])  # fmt: skip
def test_files_that_are_clear_are_read(content: str | bytes, expected: Ties) -> None:
    """All their ties, and no others."""
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
    ("", "the file is empty"),
    ("\n \n", "the file is empty"),
    ("from;to;weight\n", "holds no edges"),
    ("<html><table><tr><td>anna</td></tr></table></html>\n", "is a web page"),
])  # fmt: skip
def test_files_that_are_not_clear_are_asked_about(content: str, told: str) -> None:
    """One question or mistake, on one line, which names nobody."""
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


@pytest.mark.parametrize(("persons", "told"), [
    ("nr;age\n007;31\n012;29\n100;40\n", None),
    ("nr;age\n 007 ;31\n012;29\n100;40\n".encode("utf-8-sig"), None),
    ("nr;ort\n007;Zürich\n012;Genève\n100;\n".encode("latin-1"), None),
    ("nr;age\n7;31\n12;29\n100;40\n", "differ from people of the ties by zeros ahead"),
    ("nr;age\n007;31\n012;29\n007;30\n", "line 4: this person stands in line 2 already"),
    ("nr;age\n007;31\n;29\n", "line 3: expected a person in column nr, found none"),
    ("007;31\n012;29\n100;40\n", "its first line is a person of the network"),
    ("nr;age\n", "none of its keys is a person"),
    ("", "holds no persons"),
])  # fmt: skip
def test_persons_beside_ties(persons: str | bytes, told: str | None) -> None:
    """Each has the attribute, and nobody comes in whom a spelling made."""
    write("ties.csv", "from;to\n007;012\n012;100\n")
    write("persons.csv", persons)
    if told is None:
        network = nv.read("ties.csv", persons="persons.csv")
        assert network.labels == ("007", "012", "100") and ties_of(network) == ties("007-012 012-100")
        assert next(iter(network.attributes.node.values())) in ([31, 29, 40], ["Zürich", "Genève", None])
        return
    with pytest.raises(NetveilError) as caught:
        nv.read("ties.csv", persons="persons.csv")
    assert told in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.filterwarnings("ignore::netveil.errors.LossWarning")
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    labels=NAMES,
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
