"""Blocks on disk: what is counted in them is what is counted in one memory."""

from __future__ import annotations

import errno
import pickle
import stat
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any
from unittest.mock import DEFAULT, Mock

import numpy as np
import pytest
from cut_networks import in_blocks, in_memory, with_a_hub
from hypothesis import given, strategies as st

from graphs import networks
from netveil.anonymity import Attackers
from netveil.blocks import Blocks, cut_network, cutting, measuring, open_blocks
from netveil.blocks.measuring import Run, Task, TaskFolders, here
from netveil.errors import FileError, SettingError
from netveil.kernels.triangles import ranked
from netveil.network import Network

MEASURES = ("degree", "count", "edge-count", "degree-distribution")


def counted(blocks: Blocks, folder: Path, run: Run = here, *, ties: bool = False) -> Any:
    """Count in blocks, with a folder for what tasks find: triangles and sums of each node, by rank."""
    folder.mkdir(exist_ok=True)
    known = (None,) if ties else (((0, 1),),)
    return measuring._counted(blocks, known, TaskFolders.of(blocks, folder), run)


@pytest.fixture(autouse=True, scope="module")
def _few_edges_at_once() -> Iterator[None]:
    """Sums over edges in many steps."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(measuring, "EDGES_AT_ONCE", 7)
        yield


@given(networks(max_nodes=14), st.integers(1, 5))
def test_blocks_say_what_the_network_says(network: Network, blocks: int) -> None:
    """On any small network, to each attacker and to all of them; blocks may be empty."""
    attackers = Attackers.of(MEASURES)
    with tempfile.TemporaryDirectory() as folder:
        made = cut_network(network, Path(folder, "blocks"), blocks)

        assert in_blocks(Path(folder, "blocks"), attackers) == in_memory(network, attackers)
        assert (made.block_count, made.edge_count) == (blocks, network.edge_count)


@pytest.mark.quick(4)
@pytest.mark.parametrize(
    ("measure", "blocks"), [*product(MEASURES, (1, 4)), *((MEASURES[:3], each) for each in (2, 3, 5))]
)
def test_somebody_who_knows_everybody_is_in_one_block(
    tmp_path: Path, measure: str | tuple[str, ...], blocks: int
) -> None:
    """A heavy tail, exactly and with doubts of 10%; nobody else shares the block of the hub."""
    network = with_a_hub()
    made = cut_network(network, tmp_path / "blocks", blocks)

    for fuzzy in (None, "10%")[: 1 if measure == "degree-distribution" else 2]:
        attackers = Attackers.of(measure, fuzzy=fuzzy, k=4)
        assert in_blocks(tmp_path / "blocks", attackers) == in_memory(network, attackers)
    assert blocks < 4 or 0 < made.size(0) < 10


@given(networks(max_nodes=14), st.integers(1, 4))
def test_triangles_of_blocks_are_those_of_the_network(network: Network, blocks: int) -> None:
    """On each node, by rank; sums over edges are the same exactly where the triangles on all of them are."""
    node_of_rank = ranked(network.degrees)
    around = [set(network.neighbours(node).tolist()) for node in range(network.node_count)]
    on_edges = [sorted(len(around[u] & around[v]) for v in around[u]) for u in node_of_rank.tolist()]
    with tempfile.TemporaryDirectory() as name:
        cut_network(network, Path(name, "blocks"), blocks)
        made = open_blocks(Path(name, "blocks"))
        by_node, _ = counted(made, Path(name, "found"))
        by_edge, sums = counted(made, Path(name, "found"), ties=True)
        nodes = made.nodes()

    assert by_node.tolist() == by_edge.tolist() == [sum(edges) // 2 for edges in on_edges]
    assert nodes.tolist() == node_of_rank.tolist()
    alike = [[one == other for other in on_edges] for one in on_edges]
    assert (sums[:, :, None] == sums[:, None, :]).all(axis=0).tolist() == alike


def test_a_hub_that_has_more_than_a_share_is_alone_in_a_block() -> None:
    """A block ends with the node that fills it, and the next one may be empty."""
    assert cutting.cut_ranks(np.array([90] + [2] * 30, np.int32), 4).tolist() == [0, 1, 1, 16, 31]


def test_a_task_holds_three_blocks_of_edges_at_most(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And no edge is in two files."""
    network = with_a_hub()
    cut_network(network, tmp_path / "blocks", 4)
    blocks = open_blocks(tmp_path / "blocks")
    read: list[tuple[int, int]] = []
    rows = Blocks.rows
    most: dict[str, int] = {}

    def noted(self: Blocks, pair: tuple[int, int]) -> Any:
        """Read a file, and write down which."""
        read.append(pair)
        return rows(self, pair)

    monkeypatch.setattr(Blocks, "rows", noted)

    def one_by_one(tasks: list[Task]) -> Iterator[tuple[Task, Any]]:
        """Run tasks as on this machine, and look at what each of them reads."""
        for task, result in here(tasks):
            most[task[0].__name__] = max(most.get(task[0].__name__, 0), len(read))
            read.clear()
            yield task, result

    counted(blocks, tmp_path / "found", one_by_one)
    counted(blocks, tmp_path / "found", one_by_one, ties=True)
    degrees = np.zeros(network.node_count, np.int64)
    for u, v in blocks.pairs:
        targets = rows(blocks, (u, v)).targets
        np.add.at(degrees, blocks.first_ranks[v] + targets, 1)
        degrees[blocks.ranks(u)] += np.diff(rows(blocks, (u, v)).offsets)

    assert most == {"count_on_nodes": 3, "count_on_ties": 3, "sum_on_ties": 1}
    assert np.array_equal(degrees, blocks.degrees())


