"""A file that is streamed into blocks: the same blocks as of the network that is read whole."""

from __future__ import annotations

import errno
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import netveil as nv
from netveil.blocks import cut_network, cutting
from netveil.errors import FileError, NetveilError
from netveil.files import ReadAs, arrow, edge_list, storage
from netveil.files.tables import lines
from netveil.network import Network

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


@pytest.fixture(autouse=True, scope="module")
def _small_steps() -> Iterator[None]:
    """A few ties at once, so that small files take many steps."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrow, "ROWS_AT_ONCE", 7)
        patch.setattr(edge_list, "_TIES_AT_ONCE", 7)
        patch.setattr(lines, "AT_ONCE", 150)
        patch.setattr(cutting, "EDGES_AT_ONCE", 8)
        yield


def record(folder: Path) -> dict[str, Any]:
    """All that is in a folder of blocks, but for what tells one cutting from another, and how it was read."""
    manifest = json.loads((folder / "blocks.json").read_text(encoding="utf-8"))
    for name in ("cutting", "given", "is_streamed"):
        del manifest[name]
    return {**manifest, **{file.name: file.read_bytes() for file in folder.glob("*.npy")}}


def check_same(file: Path, *, streamed: bool = True, **options: Any) -> None:
    """Cut a file as it is streamed, and the network that it holds; compare."""
    folder = Path(tempfile.mkdtemp(dir=file.parent))
    found = cut_network(file, folder / "streamed", 3, read_as=ReadAs(**options))
    cut_network(nv.read(file, **options), folder / "whole", 3)

    assert found.is_streamed == streamed
    assert record(folder / "streamed") == record(folder / "whole")
    assert sorted(entry.name for entry in folder.iterdir()) == ["streamed", "whole"]


def write_table(file: Path, columns: dict[str, Any]) -> Path:
    """A table as Parquet or Arrow, by the suffix."""
    table = pyarrow.table(columns)
    if file.suffix == ".parquet":
        parquet.write_table(table, file, row_group_size=20)
    else:
        with pyarrow.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table, max_chunksize=30)
    return file


ENDS = (40 * np.random.default_rng(5).random((90, 2)) ** 2).astype(np.int64).T + 1000
TABLES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "whole": ({"weight": ENDS[0], "source": ENDS[0], "target": ENDS[1]}, {}),
    "columns": ({"weight": ENDS[0], "source": ENDS[0], "target": ENDS[1]}, {"columns": "target,weight"}),
    "texts": ({"a": [f"p{end}" for end in ENDS[0]], "b": [f"p{end}" for end in ENDS[1]]}, {}),
    "narrow": ({"source": ENDS[0].astype(np.int16), "target": ENDS[1].astype(np.uint32)}, {}),
    "more people than ties": ({"source": np.arange(60), "target": np.arange(60) + 100}, {}),
    "floats": ({"source": ENDS[0] * 1.0, "target": ENDS[1] * 1.0}, {}),
    "numbers beside texts": ({"source": ["1", "2", "3"], "target": [2, 3, 4]}, {}),
}


@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
@pytest.mark.parametrize("kind", TABLES)
def test_a_table_is_cut_as_if_read_whole(tmp_path: Path, suffix: str, kind: str) -> None:
    """With loops, repeats and further columns."""
    columns, options = TABLES[kind]

    check_same(write_table(tmp_path / f"ties.{suffix}", columns), **options)


@pytest.mark.parametrize("name", ["ties.parquet", "ties.arrow", "ties.csv.gz"])
def test_what_netveil_wrote_is_cut_as_if_read_whole(tmp_path: Path, name: str) -> None:
    """People without ties are there; a packed file is not streamed."""
    named = Network.from_edges([("anna", "bob"), ("bob", "cleo"), ("dan", "bob")], ["zoe", "anna", "yan"])
    for network in (named, Network.from_numbered_edges([(0, 3), (3, 1)], 6)):
        nv.write(network, tmp_path / name, overwrite=True)
        check_same(tmp_path / name, streamed=not name.endswith("gz"))


@pytest.mark.parametrize(
    "columns",
    [
        None,
        {"source": [1, None, 3], "target": [2, 3, 4]},
        {"a": [1], "b": [2], "c": [3]},
        {"source": np.empty(0, np.int64), "target": np.empty(0, np.int64)},
    ],
    ids=["damaged", "gap", "columns", "empty"],
)
def test_mistakes_are_told_as_if_read_whole(tmp_path: Path, columns: dict[str, Any] | None) -> None:
    """And nothing is left."""
    file = tmp_path / "ties.parquet"
    if columns is None:
        file.write_bytes(b"PAR1" + bytes(50) + b"PAR1")
    else:
        write_table(file, columns)
    with pytest.raises(NetveilError) as expected:
        nv.read(file)

    with pytest.raises(NetveilError) as told:
        cut_network(file, tmp_path / "blocks")
    assert str(told.value) == str(expected.value)
    assert [entry.name for entry in tmp_path.iterdir()] == ["ties.parquet"]


def test_a_full_disk_while_ties_are_read_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither blocks nor ties."""
    file = write_table(tmp_path / "ties.parquet", {"source": [1, 2, 3], "target": [2, 3, 4]})
    made: list[Path] = []

    def full(rows: int, columns: int) -> None:
        """As a disk that has room for the first array only."""
        storage.room_for_ties(rows, columns)
        made.extend(tmp_path.rglob("ties-*"))
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("netveil.files.arrow.room_for_ties", full)
    with pytest.raises(FileError, match=r"cannot be written: No space left on device\. Choose another"):
        cut_network(file, tmp_path / "blocks")
    assert made and list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_ties_of_a_streamed_network_are_never_in_memory(tmp_path: Path, suffix: str) -> None:
    """Cells, rows and edges are in files; what the system holds of these it can let go."""
    file = tmp_path / f"ties.{suffix}"
    nv.write(Network.from_numbered_edges([(0, 3), (3, 1), (1, 2)], 4), file)
    with storage.ties_on_disk(tmp_path):
        network = nv.read(file)
    files = [entry for entry in tmp_path.iterdir() if entry.name.startswith("ties-")]

    assert storage.is_on_disk(network.edges) and not storage.is_on_disk(nv.read(file).edges)
    assert len(files) == (2 if suffix == "csv" else 1)


