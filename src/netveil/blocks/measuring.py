"""Measure a network in blocks, with the same result as `anonymity_of` in memory.

Tasks count the triangles, on this machine or on a Dask cluster, each in three pairs of blocks at most. This
process adds up what they find: it holds some numbers a node, about 100 bytes in all, and never an edge.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from contextlib import ExitStack, closing, contextmanager, nullcontext
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from netveil.anonymity import Anonymity, Attacker, Attackers, checked_k
from netveil.anonymity.degree_distribution import DegreeDistribution
from netveil.anonymity.partition import anonymity_from_states
from netveil.blocks.cutting import Blocks, Pair, Triple, open_blocks
from netveil.errors import FileError, SettingError, option
from netveil.files.staging import hidden_folder, sweep
from netveil.studies.pools import DaskPool
from netveil.studies.task import is_loss
from netveil.threads import available_cores

SECONDS_BETWEEN_LOOKS = 2.0  # at whether the cluster still has workers

Known: TypeAlias = tuple[tuple[int, int], ...] | None
"""An attacker's numbers of a node, each so many times its degree and so many times its triangles; None for
the triangles on each of its edges, as a multiset."""


class BlockAnonymity(NamedTuple):
    """Result of measuring a network in blocks."""

    anonymity: Anonymity  # nodes are those of the network that was cut
    edges_at_risk: int  # edges with an end at risk


def measure_blocks(
    blocks: Blocks,
    attackers: Attackers,
    *,
    dask: str | None = None,
    listener: Callable[[float], None] | None = None,
) -> BlockAnonymity:
    """Measure a network in blocks: on this machine, or with the workers of a Dask scheduler.

    Only for attackers who count a person's contacts, or the ties among them; others need the network. A task
    takes about what `Blocks.bytes_of` says. Meanwhile, what tasks find is in a hidden folder beside the
    blocks.
    """
    known = tuple(map(_known, attackers.each))
    k = checked_k(attackers.k, blocks.node_count)
    with nullcontext(here) if dask is None else on_cluster(dask) as run, _folder_beside(blocks) as found:
        place = TaskFolders.of(blocks, found)
        stages = run if listener is None else told(run, listener, _number_of_tasks(blocks, known))
        degrees = blocks.degrees().astype(np.int64)
        triangles, sums = _counted(blocks, known, place, stages)
        nodes = blocks.nodes()
        anonymity = anonymity_from_states(
            blocks, attackers.each, (_states(each, degrees, triangles, sums, nodes) for each in known), k
        )
        place.put("risk", anonymity.nodes_at_risk[nodes])
        touching = stages([(count_edges_at_risk, (place, pair)) for pair in blocks.pairs])
        return BlockAnonymity(anonymity, sum(count for _, count in touching))


def _known(attacker: Attacker) -> Known:
    """How an attacker's states follow from degrees and triangles; SettingError if they do not."""
    parts = attacker.measure.parts(attacker.distance)
    knows_ties = isinstance(attacker.measure, DegreeDistribution) and attacker.distance == 1
    if len(parts) != 1 or (parts[0].weights is None and not knows_ties):
        raise SettingError(
            f"{attacker.name} cannot be measured in blocks, only degree, count, edge-count and "
            f"degree-distribution at distance 1; choose one of them, or leave {option('blocks')} out on a "
            f"machine that has room for the network."
        )
    if attacker.twins:
        raise SettingError(
            f"twins cannot be told in blocks; leave {option('twins', True)} out, or {option('blocks')}."
        )
    weights = parts[0].weights
    return None if weights is None else tuple(each for each in weights.numbers if each != (0, 0))


