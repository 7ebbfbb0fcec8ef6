"""Pools of workers for tasks: this process, processes beside it, or a Dask cluster.

A `Pool` gives a future for a task. Workers compute on one thread each, and write nothing.
"""

from __future__ import annotations

import logging
import os
import pkgutil
import re
import signal
import threading
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from contextlib import closing, contextmanager, suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from typing import Any

from netveil._version import __version__
from netveil.errors import SettingError, needing, option
from netveil.progress import Watcher
from netveil.search import Control
from netveil.studies.task import (
    LostCluster,
    Task,
    TaskResult,
    VersionError,
    execute,
    in_one_line,
    other_version,
)
from netveil.threads import available_cores

LEFT_TO_THE_PARENT = [number for number in signal.Signals if number.name in ("SIGINT", "SIGTERM", "SIGHUP")]
"""Signals that a terminal or a batch system sends to all processes: workers end when their parent does."""


class Pool:
    """Workers that run tasks: here one, which is this process, and nothing else happens meanwhile."""

    def __init__(self, stop: Control) -> None:
        self.stop = stop

    @property
    def workers(self) -> int:
        """Number of tasks that run at the same time."""
        return 1

    @property
    def at_once(self) -> int:
        """Number of tasks to hand out before the first comes back."""
        return self.workers

    def submit(self, task: Task) -> Future[TaskResult]:
        """Hand a task to the workers; its future raises BrokenExecutor if the worker dies over it."""
        future: Future[TaskResult] = Future()
        try:
            future.set_result(execute(task, Control(whole=self.stop)))
        except Exception as error:
            future.set_exception(error)
        return future

    def abandon(self) -> None:
        """Give up all that runs, if tasks run beside this process."""

    def close(self) -> None:
        """Let the workers go."""
        self.abandon()


@contextmanager
def pool_of(workers: int | None, dask: str | None, stop: Control) -> Iterator[Pool]:
    """The pool that was asked for; by default as many processes as cores."""
    if dask is not None and workers is not None:
        unused = f"{option('workers', workers)} is of no use with {option('dask')}"
        raise SettingError(f"{unused}: the cluster has its own; leave it out.")
    count = available_cores() if workers is None else workers
    if count < 1:
        raise SettingError(f"workers {count}: give a whole number, 1 or more.")
    chosen = DaskPool(dask) if dask is not None else Pool(stop) if count == 1 else ProcessPool(count)
    with closing(chosen) as pool:
        if isinstance(pool, DaskPool):
            pool.check_workers()
        yield pool


