"""Running plans: the same results however they are run, resumed after any end, failures that stop nobody."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import CancelledError, Future
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from small_plans import (
    ENDLESS,
    NETVEIL,
    SMALL,
    WITH_A_MIDDLE,
    findings,
    finished,
    lives,
    study,
    without_times,
    worker_processes,
)

import netveil as nv
from dask_clusters import said, scheduler, started, workers
from netveil._version import __version__
from netveil.cli import main
from netveil.errors import SettingError
from netveil.search import Control
from netveil.studies import LostCluster, Task, TaskResult, execute, read_plan, results_table, run_plan
from netveil.studies.pools import DaskPool, Pool, check_address
from netveil.studies.task import VersionError, explained
from waiting import HANG, until

TWO = 'networks = ["karate"]\nalgorithms = ["es"]\nseeds = 2\n'
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, in which no module of another test is known."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "mymeasures", raising=False)
    monkeypatch.setattr(sys, "path", [*sys.path])
    return tmp_path


def experiment(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, Any, str]:
    """The exit code of an experiment in this process, its JSON document and what else it says."""
    capsys.readouterr()
    code = main(["experiment", *arguments, "--json", "--workers", "1"])
    said = capsys.readouterr()
    return code, json.loads(said.out), said.err


def test_a_run_is_what_anonymize_and_compare_give(folder: Path) -> None:
    """The same figures, for the metrics asked for and no others."""
    task = read_plan(study(folder)).tasks()[4]
    result = execute(task)
    karate = nv.load("karate")
    settings = {"patience": 2}
    release = nv.anonymize(karate, "5%", algorithm="ga", config="conf1", settings=settings, seed=1)
    metrics = nv.compare(karate, release.remaining).to_dict()["metrics"]

    assert task.algorithm == "quick"
    assert result.deleted_edges == tuple(release.outcome.deleted_edges.tolist())
    figures = release.figures()
    assert result.figures["asked"]["settings"] == figures["settings"]  # a preset is written out in a plan
    assert {key: result.figures[key] for key in figures if key not in ("seconds", "asked")} == {
        key: value for key, value in figures.items() if key not in ("seconds", "asked")
    }
    assert list(result.figures["metrics"]) == ["clustering", "lcc"]
    for name, figures in result.figures["metrics"].items():
        assert figures["after"] == metrics[name]["after"] and figures["change"] == metrics[name]["change"]


def test_a_synthetic_run_is_what_synthesize_gives_and_stops_when_asked(folder: Path) -> None:
    """The table and network of the seed, and equal figures each time; a stopped run is no result."""
    plan = 'networks = ["karate"]\nsynthetic = [2, 5]\nmetrics = ["clustering", "centrality"]\n'
    _, task = read_plan(study(folder, plan)).tasks()
    result, again = (without_times(dict(execute(task).figures)) for _ in range(2))
    release = nv.synthesize("karate", k=5, seed=1)
    compared = nv.compare("karate", release).metrics["clustering"]
    stopped = Control()
    stopped.interrupt()

    own = {name: value for name, value in release.figures().items() if name != "true_ties"}
    assert result == again and without_times(own).items() <= result.items()
    assert result["kind"] == "synthetic" and 0 < result["true_ties"] < 1
    assert result["metrics"]["clustering"]["after"] == compared.after
    assert execute(task).is_whole and not execute(task, stopped).is_whole


def test_synthetic_runs_are_resumed_and_stand_in_the_table(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Network × k × seed beside the algorithms; what is about deletion is empty, and the other way round."""
    study(folder, 'networks = ["karate"]\nalgorithms = ["es"]\nsynthetic = [2, 5]\nseeds = 2\n')
    first = experiment(capsys, "plan.toml", "--out", "out")[1]
    damaged = next((folder / "out" / "runs").glob("karate_synthetic_k5_seed2_*"))
    record = json.loads((damaged / "result.json").read_text(encoding="utf-8"))
    (damaged / "result.json").write_text(json.dumps(record | {"nodes": "many"}), encoding="utf-8")
    second = experiment(capsys, "plan.toml", "--out", "out")[1]
    rows = results_table("out")

    assert [(each["already"], each["done"]) for each in (first, second)] == [(0, 6), (5, 1)]
    assert sorted(file.name for file in damaged.iterdir()) == ["result.json", "settings.json"]
    assert [(row["algorithm"], row["k"], row["seed"]) for row in rows[2:]] == [
        ("synthetic", k, seed) for k in (2, 5) for seed in (1, 2)
    ]
    about_deletion = ("budget", "measure", "at_risk_before", "at_risk_after", "reduction", "deleted")
    for row in rows:
        is_synthetic = row["algorithm"] == "synthetic"
        assert [row[name] is None for name in about_deletion] == [is_synthetic] * 6
        assert (row["ceiling"] is None) != is_synthetic
    assert all(row["ceiling"] == row["rows"] / 34 and row["smallest_row"] >= row["k"] for row in rows[2:])


