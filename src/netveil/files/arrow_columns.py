"""Two columns of a table of pyarrow as ties, all rows at once: texts, whole numbers or both.

No loop goes over ties. What is wrong with a column is told here, for `arrow_batches` as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from netveil.errors import FileError, option
from netveil.files.bounds import most_unpacked, unpacks_to_too_much
from netveil.files.extra import imported
from netveil.kernels.arrays import IntMatrix, index_type

if TYPE_CHECKING:
    import pyarrow

EXTRA = "parquet"
"""The extra of netveil that brings pyarrow."""

NODES = b"netveil.nodes"
"""The number of nodes in the metadata of a file of ours, where ties are by node numbers."""


class Ties(NamedTuple):
    """What a table holds."""

    pairs: IntMatrix  # (rows, 2): node numbers
    labels: Sequence[str] | None  # None where they are the numbers
    filled: int = 0  # rows with one person, who has no ties and is made her own contact


def ties_at_once(
    columns: Sequence[pyarrow.ChunkedArray],
    names: Sequence[str],
    file: str,
    size: int,
    node_count: int | None,
    isolated: int,
) -> Ties:
    """The ties in two columns, in a file of `size` bytes; `isolated` rows lack a second person, if all do.

    With a `node_count`, columns hold node numbers.
    """
    ends = [_checked(column, name, file, size) for column, name in zip(columns, names, strict=True)]
    if node_count is not None:
        return Ties(_numbers(ends, node_count, file), None)
    filled = isolated if isolated == ends[1].null_count else 0
    labels, pairs = _labelled(_filled(_alike(ends, file), names, filled, file), file)
    return Ties(pairs, labels, filled)


def no_whole_numbers(file: str, name: str) -> FileError:
    """Error for a column of fractions or worse."""
    rule = f"column {name} holds what is neither text nor whole numbers"
    return FileError(f"{file}: {rule}. Name the columns of people with {option('columns')}.")


def no_value(file: str, name: str, row: int) -> FileError:
    """Error for a row, counted from 0, without one of its people."""
    rule = f"column {name} has no value there, and a tie needs two people"
    return FileError(f"{file}, row {row + 1}: {rule}. Leave the row out, or fill it.")


def no_node(file: str, node_count: int, row: int | None) -> FileError:
    """Error for a row, counted from 0, that holds no numbers of nodes; for a column if that is None."""
    rule = f"{NODES.decode()} in its metadata asks for whole numbers from 0 to {node_count - 1}"
    if row is None:
        return FileError(f"{file}: {rule}. Write the file again.")
    return FileError(f"{file}, row {row + 1}: {rule}. Correct either of the two.")


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
        raise no_whole_numbers(file, name) from None
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


def _numbers(ends: list[Any], node_count: int, file: str) -> IntMatrix:
    """Both columns as node numbers, which they must be."""
    arrow = imported("pyarrow", EXTRA, file)
    for column in ends:
        if not arrow.types.is_integer(column.type) or column.null_count:
            raise no_node(file, node_count, None)
    pairs = np.empty((len(ends[0]), 2), dtype=index_type(node_count))
    for place, column in enumerate(ends):
        numbers = column.to_numpy()
        if len(numbers) and (numbers.min() < 0 or numbers.max() >= node_count):
            wrong = [np.flatnonzero((each < 0) | (each >= node_count)) for each in map(np.asarray, ends)]
            raise no_node(file, node_count, int(np.concatenate(wrong).min()))
        pairs[:, place] = numbers
    return pairs


def _alike(ends: list[Any], file: str) -> list[Any]:
    """Both columns with one type, that of texts if they have none in common."""
    arrow = imported("pyarrow", EXTRA, file)
    if ends[0].type == ends[1].type:
        return ends
    # Not every number of 64 bits without a sign is one with a sign.
    text = any(column.type in (arrow.large_string(), arrow.uint64()) for column in ends)
    return [column.cast(arrow.large_string() if text else arrow.int64()) for column in ends]


def _filled(ends: list[Any], names: Sequence[str], filled: int, file: str) -> list[Any]:
    """The columns without a gap: of those who are `filled`, everybody is made her own contact."""
    arrow = imported("pyarrow", EXTRA, file)
    compute = imported("pyarrow.compute", EXTRA, file)
    if filled:
        ends = [ends[0], compute.if_else(ends[1].is_null(), ends[0], ends[1])]
    for column, name in zip(ends, names, strict=True):
        empty = column.is_null()
        if arrow.types.is_large_string(column.type):
            empty = compute.or_(empty, compute.equal(column, ""))
        gaps = np.flatnonzero(empty.fill_null(True).to_numpy())
        if len(gaps):
            raise no_value(file, name, int(gaps[0]))
    return ends


def _labelled(ends: list[Any], file: str) -> tuple[tuple[str, ...], IntMatrix]:
    """The labels in the order in which they are first met row by row, and both columns as node numbers."""
    arrow = imported("pyarrow", EXTRA, file)
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
