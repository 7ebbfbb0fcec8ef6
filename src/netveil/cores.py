"""How many cores this process may use."""

from __future__ import annotations

import os


def available_cores() -> int:
    """Cores that the system lets this process have: a container or a job may have fewer than the machine."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
