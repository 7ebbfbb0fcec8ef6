"""Parquet and Arrow: tables of pyarrow, two columns of which hold the people."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas
import pyarrow
import pyarrow.compute
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet
import pytest

from netveil.errors import FileError, SettingError
from netveil.files import FORMATS, arrow
from netveil.network import Dropped, Network

KINDS = ("parquet", "arrow")


def stored(table: pyarrow.Table, kind: str) -> bytes:
    """A table as the bytes of a file, as pyarrow writes it."""
    written = io.BytesIO()
    if kind == "parquet":
        pyarrow.parquet.write_table(table, written)
    else:
        pyarrow.feather.write_feather(table, written)
    return written.getvalue()


def network_of(kind: str, table: dict[str, Any], **options: Any) -> Network:
    """The network in a table of these columns."""
    return FORMATS[kind].read(stored(pyarrow.table(table), kind), "a.x", **options)


@pytest.mark.parametrize("kind", KINDS)
def test_columns_of_further_people_are_told_by_their_names(kind: str) -> None:
    """A question, and a warning where the user says which two; further columns are not read."""
    table = {name: ["anna", "bob"] for name in ("ego", "alter", "alter2", "weight2")} | {
        "alter": ["eve", "kai"]
    }

    with pytest.raises(FileError, match="column 3 holds the same people as columns 1 and 2"):
        network_of(kind, table)
    network = network_of(kind, table, columns="ego,alter")
    assert network.edge_count == 2 and network.reading is not None
    assert [oddity.partition(" the")[0] for oddity in network.reading.oddities] == ["column alter2 holds"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("names", "options", "chosen"), [
    (["day", "Sender", "note", "Receiver"], {}, ("Sender", "Receiver")),
    (["a", "b", "c", "d"], {"columns": "b,d"}, ("b", "d")),
    (["a", "b", "c", "d"], {"columns": ["d", "b"]}, ("d", "b")),
    (["a", "b", "c", "d"], {"columns": "2,4"}, ("b", "d")),
    (["a", "b", "c", "d"], {"columns": (2, 4)}, ("b", "d")),
    (["a", "Person A", "c", "Person B"], {"columns": "person_a,person_b"}, ("Person A", "Person B")),
    (["4", "b", "2", "d"], {"columns": "b,d"}, ("b", "d")),
    (["x", "x", "x", "x"], {"columns": "2,4"}, ("x", "x")),
])  # fmt: skip
def test_columns_are_told_by_well_known_names_or_by_the_user(
    kind: str, names: list[str], options: dict[str, Any], chosen: tuple[str, str]
) -> None:
    """Here the second and the fourth; others are ignored, whatever their kind."""
    cells: list[Any] = [[1.5, None], ["a", "b"], [True, False], ["b", "c"]]
    table = pyarrow.Table.from_arrays([pyarrow.array(each) for each in cells], names=names)
    network = FORMATS[kind].read(stored(table, kind), "a.x", **options)

    assert {frozenset(tie) for tie in network.to_edges()} == {frozenset("ab"), frozenset("bc")}
    assert network.reading is not None and network.reading.columns == chosen
    assert network.reading.dropped == ("2 further columns",)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("columns", "options", "rule"), [
    ({"a": ["Anna"]}, {}, "a tie needs two columns with people, but the table has 1"),
    ({"a": ["Anna"], "b": ["Bob"], "c": [1]}, {},
     "its header does not say which two of its 3 columns are the people"),
    ({"a": ["Anna"], "b": ["Bob"]}, {"columns": "a,x"}, "there is no column 'x'"),
    ({"a": ["Anna"], "b": ["Bob"]}, {"columns": "1,3"}, "there is no column 3; the table has columns"),
    ({"a": ["Anna"], "b": ["Bob"]}, {"columns": "a,1"}, "these are the same"),
    ({"a": ["Anna"], "b": ["Bob"]}, {"columns": "a"}, "give two, by name or number"),
    ({"a": ["Anna"], "b": ["Bob"]}, {"columns": ["a", True]}, "there is no column 'True'"),
    ({"a": ["Anna", None], "b": ["Bob", "Anna"]}, {}, "a.x, row 2: column a has no value there"),
    ({"a": ["Anna", "x"], "b": ["Bob", None]}, {}, "a.x, row 2: column b has no value there"),
    ({"a": ["Anna", "x"], "b": ["Bob", ""]}, {}, "a.x, row 2: column b has no value there"),
    ({"a": [1, None], "b": [1, 2]}, {}, "a.x, row 2: column a has no value there"),
    ({"a": [1.5], "b": [1]}, {}, "column a holds what is neither text nor whole numbers"),
    ({"a": [True], "b": [False]}, {}, "column a holds values of type bool"),
    ({"a": [["Anna"]], "b": ["Bob"]}, {}, "column a holds values of type list"),
    ({"a": pyarrow.array([], pyarrow.string()), "b": pyarrow.array([], pyarrow.string())}, {},
     "a.x holds no ties"),
])  # fmt: skip
def test_a_table_that_is_no_network_is_told(
    kind: str, columns: dict[str, Any], options: dict[str, Any], rule: str
) -> None:
    """In one line that names nobody."""
    with pytest.raises((FileError, SettingError)) as caught:
        network_of(kind, columns, **options)
    told = str(caught.value)

    assert rule in told and told.endswith(".") and "\n" not in told
    assert "Anna" not in told and "Bob" not in told


@pytest.mark.parametrize("kind", KINDS)
def test_the_index_of_pandas_is_no_column_of_people(kind: str) -> None:
    """It is there where rows were left out before a table was saved."""
    table = pandas.DataFrame({"person": ["a", "x", "b"], "friend": ["b", "y", "c"]}).iloc[[0, 2]]
    table.index = pandas.Index(["first", "third"])
    written = stored(pyarrow.Table.from_pandas(table), kind)
    network = FORMATS[kind].read(written, "a.x")
    extras = FORMATS[kind].extras(written, "a.x")

    assert network.to_edges() == [("a", "b"), ("b", "c")]
    assert extras.columns == 1 and "pandas" in extras.remarks[0]


@pytest.mark.parametrize("kind", KINDS)
def test_others_read_what_we_write(kind: str) -> None:
    """Two columns of ties; who has none is a row without target, or, among numbers, in the metadata."""
    readers: dict[str, Callable[..., pandas.DataFrame]] = {
        "parquet": pandas.read_parquet,
        "arrow": pandas.read_feather,
    }
    labelled = Network.from_edges([("b", "a"), ("c", "b")], ["b", "alone"])
    numbered = Network.from_numbered_edges([(0, 2)], 4)
    texts, numbers = (
        readers[kind](io.BytesIO(FORMATS[kind].write(network, "a.x"))) for network in (labelled, numbered)
    )

    rows = texts.astype(object).where(texts.notna(), None).to_numpy().tolist()
    assert rows == [["alone", None], ["b", "a"], ["b", "c"]]
    assert list(texts.columns) == list(numbers.columns) == ["source", "target"]
    assert numbers.to_numpy().tolist() == [[0, 2]]
    for network in (labelled, numbered):
        extras = FORMATS[kind].extras(FORMATS[kind].write(network, "a.x"), "a.x")
        assert (extras.columns, extras.remarks) == (0, ())


LABELS = {
    "texts": [f"person {node * 7 % 40}" for node in range(40)],
    "numbers": [str(1000 + node * 7 % 40) for node in range(40)],
}


def forty(labels: str) -> Network:
    """A network of people who are met in the order of their numbers, some of them without ties."""
    rng = np.random.default_rng(11)
    rows = [
        (node, node)
        if node % 9 == 8
        else (int(rng.choice([each for each in range(node) if each % 9 < 8] or [1])), node)
        for node in range(1, 40)
    ]
    more = [
        (one, other) for one, other in rng.integers(0, 40, (60, 2)).tolist() if one % 9 < 8 and other % 9 < 8
    ]
    return Network.from_numbered_edges([*rows, *more], 40, tuple(LABELS[labels]))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("many", [0, 10**9])
def test_what_we_write_is_the_same_network(
    kind: str, labels: str, many: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nodes keep their numbers, whoever numbers them."""
    monkeypatch.setattr(arrow, "MANY", many)
    network = forty(labels)
    again = FORMATS[kind].read(FORMATS[kind].write(network, "a.x"), "a.x")

    assert again == network and again.dropped == Dropped()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("change", ["shuffled", "fewer", "more", "other names", "turned round"])
