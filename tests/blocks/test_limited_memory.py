"""No worker ever holds the network: one counts that could not."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from cut_networks import in_blocks, in_memory, with_a_hub

import netveil as nv
from netveil.anonymity import Attackers
from netveil.blocks import cut_file, cut_network, measuring, open_blocks
from netveil.blocks.counting import TaskFolders

if sys.platform != "linux":
    pytest.skip("limits of memory are tried on Linux", allow_module_level=True)
from limited_worker import hold_everything, limited

EDGES = 1_000_000
BLOCKS = 8


@pytest.mark.thorough
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


@pytest.mark.thorough
def test_a_file_is_cut_with_less_memory_than_its_ties_take(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To read it whole fails: cells and ties, 16 bytes a row, are more than the process may take."""
    monkeypatch.setenv("MALLOC_MMAP_THRESHOLD_", "65536")
    ties = "".join(f"{one},{one * 7 % 5000}\n" for one in range(5000))
    (tmp_path / "ties.csv").write_text(ties * 800, encoding="ascii")
    cut_network(with_a_hub(), tmp_path / "small", 2)
    nv.read(tmp_path / "ties.csv")  # compiles here what the process would have no room to compile
    cut_file(tmp_path / "ties.csv", tmp_path / "beforehand", 4)
    with limited(str(tmp_path / "small"), 50_000_000) as (_, pool):
        with pytest.raises(MemoryError):
            pool.submit(nv.read, tmp_path / "ties.csv").result()
        made = pool.submit(cut_file, tmp_path / "ties.csv", tmp_path / "blocks", 4).result()

    assert (made.is_streamed, made.blocks.node_count) == (True, 5000)
    assert made.blocks.dropped.duplicates > 3_900_000
