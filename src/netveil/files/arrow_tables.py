"""Tables of pyarrow, one tie a row: what Parquet and Arrow files hold once they are open.

Labels are text, as from every table: the number 1 is the label 1. Nodes have the order that an edge list of
the same rows would give them. Large tables are read by `arrow_batches`, small and unusual ones by
`arrow_columns`.

Written are the columns `source` and `target`. Where the nodes are numbered, the file's metadata have their
number under `netveil.nodes`. Else somebody without ties has a row without target, and `netveil.isolated` says
how many rows are such; in a file without that, a cell without a value is a mistake.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from netveil.errors import FileError
from netveil.files.arrow_batches import can_be_in_batches, ties_by_batches
from netveil.files.arrow_columns import EXTRA, NODES, Ties, ties_at_once
from netveil.files.asked import Columns
from netveil.files.compact_labels import NumberLabels
from netveil.files.extra import imported
from netveil.files.format import Extras
from netveil.files.labels import is_numbered, label_texts
from netveil.files.reading_cost import WHOLE_NUMBERS, tell_reading
from netveil.files.stored_file import Content, StoredFile
from netveil.files.tables.people import Chosen, chosen_columns
from netveil.files.text import MOST_NODES, most_announced
from netveil.files.tied_labels import LOOKED_AT, first_numbered, rows_in_order
from netveil.network import Network
from netveil.reading import Reading
from netveil.words import counted

if TYPE_CHECKING:
    import pyarrow

ISOLATED = b"netveil.isolated"
OURS = (NODES, ISOLATED)
MANY = 100_000
"""Rows from which on it is worth while to load the kernel that numbers them with little memory."""
_INDEX = re.compile(r"__index_level_\d++__")  # what pandas calls the numbers of its rows


@dataclass(frozen=True)
class TableInFile:
    """A table that can be read in two ways."""

    file: str
    format_name: str
    size: int  # of the file
    schema: pyarrow.Schema
    rows: int  # about
    whole: Callable[[Chosen], tuple[Any, Any]]  # the two columns that are chosen, at once
    batches: Callable[[Chosen], Iterator[tuple[Any, Any]]]  # or batch by batch


def source_of(content: Content, file: str) -> pyarrow.NativeFile:
    """What pyarrow reads from."""
    arrow = imported("pyarrow", EXTRA, file)
    if isinstance(content, StoredFile):
        content.stream.seek(0)
        return arrow.PythonFile(content.stream, mode="r")
    return arrow.BufferReader(content)


def network_from_table(table: TableInFile, columns: Columns | None) -> Network:
    """Network from the two columns that a user asked for, or that are the people."""
    file, schema, format_name = table.file, table.schema, table.format_name
    people = [place for place, name in enumerate(schema.names) if not _INDEX.fullmatch(name)]
    chosen = chosen_columns(schema.names, file, columns, people)
    node_count = _announced(schema, NODES, file, table.size)
    isolated = _announced(schema, ISOLATED, file, table.size) or 0
    found = _ties(table, chosen, node_count, isolated)
    if node_count is None and not len(found.pairs):
        raise FileError(f"{file} holds no ties: its table has no rows. Write one tie a row.")
    further = [counted(len(schema.names) - 2, "further column")] if len(schema.names) > 2 else []
    notes = (f"{format_name}: {counted(len(found.pairs), 'row')}", *(f"{each} ignored" for each in further))
    count = len(found.labels) if found.labels is not None else node_count or 0
    beginning = found.pairs[:LOOKED_AT].copy()
    network = Network.from_numbered_edges(found.pairs, count, found.labels, notes=notes, in_place=True)
    if found.filled:  # their rows were made loops, but were none
        loops = network.dropped.self_loops - found.filled
        network = replace(network, dropped=replace(network.dropped, self_loops=loops))
    first = first_numbered(network, beginning)
    reading = Reading(format_name, None, chosen.names, None, None, first, tuple(further))
    return replace(network, reading=reading)


def _ties(table: TableInFile, chosen: Chosen, node_count: int | None, isolated: int) -> Ties:
    file, names = table.file, chosen.names
    if table.rows >= MANY and can_be_in_batches(table.schema, chosen.places, file, node_count is not None):
        tell_reading(table.rows, WHOLE_NUMBERS, file)
        found = ties_by_batches(table.batches(chosen), names, file, table.rows, node_count, isolated)
        if found is not None:
            return found
    return ties_at_once(table.whole(chosen), names, file, table.size, node_count, isolated)


def _announced(schema: pyarrow.Schema, key: bytes, file: str, size: int) -> int | None:
    """The number under a key of ours in the metadata, if it is there."""
    text = (schema.metadata or {}).get(key)
    if text is None:
        return None
    if not text.isdigit() or len(text) > 10 or int(text) > min(MOST_NODES, most_announced(size)):
        raise FileError(f"{file}: its metadata {key.decode()} is no number of nodes. Write the file again.")
    return int(text)


def table_of(network: Network, file: str) -> pyarrow.Table:
    """The network as a table, with nothing else in it."""
    arrow = imported("pyarrow", EXTRA, file)
    if is_numbered(network):
        kind = arrow.from_numpy_dtype(network.edges.dtype)
        columns = [arrow.array(ends, type=kind) for ends in network.edges.T]
        metadata = {NODES: str(network.node_count).encode()}
    else:
        texts = _labels(network, file)
        pairs = rows_in_order(network, isolated=True)
        alone = pairs[:, 0] == pairs[:, 1]
        columns = [texts.take(arrow.array(pairs[:, 0])), texts.take(arrow.array(pairs[:, 1], mask=alone))]
        metadata = {ISOLATED: str(np.count_nonzero(alone)).encode()} if alone.any() else {}
    return arrow.table(columns, names=["source", "target"]).replace_schema_metadata(metadata or None)


def _labels(network: Network, file: str) -> pyarrow.Array:
    """The label of each node."""
    arrow = imported("pyarrow", EXTRA, file)
    if isinstance(network.labels, NumberLabels):
        return arrow.array(network.labels.narrow())
    return _as_numbers(arrow.array(label_texts(network, file), type=arrow.string()), file)


def _as_numbers(texts: pyarrow.Array, file: str) -> pyarrow.Array:
    """Labels as whole numbers of 32 or 64 bits, if all of them are written as those are; else as they are."""
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
