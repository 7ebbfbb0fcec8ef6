"""One search by the clock or, on a busy machine, by the seconds of the processor; for other benchmarks."""

from __future__ import annotations

import time
from collections.abc import Callable

import netveil as nv
from netveil.anonymity import Attackers
from netveil.job import Anonymization
from netveil.kernels.arrays import IntVector
from netveil.progress import finished
from netveil.search import Control, Outcome, searching

COUNT = Attackers.of("count", k=2)


def timed_search(
    network: nv.Network,
    budget: str | float,
    seconds: float,
    seed: int,
    *,
    attackers: Attackers = COUNT,
    threads: int = 2,
    cpu: bool,
    curve: bool = False,
    start: IntVector | None = None,
) -> Outcome:
    """One search of so many seconds.

    With `cpu`, they are seconds of the processor, shared out among the threads, so that a busy machine finds
    what an idle one would.
    """
    request = Anonymization(
        measures=attackers, budget=budget, time=seconds, seed=seed, threads=threads, curve=curve
    )
    clock: Callable[[], float] = (lambda: time.process_time() / threads) if cpu else time.perf_counter
    return finished(searching(network, request, Control(clock=clock)))