def test_what_others_did_to_a_file_of_ours_is_in_the_network(kind: str, labels: str, change: str) -> None:
    """Nothing is believed because we once wrote it: the network is that of the rows, whatever they are."""
    content = FORMATS[kind].write(forty(labels), "a.x")
    source = pyarrow.BufferReader(content)
    table = (
        pyarrow.parquet.read_table(source) if kind == "parquet" else pyarrow.ipc.open_file(source).read_all()
    )
    table = table.filter(pyarrow.compute.is_valid(table["target"]))
    if change == "shuffled":
        table = table.take(np.random.default_rng(2).permutation(len(table)))
    elif change == "fewer":
        table = table.slice(17)
    elif change == "more":
        table = pyarrow.concat_tables([table, table.slice(3, 5), table.slice(0, 9)])
    elif change == "other names":
        columns = {"source": table["source"], "target": table["target"].take(np.arange(len(table))[::-1])}
        table = pyarrow.table(columns, metadata=table.schema.metadata)
    else:
        table = table.rename_columns(["target", "source"]).select(["source", "target"])
    metadata = {key: value for key, value in (table.schema.metadata or {}).items() if b"isolated" not in key}
    rows = zip(*(column.cast("string").to_pylist() for column in table.columns), strict=True)
    expected = FORMATS["edge-list"].read(
        "".join(f"{u};{v}\n" for u, v in rows).encode(), "a.txt", header=False
    )
    network = FORMATS[kind].read(stored(table.replace_schema_metadata(metadata), kind), "a.x")

    assert network == expected and network.dropped == expected.dropped


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("metadata", "rule"), [
    ({"netveil.nodes": "2"}, "row 1: netveil.nodes in its metadata asks for whole numbers from 0 to 1"),
    ({"netveil.nodes": "many"}, "netveil.nodes is no number of nodes"),
    ({"netveil.nodes": "9999999999"}, "netveil.nodes is no number of nodes"),
    ({"netveil.isolated": "2"}, "row 2: column b has no value there"),
])  # fmt: skip
def test_metadata_of_ours_must_fit(kind: str, metadata: dict[str, str], rule: str) -> None:
    """Somebody may have changed the table, and kept them."""
    ends: list[Any] = [2, None] if "netveil.isolated" in metadata else [2, 1]
    table = pyarrow.table({"a": [0, 1], "b": ends}).replace_schema_metadata(metadata)

    with pytest.raises(FileError, match=rule):
        FORMATS[kind].read(stored(table, kind), "a.x")


