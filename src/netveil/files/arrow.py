"""Parquet and Arrow files, one tie a row: how they are opened and checked, what they mean, how written.

Arrow is a table as it is in memory, in a file, also called Feather, or in a stream; Parquet is a table in
packed columns.

Labels are text, as from every table: the number 1 is the label 1. Nodes have the order that an edge list of
the same rows would give them. Tables are read batch by batch into one array of 32-bit node numbers: a table
may be larger than the free memory, and nothing of a batch is needed once it is numbered. Kernels number large
tables; dicts number small ones, and what is unusual or chosen so that a kernel would take long.

Written are the columns `source` and `target`. Where the nodes are numbered, the file's metadata have their
number under `netveil.nodes`. Else somebody without ties has a row without target, and `netveil.isolated` says
how many rows are such; in a file without that, a cell without a value is a mistake.
"""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from netveil.errors import FileError, option
from netveil.files.edge_list import network_of_nominations
from netveil.files.encodings import MOST_NODES, most_announced
from netveil.files.format import Columns, Extras, Format, NumberedRows, ReadAs, imported
from netveil.files.labels import (
    LOOKED_AT,
    NumberLabels,
    first_numbered,
    is_numbered,
    label_texts,
    rows_in_order,
)
from netveil.files.storage import (
    TEXTS,
    WHOLE_NUMBERS,
    Content,
    StoredFile,
    check_unpacked,
    part_of,
    puts_ties_on_disk,
    room_for_ties,
    size_of,
    tell_reading,
)
from netveil.files.tables.cells import CodedLabels, TextTable
from netveil.files.tables.people import Chosen, chosen_columns
from netveil.files.tables.table import are_nominations
from netveil.formatting import counted
from netveil.kernels.arrays import IntMatrix
from netveil.network import Network
from netveil.progress import current_listener
from netveil.reading import Reading

if TYPE_CHECKING:
    import pyarrow
    import pyarrow.parquet

EXTRA = "parquet"
"""The extra of netveil that brings pyarrow."""

NODES = b"netveil.nodes"
"""The number of nodes in the metadata of a file of ours, where ties are by node numbers."""

ISOLATED = b"netveil.isolated"

MANY = 100_000
"""Rows from which on it is worth while to load the kernels, which need little memory."""

ROWS_AT_ONCE = 1 << 17
"""Rows of a batch, at most."""

TEXTS_AT_ONCE = 1 << 22
"""Rows of a batch of texts, at most: each different text costs as much as a few rows."""

SMALLEST_TABLE = 1 << 22
ENTRIES_A_ROW = 2
"""A table of 32-bit places may have so many entries for a row of the file, or that many anyway."""

_LARGEST = np.iinfo(np.int64).max
_SMALLEST = np.iinfo(np.int64).min
_SHARE_OF_ROWS = 0.7  # of the work; the rest is to sort them
_NUL = 0  # in no text that a kernel codes
_NEVER = sys.maxsize  # no row has this number
INDEX_OF_PANDAS = re.compile(r"__index_level_\d++__")  # what pandas calls the numbers of its rows


