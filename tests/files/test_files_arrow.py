"""Parquet and Arrow: tables are the network of their rows, from files or bytes."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pandas
import pyarrow
import pyarrow.compute
import pyarrow.ipc
import pyarrow.parquet
import pytest
from hypothesis import example, given, strategies as st

import netveil as nv
from netveil.errors import FileError, NetveilError, SettingError
from netveil.files import FORMATS, arrow, storage
from netveil.files.labels import network_of_labels
from netveil.network import Network

KINDS = ("parquet", "arrow", "stream")
FILES = KINDS[:2]


def stored(table: pyarrow.Table, kind: str, rows: int = 7, **options: Any) -> bytes:
    """A table as the bytes of a file, in groups of so many rows."""
    written = io.BytesIO()
    if kind == "parquet":
        pyarrow.parquet.write_table(table, written, row_group_size=rows, **options)
        return written.getvalue()
    new = pyarrow.ipc.new_file if kind == "arrow" else pyarrow.ipc.new_stream
    with new(written, table.schema, **options) as writer:
        writer.write_table(table, rows)
    return written.getvalue()


def outcome(content: bytes, kind: str, at_once: int = 3) -> tuple[Any, ...]:
    """The network and what was dropped, or the error."""
    with mock.patch.multiple(arrow, FEWEST_NUMBERED=at_once, ROWS_AT_ONCE=at_once):
        try:
            network = FORMATS["parquet" if kind == "parquet" else "arrow"].read(content, "a.x")
        except NetveilError as error:
            return type(error), str(error)
    return tuple(network.labels), network.edges.tolist(), network.dropped


TYPES = ["int8", "uint8", "int32", "int64", "uint32", "uint64", "float32", "float64"]


@st.composite
def columns(draw: st.DrawFn, rows: int) -> pyarrow.Array:
    """Numbers of one type, mostly whole, few of them missing."""
    kind = draw(st.sampled_from(TYPES))
    some: st.SearchStrategy[Any] = st.integers(0, 9)
    if kind in ("int64", "uint64") and draw(st.booleans()):
        some |= st.sampled_from([2**40, 2**63 - 1])
    if kind == "uint64" and draw(st.booleans()):
        some |= st.sampled_from([2**63, 2**64 - 1])
    if kind in ("int8", "int64", "float64"):
        some |= st.just(-3)
    if kind == "float64" and draw(st.integers(0, 4)) == 0:
        some |= st.sampled_from([0.5, float("nan"), 1e300])
    if draw(st.integers(0, 2)) == 0:
        some |= st.none()
    values = draw(st.lists(some, min_size=rows, max_size=rows))
    if kind.startswith("float"):
        values = [None if value is None else float(value) for value in values]
    return pyarrow.array(values, type=getattr(pyarrow, kind)())


NAMES = ["a", "b", "anna", "bob", "somebody else", "José", "12", "007", "a label of many letters"]
UNUSUAL = ["", " a", "a ", "#1", "%", '"q"', "a\nb", "a\tb", "\t", "x\0y", "z\r", "\x85"]


@st.composite
def texts(draw: st.DrawFn, rows: int) -> pyarrow.Array:
    """Names, few of them missing, or such as no line of a table can hold."""
    some: st.SearchStrategy[Any] = st.sampled_from(NAMES)
    if draw(st.integers(0, 3)) == 0:
        some |= st.sampled_from(UNUSUAL)
    if draw(st.integers(0, 2)) == 0:
        some |= st.none()
    kind = draw(st.sampled_from([pyarrow.string(), pyarrow.large_string()]))
    if draw(st.booleans()):  # as places in a list, in which some may stand twice, or for nobody
        values = pyarrow.array(draw(st.lists(some, min_size=1, max_size=12)), type=kind)
        place = st.integers(0, len(values) - 1) | (st.none() if draw(st.booleans()) else st.nothing())
        places = pyarrow.array(draw(st.lists(place, min_size=rows, max_size=rows)), type=pyarrow.int8())
        return pyarrow.DictionaryArray.from_arrays(places, values)
    return pyarrow.array(draw(st.lists(some, min_size=rows, max_size=rows)), type=kind)


@st.composite
def tables(draw: st.DrawFn) -> pyarrow.Table:
    """Two columns of numbers, of texts or of both, and metadata as ours, right or wrong."""
    rows = draw(st.integers(0, 25))
    kinds = draw(st.sampled_from([(columns, columns), (texts, texts), (texts, columns)]))
    first, second = (draw(kind(rows)) for kind in kinds)
    number = draw(st.sampled_from([None, None, "10", "5"]))
    metadata = None if number is None else {"netveil.nodes": number}
    return pyarrow.table({"a": first, "b": second}).replace_schema_metadata(metadata)


def mistakes(table: pyarrow.Table, nodes: int | None) -> list[str]:
    """All errors that the columns of a table deserve."""
    found, rows = [], [column.to_pylist() for column in table.columns]
    asked = f"netveil.nodes in its metadata asks for whole numbers from 0 to {(nodes or 0) - 1}"
    if nodes is not None and any("string" in str(column.type) for column in table.columns):
        return [f"a.x: {asked}. Write the file again."]
    for name, column in zip("ab", rows, strict=True):
        if any((isinstance(value, float) and not value.is_integer()) or value == 1e300 for value in column):
            rule = f"a.x: column {name} holds what is neither text nor whole numbers"
            found.append(f"{rule}. Name the columns of people with columns=….")
        gaps = [row for row, value in enumerate(column, start=1) if value is None]
        gaps += [row for row, value in enumerate(column, start=1) if value == ""]
        if nodes is not None and gaps:
            found.append(f"a.x: {asked}. Write the file again.")
        if nodes is not None and any(value is not None and not 0 <= value < nodes for value in column):
            found += [f"a.x, row {row}: {asked}. Write the file again." for row in range(len(column) + 1)]
        if nodes is None and gaps:
            rule = f"a.x, row {min(gaps)}: column {name} has no value there, and a tie needs two people"
            found.append(f"{rule}. Leave the row out, or fill it.")
    if nodes is None and not rows[0]:
        found.append("a.x holds no ties: its table has no rows. Write one tie a row.")
    return found


def naive(table: pyarrow.Table, nodes: int | None) -> tuple[Any, ...]:
    """Labels, edges and what was dropped, from all rows at once in plain Python."""
    rows = [column.to_pylist() for column in table.columns]
    first, second = ([int(value) if isinstance(value, float) else value for value in each] for each in rows)
    if nodes is not None:
        network = Network.from_numbered_edges(list(zip(first, second, strict=True)), nodes)
        return tuple(network.labels), network.edges.tolist(), network.dropped
    network = network_of_labels([str(end) for ends in zip(first, second, strict=True) for end in ends])
    return network.labels, network.edges.tolist(), network.dropped


@given(tables(), st.sampled_from(KINDS), st.sampled_from([1, 3, 100]))
@example(
    pyarrow.table({"a": ["x", "y", "x"], "b": ["y", "z", "w"]}), "parquet", 100
)  # first met, first numbered
@example(pyarrow.table({"a": pyarrow.array([], "int64"), "b": pyarrow.array([], "int64")}), "parquet", 3)
@example(pyarrow.table({"a": [1, -1], "b": [2, 0]}, metadata={"netveil.nodes": "5"}), "arrow", 3)
@example(
    pyarrow.table({"a": pyarrow.array([2**63], "uint64"), "b": pyarrow.array([-1], "int64")}), "arrow", 3
)
def test_a_table_is_the_network_of_its_rows(table: pyarrow.Table, kind: str, at_once: int) -> None:
    """Its network, labels in their order, what was dropped; or one of the things that are wrong with it."""
    try:
        content = stored(table, kind)
    except pyarrow.ArrowNotImplementedError:  # Parquet has no place for a list in which there is a gap
        content, kind = stored(table, "stream"), "stream"
    metadata = {key.decode(): int(value) for key, value in (table.schema.metadata or {}).items()}
    nodes = metadata.get("netveil.nodes")
    found, wrong = outcome(content, kind, at_once), mistakes(table, nodes)

    assert found[1] in wrong if wrong else found == naive(table, nodes)


def test_lists_of_texts_may_change_from_batch_to_batch() -> None:
    """Together they may be longer than places of 8 bits can say, and some may hold a gap."""
    lists = [[f"{batch}.{number}" for number in range(100)] for batch in range(3)]
    places = pyarrow.array(range(100), "int8")
    written = io.BytesIO()
    columns = [
        pyarrow.DictionaryArray.from_arrays(places, pyarrow.array([*texts, *[None] * (texts is lists[1])]))
        for texts in lists
    ]
    batches = [pyarrow.record_batch([each, each[::-1]], names=["a", "b"]) for each in columns]
    with pyarrow.ipc.new_stream(written, batches[0].schema) as writer:
        for batch in batches:
            writer.write_batch(batch)
    wanted = network_of_labels(
        [end for texts in lists for pair in zip(texts, texts[::-1], strict=True) for end in pair]
    )

    for at_once in (3, 1000):
        found = outcome(written.getvalue(), "stream", at_once)
        assert found == (wanted.labels, wanted.edges.tolist(), wanted.dropped)


@pytest.mark.parametrize("value", [1.5, float("nan")])
def test_a_fraction_is_nobody_beside_texts_either(value: float) -> None:
    fits, fails = ({"a": [1e17, each], "b": ["anna", "bob"]} for each in (2.0, value))

    assert outcome(stored(pyarrow.table(fits), "parquet"), "parquet")[0] == (f"{10**17}", "anna", "2", "bob")
    assert "neither text nor whole" in outcome(stored(pyarrow.table(fails), "parquet"), "parquet")[1]


@pytest.mark.parametrize("damage", ["place", "letters"])
def test_a_damaged_list_of_texts_is_told(damage: str) -> None:
    letters = pyarrow.array([b"a", b"b\xff" if damage == "letters" else b"b"])
    texts = pyarrow.Array.from_buffers(pyarrow.string(), 2, letters.buffers())
    places = pyarrow.array([0, 1, 5 if damage == "place" else 1], "int32")
    column = pyarrow.DictionaryArray.from_arrays(places, texts, safe=False)
    content = stored(pyarrow.table({"a": column, "b": column}), "arrow")
    told = outcome(content, "arrow")

    assert told[0] is FileError and "column a holds what is neither text nor whole numbers" in told[1]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("packed", [False, True])
def test_a_stored_file_is_the_network_in_its_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, packed: bool
) -> None:
    rng = np.random.default_rng(3)
    ends = rng.choice(rng.integers(-(2**62), 2**62, 40), (3000, 2))
    options: dict[str, Any] = {}
    if packed:
        compression = {"parquet": {"compression": "zstd"}}
        options = compression.get(kind, {"options": pyarrow.ipc.IpcWriteOptions(compression="zstd")})
    content = stored(pyarrow.table({"a": ends[:, 0], "b": ends[:, 1]}), kind, 500, **options)
    file = tmp_path / ("a.parquet" if kind == "parquet" else "a.arrow")
    file.write_bytes(content)
    at_once = nv.read(file)
    monkeypatch.setattr(storage, "LARGE_FILE", 0)
    monkeypatch.setattr(arrow, "_LOOKED_THROUGH", 64)
    with mock.patch("netveil.files.read_write.stored_bytes", side_effect=AssertionError):
        in_parts = nv.read(file)

    assert in_parts == at_once and in_parts.dropped == at_once.dropped and in_parts.reading == at_once.reading
    assert in_parts.sha256 == at_once.sha256
    assert len(in_parts.labels) == 40


@pytest.mark.parametrize(
    ("kind", "damage"),
    [("parquet", "cut"), ("parquet", "zeros"), ("arrow", "cut")],  # Arrow has no checksums
)
@pytest.mark.parametrize("place", [0.3, 0.6, 0.95])
def test_a_damaged_file_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, place: float, damage: str
) -> None:
    numbers = np.random.default_rng(1).integers(0, 10**6, (2000, 2))
    table = pyarrow.table({"a": numbers[:, 0], "b": numbers[:, 1]})
    content = stored(table, kind, 300, **({"write_page_checksum": True} if kind == "parquet" else {}))
    at = int(len(content) * place)
    file = tmp_path / f"a.{kind}"
    file.write_bytes(content[:at] if damage == "cut" else content[:at] + b"\0" * 500 + content[at + 500 :])
    monkeypatch.setattr(storage, "LARGE_FILE", 0)

    with pytest.raises(FileError, match="is damaged or no"):
        nv.read(file)


@pytest.mark.parametrize("kind", ["lz4", "zstd"])
def test_compressed_parts_are_looked_for_across_parts_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    zeros = pyarrow.table({"a": np.zeros(200_000, np.int64), "b": np.ones(200_000, np.int64)})
    content = stored(zeros, "arrow", 1000, options=pyarrow.ipc.IpcWriteOptions(compression=kind))
    file = tmp_path / "a.arrow"
    file.write_bytes(content)
    claimed = arrow._claimed_size(content)
    assert claimed >= 2 * 8 * 200_000

    monkeypatch.setattr(storage, "LARGE_FILE", 0)
    for size in (8, 64, 1 << 20):
        monkeypatch.setattr(arrow, "_LOOKED_THROUGH", size)
        with storage.open_stored(str(file)) as opened:
            assert opened is not None
            assert arrow._claimed_size(opened) == claimed
    monkeypatch.setenv(storage.VARIABLE, "2000000")
    with pytest.raises(FileError, match="unpacks to more than 2,000,000"):
        nv.read(file)


def test_a_file_that_changes_while_it_is_read_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its SHA-256 would be that of another network."""
    file = tmp_path / "a.parquet"
    file.write_bytes(stored(pyarrow.table({"a": [1, 2], "b": [3, 4]}), "parquet"))
    monkeypatch.setattr(storage, "LARGE_FILE", 0)
    whole = hashlib.file_digest

    def digest_late(stream: Any, name: str) -> Any:
        with file.open("ab") as more:
            more.write(b"PAR1")
        return whole(stream, name)

    monkeypatch.setattr(hashlib, "file_digest", digest_late)
    with pytest.raises(FileError, match="changed while it was read"):
        nv.read(file)


