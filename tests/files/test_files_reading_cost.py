"""How far reading a large file is, and what is too much."""

from __future__ import annotations

from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

import netveil as nv
from netveil.errors import FileError
from netveil.files import arrow, storage
from netveil.files.storage import check_fits
from netveil.progress import heard_by

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
    """With what to do instead."""
    monkeypatch.setattr(storage, "free_memory", lambda: GIGABYTE)
    rule = r"a.parquet has about 100,000,000 ties, which take 1.4 GB of memory, and 1.1 GB are free. .*blocks"

    with pytest.raises(FileError, match=rule):
        check_fits(10**8, storage.WHOLE_NUMBERS, "a.parquet")
    check_fits(10**7, storage.WHOLE_NUMBERS, "a.parquet")


@pytest.mark.parametrize("kind", ["WHOLE_NUMBERS", "TEXTS"])
def test_a_table_is_heard_and_refused_by_its_rows(
    table: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before any is read, and part by part, the rest being sorting."""
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
