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
from netveil.files.arrow_batches import are_texts, can_be_in_batches, ties_by_batches
from netveil.files.arrow_columns import EXTRA, NODES, Ties, ties_at_once
from netveil.files.asked import Columns
from netveil.files.compact_labels import NumberLabels
from netveil.files.extra import imported
from netveil.files.format import Extras
from netveil.files.labels import is_numbered, label_texts
from netveil.files.reading_cost import TEXTS, WHOLE_NUMBERS, tell_reading
from netveil.files.stored_file import Content, StoredFile
from netveil.files.tables.people import Chosen, chosen_columns
from netveil.files.text import MOST_NODES, most_announced
from netveil.files.tied_labels import LOOKED_AT, first_numbered, met_in, rows_met_first
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
    batches: Callable[[Chosen], Iterator[tuple[Any, Any]]]  # or batch by batch,
    texts_apart: Callable[[Chosen], list[Iterator[Any]]] | None = None  # or one after the other; for texts

    def people(self, columns: Columns | None) -> Chosen:
        """The two columns that a user asked for, or that are the people."""
        names = self.schema.names
        candidates = [place for place, name in enumerate(names) if not _INDEX.fullmatch(name)]
        return chosen_columns(names, self.file, columns, candidates)

    def announced(self, key: bytes) -> int | None:
        """The number under a key of ours in the metadata, if it is there."""
        text = (self.schema.metadata or {}).get(key)
        if text is None:
            return None
        if not text.isdigit() or len(text) > 10 or int(text) > min(MOST_NODES, most_announced(self.size)):
            rule = f"its metadata {key.decode()} is no number of nodes"
            raise FileError(f"{self.file}: {rule}. Write the file again.")
        return int(text)

    def account(self, rows: int) -> tuple[str, ...]:
        """What is told of so many rows and of further columns."""
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


def source_of(content: Content, file: str, *, mapped: bool = False) -> pyarrow.NativeFile:
    """What pyarrow reads from; `mapped`, parts of a stored file take no memory, however large they are."""
    arrow = imported("pyarrow", EXTRA, file)
    if isinstance(content, StoredFile):
        if mapped:
            return arrow.memory_map(content.file)
        content.stream.seek(0)
        return arrow.PythonFile(content.stream, mode="r")
    return arrow.BufferReader(content)


def network_from_table(table: TableInFile, columns: Columns | None) -> Network:
    """Network from the two columns that a user asked for, or that are the people."""
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


def _ties(table: TableInFile, chosen: Chosen, node_count: int | None, isolated: int) -> Ties:
    file, names = table.file, chosen.names
    if table.rows >= MANY and can_be_in_batches(table.schema, chosen.places, file, node_count is not None):
        hold_texts = are_texts(table.schema.field(place).type for place in chosen.places)
        apart = table.texts_apart(chosen) if hold_texts and table.texts_apart is not None else None
        tell_reading(table.rows, WHOLE_NUMBERS if apart is None else TEXTS, file)
        found = ties_by_batches(table.batches(chosen), names, file, table.rows, node_count, isolated, apart)
        if found is not None:
            return found
    return ties_at_once(table.whole(chosen), names, file, table.size, node_count, isolated)


def table_of(network: Network, file: str) -> pyarrow.Table:
    """The network as a table, with nothing else in it."""
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
