"""Ties of a Parquet or Arrow file, some rows at a time: what `files.arrow_tables` makes of them all at once.

Whatever is unusual about a file, mistakes among it, raises `NotStreamedError`: then it is read whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from netveil.blocks.edges_on_disk import EdgesOnDisk, Numbering, TextNumbering, TiesOnDisk, check_room
from netveil.errors import NetveilError
from netveil.files.asked import Columns
from netveil.files.bounds import most_unpacked
from netveil.files.tables.people import Chosen, chosen_columns
from netveil.files.text import MOST_NODES, most_announced
from netveil.files.tied_labels import first_numbered
from netveil.kernels.arrays import IntMatrix
from netveil.network import Dropped, Network
from netveil.reading import Reading
from netveil.words import counted

ROWS_AT_ONCE = 1 << 18
ROWS_LOOKED_AT = 10_000  # for the first ties
NODES, ISOLATED = b"netveil.nodes", b"netveil.isolated"  # see files.arrow_tables
_INDEX = re.compile(r"__index_level_\d++__")


class NotStreamedError(Exception):
    """A file that is read whole; says why."""


def ties_of_arrow(file: str, format_name: str, columns: Columns | None, folder: Path) -> EdgesOnDisk:
    """The network in a file of whole numbers or texts, without its name; `folder` is for files meanwhile."""
    try:
        import pyarrow
    except ImportError:
        raise NotStreamedError("pyarrow is not installed") from None
    try:
        return _ties(file, format_name, columns, folder)
    except (pyarrow.ArrowException, ValueError):
        raise NotStreamedError("there is something unusual about it") from None


def _ties(file: str, format_name: str, columns: Columns | None, folder: Path) -> EdgesOnDisk:
    with _reading():
        schema, rows, batches = (_parquet if format_name == "parquet" else _arrow)(file)
    size = Path(file).stat().st_size
    people = [place for place, name in enumerate(schema.names) if not _INDEX.fullmatch(name)]
    try:
        chosen = chosen_columns(schema.names, file, columns, people)
    except NetveilError:  # told when it is read whole
        raise NotStreamedError("its columns of people are not clear") from None
    if len(set(schema.names)) < len(schema.names) or not rows or 16 * rows > most_unpacked(size):
        raise NotStreamedError("there is something unusual about it")
    check_room(folder, rows)
    announced = _announced(schema, NODES, size)
    reader = _Reader([schema.field(place).type for place in chosen.places], announced)
    ties = TiesOnDisk(folder)
    seen: IntMatrix = np.zeros((0, 2), np.int64)
    labels: dict[int, str] = {}
    for ends in _each_read(batches(chosen)):
        pairs, texts = reader.numbered(ends)
        ties.add(pairs)
        if len(seen) < ROWS_LOOKED_AT:
            more = pairs[: ROWS_LOOKED_AT - len(seen)]
            for number, text in zip(more.ravel().tolist(), texts(2 * len(more)), strict=True):
                labels.setdefault(number, text)
            seen = np.concatenate((seen, more))
    isolated = _announced(schema, ISOLATED, size) or 0
    if reader.gaps != isolated:
        raise NotStreamedError("there is something unusual about it")
    found = ties.sorted(announced)
    further = [counted(len(schema.names) - 2, "further column")] if len(schema.names) > 2 else []
    first = _first_ties(labels, seen)
    return replace(
        found,
        dropped=Dropped(found.dropped.self_loops - isolated, found.dropped.duplicates),
        notes=(f"{format_name}: {counted(rows, 'row')}", *(f"{each} ignored" for each in further)),
        reading=Reading(format_name, None, chosen.names, None, None, first, tuple(further)),
    )


def _first_ties(labels: dict[int, str], seen: IntMatrix) -> tuple[tuple[str, str], ...]:
    """The first ties, by the labels of the nodes that were seen."""
    place_of = {number: place for place, number in enumerate(labels)}
    pairs = np.array([place_of[number] for number in seen.ravel().tolist()], np.int64).reshape(-1, 2)
    small = Network(len(labels), np.zeros((0, 2), np.int64), tuple(labels.values()))
    return first_numbered(small, pairs)


class _Reader:
    """Turns rows of two columns into numbers of nodes."""

    def __init__(self, kinds: list[Any], announced: int | None) -> None:
        import pyarrow

        self._announced = announced
        self.gaps = 0  # rows of people without ties
        are_whole = [pyarrow.types.is_integer(kind) and kind != pyarrow.uint64() for kind in kinds]
        are_text = [str(kind) in ("string", "large_string") for kind in kinds]
        if not all(are_whole) and not (all(are_text) and announced is None):
            raise NotStreamedError("its columns hold neither whole numbers nor texts alone")
        self._whole = Numbering() if all(are_whole) else None
        self._texts = TextNumbering()

    def numbered(self, ends: list[Any]) -> tuple[IntMatrix, Any]:
        """The ties of some rows by numbers of nodes, and a function from a count to so many labels."""
        import pyarrow
        import pyarrow.compute

        first, second = ends
        if self._announced is None and second.null_count:
            self.gaps += second.null_count
            second = pyarrow.compute.if_else(second.is_null(), first.cast(second.type), second)
        if first.null_count or second.null_count:
            raise NotStreamedError("a cell has no value")
        if self._whole is None:
            return self._numbered_texts(first, second)
        pairs = np.empty((len(first), 2), np.int64)
        pairs[:, 0], pairs[:, 1] = first.to_numpy(), second.to_numpy()
        if self._announced is None:
            return self._whole.of(pairs), lambda count: map(str, pairs.ravel()[:count].tolist())
        if len(pairs) and (pairs.min() < 0 or pairs.max() >= self._announced):
            raise NotStreamedError("a number is that of no node")
        return pairs, lambda count: map(str, pairs.ravel()[:count].tolist())

    def _numbered_texts(self, first: Any, second: Any) -> tuple[IntMatrix, Any]:
        import pyarrow

        both = pyarrow.concat_arrays([each.cast(pyarrow.large_string()) for each in (first, second)])
        encoded = both.dictionary_encode()
        codes: NDArray[np.int64] = encoded.indices.to_numpy().astype(np.int64).reshape(2, -1).T
        first_at = np.empty(len(encoded.dictionary), np.int64)
        first_at[codes.ravel()[::-1]] = np.arange(codes.size)[::-1]  # the last one assigned is the first
        texts = encoded.dictionary.to_pylist()
        if "" in texts:
            raise NotStreamedError("a cell has no value")
        return self._texts.of(texts, first_at, codes), lambda count: (
            texts[code] for code in codes.ravel()[:count].tolist()
        )


@contextmanager
def _reading() -> Iterator[None]:
    """What the system or pyarrow says of a file that cannot be read is told when it is read whole."""
    try:
        yield
    except OSError:
        raise NotStreamedError("it cannot be read") from None


def _each_read(batches: Iterator[list[Any]]) -> Iterator[list[Any]]:
    while True:
        with _reading():
            ends = next(batches, None)
        if ends is None:
            return
        yield ends


def _parquet(file: str) -> tuple[Any, int, Any]:
    """The columns of a Parquet file, its number of rows, and a function that reads two columns."""
    import pyarrow.parquet

    opened = pyarrow.parquet.ParquetFile(file, page_checksum_verification=True, pre_buffer=False)

    def batches(chosen: Chosen) -> Iterator[list[Any]]:
        reader = opened.iter_batches(ROWS_AT_ONCE, columns=list(chosen.names), use_threads=False)
        for batch in reader:
            batch.validate(full=True)
            yield [batch.column(name) for name in chosen.names]

    return opened.schema_arrow, opened.metadata.num_rows, batches


def _arrow(file: str) -> tuple[Any, int, Any]:
    """The same of an Arrow file, which is mapped into memory."""
    import pyarrow
    import pyarrow.ipc

    mapped = pyarrow.memory_map(file)
    opened = pyarrow.ipc.open_file(mapped)
    rows = [opened.get_batch(number).num_rows for number in range(opened.num_record_batches)]

    def batches(chosen: Chosen) -> Iterator[list[Any]]:
        for number, count in enumerate(rows):
            batch = opened.get_batch(number)
            for start in range(0, count, ROWS_AT_ONCE):
                part = batch.slice(start, ROWS_AT_ONCE)
                part.validate(full=True)
                yield [part.column(place) for place in chosen.places]

    return opened.schema, sum(rows), batches


def _announced(schema: Any, key: bytes, size: int) -> int | None:
    """The number under a key of ours in the metadata, if it is there."""
    text = cast("bytes | None", (schema.metadata or {}).get(key))
    if text is None:
        return None
    if not text.isdigit() or len(text) > 10 or int(text) > min(MOST_NODES, most_announced(size)):
        raise NotStreamedError("there is something unusual about it")
    return int(text)