def test_a_task_that_is_run_twice_counts_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As when a worker seemed to be dead, and was not; and what comes back to the command is small."""
    network, attackers = with_a_hub(600, 1000), Attackers.of(("count", "degree-distribution"), k=3)
    cut_network(network, tmp_path / "blocks", 3)
    sent = []

    def twice(tasks: list[Task]) -> Iterator[tuple[Task, Any]]:
        """Run each task again, after all of them, before anybody hears of the first time."""
        list(here(tasks))
        for task, result in here(tasks[::-1]):
            sent.append(len(pickle.dumps(result)))
            yield task, result

    monkeypatch.setattr(measuring, "here", twice)

    assert in_blocks(tmp_path / "blocks", attackers) == in_memory(network, attackers)
    assert max(sent) < network.node_count  # bytes: not even one for each person
    assert [entry.name for entry in tmp_path.iterdir()] == ["blocks"]


def failing_after(times: int, error: Exception, work: Any = None) -> Mock:
    """A function that works so many times, and then fails."""
    return Mock(wraps=work, side_effect=[*[DEFAULT] * times, error])


FULL = OSError(errno.ENOSPC, "No space left on device")
FAULTS: dict[str, tuple[Any, str, Callable[[], Mock], str]] = {
    "counting on a full disk": (np, "save", lambda: failing_after(3, FULL, np.save), "counted cannot be"),
    "counting without memory": (
        *(measuring, "count_on_nodes", lambda: failing_after(0, MemoryError())),
        "lacks memory for three blocks",
    ),
    "cutting on a full disk": (np, "save", lambda: failing_after(0, FULL), "blocks cannot be written: No sp"),
    "cutting until it is full": (np, "save", lambda: failing_after(3, FULL, np.save), "blocks cannot be"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_told_in_one_line_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    """Neither blocks that are not whole, nor what was counted, nor hidden folders."""
    if counts := fault.startswith("counting"):
        cut_network(with_a_hub(), tmp_path / "blocks", 2)
    where, name, instead, told = FAULTS[fault]
    monkeypatch.setattr(where, name, instead())
    with pytest.raises((FileError, SettingError), match=told):
        if counts:
            in_blocks(tmp_path / "blocks", Attackers.of("count"))
        else:
            cut_network(with_a_hub(), tmp_path / "blocks", 2)

    assert [entry.name for entry in tmp_path.iterdir()] == ["blocks"] * counts


def test_a_folder_of_blocks_is_private_and_overwritten_only_if_asked(tmp_path: Path) -> None:
    """No label is in it; tasks of more blocks need less memory. What is no folder of blocks stays."""
    network = Network.from_edges([("anna", "bob"), ("bob", "cleo"), ("anna", "cleo"), ("cleo", "dan")])
    cut_network(network, tmp_path / "blocks", 2)
    assert stat.S_IMODE((tmp_path / "blocks").stat().st_mode) == 0o700
    assert not [file for file in (tmp_path / "blocks").iterdir() if b"anna" in file.read_bytes()]
    with pytest.raises(FileError, match="exists already"):
        cut_network(network, tmp_path / "blocks", 3)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.txt").touch()
    with pytest.raises(FileError, match="is not a folder of blocks"):
        cut_network(network, tmp_path / "other", overwrite=True)

    assert cut_network(network, tmp_path / "blocks", 3, overwrite=True).block_count == 3
    few, many = (cut_network(with_a_hub(), tmp_path / str(blocks), blocks) for blocks in (2, 5))
    assert max(map(many.bytes_of, many.triples())) < max(map(few.bytes_of, few.triples()))


def test_blocks_of_another_version_or_cutting_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Numbers of blocks that were cut again meanwhile would be mixed with those of the others."""
    monkeypatch.setattr(cutting, "__version__", "0.0.1")
    cut_network(with_a_hub(), tmp_path / "blocks")
    monkeypatch.undo()
    with pytest.raises(FileError, match=r"blocks of netveil 0\.0\.1, and this is netveil .*; cut the net"):
        open_blocks(tmp_path / "blocks")

    before, _ = (cut_network(with_a_hub(), tmp_path / "blocks", overwrite=True) for _ in range(2))
    with pytest.raises(FileError, match="holds other blocks than those that are being counted"):
        counted(replace(before, folder=tmp_path / "blocks"), tmp_path / "found")


