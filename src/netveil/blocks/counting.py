"""Count in blocks: one task for each triple of blocks, which holds the edges of three pairs at most.

A triangle has its corners in one triple of blocks, so it is found by one task. A task is a function of a
folder and numbers, for workers that see the folder; what comes back are numbers for the nodes of its blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from netveil.blocks.manifest import Blocks, Pair, Triple, open_blocks
from netveil.cores import available_cores
from netveil.errors import FileError

Task: TypeAlias = tuple[Callable[..., Any], tuple[Any, ...]]
"""A function and what to call it with."""

Run: TypeAlias = Callable[[list[Task]], Iterator[tuple[int, Any]]]
"""Runs tasks: yields the number of each, once, and what it returned, in any order."""

Counts = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]


def here(tasks: list[Task]) -> Iterator[tuple[int, Any]]:
    """Run tasks on this machine, one after the other; each counts with all cores."""
    for number, (function, arguments) in enumerate(tasks):
        yield number, function(*arguments, threads=available_cores())


def count_triple(folder: str, cutting: str, triple: Triple, threads: int = 1) -> Counts:
    """The triangles of each node of the three blocks that have a corner in each of them."""
    from netveil.kernels.counting.orienting import Rows
    from netveil.kernels.counting.triangles import Found, counted_in_threads

    blocks = _same_cutting(folder, cutting)
    u, v, w = triple
    held: dict[Pair, Rows] = {pair: blocks.rows(pair) for pair in {(u, v), (u, w), (v, w)}}

    def room() -> Found:
        of_u, of_v, of_w = (np.zeros(blocks.size(block), np.int64) for block in triple)
        return Found(of_u, of_v, of_w, np.zeros(len(of_w), np.uint8))

    first, *others = counted_in_threads(held[u, v], held[u, w], held[v, w], room, threads)
    for found in others:
        for counts, more in zip(first[:3], found[:3], strict=True):
            counts += more
    return _narrow(first.of_u), _narrow(first.of_v), _narrow(first.of_w)


def edges_touching(
    folder: str,
    cutting: str,
    pair: Pair,
    rows_meant: NDArray[np.bool_],
    targets_meant: NDArray[np.bool_],
    threads: int = 1,
) -> int:
    """How many edges of a pair of blocks have an end among the nodes that are meant; one thread is enough."""
    rows = _same_cutting(folder, cutting).rows(pair)
    return int(np.count_nonzero(np.repeat(rows_meant, np.diff(rows.offsets)) | targets_meant[rows.targets]))


def triangles_by_rank(
    blocks: Blocks, run: Run, listener: Callable[[float], None] | None = None
) -> NDArray[np.int64]:
    """Triangles through each node (n), by rank: the sum of what the tasks found."""
    triples = blocks.triples()
    triangles = np.zeros(blocks.node_count, np.int64)
    tasks = [(count_triple, (str(blocks.folder.absolute()), blocks.cutting, triple)) for triple in triples]
    for number, counts in _each_once(tasks, run, listener):
        for block, found in zip(triples[number], counts, strict=True):
            triangles[blocks.ranks(block)] += found
    return triangles


def edges_with_an_end(blocks: Blocks, meant: NDArray[np.bool_], run: Run) -> int:
    """How many edges have an end among the nodes that are meant, given by rank (n)."""
    where = (str(blocks.folder.absolute()), blocks.cutting)
    tasks = [
        (edges_touching, (*where, pair, meant[blocks.ranks(pair[0])], meant[blocks.ranks(pair[1])]))
        for pair in blocks.pairs
    ]
    return sum(found for _, found in _each_once(tasks, run))


def _each_once(
    tasks: list[Task], run: Run, listener: Callable[[float], None] | None = None
) -> Iterable[tuple[int, Any]]:
    """What tasks return, each once, whatever became of those that ran them; an error if one is missing."""
    missing = set(range(len(tasks)))
    for number, result in run(tasks):
        missing.remove(number)  # a KeyError, rather than to count anything twice
        yield number, result
        if listener is not None:
            listener(1 - len(missing) / len(tasks))
    if missing:
        raise RuntimeError(f"{len(missing)} of {len(tasks)} tasks have no result")


def _same_cutting(folder: str, cutting: str) -> Blocks:
    """The blocks in a folder, if they are those that are to be counted."""
    blocks = open_blocks(folder)
    if blocks.cutting != cutting:
        raise FileError(
            f"{folder} holds other blocks than those that are being counted: they were cut again meanwhile, "
            f"or another machine has another folder in this place. Measure again, on a disk that all share."
        )
    return blocks


def _narrow(counts: NDArray[np.int64]) -> NDArray[Any]:
    """Counts in 32 bits where they fit, for less to send."""
    return counts.astype(np.int32) if counts.max(initial=0) < 2**31 else counts
