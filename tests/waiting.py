"""Waiting for what must happen, however long a slow or busy machine takes."""

from __future__ import annotations

import time
from collections.abc import Callable

HANG = 900.0  # seconds that only what hangs can take


def until(happened: Callable[[], bool]) -> None:
    """Wait for something to happen."""
    end = time.monotonic() + HANG
    while not happened():
        assert time.monotonic() < end, "it did not happen: something hangs"
        time.sleep(0.02)
