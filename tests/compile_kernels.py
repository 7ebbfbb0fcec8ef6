"""Compiles the kernels that most of the first tests need, once and before them.

The processes of a test run would each compile them, at the same time. `make test` runs this beside the check
of types, which takes one core only. Nothing depends on it: what is not compiled here, a test compiles.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import netveil as nv


def search(**asked: Any) -> nv.Release:
    """A search that is over when it has compiled."""
    effort = {"effort": 1e-6} if asked.get("algorithm", "annealing") == "annealing" else {}
    return nv.anonymize(nv.load("karate"), **{"budget": "10%", "seed": 1, **effort, **asked})


def for_sums() -> None:
    """States that are sums of contacts and triangles, and what is done with a release."""
    keep = {"clustering": "50%", "lcc": "50%"}
    search()
    search(keep=keep)
    release = search(curve=True)
    for algorithm in ("ga", "es", "ua"):
        search(algorithm=algorithm)
        search(algorithm=algorithm, keep=keep)
    for algorithm in ("class-targeted", "sana"):
        search(algorithm=algorithm)
    nv.compare(release.original, release)
    nv.audit(release.original, release)


def for_other_states() -> None:
    """States that are followed node by node; with limits or GA they are other kernels, for thorough tests."""
    for algorithm in ("annealing", "es", "ua"):
        search(measure="degree-distribution", algorithm=algorithm)


KINDS: dict[str, Callable[[], None]] = {"other-states": for_other_states, "sums": for_sums}


def main() -> int:
    """Compile for one kind of states, or for all, each in a process of its own."""
    if sys.argv[1:]:
        KINDS[sys.argv[1]]()
        return 0
    processes = [subprocess.Popen([sys.executable, __file__, kind]) for kind in KINDS]
    return max(process.wait() for process in processes)


if __name__ == "__main__":
    sys.exit(main())
