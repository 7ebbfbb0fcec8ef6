"""Tables of pyarrow, one tie a row: what Parquet and Arrow files hold once they are open.

No loop goes over ties. Labels are text, as from every table:
the number 1 is the label 1. Nodes have the order that an edge list of the same rows would give them.

Written are the columns `source` and `target`. Where the nodes are numbered, the file's metadata have their
number under `netveil.nodes`. Else somebody without ties has a row without target, and `netveil.isolated` says
how many rows are such; in a file without that, a cell without a value is a mistake.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from netveil.errors import FileError, option
from netveil.files.asked import Columns
from netveil.files.bounds import most_unpacked, unpacks_to_too_much
from netveil.files.extra import imported
from netveil.files.format import Extras
from netveil.files.labels import is_numbered, label_texts
from netveil.files.tables.people import Chosen, chosen_columns
from netveil.files.text import MOST_NODES, most_announced
from netveil.files.tied_labels import first_numbered, rows_in_order
from netveil.kernels.arrays import IntMatrix, index_type
from netveil.network import Network
from netveil.reading import Reading
from netveil.words import counted

if TYPE_CHECKING:
    import pyarrow

EXTRA = "parquet"
"""The extra of netveil that brings pyarrow."""

NODES = b"netveil.nodes"
ISOLATED = b"netveil.isolated"
OURS = (NODES, ISOLATED)
MANY = 100_000
"""Rows from which on it is worth while to load the kernel that numbers them with little memory."""
_INDEX = re.compile(r"__index_level_\d++__")  # what pandas calls the numbers of its rows


def network_from_table(
    schema: pyarrow.Schema,
    two_columns: Callable[[Chosen], tuple[Any, Any]],
    file: str,
    format_name: str,
    columns: Columns | None,
    size: int,
) -> Network:
    """Network from a table of these columns; `two_columns` reads those that are chosen.

    `size` is that of the file.
    """
    people = [place for place, name in enumerate(schema.names) if not _INDEX.fullmatch(name)]
    chosen = chosen_columns(schema.names, file, columns, people)
    ends = [
        _checked(column, name, file, size)
        for column, name in zip(two_columns(chosen), chosen.names, strict=True)
    ]
    node_count = _announced(schema, NODES, file, size)
    isolated = _announced(schema, ISOLATED, file, size) or 0
    if node_count is not None:
        labels, pairs = None, _numbers(ends, node_count, file)
    elif len(ends[0]):
        labels, pairs = _labelled(_filled(ends, chosen, isolated, file), file)
    else:
        raise FileError(f"{file} holds no ties: its table has no rows. Write one tie a row.")
    further = [counted(len(schema.names) - 2, "further column")] if len(schema.names) > 2 else []
    notes = (f"{format_name}: {counted(len(pairs), 'row')}", *(f"{each} ignored" for each in further))
    count = len(labels) if labels is not None else node_count or 0
    network = Network.from_numbered_edges(pairs, count, labels, notes=notes)
    if isolated:  # their rows were made loops, but were none
        network = replace(
            network, dropped=replace(network.dropped, self_loops=network.dropped.self_loops - isolated)
        )
    first = first_numbered(network, pairs)
    reading = Reading(format_name, None, chosen.names, None, None, first, tuple(further))
    return replace(network, reading=reading)


def _checked(column: pyarrow.ChunkedArray, name: str, file: str, size: int) -> pyarrow.ChunkedArray:
    """A column of people, as whole numbers or texts."""
    arrow = imported("pyarrow", EXTRA, file)
    kind = column.type
    try:
        column.validate(full=True)
        if arrow.types.is_dictionary(kind):
            _check_unpacked(column, file, size)
            column = column.cast(kind.value_type)
            kind = column.type
        if arrow.types.is_integer(kind):
            return column
        if arrow.types.is_floating(kind):  # as pandas makes whole numbers where some are missing
            return column.cast(arrow.int64())
        if str(kind) in ("string", "large_string", "string_view"):
            return column.cast(arrow.large_string())
    except (arrow.ArrowException, ValueError):
        rule = f"column {name} holds what is neither text nor whole numbers"
        raise FileError(f"{file}: {rule}. Name the columns of people with {option('columns')}.") from None
    rule = f"column {name} holds values of type {kind}, and people are called by text or whole numbers"
    raise FileError(f"{file}: {rule}. Name the columns of people with {option('columns')}.")


def _check_unpacked(column: pyarrow.ChunkedArray, file: str, size: int) -> None:
    """Raise if a column that names each of its texts once would be too large with each in its place."""
    arrow = imported("pyarrow", EXTRA, file)
    compute = imported("pyarrow.compute", EXTRA, file)
    if str(column.type.value_type) not in ("string", "large_string"):
        return
    lengths = [
        compute.binary_length(chunk.dictionary).cast(arrow.int64()).take(chunk.indices)
        for chunk in column.chunks
    ]
    if sum(compute.sum(each).as_py() or 0 for each in lengths) > most_unpacked(size):
        raise unpacks_to_too_much(file, size, most_unpacked(size))


def _announced(schema: pyarrow.Schema, key: bytes, file: str, size: int) -> int | None:
    """The number under a key of ours in the metadata, if it is there."""
    text = (schema.metadata or {}).get(key)
    if text is None:
        return None
    if not text.isdigit() or len(text) > 10 or int(text) > min(MOST_NODES, most_announced(size)):
        raise FileError(f"{file}: its metadata {key.decode()} is no number of nodes. Write the file again.")
    return int(text)


def _numbers(ends: list[Any], node_count: int, file: str) -> IntMatrix:
    """Both columns as node numbers, which they must be."""
    arrow = imported("pyarrow", EXTRA, file)
    rule = f"{NODES.decode()} in its metadata asks for whole numbers from 0 to {node_count - 1}"
    for column in ends:
        if not arrow.types.is_integer(column.type) or column.null_count:
            raise FileError(f"{file}: {rule}. Write the file again.")
    pairs = np.empty((len(ends[0]), 2), dtype=index_type(node_count))
    for place, column in enumerate(ends):
        numbers = column.to_numpy()
        if len(numbers) and (numbers.min() < 0 or numbers.max() >= node_count):
            wrong = [np.flatnonzero((each < 0) | (each >= node_count)) for each in map(np.asarray, ends)]
            row = int(np.concatenate(wrong).min()) + 1
            raise FileError(f"{file}, row {row}: {rule}. Correct either of the two.")
        pairs[:, place] = numbers
    return pairs


def _filled(ends: list[Any], chosen: Chosen, isolated: int, file: str) -> list[Any]:
    """The columns without a gap: somebody who has no ties is made her own contact."""
    arrow = imported("pyarrow", EXTRA, file)
    compute = imported("pyarrow.compute", EXTRA, file)
    if isolated == ends[1].null_count > 0:
        ends = [ends[0], compute.if_else(ends[1].is_null(), ends[0].cast(ends[1].type), ends[1])]
    for column, name in zip(ends, chosen.names, strict=True):
        empty = column.is_null()
        if arrow.types.is_large_string(column.type):
            empty = compute.or_(empty, compute.equal(column, ""))
        gaps = np.flatnonzero(empty.fill_null(True).to_numpy())
        if len(gaps):
            rule = f"column {name} has no value there, and a tie needs two people"
            raise FileError(f"{file}, row {gaps[0] + 1}: {rule}. Leave the row out, or fill it.")
    return ends


def _labelled(ends: list[Any], file: str) -> tuple[tuple[str, ...], IntMatrix]:
    """The labels in the order in which they are first met row by row, and both columns as node numbers."""
    arrow = imported("pyarrow", EXTRA, file)
    if ends[0].type != ends[1].type:
        # Not every number of 64 bits without a sign is one with a sign.
        text = any(column.type in (arrow.large_string(), arrow.uint64()) for column in ends)
        ends = [column.cast(arrow.large_string() if text else arrow.int64()) for column in ends]
    if len(ends[0]) >= MANY and ends[0].type in (arrow.int32(), arrow.int64()):
        found = _labelled_by_numbers(ends)
        if found is not None:
            return found
    both = arrow.chunked_array([*ends[0].chunks, *ends[1].chunks], type=ends[0].type).combine_chunks()
    encoded = both.dictionary_encode()
    codes = encoded.indices.to_numpy().astype(np.int64).reshape(2, -1).T
    first_met = np.empty(len(encoded.dictionary), dtype=np.int64)
    first_met[codes.ravel()[::-1]] = np.arange(codes.size)[
        ::-1
    ]  # the last one assigned is the first in the file
    order = np.argsort(first_met)
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.arange(len(order))
    labels = encoded.dictionary.take(arrow.array(order)).cast(arrow.large_string()).to_pylist()
    return tuple(labels), number[codes]


def _labelled_by_numbers(ends: list[Any]) -> tuple[tuple[str, ...], IntMatrix] | None:
    """The same for many whole numbers, with little memory; None if they were made to take long."""
    from netveil.kernels.cell_codes import number_numbers

    pairs = np.empty((len(ends[0]), 2), dtype=np.int32)
    numbers = number_numbers(ends[0].to_numpy(), ends[1].to_numpy(), pairs)
    return (tuple(map(str, numbers.tolist())), pairs) if len(numbers) else None


def table_of(network: Network, file: str) -> pyarrow.Table:
    """The network as a table, with nothing else in it."""
    arrow = imported("pyarrow", EXTRA, file)
    if is_numbered(network):
        kind = arrow.from_numpy_dtype(network.edges.dtype)
        columns = [arrow.array(ends, type=kind) for ends in network.edges.T]
        metadata = {NODES: str(network.node_count).encode()}
    else:
        texts = _as_numbers(arrow.array(label_texts(network, file), type=arrow.string()), file)
        pairs = rows_in_order(network, isolated=True)
        alone = pairs[:, 0] == pairs[:, 1]
        columns = [texts.take(arrow.array(pairs[:, 0])), texts.take(arrow.array(pairs[:, 1], mask=alone))]
        metadata = {ISOLATED: str(np.count_nonzero(alone)).encode()} if alone.any() else {}
    return arrow.table(columns, names=["source", "target"]).replace_schema_metadata(metadata or None)


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
