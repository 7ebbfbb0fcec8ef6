"""Workers that are lost while runs are with them, and what is learned about how long runs take."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager
from pathlib import Path

import pytest

from netveil.experiments import (
    ExperimentStatus,
    LostCluster,
    Task,
    TaskResult,
    execute,
    read_plan,
    run_experiment as module,
    run_plan,
)
from netveil.experiments.store import Durations, Kind
from netveil.search import Control
from studies import finished, study

TWO = 'networks = ["karate"]\nalgorithms = ["es"]\nseeds = 2\n'


class Losing:
    """Workers that run some tasks, and are lost with the others; nobody may ask them once all is done."""

    at_once = 9

    def __init__(self, right: int, loss: BaseException | None) -> None:
        self.right, self.loss = right, loss
        self.handed_out = 0

    @property
    def workers(self) -> int:
        """Three, while there is something to do."""
        if self.handed_out == 2 and self.loss is None:
            raise LostCluster("asked again")
        return 3

    def submit(self, task: Task) -> Future[TaskResult]:
        """The result or the loss, at once."""
        future: Future[TaskResult] = Future()
        if self.right > 0 or self.loss is None:
            self.right -= 1
            future.set_result(execute(task))
        elif type(self.loss) is CancelledError:
            future.cancel()
            future.set_running_or_notify_cancel()
        else:
            future.set_exception(self.loss)
        self.handed_out += 1
        return future

    def restart(self) -> None:
        """Not needed."""

    def abandon(self) -> None:
        """Not needed."""


def use(pool: Losing, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have experiments run on this pool."""

    @contextmanager
    def pool_of(workers: int | None, dask: str | None, stop: Control) -> Iterator[Losing]:
        """The pool."""
        yield pool

    monkeypatch.setattr(module, "pool_of", pool_of)


@pytest.mark.parametrize(
    "loss", [CancelledError(), asyncio.CancelledError(), type("CommClosedError", (OSError,), {})()]
)
def test_who_was_with_lost_workers_has_not_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loss: BaseException
) -> None:
    """The run that came back stays; the next time the other is run."""
    plan, out = read_plan(study(tmp_path, TWO)), tmp_path / "out"
    with monkeypatch.context() as patch:
        use(Losing(1, loss), patch)
        with pytest.raises(LostCluster, match="do not answer any more"):
            run_plan(plan, out)

    assert len(finished(out)) == 1 and not list((out / "failed").iterdir())
    assert run_plan(plan, out, workers=1).done == 1


def test_what_a_stop_cancels_is_not_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is interrupted, as it should be."""
    stop = Control()
    use(Losing(1, CancelledError()), monkeypatch)
    monkeypatch.setattr(module._Running, "_hand_out", _then(stop))
    summary = run_plan(read_plan(study(tmp_path, TWO)), tmp_path / "out", stop=stop)

    assert (summary.interrupted, summary.done, summary.failed) == (True, 1, {})


def test_workers_are_not_asked_when_all_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They may be gone by then: what was last known is told."""
    use(Losing(2, None), monkeypatch)
    heard: list[ExperimentStatus] = []
    summary = run_plan(read_plan(study(tmp_path, TWO)), tmp_path / "out", listener=heard.append)

    assert (summary.done, summary.workers, heard[-1].done) == (2, 3, 2)


def test_the_first_run_of_a_worker_says_little_about_the_others(tmp_path: Path) -> None:
    """Unless it takes so long that loading and compiling do not matter; and one long run is no rule."""
    kind = Kind("a", "ga", 10)
    durations = Durations()
    durations.add(kind, 9.0, is_first=True)
    assert durations.remaining([kind], 1) is None
    durations.add(kind, 2.0)
    durations.add(kind, 2.0)
    durations.add(kind, 300.0, is_first=True)

    assert durations.remaining([kind] * 2, 1) == 4.0
    task = read_plan(study(tmp_path, TWO)).tasks()[0]
    execute(task)
    assert not execute(task).is_first


def _then(stop: Control) -> object:
    """Hand out as ever, and then stop."""
    hand_out = module._Running._hand_out

    def hand_out_and_stop(self: module._Running) -> None:
        """Both."""
        hand_out(self)
        stop.interrupt()

    return hand_out_and_stop
