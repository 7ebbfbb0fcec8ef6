"""What handing out runs costs: the time of workers beside the time of the runs that they did.

    python benchmarks/dispatch.py
    python benchmarks/dispatch.py --workers 2 --runs 40 --algorithm uga --network demo

A worker's time is that from the first task handed out to the last result written, so starting processes,
sending tasks, writing results and waiting for the last run are all in it. The goal is under 5%. The second
row is of runs that take no time to speak of, and tells what one run costs beyond itself.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import netveil as nv
from netveil.studies import Plan, Summary, planned_algorithm, planned_network, run_plan
from netveil.threads import available_cores


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--workers", type=int, default=available_cores())
    parser.add_argument("--dask", help="address of a scheduler, to measure its workers instead")
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--network", default="demo")
    parser.add_argument("--algorithm", default="uga")
    arguments = parser.parse_args()
    workers = None if arguments.dask else arguments.workers
    print("| runs | workers | time of the runs | time of the workers | beyond the runs | beyond, each run |")
    print("|---|---|---|---|---|---|")
    for network, algorithm, runs in (
        (arguments.network, arguments.algorithm, arguments.runs),
        ("karate", "es", 20 * arguments.runs),
    ):
        summary = measured(network, algorithm, runs, workers, arguments.dask)
        spent = summary.seconds * summary.workers
        beyond = spent - summary.run_seconds
        print(
            f"| {runs} {algorithm} on {network} | {summary.workers} | {summary.run_seconds:.1f} s | "
            f"{spent:.1f} s | {beyond / spent:.1%} | {1000 * beyond / runs:.1f} ms |",
            flush=True,
        )


def measured(network: str, algorithm: str, runs: int, workers: int | None, dask: str | None) -> Summary:
    """How an experiment of so many runs ended."""
    plan = Plan(
        name="dispatch",
        networks=(planned_network(network, nv.load(network)),),
        algorithms=(planned_algorithm(algorithm),),
        seeds=tuple(range(1, runs + 1)),
    )
    with tempfile.TemporaryDirectory() as folder:
        return run_plan(plan, Path(folder) / "runs", workers=workers, dask=dask)


if __name__ == "__main__":
    main()