class WholeNumbers:
    """Different whole numbers in two columns of about so many rows, numbered as they are met."""

    def __init__(self, rows: int) -> None:
        self._largest_table = max(SMALLEST_TABLE, ENTRIES_A_ROW * rows)
        self._by_dict: dict[int, int] | None = {} if rows < MANY else None
        self._low = 0  # the number that has the first place in the table
        self._seen: tuple[int, int] | None = None  # lowest and highest number, as long as there is a table
        self._place_of: NDArray[np.int32] | None = np.empty(0, np.int32)  # None once numbers are hashed
        self._slots = np.empty(0, np.int32)
        self._met_numbers = np.empty(0, np.int64)
        self._counts = np.zeros(2, np.int64)

    def __len__(self) -> int:
        return int(self._counts[0]) if self._by_dict is None else len(self._by_dict)

    def met(self) -> NDArray[np.int64]:
        """Different numbers in the order in which they were met."""
        if self._by_dict is not None:
            return np.fromiter(self._by_dict, np.int64, len(self))
        return self._met_numbers[: len(self)].copy()

    def number(self, first: NDArray[np.int64], second: NDArray[np.int64], pairs: IntMatrix) -> None:
        """Write places of two columns of further rows among `met()` into `pairs` (rows, 2) of int32."""
        if self._by_dict is None and len(first) and not self._number_by_kernel(first, second, pairs):
            self._by_dict = {number: place for place, number in enumerate(self.met().tolist())}
        if self._by_dict is not None:
            place_of, both = self._by_dict, np.column_stack((first, second)).ravel().tolist()
            places = [place_of.setdefault(number, len(place_of)) for number in both]
            pairs[:] = np.array(places, np.int64).reshape(-1, 2)

    def _number_by_kernel(self, first: Any, second: Any, pairs: IntMatrix) -> bool:
        """False, with nothing lost, if numbers were chosen so that hashing them takes long."""
        from netveil.kernels.cell_codes import fill_number_slots, number_by_hashing, number_in_range

        before = len(self)
        needed = before + 2 * len(first)
        if needed > len(self._met_numbers):
            # Memory that is not written yet takes no room: only addresses.
            larger = np.empty(max(needed, 2 * len(self._met_numbers)), np.int64)
            larger[:before] = self._met_numbers[:before]
            self._met_numbers = larger
        low, high = int(min(first.min(), second.min())), int(max(first.max(), second.max()))
        if self._place_of is not None and self._covers(low, high):
            number_in_range(first, second, self._low, self._place_of, self._met_numbers, self._counts, pairs)
            return True
        self._place_of = None
        if 2 * needed > len(self._slots):
            self._slots = np.full(1 << (2 * needed).bit_length(), -1, np.int32)
            if not fill_number_slots(self._slots, self._met_numbers, before):
                return False
        if number_by_hashing(first, second, self._slots, self._met_numbers, self._counts, pairs):
            return True
        self._counts[0] = before
        return False

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


class TextCodes:
    """Different texts in some columns, each with a code; each text is looked at once a batch.

    The kernel cannot code texts that are empty, have blanks around them or hold what no line of a table can.
    """

    def __init__(self, file: str, rows: int) -> None:
        self._arrow, self.compute = (imported(name, EXTRA, file) for name in ("pyarrow", "pyarrow.compute"))
        self._table = TextTable() if rows >= MANY else None  # None once texts are in the dict
        self._code_of: dict[str, int] = {}
        self._last: dict[int, tuple[pyarrow.Array, NDArray[np.int32]]] = {}  # by column: texts, their codes

    def labels(self, codes: NDArray[np.int64]) -> Sequence[str]:
        """Texts of some codes, as labels."""
        if self._table is not None:
            return CodedLabels(self._table.texts(), codes)
        return tuple(map(list(self._code_of).__getitem__, codes.tolist()))

    def codes(self, column: pyarrow.DictionaryArray, place: int) -> tuple[NDArray[np.int64], int]:
        """Codes of a batch of a column, 0 where there is no text, and the code of the empty text, if any."""
        texts = column.dictionary
        if place not in self._last or not self._last[place][0].equals(texts):
            texts.validate(full=True)
            self._last[place] = texts, self._coded(texts.cast(self._arrow.large_string()))
        places = column.indices.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
        if column.null_count == len(column):
            return places, -1
        if places.min() < 0 or places.max() >= len(texts):
            raise ValueError("a place is not in the list of texts")
        return self._last[place][1][places].astype(np.int64), self._code_of.get("", -1)

    def _coded(self, texts: pyarrow.Array) -> NDArray[np.int32]:
        """Codes of different texts."""
        if self._table is not None and len(texts):
            codes = np.empty((len(texts), 1), np.int32)
            lines = self._arrow.ListArray.from_arrays([0, len(texts)], texts)
            line_break = self._arrow.scalar("\n", type=self._arrow.large_string())
            joined = self.compute.binary_join(lines, line_break)[0].as_buffer().to_pybytes()
            breaks = len(texts) - 1
            # A text that holds a line break, or blanks that were left out, makes another sum.
            if (
                joined.count(b"\n") == breaks
                and self._table.code(joined, _NUL, codes)
                and self._table.lengths[codes].sum() == len(joined) - breaks
            ):
                return codes[:, 0]
            self._code_of = {text: code for code, text in enumerate(self._table.texts().all)}
            self._table = None
        code_of = self._code_of
        return np.array([code_of.setdefault(text, len(code_of)) for text in texts.to_pylist()], np.int32)


