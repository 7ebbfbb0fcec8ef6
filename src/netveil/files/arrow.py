"""Arrow: a table as it is in memory, one tie a row; a file, also called Feather, or a stream.

See `arrow_tables`.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

from netveil.errors import FileError
from netveil.files.arrow_tables import (
    EXTRA,
    ROWS_AT_ONCE,
    TEXTS_AT_ONCE,
    TableInFile,
    are_texts,
    extras_of,
    network_from_table,
    source_of,
    table_of,
    telling_damage,
)
from netveil.files.format import Columns, Extras, Format, imported
from netveil.files.storage import Content, StoredFile, most_unpacked, part_of, size_of, unpacks_to_too_much
from netveil.files.tables.people import Chosen
from netveil.network import Network

_FILE = b"ARROW1"
_STREAM = b"\xff\xff\xff\xff"
_OLD_FEATHER = b"FEA1"
_BYTES_OF_A_ROW = 8  # where columns of people have 32 bits, and there are no others
_LOOKED_THROUGH, _OVERLAP = 1 << 24, 16  # bytes, multiples of 8
_COMPRESSED = (b"\x28\xb5\x2f\xfd", b"\x04\x22\x4d\x18")  # how parts begin, by zstd and LZ4


def read(content: Content, file: str, *, columns: Columns | None = None) -> Network:
    """Network from the two columns of people."""
    return network_from_table(table_in(content, file), columns)


def table_in(content: Content, file: str) -> TableInFile:
    """Table in a file."""
    size = size_of(content)
    schema = _opened(content, file).schema
    _check_claimed(content, file)

    def batches(chosen: Chosen) -> Iterator[tuple[Any, Any]]:
        with telling_damage(file, "Arrow"):
            rows = (
                TEXTS_AT_ONCE
                if are_texts(schema.field(place).type for place in chosen.places)
                else ROWS_AT_ONCE
            )
            for batch in _batches(_opened(content, file)):
                for start in range(0, len(batch), rows):
                    part = batch.slice(start, rows)
                    yield part.column(chosen.places[0]), part.column(chosen.places[1])

    return TableInFile(file, "arrow", size, schema, size // _BYTES_OF_A_ROW, batches)


def _batches(opened: Any) -> Iterator[Any]:
    """Batches of a file, or of a stream."""
    if not hasattr(opened, "num_record_batches"):
        yield from opened
        return
    for place in range(opened.num_record_batches):
        yield opened.get_batch(place)


def _opened(content: Content, file: str) -> Any:
    """Reader of a file, or of a stream, that knows its columns."""
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


def _check_claimed(content: Content, file: str) -> None:
    """Raise if the compressed parts of a file say that they unpack to far more than it holds."""
    size = size_of(content)
    if isinstance(content, StoredFile):
        claimed = sum(_claimed_size(part, len(before)) for before, part in _overlapping(content))
    else:
        claimed = _claimed_size(content, 0)
    if claimed > most_unpacked(size):
        raise unpacks_to_too_much(file, size, most_unpacked(size))


def _overlapping(stored: StoredFile) -> Iterator[tuple[bytes, bytes]]:
    """Last bytes of the part before and a part that begins with them, for all parts of a file."""
    stored.stream.seek(0)
    before = b""
    while part := stored.stream.read(_LOOKED_THROUGH):
        yield before, before + part
        before = part[-_OVERLAP:]


def _claimed_size(content: bytes, seen: int) -> int:
    """Bytes that compressed parts claim to unpack to; those within the first `seen` bytes were counted."""
    size = 0
    for magic in _COMPRESSED:
        at = content.find(magic)
        while at >= 0:
            if at % 8 == 0 and at + len(magic) > seen:  # as all parts of such files are
                claimed = int.from_bytes(content[max(at - 8, 0) : at], "little")
                size += claimed if claimed < 1 << 48 else 0  # other bytes that look like the beginning
            at = content.find(magic, at + 1)
    return size


def write(network: Network, file: str) -> bytes:
    """A table of the columns `source` and `target`, as a file that may be mapped into memory."""
    table = table_of(network, file)
    written = io.BytesIO()
    with imported("pyarrow.ipc", EXTRA, file).new_file(written, table.schema) as writer:
        writer.write_table(table, TEXTS_AT_ONCE if are_texts(table.schema.types) else ROWS_AT_ONCE)
    return written.getvalue()


def extras(content: bytes, file: str) -> Extras:
    """Further columns, and metadata such as those of pandas."""
    return extras_of(_opened(content, file).schema)


FORMAT = Format(
    name="arrow",
    suffixes=(".arrow", ".feather", ".ipc"),
    description="a table with one tie a row, also called Feather; needs pyarrow",
    read=read,
    read_stored=read,
    write=write,
    extras=extras,
    options=frozenset({"columns"}),
    magic=(_FILE, _STREAM, _OLD_FEATHER),
)
