"""A worker process that may take only so much more memory; it imports this module."""

from __future__ import annotations

import re
import resource
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from netveil.anonymity import Attackers
from netveil.blocks import cut_file, measure_blocks, open_blocks
from netveil.blocks.counting import Run, Task, TaskFolders


def warm_up(folder: str) -> None:
    """Load all code that cutting and counting need, by cutting a small file and counting in small blocks."""
    measure_blocks(open_blocks(folder), Attackers.of(("count", "degree-distribution")))
    with tempfile.TemporaryDirectory() as place:
        file = Path(place, "ties.csv")
        file.write_text("1,2\n2,3\n3,1\n", encoding="ascii")
        cut_file(file, Path(place, "blocks"), 2)


def limit(more: int) -> None:
    """Take no more memory than now, and so many bytes (RLIMIT_DATA: heap, stacks, anonymous mappings)."""
    now = re.search(
        r"^VmData:\s+(\d+) kB$", Path("/proc/self/status").read_text(encoding="ascii"), re.MULTILINE
    )
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

        def run(tasks: list[Task]) -> Iterator[tuple[int, Any]]:
            for number, (function, arguments) in enumerate(tasks):
                yield number, pool.submit(function, *arguments).result()

        yield run, pool
