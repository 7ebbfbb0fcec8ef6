"""Tasks on a Dask cluster, whose workers see the folder of blocks."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from contextlib import contextmanager
from itertools import islice
from typing import Any

from netveil.blocks.tasks import Run, Task
from netveil.errors import SettingError, option
from netveil.experiments import LostCluster
from netveil.experiments.dask_cluster import DaskPool
from netveil.experiments.failure import is_loss

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
