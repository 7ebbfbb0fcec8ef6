"""Parquet and Arrow files, one tie a row: how they are opened, checked and written.

Arrow is a table as it is in memory, in a file, also called Feather, or in a stream; Parquet is a table in
packed columns. What their tables mean is said in `arrow_tables`.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from netveil.errors import FileError
from netveil.files.arrow_tables import (
    EXTRA,
    INDEX_OF_PANDAS,
    ROWS_AT_ONCE,
    TEXTS_AT_ONCE,
    TableInFile,
    are_texts,
    extras_of,
    is_text,
    network_from_table,
    source_of,
    table_of,
    telling_damage,
)
from netveil.files.edge_list import network_of_nominations
from netveil.files.format import Extras, Format, NumberedRows, ReadAs, imported
from netveil.files.storage import Content, check_unpacked, part_of, size_of
from netveil.files.tables.nominations import are_nominations
from netveil.files.tables.people import Chosen
from netveil.network import Network

if TYPE_CHECKING:
    import pyarrow.parquet

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
