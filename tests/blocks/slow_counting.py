"""A task that waits, so that there is a middle in which to kill a worker; workers import this module."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from netveil.blocks.counting import count_triple


def count_after_a_while(folder: str, cutting: str, triple: tuple[int, int, int]) -> Any:
    """Say that we have begun, wait as long as there is a file `middle` beside the blocks, and count."""
    Path(folder).with_name("begun").joinpath(f"{time.monotonic_ns()}").touch()
    while Path(folder).with_name("middle").exists():
        time.sleep(0.02)
    return count_triple(folder, cutting, triple)