def test_a_worker_refuses_what_another_version_has_planned(folder: Path) -> None:
    """And names both; a worker that has none is recognised by its error."""
    task = replace(read_plan(study(folder)).tasks()[0], version="9.9.9")

    with pytest.raises(VersionError, match=f"this worker has netveil {__version__}.* run by netveil 9.9.9;"):
        execute(task)
    assert explained(ModuleNotFoundError("No module", name="netveil.studies")).startswith("a worker has no")
    assert explained(ValueError("one\ntwo")) == "ValueError: one two"


@pytest.mark.thorough
def test_results_depend_neither_on_workers_nor_on_shares_nor_on_order(folder: Path) -> None:
    """Alone, two processes, three jobs one after the other in the wrong order: the same folders."""
    plan = read_plan(study(folder))
    alone = run_plan(plan, folder / "alone", workers=1)
    together = run_plan(plan, folder / "together", workers=2)
    for number in (3, 1, 2):
        run_plan(plan, folder / "shares", workers=1, share=(number, 3))

    assert (
        (alone.total, alone.done, alone.failed)
        == (together.total, together.done, together.failed)
        == (16, 16, {})
    )
    assert together.workers == 2
    assert len(findings(folder / "alone")) == 16
    assert findings(folder / "alone") == findings(folder / "together") == findings(folder / "shares")


