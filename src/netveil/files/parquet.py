"""Parquet: a table in columns, one tie a row. See `arrow_tables`."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from netveil.files.arrow_batches import ROWS_AT_ONCE, TEXTS_AT_ONCE, are_texts
from netveil.files.arrow_columns import EXTRA
from netveil.files.arrow_tables import (
    TableInFile,
    extras_of,
    network_from_table,
    source_of,
    table_of,
    telling_damage,
)
from netveil.files.asked import Columns
from netveil.files.bounds import most_unpacked, unpacks_to_too_much
from netveil.files.extra import imported
from netveil.files.format import Extras, Format
from netveil.files.stored_file import Content, size_of
from netveil.files.tables.people import Chosen
from netveil.network import Network

if TYPE_CHECKING:
    import pyarrow.parquet

_MAGIC = b"PAR1"
_BYTES_OF_A_NUMBER = 8
_ROWS_OF_A_GROUP = 1 << 20
_LARGEST_DICTIONARY = 1 << 26  # bytes, for all texts of a group
_BUFFER = 1 << 20  # bytes read at once of a column, which may be long


def read(content: Content, file: str, *, columns: Columns | None = None) -> Network:
    """Network from the two columns of people; no other column is even decoded."""
    opened = _opened(content, file)
    about, schema, size = opened.metadata, opened.schema_arrow, size_of(content)
    are_unlike = len(set(schema.names)) == len(schema.names)

    def opened_for(chosen: Chosen) -> pyarrow.parquet.ParquetFile:
        _check_unpacked(about, size, file)
        # Texts come as a list of different ones and places in it: whether all fit is checked then.
        kinds = [str(schema.field(place).type) for place in chosen.places]
        texts = [name for name, kind in zip(chosen.names, kinds, strict=True) if kind.endswith("string")]
        return _opened(content, file, texts if are_unlike else ())

    def whole(chosen: Chosen) -> tuple[Any, Any]:
        with telling_damage(file, "Parquet"):
            table = opened_for(chosen).read(columns=list(chosen.names) if are_unlike else None)
        return _two_of(table, chosen, are_unlike)

    def batches(chosen: Chosen) -> Iterator[tuple[Any, Any]]:
        with telling_damage(file, "Parquet"):
            columns_read = list(chosen.names) if are_unlike else None
            hold_texts = are_texts(schema.field(place).type for place in chosen.places)
            rows = TEXTS_AT_ONCE if hold_texts else ROWS_AT_ONCE
            for batch in opened_for(chosen).iter_batches(rows, columns=columns_read):
                yield _two_of(batch, chosen, are_unlike)

    table = TableInFile(file, "parquet", size, schema, about.num_rows, whole, batches)
    return network_from_table(table, columns)


def _two_of(table: Any, chosen: Chosen, by_name: bool) -> tuple[Any, Any]:
    first, second = chosen.names if by_name else chosen.places
    return table.column(first), table.column(second)


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
    has_zstd = imported("pyarrow", EXTRA, file).Codec.is_available("zstd")
    imported("pyarrow.parquet", EXTRA, file).write_table(
        table,
        written,
        compression="zstd" if has_zstd else "snappy",
        use_dictionary=str(table.schema.types[0]) == "string",  # for numbers of people it only takes room
        dictionary_pagesize_limit=_LARGEST_DICTIONARY,
        row_group_size=_ROWS_OF_A_GROUP,
        write_page_checksum=True,
    )
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
