"""Ties of a Parquet or Arrow file, some rows at a time: what `files.arrow_tables` makes of them all at once.

Whatever is unusual about a file, mistakes among it, raises `NotStreamedError`: then it is read whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netveil.blocks.edges_on_disk import EdgesOnDisk, Numbering, TiesOnDisk, check_room
from netveil.blocks.names import Names
from netveil.errors import NetveilError
from netveil.files import arrow, parquet
from netveil.files.arrow_batches import are_texts
from netveil.files.arrow_columns import NODES
from netveil.files.arrow_tables import ISOLATED, TableInFile
from netveil.files.asked import Columns
from netveil.files.stored_file import StoredFile
from netveil.files.tied_labels import LOOKED_AT, each_once
from netveil.kernels.arrays import IntMatrix
from netveil.network import Dropped

ROWS_AT_ONCE = 1 << 18
_UNUSUAL = "there is something unusual about it"


class NotStreamedError(Exception):
    """A file that is read whole; says why."""


def ties_of_arrow(file: str, format_name: str, columns: Columns | None, folder: Path) -> EdgesOnDisk:
    """The network in a file of whole numbers or texts, without its name; `folder` is for files meanwhile."""
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise NotStreamedError("pyarrow is not installed") from None
    with _left_to_whole_reading("it cannot be read"):
        stored = StoredFile(file)
    with stored:
        with _left_to_whole_reading("it cannot be read"):
            if format_name == "parquet":
                table = parquet.table_in(stored, file, texts_in_lists=False)
            else:
                table = arrow.table_in(stored, file, mapped=True)
        return _ties(table, columns, folder)


def _ties(table: TableInFile, columns: Columns | None, folder: Path) -> EdgesOnDisk:
    with _left_to_whole_reading("its columns of people are not clear"):
        chosen = table.people(columns)
    with _left_to_whole_reading(_UNUSUAL):
        announced, isolated = table.announced(NODES), table.announced(ISOLATED) or 0
    check_room(folder, table.rows)
    reader = _Reader([table.schema.field(place).type for place in chosen.places], announced, folder)
    ties, rows = TiesOnDisk(folder), 0
    beginning: list[tuple[str, str]] = []
    for ends in _slices(table.batches(chosen)):
        with _left_to_whole_reading(_UNUSUAL):
            first, second = reader.filled(*ends)
            if rows < LOOKED_AT:
                labels = (
                    each.slice(0, LOOKED_AT - rows).cast("string").to_pylist() for each in (first, second)
                )
                beginning += zip(*labels, strict=True)
            rows += len(first)
            pairs = reader.whole(first, second) if reader.names is None else None
        ties.add(reader.named(first, second) if pairs is None else pairs)
    if not rows or reader.gaps != isolated:
        raise NotStreamedError(_UNUSUAL)
    for pairs in reader.names.later() if reader.names is not None else ():
        ties.add(pairs)
    found = ties.sorted(announced)
    return replace(
        found,
        dropped=Dropped(found.dropped.self_loops - isolated, found.dropped.duplicates),
        notes=table.account(rows),
        reading=table.reading(chosen, each_once(beginning)),
    )


class _Reader:
    """Turns rows of two columns into numbers of nodes."""

    def __init__(self, kinds: Sequence[Any], announced: int | None, folder: Path) -> None:
        import pyarrow

        self._announced = announced
        self.gaps = 0  # rows of people without ties
        are_whole = all(pyarrow.types.is_integer(kind) and kind != pyarrow.uint64() for kind in kinds)
        if not are_whole and not (are_texts(kinds) and announced is None):
            raise NotStreamedError("its columns hold neither whole numbers nor texts alone")
        self._numbering = Numbering()
        self.names = None if are_whole else Names(folder)

    def filled(self, first: Any, second: Any) -> tuple[Any, Any]:
        """Both columns without a gap, numbers as they are and texts as such."""
        import pyarrow
        import pyarrow.compute

        if self.names is not None:
            first, second = (each.cast(pyarrow.large_string()) for each in (first, second))
        if self._announced is None and second.null_count:
            self.gaps += second.null_count
            second = pyarrow.compute.if_else(second.is_null(), first.cast(second.type), second)
        if first.null_count or second.null_count:
            raise NotStreamedError("a cell has no value")
        return first, second

    def whole(self, first: Any, second: Any) -> IntMatrix:
        """The ties of some rows of whole numbers."""
        pairs = np.empty((len(first), 2), np.int64)
        pairs[:, 0], pairs[:, 1] = first.to_numpy(), second.to_numpy()
        if self._announced is None:
            return self._numbering.of(pairs)
        if len(pairs) and (pairs.min() < 0 or pairs.max() >= self._announced):
            raise NotStreamedError("a number is that of no node")
        return pairs

    def named(self, first: Any, second: Any) -> IntMatrix:
        """The ties of some rows of texts; none if they have to wait."""
        import pyarrow

        assert self.names is not None
        encoded = pyarrow.concat_arrays([first, second]).dictionary_encode()
        codes: NDArray[np.int64] = encoded.indices.to_numpy().astype(np.int64).reshape(2, -1).T
        first_at = np.empty(len(encoded.dictionary), np.int64)
        first_at[codes.ravel()[::-1]] = np.arange(codes.size)[::-1]  # the last one assigned is the first
        texts = encoded.dictionary.to_pylist()
        if "" in texts:
            raise NotStreamedError("a cell has no value")
        return self.names.numbered(texts, first_at, codes)


def _slices(batches: Iterator[tuple[Any, Any]]) -> Iterator[tuple[Any, Any]]:
    """Both columns, some rows at a time, once they are known to be undamaged."""
    while True:
        with _left_to_whole_reading(_UNUSUAL):
            batch = next(batches, None)
            for column in batch or ():
                column.validate(full=True)
        if batch is None:
            return
        for start in range(0, len(batch[0]), ROWS_AT_ONCE):
            yield batch[0].slice(start, ROWS_AT_ONCE), batch[1].slice(start, ROWS_AT_ONCE)


@contextmanager
def _left_to_whole_reading(why: str) -> Iterator[None]:
    """Whatever is wrong is told when the file is read whole."""
    import pyarrow

    try:
        yield
    except (NetveilError, pyarrow.ArrowException, OSError, ValueError):
        raise NotStreamedError(why) from None