def test_only_what_is_missing_runs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same command twice, then a larger plan, a damaged run and another metric."""
    study(folder, 'networks = ["karate"]\nalgorithms = ["es"]\nseeds = 2\n')
    first = experiment(capsys, "plan.toml", "--out", "out")[1]
    second = experiment(capsys, "plan.toml", "--out", "out")[1]
    study(folder, 'networks = ["karate"]\nalgorithms = ["es", "ua"]\nseeds = 2\n')
    larger = experiment(capsys, "plan.toml", "--out", "out")[1]
    one = sorted((folder / "out" / "runs").iterdir())[0]
    (one / "result.json").write_text("{", encoding="utf-8")
    mended = experiment(capsys, "plan.toml", "--out", "out")[1]
    study(folder, 'networks = ["karate"]\nalgorithms = ["es"]\nseeds = 2\nmetrics = ["lcc"]\n')
    measured = experiment(capsys, "plan.toml", "--out", "out")[1]

    counts = [(each["already"], each["done"]) for each in (first, second, larger, mended, measured)]
    assert counts == [(0, 2), (2, 0), (2, 2), (3, 1), (0, 2)]
    assert len(findings(folder / "out")) == 4
    assert 'metrics = ["lcc"]' in (folder / "out" / "plan.toml").read_text(encoding="utf-8")


@contextmanager
def halfway(folder: Path, *options: str, done: int = 2) -> Iterator[subprocess.Popen[str]]:
    """An experiment in a process of its own that has finished some of twelve runs, and waits."""
    command = (*NETVEIL, "experiment", "plan.toml", "--out", "out", "--json", *options)
    with started(*command, folder=folder) as process:
        until(lambda: len(finished(folder / "out")) >= done, by=process)
        yield process


@pytest.mark.thorough
@on_linux
def test_after_a_kill_only_the_rest_runs_and_nobody_can_tell(folder: Path) -> None:
    """`kill -9` in the middle: no worker is left behind, no half run, and the same results in the end."""
    plan = read_plan(study(folder, WITH_A_MIDDLE))
    with halfway(folder, "--workers", "2", done=3) as process:
        workers = worker_processes(process.pid)
        process.kill()
        process.wait()
    (folder / "halfway").unlink()
    before = {name: (folder / "out" / "runs" / name).stat().st_mtime_ns for name in finished(folder / "out")}

    assert len(workers) == 2
    until(lambda: not any(map(lives, workers)))
    assert 3 <= len(before) < 12
    summary = run_plan(plan, folder / "out", workers=1)
    run_plan(plan, folder / "whole", workers=1)
    assert (summary.already, summary.done) == (len(before), 12 - len(before))
    assert before == {name: (folder / "out" / "runs" / name).stat().st_mtime_ns for name in before}
    assert findings(folder / "out") == findings(folder / "whole")


@pytest.mark.thorough
@on_linux
@pytest.mark.parametrize(("number", "wanted"), [(signal.SIGINT, "2"), (signal.SIGTERM, "1")])
def test_a_signal_stops_it_and_says_how_to_go_on(folder: Path, number: signal.Signals, wanted: str) -> None:
    """Exit code 130; what is finished stays. The workers get the signal too, as from a terminal."""
    study(folder, WITH_A_MIDDLE)
    with halfway(folder, "--workers", wanted) as process:
        processes = worker_processes(process.pid)
        os.killpg(process.pid, number)
        (folder / "halfway").unlink()
        out, _ = process.communicate(timeout=HANG)

    assert process.returncode == 130
    document = json.loads(out)
    assert document["interrupted"] and 2 <= document["done"] == len(findings(folder / "out")) < 12
    assert "the same command goes on from there" in said(folder) and "Traceback" not in said(folder)
    until(lambda: not any(map(lives, processes)))


@on_linux
@pytest.mark.thorough
@pytest.mark.parametrize("on_cluster", [False, True])
def test_a_worker_that_is_killed_costs_nothing(
    folder: Path, on_cluster: bool, request: pytest.FixtureRequest
) -> None:
    """Its run, and what the others had in hand, are run again, and every result is there once."""
    plan = read_plan(study(folder, WITH_A_MIDDLE))
    with ExitStack() as stack:
        options = ["--workers", "2"]
        if on_cluster:
            options = ["--dask", request.getfixturevalue("address")]
            first, _ = stack.enter_context(workers(options[1], folder, 2))
        process = stack.enter_context(halfway(folder, *options))
        os.kill(first.pid if on_cluster else worker_processes(process.pid)[0], signal.SIGKILL)
        assert len(finished(folder / "out")) < 12
        (folder / "halfway").unlink()
        out, _ = process.communicate(timeout=HANG)
    run_plan(plan, folder / "whole", workers=1)

    assert process.returncode == 0, said(folder)
    assert (json.loads(out)["done"], json.loads(out)["failed"]) == (12, {})
    assert findings(folder / "out") == findings(folder / "whole")


@pytest.mark.thorough
def test_a_run_that_kills_its_process_is_the_only_one_to_fail(folder: Path) -> None:
    """It gets a second chance; the others had nothing to do with it."""
    text = 'networks = ["karate"]\nalgorithms = ["es"]\nmeasures = ["count", "mymeasures:deadly", "degree"]\n'
    summary = run_plan(read_plan(study(folder, text)), folder / "out", workers=2)

    assert (summary.done, len(summary.failed)) == (2, 1)
    ((name, error),) = summary.failed.items()
    assert "deadly" in name and error.startswith("its process died, twice")


def test_a_run_that_fails_is_listed_and_tried_again(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 1, one line; the others are finished, and next time it alone runs."""
    text = 'networks = ["karate"]\nalgorithms = ["es"]\nmeasures = ["count", "mymeasures:failing"]\n'
    study(folder, text)
    code, document, told = experiment(capsys, "plan.toml", "--out", "out")
    failures = {file.stem: json.loads(file.read_text())["error"] for file in Path("out/failed").iterdir()}
    (folder / "mended").touch()
    again = experiment(capsys, "plan.toml", "--out", "out")

    assert (code, document["done"]) == (1, 1)
    assert document["failed"] == failures
    (line,) = [line for line in told.splitlines() if line.startswith("failed: ")]
    assert "measure mymeasures:failing failed: ValueError: not mended yet" in line
    assert (again[0], again[1]["already"], again[1]["done"]) == (0, 1, 1)
    assert list(Path("out/failed").iterdir()) == []


