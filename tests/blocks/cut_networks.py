"""Networks to cut into blocks, what is the same of one that is cut, and workers that are slow or lack memory.

Worker processes import this module.
"""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from netveil.anonymity import Anonymity, Attackers, anonymity_of
from netveil.blocks import cut_network, measure_blocks, measuring, open_blocks
from netveil.blocks.measuring import Run, Task, TaskFolders
from netveil.network import Network


def with_a_hub(nodes: int = 60, edges: int = 200) -> Network:
    """Somebody knows everybody, and others the fewer the higher their number."""
    rng = np.random.default_rng(3)
    ends = (nodes * rng.random((edges, 2)) ** 2).astype(np.int64)
    hub = np.column_stack((np.full(nodes - 1, nodes - 1), np.arange(nodes - 1)))
    return Network.from_numbered_edges(np.concatenate((hub, ends)), nodes)


def in_memory(network: Network, attackers: Attackers) -> tuple[Any, ...]:
    """What is found of a network that is measured in one memory."""
    found = anonymity_of(network, attackers.each, attackers.k)
    return _told(found, len(found.edges_at_risk(network)))


def in_blocks(folder: Path, attackers: Attackers, dask: str | None = None) -> tuple[Any, ...]:
    """What is found in blocks."""
    return _told(*measure_blocks(open_blocks(folder), attackers, dask=dask))


def _told(found: Anonymity, edges_at_risk: int) -> tuple[Any, ...]:
    """The document, lookalikes of each node, and edges at risk."""
    return found.to_dict(), found.lookalikes.tolist(), edges_at_risk


# A worker process that may take only so much more memory.


def warm_up(folder: str) -> None:
    """Load all code that cutting and counting need, by cutting a small file and counting in small blocks."""
    measure_blocks(open_blocks(folder), Attackers.of(("count", "degree-distribution")))
    with tempfile.TemporaryDirectory() as place:
        file = Path(place, "ties.csv")
        file.write_text("1,2\n2,3\n3,1\n", encoding="ascii")
        cut_network(file, Path(place, "blocks"), 2)


def limit(more: int) -> None:
    """Take no more memory than now, and so many bytes (RLIMIT_DATA: heap, stacks, anonymous mappings)."""
    import resource

    status = Path("/proc/self/status").read_text(encoding="ascii")
    now = re.search(r"^VmData:\s+(\d+) kB$", status, re.MULTILINE)
    assert now is not None
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    resource.setrlimit(resource.RLIMIT_DATA, (1024 * int(now[1]) + more, hard))


def hold_everything(place: TaskFolders) -> int:
    """Hold all edges, each once in 32 bits: what no worker of a network in blocks ever does."""
    blocks = place.blocks()
    return len(np.concatenate([blocks.rows(pair).targets for pair in blocks.pairs]))


@contextmanager
def limited(small: str, more: int) -> Iterator[tuple[Run, ProcessPoolExecutor]]:
    """Runs tasks in a process that has counted in small blocks, and may take so many more bytes."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        pool.submit(warm_up, small).result()
        pool.submit(limit, more).result()

        def run(tasks: list[Task]) -> Iterator[tuple[Task, Any]]:
            for task in tasks:
                yield task, pool.submit(task[0], *task[1]).result()

        yield run, pool


# Tasks that wait as long as there is a file `middle` beside the blocks, so that a worker can be killed then.


def _wait(place: TaskFolders) -> None:
    """Say that we have begun, and wait."""
    Path(place.folder).with_name("begun").joinpath(f"{time.monotonic_ns()}").touch()
    while Path(place.folder).with_name("middle").exists():
        time.sleep(0.02)


def count_on_nodes(place: TaskFolders, *given: Any) -> None:
    """Count in three blocks, later."""
    _wait(place)
    measuring.count_on_nodes(place, *given)


def sum_on_ties(place: TaskFolders, *given: Any) -> None:
    """Add up what was found on the edges of a pair, later."""
    _wait(place)
    measuring.sum_on_ties(place, *given)
