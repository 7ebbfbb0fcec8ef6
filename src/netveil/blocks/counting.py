"""Tasks that count in blocks, each of which holds the edges of three pairs of blocks at most.

The three corners of a triangle are in one triple of blocks, so one task finds it. A task is a function of
places and numbers. What it finds it puts into a file that appears whole or not at all, under a name that
follows from the numbers alone: run twice, because a worker died or seemed to, it puts the same file there
again, so nothing is counted twice. What a task returns is small.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from netveil.blocks.manifest import Blocks, Pair, Triple, open_blocks
from netveil.errors import FileError, SettingError, option
from netveil.threads import available_cores

EDGES_AT_ONCE = 1 << 16

Task: TypeAlias = tuple[Callable[..., Any], tuple[Any, ...]]
"""A function and its arguments."""

Run: TypeAlias = Callable[[list[Task]], Iterator[tuple[int, Any]]]
"""Runs tasks: yields the number of each, once, and what it returned, in any order."""


def here(tasks: list[Task]) -> Iterator[tuple[int, Any]]:
    """Run tasks on this machine, one after the other; each counts with all cores, if it can."""
    for number, (function, arguments) in enumerate(tasks):
        try:
            result = function(*arguments, threads=available_cores())
        except MemoryError:
            raise SettingError(
                f"this machine lacks memory for three blocks at once. Cut the network into more "
                f"({option('number')} of `netveil blocks`)."
            ) from None
        yield number, result


class TaskFolders(NamedTuple):
    """Folder of the blocks and folder for results of tasks: the same paths for all workers."""

    folder: str
    cutting: str  # of the blocks that are meant
    found: str

    @classmethod
    def of(cls, blocks: Blocks, found: Path) -> TaskFolders:
        """Make the folders for these blocks and for results of tasks."""
        return cls(os.fspath(blocks.folder.absolute()), blocks.cutting, os.fspath(found.absolute()))

    def blocks(self) -> Blocks:
        """Open the blocks; FileError if they are not those that are to be counted."""
        blocks = open_blocks(self.folder)
        if blocks.cutting != self.cutting:
            raise FileError(
                f"{self.folder} holds other blocks than those that are being counted: they were cut again "
                f"meanwhile, or another machine has another folder in this place. Measure again, on a disk "
                f"that all share."
            )
        return blocks

    def put(self, name: str, found: NDArray[Any]) -> None:
        """Write an array of results, whole or not at all, in the narrowest type that holds its numbers.

        A file that is there already was written by the same task, and is the same.
        """
        file = Path(self.found, f"{name}.npy")
        part = file.with_name(f"{name}-{secrets.token_hex(6)}.part")
        try:
            with part.open("xb") as stream:
                np.save(stream, narrow(found))
            part.replace(file)
        except OSError as error:
            raise FileError(
                f"{self.found}: what was counted cannot be written there: {error.strerror or error}. It is "
                f"beside the blocks, where all workers must be able to write; make room, or move the blocks."
            ) from None

    def get(self, name: str) -> NDArray[Any]:
        """Map an array that a task has written into memory."""
        file = Path(self.found, f"{name}.npy")
        try:
            found: NDArray[Any] = np.load(file, mmap_mode="r", allow_pickle=False)
        except (OSError, ValueError, EOFError):
            raise FileError(
                f"{file}, which another worker wrote, cannot be read: all must see one disk. Measure again."
            ) from None
        return found

    def forget(self, names: str) -> None:
        """Remove results that no further task needs, by a pattern of names."""
        for file in Path(self.found).glob(f"{names}.npy"):
            file.unlink(missing_ok=True)


def narrow(numbers: NDArray[Any]) -> NDArray[Any]:
    """Whole numbers that are not negative, in as few bytes as hold them.

    >>> narrow(np.array([3, 255])).dtype, narrow(np.array([3, 256])).dtype, narrow(np.array([2**40])).dtype
    (dtype('uint8'), dtype('uint16'), dtype('int64'))
    """
    most = int(numbers.max(initial=0))
    for kind in (np.uint8, np.uint16, np.int32):
        if most <= np.iinfo(kind).max:
            return numbers.astype(kind, copy=False)
    return numbers


def name_of(kind: str, blocks: tuple[int, ...]) -> str:
    """Name of a task's result for some blocks."""
    return "-".join([kind, *map(str, blocks)])