@pytest.mark.parametrize(("kind", "content", "rule"), [
    ("parquet", b"", "is damaged or no Parquet file at all"),
    ("parquet", b"PAR1PAR1", "is damaged or no Parquet file at all"),
    ("arrow", b"", "is damaged or no Arrow file at all"),
    ("arrow", b"ARROW1\0\0", "is damaged or no Arrow file at all"),
    ("arrow", b"FEA1", "is a Feather file of version 1"),
])  # fmt: skip
def test_what_is_no_table_is_told(kind: str, content: bytes, rule: str) -> None:
    """Whatever pyarrow raises."""
    with pytest.raises(FileError, match=f"a.x {rule}"):
        FORMATS[kind].read(content, "a.x")


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("suffix", "package", "extra"),
    [("parquet", "pyarrow", "parquet"), ("feather", "pyarrow", "parquet"), ("xlsx", "openpyxl", "xlsx")],
)
def test_a_missing_package_is_told_with_what_to_install(suffix: str, package: str, extra: str) -> None:
    """In reading and in writing, by a process that cannot import it."""
    script = f"""
import sys
sys.modules[{package!r}] = None  # as if it were not installed
from netveil.errors import NetveilError
from netveil.files import FORMATS, format_of
from netveil.network import Network
known = format_of("a.{suffix}")
for use, given in ((known.read, b"x"), (known.write, Network.from_edges([]))):
    try:
        use(given, "a.{suffix}")
    except NetveilError as error:
        print(error)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    read, written = done.stdout.splitlines()

    rule = f"such a file needs {package}, which is not installed: pip install 'netveil[{extra}]'"
    assert read == f"a.{suffix}: {rule}"
    assert written == read or "but writes none" in written
