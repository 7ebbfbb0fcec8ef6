"""Who can be singled out in a network that is in blocks: what `anonymity_of` says of it in one memory."""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from contextlib import ExitStack, contextmanager, nullcontext
from itertools import islice
from pathlib import Path
from typing import Any

from netveil.anonymity import Attacker, Attackers, checked_k
from netveil.anonymity.degree_distribution import DegreeDistribution
from netveil.blocks.counting import (
    MOST_PARTITIONS,
    Asked,
    BlockAnonymity,
    Known,
    Part,
    Place,
    Run,
    Sizes,
    Stages,
    Task,
    count_triangles_on_nodes,
    count_triangles_on_ties,
    edges_touching,
    find_classes,
    find_states,
    find_states_to_all,
    here,
    judge_part,
    pairs_of,
    parts_of,
    place_for,
    sort_states,
    summed,
)
from netveil.blocks.manifest import Blocks
from netveil.errors import FileError, SettingError, option
from netveil.files.staging import hidden_folder, sweep
from netveil.studies import LostCluster
from netveil.studies.pools import DaskPool
from netveil.studies.task import is_loss

# Tasks on a Dask cluster, whose workers see the folder of blocks.


TASKS_A_THREAD = 2  # with the cluster at once: one that runs, and one that waits for it
SECONDS_BETWEEN_LOOKS = 2.0  # at whether the cluster still has workers


@contextmanager
def on_cluster(address: str) -> Iterator[Run]:
    """Runs tasks on the workers of a scheduler, as long as the block lasts."""
    pool = DaskPool(address)
    try:
        pool.check_workers("the blocks are counted")

        def run(tasks: list[Task]) -> Iterator[tuple[int, Any]]:
            return _results(pool, tasks)

        yield run
    finally:
        pool.close()


def _results(pool: DaskPool, tasks: list[Task]) -> Iterator[tuple[int, Any]]:
    """What tasks return, as they are done. The scheduler runs those again whose worker is lost."""
    waiting = iter(enumerate(tasks))
    running: dict[Future[Any], int] = {}
    try:
        while True:
            for number, task in islice(waiting, max(0, TASKS_A_THREAD * pool.workers - len(running))):
                running[_submitted(pool, task)] = number
            if not running:
                return
            done, _ = wait(running, SECONDS_BETWEEN_LOOKS, FIRST_COMPLETED)
            for future in done:
                yield running.pop(future), _result(pool, future)
    finally:
        for future in running:  # where nobody wants the rest
            future.cancel()


def _submitted(pool: DaskPool, task: Task) -> Future[Any]:
    function, arguments = task
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Sending large graph")
        try:
            # pure=False: the same task of another run must not be answered from memory.
            return pool.executor.submit(function, *arguments, pure=False)
        except Exception as error:  # of a kind that differs from one version of Dask to the next
            if isinstance(error, OSError | RuntimeError) or pool.client.status != "running":
                raise _gone(pool) from None
            raise


def _result(pool: DaskPool, future: Future[Any]) -> Any:
    try:
        return future.result()
    except (Exception, CancelledError) as error:
        if is_loss(error):
            raise _gone(pool) from None
        is_short = isinstance(error, MemoryError)
        if is_short or type(error).__name__ == "KilledWorker":  # of Dask, several times for the same task
            why = (
                "a worker lacks memory"
                if is_short
                else "workers died several times over the same blocks; they may lack memory"
            )
            raise SettingError(
                f"{option('dask', pool.address)}: {why}. Give them more, or cut the network into more blocks "
                f"({option('number')} of `netveil blocks`)."
            ) from None
        raise


def _gone(pool: DaskPool) -> LostCluster:
    return LostCluster(f"the Dask scheduler {pool.address} is gone")


def measure_blocks(
    blocks: Blocks,
    attackers: Attackers,
    *,
    dask: str | None = None,
    listener: Callable[[float], None] | None = None,
) -> BlockAnonymity:
    """Who is at risk, counted block by block: on this machine, or by the workers of a Dask scheduler.

    Only for attackers who count a person's contacts, or the ties among them; others need the network. A task
    takes about what `Blocks.bytes_of` says, and this process 12 bytes a node. What tasks find is meanwhile in
    a hidden folder beside the blocks.
    """
    known = tuple(_known(attacker) for attacker in attackers.each)
    k = checked_k(attackers.k, blocks.node_count)
    if dask is not None:
        pass
    with (
        nullcontext(here) if dask is None else on_cluster(dask) as run,
        _folder_beside(blocks, known) as found,
    ):
        return _measured(blocks, attackers, known, k, place_for(blocks, found), Stages(run, listener))


