"""No worker ever holds the network: one counts that could not."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from cut_networks import in_blocks, in_memory, with_a_hub

from netveil.anonymity import Attackers
from netveil.blocks import counting, cut_network, measuring, open_blocks
from netveil.blocks.counting import place_for

if sys.platform != "linux":
    pytest.skip("limits of memory are tried on Linux", allow_module_level=True)
from limited_worker import hold_everything, limited

EDGES = 1_000_000
BLOCKS = 8


@pytest.mark.parametrize("measure", ["count", "degree-distribution"])
def test_a_worker_with_less_memory_than_the_ties_take_counts_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, measure: str
) -> None:
    """Each tie once in 32 bits is more than it may take; to hold them fails, to count them does not."""
    network, attackers = with_a_hub(20_000, EDGES), Attackers.of(measure)
    monkeypatch.setattr(counting, "LEAST_BYTES_OF_A_PART", 1 << 21)
    monkeypatch.setenv("MALLOC_MMAP_THRESHOLD_", "65536")  # what is let go is given back
    cut_network(with_a_hub(), tmp_path / "small", 2)
    cut_network(network, tmp_path / "blocks", BLOCKS)
    blocks = open_blocks(tmp_path / "blocks")
    adjacency = 4 * network.edge_count
    with limited(str(tmp_path / "small"), adjacency) as (run, pool):
        with pytest.raises(MemoryError):
            pool.submit(hold_everything, place_for(blocks, tmp_path)).result()
        monkeypatch.setattr(measuring, "here", run)

        assert in_blocks(tmp_path / "blocks", attackers) == in_memory(network, attackers)