class ProcessPool(Pool):
    """Processes on this machine, each of which runs one task at a time: if it dies, no other is touched.

    Each holds one end of a pipe, the lifeline. The other end closes when this process gives up or dies, even
    by `kill -9`; then the workers end at once.
    """

    def __init__(self, workers: int) -> None:
        self.context = get_context("spawn")
        self.lifeline, self._own_end = self.context.Pipe(duplex=False)
        self.processes = [self._process() for _ in range(workers)]
        self.running: dict[int, Future[TaskResult]] = {}  # the last task of each

    @property
    def workers(self) -> int:
        """As many as asked for, whether or not one has died."""
        return len(self.processes)

    def _process(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(
            1, mp_context=self.context, initializer=_become_worker, initargs=(self.lifeline,)
        )

    def submit(self, task: Task) -> Future[TaskResult]:
        """Hand a task to a process that is free, or to a new one if that has died."""
        free = next(
            each for each in range(self.workers) if each not in self.running or self.running[each].done()
        )
        with _signals_held_back():  # from a process that starts now, too, before it knows what to do
            try:
                self.running[free] = self.processes[free].submit(execute, task)
            except BrokenExecutor:
                self.processes[free] = self._process()
                self.running[free] = self.processes[free].submit(execute, task)
        return self.running[free]

    def abandon(self) -> None:
        """End the processes, whatever they do."""
        self._own_end.close()
        for process in self.processes:
            process.shutdown(wait=True, cancel_futures=True)


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
    """Start a worker process: leave signals to its parent, take one thread, hold the lifeline."""
    for number in LEFT_TO_THE_PARENT:
        signal.signal(number, signal.SIG_IGN)
    for name in ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ[name] = "1"

    def end_with_parent() -> None:
        wait([lifeline])
        os._exit(1)

    threading.Thread(target=end_with_parent, daemon=True).start()


SECONDS_TO_CONNECT = 15.0
SECONDS_TO_FIND_WORKERS = 60  # a batch system may start them one by one


def check_address(address: str) -> None:
    """Raise unless this can be the address of a scheduler: Dask would try for long, and say little."""
    if not re.fullmatch(r"(\w+://)?[^\s/@]+:\d{1,5}/?|inproc://\S+", address) or address.startswith("http"):
        raise SettingError(
            f"{option('dask', address)}: this is no address; give the one that `dask scheduler` prints, "
            f"with its port, such as tcp://127.0.0.1:8786."
        )


class DaskPool(Pool):
    """Workers of a running Dask cluster. A task whose worker is lost is run again by the scheduler."""

    def __init__(self, address: str) -> None:
        with needing("distributed", "a cluster", extra="dask"):
            import distributed
        check_address(address)
        logging.getLogger("distributed").setLevel(logging.CRITICAL)  # we say ourselves what a user must know
        self.address = address
        try:
            connect: Any = distributed.Client  # only part of which has types
            self.client = connect(address, timeout=SECONDS_TO_CONNECT, set_as_default=False)
        except (OSError, ValueError) as error:
            raise SettingError(
                f"{option('dask', address)}: no scheduler answers there ({in_one_line(error)}); give the "
                f"address that `dask scheduler` prints, such as tcp://127.0.0.1:8786."
            ) from None
        self.executor: Executor = self.client.get_executor()

    def close(self) -> None:
        """Disconnect from the cluster, which goes on."""
        with suppress(OSError, RuntimeError):  # it may be gone
            self.client.close()

    @property
    def workers(self) -> int:
        """Tasks that the cluster can run at the same time: workers come and go."""
        try:
            threads: dict[str, int] = self.client.nthreads()
            return max(1, sum(threads.values()))
        except (OSError, RuntimeError):  # of the connection, or of what is left of it
            raise self.gone() from None

    @property
    def at_once(self) -> int:
        """Two tasks a worker: one that runs, and one that is there when it is done."""
        return 2 * self.workers

    def submit(self, task: Task) -> Future[TaskResult]:
        """Hand a task to the scheduler, large as its network may be."""
        return self.call(execute_until_cancelled, task)

    def call(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Let a worker call a function; LostCluster if the scheduler is gone."""
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Sending large graph")
            try:
                # pure=False: equal work of another run must not be answered from memory.
                return self.executor.submit(function, *arguments, pure=False)
            except Exception:  # of a kind that differs from one version of Dask to the next
                if self.client.status == "running":
                    raise
                raise self.gone() from None

    def gone(self) -> LostCluster:
        """Error of a scheduler that does not answer any more."""
        return LostCluster(f"the Dask scheduler {self.address} is gone")

    def abandon(self) -> None:
        """Take back what has not begun, and what runs: workers notice before long."""
        self.executor.shutdown(wait=False)

    def check_workers(self, doing: str = "the experiment is run") -> None:
        """Wait for workers. Raise, all in one line, unless all workers have this netveil.

        `doing` is what this netveil does with them, for the message.
        """
        try:
            self.client.wait_for_workers(1, timeout=SECONDS_TO_FIND_WORKERS)
        except TimeoutError:
            raise SettingError(
                f"{option('dask', self.address)}: the scheduler has no workers; start some with "
                f"`dask worker {self.address} --nthreads 1`."
            ) from None
        # A function of Python's own, which a worker without netveil can look up too.
        question = (pkgutil.resolve_name, "netveil._version:__version__")
        answers: dict[str, Any] = self.client.run(*question, on_error="return")
        wrong = []
        for worker, answer in sorted(answers.items()):
            who = f"the Dask worker {worker}"
            if isinstance(answer, BaseException):
                wrong.append(
                    f"{who} has no netveil; install it there (pip install 'netveil[dask]=={__version__}')."
                )
            elif answer != __version__:
                wrong.append(other_version(who, str(answer), __version__, doing))
        if wrong:
            raise VersionError(" ".join(wrong))


def execute_until_cancelled(task: Task) -> TaskResult:
    """Run a task on a Dask worker, and stop when it was cancelled, so that the worker is free for others."""
    from distributed import get_worker

    worker: Any = get_worker()
    key = worker.get_current_task()

    class LooksAtWorker(Watcher):
        def step(self, progress: object) -> None:
            state = worker.state.tasks.get(key)
            if state is None or state.state == "cancelled":
                control.interrupt()

    control = Control(watcher=LooksAtWorker())
    return execute(task, control)