def parts_of(sizes: dict[Any, int], found: NDArray[Any]) -> dict[Any, NDArray[Any]]:
    """Split an array by block or pair.

    >>> parts_of({"a": 1, "b": 2}, np.array([7, 8, 9]))
    {'a': array([7]), 'b': array([8, 9])}
    """
    ends = np.cumsum(list(sizes.values()))[:-1]
    return dict(zip(sizes, np.split(found, ends, axis=-1), strict=True))


def pairs_of(triple: Triple) -> tuple[Pair, ...]:
    """Pairs of blocks that the edges of a triple's triangles are in, each once."""
    u, v, w = triple
    return tuple(dict.fromkeys(((u, v), (u, w), (v, w))))


def count_on_nodes(place: TaskFolders, triple: Triple, threads: int = 1) -> None:
    """Write `nodes-…`: for each node of three blocks, its triangles with a corner in each of them."""
    from netveil.kernels.triangles import TriangleCounts, counted_in_threads

    blocks = place.blocks()
    u, v, w = triple
    held = {pair: blocks.rows(pair) for pair in pairs_of(triple)}

    def room() -> TriangleCounts:
        of_u, of_v, of_w = (np.zeros(blocks.size(block), np.int64) for block in triple)
        return TriangleCounts(of_u, of_v, of_w, np.zeros(len(of_w), np.uint8))

    counts = {block: np.zeros(blocks.size(block), np.int64) for block in triple}
    for found in counted_in_threads(held[u, v], held[u, w], held[v, w], room, threads):
        for block, more in zip(triple, found[:3], strict=True):
            counts[block] += more
    place.put(name_of("nodes", triple), np.concatenate(list(counts.values())))


def count_on_ties(place: TaskFolders, triple: Triple, threads: int = 1) -> None:
    """Write `ties-…`: for each edge of three blocks, its triangles with a corner in each of them."""
    from netveil.kernels.triangle_loops import count_on_edges

    blocks = place.blocks()
    u, v, w = triple
    held = {pair: blocks.rows(pair) for pair in pairs_of(triple)}
    counts = {pair: np.zeros(blocks.pairs[pair], np.int32) for pair in held}
    on = (counts[u, v], counts[u, w], counts[v, w])
    count_on_edges(held[u, v], held[u, w], held[v, w], *on, np.zeros(blocks.size(w), np.int64))
    place.put(name_of("ties", triple), np.concatenate(list(counts.values())))


def sum_on_ties(place: TaskFolders, pair: Pair, key: int, threads: int = 1) -> None:
    """Put `sums-…` (3, nodes of both blocks): sums over each node's edges in a pair of blocks.

    Summed are the triangles on an edge, and two random words for their number, modulo 2^64, drawn from `key`:
    nodes with the same numbers on their edges have the same sums, and others do not (docs/decisions.md).
    """
    blocks = place.blocks()
    triangles = np.zeros(blocks.pairs[pair], np.int32)
    for triple in blocks.triples():
        if pair in pairs_of(triple):
            sizes = {each: blocks.pairs[each] for each in pairs_of(triple)}
            triangles += parts_of(sizes, place.get(name_of("ties", triple)))[pair]
    words = np.random.PCG64(key).random_raw(2 * (int(triangles.max(initial=0)) + 1)).reshape(-1, 2)
    rows = blocks.rows(pair)
    sums = {block: np.zeros((3, blocks.size(block)), np.uint64) for block in pair}
    for start in range(0, len(triangles), EDGES_AT_ONCE):
        part = triangles[start : start + EDGES_AT_ONCE]
        ends = (
            np.searchsorted(rows.offsets, np.arange(start, start + len(part)), side="right") - 1,
            rows.targets[start : start + EDGES_AT_ONCE],
        )
        for number, summed in enumerate((part.astype(np.uint64), *words[part].T)):
            for block, nodes in zip(pair, ends, strict=True):
                np.add.at(sums[block][number], nodes, summed)
    place.put(name_of("sums", pair), np.concatenate(list(sums.values()), axis=1))


def count_edges_at_risk(place: TaskFolders, pair: Pair, threads: int = 1) -> int:
    """Number of edges of a pair of blocks with an end at risk, which `risk` (n, by rank) tells."""
    blocks = place.blocks()
    rows = blocks.rows(pair)
    of_row, of_target = (place.get("risk")[blocks.ranks(block)].astype(bool) for block in pair)
    return int(np.count_nonzero(np.repeat(of_row, np.diff(rows.offsets)) | of_target[rows.targets]))
