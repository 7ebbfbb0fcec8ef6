"""Whether a search fits into memory, told before it starts: later, only the system could tell, by a kill.

What is estimated is the least that a search takes: measured with annealing on networks of 100 and of 300,000
edges, with few and with many triangles, and around people at risk on one of 9.3 million. A search that passes
may still be too large.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from pathlib import Path

from netveil.errors import NetworkError
from netveil.network import Network

BYTES_TO_START = 300_000_000  # of addresses, for compiled code and libraries
BYTES_AN_EDGE = 300
BYTES_AN_EDGE_AROUND = 70  # where a search keeps to the surroundings of people at risk
MEGABYTE = 1_000_000

_started = threading.Event()


def check_memory(
    network: Network, room: Callable[[], int | None] | None = None, *, in_part: bool = False
) -> None:
    """Raise if a search in this network, or in part of it, cannot fit into the memory of this process."""
    left = (room_for_addresses if room is None else room)()
    # After the first search of a process, what all of them need is there already.
    an_edge = BYTES_AN_EDGE_AROUND if in_part else BYTES_AN_EDGE
    needed = (0 if _started.is_set() else BYTES_TO_START) + an_edge * network.edge_count
    if left is not None and needed > left:
        raise NetworkError(
            f"{network.name}: a search takes at least {needed // MEGABYTE:,} MB of memory, and "
            f"{left // MEGABYTE:,} MB are left to this process. Raise its limit (ulimit -v), or search on a "
            f"larger machine."
        )
    _started.set()


def room_for_addresses() -> int | None:
    """Bytes that this process may still take by its limit; None where it has none, or nobody tells."""
    if sys.platform == "win32":
        return None
    import resource

    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return None
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except (OSError, ValueError, IndexError):
        return limit
    return max(0, limit - pages * resource.getpagesize())
