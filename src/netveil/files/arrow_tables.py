"""Tables of pyarrow, one tie a row: what Parquet and Arrow files hold once they are open.

Labels are text, as from every table: the number 1 is the label 1. Nodes have the order that an edge list of
the same rows would give them. Large tables are read batch by batch, small and unusual ones at once.

Written are the columns `source` and `target`. Where the nodes are numbered, the file's metadata have their
number under `netveil.nodes`. Else somebody without ties has a row without target, and `netveil.isolated` says
how many rows are such; in a file without that, a cell without a value is a mistake.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from netveil.errors import FileError, option
from netveil.files.encodings import MOST_NODES, most_announced
from netveil.files.format import Columns, Extras, imported
from netveil.files.labels import (
    LOOKED_AT,
    CompactLabels,
    NumberLabels,
    first_numbered,
    is_numbered,
    label_texts,
    met_in,
    rows_met_first,
)
from netveil.files.storage import (
    TEXTS,
    WHOLE_NUMBERS,
    Content,
    StoredFile,
    most_unpacked,
    puts_ties_on_disk,
    room_for_ties,
    tell_reading,
    unpacks_to_too_much,
)
from netveil.files.tables.cells import CodedLabels, TextTable
from netveil.files.tables.people import Chosen, chosen_columns
from netveil.formatting import counted
from netveil.kernels.arrays import IntMatrix, index_type
from netveil.network import Network
from netveil.progress import current_listener
from netveil.reading import Reading

if TYPE_CHECKING:
    import pyarrow


# Columns of whole numbers as node numbers, part by part: nodes are numbered in the order they are met.


MOST_ROWS = 2**30 - 1
"""Rows whose people can all be numbered in 32 bits, even if no two are the same."""

SMALLEST_TABLE = 1 << 22
ENTRIES_A_ROW = 2
"""A table of 32-bit places may have so many entries for a row of the file, or that many anyway."""

_LARGEST = np.iinfo(np.int64).max
_SMALLEST = np.iinfo(np.int64).min


class WholeNumbers:
    """Different whole numbers in two columns of about so many rows, numbered as they are met."""

    def __init__(self, rows: int) -> None:
        self._largest_table = max(SMALLEST_TABLE, ENTRIES_A_ROW * rows)
        self._low = 0  # the number that has the first place in the table
        self._seen: tuple[int, int] | None = (
            None  # the lowest and the highest number, as long as there is one
        )
        self._place_of: NDArray[np.int32] | None = np.empty(0, np.int32)  # None once numbers are hashed
        self._slots = np.empty(0, np.int32)
        self._met_numbers = np.empty(0, np.int64)
        self._counts = np.zeros(2, np.int64)

    def __len__(self) -> int:
        return int(self._counts[0])

    def met(self) -> NDArray[np.int64]:
        """Different numbers in the order in which they were met."""
        return self._met_numbers[: len(self)].copy()

    def number(self, first: NDArray[np.int64], second: NDArray[np.int64], pairs: IntMatrix) -> bool:
        """Write places of two columns of further rows among `met()` into `pairs` (rows, 2), which are int32.

        False, with work left undone, if numbers were chosen so that hashing them takes long.
        """
        from netveil.kernels.cell_codes import number_by_hashing, number_in_range

        if not len(first):
            return True
        self._make_room(2 * len(first))
        low, high = int(min(first.min(), second.min())), int(max(first.max(), second.max()))
        if self._place_of is not None and self._covers(low, high):
            number_in_range(first, second, self._low, self._place_of, self._met_numbers, self._counts, pairs)
            return True
        self._place_of = None
        if not self._has_slots(2 * len(first)):
            return False
        return number_by_hashing(first, second, self._slots, self._met_numbers, self._counts, pairs)

    def _make_room(self, more: int) -> None:
        needed = len(self) + more
        if needed > len(self._met_numbers):
            # Memory that is not written yet takes no room: only addresses.
            larger = np.empty(max(needed, 2 * len(self._met_numbers)), np.int64)
            larger[: len(self)] = self._met_numbers[: len(self)]
            self._met_numbers = larger

    def _covers(self, low: int, high: int) -> bool:
        """Make the table reach from one number to another; False if it would be too large."""
        assert self._place_of is not None
        before = self._seen
        seen = self._seen = (min(low, before[0]), max(high, before[1])) if before else (low, high)
        size = seen[1] - seen[0] + 1
        if size > self._largest_table:
            return False
        if self._low <= seen[0] and seen[1] < self._low + len(self._place_of):
            return True
        # Half of it to spare, to the side where it was too short: numbers may go up, or down, for long.
        spare = min(size, self._largest_table - size) if before else 0
        start = max(seen[0] - spare, _SMALLEST) if before and low < before[0] else seen[0]
        table = np.full(min(size + spare, _LARGEST - start + 1), -1, np.int32)
        if before:
            kept = self._place_of[before[0] - self._low : before[1] - self._low + 1]
            table[before[0] - start : before[1] - start + 1] = kept
        self._low, self._place_of = start, table
        return True

    def _has_slots(self, more: int) -> bool:
        """Make slots for twice as many numbers; False if numbers collide too often."""
        from netveil.kernels.cell_codes import fill_number_slots

        needed = 2 * (len(self) + more)
        if needed <= len(self._slots):
            return True
        self._slots = np.full(1 << needed.bit_length(), -1, np.int32)
        return fill_number_slots(self._slots, self._met_numbers, len(self))


# Two columns of a table of pyarrow as ties, all rows at once: texts, whole numbers or both.
#
# No loop goes over ties. Mistakes in a column are worded here, for batches as well.


EXTRA = "parquet"
"""The extra of netveil that brings pyarrow."""

NODES = b"netveil.nodes"
"""The number of nodes in the metadata of a file of ours, where ties are by node numbers."""


class ArrowTies(NamedTuple):
    """Ties in two columns of a table."""

    pairs: IntMatrix  # (rows, 2): node numbers
    labels: Sequence[str] | None  # None where they are the numbers
    filled: int = 0  # rows with one person, who has no ties and is made her own contact


def ties_at_once(
    columns: Sequence[pyarrow.ChunkedArray],
    names: Sequence[str],
    file: str,
    size: int,
    node_count: int | None,
    isolated: int,
) -> ArrowTies:
    """Ties in two columns of a file of `size` bytes; `isolated` rows may lack a second person.

    With a `node_count`, columns hold node numbers.
    """
    ends = [_checked(column, name, file, size) for column, name in zip(columns, names, strict=True)]
    if node_count is not None:
        return ArrowTies(_numbers(ends, node_count, file), None)
    filled = isolated if isolated == ends[1].null_count else 0
    labels, pairs = _labelled(_filled(_alike(ends, file), names, filled, file), file)
    return ArrowTies(pairs, labels, filled)


def no_whole_numbers(file: str, name: str) -> FileError:
    """Error for a column of fractions or worse."""
    rule = f"column {name} holds what is neither text nor whole numbers"
    return FileError(f"{file}: {rule}. Name the columns of people with {option('columns')}.")


def no_value(file: str, name: str, row: int) -> FileError:
    """Error for a row, counted from 0, without one of its people."""
    rule = f"column {name} has no value there, and a tie needs two people"
    return FileError(f"{file}, row {row + 1}: {rule}. Leave the row out, or fill it.")


def no_node(file: str, node_count: int, row: int | None) -> FileError:
    """Error for a row, counted from 0, that holds no numbers of nodes; for a column if that is None."""
    rule = f"{NODES.decode()} in its metadata asks for whole numbers from 0 to {node_count - 1}"
    if row is None:
        return FileError(f"{file}: {rule}. Write the file again.")
    return FileError(f"{file}, row {row + 1}: {rule}. Correct either of the two.")


def _checked(column: pyarrow.ChunkedArray, name: str, file: str, size: int) -> pyarrow.ChunkedArray:
    """Column of people as whole numbers or texts; FileError if it holds something else."""
    arrow = imported("pyarrow", EXTRA, file)
    kind = column.type
    try:
        column.validate(full=True)
        if arrow.types.is_dictionary(kind):
            _check_unpacked(column, file, size)
            column = column.cast(kind.value_type)
            kind = column.type
        if arrow.types.is_integer(kind):
            return column
        if arrow.types.is_floating(kind):  # as pandas makes whole numbers where some are missing
            return column.cast(arrow.int64())
        if str(kind) in ("string", "large_string", "string_view"):
            return column.cast(arrow.large_string())
    except (arrow.ArrowException, ValueError):
        raise no_whole_numbers(file, name) from None
    rule = f"column {name} holds values of type {kind}, and people are called by text or whole numbers"
    raise FileError(f"{file}: {rule}. Name the columns of people with {option('columns')}.")


def _check_unpacked(column: pyarrow.ChunkedArray, file: str, size: int) -> None:
    """Raise if a dictionary-encoded column would be too large as plain texts."""
    arrow = imported("pyarrow", EXTRA, file)
    compute = imported("pyarrow.compute", EXTRA, file)
    if str(column.type.value_type) not in ("string", "large_string"):
        return
    lengths = [
        compute.binary_length(chunk.dictionary).cast(arrow.int64()).take(chunk.indices)
        for chunk in column.chunks
    ]
    if sum(compute.sum(each).as_py() or 0 for each in lengths) > most_unpacked(size):
        raise unpacks_to_too_much(file, size, most_unpacked(size))


def _numbers(ends: list[Any], node_count: int, file: str) -> IntMatrix:
    """Both columns as node numbers; FileError if they are not."""
    arrow = imported("pyarrow", EXTRA, file)
    for column in ends:
        if not arrow.types.is_integer(column.type) or column.null_count:
            raise no_node(file, node_count, None)
    pairs = np.empty((len(ends[0]), 2), dtype=index_type(node_count))
    for place, column in enumerate(ends):
        numbers = column.to_numpy()
        if len(numbers) and (numbers.min() < 0 or numbers.max() >= node_count):
            wrong = [np.flatnonzero((each < 0) | (each >= node_count)) for each in map(np.asarray, ends)]
            raise no_node(file, node_count, int(np.concatenate(wrong).min()))
        pairs[:, place] = numbers
    return pairs


def _alike(ends: list[Any], file: str) -> list[Any]:
    """Both columns with a common type: whole numbers, or texts."""
    arrow = imported("pyarrow", EXTRA, file)
    if ends[0].type == ends[1].type:
        return ends
    # Not every number of 64 bits without a sign is one with a sign.
    text = any(column.type in (arrow.large_string(), arrow.uint64()) for column in ends)
    return [column.cast(arrow.large_string() if text else arrow.int64()) for column in ends]


def _filled(ends: list[Any], names: Sequence[str], filled: int, file: str) -> list[Any]:
    """Columns without a gap: whoever of the `filled` has no contact becomes her own."""
    arrow = imported("pyarrow", EXTRA, file)
    compute = imported("pyarrow.compute", EXTRA, file)
    if filled:
        ends = [ends[0], compute.if_else(ends[1].is_null(), ends[0], ends[1])]
    for column, name in zip(ends, names, strict=True):
        empty = column.is_null()
        if arrow.types.is_large_string(column.type):
            empty = compute.or_(empty, compute.equal(column, ""))
        gaps = np.flatnonzero(empty.fill_null(True).to_numpy())
        if len(gaps):
            raise no_value(file, name, int(gaps[0]))
    return ends


def _labelled(ends: list[Any], file: str) -> tuple[tuple[str, ...], IntMatrix]:
    """Labels in the order in which they are met row by row, and both columns as node numbers."""
    arrow = imported("pyarrow", EXTRA, file)
    both = arrow.chunked_array([*ends[0].chunks, *ends[1].chunks], type=ends[0].type).combine_chunks()
    encoded = both.dictionary_encode()
    codes = encoded.indices.to_numpy().astype(np.int64).reshape(2, -1).T
    first_met = np.empty(len(encoded.dictionary), dtype=np.int64)
    first_met[codes.ravel()[::-1]] = np.arange(codes.size)[
        ::-1
    ]  # the last one assigned is the first in the file
    order = np.argsort(first_met)
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.arange(len(order))
    labels = encoded.dictionary.take(arrow.array(order)).cast(arrow.large_string()).to_pylist()
    return tuple(labels), number[codes]


# Columns of texts in a table of pyarrow as codes: each different text is looked at once a batch.


_NUL = 0  # in no text that is read here


class TextCodes:
    """Different texts in some columns, each with a code."""

    def __init__(self, file: str) -> None:
        self.file = file
        self._table = TextTable()
        self._last: pyarrow.Array | None = None  # texts that were coded,
        self._codes_of_last: NDArray[np.int32] | None = None  # and their codes; None if these are 0, 1, 2, …

    def labels(self, codes: NDArray[np.int64]) -> CompactLabels:
        """Texts of some codes, as labels."""
        return CodedLabels(self._table.texts(), codes)

    def codes(self, column: pyarrow.Array) -> NDArray[np.int64] | None:
        """Codes of a batch of a column, 0 where there is no text; None for damage and unusual texts.

        Unusual texts are empty, have blanks around them, or hold what no line of a table can.
        """
        arrow = imported("pyarrow", EXTRA, self.file)
        try:
            if not arrow.types.is_dictionary(column.type):
                column.validate(full=True)
                column = column.cast(arrow.large_string()).dictionary_encode()
            column.validate()
            if not self._code(column.dictionary):
                return None
        except (arrow.ArrowException, ValueError):
            return None
        gaps_filled = column.indices.fill_null(0) if column.null_count else column.indices
        places: NDArray[np.int64] = gaps_filled.to_numpy(zero_copy_only=False).astype(np.int64)
        if not len(column.dictionary):
            return places if column.null_count == len(column) else None
        if len(places) and (places.min() < 0 or places.max() >= len(column.dictionary)):
            return None
        return places if self._codes_of_last is None else self._codes_of_last[places].astype(np.int64)

    def _code(self, texts: pyarrow.Array) -> bool:
        """Code the texts of a batch, mostly those of the batch before; False if one is unusual."""
        if self._last is not None and self._last.equals(texts):
            return True
        texts.validate(full=True)
        codes = self._coded(texts)
        if codes is None:
            return False
        self._last = texts
        self._codes_of_last = None if np.array_equal(codes, np.arange(len(codes))) else codes
        return True

    def _coded(self, texts: pyarrow.Array) -> NDArray[np.int32] | None:
        """Codes of different texts; None if one is unusual."""
        arrow = imported("pyarrow", EXTRA, self.file)
        compute = imported("pyarrow.compute", EXTRA, self.file)
        codes = np.empty((len(texts), 1), np.int32)
        if texts.null_count:
            return None
        if not len(texts):
            return codes[:, 0]
        texts = texts.cast(arrow.large_string())
        lines = arrow.ListArray.from_arrays([0, len(texts)], texts)
        line_break = arrow.scalar("\n", type=arrow.large_string())
        joined = compute.binary_join(lines, line_break)[0].as_buffer().to_pybytes()
        if not self._table.code(joined, _NUL, codes):
            return None
        # A text that holds a line break, or blanks that were left out, makes another sum.
        letters = len(joined) - (len(texts) - 1)
        is_whole = joined.count(b"\n") == len(texts) - 1
        return codes[:, 0] if is_whole and self._table.lengths[codes].sum() == letters else None


# Columns of a table of pyarrow, read batch by batch into one array of 32-bit node numbers.
#
# A table may be larger than the memory that is free, and nothing of a batch is needed once it is numbered.
# Mistakes are worded as by `ties_at_once`, which reads columns of all kinds.


ROWS_AT_ONCE = 1 << 17
"""Rows of a batch, at most."""

TEXTS_AT_ONCE = 1 << 22
"""Rows of a batch of texts, at most: each different text costs as much as a few rows."""

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
    """Whether all types are strings, plain or dictionary-encoded."""
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
) -> ArrowTies | None:
    """Ties in batches of two columns of numbers or texts, about so many rows in all.

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
        return ArrowTies(found.pairs, None)
    filled = isolated if isolated == found.gaps[1] else 0
    for name, row in zip(names, [found.first_gap[0], None if filled else found.first_gap[1]], strict=True):
        if row is not None:
            raise no_value(file, name, row)
    return ArrowTies(found.pairs, found.labels(), filled)