def _measured(
    blocks: Blocks, attackers: Attackers, known: tuple[Known, ...], k: int, place: Place, run: Stages
) -> BlockAnonymity:
    """All stages, each of tasks that do not need each other."""
    with_ties = None in known
    parts = parts_of(blocks, with_ties)
    partitions = min(len(parts), MOST_PARTITIONS)
    several = len(known) > 1
    counting = _needs_triangles(known)
    run.expect(
        counting * (len(blocks.triples()) + (len(blocks.pairs) if with_ties else blocks.block_count))
        + (2 + several) * len(parts)
        + (len(known) + several) * partitions
        + sum(attacker.fuzzy is not None for attacker in attackers.each)
        + len(blocks.pairs)
    )
    if with_ties:
        count_triangles_on_ties(blocks, place, run)
    elif counting:
        count_triangles_on_nodes(blocks, place, run)
    run([(find_states, (place, part, known, with_ties, partitions)) for part in parts])
    place.forget("triangles-*")
    asked = tuple(
        Asked(attacker.fuzzy, len(numbers or ()))
        for attacker, numbers in zip(attackers.each, known, strict=True)
    )
    classes = []
    for attacker, (fuzzy, width) in enumerate(asked):
        kept = 0 if fuzzy is None else width
        classes.append(_classes(place, str(attacker), parts, partitions, kept, run))
        if fuzzy is not None:
            run([(sort_states, (place, str(attacker), partitions, width))])
    if several:
        run([(find_states_to_all, (place, part, len(known), partitions)) for part in parts])
        classes.append(_classes(place, "all", parts, partitions, 0, run))
    judged = run([(judge_part, (place, part, asked, partitions, k)) for part in parts])
    sizes = [summed(each) for each in zip(*judged, strict=True)]
    parts_in = [[part.number for part in parts if part.block == block] for block in range(blocks.block_count)]
    touching = run(
        [(edges_touching, (place, pair, *(parts_in[end] for end in pair))) for pair in blocks.pairs]
    )
    each = tuple(
        _figures(blocks, (attacker,), k, count, found)
        for attacker, count, found in zip(attackers.each, classes, sizes, strict=False)
    )
    return _figures(
        blocks, tuple(attackers.each), k, classes[-1], sizes[-1], sum(touching), each if several else ()
    )


def _classes(place: Place, attacker: str, parts: list[Part], partitions: int, kept: int, run: Stages) -> int:
    """The number of classes to an attacker, of all partitions."""
    tasks = [
        (find_classes, (place, attacker, len(parts), partition, kept)) for partition in range(partitions)
    ]
    return sum(run(tasks))


def _figures(
    blocks: Blocks,
    attackers: tuple[Attacker, ...],
    k: int,
    classes: int,
    sizes: Sizes,
    edges_at_risk: int | None = None,
    each: tuple[BlockAnonymity, ...] = (),
) -> BlockAnonymity:
    return BlockAnonymity(
        network=blocks.name,
        nodes=blocks.node_count,
        edges=blocks.edge_count,
        measure=" + ".join(attacker.measure.name for attacker in attackers),
        distance=attackers[0].distance,
        k=k,
        fuzzy=attackers[0].fuzzy,
        twins=attackers[0].twins,
        classes=classes,
        class_sizes=sizes,
        edges_at_risk=edges_at_risk,
        attackers=attackers,
        each=each,
    )


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


def _needs_triangles(known: tuple[Known, ...]) -> bool:
    return any(each is None or any(per_triangle for _, per_triangle in each) for each in known)


def bytes_on_disk(blocks: Blocks, known: tuple[Known, ...]) -> int:
    """About how much tasks put beside the blocks at most: counts in triples, or states."""
    states = 60 * blocks.node_count * len(known)
    if None in known:
        in_triples = sum(blocks.pairs[pair] for triple in blocks.triples() for pair in pairs_of(triple))
        return in_triples + 12 * blocks.edge_count + states
    in_triples = 4 * sum(blocks.size(block) for triple in blocks.triples() for block in set(triple))
    return _needs_triangles(known) * (in_triples + 8 * blocks.node_count) + states


@contextmanager
def _folder_beside(blocks: Blocks, known: tuple[Known, ...]) -> Iterator[Path]:
    """A hidden folder beside the blocks, on the disk that workers see; gone in the end."""
    folder = blocks.folder.absolute()
    free, needed = shutil.disk_usage(folder).free, bytes_on_disk(blocks, known)
    if free < needed:
        raise FileError(
            f"{folder.parent}: what is counted needs about {needed:,} bytes beside the blocks meanwhile, and "
            f"the disk has {free:,} free. Make room, or move the blocks to another disk."
        )
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
