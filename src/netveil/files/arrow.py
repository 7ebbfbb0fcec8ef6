"""Parquet and Arrow files, one tie a row: how they are opened and checked, what they mean, how written.

Arrow is a table as it is in memory, in a file, also called Feather, or in a stream; Parquet is a table in
packed columns.

Labels are text, as from every table: the number 1 is the label 1. Nodes have the order that an edge list of
the same rows would give them. Tables are read part by part into one array of 32-bit node numbers: a table may
be larger than the free memory, and nothing of a part is needed once it is numbered.

Written are the columns `source` and `target`; somebody without ties stands there twice, as in other tables.
Where the nodes are numbered, the file's metadata have their number under `netveil.nodes` instead. A cell
without a value is a mistake.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from netveil.errors import FileError, option
from netveil.files.edge_list import network_of_rows
from netveil.files.encodings import MOST_NODES, most_announced
from netveil.files.format import Columns, Format, NumberedRows, ReadAs, imported
from netveil.files.labels import (
    LOOKED_AT,
    CompactLabels,
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
    check_fits,
    check_unpacked,
    puts_ties_on_disk,
    room_for_ties,
)
from netveil.files.tables.people import Chosen, chosen_columns
from netveil.files.tables.table import are_nominations
from netveil.formatting import counted
from netveil.network import Network, Reading
from netveil.progress import current_listener

if TYPE_CHECKING:
    import pyarrow
    import pyarrow.parquet

EXTRA = "parquet"
"""The extra of netveil that brings pyarrow."""

NODES = b"netveil.nodes"
"""The number of nodes in the metadata of a file of ours, where ties are by node numbers."""

ROWS_AT_ONCE = 1 << 20
"""Rows of a batch, at most: each has a list of different texts of its own."""

FEWEST_NUMBERED = 1 << 20
"""Rows that are numbered at once, at least: all nodes met before are looked up anew each time."""

_SHARE_OF_ROWS = 0.7  # of the work; the rest is to sort them
INDEX_OF_PANDAS = re.compile(r"__index_level_\d++__")  # what pandas calls the numbers of its rows


class ArrowTies:
    """Ties in two columns as pairs of nodes, filled part by part; FileError for a mistake in the columns.

    With a `node_count`, the numbers are nodes; else values are numbered as they are met, row by row.
    """

    def __init__(self, table: TableInFile, chosen: Chosen, node_count: int | None) -> None:
        """Make room for about as many rows as the table has."""
        self.file, self.names, self.node_count = table.file, chosen.names, node_count
        self._arrow, self._compute = (
            imported(name, EXTRA, self.file) for name in ("pyarrow", "pyarrow.compute")
        )
        types = (table.schema.field(place).type for place in chosen.places)
        kinds = list(map(self._kind, types, chosen.names))
        self.hold_texts = any(map(is_text, kinds)) or (node_count is None and self._arrow.uint64() in kinds)
        if node_count is not None and any(map(is_text, kinds)):
            raise self._no_node("")
        self._type = self._arrow.large_string() if self.hold_texts else self._arrow.int64()
        self._met: pyarrow.Array = self._arrow.array([], self._type)  # different values
        self.rows, self._about = 0, max(table.rows, 1)
        self._pairs = room_for_ties(self._about, 2)

    def _kind(self, kind: pyarrow.DataType, name: str) -> pyarrow.DataType:
        """Type of the values of a column; FileError if these cannot be people."""
        types = self._arrow.types
        value: pyarrow.DataType = kind.value_type if types.is_dictionary(kind) else kind
        if types.is_integer(value) or types.is_floating(value) or is_text(value):
            return value
        rule = f"column {name} holds values of type {value}, and people are called by text or whole numbers"
        raise FileError(f"{self.file}: {rule}. Name the columns of people with {option('columns')}.")

    def _no_node(self, where: str) -> FileError:
        rule = (
            f"{NODES.decode()} in its metadata asks for whole numbers from 0 to {(self.node_count or 0) - 1}"
        )
        return FileError(f"{self.file}{where}: {rule}. Write the file again.")

    @property
    def pairs(self) -> NDArray[np.int32]:
        """Both nodes of each row."""
        return self._pairs[: self.rows]

    @property
    def labels(self) -> CompactLabels | None:
        """Values in the order in which they were met; None where they are the nodes."""
        if self.node_count is not None:
            return None
        return CompactLabels(self._met if self.hold_texts else self._met.to_numpy())

    def fill(self, batches: Iterable[tuple[Any, Any]]) -> None:
        """Add all rows, given as two columns in batches; many are numbered at once."""
        waiting: list[tuple[Any, Any]] = []
        for batch in batches:
            waiting.append(tuple(map(self._checked, batch, self.names)))
            if sum(len(first) for first, _ in waiting) >= max(FEWEST_NUMBERED, len(self._met)):
                self._add(waiting)
                waiting = []
        if waiting:
            self._add(waiting)

    def _checked(self, column: pyarrow.Array, name: str) -> pyarrow.Array:
        """Column of a batch as whole numbers, texts or places in a list of texts."""
        types, kind = self._arrow.types, column.type
        try:
            column.validate(full=True)
            if types.is_dictionary(kind) and is_text(kind.value_type) and not column.dictionary.null_count:
                # Lists of several batches become one, for which places of 8 bits may be too few.
                places = column.indices.cast(self._arrow.int32())
                return type(column).from_arrays(places, column.dictionary.cast(self._type))
            column = column.cast(kind.value_type) if types.is_dictionary(kind) else column
            column = column.cast(self._arrow.int64()) if types.is_floating(column.type) else column
            column = column.cast(self._type)
            return column.dictionary_encode() if self.hold_texts else column
        except (self._arrow.ArrowException, ValueError):
            rule = f"column {name} holds what is neither text nor whole numbers"
            remedy = f"Name the columns of people with {option('columns')}"
            raise FileError(f"{self.file}: {rule}. {remedy}.") from None

    def _add(self, batches: Sequence[tuple[Any, Any]]) -> None:
        """Number further rows, given as two columns in batches, and put them behind the others."""
        start, stop = self.rows, self.rows + sum(len(first) for first, _ in batches)
        if stop > len(self._pairs):
            before, self._pairs = self._pairs, room_for_ties(max(stop, len(self._pairs) * 5 // 4), 2)
            self._pairs[:start] = before[:start]
        columns = [
            self._arrow.chunked_array(parts).unify_dictionaries().combine_chunks()
            for parts in zip(*batches, strict=True)
        ]
        gaps = [np.asarray(column.is_null()) for column in columns]
        if self.node_count is None:
            found = self._numbered(columns, gaps)
        else:
            self._check_gaps(gaps)
            found = np.column_stack([column.fill_null(0).to_numpy() for column in columns])
            outside = ((found < 0) | (found >= self.node_count)).any(axis=1)
            if outside.any():
                raise self._no_node(f", row {start + int(outside.argmax()) + 1}")
        self._pairs[start:stop], self.rows = found, stop
        if (hears := current_listener()) is not None:
            hears(min(_SHARE_OF_ROWS * self.rows / self._about, _SHARE_OF_ROWS))

    def _numbered(
        self, columns: Sequence[pyarrow.Array], gaps: Sequence[NDArray[np.bool_]]
    ) -> NDArray[np.int32]:
        """Numbers of the values in two columns; those that were not met before get the next ones."""
        if self.hold_texts:
            values, places = self._texts_as_met(columns, gaps)
        else:
            self._check_gaps(gaps)
            rows = np.column_stack([column.to_numpy() for column in columns]).ravel()
            coded = self._arrow.array(rows).dictionary_encode()
            values, places = coded.dictionary, coded.indices.to_numpy().reshape(-1, 2)
        number = self._compute.index_in(values, value_set=self._met).fill_null(-1).to_numpy().copy()
        new = np.flatnonzero(number < 0)
        number[new] = np.arange(len(self._met), len(self._met) + len(new))
        self._met = self._arrow.concat_arrays([self._met, values.take(self._arrow.array(new))])
        if len(self._met) > MOST_NODES:
            rule = f"has more different people than the {MOST_NODES:,} that are possible"
            raise FileError(f"{self.file} {rule}. Leave rows out.")
        found: NDArray[np.int32] = number[places]
        return found

    def _texts_as_met(
        self, columns: Sequence[pyarrow.Array], gaps: Sequence[NDArray[np.bool_]]
    ) -> tuple[pyarrow.Array, NDArray[np.int32]]:
        """Different texts of two columns in the order in which rows have them, and the place of each cell."""
        coded = [column.dictionary_encode() for column in columns]
        values = self._arrow.concat_arrays([each.dictionary for each in coded])
        places = np.column_stack([each.indices.fill_null(0).to_numpy() for each in coded])
        places[:, 1] += len(coded[0].dictionary)
        is_empty = np.append(self._compute.equal(values, ""), False)  # there may be no text at all
        self._check_gaps([gap | is_empty[place] for gap, place in zip(gaps, places.T, strict=True)])
        rows = places.ravel()
        first = np.full(len(values), len(rows), np.int32)
        first[rows[::-1]] = np.arange(len(rows), dtype=np.int32)[::-1]
        as_met = np.argsort(first)[: np.count_nonzero(first < len(rows))]
        met = values.take(self._arrow.array(as_met)).dictionary_encode()  # one may be in both lists
        place_of = np.zeros(len(values), np.int32)
        place_of[as_met] = met.indices.to_numpy()
        return met.dictionary, place_of[places]

    def _check_gaps(self, gaps: Sequence[NDArray[np.bool_]]) -> None:
        """Raise if rows of a column lack a value, counted from the first that is not numbered yet."""
        for name, gap in zip(self.names, gaps, strict=True):
            if gap.any() and self.node_count is not None:
                raise self._no_node("")
            if gap.any():
                rule = f"column {name} has no value there, and a tie needs two people"
                where = f"row {self.rows + int(gap.argmax()) + 1}"
                raise FileError(f"{self.file}, {where}: {rule}. Leave the row out, or fill it.")


def is_text(kind: pyarrow.DataType) -> bool:
    """Whether a type is that of texts."""
    return str(kind) in ("string", "large_string", "string_view")


@dataclass(frozen=True)
class TableInFile:
    """Table in a file, to be read batch by batch."""

    file: str
    format_name: str
    size: int  # of the file
    schema: pyarrow.Schema
    rows: int  # about
    batches: Callable[[Chosen], Iterator[tuple[Any, Any]]]  # of the two columns that are chosen

    @property
    def node_count(self) -> int | None:
        """Number of nodes in the metadata of a file of ours, None without it."""
        text = (self.schema.metadata or {}).get(NODES)
        if text is None:
            return None
        if not text.isdigit() or len(text) > 10 or int(text) > min(MOST_NODES, most_announced(self.size)):
            rule = f"its metadata {NODES.decode()} is no number of nodes"
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
    node_count = table.node_count
    ties = ArrowTies(table, chosen, node_count)
    check_fits(table.rows, TEXTS if ties.hold_texts and form == "parquet" else WHOLE_NUMBERS, file)
    ties.fill(table.batches(chosen))
    pairs, labels = ties.pairs, ties.labels
    if node_count is None and not len(pairs):
        raise FileError(f"{file} holds no ties: its table has no rows. Write one tie a row.")
    remarks = set(table.schema.metadata or ()) - {NODES}
    counts = {"further column": len(names) - 2, "comment": len(remarks)}
    further = tuple(counted(count, noun) for noun, count in counts.items() if count > 0)
    notes = (f"{form}: {counted(len(pairs), 'row')}",)
    count, beginning = len(labels) if labels is not None else node_count or 0, pairs[:LOOKED_AT].copy()
    network = Network.from_numbered_edges(pairs, count, labels, notes=notes, in_place=True)
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
        ends = [arrow.array(each) for each in pairs.T]
        if arrow.types.is_integer(labels.type):
            columns = [labels.take(each) for each in ends]
        else:  # each text once, and the numbers of nodes
            columns = [arrow.DictionaryArray.from_arrays(each, labels) for each in ends]
        metadata = None
    return arrow.table(columns, names=["source", "target"]).replace_schema_metadata(metadata)


def _labels(network: Network, file: str) -> pyarrow.Array:
    """Label of each node as a column: whole numbers where these give the same texts, else texts."""
    arrow, labels = imported("pyarrow", EXTRA, file), network.labels
    held = labels.values if isinstance(labels, CompactLabels) and labels.are_numbers else None
    texts = arrow.array(label_texts(network, file), arrow.string()) if held is None else arrow.array(held)
    for kind in (arrow.int32(), arrow.int64()):
        with suppress(arrow.ArrowException):
            numbers = texts.cast(kind)
            return numbers if held is not None or numbers.cast(arrow.string()).equals(texts) else texts
    return texts


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
    size = len(content)
    schema = _opened_arrow(content, file).schema
    check_unpacked(_claimed_size(content), size, file)

    def batches(chosen: Chosen) -> Iterator[tuple[Any, Any]]:
        with telling_damage(file, "Arrow"):
            opened = _opened_arrow(content, file)
            count = getattr(opened, "num_record_batches", None)  # which a stream does not tell
            for batch in opened if count is None else map(opened.get_batch, range(count)):
                for start in range(0, len(batch), ROWS_AT_ONCE):
                    part = batch.slice(start, ROWS_AT_ONCE)
                    yield part.column(chosen.places[0]), part.column(chosen.places[1])

    return TableInFile(file, "arrow", size, schema, size // _BYTES_OF_A_ROW, batches)


def _opened_arrow(content: Content, file: str) -> Any:
    """Reader of an Arrow file, or of a stream, that knows its columns."""
    ipc = imported("pyarrow.ipc", EXTRA, file)
    beginning = content[0 : len(_FILE)]
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
    for start in range(0, len(content), _LOOKED_THROUGH):
        before = min(start, 8)  # bytes, which tell the size of a part that begins right here
        part = content[start - before : start + _LOOKED_THROUGH + 3]
        for found in _PACKED_PART.finditer(part, before):
            at = found.start()
            size = int.from_bytes(part[max(at - 8, 0) : at], "little")
            if at % 8 == 0 and size < 1 << 48:  # else other bytes that look like the beginning
                claimed += size
    return claimed


def parquet_table(content: Content, file: str) -> TableInFile:
    """Table in a Parquet file; texts come as different ones and places among these."""
    opened = _opened_parquet(content, file)
    about, schema, size = opened.metadata, opened.schema_arrow, len(content)
    are_unlike = len(set(schema.names)) == len(schema.names)

    def batches(chosen: Chosen) -> Iterator[tuple[Any, Any]]:
        first, second = chosen.names if are_unlike else chosen.places
        kinds = {schema.names[place]: schema.field(place).type for place in chosen.places}
        texts = [name for name, kind in kinds.items() if is_text(kind)] if are_unlike else []
        with telling_damage(file, "Parquet"):
            columns = list(chosen.names) if are_unlike else None  # no other column is even decoded
            for batch in _opened_parquet(content, file, texts).iter_batches(ROWS_AT_ONCE, columns=columns):
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
    # A few bytes can stand for millions of rows: two columns of numbers have 16 bytes a row, others 8.
    about = found.metadata
    groups = (about.row_group(place) for place in range(about.num_row_groups))
    claimed = max(
        8 * about.num_rows * max(about.num_columns, 2), sum(each.total_byte_size for each in groups)
    )
    check_unpacked(claimed, len(content), file)
    return found


def _read(table_in: Any, content: Content, file: str, **options: Any) -> Network:
    """Network from the two columns of people of a table, or from nominations; options are of `ReadAs`."""
    asked = ReadAs(**options)
    if not are_nominations(asked):
        return network_from_table(table_in(content, file), asked.columns)
    names, columns = named_columns(content, file)
    rows = [["" if value is None else str(value) for value in row] for row in zip(*columns, strict=True)]
    form, header = table_in(content, file).format_name, replace(asked, header=True)
    return network_of_rows([names, *rows], range(len(rows) + 1), file, header, form)


def named_columns(content: Content, file: str) -> tuple[list[str], list[list[Any]]]:
    """Names and values of all columns of a small table in a Parquet or Arrow file."""
    is_parquet = content[0 : len(_PARQUET)] == _PARQUET
    if not is_parquet:
        check_unpacked(_claimed_size(content), len(content), file)
    with telling_damage(file, "Parquet" if is_parquet else "Arrow"):
        opened = _opened_parquet(content, file) if is_parquet else _opened_arrow(content, file)
        found = opened.read() if is_parquet else opened.read_all()
        kept = [name for name in found.schema.names if not INDEX_OF_PANDAS.fullmatch(name)]
        return kept, [found.column(found.schema.names.index(name)).to_pylist() for name in kept]


def tables(content: bytes, file: str) -> dict[str, NumberedRows]:
    """The one table of a file, with the names of its columns on top."""
    names, columns = named_columns(content, file)
    return {"": [(1, names), *enumerate(map(list, zip(*columns, strict=True)), start=2)]}


def write_arrow(network: Network, file: str) -> bytes:
    """A table of the columns `source` and `target`, as a file that may be mapped into memory."""
    table, written = table_of(network, file), io.BytesIO()
    with imported("pyarrow.ipc", EXTRA, file).new_file(written, table.schema) as writer:
        writer.write_table(table, ROWS_AT_ONCE)
    return written.getvalue()


def write_parquet(network: Network, file: str) -> bytes:
    """A table of the columns `source` and `target`."""
    table, written = table_of(network, file), io.BytesIO()
    hold_texts = "dictionary" in str(table.schema.types[0])
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
    reads_parts=True,
    write=write_parquet,
    options=frozenset({"columns", "nominations"}),
    magic=(_PARQUET,),
    tables=tables,
)

ARROW = Format(
    name="arrow",
    suffixes=(".arrow", ".feather", ".ipc"),
    description="a table with one tie a row, also called Feather; needs pyarrow",
    read=partial(_read, arrow_table),
    reads_parts=True,
    write=write_arrow,
    options=frozenset({"columns", "nominations"}),
    magic=(_FILE, _STREAM, _OLD_FEATHER),
    tables=tables,
)
