"""Blocks on a real Dask cluster of this machine: the same document, also when a worker dies."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple, cast

import pytest
import slow_counting
from cut_networks import in_blocks, in_memory, with_a_hub

from dask_clusters import scheduler, workers
from netveil.anonymity import Attackers
from netveil.blocks import cut_network, measuring
from netveil.errors import FileError, SettingError
from waiting import HANG, until

pytestmark = pytest.mark.thorough  # starts a cluster

pytest.importorskip("dask")


class Cluster(NamedTuple):
    """A scheduler's address, and workers that tests may kill; one must be left in the end."""

    address: str
    workers: list[subprocess.Popen[str]]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Three workers, for all tests of this module."""
    folder = tmp_path_factory.mktemp("cluster")
    paths = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", paths)
        with scheduler(folder) as (_, address), workers(address, folder, 3) as started:
            yield Cluster(address, list(started))


@pytest.mark.parametrize(
    ("name", "measure"), [("count_on_nodes", "edge-count"), ("sum_on_ties", "degree-distribution")]
)
def test_a_worker_that_is_killed_is_replaced(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, measure: str
) -> None:
    """While it counts, and while it adds up: everything is counted once, as in one memory."""
    network, attackers = with_a_hub(), Attackers.of(("count", measure), k=3)
    made = cut_network(network, tmp_path / "blocks", 3)
    (tmp_path / "begun").mkdir()
    (tmp_path / "middle").touch()
    monkeypatch.setattr(measuring, name, getattr(slow_counting, name))
    busy = len(cluster.workers)
    with ThreadPoolExecutor(1) as pool:
        found = pool.submit(in_blocks, tmp_path / "blocks", attackers, cluster.address)
        until(lambda: found.done() or len(list((tmp_path / "begun").iterdir())) >= busy)
        cluster.workers.pop().send_signal(signal.SIGKILL)
        (tmp_path / "middle").unlink()
        assert found.result(timeout=HANG) == in_memory(network, attackers)

    begun = len(list((tmp_path / "begun").iterdir()))
    once = len(made.triples()) if name == "count_on_nodes" else len(made.pairs)
    assert begun > once, "the task of the worker that died was not run again"
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["begun", "blocks"]


def test_a_cluster_counts_ties_as_this_machine_does(cluster: Cluster, tmp_path: Path) -> None:
    """For degree-distribution beside another attacker; a file that workers cannot see is told."""
    network, attackers = with_a_hub(), Attackers.of(("degree-distribution", "degree"), k=3)
    cut_network(network, tmp_path / "blocks", 3)

    assert in_blocks(tmp_path / "blocks", attackers, cluster.address) == in_memory(network, attackers)
    (tmp_path / "blocks" / "edges-002-000.npy").unlink()
    with pytest.raises(FileError, match=r"edges-002-000\.npy is missing: machines that count must see"):
        in_blocks(tmp_path / "blocks", attackers, cluster.address)


def test_a_worker_that_lacks_memory_is_told() -> None:
    """With what to do."""
    failed: Future[Any] = Future()
    failed.set_exception(MemoryError())

    with pytest.raises(SettingError, match=r"a worker lacks memory.* Give them more, or cut .* more blocks"):
        measuring._result(cast("Any", SimpleNamespace(address="tcp://127.0.0.1:1")), failed)
