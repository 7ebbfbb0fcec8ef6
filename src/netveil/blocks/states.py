"""The states of nodes in blocks, part by part: what each attacker knows of each node, and who is alike there.

A part is a range of nodes of one block. Of each part the different states are written, each once with how
many nodes have it, in an order by which those that may be equal to states of other parts are found: states
are spread over partitions by a hash, and `classes` compares those of a partition, number by number.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from netveil.blocks.manifest import Blocks, Pair
from netveil.blocks.tasks import Place
from netveil.errors import FileError

BYTES_OF_A_NODE, BYTES_OF_AN_END = 150, 40  # that a part takes, for each of its nodes and ends of edges
LEAST_BYTES_OF_A_PART = 1 << 22
MOST_PARTITIONS = 1024
EDGES_AT_ONCE = 1 << 16

Known: TypeAlias = tuple[tuple[int, int], ...] | None
"""What an attacker knows: numbers, each so many times the degree and so many times the triangles; None for
the triangles on each edge of a node, as a multiset."""

RowsOfStates: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int64]]
"""The state of node i is values[offsets[i]:offsets[i + 1]]: offsets, values."""


class Part(NamedTuple):
    """Some nodes of a block: ranks first..last-1."""

    number: int
    block: int
    first: int
    last: int


def parts_of(blocks: Blocks, with_ties: bool) -> list[Part]:
    """All nodes in parts that take about as much memory as counting in three blocks does at most."""
    most = max(map(blocks.bytes_of, blocks.triples()), default=0)
    bound = max(LEAST_BYTES_OF_A_PART, most)
    degrees = blocks.degrees()
    parts: list[Part] = []
    for block in range(blocks.block_count):
        ranks = blocks.ranks(block)
        if not blocks.size(block):
            continue
        of_each = BYTES_OF_A_NODE + BYTES_OF_AN_END * degrees[ranks].astype(np.int64) * with_ties
        part_of = (np.cumsum(of_each) - 1) // bound
        firsts = ranks.start + np.flatnonzero(np.diff(part_of, prepend=-1))
        for first, last in zip(firsts.tolist(), [*firsts[1:].tolist(), ranks.stop], strict=True):
            parts.append(Part(len(parts), block, first, last))
    return parts


def find_states(
    place: Place, part: Part, known: tuple[Known, ...], with_ties: bool, partitions: int, threads: int = 1
) -> None:
    """Put the different states of a part, to each attacker, and which of them each node has.

    `with_ties` says that triangles were counted on edges, else on nodes. One thread is enough.
    """
    blocks = place.blocks()
    degrees = blocks.degrees_between(part.first, part.last).astype(np.int64)
    on_ties = _triangles_on_ties(blocks, place, part, degrees) if with_ties else None
    triangles = np.zeros(0, np.int64)
    if on_ties is not None:
        before = np.concatenate(([0], np.cumsum(on_ties[1])))
        triangles = np.diff(before[on_ties[0]]) // 2  # a triangle is on two edges of each of its nodes
    elif any(per_triangle for each in known if each is not None for _, per_triangle in each):
        first = part.first - blocks.first_ranks[part.block]
        triangles = place.get(f"triangles-{part.block}")[first : first + len(degrees)].astype(np.int64)
    for attacker, numbers in enumerate(known):
        if numbers is None:
            assert on_ties is not None
            put_states(place, str(attacker), part, on_ties, partitions)
        else:
            columns = [
                per_degree * degrees + (per_triangle * triangles if per_triangle else 0)
                for per_degree, per_triangle in numbers
            ]
            put_states(place, str(attacker), part, rows_of_columns(columns), partitions)


def rows_of_columns(columns: list[NDArray[np.int64]]) -> RowsOfStates:
    """Rows of one length, from the numbers that stand in each place of them."""
    values = np.column_stack(columns)
    return np.arange(len(values) + 1) * values.shape[1], np.ascontiguousarray(values).ravel()


def put_states(place: Place, attacker: str, part: Part, rows: RowsOfStates, partitions: int) -> None:
    """Put the different states of a part, those of each partition together, and which of them each node has.

    `states-…`: all numbers of the states; `lengths-…`: how many each has; `often-…`: how many nodes have it;
    `bounds-…` (2, partitions + 1): where states and numbers of each partition begin; `state-of-…` (nodes).
    """
    from netveil.kernels.counting.multisets import classes_of_rows, hashes_of_rows

    offsets, values = rows
    class_of, classes = classes_of_rows(offsets, values)
    first_of = np.empty(classes, np.int64)
    first_of[class_of[::-1]] = np.arange(len(class_of))[::-1]  # the last one assigned is the first
    distinct = _taken(offsets, values, first_of)
    frozen = distinct[0].view()
    frozen.setflags(write=False)  # as those of a network are, or the kernel would be compiled for both
    partition_of = (hashes_of_rows(frozen, distinct[1]) >> np.uint64(32)) % np.uint64(partitions)
    order = np.argsort(partition_of, kind="stable")
    state_of = np.empty(classes, np.int64)
    state_of[order] = np.arange(classes)
    offsets, values = _taken(*distinct, order)
    begins = np.searchsorted(partition_of[order], np.arange(partitions + 1, dtype=np.uint64))
    name = f"{attacker}-{part.number}"
    place.put(f"states-{name}", values)
    place.put(f"lengths-{name}", np.diff(offsets))
    place.put(f"often-{name}", np.bincount(class_of, minlength=classes)[order])
    place.put(f"bounds-{name}", np.stack((begins, offsets[begins])))
    place.put(f"state-of-{name}", state_of[class_of])


def _taken(offsets: NDArray[np.int64], values: NDArray[np.int64], chosen: NDArray[np.int64]) -> RowsOfStates:
    """Some of the rows, in the order in which they are named."""
    lengths = np.diff(offsets)[chosen]
    taken = np.concatenate(([0], np.cumsum(lengths)))
    shift = np.repeat(offsets[:-1][chosen] - taken[:-1], lengths)
    shift += np.arange(len(shift))
    return taken, values[shift]


def _triangles_on_ties(blocks: Blocks, place: Place, part: Part, degrees: NDArray[np.int64]) -> RowsOfStates:
    """The triangles on each edge of each node of a part, in ascending order."""
    keys = np.empty(int(degrees.sum()), np.int64)  # a node in the upper 32 bits, triangles in the lower ones
    filled = 0
    first = part.first - blocks.first_ranks[part.block]
    last = part.last - blocks.first_ranks[part.block]
    for pair in blocks.pairs:
        if part.block in pair:
            for nodes, triangles in _ends_in(blocks, place, pair, part.block, first, last):
                if filled + len(nodes) > len(keys):
                    raise _unlike(blocks)
                keys[filled : filled + len(nodes)] = (nodes << 32) | triangles
                filled += len(nodes)
    if filled < len(keys):
        raise _unlike(blocks)
    keys.sort()
    keys &= 0xFFFF_FFFF
    return np.concatenate(([0], np.cumsum(degrees))), keys


def _ends_in(
    blocks: Blocks, place: Place, pair: Pair, block: int, first: int, last: int
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """The edges of a pair with an end among nodes first..last-1 of a block: that end, and the triangles."""
    triangles = place.get(f"triangles-{pair[0]}-{pair[1]}")
    if pair[0] == block:
        offsets = blocks.offsets(pair)
        begin, end = offsets[[first, last]].tolist()
        for start in range(begin, end, EDGES_AT_ONCE):
            edges = np.arange(start, min(start + EDGES_AT_ONCE, end))
            row = np.searchsorted(offsets, edges, side="right") - 1
            yield row - first, triangles[edges].astype(np.int64)
    if pair[1] == block:
        rows = blocks.rows(pair)
        for start in range(0, len(rows.targets), EDGES_AT_ONCE):
            targets = rows.targets[start : start + EDGES_AT_ONCE]
            chosen = np.flatnonzero((targets >= first) & (targets < last))
            yield (
                targets[chosen].astype(np.int64) - first,
                triangles[start : start + EDGES_AT_ONCE][chosen].astype(np.int64),
            )


def _unlike(blocks: Blocks) -> FileError:
    return FileError(
        f"{blocks.folder}: degrees and edges differ; cut the network again with `netveil blocks`."
    )
