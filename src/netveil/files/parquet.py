"""Parquet: a table in columns, one tie a row. See `arrow_tables`."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from netveil.files.arrow_tables import (
    EXTRA,
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
from netveil.files.format import Columns, Extras, Format, imported
from netveil.files.storage import Content, most_unpacked, size_of, unpacks_to_too_much
from netveil.files.tables.people import Chosen
from netveil.network import Network

if TYPE_CHECKING:
    import pyarrow.parquet

_MAGIC = b"PAR1"
_BYTES_OF_A_NUMBER = 8
_ROWS_OF_A_GROUP = 1 << 20
_LARGEST_DICTIONARY = 1 << 30  # bytes, for all texts
_BUFFER = 1 << 20  # bytes read at once of a column, which may be long


def read(content: Content, file: str, *, columns: Columns | None = None) -> Network:
    """Network from the two columns of people; no other column is even decoded."""
    return network_from_table(table_in(content, file), columns)


def table_in(content: Content, file: str) -> TableInFile:
    """Table in a file; texts come as different ones and places among these."""
    opened = _opened(content, file)
    about, schema, size = opened.metadata, opened.schema_arrow, size_of(content)
    are_unlike = len(set(schema.names)) == len(schema.names)

    def batches(chosen: Chosen) -> Iterator[tuple[Any, Any]]:
        _check_unpacked(about, size, file)
        first, second = chosen.names if are_unlike else chosen.places
        kinds = {schema.names[place]: schema.field(place).type for place in chosen.places}
        texts = [name for name, kind in kinds.items() if is_text(kind)] if are_unlike else []
        rows = TEXTS_AT_ONCE if len(texts) == 2 else ROWS_AT_ONCE
        with telling_damage(file, "Parquet"):
            columns = list(chosen.names) if are_unlike else None
            for batch in _opened(content, file, texts).iter_batches(rows, columns=columns):
                yield batch.column(first), batch.column(second)

    return TableInFile(file, "parquet", size, schema, about.num_rows, batches)


def _check_unpacked(about: pyarrow.parquet.FileMetaData, size: int, file: str) -> None:
    """Raise if the columns hold far more than the file: a few bytes can stand for millions of rows."""
    groups = [about.row_group(place) for place in range(about.num_row_groups)]
    unpacked = max(2 * _BYTES_OF_A_NUMBER * about.num_rows, sum(group.total_byte_size for group in groups))
    if unpacked > most_unpacked(size):
        raise unpacks_to_too_much(file, size, most_unpacked(size))


def _opened(content: Content, file: str, texts: Sequence[str] = ()) -> pyarrow.parquet.ParquetFile:
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


def write(network: Network, file: str) -> bytes:
    """A table of the columns `source` and `target`."""
    table = table_of(network, file)
    written = io.BytesIO()
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


def extras(content: bytes, file: str) -> Extras:
    """Further columns, and metadata such as those of pandas."""
    return extras_of(_opened(content, file).schema_arrow)


FORMAT = Format(
    name="parquet",
    suffixes=(".parquet", ".pq"),
    description="a table with one tie a row; needs pyarrow",
    read=read,
    read_stored=read,
    write=write,
    extras=extras,
    options=frozenset({"columns"}),
    magic=(_MAGIC,),
)