def _counted(
    blocks: Blocks, known: tuple[Known, ...], place: TaskFolders, run: Run
) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """Triangles of each node (n), and sums of two words over its edges (2, n); by rank, 0 if nobody asks."""
    triangles = np.zeros(blocks.node_count, np.int64)
    sums = np.zeros((3, blocks.node_count if None in known else 0), np.uint64)
    if None in known:
        for _ in run([(count_on_ties, (place, triple)) for triple in blocks.triples()]):
            pass
        key = secrets.randbits(128)  # so that nobody can prepare edges whose sums are those of others
        for (_, (_, pair, _)), _ in run([(sum_on_ties, (place, pair, key)) for pair in blocks.pairs]):
            for block, found in _found(blocks, place, "sums", pair):
                sums[:, blocks.ranks(block)] += found.astype(np.uint64)
        triangles += (sums[0] // 2).astype(np.int64)  # a triangle is on two edges of each of its nodes
    elif _needs_triangles(known):
        for (_, (_, triple)), _ in run([(count_on_nodes, (place, triple)) for triple in blocks.triples()]):
            for block, found in _found(blocks, place, "nodes", triple):
                triangles[blocks.ranks(block)] += found
    place.forget("*")
    return triangles, sums[1:]


def _found(
    blocks: Blocks, place: TaskFolders, kind: str, within: tuple[int, ...]
) -> Iterator[tuple[int, NDArray[Any]]]:
    """Read a task's result on the nodes of some blocks, block by block, and remove its file."""
    name = name_of(kind, within)
    yield from parts_of({block: blocks.size(block) for block in within}, place.get(name)).items()
    place.forget(name)


def _states(
    known: Known,
    degrees: NDArray[np.int64],
    triangles: NDArray[np.int64],
    sums: NDArray[np.uint64],
    nodes: NDArray[np.int32],
) -> NDArray[np.int64]:
    """States to an attacker, one row a node; what is counted is by rank, and `nodes` are in that order."""
    if known is None:
        columns = list(sums.view(np.int64))
    else:
        columns = [per_degree * degrees + per_triangle * triangles for per_degree, per_triangle in known]
    states = np.empty((len(degrees), len(columns)), np.int64)
    states[nodes] = np.column_stack(columns)
    return states


def _needs_triangles(known: tuple[Known, ...]) -> bool:
    return any(each is None or any(per_triangle for _, per_triangle in each) for each in known)


def _number_of_tasks(blocks: Blocks, known: tuple[Known, ...]) -> int:
    return _needs_triangles(known) * len(blocks.triples()) + (1 + (None in known)) * len(blocks.pairs)


def told(run: Run, listener: Callable[[float], None], expected: int) -> Run:
    """Run tasks, stage after stage, and tell a listener which share of all of them is done."""
    done = 0

    def stage(tasks: list[Task]) -> Iterator[tuple[Task, Any]]:
        nonlocal done
        for found in run(tasks):
            yield found
            done += 1
            listener(min(1.0, done / expected))

    return stage


@contextmanager
def on_cluster(address: str) -> Iterator[Run]:
    """Run tasks on the workers of a scheduler, who see the folder of blocks, as long as the block lasts."""
    with closing(DaskPool(address)) as pool:
        pool.check_workers("the blocks are counted")
        yield lambda tasks: _results(pool, tasks)


def _results(pool: DaskPool, tasks: list[Task]) -> Iterator[tuple[Task, Any]]:
    """Yield results of tasks as they are done; the scheduler repeats tasks of lost workers."""
    waiting, running = iter(tasks), dict[Future[Any], Task]()
    try:
        while True:
            for task in islice(waiting, max(0, pool.at_once - len(running))):
                running[pool.call(task[0], *task[1])] = task
            if not running:
                return
            done, _ = wait(running, SECONDS_BETWEEN_LOOKS, FIRST_COMPLETED)
            for future in done:
                yield running.pop(future), _result(pool, future)
    finally:
        for future in running:  # where nobody wants the rest
            future.cancel()


def _result(pool: DaskPool, future: Future[Any]) -> Any:
    try:
        return future.result()
    except (Exception, CancelledError) as error:
        if is_loss(error):
            raise pool.gone() from None
        if isinstance(error, MemoryError) or type(error).__name__ == "KilledWorker":  # of Dask
            raise SettingError(
                f"{option('dask', pool.address)}: a worker lacks memory, or workers died several times over "
                f"the same blocks. Give them more, or cut the network into more blocks "
                f"({option('number')} of `netveil blocks`)."
            ) from None
        raise


@contextmanager
def _folder_beside(blocks: Blocks) -> Iterator[Path]:
    """Hidden folder beside the blocks, on the disk that workers see; gone in the end."""
    folder = blocks.folder.absolute()
    sweep(folder.parent, folder.name)
    with ExitStack() as stack:
        try:
            hidden = stack.enter_context(hidden_folder(folder))
        except OSError as error:
            raise FileError(
                f"{folder.parent} cannot be written: {error.strerror or error}. What is counted is kept "
                f"there meanwhile, beside the blocks: move them to a folder of your own."
            ) from None
        yield hidden


# Tasks.
#
# The three corners of a triangle are in one triple of blocks, so one task finds it. A task is a function of
# places and numbers. What it finds it puts into a file that appears whole or not at all, under a name that
# follows from the numbers alone: run twice, because a worker died or seemed to, it puts the same file there
# again, so nothing is counted twice. What a task returns is small.


EDGES_AT_ONCE = 1 << 16

Task: TypeAlias = tuple[Callable[..., Any], tuple[Any, ...]]
"""A function and its arguments."""

Run: TypeAlias = Callable[[list[Task]], Iterator[tuple[Task, Any]]]
"""Runs tasks: yields each of them, once, and what it returned, in any order."""


def here(tasks: list[Task]) -> Iterator[tuple[Task, Any]]:
    """Run tasks on this machine, one after the other; each counts with all cores, if it can."""
    for task in tasks:
        try:
            result = task[0](*task[1], threads=available_cores())
        except MemoryError:
            raise SettingError(
                f"this machine lacks memory for three blocks at once. Cut the network into more "
                f"({option('number')} of `netveil blocks`)."
            ) from None
        yield task, result


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
