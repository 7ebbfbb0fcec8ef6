"""Blocks on a real Dask cluster of this machine, one of whose workers dies, and on workers without memory.

No worker ever holds the network: one counts that could not.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple, cast

import cut_networks
import pytest
from cut_networks import hold_everything, in_blocks, in_memory, limited, with_a_hub

import netveil as nv
from dask_clusters import scheduler, workers
from netveil.anonymity import Attackers
from netveil.blocks import cut_network, measuring, open_blocks
from netveil.blocks.measuring import TaskFolders
from netveil.errors import FileError, SettingError
from waiting import HANG, until

pytestmark = pytest.mark.thorough  # starts a cluster
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are tried on Linux")


class Cluster(NamedTuple):
    """A scheduler's address, and workers that tests may kill; one must be left in the end."""

    address: str
    workers: list[subprocess.Popen[str]]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Three workers, for all tests of this module."""
    pytest.importorskip("dask")
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
    monkeypatch.setattr(measuring, name, getattr(cut_networks, name))
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


EDGES = 1_000_000
BLOCKS = 8


@on_linux
@pytest.mark.parametrize("measure", ["count", "degree-distribution"])
def test_a_worker_with_less_memory_than_the_ties_take_counts_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, measure: str
) -> None:
    """Each tie once in 32 bits is more than it may take; to hold them fails, to count them does not."""
    network, attackers = with_a_hub(20_000, EDGES), Attackers.of(measure)
    monkeypatch.setenv("MALLOC_MMAP_THRESHOLD_", "65536")  # what is let go is given back
    cut_network(with_a_hub(), tmp_path / "small", 2)
    in_blocks(tmp_path / "small", attackers)  # compiles here what the worker would have no room to compile
    cut_network(network, tmp_path / "blocks", BLOCKS)
    blocks = open_blocks(tmp_path / "blocks")
    adjacency = 4 * network.edge_count
    with limited(str(tmp_path / "small"), adjacency) as (run, pool):
        with pytest.raises(MemoryError):
            pool.submit(hold_everything, TaskFolders.of(blocks, tmp_path)).result()
        monkeypatch.setattr(measuring, "here", run)

        assert in_blocks(tmp_path / "blocks", attackers) == in_memory(network, attackers)


@on_linux
def test_a_file_is_cut_with_less_memory_than_its_ties_take(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To read it whole fails: cells and ties, 16 bytes a row, are more than the process may take."""
    monkeypatch.setenv("MALLOC_MMAP_THRESHOLD_", "65536")
    ties = "".join(f"{one},{one * 7 % 5000}\n" for one in range(5000))
    (tmp_path / "ties.csv").write_text(ties * 800, encoding="ascii")
    cut_network(with_a_hub(), tmp_path / "small", 2)
    nv.read(tmp_path / "ties.csv")  # compiles here what the process would have no room to compile
    cut_network(tmp_path / "ties.csv", tmp_path / "beforehand", 4)
    with limited(str(tmp_path / "small"), 50_000_000) as (_, pool):
        with pytest.raises(MemoryError):
            pool.submit(nv.read, tmp_path / "ties.csv").result()
        made = pool.submit(cut_network, tmp_path / "ties.csv", tmp_path / "blocks", 4).result()

    assert (made.is_streamed, made.node_count) == (True, 5000)
    assert made.dropped.duplicates > 3_900_000
