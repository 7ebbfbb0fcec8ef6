"""Tasks that wait, so that there is a middle in which to kill a worker; workers import this module."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from netveil.blocks import counting
from netveil.blocks.counting import TaskFolders


def _wait(place: TaskFolders) -> None:
    """Say that we have begun, and wait as long as there is a file `middle` beside the blocks."""
    Path(place.folder).with_name("begun").joinpath(f"{time.monotonic_ns()}").touch()
    while Path(place.folder).with_name("middle").exists():
        time.sleep(0.02)


def count_on_nodes(place: TaskFolders, *given: Any) -> None:
    """Count in three blocks, later."""
    _wait(place)
    counting.count_on_nodes(place, *given)


def sum_on_ties(place: TaskFolders, *given: Any) -> None:
    """Add up what was found on the edges of a pair, later."""
    _wait(place)
    counting.sum_on_ties(place, *given)
