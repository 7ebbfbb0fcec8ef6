"""Arrow: a table as it is in memory, one tie a row; a file, also called Feather, or a stream.

See `arrow_tables`.
"""

from __future__ import annotations

import io
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
    import pyarrow

_FILE = b"ARROW1"
_STREAM = b"\xff\xff\xff\xff"
_OLD_FEATHER = b"FEA1"
_COMPRESSED = (b"\x28\xb5\x2f\xfd", b"\x04\x22\x4d\x18")  # how parts begin, by zstd and LZ4


def read(content: bytes, file: str, *, columns: Columns | None = None) -> Network:
    """Network from the two columns of people."""
    table = _table(content, file)

    def two_columns(chosen: Chosen) -> tuple[Any, Any]:
        return table.column(chosen.places[0]), table.column(chosen.places[1])

    return network_from_table(table.schema, two_columns, file, "arrow", columns, len(content))


def _table(content: bytes, file: str) -> pyarrow.Table:
    arrow = imported("pyarrow", EXTRA, file)
    ipc = imported("pyarrow.ipc", EXTRA, file)
    if content.startswith(_OLD_FEATHER):
        rule = "is a Feather file of version 1, which pyarrow is about to give up"
        raise FileError(f"{file} {rule}. Write it again with a newer pyarrow or pandas.")
    if _claimed_size(content) > most_unpacked(len(content)):
        raise unpacks_to_too_much(file, len(content), most_unpacked(len(content)))
    try:
        opened = ipc.open_file if content.startswith(_FILE) else ipc.open_stream
        table: pyarrow.Table = opened(arrow.BufferReader(content)).read_all()
        table.column_names  # noqa: B018 - decoded here, so that it fails here
    except (arrow.ArrowException, OSError, ValueError, MemoryError):
        raise FileError(f"{file} is damaged or no Arrow file at all. Fetch or write it again.") from None
    return table


def _claimed_size(content: bytes) -> int:
    """How many bytes the compressed parts of a file say that they unpack to: right before each of them."""
    size = 0
    for magic in _COMPRESSED:
        at = content.find(magic)
        while at >= 0:
            if at % 8 == 0:  # as all parts of such files are
                claimed = int.from_bytes(content[at - 8 : at], "little")
                size += claimed if claimed < 1 << 48 else 0  # other bytes that look like the beginning
            at = content.find(magic, at + 1)
    return size


def write(network: Network, file: str) -> bytes:
    """A table of the columns `source` and `target`, as a file that may be mapped into memory."""
    table = table_of(network, file)
    written = io.BytesIO()
    with imported("pyarrow.ipc", EXTRA, file).new_file(written, table.schema) as writer:
        writer.write_table(table)
    return written.getvalue()


def extras(content: bytes, file: str) -> Extras:
    """Further columns, and metadata such as those of pandas."""
    return extras_of(_table(content, file).schema)


FORMAT = Format(
    name="arrow",
    suffixes=(".arrow", ".feather", ".ipc"),
    description="a table with one tie a row, also called Feather; needs pyarrow",
    read=read,
    write=write,
    extras=extras,
    options=frozenset({"columns"}),
    magic=(_FILE, _STREAM, _OLD_FEATHER),
)