class ArrowTies:
    """Ties in two columns as pairs of nodes, filled batch by batch, and mistakes in the columns.

    With a `node_count`, the numbers are nodes; else nodes are numbered as they are met, row by row.
    """

    def __init__(self, table: TableInFile, chosen: Chosen, node_count: int | None) -> None:
        """Make room for about as many rows as the table has."""
        self.file, self.names, self.node_count = table.file, chosen.names, node_count
        self._arrow = imported("pyarrow", EXTRA, self.file)
        types = (table.schema.field(place).type for place in chosen.places)
        kinds = list(map(self._kind, types, chosen.names))
        unsigned = [kind == self._arrow.uint64() for kind in kinds]
        self.are_unsigned = all(unsigned)  # numbers from 2^63 on are negative here
        self.hold_texts = any(map(is_text, kinds)) or (node_count is None and any(unsigned) != all(unsigned))
        self.rows, self.nulls = 0, [0, 0]  # rows without a value, by column
        self._first_null, self._first_empty = [_NEVER, _NEVER], [_NEVER, _NEVER]
        self._first_outside = _NEVER  # row with a number that is no node
        self._are_unfit = [False, False]  # columns with fractions, or damaged
        self._about = max(table.rows, 1)
        self._pairs = room_for_ties(self._about, 2)
        self._numbers, self._texts = WholeNumbers(table.rows), TextCodes(self.file, table.rows)

    def _kind(self, kind: pyarrow.DataType, name: str) -> pyarrow.DataType:
        """Type of the values of a column; FileError if these cannot be people."""
        types = self._arrow.types
        value: pyarrow.DataType = kind.value_type if types.is_dictionary(kind) else kind
        if types.is_integer(value) or types.is_floating(value) or is_text(value):
            return value
        rule = f"column {name} holds values of type {value}, and people are called by text or whole numbers"
        raise FileError(f"{self.file}: {rule}. Name the columns of people with {option('columns')}.")

    @property
    def pairs(self) -> NDArray[np.int32]:
        """Both nodes of each row; twice the same where there is no second value."""
        return self._pairs[: self.rows]

    @property
    def labels(self) -> Sequence[str] | None:
        """Numbers or texts in the order in which they were met; None where they are the nodes."""
        if self.node_count is not None:
            return None
        if self.hold_texts:
            return self._texts.labels(self._numbers.met())
        return NumberLabels(self._numbers.met().view(np.uint64 if self.are_unsigned else np.int64))

    def add(self, batch: tuple[Any, Any]) -> None:
        """Add further rows, given as two columns."""
        start, stop = self.rows, self.rows + len(batch[0])
        if stop > len(self._pairs):
            more = max(stop, len(self._pairs) * 5 // 4)
            if puts_ties_on_disk():
                before, self._pairs = self._pairs, room_for_ties(more, 2)
                self._pairs[: len(before)] = before
            else:
                self._pairs.resize((more, 2), refcheck=False)
        ends: list[NDArray[np.int64]] = []
        for place, column in enumerate(batch):
            ends.append(self._values(column, place, ends))
        self.rows, part = stop, self._pairs[start:stop]
        if any(self._are_unfit):
            return
        if self.node_count is None:
            self._numbers.number(ends[0], ends[1], part)
        elif not self.hold_texts:
            nodes = np.column_stack(ends)
            part[:] = nodes
            outside = ((nodes < 0) | (nodes >= self.node_count)).any(axis=1)
            if outside.any():
                self._first_outside = min(self._first_outside, start + int(outside.argmax()))
        if len(self._numbers) > MOST_NODES:
            rule = f"has more different people than the {MOST_NODES:,} that are possible"
            raise FileError(f"{self.file} {rule}. Leave rows out.")
        if (hears := current_listener()) is not None:
            hears(min(_SHARE_OF_ROWS * self.rows / self._about, _SHARE_OF_ROWS))

    def _values(self, column: pyarrow.Array, place: int, ends: Sequence[Any]) -> NDArray[np.int64]:
        """Column of a batch as numbers, or codes of texts; gaps of the second are filled from the first."""
        types, empty = self._arrow.types, -1
        try:
            if types.is_dictionary(column.type) and is_text(column.type.value_type):
                column.validate()
                if (lacks := column.dictionary.is_null()).true_count:  # an entry of the list is no text
                    places = self._texts.compute.if_else(lacks.take(column.indices), None, column.indices)
                    column = type(column).from_arrays(places, column.dictionary.fill_null(""))
            else:
                column.validate(full=True)
                column = column.cast(column.type.value_type) if types.is_dictionary(column.type) else column
                column = column.cast(self._arrow.int64()) if types.is_floating(column.type) else column
                if self.hold_texts:
                    column = column.cast(self._arrow.large_string()).dictionary_encode()
            if self.hold_texts:
                numbers, empty = self._texts.codes(column, place)
            else:
                numbers = column.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
        except (self._arrow.ArrowException, ValueError):
            self._are_unfit[place] = True
            return np.zeros(len(column), np.int64)
        is_empty = numbers == empty if empty >= 0 else np.empty(0, bool)
        if column.null_count:
            gaps = np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False))
            self.nulls[place] += len(gaps)
            self._first_null[place] = min(self._first_null[place], self.rows + int(gaps[0]))
            is_empty[gaps[: len(is_empty)]] = False
            numbers[gaps] = ends[0][gaps] if place else 0
        if is_empty.any():
            self._first_empty[place] = min(self._first_empty[place], self.rows + int(is_empty.argmax()))
        return numbers

    def filled(self, isolated: int) -> int:
        """Rows without a second person, of which there may be so many; FileError for mistakes in a column."""
        for name, is_unfit in zip(self.names, self._are_unfit, strict=True):
            if is_unfit:
                rule = f"column {name} holds what is neither text nor whole numbers"
                raise FileError(f"{self.file}: {rule}. Name the columns of people with {option('columns')}.")
        if self.node_count is not None:
            rule = f"{NODES.decode()} in its metadata asks for whole numbers from 0 to {self.node_count - 1}"
            if self.hold_texts or any(self.nulls):
                raise FileError(f"{self.file}: {rule}. Write the file again.")
            if self._first_outside < _NEVER:
                row = self._first_outside + 1
                raise FileError(f"{self.file}, row {row}: {rule}. Correct either of the two.")
            return 0
        filled = isolated if isolated == self.nulls[1] else 0
        first_null = [self._first_null[0], _NEVER if filled else self._first_null[1]]
        for name, *rows in zip(self.names, first_null, self._first_empty, strict=True):
            if min(rows) < _NEVER:
                rule = f"column {name} has no value there, and a tie needs two people"
                raise FileError(f"{self.file}, row {min(rows) + 1}: {rule}. Leave the row out, or fill it.")
        return filled