def test_whoever_stops_an_experiment_in_this_process_loses_no_finished_run(folder: Path) -> None:
    """As a program does that uses netveil."""
    plan = read_plan(study(folder))
    stop = Control()
    summary = run_plan(
        plan,
        folder / "out",
        workers=1,
        stop=stop,
        listener=lambda status: stop.interrupt() if status.done == 5 else None,
    )

    assert summary.interrupted and summary.done == 5 == len(findings(folder / "out"))


def test_a_run_that_was_stopped_in_the_middle_is_run_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it found by then is no result."""
    runs = count()

    def stopping(task: Task, control: Control) -> TaskResult:
        if next(runs) == 0:
            control.interrupt()
        return execute(task, control)

    monkeypatch.setattr("netveil.studies.pools.execute", stopping)
    summary = run_plan(read_plan(study(folder, TWO)), folder / "out", workers=1)

    assert (summary.done, next(runs)) == (2, 3)
    assert {row["stopped_by"] for row in results_table(folder / "out")} == {"budget"}


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (("nosuch",), "nosuch: there is no such file"),
        ((".",), ". is a folder. Give a plan, or --collect"),
        (("plan.toml", "--task", "4/3"), "--task 4/3: give I/N with I from 1 to N"),
        (("plan.toml", "--workers", "0"), "workers 0: give a whole number, 1 or more"),
        (("plan.toml", "--out", "people.csv"), "people.csv is a file; give a folder"),
        (("plan.toml", "--out", "other"), "other holds something else than an experiment"),
        (("plan.toml", "--parquet"), "give --collect too"),
        (("plan.toml", "--quick"), "--quick is of no use"),
        (("other", "--collect"), "other is not the folder of an experiment"),
        (
            ("plan.toml", "--dask", "tcp://127.0.0.1:1", "--workers", "2"),
            "--workers 2 is of no use with --dask: the cluster has its own; leave it out.",
        ),
    ],
)
def test_mistakes_are_told_in_a_line_and_nothing_is_written(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], what: str
) -> None:
    """Exit code 2."""
    study(folder, SMALL)
    (folder / "other").mkdir()
    (folder / "other" / "holiday.jpg").touch()
    before = sorted(folder.rglob("*"))
    code = main(["experiment", *arguments])
    said = capsys.readouterr()

    assert (code, said.out) == (2, "")
    assert what in said.err and said.err.count("\n") == 1
    assert sorted(folder.rglob("*")) == before


class Losing(Pool):
    """Workers that run one task, and are lost with the others."""

    def __init__(self, loss: BaseException) -> None:
        super().__init__(Control())
        self.loss, self.handed_out = loss, 0

    @property
    def workers(self) -> int:
        """Three, who are given all tasks at once."""
        return 3

    def submit(self, task: Task) -> Future[TaskResult]:
        """The result or the loss, at once."""
        self.handed_out += 1
        if self.handed_out == 1:
            return super().submit(task)
        future: Future[TaskResult] = Future()
        if type(self.loss) is CancelledError:
            future.cancel()
            future.set_running_or_notify_cancel()
        else:
            future.set_exception(self.loss)
        return future


@pytest.mark.parametrize(
    "loss", [CancelledError(), asyncio.CancelledError(), type("CommClosedError", (OSError,), {})()]
)
def test_who_was_with_lost_workers_has_not_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loss: BaseException
) -> None:
    """The run that came back stays; the next time the other is run."""
    plan, out = read_plan(study(tmp_path, TWO)), tmp_path / "out"
    with monkeypatch.context() as patch:
        patch.setattr("netveil.studies.study.pool_of", lambda *_: nullcontext(Losing(loss)))
        with pytest.raises(LostCluster, match="do not answer any more"):
            run_plan(plan, out)

    assert len(finished(out)) == 1 and not list((out / "failed").iterdir())
    assert run_plan(plan, out, workers=1).done == 1


# A real Dask scheduler and worker processes on this machine.


@pytest.fixture(scope="module")
def shared_scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a running scheduler, the same for all tests."""
    with scheduler(tmp_path_factory.mktemp("scheduler")) as (_, address):
        yield address


