"""What a command costs as a process of its own."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path


def cpu_and_all_seconds(
    command: list[str], folder: Path | None = None, environment: Mapping[str, str] | None = None
) -> tuple[float, float]:
    """CPU seconds of a command, its own and the system's, and all seconds; what it prints is dropped."""
    began = time.perf_counter()
    process = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} failed")
    return used.ru_utime + used.ru_stime, time.perf_counter() - began
