"""Default search of `netveil anonymize` beside the audit of its release: CPU seconds, and their ratio.

    python benchmarks/auditing.py demo ../shared/networks/*.txt

The audit is bounded by counted work, so that the ratio is to stay below 1 wherever a search takes its usual
time (problems that are looked through completely take next to none). Seed 1, everything compiled before.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import netveil as nv
from netveil.auditing import Audit
from netveil.job import Anonymization
from netveil.progress import finished
from netveil.release.gather import audit_for


def cpu_seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds of some work on all threads, and what comes of it."""
    began = time.process_time()
    result = work()
    return time.process_time() - began, result


def audited(release: nv.Release) -> Audit:
    """The audit of a release as its report has it."""
    return finished(audit_for(release, Anonymization()))


def main(argv: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("networks", nargs="*", default=["demo"], help="files, or names of built-in networks")
    networks = parser.parse_args(argv).networks
    compiling = nv.anonymize(nv.load("demo"), seed=1, effort=0.01)
    audited(compiling)
    print("| network | nodes | edges | search, s | audit, s | ratio | attackers | cases of matching |")
    print("|---|---|---|---|---|---|---|---|")
    for given in networks:
        network = nv.read(given) if Path(given).exists() else nv.load(given)
        searched, release = cpu_seconds(partial(nv.anonymize, network, seed=1))
        took, audit = cpu_seconds(partial(audited, release))
        print(
            f"| {network.name} | {network.node_count:,} | {network.edge_count:,} | {searched:.1f} "
            f"| {took:.1f} | {took / searched:.2f} | {len(audit.attacks)} | {len(audit.matching)} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
