"""Where tasks run: in this process, in processes beside it, or on a Dask cluster; a run sees a `Pool`.

Each gives a future for a task. Workers compute on one thread each, and write nothing.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from typing import Protocol

from netveil.cores import available_cores
from netveil.errors import SettingError, option
from netveil.experiments.run_task import execute
from netveil.experiments.task import Task, TaskResult
from netveil.search import Control

LEFT_TO_THE_PARENT = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)
"""Signals that a terminal or a batch system sends to all processes: workers end when their parent does."""

WAITING_FOR_EACH_WORKER = 2  # tasks handed out: one that runs, and one that is there when it is done


class Pool(Protocol):
    """Workers."""

    @property
    def workers(self) -> int:
        """How many tasks run at the same time."""

    @property
    def at_once(self) -> int:
        """How many tasks to hand out before the first comes back: no worker shall wait for its next."""
        return WAITING_FOR_EACH_WORKER * self.workers

    def submit(self, task: Task) -> Future[TaskResult]:
        """Hand a task to the workers."""

    def restart(self) -> None:
        """Start new workers, where one that dies ends the others with it."""
        return

    def abandon(self) -> None:
        """Give up all that runs, if tasks run beside this process."""
        return


@contextmanager
def pool_of(workers: int | None, dask: str | None, stop: Control) -> Iterator[Pool]:
    """The pool that was asked for; by default as many processes as cores."""
    if dask is not None:
        from netveil.experiments.dask_cluster import DaskPool

        if workers is not None:
            raise SettingError(
                f"{option('workers', workers)} is of no use with {option('dask')}: the cluster has its own; "
                f"leave it out."
            )
        cluster = DaskPool(dask)
        try:
            cluster.check_workers()
            yield cluster
        finally:
            cluster.close()
        return
    count = available_cores() if workers is None else workers
    if count < 1:
        raise SettingError(f"workers {count}: give a whole number, 1 or more.")
    if count == 1:
        yield InThisProcess(stop)
        return
    processes = ProcessPool(count)
    try:
        yield processes
    finally:
        processes.abandon()


class InThisProcess(Pool):
    """One worker, which is this process: nothing else happens while a task runs."""

    workers = at_once = 1

    def __init__(self, stop: Control) -> None:
        self.stop = stop

    def submit(self, task: Task) -> Future[TaskResult]:
        """Run the task now, until `stop` says otherwise."""
        future: Future[TaskResult] = Future()
        try:
            future.set_result(execute(task, Control(whole=self.stop)))
        except Exception as error:
            future.set_exception(error)
        return future


class ProcessPool(Pool):
    """Processes on this machine.

    Each holds one end of a pipe, the lifeline. The other end closes when this process gives up or dies, even
    by `kill -9`; then the workers end at once.
    """

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._start()

    @property
    def workers(self) -> int:
        """As many as were asked for, whether or not one has died."""
        return self._workers

    def _start(self) -> None:
        context = get_context("spawn")
        lifeline, self._lifeline = context.Pipe(duplex=False)
        self.executor = ProcessPoolExecutor(
            self.workers, mp_context=context, initializer=_become_worker, initargs=(lifeline,)
        )

    def submit(self, task: Task) -> Future[TaskResult]:
        """Hand a task to the processes; BrokenProcessPool if one of them has died."""
        with _signals_held_back():  # from a process that starts now, too, before it knows what to do
            return self.executor.submit(execute, task)

    def restart(self) -> None:
        """New processes for those that are gone."""
        self.abandon()
        self._start()

    def abandon(self) -> None:
        """End the processes, whatever they do."""
        self._lifeline.close()
        self.executor.shutdown(wait=True, cancel_futures=True)


@contextmanager
def _signals_held_back() -> Iterator[None]:
    """Hold back Ctrl-C and the like, where the system can; processes started inside do not get them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, LEFT_TO_THE_PARENT)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _become_worker(lifeline: Connection) -> None:
    """What a new process does first: leave signals to its parent, take one thread, hold the lifeline."""
    for number in LEFT_TO_THE_PARENT:
        signal.signal(number, signal.SIG_IGN)
    for name in ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ[name] = "1"

    def end_with_parent() -> None:
        wait([lifeline])
        os._exit(1)

    threading.Thread(target=end_with_parent, daemon=True).start()
