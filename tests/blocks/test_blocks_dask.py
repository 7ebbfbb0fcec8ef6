"""Blocks on a real Dask cluster of this machine: the same document, also when a worker dies."""

from __future__ import annotations

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from cut_networks import in_blocks, in_memory, with_a_hub
from slow_counting import count_after_a_while

from dask_clusters import scheduler, workers
from netveil.anonymity import Attackers
from netveil.blocks import counting, cut_network
from netveil.errors import FileError
from waiting import HANG, until

pytest.importorskip("distributed")


def test_a_cluster_counts_what_this_machine_counts_though_a_worker_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While it has a task; everything is counted once. A file that workers cannot see is told."""
    network, attackers = with_a_hub(), Attackers.of(("count", "edge-count"), k=3)
    made = cut_network(network, tmp_path / "blocks", 3)
    (tmp_path / "begun").mkdir()
    (tmp_path / "middle").touch()
    monkeypatch.setenv(
        "PYTHONPATH", os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    )
    monkeypatch.setattr(counting, "count_triple", count_after_a_while)
    with (
        scheduler(tmp_path) as (_, address),
        workers(address, tmp_path, 2) as (first, _),
        ThreadPoolExecutor(1) as pool,
    ):
        found = pool.submit(in_blocks, tmp_path / "blocks", attackers, address)
        until(lambda: found.done() or len(list((tmp_path / "begun").iterdir())) >= 2)
        first.send_signal(signal.SIGKILL)
        (tmp_path / "middle").unlink()

        assert found.result(timeout=HANG) == in_memory(network, attackers)
        begun = len(list((tmp_path / "begun").iterdir()))
        assert begun > len(made.triples()), "the task of the worker that died was not run again"
        (tmp_path / "blocks" / "edges-002-000.npy").unlink()
        with pytest.raises(FileError, match=r"edges-002-000\.npy is missing: machines that count must see"):
            in_blocks(tmp_path / "blocks", attackers, address)