def is_text(kind: pyarrow.DataType) -> bool:
    """Whether a type is that of texts."""
    return str(kind) in ("string", "large_string", "string_view")


def are_texts(kinds: Iterable[pyarrow.DataType]) -> bool:
    """Whether all types are those of texts, plain or dictionary-encoded."""
    return all(is_text(kind.value_type if "dictionary" in str(kind) else kind) for kind in kinds)


@dataclass(frozen=True)
class TableInFile:
    """Table in a file, to be read batch by batch."""

    file: str
    format_name: str
    size: int  # of the file
    schema: pyarrow.Schema
    rows: int  # about
    batches: Callable[[Chosen], Iterator[tuple[Any, Any]]]  # of the two columns that are chosen

    def announced(self, key: bytes) -> int | None:
        """Number under a key of ours in the metadata, None without it."""
        text = (self.schema.metadata or {}).get(key)
        if text is None:
            return None
        if not text.isdigit() or len(text) > 10 or int(text) > min(MOST_NODES, most_announced(self.size)):
            rule = f"its metadata {key.decode()} is no number of nodes"
            raise FileError(f"{self.file}: {rule}. Write the file again.")
        return int(text)


def source_of(content: Content, file: str) -> pyarrow.NativeFile:
    """Source that pyarrow reads from. Where ties go to disk it is mapped: parts of it take no memory."""
    arrow = imported("pyarrow", EXTRA, file)
    if not isinstance(content, StoredFile):
        return arrow.BufferReader(content)
    if puts_ties_on_disk():
        return arrow.memory_map(content.file)
    content.stream.seek(0)
    return arrow.PythonFile(content.stream, mode="r")