@pytest.fixture
def address(shared_scheduler: str) -> str:
    """The address of a running scheduler that knows of no worker, nor of any that is gone."""
    distributed = pytest.importorskip("distributed")
    with distributed.Client(shared_scheduler, set_as_default=False) as client:
        until(lambda: not client.nthreads())
    return shared_scheduler


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("package", "what"),
    [
        ('__version__ = "9.9.9"\n', f"has netveil 9.9.9, and the experiment is run by netveil {__version__}"),
        (
            'raise ModuleNotFoundError("No module named netveil", name="netveil")\n',
            "has no netveil; install it",
        ),
    ],
    ids=["another version", "none"],
)
def test_a_worker_with_another_netveil_or_none_is_told_so(
    folder: Path, address: str, package: str, what: str
) -> None:
    """In one line, before anything runs, though the other worker is fine; another told of the user's code."""
    study(folder, WITH_A_MIDDLE)
    stub = folder / "stub" / "netveil"
    stub.mkdir(parents=True)
    (stub / "__init__.py").touch()
    (stub / "_version.py").write_text(package, encoding="utf-8")
    command = (*NETVEIL, "experiment", "plan.toml", "--out", "out", "--dask", address)
    with workers(address, folder, 1), workers(address, folder, 1, PYTHONPATH=str(stub.parent)):
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=HANG)

    assert (done.returncode, done.stdout) == (2, "")
    code_of_the_user, error = done.stderr.splitlines()
    assert code_of_the_user.startswith("measure mymeasures:waiting runs code of ")
    assert what in error and error.startswith("netveil: the Dask worker tcp://127.0.0.1:")
    assert not (folder / "out").exists()


@pytest.mark.thorough
def test_ctrl_c_leaves_the_workers_free_for_others(folder: Path, address: str) -> None:
    """Exit code 130, and an endless run that was under way is over: the only worker has time for another."""
    study(folder, ENDLESS)
    command = (*NETVEIL, "experiment", "plan.toml", "--out", "out", "--dask", address, "--json")
    with workers(address, folder, 1), started(*command, folder=folder) as process:
        until((folder / "under way").is_file, by=process)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=HANG)
        with pytest.importorskip("distributed").Client(address, set_as_default=False) as other:
            assert other.submit(pow, 2, 5).result(timeout=HANG) == 32

    assert (process.returncode, json.loads(out)["interrupted"]) == (130, True)
    assert "the same command goes on from there" in said(folder)


def test_a_lost_cluster_is_told_rather_than_waited_for(
    folder: Path, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    """Whatever Dask raises: versions differ."""
    (task, *_) = read_plan(study(folder)).tasks()
    cluster, gone = DaskPool(address), r"the Dask scheduler tcp://127\.0\.0\.1:\d+ is gone"

    assert cluster.workers == 1
    for error in (OSError(), RuntimeError("ConnectionPool is closed")):
        monkeypatch.setattr(cluster.client, "nthreads", Mock(side_effect=error))
        with pytest.raises(LostCluster, match=gone):
            _ = cluster.at_once
    cluster.client.close()
    with pytest.raises(LostCluster, match=gone):
        cluster.submit(task)


@pytest.mark.thorough
def test_a_scheduler_lost_in_the_middle_costs_no_run(folder: Path) -> None:
    """One line and exit code 1, though all tasks are handed out; none of them is said to have failed."""
    study(folder, ENDLESS)
    with scheduler(folder) as (process, own), workers(own, folder, 1) as (worker,):
        command = (*NETVEIL, "experiment", "plan.toml", "--out", "out", "--dask", own)
        with started(*command, folder=folder, DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT="15s") as run:
            until((folder / "under way").is_file, by=run)
            process.kill()
            run.communicate(timeout=HANG)
        worker.kill()  # it would take its time

    assert run.returncode == 1
    assert "the same command goes on from there" in said(folder)
    assert "defect" not in said(folder)
    assert list((folder / "out" / "failed").iterdir()) == []


def test_what_is_no_address_is_told_at_once() -> None:
    """Before anybody is called; what Dask may know is tried."""
    for wrong in ("nonsense", "", "tcp://", "tcp://host", "host:port", "http://host:1", "a b:1"):
        with pytest.raises(SettingError, match="this is no address; give the one that"):
            DaskPool(wrong)
    for right in ("127.0.0.1:8786", "tcp://node-7:1", "tls://[::1]:8786", "inproc://1/2/3"):
        check_address(right)