def network_of(kind: str, table: dict[str, Any], **options: Any) -> Network:
    """The network in a table of these columns."""
    return FORMATS[kind].read(stored(pyarrow.table(table), kind), "a.x", **options)


@pytest.mark.parametrize("kind", FILES)
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


@pytest.mark.parametrize("kind", FILES)
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
    cells: list[Any] = [[1.5, None], ["a", "b"], [True, False], ["b", "c"]]
    table = pyarrow.Table.from_arrays([pyarrow.array(each) for each in cells], names=names)
    network = FORMATS[kind].read(stored(table, kind), "a.x", **options)

    assert {frozenset(tie) for tie in network.to_edges()} == {frozenset("ab"), frozenset("bc")}
    assert network.reading is not None and network.reading.columns == chosen
    assert network.reading.dropped == ("2 further columns",)


@pytest.mark.parametrize("kind", FILES)
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
    with pytest.raises((FileError, SettingError)) as caught:
        network_of(kind, columns, **options)
    told = str(caught.value)

    assert rule in told and told.endswith(".") and "\n" not in told
    assert "Anna" not in told and "Bob" not in told


@pytest.mark.parametrize("kind", FILES)
def test_the_index_of_pandas_is_no_column_of_people(kind: str) -> None:
    """It is there where rows were left out before a table was saved."""
    table = pandas.DataFrame({"person": ["a", "x", "b"], "friend": ["b", "y", "c"]}).iloc[[0, 2]]
    table.index = pandas.Index(["first", "third"])
    written = stored(pyarrow.Table.from_pandas(table), kind)
    network = FORMATS[kind].read(written, "a.x")

    assert network.to_edges() == [("a", "b"), ("b", "c")]
    assert network.reading is not None and network.reading.dropped == ("1 further column", "1 comment")


@pytest.mark.parametrize("kind", FILES)
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

    assert texts.to_numpy().tolist() == [["alone", "alone"], ["b", "a"], ["b", "c"]]
    assert list(texts.columns) == list(numbers.columns) == ["source", "target"]
    assert numbers.to_numpy().tolist() == [[0, 2]]


@pytest.mark.parametrize("kind", FILES)
@pytest.mark.parametrize(("metadata", "rule"), [
    ({"netveil.nodes": "2"}, "row 1: netveil.nodes in its metadata asks for whole numbers from 0 to 1"),
    ({"netveil.nodes": "many"}, "netveil.nodes is no number of nodes"),
    ({"netveil.nodes": "9999999999"}, "netveil.nodes is no number of nodes"),
])  # fmt: skip
def test_metadata_of_ours_must_fit(kind: str, metadata: dict[str, str], rule: str) -> None:
    """Somebody may have changed the table, and kept them."""
    table = pyarrow.table({"a": [0, 1], "b": [2, 1]}).replace_schema_metadata(metadata)

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
    with pytest.raises(FileError, match=f"a.x {rule}"):
        FORMATS[kind].read(content, "a.x")
