"""Columns of a table of pyarrow, read batch by batch into one array of 32-bit node numbers.

A table may be larger than the memory that is free, and nothing of a batch is needed once it is numbered.
Whatever is wrong is told as `arrow_columns` tells it, which reads columns of all kinds at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from netveil.files.arrow_columns import EXTRA, Ties, no_node, no_value, no_whole_numbers
from netveil.files.arrow_texts import TextCodes
from netveil.files.compact_labels import CompactLabels, NumberLabels
from netveil.files.extra import imported
from netveil.files.whole_numbers import MOST_ROWS, WholeNumbers
from netveil.listening import current_listener

if TYPE_CHECKING:
    import pyarrow

ROWS_AT_ONCE = 1 << 17
"""Rows of a batch, at most."""

TEXTS_AT_ONCE = 1 << 22
"""The same of texts, of which each different one costs as much as a few rows."""

_SHARE_OF_ROWS = 0.7  # of the work; the rest is to sort them

Ends = list[NDArray[np.int64]]


def can_be_in_batches(schema: pyarrow.Schema, places: Sequence[int], file: str, numbers_only: bool) -> bool:
    """Whether both columns hold whole numbers, which some programs write as 3.0, or both texts; by type."""
    types = imported("pyarrow", EXTRA, file).types
    kinds = [schema.field(place).type for place in places]
    if all(types.is_integer(kind) or types.is_floating(kind) for kind in kinds):
        return True
    return are_texts(kinds) and not numbers_only


def are_texts(kinds: Iterable[pyarrow.DataType]) -> bool:
    """Whether types are those of texts, each in its place or as its place among those that there are."""
    values = (getattr(kind, "value_type", kind) if "dictionary" in str(kind) else kind for kind in kinds)
    return all(str(kind) in ("string", "large_string", "string_view") for kind in values)


def ties_by_batches(
    batches: Iterable[tuple[Any, Any]],
    names: Sequence[str],
    file: str,
    rows: int,
    node_count: int | None,
    isolated: int,
    apart: Sequence[Iterable[Any]] | None = None,
) -> Ties | None:
    """The same as `ties_at_once`, from batches of two columns of numbers or texts, of about so many rows.

    Columns of texts may be given `apart`, as batches of one and then of the other, instead of `batches`.
    None if `ties_at_once` must read the table: for numbers of 64 bits with and without sign, for unusual
    texts, for more rows than 32 bits can number, and where something was chosen so that it would take long.
    """
    found = _NumberedTies(file, rows, node_count)
    if not (found.add_all(batches) if apart is None else found.add_apart(apart)):
        return None
    for name, holds in zip(names, found.hold_fractions, strict=True):
        if holds:
            raise no_whole_numbers(file, name)
    if node_count is not None:
        if any(found.gaps):
            raise no_node(file, node_count, None)
        if found.first_outside is not None:
            raise no_node(file, node_count, found.first_outside)
        return Ties(found.pairs, None)
    filled = isolated if isolated == found.gaps[1] else 0
    for name, row in zip(names, [found.first_gap[0], None if filled else found.first_gap[1]], strict=True):
        if row is not None:
            raise no_value(file, name, row)
    return Ties(found.pairs, found.labels(), filled)


class _NumberedTies:
    """The ties in two columns, as pairs of nodes, and what is wrong with the columns.

    With a `node_count`, the numbers are nodes; else nodes are numbered as they are met, row by row.
    """

    def __init__(self, file: str, rows: int, node_count: int | None) -> None:
        """`rows` says about how many there will be."""
        self.file, self.node_count, self._about = file, node_count, max(rows, 1)
        self.rows = 0
        self.hold_fractions = [False, False]  # or other numbers that are not whole, by column
        self.gaps = [0, 0]  # rows without a value, by column
        self.first_gap: list[int | None] = [None, None]  # counted from 0
        self.first_outside: int | None = None  # row with a number that is no node
        self._pairs = np.empty((max(min(rows, MOST_ROWS), 1), 2), np.int32)
        self._numbers = WholeNumbers(rows)
        self._texts: TextCodes | None = None
        self._are_unsigned = [False, False]  # of 64 bits: numbers from 2^63 on are negative here

    @property
    def pairs(self) -> NDArray[np.int32]:
        """Both nodes of each row; of somebody without a second value, herself."""
        return self._pairs[: self.rows]

    def labels(self) -> CompactLabels:
        """The numbers or texts in the order in which they were met."""
        if self._texts is not None:
            return self._texts.labels(self._numbers.met())
        return NumberLabels(self._numbers.met().view(np.uint64 if all(self._are_unsigned) else np.int64))

    def add_all(self, batches: Iterable[tuple[Any, Any]]) -> bool:
        """Add batches of rows, each as two arrays; False if that cannot be done."""
        hears = current_listener()
        for batch in batches:
            if not self._add(batch):
                return False
            if hears is not None:
                hears(min(_SHARE_OF_ROWS * self.rows / self._about, _SHARE_OF_ROWS))
        return True

    def add_apart(self, columns: Sequence[Iterable[Any]]) -> bool:
        """The same for batches of texts of the first column, and then of the second.

        While it reads a column, pyarrow may hold all its texts, with 200 bytes for each.
        """
        hears, texts = current_listener(), TextCodes(self.file)
        self._texts = texts
        for place, batches in enumerate(columns):
            row = 0
            for column in batches:
                stop, codes = row + len(column), texts.codes(column)
                if codes is None or not self._has_room(stop):
                    return False
                gaps = self._gaps(column, place, row)
                codes[gaps] = self._pairs[row:stop, 0][gaps] if place else 0
                self._pairs[row:stop, place] = codes
                row = stop
                if hears is not None:
                    hears(min(_SHARE_OF_ROWS * (place + row / self._about) / 2, _SHARE_OF_ROWS))
            if place and row != self.rows:
                return False  # damaged: read together, they say so
            self.rows = row
        for start in range(0, self.rows, ROWS_AT_ONCE):
            part = self.pairs[start : start + ROWS_AT_ONCE]
            if not self._numbers.number(part[:, 0].astype(np.int64), part[:, 1].astype(np.int64), part):
                return False
        return True

    def _has_room(self, rows: int) -> bool:
        """Have room for so many rows; False if 32 bits cannot number them."""
        if rows > MOST_ROWS:
            return False
        if rows > len(self._pairs):
            self._pairs.resize((max(rows, len(self._pairs) * 5 // 4), 2), refcheck=False)
        return True

    def _add(self, batch: tuple[Any, Any]) -> bool:
        stop = self.rows + len(batch[0])
        if not self._has_room(stop):
            return False
        hold_texts = are_texts(column.type for column in batch)
        ends = self._coded(batch) if hold_texts else self._whole(batch)
        if ends is None:
            return False
        part = self._pairs[self.rows : stop]
        if ends and self.node_count is not None:
            self._note_outside(ends, self.node_count)
            part[:] = np.column_stack(ends)
        elif ends and (self._mix_signs(ends) or not self._numbers.number(ends[0], ends[1], part)):
            return False
        self.rows = stop
        return True

    def _mix_signs(self, ends: Ends) -> bool:
        """Whether one column alone has numbers that only 64 bits without a sign can hold."""
        one_alone = self._are_unsigned[0] != self._are_unsigned[1]
        return one_alone and bool(ends[self._are_unsigned.index(True)].min(initial=0) < 0)

    def _whole(self, batch: tuple[Any, Any]) -> Ends:
        """Both columns as numbers of 64 bits; none once some were found that are not whole.

        Somebody without a second value is her own contact; whoever has no first value is 0.
        """
        arrow = imported("pyarrow", EXTRA, self.file)
        ends: Ends = []
        for place, column in enumerate(batch):
            self._are_unsigned[place] = column.type == arrow.uint64()
            try:
                column.validate(full=True)
                whole = column if arrow.types.is_integer(column.type) else column.cast(arrow.int64())
            except (arrow.ArrowException, ValueError):
                self.hold_fractions[place] = True
                continue
            gaps = self._gaps(whole, place, self.rows)
            numbers = whole.fill_null(0).to_numpy(zero_copy_only=False)
            numbers = numbers.view(np.int64) if self._are_unsigned[place] else numbers.astype(np.int64)
            if len(gaps) and ends:
                numbers = numbers.copy()
                numbers[gaps] = ends[0][gaps]
            ends.append(numbers)
        return [] if any(self.hold_fractions) else ends

    def _coded(self, batch: tuple[Any, Any]) -> Ends | None:
        """Both columns of texts as codes; None if texts are unusual. Gaps are filled as those of numbers."""
        self._texts = TextCodes(self.file) if self._texts is None else self._texts
        ends: Ends = []
        for place, column in enumerate(batch):
            codes, gaps = self._texts.codes(column), self._gaps(column, place, self.rows)
            if codes is None:
                return None
            if len(gaps) and ends:
                codes[gaps] = ends[0][gaps]
            ends.append(codes)
        return ends

    def _gaps(self, column: pyarrow.Array, place: int, row: int) -> NDArray[np.int64]:
        """The rows of a batch without a value, of which account is kept; the batch begins with a row."""
        if not column.null_count:
            return np.empty(0, np.int64)
        gaps = np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False))
        self.gaps[place] += len(gaps)
        if self.first_gap[place] is None:
            self.first_gap[place] = row + int(gaps[0])
        return gaps

    def _note_outside(self, ends: Ends, node_count: int) -> None:
        for end in ends:
            outside = (end < 0) | (end >= node_count)
            if outside.any():
                row = self.rows + int(outside.argmax())
                self.first_outside = min(row, row if self.first_outside is None else self.first_outside)
