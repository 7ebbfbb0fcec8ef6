"""What reading a large file costs is said before, how far it is while it is read, and what is too much."""

from __future__ import annotations

import logging
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

import netveil as nv
from netveil.errors import FileError
from netveil.files import arrow, storage
from netveil.files.storage import CostOfATie, tell_reading
from netveil.kernels.compile_cache import KernelCache
from netveil.progress import heard_by

GIGABYTE = 1 << 30


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of 40 ties, which are many here."""
    monkeypatch.setattr(KernelCache, "announced", True)  # what is said here is about reading
    monkeypatch.setattr(storage, "LARGE", 40)
    monkeypatch.setattr(arrow, "FEWEST_NUMBERED", 10)
    monkeypatch.setattr(arrow, "ROWS_AT_ONCE", 10)
    monkeypatch.setattr(arrow, "TEXTS_AT_ONCE", 10)
    columns = {"a": list(range(40)), "b": list(range(1, 41))}
    pyarrow.parquet.write_table(pyarrow.table(columns), tmp_path / "a.parquet")
    return tmp_path / "a.parquet"


@pytest.mark.parametrize(("ties", "cost", "told"), [
    (2_000_000, CostOfATie(1e-6, 20), ["reading: about 2,000,000 ties, 2 s and 40 MB …"]),
    (10**9, CostOfATie(2e-7, 14), ["reading: about 1,000,000,000 ties, 3 min and 14.0 GB …"]),
    (999_999, CostOfATie(1, 1), []),
])  # fmt: skip
def test_what_reading_takes_is_told(
    ties: int,
    cost: CostOfATie,
    told: list[str],
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """From a million ties on."""
    monkeypatch.setattr(storage, "free_memory", lambda: 100 * GIGABYTE)
    caplog.set_level(logging.INFO, "netveil")
    tell_reading(ties, cost, "a.parquet")

    assert caplog.messages == told


def test_what_does_not_fit_is_refused_before_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """With what to do instead."""
    monkeypatch.setattr(storage, "free_memory", lambda: GIGABYTE)
    rule = r"a.parquet has about 100,000,000 ties, which take 1.4 GB of memory, and 1.1 GB are free. .*blocks"

    with pytest.raises(FileError, match=rule):
        tell_reading(10**8, storage.WHOLE_NUMBERS, "a.parquet")


@pytest.mark.parametrize(("kind", "told"), [("WHOLE_NUMBERS", "8 µs"), ("TEXTS", "48 µs")])
def test_a_table_is_told_heard_and_refused_by_its_rows(
    table: Path, kind: str, told: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before any is read, and batch by batch, the last part being sorting; texts take longer than numbers."""
    if kind == "TEXTS":
        columns = {"a": [f"p{node}" for node in range(40)], "b": [f"p{node + 1}" for node in range(40)]}
        pyarrow.parquet.write_table(pyarrow.table(columns), table)
    caplog.set_level(logging.INFO, "netveil")
    heard: list[float] = []
    with heard_by(heard.append):
        assert nv.read(table).edge_count == 40

    assert caplog.messages == [f"reading: about 40 ties, {told} and 0 MB …"]
    assert heard == pytest.approx([0.175, 0.525, 0.7])
    assert nv.read(table).edge_count == 40 and len(heard) == 3
    monkeypatch.setattr(arrow, kind, CostOfATie(0, 1 << 58))
    with pytest.raises(FileError, match="has about 40 ties"):
        nv.read(table)