def network_from_table(table: TableInFile, columns: Columns | None) -> Network:
    """Network from two columns: as a user asked, or by their names."""
    file, names, form = table.file, table.schema.names, table.format_name
    candidates = [place for place, name in enumerate(names) if not INDEX_OF_PANDAS.fullmatch(name)]
    chosen = chosen_columns(names, file, columns, candidates)
    node_count, isolated = table.announced(NODES), table.announced(ISOLATED) or 0
    ties = ArrowTies(table, chosen, node_count)
    tell_reading(table.rows, TEXTS if ties.hold_texts and form == "parquet" else WHOLE_NUMBERS, file)
    for batch in table.batches(chosen):
        ties.add(batch)
    filled, pairs, labels = ties.filled(isolated), ties.pairs, ties.labels
    if node_count is None and not len(pairs):
        raise FileError(f"{file} holds no ties: its table has no rows. Write one tie a row.")
    further = (counted(len(names) - 2, "further column"),) if len(names) > 2 else ()
    notes = (f"{form}: {counted(len(pairs), 'row')}", *(f"{each} ignored" for each in further))
    count, beginning = len(labels) if labels is not None else node_count or 0, pairs[:LOOKED_AT].copy()
    network = Network.from_numbered_edges(pairs, count, labels, notes=notes, in_place=True)
    if filled:  # their rows were made loops, but were none
        loops = network.dropped.self_loops - filled
        network = replace(network, dropped=replace(network.dropped, self_loops=loops))
    first = first_numbered(network, beginning)
    reading = Reading(form, None, chosen.names, None, None, first, further, chosen.oddities)
    return replace(network, reading=reading)


def table_of(network: Network, file: str) -> pyarrow.Table:
    """Table of a network, with nothing else in it."""
    arrow = imported("pyarrow", EXTRA, file)
    if is_numbered(network):
        kind = arrow.from_numpy_dtype(network.edges.dtype)
        columns = [arrow.array(ends, type=kind) for ends in network.edges.T]
        metadata = {NODES: str(network.node_count).encode()}
    else:
        labels, pairs = _labels(network, file), rows_in_order(network, isolated=True)
        alone = pairs[:, 0] == pairs[:, 1]
        ends = [arrow.array(pairs[:, 0]), arrow.array(pairs[:, 1], mask=alone)]
        if arrow.types.is_integer(labels.type):
            columns = [labels.take(each) for each in ends]
        else:  # each text once, and the numbers of nodes
            columns = [arrow.DictionaryArray.from_arrays(each, labels) for each in ends]
        metadata = {ISOLATED: str(np.count_nonzero(alone)).encode()} if alone.any() else {}
    return arrow.table(columns, names=["source", "target"]).replace_schema_metadata(metadata or None)


def _labels(network: Network, file: str) -> pyarrow.Array:
    """Label of each node as a column: whole numbers where these give the same texts, else texts."""
    arrow = imported("pyarrow", EXTRA, file)
    if isinstance(network.labels, NumberLabels):
        return arrow.array(network.labels.narrow())
    texts = arrow.array(label_texts(network, file), type=arrow.string())
    for kind in (arrow.int32(), arrow.int64()):
        with suppress(arrow.ArrowException):
            numbers = texts.cast(kind)
            return numbers if numbers.cast(arrow.string()).equals(texts) else texts
    return texts


def extras_of(schema: pyarrow.Schema) -> Extras:
    """Further columns, and metadata that are not ours."""
    metadata = schema.metadata or {}
    others = metadata.keys() - {NODES, ISOLATED}
    remarks = tuple(metadata[key].decode("utf-8", "replace") for key in sorted(others))
    return Extras(max(len(schema.names) - 2, 0), remarks)


@contextmanager
def telling_damage(file: str, kind: str) -> Iterator[None]:
    """Turn what pyarrow raises over a file of this kind, such as Parquet, into one line."""
    arrow = imported("pyarrow", EXTRA, file)
    try:
        yield
    except (arrow.ArrowException, OSError, ValueError, MemoryError):
        raise FileError(f"{file} is damaged or no {kind} file at all. Fetch or write it again.") from None


# Files: how tables are opened, checked for what they claim to hold, and written.


_FILE, _STREAM, _OLD_FEATHER, _PARQUET = b"ARROW1", b"\xff\xff\xff\xff", b"FEA1", b"PAR1"
_BYTES_OF_A_ROW = 8  # of Arrow, where columns of people have 32 bits, and there are no others
_LOOKED_THROUGH = 1 << 24  # bytes at once, a multiple of 8
_PACKED_PART = re.compile(rb"\x28\xb5\x2f\xfd|\x04\x22\x4d\x18")  # how parts begin, by zstd and LZ4
_ROWS_OF_A_GROUP = 1 << 20
_LARGEST_DICTIONARY = 1 << 30  # bytes, for all texts
_BUFFER = 1 << 20  # bytes read at once of a column, which may be long


