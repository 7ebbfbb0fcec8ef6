"""Waiting for what must happen, however long a slow or busy machine takes."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable

HANG = 900.0  # seconds that only what hangs can take


def until(happened: Callable[[], bool], by: subprocess.Popen[str] | None = None) -> None:
    """Wait for something to happen, as long as the process lives that is to do it."""
    end = time.monotonic() + HANG
    while not happened():
        assert by is None or by.poll() is None or happened(), "the process ended before it happened"
        assert time.monotonic() < end, "it did not happen: something hangs"
        time.sleep(0.02)
