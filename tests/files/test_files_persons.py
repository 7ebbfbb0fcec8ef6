"""Persons with attributes beside the ties: typed, aligned with people, and told where they do not fit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from drawn_tables import NAMES
from hypothesis import HealthCheck, given, settings, strategies as st
from test_files_xlsx import book

import netveil as nv
from netveil.errors import AttributesWarning, FileError, LossWarning, NetveilError, SettingError
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
    """By its name."""
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
    """In the encoding that the file has; nobody comes in whom a spelling made."""
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
    """On one line, with the line of the file where there is one."""
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
    """In any order, with any labels."""
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
