"""Tasks that wait, so that there is a middle in which to kill a worker; workers import this module."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from netveil.blocks import counting, counting as classes
from netveil.blocks.counting import Place


def _wait(place: Place) -> None:
    """Say that we have begun, and wait as long as there is a file `middle` beside the blocks."""
    Path(place.folder).with_name("begun").joinpath(f"{time.monotonic_ns()}").touch()
    while Path(place.folder).with_name("middle").exists():
        time.sleep(0.02)


def count_after_a_while(place: Place, *given: Any) -> None:
    """Count in three blocks, later."""
    _wait(place)
    counting.count_on_nodes(place, *given)


def classes_after_a_while(place: Place, *given: Any) -> int:
    """Find the classes of a partition, later."""
    _wait(place)
    return classes.find_classes(place, *given)
