"""Threads that compute side by side: waited for, or left alone once their work is given up."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from typing import Any, TypeAlias

_Task: TypeAlias = tuple[Future[Any], Callable[..., Any], tuple[Any, ...], dict[str, Any]]


class Threads(Executor):
    """Pool like `ThreadPoolExecutor`, but the process can end while threads compute.

    Python joins the threads of its own pools before it exits, however long one of them takes.
    """

    def __init__(self, count: int) -> None:
        self._tasks: SimpleQueue[_Task | None] = SimpleQueue()
        self._threads = [
            threading.Thread(target=_work, args=(self._tasks,), daemon=True) for _ in range(count)
        ]
        for thread in self._threads:
            thread.start()

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **options: Any) -> Future[Any]:
        """Have a function called by the next thread that is free."""
        future: Future[Any] = Future()
        self._tasks.put((future, function, arguments, options))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Let the threads end when the queue is empty, or after their current task."""
        if cancel_futures:
            with suppress(Empty):
                while (task := self._tasks.get_nowait()) is not None:
                    task[0].cancel()
        for _ in self._threads:
            self._tasks.put(None)
        if wait:
            for thread in self._threads:
                thread.join()


def _work(tasks: SimpleQueue[_Task | None]) -> None:
    while (task := tasks.get()) is not None:
        future, function, arguments, options = task
        if future.set_running_or_notify_cancel():
            try:
                future.set_result(function(*arguments, **options))
            except BaseException as error:
                future.set_exception(error)
        del task, future, function, arguments, options  # nothing is kept while it waits for the next


@contextmanager
def threads_for(count: int) -> Iterator[Threads]:
    """Threads for a block: waited for at its end, and left alone if it is interrupted or fails."""
    threads = Threads(count)
    try:
        yield threads
    except BaseException:  # an error, Ctrl-C, or nobody who asks for the rest
        threads.shutdown(wait=False, cancel_futures=True)
        raise
    threads.shutdown()


@contextmanager
def side_by_side(count: int) -> Iterator[Callable[..., Iterable[Any]]]:
    """A `map` that calls on so many threads at once, for a block; Python's own for one."""
    if count == 1:
        yield map
    else:
        with ThreadPoolExecutor(count) as pool:
            yield pool.map


def available_cores() -> int:
    """Cores that the system lets this process have: a container or a job may have fewer than the machine."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
