"""Searches before and after a change: solutions tried a CPU second, and what they find, of two checkouts.

    python benchmarks/before_after.py --against ../other/.venv/bin/python ../shared/networks/fb-reed98.txt
    python benchmarks/before_after.py --against ../other/.venv/bin/python --measuring

Each search is one seed and a fixed effort on one thread, run twice by each checkout in turn; the quicker run
counts. The last columns tell whether both delete the same edges.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

RUNS: dict[str, dict[str, Any]] = {
    "annealing": {"effort": 0.2},
    "annealing, limits": {"effort": 0.1, "keep": {"clustering": "2%"}},
    "annealing, vertex-refinement": {"effort": 0.02, "measure": "vertex-refinement"},
    "ga": {"algorithm": "ga", "settings": {"patience": 5}},
    "uga": {"algorithm": "uga", "settings": {"patience": 5}},
    "ua": {"algorithm": "ua"},
}

SCRIPT = """
import hashlib, json, sys, time
import netveil as nv
name, options = sys.argv[1], json.loads(sys.argv[2])
network = nv.load(name) if name in ("karate", "demo") else nv.read(name)
nv.anonymize(nv.load("karate"), seed=1, threads=1, **options)  # compiles
began = time.process_time()
outcome = nv.anonymize(network, seed=1, threads=1, **options).outcome
seconds = time.process_time() - began
digest = hashlib.sha256(outcome.deleted_edges.astype("int64").tobytes()).hexdigest()[:8]
print(json.dumps([outcome.evaluations / seconds, outcome.at_risk_after, digest]))
"""

MEASURING = """
import time
import numpy as np
import netveil as nv
pairs = np.random.default_rng(1).integers(100_000, size=(1_000_000, 2))
nv.measure(nv.load("karate"))  # compiles
times = []
for _ in range(5):
    network = nv.Network.from_numbered_edges(pairs, 100_000)
    began = time.process_time()
    nv.measure(network)
    times.append(time.process_time() - began)
print(min(times))
"""


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--against", required=True, help="the Python of another checkout")
    parser.add_argument("networks", nargs="*", default=["demo"])
    parser.add_argument(
        "--measuring", action="store_true", help="CPU seconds of `measure` on a million edges"
    )
    options = parser.parse_args()
    if options.measuring:
        theirs, ours = (
            min(measured(python) for _ in range(2)) for python in (options.against, sys.executable)
        )
        print(f"measure, a million edges: {theirs:.3f} CPU s theirs, {ours:.3f} ours, {ours / theirs:.2f}")
        return
    print("| network | search | a CPU second, theirs | ours | ours / theirs | at risk | same edges |")
    print("|---|---|---|---|---|---|---|")
    for network in options.networks:
        for what, settings in RUNS.items():
            rounds = [
                [run(python, network, settings) for python in (options.against, sys.executable)]
                for _ in range(2)
            ]
            theirs, ours = (max(each[place][0] for each in rounds) for place in range(2))
            (_, before, one), (_, after, other) = rounds[0]
            print(
                f"| {Path(network).stem} | {what} | {theirs:,.0f} | {ours:,.0f} | {ours / theirs:.2f} "
                f"| {before} → {after} | {'yes' if one == other else 'no'} |",
                flush=True,
            )


def run(python: str, network: str, settings: dict[str, Any]) -> tuple[float, int, str]:
    """Solutions a CPU second, nodes left at risk, and a digest of the deleted edges."""
    done = subprocess.run(
        [python, "-c", SCRIPT, network, json.dumps(settings)], check=True, capture_output=True, text=True
    )
    rate, at_risk, digest = json.loads(done.stdout.splitlines()[-1])
    return rate, at_risk, digest


def measured(python: str) -> float:
    """CPU seconds to measure a million edges, the least of five."""
    done = subprocess.run([python, "-c", MEASURING], check=True, capture_output=True, text=True)
    return float(done.stdout.splitlines()[-1])


if __name__ == "__main__":
    main()
