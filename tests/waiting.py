"""Waiting for what must happen, however long a slow or busy machine takes."""

from __future__ import annotations

import inspect
import subprocess
import time
from collections.abc import Callable

HANG = 900.0  # seconds that only what hangs can take


def until(happened: Callable[[], bool], by: subprocess.Popen[str] | None = None) -> None:
    """Wait for something to happen, as long as the process lives that is to do it."""
    end = time.monotonic() + HANG
    while not happened():
        what = " ".join(inspect.getsource(happened).split()) if inspect.isfunction(happened) else happened
        assert by is None or by.poll() is None or happened(), f"the process ended before {what}"
        assert time.monotonic() < end, f"something hangs: never {what}"
        time.sleep(0.02)
