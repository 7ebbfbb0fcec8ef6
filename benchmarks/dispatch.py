"""What handing out runs costs: the time of workers beside the time of the runs that they did.

    python -m benchmarks dispatch
    python -m benchmarks dispatch --workers 2 --runs 40 --algorithm uga --network demo

A worker's time is that from the first task handed out to the last result written, so starting processes,
sending tasks, writing results and waiting for the last run are all in it. The goal is under 5%. The second
row is of runs that take no time to speak of, and tells what one run costs beyond itself.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import netveil as nv
from benchmarks import header, parser_of, row
from netveil.studies import Plan, Summary, planned_algorithm, planned_network, run_plan
from netveil.threads import available_cores


def main(argv: list[str]) -> None:
    """Print the table."""
    parser = parser_of(__name__, __doc__)
    parser.add_argument("--workers", type=int, default=available_cores())
    parser.add_argument("--dask", help="address of a scheduler, to measure its workers instead")
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--network", default="demo")
    parser.add_argument("--algorithm", default="uga")
    asked = parser.parse_args(argv)
    workers = None if asked.dask else asked.workers
    header(
        "runs", "workers", "time of the runs", "time of the workers", "beyond the runs", "beyond, each run"
    )
    for network, algorithm, runs in (
        (asked.network, asked.algorithm, asked.runs),
        ("karate", "es", 20 * asked.runs),
    ):
        done = measured(network, algorithm, runs, workers, asked.dask)
        spent = done.seconds * done.workers
        beyond = spent - done.run_seconds
        times = f"{done.run_seconds:.1f} s", f"{spent:.1f} s", f"{beyond / spent:.1%}"
        row(f"{runs} {algorithm} on {network}", done.workers, *times, f"{1000 * beyond / runs:.1f} ms")


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