class _NumberedTies:
    """Ties in two columns as pairs of nodes, filled batch by batch, and mistakes in the columns.

    With a `node_count`, the numbers are nodes; else nodes are numbered as they are met, row by row.
    """

    def __init__(self, file: str, rows: int, node_count: int | None) -> None:
        """Make room for about so many rows."""
        self.file, self.node_count, self._about = file, node_count, max(rows, 1)
        self.rows = 0
        self.hold_fractions = [False, False]  # or other numbers that are not whole, by column
        self.gaps = [0, 0]  # rows without a value, by column
        self.first_gap: list[int | None] = [None, None]  # counted from 0
        self.first_outside: int | None = None  # row with a number that is no node
        self._pairs = room_for_ties(max(min(rows, MOST_ROWS), 1), 2)
        self._numbers = WholeNumbers(rows)
        self._texts: TextCodes | None = None
        self._are_unsigned = [False, False]  # of 64 bits: numbers from 2^63 on are negative here

    @property
    def pairs(self) -> NDArray[np.int32]:
        """Both nodes of each row; twice the same where there is no second value."""
        return self._pairs[: self.rows]

    def labels(self) -> CompactLabels:
        """Numbers or texts in the order in which they were met."""
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
        """Add all batches of the first column of texts, then of the second; False if that cannot be done.

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
        """Make room for so many rows; False if 32 bits cannot number them."""
        if rows > MOST_ROWS:
            return False
        if rows > len(self._pairs):
            more = max(rows, len(self._pairs) * 5 // 4)
            if puts_ties_on_disk():
                before, self._pairs = self._pairs, room_for_ties(more, 2)
                self._pairs[: len(before)] = before
            else:
                self._pairs.resize((more, 2), refcheck=False)
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
        """Rows of a batch without a value, counted as mistakes; `row` is the first of the batch."""
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


ISOLATED = b"netveil.isolated"
OURS = (NODES, ISOLATED)
MANY = 100_000
"""Rows from which on it is worth while to load the kernel that numbers them with little memory."""
_INDEX = re.compile(r"__index_level_\d++__")  # what pandas calls the numbers of its rows


@dataclass(frozen=True)
class TableInFile:
    """Table in a file, to be read at once or batch by batch."""

    file: str
    format_name: str
    size: int  # of the file
    schema: pyarrow.Schema
    rows: int  # about
    whole: Callable[[Chosen], tuple[Any, Any]]  # the two columns that are chosen, at once
    batches: Callable[[Chosen], Iterator[tuple[Any, Any]]]  # or batch by batch,
    texts_apart: Callable[[Chosen], list[Iterator[Any]]] | None = None  # or one after the other; for texts

    def people(self, columns: Columns | None) -> Chosen:
        """Two columns of people: as a user asked, or by their names."""
        names = self.schema.names
        candidates = [place for place, name in enumerate(names) if not _INDEX.fullmatch(name)]
        return chosen_columns(names, self.file, columns, candidates)

    def announced(self, key: bytes) -> int | None:
        """Number under a key of ours in the metadata, None without it."""
        text = (self.schema.metadata or {}).get(key)
        if text is None:
            return None
        if not text.isdigit() or len(text) > 10 or int(text) > min(MOST_NODES, most_announced(self.size)):
            rule = f"its metadata {key.decode()} is no number of nodes"
            raise FileError(f"{self.file}: {rule}. Write the file again.")
        return int(text)

    def account(self, rows: int) -> tuple[str, ...]:
        """Notes on the number of rows and on further columns."""
        return f"{self.format_name}: {counted(rows, 'row')}", *(f"{each} ignored" for each in self._further)

    def reading(self, chosen: Chosen, first: tuple[tuple[str, str], ...]) -> Reading:
        """How the table was read; `first` are its first ties."""
        return Reading(
            self.format_name, None, chosen.names, None, None, first, self._further, chosen.oddities
        )

    @property
    def _further(self) -> tuple[str, ...]:
        more = len(self.schema.names) - 2
        return (counted(more, "further column"),) if more > 0 else ()


def source_of(content: Content, file: str) -> pyarrow.NativeFile:
    """Source that pyarrow reads from. Where ties go to disk it is mapped: parts of it take no memory."""
    arrow = imported("pyarrow", EXTRA, file)
    if isinstance(content, StoredFile):
        if puts_ties_on_disk():
            return arrow.memory_map(content.file)
        content.stream.seek(0)
        return arrow.PythonFile(content.stream, mode="r")
    return arrow.BufferReader(content)


def network_from_table(table: TableInFile, columns: Columns | None) -> Network:
    """Network from two columns: as a user asked, or by their names."""
    chosen = table.people(columns)
    node_count = table.announced(NODES)
    found = _ties(table, chosen, node_count, table.announced(ISOLATED) or 0)
    if node_count is None and not len(found.pairs):
        raise FileError(f"{table.file} holds no ties: its table has no rows. Write one tie a row.")
    count = len(found.labels) if found.labels is not None else node_count or 0
    beginning, notes = found.pairs[:LOOKED_AT].copy(), table.account(len(found.pairs))
    network = Network.from_numbered_edges(found.pairs, count, found.labels, notes=notes, in_place=True)
    if found.filled:  # their rows were made loops, but were none
        loops = network.dropped.self_loops - found.filled
        network = replace(network, dropped=replace(network.dropped, self_loops=loops))
    return replace(network, reading=table.reading(chosen, first_numbered(network, beginning)))


def _ties(table: TableInFile, chosen: Chosen, node_count: int | None, isolated: int) -> ArrowTies:
    file, names = table.file, chosen.names
    is_large = table.rows >= MANY or puts_ties_on_disk()
    if is_large and can_be_in_batches(table.schema, chosen.places, file, node_count is not None):
        hold_texts = are_texts(table.schema.field(place).type for place in chosen.places)
        apart = table.texts_apart(chosen) if hold_texts and table.texts_apart is not None else None
        tell_reading(table.rows, WHOLE_NUMBERS if apart is None else TEXTS, file)
        found = ties_by_batches(table.batches(chosen), names, file, table.rows, node_count, isolated, apart)
        if found is not None:
            return found
    return ties_at_once(table.whole(chosen), names, file, table.size, node_count, isolated)


def table_of(network: Network, file: str) -> pyarrow.Table:
    """Table of a network, with nothing else in it."""
    arrow = imported("pyarrow", EXTRA, file)
    if is_numbered(network):
        kind = arrow.from_numpy_dtype(network.edges.dtype)
        columns = [arrow.array(ends, type=kind) for ends in network.edges.T]
        metadata = {NODES: str(network.node_count).encode()}
    else:
        labels, pairs = _labels(network, file), rows_met_first(network)
        met = met_in(pairs, network.node_count)
        if (np.diff(met) != 1).any():  # as readers will number nodes, so that rows are in order for them
            labels = labels.take(arrow.array(met))
            pairs = rows_met_first(network.relabelled(np.argsort(met)))
        alone = pairs[:, 0] == pairs[:, 1]
        ends = [arrow.array(pairs[:, 0]), arrow.array(pairs[:, 1], mask=alone)]
        if arrow.types.is_integer(labels.type):
            columns = [labels.take(each) for each in ends]
        else:  # each text once, and the numbers of nodes
            columns = [arrow.DictionaryArray.from_arrays(each, labels) for each in ends]
        metadata = {ISOLATED: str(np.count_nonzero(alone)).encode()} if alone.any() else {}
    return arrow.table(columns, names=["source", "target"]).replace_schema_metadata(metadata or None)


def _labels(network: Network, file: str) -> pyarrow.Array:
    """Label of each node as a column."""
    arrow = imported("pyarrow", EXTRA, file)
    if isinstance(network.labels, NumberLabels):
        return arrow.array(network.labels.narrow())
    return _as_numbers(arrow.array(label_texts(network, file), type=arrow.string()), file)


def _as_numbers(texts: pyarrow.Array, file: str) -> pyarrow.Array:
    """Labels as whole numbers of 32 or 64 bits, if that gives the same texts; else as they are."""
    arrow = imported("pyarrow", EXTRA, file)
    for kind in (arrow.int32(), arrow.int64()):
        try:
            numbers = texts.cast(kind)
        except arrow.ArrowException:
            continue
        return numbers if numbers.cast(arrow.string()).equals(texts) else texts
    return texts


def extras_of(schema: pyarrow.Schema) -> Extras:
    """Further columns, and metadata that are not ours."""
    metadata = schema.metadata or {}
    remarks = [value.decode("utf-8", "replace") for key, value in metadata.items() if key not in OURS]
    return Extras(max(len(schema.names) - 2, 0), tuple(remarks))


@contextmanager
def telling_damage(file: str, kind: str) -> Iterator[None]:
    """Turn what pyarrow raises over a file of this kind, such as Parquet, into one line."""
    arrow = imported("pyarrow", EXTRA, file)
    try:
        yield
    except (arrow.ArrowException, OSError, ValueError, MemoryError):
        raise FileError(f"{file} is damaged or no {kind} file at all. Fetch or write it again.") from None