RING = [(number, (number * 7 + 3) % 40) for number in range(40)] * 3
NAMES = [(f"p{one}", f"p{other}") for one, other in RING]


def as_lines(pairs: list[Any], separator: str = ",", line_end: str = "\n") -> str:
    """A tie a line."""
    return "".join(f"{one}{separator}{other}{line_end}" for one, other in pairs)


PLAIN = {
    "returns": as_lines(NAMES, ";", "\r\n"),
    "header": "source,target\n" + as_lines(NAMES),
    "header of two words": "Person A,Person B\n" + as_lines(RING),
    "no line end": as_lines(NAMES).rstrip(),
    "comments on top": "# of 2024\n\n% by us\n" + as_lines(RING),
    "loops": as_lines([*RING, (3, 3), (99, 99)]),
    "zeros in front": as_lines([(f"0{one}", f"0{other}") for one, other in RING]),
    "letters": as_lines([(f"é{one}", f"é{other}") for one, other in RING]),
    "mark": "\ufeff" + as_lines(NAMES),
    "three columns": as_lines([(f"{one},{other}", 1) for one, other in NAMES]),
    "other separator": as_lines(NAMES) + "p1 x,p2\n",
    "nodes": "# nodes: 50\n" + as_lines(RING),
    "kinds": as_lines(RING) + as_lines(NAMES),
    "apart": as_lines([(f"a{one}", f"b{other}") for one, other in RING]),
    "times": as_lines([(1700000000 + number, 1700000000 + number + 1) for number in range(60)]),
    "first line alone": as_lines([("Employee", "Boss"), *[(f"p{one}x", f"q{one}") for one, _ in RING]]),
}
UNUSUAL = {
    "quotes": (as_lines(NAMES) + '"p1","p2"\n').encode(),
    "comment inside": (as_lines(NAMES) + "# and\n" + as_lines(NAMES)).encode(),
    "empty line inside": (as_lines(NAMES) + "\n" + as_lines(NAMES)).encode(),
}
OLD = as_lines([*NAMES, ("André", "p1")]).encode("cp1252")


HEADED = "source,target\n" + as_lines(NAMES)
ASKED: dict[str, tuple[str, dict[str, Any]]] = {
    "no header": (HEADED, {"header": False}),
    "a header": (HEADED, {"header": True}),
    "numbers of columns": (HEADED, {"columns": "2,1"}),
    "names of columns": (HEADED, {"columns": "target,source"}),
    "a separator": (HEADED.replace(",", ":"), {"separator": ":"}),
}


@pytest.mark.quick(8)
@pytest.mark.parametrize("kind", [*PLAIN, *UNUSUAL, *ASKED, "old encoding"])
def test_a_text_is_cut_as_if_read_whole(tmp_path: Path, kind: str) -> None:
    """By all the rules of tables, as asked; what is unusual is read whole."""
    text, options = ASKED.get(kind, (PLAIN.get(kind, ""), {}))
    file = tmp_path / "ties.csv"
    file.write_bytes({**UNUSUAL, "old encoding": OLD}.get(kind, text.encode()))

    check_same(file, streamed=kind not in UNUSUAL, **options)


LABELS = st.sampled_from(["1", "2", "17", "03", "anna", "bob", "p1", "p2", "source", "target", "4.5", "x y"])


@given(st.lists(st.tuples(LABELS, LABELS), min_size=1, max_size=60), st.sampled_from(",;\t "))
def test_any_table_is_cut_as_if_read_whole(pairs: list[tuple[str, str]], separator: str) -> None:
    """Streamed or not."""
    with tempfile.TemporaryDirectory() as name:
        file = Path(name, "ties.csv")
        file.write_text(as_lines(pairs, separator), encoding="utf-8")
        try:
            network = nv.read(file)
        except NetveilError as expected:
            with pytest.raises(NetveilError) as told:
                cut_network(file, Path(name, "blocks"))
            assert str(told.value) == str(expected)
        else:
            cut_network(file, Path(name, "streamed"), 2)
            cut_network(network, Path(name, "whole"), 2)
            assert record(Path(name, "streamed")) == record(Path(name, "whole"))
