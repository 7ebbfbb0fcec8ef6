"""A running Dask cluster as workers: for when one machine is not enough."""

from __future__ import annotations

import logging
import pkgutil
import re
import time
import warnings
from concurrent.futures import Executor, Future
from contextlib import suppress
from typing import Any

from netveil._version import __version__
from netveil.errors import SettingError, needing, option
from netveil.experiments.failure import LostCluster, in_one_line
from netveil.experiments.pools import Pool
from netveil.experiments.run_task import execute, other_version
from netveil.experiments.task import Task, TaskResult, VersionError
from netveil.search import Control

SECONDS_TO_CONNECT = 15
SECONDS_BETWEEN_COUNTS = 2.0
SECONDS_WITHOUT_WORKERS = 300.0  # others may come for those that are lost
SECONDS_TO_FIND_WORKERS = 60  # a batch system may start them one by one


_ADDRESS = re.compile(
    r"""(?:(?:tcp|tls|ws|wss|ucx|ucxx)://)?   # as Dask calls them; tcp if there is none
        (?:\[[0-9A-Fa-f:.%]+\]|[^\s:/@\[\]]+)   # a host: an IPv6 address in brackets, or any other
        :(?P<port>\d{1,5})/?
    """,
    re.VERBOSE,
)


def check_address(address: str) -> None:
    """Raise unless this can be the address of a scheduler: Dask would try for long, and say little."""
    found = _ADDRESS.fullmatch(address)
    if not address.startswith("inproc://") and (found is None or not 0 < int(found["port"]) < 2**16):
        raise SettingError(
            f"{option('dask', address)}: this is no address; give the one that `dask scheduler` prints, "
            f"with its port, such as tcp://127.0.0.1:8786."
        )


class DaskPool(Pool):
    """The workers of a Dask scheduler. A task whose worker is lost is run again by the scheduler."""

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
        self._workers = 1
        self._counted: float | None = None  # when
        self._last_seen = time.monotonic()  # any worker

    def close(self) -> None:
        """Disconnect from the cluster, which goes on."""
        with suppress(OSError, RuntimeError):  # it may be gone
            self.client.close()

    @property
    def workers(self) -> int:
        """Tasks that the cluster can run at the same time, as of a moment ago: workers come and go."""
        if self._counted is None or time.monotonic() - self._counted > SECONDS_BETWEEN_COUNTS:
            try:
                threads: dict[str, int] = self.client.nthreads()
            except (OSError, RuntimeError):  # of the connection, or of what is left of it
                raise self._gone() from None
            self._workers, self._counted = max(1, sum(threads.values())), time.monotonic()
            self._last_seen = self._counted if threads else self._last_seen
            if self._counted - self._last_seen > SECONDS_WITHOUT_WORKERS:
                raise LostCluster(f"the Dask scheduler {self.address} has lost all its workers")
        return self._workers

    def submit(self, task: Task) -> Future[TaskResult]:
        """Hand a task to the scheduler, large as its network may be."""
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Sending large graph")
            try:
                return self.executor.submit(execute_until_cancelled, task)
            except Exception as error:  # of a kind that differs from one version of Dask to the next
                if isinstance(error, (OSError, RuntimeError)) or self.client.status != "running":
                    raise self._gone() from None
                raise

    def _gone(self) -> LostCluster:
        return LostCluster(f"the Dask scheduler {self.address} is gone")

    def abandon(self) -> None:
        """Take back what has not begun, and what runs: workers notice before long."""
        self.executor.shutdown(wait=False)

    def check_workers(self, doing: str = "the experiment is run") -> None:
        """Wait for workers. Raise, all in one line, unless scheduler and workers have this netveil.

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
        wrong = [
            _about(f"the Dask worker {address}", answer, doing)
            for address, answer in sorted(answers.items())
            if answer != __version__
        ]
        try:
            scheduler: Any = self.client.run_on_scheduler(*question)
        except ImportError as error:
            scheduler = error
        if scheduler != __version__:
            wrong.append(_about(f"the Dask scheduler {self.address}", scheduler, doing))
        if wrong:
            raise VersionError(" ".join(wrong))


def execute_until_cancelled(task: Task) -> TaskResult:
    """Run a task on a Dask worker, and stop when it was cancelled, so that the worker is free for others."""
    from distributed import get_worker

    worker: Any = get_worker()
    key = worker.get_current_task()
    control = Control()

    def look_at_worker(progress: object) -> None:
        state = worker.state.tasks.get(key)
        if state is None or state.state == "cancelled":
            control.interrupt()

    control.listener = look_at_worker
    return execute(task, control)


def _about(who: str, answer: Any, doing: str) -> str:
    """What is wrong with a worker that did not answer with our version."""
    if isinstance(answer, ImportError):
        return f"{who} has no netveil; install it there (pip install 'netveil[dask]=={__version__}')."
    if isinstance(answer, BaseException):
        return f"{who} cannot tell its netveil: {in_one_line(answer)}; start it again."
    return other_version(who, str(answer), __version__, doing)