def test_a_damaged_or_missing_file_is_told(tmp_path: Path) -> None:
    """Rather than counted, or read beyond its end."""
    cut_network(with_a_hub(), tmp_path / "blocks", 2)
    blocks = open_blocks(tmp_path / "blocks")
    file = blocks.file((1, 1))
    np.save(file, np.load(file)[:-1])

    with pytest.raises(FileError, match=r"edges-001-001\.npy is damaged; cut the network again"):
        counted(blocks, tmp_path / "found")
    file.unlink()
    with pytest.raises(FileError, match=r"edges-001-001\.npy is missing: machines that count must see"):
        counted(blocks, tmp_path / "found")
    (tmp_path / "blocks" / "blocks.json").write_text("[]", encoding="utf-8")
    with pytest.raises(FileError, match="is no folder of blocks"):
        open_blocks(tmp_path / "blocks")


@pytest.mark.parametrize(
    ("attackers", "told"),
    [
        (Attackers.of("vertex-refinement"), "vertex-refinement cannot be measured in blocks"),
        (Attackers.of("degree-distribution", distance=2), "degree-distribution, distance 2 cannot be"),
        (Attackers.of("count", distance=2), "count, distance 2 cannot be measured in blocks"),
        (Attackers.of("count", twins=True), "twins cannot be told in blocks"),
        (Attackers.of("count", k=1000), "k = 1000 is more than"),
    ],
)
def test_what_blocks_cannot_tell_is_refused(tmp_path: Path, attackers: Attackers, told: str) -> None:
    """Before anything is counted."""
    cut_network(with_a_hub(), tmp_path / "blocks")

    with pytest.raises(SettingError, match=told):
        in_blocks(tmp_path / "blocks", attackers)
