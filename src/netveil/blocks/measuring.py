"""Measure a network in blocks, with the same result as `anonymity_of` in memory.

Tasks count the triangles, on this machine or on a Dask cluster. This process adds up what they find: it
holds some numbers a node, about 100 bytes in all, and never an edge.
"""

from __future__ import annotations

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
from netveil.blocks.counting import (
    Run,
    Task,
    TaskFolders,
    count_edges_at_risk,
    count_on_nodes,
    count_on_ties,
    here,
    name_of,
    parts_of,
    sum_on_ties,
)
from netveil.blocks.manifest import Blocks
from netveil.errors import FileError, SettingError, option
from netveil.files.staging import hidden_folder, sweep
from netveil.studies.pools import DaskPool
from netveil.studies.task import is_loss

TASKS_A_THREAD = 2  # with the cluster at once: one that runs, and one that waits for it
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
        stages = Stages(run, listener, _number_of_tasks(blocks, known))
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
    blocks: Blocks, known: tuple[Known, ...], place: TaskFolders, run: Stages
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
    pairs = len(blocks.pairs)
    return _needs_triangles(known) * len(blocks.triples()) + (None in known) * pairs + pairs


class Stages:
    """Runs tasks stage after stage, and tells a listener which share of all of them is done."""

    def __init__(self, run: Run, listener: Callable[[float], None] | None = None, expected: int = 1) -> None:
        self._run, self._listener, self._expected = run, listener, expected
        self._done = 0

    def __call__(self, tasks: list[Task]) -> Iterator[tuple[Task, Any]]:
        """Each task, once, and what it returned."""
        for number, result in self._run(tasks):
            yield tasks[number], result
            self._done += 1
            if self._listener is not None:
                self._listener(min(1.0, self._done / self._expected))


@contextmanager
def on_cluster(address: str) -> Iterator[Run]:
    """Run tasks on the workers of a scheduler, who see the folder of blocks, as long as the block lasts."""
    with closing(DaskPool(address)) as pool:
        pool.check_workers("the blocks are counted")
        yield lambda tasks: _results(pool, tasks)


def _results(pool: DaskPool, tasks: list[Task]) -> Iterator[tuple[int, Any]]:
    """Yield results of tasks as they are done; the scheduler repeats tasks of lost workers."""
    waiting = iter(enumerate(tasks))
    running: dict[Future[Any], int] = {}
    try:
        while True:
            for number, task in islice(waiting, max(0, TASKS_A_THREAD * pool.workers - len(running))):
                function, arguments = task
                running[pool.call(function, *arguments)] = number
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
