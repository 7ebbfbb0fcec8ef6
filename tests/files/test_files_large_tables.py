"""Large tables, which a kernel reads, become the same networks and the same errors as all others."""

from __future__ import annotations

import hashlib
import tempfile
from pathlib import Path
from typing import Any
from unittest import mock

import pyarrow
import pyarrow.parquet
import pytest
from drawn_tables import Shape, shapes
from hypothesis import example, given, strategies as st

import netveil as nv
from netveil.errors import FileError, NetveilError
from netveil.files import arrow, edge_list, storage
from netveil.files.labels import CompactLabels
from netveil.files.storage import check_fits
from netveil.files.tables import lines as plain_text
from netveil.files.tables.cells import coded_cells
from netveil.progress import heard_by


def outcome(content: bytes, large: int, **options: Any) -> tuple[Any, ...]:
    """All that reading says: the network and how it was read, or the error with its notes."""
    with mock.patch.object(edge_list, "LARGE", large):
        try:
            network = edge_list.read(content, "ties.csv", **options)
        except NetveilError as error:
            return type(error), str(error), getattr(error, "__notes__", [])
    return network.labels, network.edges.tolist(), network.edges.dtype, network.dropped, network.reading


def outcome_on_disk(content: bytes, at_once: int, **options: Any) -> tuple[Any, ...]:
    """What reading says of a file that is read part by part, if nothing about it is unusual."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "ties.csv")
        file.write_bytes(content)
        with (
            mock.patch.object(plain_text, "AT_ONCE", at_once),
            mock.patch.object(storage, "LARGE_FILE", 0),
            storage.open_stored(str(file)) as stored,
        ):
            assert stored is not None
            try:
                network = edge_list.read(stored, "ties.csv", **options)
            except NetveilError as error:
                return type(error), str(error), getattr(error, "__notes__", [])
    return network.labels, network.edges.tolist(), network.edges.dtype, network.dropped, network.reading


def is_same_both_ways(content: bytes, at_once: int = 1 << 20, **options: Any) -> bool:
    """Whether a table is the same to both readers, and from a disk, in parts of any size."""
    plainly = outcome(content, len(content) + 1, **options)
    return plainly == outcome(content, 0, **options) == outcome_on_disk(content, at_once, **options)


LABELS = st.sampled_from(
    [
        [str(number) for number in range(30)],
        [f"{number:02d}" for number in range(30)] + [f"{number}" for number in range(30)],
        [str(1_500_000_000 + 7 * number) for number in range(30)],
        ["2001", "2002", "2003", "1999"],
        [f"person number{number}" for number in range(30)],
        [f"somebody{number:07d}" for number in range(30)],
        ["anna", "bob", "Zoë", "José", "source", "target", "a,b", "c;", "x|y", "NA", "-1", "0.5", "12:30"],
        ["#1", "%2", "a#", "'b'", "(c", "d)", "e}", "\xa0f", "g h", '"i"', "j\tk", "l\x0c", "m\x85n"],
    ]
)
TOPS = st.sampled_from(
    ["", "# comment\n", "\n", "% a\n \t\n# b\n", "# nodes: 30\n", "\ufeff", "\ufeff# nodes: 9\n", "sep=,\n"]
)
HEADERS = st.sampled_from([[], [], ["source", "target"], ["x", "y"], ["von", "nach"], ["1", "anna"]])
TAILS = st.sampled_from(["", "\n", "\n", "\n\n\n", "\n# end\n", "\n \n", "\na\n", ",\n", "\n\x1a"])
FURTHER = st.sampled_from([[], [], [], ["7"], ["0.5", "2020-01-01"], ["kind of tie"], ["%d"], ["%d", "word"]])


@st.composite
def tables(draw: st.DrawFn) -> str:
    """A table as most large ones are, and all that is unusual about some."""
    labels, further = draw(LABELS), draw(FURTHER)
    label = st.sampled_from(labels)
    pairs = draw(st.lists(st.tuples(label, label), min_size=1, max_size=draw(st.sampled_from([5, 50, 130]))))
    separator = draw(st.sampled_from([",", ",", ";", "\t", " ", "|", ", ", "  "]))
    header = draw(HEADERS)
    rows = [[*header, *(f"f{place}" for place in range(len(further)))]] * bool(header)
    rows += [[*pair, *(cell.replace("%d", str(row)) for cell in further)] for row, pair in enumerate(pairs)]
    text = "\n".join(separator.join(row) for row in rows)
    return (draw(TOPS) + text + draw(TAILS)).replace("\n", draw(st.sampled_from(["\n", "\n", "\r\n"])))


@given(
    tables(),
    st.sampled_from([{}, {}, {"header": True}, {"columns": "1,2"}, {"separator": ","}]),
    st.sampled_from([1, 7, 20, 64, 1 << 20]),
)
@example("1,2\n2,3\n", {}, 4)
@example("# nodes: 3\n0 1\n1 3\n", {}, 4)
@example("a b\nb a\nc\r d\n", {}, 4)
@example("a,b\n\nb,c\n", {}, 5)
@example("a,b\r\nb,c\r\nc,d\r\n", {}, 4)
def test_a_random_table_is_the_same_to_both_readers(text: str, options: dict[str, Any], at_once: int) -> None:
    """Its network, labels in their order, what was dropped, how it was read; or what is asked."""
    assert is_same_both_ways(text.encode(), at_once, **options)


@given(shapes())
def test_a_table_of_any_shape_is_the_same_to_both_readers(shape: Shape) -> None:
    assert is_same_both_ways(shape.content)


def test_cells_that_are_usual_are_read_by_the_kernel() -> None:
    """Else the tests above would compare a reader with itself."""
    content = "\ufeff# by hand\r\nvon;nach;note\r\n Zoë;a longer label;x y\r\na longer label;12;\tz\r\n\r\n"
    text = plain_text.plain_text(content.encode())
    assert text is not None
    cells = coded_cells(text, "ties.csv")

    assert cells is not None
    assert [list(cells.column(place)) for place in range(3)] == [
        ["von", "Zoë", "a longer label"],
        ["nach", "a longer label", "12"],
        ["note", "x y", "z"],
    ]
    assert list(cells.line_numbers) == [2, 3, 4]
    assert (text.lines.comments, text.lines.empty) == (["# by hand"], 1)


def test_more_labels_than_there_is_room_for_at_first() -> None:
    ties = [(f"{number}", f"a long label {number * 7 % 5000}") for number in range(5000)]
    content = "".join(f"{one},{other}\n" for one, other in ties).encode()
    text = plain_text.plain_text(content)
    assert text is not None
    cells = coded_cells(text, "ties.csv")

    assert cells is not None
    assert list(zip(cells.column(0), cells.column(1), strict=True)) == ties
    assert is_same_both_ways(content)


def test_a_large_table_on_disk_is_read_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage, "LARGE_FILE", 0)
    file = tmp_path / "ties.csv"
    file.write_text("source,target\nanna,bob\nbob,somebody else\n", encoding="utf-8")
    with mock.patch("netveil.files.read_write.stored_bytes", side_effect=AssertionError):
        network = nv.read(file)

    assert isinstance(network.labels, CompactLabels) and network.labels == ("anna", "bob", "somebody else")
    assert network.sha256 == hashlib.sha256(file.read_bytes()).hexdigest()


@pytest.mark.parametrize(("text", "name"), [
    ("anna: bob carl\nbob: anna\ncarl: anna\n", "adjacency-list"),
    ("0,1,0\n1,0,1\n0,1,0\n", "matrix"),
    ('anna,bob\n"carl",bob\n', "edge-list"),
    ("anna,bob\nbob,carl\n\n\nanna,carl\n", "edge-list"),
])  # fmt: skip
def test_what_is_no_plain_list_of_ties_is_read_as_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, name: str
) -> None:
    file = tmp_path / "a.txt"
    file.write_text(text, encoding="utf-8")
    before = nv.read(file)
    monkeypatch.setattr(storage, "LARGE_FILE", 0)
    network = nv.read(file)

    assert network == before and network.reading == before.reading
    assert network.reading is not None and network.reading.format == name


# How far reading a large file is, and what is too much.


GIGABYTE = 1 << 30


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of 40 ties, which are many here."""
    monkeypatch.setattr(storage, "LARGE", 40)
    monkeypatch.setattr(arrow, "FEWEST_NUMBERED", 10)
    monkeypatch.setattr(arrow, "ROWS_AT_ONCE", 10)
    columns = {"a": list(range(40)), "b": list(range(1, 41))}
    pyarrow.parquet.write_table(pyarrow.table(columns), tmp_path / "a.parquet")
    return tmp_path / "a.parquet"


def test_what_does_not_fit_is_refused_before_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage, "free_memory", lambda: GIGABYTE)
    rule = r"a.parquet has about 100,000,000 ties, which take 1.4 GB of memory, and 1.1 GB are free. .*blocks"

    with pytest.raises(FileError, match=rule):
        check_fits(10**8, storage.WHOLE_NUMBERS, "a.parquet")
    check_fits(10**7, storage.WHOLE_NUMBERS, "a.parquet")


@pytest.mark.parametrize("kind", ["WHOLE_NUMBERS", "TEXTS"])
def test_a_table_is_heard_and_refused_by_its_rows(
    table: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if kind == "TEXTS":
        columns = {"a": [f"p{node}" for node in range(40)], "b": [f"p{node + 1}" for node in range(40)]}
        pyarrow.parquet.write_table(pyarrow.table(columns), table)
    heard: list[float] = []
    with heard_by(heard.append):
        assert nv.read(table).edge_count == 40

    assert heard == pytest.approx([0.175, 0.525, 0.7])
    assert nv.read(table).edge_count == 40 and len(heard) == 3
    monkeypatch.setattr(arrow, kind, 1 << 58)
    with pytest.raises(FileError, match="has about 40 ties"):
        nv.read(table)
