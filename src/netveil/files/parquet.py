"""Parquet: a table in columns, one tie a row. See `arrow_tables`."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from netveil.errors import FileError
from netveil.files.arrow_tables import EXTRA, extras_of, network_from_table, table_of
from netveil.files.asked import Columns
from netveil.files.bounds import most_unpacked, unpacks_to_too_much
from netveil.files.extra import imported
from netveil.files.format import Extras, Format
from netveil.files.tables.people import Chosen
from netveil.network import Network

if TYPE_CHECKING:
    import pyarrow.parquet

_MAGIC = b"PAR1"
_BYTES_OF_A_NUMBER = 8


def read(content: bytes, file: str, *, columns: Columns | None = None) -> Network:
    """Network from the two columns of people; no other column is even decoded."""
    opened = _opened(content, file)
    arrow = imported("pyarrow", EXTRA, file)

    def two_columns(chosen: Chosen) -> tuple[Any, Any]:
        schema = opened.schema_arrow
        unlike = len(set(schema.names)) == len(schema.names)
        _check_unpacked(opened.metadata, len(content), file)
        # Texts come as a list of different ones and places in it: whether all fit is checked then.
        kinds = [str(schema.field(place).type) for place in chosen.places]
        texts = [name for name, kind in zip(chosen.names, kinds, strict=True) if kind.endswith("string")]
        try:
            whole = _opened(content, file, texts) if unlike and texts else opened
            table = whole.read(columns=list(chosen.names) if unlike else None)
        except (arrow.ArrowException, OSError, ValueError, MemoryError):
            raise _damaged(file) from None
        if unlike:
            return table.column(chosen.names[0]), table.column(chosen.names[1])
        return table.column(chosen.places[0]), table.column(chosen.places[1])

    return network_from_table(opened.schema_arrow, two_columns, file, "parquet", columns, len(content))


def _check_unpacked(about: pyarrow.parquet.FileMetaData, size: int, file: str) -> None:
    """Raise if the columns hold far more than the file: a few bytes can stand for millions of rows."""
    groups = [about.row_group(place) for place in range(about.num_row_groups)]
    unpacked = max(2 * _BYTES_OF_A_NUMBER * about.num_rows, sum(group.total_byte_size for group in groups))
    if unpacked > most_unpacked(size):
        raise unpacks_to_too_much(file, size, most_unpacked(size))


def _opened(content: bytes, file: str, texts: Sequence[str] = ()) -> pyarrow.parquet.ParquetFile:
    parquet = imported("pyarrow.parquet", EXTRA, file)
    arrow = imported("pyarrow", EXTRA, file)
    try:
        found: pyarrow.parquet.ParquetFile = parquet.ParquetFile(
            arrow.BufferReader(content), page_checksum_verification=True, read_dictionary=list(texts) or None
        )
        found.schema_arrow.names  # noqa: B018 - decoded here, so that it fails here
    except (arrow.ArrowException, OSError, ValueError, MemoryError):
        raise _damaged(file) from None
    return found


def _damaged(file: str) -> FileError:
    return FileError(f"{file} is damaged or no Parquet file at all. Fetch or write it again.")


def write(network: Network, file: str) -> bytes:
    """A table of the columns `source` and `target`."""
    table = table_of(network, file)
    written = io.BytesIO()
    has_zstd = imported("pyarrow", EXTRA, file).Codec.is_available("zstd")
    imported("pyarrow.parquet", EXTRA, file).write_table(
        table, written, compression="zstd" if has_zstd else "snappy", write_page_checksum=True
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
    write=write,
    extras=extras,
    options=frozenset({"columns"}),
    magic=(_MAGIC,),
)