def arrow_table(content: Content, file: str) -> TableInFile:
    """Table in an Arrow file."""
    size = size_of(content)
    schema = _opened_arrow(content, file).schema
    check_unpacked(_claimed_size(content), size, file)

    def batches(chosen: Chosen) -> Iterator[tuple[Any, Any]]:
        with telling_damage(file, "Arrow"):
            hold_texts = are_texts(schema.field(place).type for place in chosen.places)
            rows = TEXTS_AT_ONCE if hold_texts else ROWS_AT_ONCE
            opened = _opened_arrow(content, file)
            count = getattr(opened, "num_record_batches", None)  # which a stream does not tell
            for batch in opened if count is None else map(opened.get_batch, range(count)):
                for start in range(0, len(batch), rows):
                    part = batch.slice(start, rows)
                    yield part.column(chosen.places[0]), part.column(chosen.places[1])

    return TableInFile(file, "arrow", size, schema, size // _BYTES_OF_A_ROW, batches)


def _opened_arrow(content: Content, file: str) -> Any:
    """Reader of an Arrow file, or of a stream, that knows its columns."""
    ipc = imported("pyarrow.ipc", EXTRA, file)
    beginning = part_of(content, 0, len(_FILE))
    if beginning.startswith(_OLD_FEATHER):
        rule = "is a Feather file of version 1, which pyarrow is about to give up"
        raise FileError(f"{file} {rule}. Write it again with a newer pyarrow or pandas.")
    source = source_of(content, file)
    with telling_damage(file, "Arrow"):
        opened = (ipc.open_file if beginning.startswith(_FILE) else ipc.open_stream)(source)
        opened.schema.names  # noqa: B018 - decoded here, so that it fails here
    return opened


def _claimed_size(content: Content) -> int:
    """Bytes that the compressed parts of an Arrow file say they unpack to."""
    claimed = 0
    for start in range(0, size_of(content), _LOOKED_THROUGH):
        before = min(start, 8)  # bytes, which tell the size of a part that begins right here
        part = part_of(content, start - before, start + _LOOKED_THROUGH + 3)
        for found in _PACKED_PART.finditer(part, before):
            at = found.start()
            size = int.from_bytes(part[max(at - 8, 0) : at], "little")
            if at % 8 == 0 and size < 1 << 48:  # else other bytes that look like the beginning
                claimed += size
    return claimed


def parquet_table(content: Content, file: str) -> TableInFile:
    """Table in a Parquet file; texts come as different ones and places among these."""
    opened = _opened_parquet(content, file)
    about, schema, size = opened.metadata, opened.schema_arrow, size_of(content)
    are_unlike = len(set(schema.names)) == len(schema.names)

    def batches(chosen: Chosen) -> Iterator[tuple[Any, Any]]:
        # A few bytes can stand for millions of rows: two columns of numbers have 16 bytes a row.
        groups = (about.row_group(place) for place in range(about.num_row_groups))
        check_unpacked(max(16 * about.num_rows, sum(each.total_byte_size for each in groups)), size, file)
        first, second = chosen.names if are_unlike else chosen.places
        kinds = {schema.names[place]: schema.field(place).type for place in chosen.places}
        texts = [name for name, kind in kinds.items() if is_text(kind)] if are_unlike else []
        rows = TEXTS_AT_ONCE if len(texts) == 2 else ROWS_AT_ONCE
        with telling_damage(file, "Parquet"):
            columns = list(chosen.names) if are_unlike else None  # no other column is even decoded
            for batch in _opened_parquet(content, file, texts).iter_batches(rows, columns=columns):
                yield batch.column(first), batch.column(second)

    return TableInFile(file, "parquet", size, schema, about.num_rows, batches)


def _opened_parquet(content: Content, file: str, texts: Sequence[str] = ()) -> pyarrow.parquet.ParquetFile:
    parquet = imported("pyarrow.parquet", EXTRA, file)
    source = source_of(content, file)
    with telling_damage(file, "Parquet"):
        found: pyarrow.parquet.ParquetFile = parquet.ParquetFile(
            source,
            page_checksum_verification=True,
            read_dictionary=list(texts) or None,
            buffer_size=_BUFFER,
            pre_buffer=False,
        )
        found.schema_arrow.names  # noqa: B018 - decoded here, so that it fails here
    return found


def _read(table_in: Any, content: Content, file: str, **options: Any) -> Network:
    """Network from the two columns of people of a table, or from nominations; options are of `ReadAs`."""
    asked = ReadAs(**options)
    if not are_nominations(asked):
        return network_from_table(table_in(content, file), asked.columns)
    names, columns = named_columns(content, file)
    rows = [["" if value is None else str(value) for value in row] for row in zip(*columns, strict=True)]
    return network_of_nominations(names, rows, file, asked, table_in(content, file).format_name)


def named_columns(content: Content, file: str) -> tuple[list[str], list[list[Any]]]:
    """Names and values of all columns of a small table in a Parquet or Arrow file."""
    is_parquet = part_of(content, 0, len(_PARQUET)) == _PARQUET
    table = (parquet_table if is_parquet else arrow_table)(content, file)
    about = _opened_parquet(content, file).metadata if is_parquet else None
    groups = [] if about is None else [about.row_group(place) for place in range(about.num_row_groups)]
    unpacked = max(8 * table.rows * len(table.schema.names), sum(each.total_byte_size for each in groups))
    check_unpacked(unpacked, table.size, file)
    with telling_damage(file, "Parquet" if is_parquet else "Arrow"):
        opened = _opened_parquet(content, file) if is_parquet else _opened_arrow(content, file)
        found = opened.read() if is_parquet else opened.read_all()
        kept = [name for name in found.schema.names if not INDEX_OF_PANDAS.fullmatch(name)]
        return kept, [found.column(found.schema.names.index(name)).to_pylist() for name in kept]


def tables(content: bytes, file: str) -> dict[str, NumberedRows]:
    """The one table of a file, with the names of its columns on top."""
    names, columns = named_columns(content, file)
    return {"": [(1, names), *enumerate(map(list, zip(*columns, strict=True)), start=2)]}


def _extras(table_in: Any, content: bytes, file: str) -> Extras:
    """Further columns, and metadata such as those of pandas."""
    return extras_of(table_in(content, file).schema)


def write_arrow(network: Network, file: str) -> bytes:
    """A table of the columns `source` and `target`, as a file that may be mapped into memory."""
    table, written = table_of(network, file), io.BytesIO()
    with imported("pyarrow.ipc", EXTRA, file).new_file(written, table.schema) as writer:
        writer.write_table(table, TEXTS_AT_ONCE if are_texts(table.schema.types) else ROWS_AT_ONCE)
    return written.getvalue()


def write_parquet(network: Network, file: str) -> bytes:
    """A table of the columns `source` and `target`."""
    table, written = table_of(network, file), io.BytesIO()
    hold_texts = are_texts(table.schema.types)
    has_zstd = imported("pyarrow", EXTRA, file).Codec.is_available("zstd")
    with imported("pyarrow.parquet", EXTRA, file).ParquetWriter(
        written,
        table.schema,
        compression="zstd" if has_zstd else "snappy",
        use_dictionary=hold_texts,  # for numbers of people it only takes room
        column_encoding=None if hold_texts else {"target": "DELTA_BINARY_PACKED"},  # they mostly ascend
        dictionary_pagesize_limit=_LARGEST_DICTIONARY,
        write_page_checksum=True,
        store_schema=not hold_texts,  # so that others see plain texts
    ) as writer:
        if hold_texts and table.schema.metadata:
            writer.add_key_value_metadata(table.schema.metadata)
        # Each group of rows would have all texts once more.
        writer.write_table(table, max(table.num_rows, 1) if hold_texts else _ROWS_OF_A_GROUP)
    return written.getvalue()


PARQUET = Format(
    name="parquet",
    suffixes=(".parquet", ".pq"),
    description="a table with one tie a row; needs pyarrow",
    read=partial(_read, parquet_table),
    read_stored=partial(_read, parquet_table),
    write=write_parquet,
    extras=partial(_extras, parquet_table),
    options=frozenset({"columns", "nominations"}),
    magic=(_PARQUET,),
    tables=tables,
)

ARROW = Format(
    name="arrow",
    suffixes=(".arrow", ".feather", ".ipc"),
    description="a table with one tie a row, also called Feather; needs pyarrow",
    read=partial(_read, arrow_table),
    read_stored=partial(_read, arrow_table),
    write=write_arrow,
    extras=partial(_extras, arrow_table),
    options=frozenset({"columns", "nominations"}),
    magic=(_FILE, _STREAM, _OLD_FEATHER),
    tables=tables,
)
