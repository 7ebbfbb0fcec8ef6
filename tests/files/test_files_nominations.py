"""Nominations: one person a line and named contacts are read right, or asked about; never a wrong network."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from drawn_tables import NAMES
from hypothesis import given, strategies as st

import netveil as nv
from netveil.errors import FileError, NetveilError
from netveil.files.edge_list import read
from netveil.network import Network

ANSWERS = {
    "anna": ["bob", "carl"],
    "bob": ["anna"],
    "carl": ["dora", "anna", "bob"],
    "dora": [],
    "eve": ["dora", "bob"],
}


def ties_of(answers: dict[str, list[str]]) -> set[frozenset[str]]:
    """Ties between each person and all contacts, directions apart."""
    return {frozenset((one, two)) for one, named in answers.items() for two in named if one != two}


def text_of(answers: dict[str, list[str]], header: str = "", mark: str = ";", width: int = 3) -> str:
    """A line for each person, with empty cells behind the last contact."""
    text = io.StringIO()
    everywhere = any(one.startswith("#") for one in answers)  # which would start a comment
    rows = csv.writer(
        text, delimiter=mark, quoting=csv.QUOTE_ALL if everywhere else csv.QUOTE_MINIMAL, lineterminator="\n"
    )
    if header:
        rows.writerow(header.split(";"))
    rows.writerows([one, *named, *[""] * (width - len(named))] for one, named in answers.items())
    return text.getvalue()


def found_in(text: str, **options: Any) -> Network:
    """The network in a text."""
    return read(text.encode(), "survey.csv", **options)


def is_right(network: Network, answers: dict[str, list[str]] = ANSWERS) -> bool:
    """Whether a network has all people and ties of these answers, and no others."""
    people = {*answers, *(each for named in answers.values() for each in named)}
    return set(network.labels) == people and set(map(frozenset, network.to_edges())) == ties_of(answers)


HEADER = "respondent;colleague1;colleague2;colleague3"
QUOTED = {"Bell; Anna": ["Carr, Bob"], "Carr, Bob": ["Bell; Anna", 'the "boss"'], 'the "boss"': ["Carr, Bob"]}
CODES = {f"P{at:03}": [f"P{(at + step) % 12:03}" for step in (1, 4, 5)] for at in range(12)}
NUMBERS = {str(at): [str(at * step % 37) for step in (2, 5, 11)] for at in range(1, 37)}


@pytest.mark.parametrize(("text", "options", "answers"), [
    (text_of(ANSWERS, HEADER), {}, ANSWERS),
    (text_of(ANSWERS, HEADER, ","), {"nominations": True}, ANSWERS),
    (text_of(ANSWERS, "pupil;friend_1;friend_2;friend_3"), {}, ANSWERS),
    (text_of(ANSWERS, "Name;Contact 1;Contact 2;Contact 3"), {}, ANSWERS),
    (text_of(ANSWERS, "ego;alter;alter2;alter3"), {}, ANSWERS),
    (text_of(ANSWERS, "who;first;second;third"), {"nominations": True, "header": True}, ANSWERS),
    (text_of(ANSWERS, "who;first;second;third"), {"columns": "who,first,second,third", "nominations": True},
     ANSWERS),
    (text_of(ANSWERS), {"nominations": True}, ANSWERS),
    (text_of(ANSWERS), {"columns": "1,2,3,4", "nominations": True, "header": False}, ANSWERS),
    ("anna;bob;carl\nbob;anna\ncarl;dora;anna;bob\ndora\neve;dora;bob\n", {"nominations": True}, ANSWERS),
    (text_of(QUOTED, HEADER), {}, QUOTED),
    (text_of(QUOTED, HEADER, ","), {"columns": "respondent,colleague*"}, QUOTED),
    (text_of(QUOTED), {"nominations": True, "header": False}, QUOTED),
    (text_of(CODES, HEADER), {}, CODES),
    (text_of(CODES), {"nominations": True}, CODES),
    (text_of(NUMBERS, HEADER), {}, NUMBERS),
    (text_of(NUMBERS), {"nominations": True}, NUMBERS),
    (text_of(ANSWERS, HEADER).replace(";;", ";NA;-"), {}, ANSWERS),
])  # fmt: skip
def test_nominations_are_read(text: str, options: dict[str, Any], answers: dict[str, list[str]]) -> None:
    """With and without a header, empty cells, quotes around separators; who names nobody is there."""
    network = found_in(text, **options)

    assert is_right(network, answers)
    assert network.dropped.duplicates == 0, "two people may name each other"
    assert network.reading is not None and network.reading.nominations


def test_columns_about_the_person_are_no_contacts() -> None:
    text = (
        "age,respondent,colleague1,colleague2,department\n"
        "31,anna,bob,carl,a\n29,bob,anna,,b\n40,carl,bob,,a\n"
    )
    network = found_in(text)

    assert is_right(network, {"anna": ["bob", "carl"], "bob": ["anna"], "carl": ["bob"]})
    assert network.reading is not None
    assert network.reading.sentence() == (
        "read as edge-list: separator comma, nominations of respondent in columns colleague1, colleague2, "
        "header, UTF-8, dropped: 2 further columns"
    )
    assert network.notes == ("2 ties named from one side only",)


def test_contacts_that_are_left_out_are_warned_of() -> None:
    answers = {name: [each for each in named if each][:1] or ["anna"] for name, named in ANSWERS.items()}
    text = text_of({name: [*named, "bob", "carl"] for name, named in answers.items()}, HEADER)
    for columns in ("respondent,colleague1", "respondent,colleague1*"):
        reading = found_in(text, columns=columns).reading
        assert reading is not None
        assert reading.oddities == (
            "columns colleague2, colleague3 hold the same people as those that are read: "
            "ties there are left out",
        )


@pytest.mark.parametrize(("text", "options", "rule"), [
    (text_of({"anna": ["x", "y"], "bob": ["z", "w"]}, HEADER), {}, "few of those who are named have a line"),
    (text_of(ANSWERS), {}, "--nominations"),
    ("anna;bob;carl\nbob;anna\ncarl;dora;anna;bob\n", {}, "--nominations if a line has a person"),
    ("anna;bob;carl\nbob;anna\ncarl;dora;anna;bob\neve\n", {}, "--nominations"),
    (text_of(ANSWERS, HEADER) + ";anna;;\n", {}, "line 7: expected the person who names others"),
    ("respondent,colleague1,colleague2\nanna,\"bob, carl\",\nbob,anna,carl\ncarl,bob,anna\n", {},
     "list several"),
    ("person,team\nanna,a\nbob,b\n", {"nominations": True, "header": True},
     "which of its columns hold contacts"),
    ("from,to,2,3\nanna,bob,,\n", {"columns": "from,t*,t*", "nominations": False},
     "a star means nominations"),
    (text_of(ANSWERS, HEADER), {"columns": "respondent,friend*"}, "no column is called 'friend*'"),
    (text_of(ANSWERS, HEADER), {"columns": "respondent", "nominations": True}, "at least one of contacts"),
    (text_of(ANSWERS, HEADER), {"columns": "1,2,3"}, "with --nominations, any number"),
])  # fmt: skip
def test_what_is_no_clear_nomination_is_asked(text: str, options: dict[str, Any], rule: str) -> None:
    with pytest.raises(NetveilError) as caught:
        found_in(text, **options)

    assert rule in caught.value.for_command_line()


@pytest.mark.parametrize("text", [
    "id,person1,person2\n1,anna,bob\n2,bob,carl\n3,anna,carl\n",
    "from,to,weight1,weight2\nanna,bob,1,2\nbob,carl,2,2\ncarl,anna,1,1\n",
    "source,target,q1,q2,q3\n1,2,1,1,2\n2,3,1,2,2\n3,4,2,2,1\n4,1,1,1,1\n",
])  # fmt: skip
def test_numbered_columns_of_other_things_are_no_nominations(text: str) -> None:
    network = found_in(text)

    assert network.reading is not None and not network.reading.nominations
    assert network.edge_count == len(text.splitlines()) - 1


def test_parquet_and_json_hold_nominations(tmp_path: Path) -> None:
    """Where the user says so; JSON as other tables also by itself, as its cells are looked at."""
    import pyarrow
    import pyarrow.parquet

    names = HEADER.split(";")
    rows = [[one, *named, *[None] * (3 - len(named))] for one, named in ANSWERS.items()]
    columns = dict(zip(names, zip(*rows, strict=True), strict=True))
    table = pyarrow.table({name: list(values) for name, values in columns.items()})
    pyarrow.parquet.write_table(table, tmp_path / "survey.parquet")
    document = [dict(zip(names, row, strict=True)) for row in rows]
    (tmp_path / "survey.json").write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(FileError, match="nominations=True"):
        nv.read(tmp_path / "survey.parquet")
    assert is_right(nv.read(tmp_path / "survey.json"))
    for file in ("survey.parquet", "survey.json"):
        assert is_right(nv.read(tmp_path / file, nominations=True))
        assert is_right(nv.read(tmp_path / file, columns="respondent,colleague*"))


@given(
    labels=NAMES.filter(lambda labels: "1.5" not in labels),  # dates and numbers may be no people
    places=st.lists(st.lists(st.integers(0, 7), max_size=4), min_size=1, max_size=8),
    header=st.sampled_from(["", HEADER + ";colleague4", "ego;alter;alter2;alter3;alter4"]),
    mark=st.sampled_from(",;\t|"),
)
def test_nominations_of_every_shape_are_read_as_csv_has_them(
    labels: list[str], places: list[list[int]], header: str, mark: str
) -> None:
    """What a user says settles all of it; without that the network is right, or there is a question.

    Numbers behind two numbers and without a header are weights and times, as edge lists have them, and a
    first line of people who are called source and target names the columns.
    """
    answers = {
        labels[at]: [labels[place % len(labels)] for place in named]
        for at, named in enumerate(places[: len(labels)])
    }
    text = text_of(answers, header, mark, 4)
    said = found_in(text, nominations=True, header=bool(header), separator=mark)
    assert is_right(said, answers)
    if not header and (all(map(str.isdigit, labels)) or "source" in labels):
        return
    try:
        found = found_in(text)
    except NetveilError:
        return
    assert is_right(found, answers)
