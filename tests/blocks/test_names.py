"""Names on disk are numbered as names in memory are."""

from __future__ import annotations

import tempfile
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from netveil.blocks import cutting
from netveil.blocks.cutting import Names

LABELS = st.sampled_from(["a", "b", "c", "anna", "bob", "é", "a b", "x" * 40]) | st.text("pq12", min_size=1)
TIES = st.lists(st.tuples(LABELS, LABELS), max_size=80)


def numbered(ties: list[tuple[str, str]], parts: int, folder: Path) -> tuple[list[list[int]], int]:
    """The numbers of all ties, and how many of them had to wait."""
    met, found, waited = Names(folder), [], 0
    for start in range(0, len(ties), parts):
        part = ties[start : start + parts]
        texts, first_at, codes = np.unique(sum(part, ()), return_index=True, return_inverse=True)
        found += met.numbered(texts.tolist(), first_at, codes.reshape(-1, 2)).tolist()
    for pairs in met.later():
        waited += len(pairs)
        found += pairs.tolist()
    return found, waited


@given(TIES, st.integers(1, 20), st.sampled_from([1, 300, 1000, 1 << 20]), st.sampled_from([2, 64]))
@settings(max_examples=80, deadline=None)
def test_names_are_numbered_as_they_are_met(
    ties: list[tuple[str, str]], parts: int, memory: int, at_once: int
) -> None:
    """However many fit into memory: some, so that others go to disk, or hardly one in a file of them."""
    number = {label: place for place, label in enumerate(dict.fromkeys(sum(ties, ())))}
    with (
        tempfile.TemporaryDirectory() as folder,
        mock.patch.object(cutting, "BYTES_IN_MEMORY", memory),
        mock.patch.object(cutting, "TICKETS_AT_ONCE", at_once),
    ):
        found, waited = numbered(ties, parts, Path(folder))

    assert found == [[number[label] for label in tie] for tie in ties]
    if memory == 1:
        assert waited == max(len(ties) - parts, 0)
    if memory == 1 << 20:
        assert waited == 0


def test_files_with_too_many_names_are_spread_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By further bits of their hashes; a name that comes again and again is no reason to."""
    monkeypatch.setattr(cutting, "BYTES_IN_MEMORY", 500)
    shifts = []
    spread = cutting._spread

    def noted(some: list[bytes], tickets: np.ndarray, beginning: Path, shift: int) -> None:
        shifts.append(shift)
        spread(some, tickets, beginning, shift)

    monkeypatch.setattr(cutting, "_spread", noted)
    few = [("a", "b"), ("c", "d"), ("e", "f"), *[("a", "b")] * 500]
    for ties, again in ((few, False), ([(f"p{one}", f"p{one + 1}") for one in range(2000)], True)):
        shifts.clear()
        folder = tmp_path / str(again)
        folder.mkdir()
        found, waited = numbered(ties, 100, folder)

        assert (max(shifts) > 0) == again and waited > 0
        assert np.unique(found).tolist() == list(range(len(set(sum(ties, ())))))
        left = {entry.name for entry in folder.iterdir()}
        assert left == {"waiting", "first-tickets", "numbers"}


def test_names_that_are_watched_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In memory, and on disk."""
    monkeypatch.setattr(cutting, "BYTES_IN_MEMORY", 1)
    met = Names(tmp_path, watched=["target"])
    told = []
    for tie in (["a", "b"], ["b", "c"], ["target", "x"], ["a", "c"]):
        met.numbered(tie, np.array([0, 1]), np.array([[0, 1]]))
        told.append(met.met_watched)

    assert told == [False, False, True, True]
