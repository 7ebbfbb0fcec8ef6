"""A real Dask scheduler and worker processes on this machine: the same results, also when a worker dies."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import Mock

import pytest
from small_plans import ENDLESS, NETVEIL, WITH_A_MIDDLE, findings, finished, study

from dask_clusters import said, scheduler, started, workers
from netveil._version import __version__
from netveil.errors import SettingError
from netveil.studies import LostCluster, read_plan, run_plan
from netveil.studies.pools import DaskPool, check_address
from waiting import HANG, until

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def shared_scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a running scheduler, the same for all tests."""
    with scheduler(tmp_path_factory.mktemp("scheduler")) as (_, address):
        yield address


@pytest.fixture
def address(shared_scheduler: str) -> str:
    """The address of a running scheduler that knows of no worker, nor of any that is gone."""
    with distributed.Client(shared_scheduler, set_as_default=False) as client:
        until(lambda: not client.nthreads())
    return shared_scheduler


@pytest.fixture(autouse=True)
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in an empty folder, in which no module of another test is known."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "mymeasures", raising=False)
    monkeypatch.setattr(sys, "path", [*sys.path])


@pytest.mark.thorough
def test_a_cluster_finds_what_this_machine_finds_though_a_worker_is_killed(
    tmp_path: Path, address: str
) -> None:
    """Every result once."""
    plan = read_plan(study(tmp_path, WITH_A_MIDDLE))
    command = (*NETVEIL, "experiment", "plan.toml", "--out", "out", "--dask", address, "--json")
    with workers(address, tmp_path, 2) as (first, _), started(*command, folder=tmp_path) as process:
        until(lambda: len(finished(tmp_path / "out")) >= 3, by=process)
        first.send_signal(signal.SIGKILL)
        assert len(finished(tmp_path / "out")) < 12
        (tmp_path / "halfway").unlink()
        out, _ = process.communicate(timeout=HANG)
    run_plan(plan, tmp_path / "local", workers=1)

    assert process.returncode == 0, said(tmp_path)
    assert (json.loads(out)["done"], json.loads(out)["failed"]) == (12, {})
    assert findings(tmp_path / "out") == findings(tmp_path / "local")


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
    tmp_path: Path, address: str, package: str, what: str
) -> None:
    """In one line, before anything runs, though the other worker is fine; another told of the user's code."""
    study(tmp_path, WITH_A_MIDDLE)
    stub = tmp_path / "stub" / "netveil"
    stub.mkdir(parents=True)
    (stub / "__init__.py").touch()
    (stub / "_version.py").write_text(package, encoding="utf-8")
    command = (*NETVEIL, "experiment", "plan.toml", "--out", "out", "--dask", address)
    with workers(address, tmp_path, 1), workers(address, tmp_path, 1, PYTHONPATH=str(stub.parent)):
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=HANG)

    assert (done.returncode, done.stdout) == (2, "")
    code_of_the_user, error = done.stderr.splitlines()
    assert code_of_the_user.startswith("measure mymeasures:waiting runs code of ")
    assert what in error and error.startswith("netveil: the Dask worker tcp://127.0.0.1:")
    assert not (tmp_path / "out").exists()


@pytest.mark.thorough
def test_ctrl_c_leaves_the_workers_free_for_others(tmp_path: Path, address: str) -> None:
    """Exit code 130, and an endless run that was under way is over: the only worker has time for another."""
    study(tmp_path, ENDLESS)
    command = (*NETVEIL, "experiment", "plan.toml", "--out", "out", "--dask", address, "--json")
    with workers(address, tmp_path, 1), started(*command, folder=tmp_path) as process:
        until((tmp_path / "under way").is_file, by=process)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=HANG)
        with distributed.Client(address, set_as_default=False) as other:
            assert other.submit(pow, 2, 5).result(timeout=HANG) == 32

    assert (process.returncode, json.loads(out)["interrupted"]) == (130, True)
    assert "the same command goes on from there" in said(tmp_path)


def test_a_lost_cluster_is_told_rather_than_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    """Whatever Dask raises: versions differ."""
    (task, *_) = read_plan(study(tmp_path)).tasks()
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
def test_a_scheduler_lost_in_the_middle_costs_no_run(tmp_path: Path) -> None:
    """One line and exit code 1, though all tasks are handed out; none of them is said to have failed."""
    study(tmp_path, ENDLESS)
    with scheduler(tmp_path) as (process, own), workers(own, tmp_path, 1) as (worker,):
        command = (*NETVEIL, "experiment", "plan.toml", "--out", "out", "--dask", own)
        with started(*command, folder=tmp_path, DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT="15s") as run:
            until((tmp_path / "under way").is_file, by=run)
            process.kill()
            run.communicate(timeout=HANG)
        worker.kill()  # it would take its time

    assert run.returncode == 1
    assert "the same command goes on from there" in said(tmp_path)
    assert "defect" not in said(tmp_path)
    assert list((tmp_path / "out" / "failed").iterdir()) == []


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    "wrong", ["nonsense", "", "tcp://", "tcp://host", "host:port", "http://host:1", "a b:1"]
)
def test_what_is_no_address_is_told_at_once(wrong: str) -> None:
    """Before anybody is called; what Dask may know is tried."""
    with pytest.raises(SettingError, match="this is no address; give the one that"):
        DaskPool(wrong)
    for right in ("127.0.0.1:8786", "tcp://node-7:1", "tls://[::1]:8786", "inproc://1/2/3"):
        check_address(right)
