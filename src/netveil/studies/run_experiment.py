"""Run what is missing of a plan: hand out tasks as workers get free, and write each result as it comes."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean

from netveil.formatting import counted, duration
from netveil.search import Control
from netveil.studies.plan import Plan, TaskShare
from netveil.studies.pools import Pool, pool_of
from netveil.studies.store import Store
from netveil.studies.task import DIED_TWICE, LostCluster, Task, TaskResult, explained, is_loss

SECONDS_BETWEEN_LOOKS = 0.2  # at whether to stop, while nothing comes back


@dataclass(frozen=True)
class ExperimentStatus:
    """Progress of an experiment."""

    total: int  # runs of the plan, or of this process's share of it
    done: int  # finished, now or earlier
    failed: int
    remaining_seconds: float | None  # None while nothing is known about how long runs take

    def words(self) -> str:
        """Progress in one line."""
        parts = [f"{self.done:,} of {counted(self.total, 'run')}"]
        if self.failed:
            parts.append(f"{self.failed:,} failed")
        if self.remaining_seconds is not None:
            parts.append(f"about {duration(self.remaining_seconds)} left")
        return " · ".join(parts)

    def on_bar(self) -> tuple[int, int, str]:
        """How many runs are over, of how many, and the words for it."""
        return self.done + self.failed, self.total, self.words()


@dataclass(frozen=True)
class Summary:
    """Summary of an experiment that has ended."""

    total: int  # runs of the plan, or of this process's share of it
    already: int  # had been finished earlier
    done: int = 0  # finished now
    failed: dict[str, str] = field(default_factory=dict)  # why, by the names of their folders
    interrupted: bool = False
    seconds: float = 0.0  # from the first task to the last result
    run_seconds: float = 0.0  # the time of all runs that were finished now, added up
    workers: int = 0


ExperimentListener = Callable[[ExperimentStatus], None]


def run_plan(
    plan: Plan,
    folder: str | Path,
    *,
    workers: int | None = None,
    dask: str | None = None,
    share: TaskShare | None = None,
    stop: Control | None = None,
    listener: ExperimentListener | None = None,
) -> Summary:
    """Run what the folder lacks of a plan; a run that fails does not stop the others.

    Parameters
    ----------
    workers
        Processes to run on, as many as cores by default. With 1, runs take place in this process.
    dask
        The address of a Dask scheduler to run on instead.
    share
        (I, N): only every N-th run from the I-th on, for N processes that share the folder.
    stop
        Its `interrupt` ends the experiment soon; finished runs stay.
    listener
        Called with how far it has come.
    """
    stop = Control() if stop is None else stop
    tasks = plan.tasks(share)
    store = Store(folder)
    store.check()
    finished = store.finished() if store.runs.is_dir() else {}
    missing = store.missing(tasks, finished)
    so_far = Summary(len(tasks), len(tasks) - len(missing))
    if not missing:
        store.prepare(plan.text)
        return so_far
    with pool_of(workers, dask, stop) as pool:
        store.prepare(plan.text)  # not before it is sure that there are workers
        running = _Running(pool, store, so_far.already, deque(missing), listener)
        began = time.perf_counter()
        interrupted = running.to_the_end(stop)
        seconds = time.perf_counter() - began
        found = {name: getattr(running, name) for name in ("done", "failed", "run_seconds", "workers")}
        return replace(so_far, interrupted=interrupted, seconds=seconds, **found)


@dataclass
class _Running:
    """An experiment that is running."""

    pool: Pool
    store: Store
    already: int
    waiting: deque[Task]
    listener: ExperimentListener | None
    handed_out: dict[Future[TaskResult], Task] = field(default_factory=dict)
    died: set[str] = field(default_factory=set)  # runs whose process died once
    done: int = 0
    failed: dict[str, str] = field(default_factory=dict)
    run_seconds: float = 0.0
    workers: int = 1  # as of when it was last asked
    seconds_an_edge: dict[str, list[float]] = field(default_factory=dict)  # of finished runs, by algorithm

    def to_the_end(self, stop: Control) -> bool:
        """Run until nothing is left or it is stopped; returns whether it was stopped."""
        self._tell()
        while self.waiting or self.handed_out:
            if stop.asked_to_stop() is None:
                self._hand_out()
            finished, _ = wait(self.handed_out, SECONDS_BETWEEN_LOOKS, FIRST_COMPLETED)
            self._take_back(finished, stop)
            if stop.asked_to_stop() is not None:
                self.pool.abandon()
                return bool(self.waiting or self.handed_out)
        return False

    def _hand_out(self) -> None:
        """Give the workers as much as they can take."""
        while self.waiting and len(self.handed_out) < self.pool.at_once:
            future = self.pool.submit(self.waiting[0])
            self.handed_out[future] = self.waiting.popleft()

    def _take_back(self, finished: set[Future[TaskResult]], stop: Control) -> None:
        """Write results that came back. LostCluster if a task was cancelled, and not by us."""
        lost = False
        for future in finished:
            task = self.handed_out.pop(future)
            try:
                result = future.result()
            except (Exception, asyncio.CancelledError) as error:
                if is_loss(error) or (isinstance(error, BrokenExecutor) and task.folder not in self.died):
                    self.waiting.appendleft(task)
                    lost |= is_loss(error)
                    self.died.add(task.folder)
                else:
                    text = DIED_TWICE if isinstance(error, BrokenExecutor) else explained(error)
                    self.failed[task.folder] = text
                    self.store.save_failure(task, text)
            else:
                self._finish(task, result)
        if lost and stop.asked_to_stop() is None:
            raise LostCluster("the machines that runs were handed to do not answer any more")
        self._tell()

    def _finish(self, task: Task, result: TaskResult) -> None:
        if not result.is_whole:  # stopped in the middle: to be run again
            self.waiting.appendleft(task)
            return
        self.store.save(task, result)
        self.done += 1
        self.run_seconds += result.seconds
        known = self.seconds_an_edge.setdefault(task.algorithm.name, [])
        known.append(result.seconds / max(task.network.edge_count, 1))

    def _tell(self) -> None:
        """Count the workers while there is work left for them, and tell the listener."""
        left = (*self.waiting, *self.handed_out.values())
        if left:
            self.workers = self.pool.workers
        if self.listener is not None:
            total = self.already + self.done + len(self.failed) + len(left)
            status = (total, self.already + self.done, len(self.failed), self._remaining(left))
            self.listener(ExperimentStatus(*status))

    def _remaining(self, left: Sequence[Task]) -> float | None:
        """Seconds that these runs take; an algorithm that has not run yet is as slow as the others."""
        if not self.seconds_an_edge:
            return None
        known = {name: fmean(seconds) for name, seconds in self.seconds_an_edge.items()}
        usual = fmean(known.values())
        rates = (task.network.edge_count * known.get(task.algorithm.name, usual) for task in left)
        return sum(rates) / self.workers
