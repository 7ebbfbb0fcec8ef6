"""People left at risk by searches of equal time: a row a network, budget, k and algorithm, and unlike seeds.

    python -m benchmarks search ../shared/networks/*.txt --budgets 1%,5% --time 60 --threads 2
    python -m benchmarks search ../shared/networks/*.txt --time 3 --algorithms annealing,uga,ga,ua,es

With `--cpu`, seconds are those of the processor, shared out among the threads, so that a busy machine prints
what an idle one would. Behind a mean stand the seeds; then deletions of the budget, and how many proposals.
GA and UGA run without their stop after 40 generations in vain. ES and UA are over at once, so they are
repeated with other seeds until the time is up, and the best counts.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import product

import numpy as np

import netveil as nv
from benchmarks import header, listed, mean_and_each, opened, parser_of, row
from netveil.anonymity import Attackers
from netveil.job import Anonymization
from netveil.progress import finished
from netveil.search import Control, Outcome, searching

COUNT = Attackers.of("count", k=2)
OVER_AT_ONCE = ("es", "ua")


def main(argv: list[str]) -> None:
    """Print the table."""
    parser = parser_of(__name__, __doc__)
    parser.add_argument("networks", nargs="*", default=["demo"], help="files, or names of built-in networks")
    parser.add_argument("--algorithms", type=listed, default=["annealing"])
    parser.add_argument("--budgets", type=listed, default=["5%"])
    parser.add_argument("--k", type=listed, default=["2"], help="one or several, such as 2,3,5")
    parser.add_argument("--measure", default="count")
    parser.add_argument("--time", type=float, default=60.0, help="seconds of a search")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--cpu", action="store_true", help="count seconds of the processor")
    asked = parser.parse_args(argv)
    seeds = range(asked.first_seed, asked.first_seed + asked.seeds)
    columns = (
        "network",
        "budget",
        "k",
        "algorithm",
        "at risk before",
        "left",
        "deleted",
        "seconds",
        "million proposals/s",
    )
    header(*columns)
    for given in asked.networks:
        network = opened(given)
        for budget, k, algorithm in product(asked.budgets, map(int, asked.k), asked.algorithms):
            found = [
                timed_search(
                    network,
                    budget,
                    asked.time,
                    seed,
                    attackers=Attackers.of(asked.measure, k=k),
                    algorithm=algorithm,
                    threads=asked.threads,
                    cpu=asked.cpu,
                )
                for seed in seeds
            ]
            deleted = np.mean([len(outcome.deleted_edges) for outcome in found])
            took = np.mean([outcome.seconds for outcome in found])
            rate = np.mean([outcome.evaluations / outcome.seconds for outcome in found]) / 1e6
            left = mean_and_each(outcome.at_risk_after for outcome in found)
            of_budget = f"{deleted:,.0f} of {found[0].budget:,}"
            figures = found[0].at_risk_before, left, of_budget, f"{took:.2f}", f"{rate:.2f}"
            row(network.name, budget, k, algorithm, *figures)


def timed_search(
    network: nv.Network,
    budget: str | float,
    seconds: float,
    seed: int,
    *,
    attackers: Attackers = COUNT,
    algorithm: str = "annealing",
    threads: int = 2,
    cpu: bool,
) -> Outcome:
    """One search of so many seconds, or the best of as many as fit into them.

    With `cpu`, they are seconds of the processor, shared out among the threads, so that a busy machine finds
    what an idle one would.
    """
    clock: Callable[[], float] = (lambda: time.process_time() / threads) if cpu else time.perf_counter
    settings = {"patience": 10**9} if algorithm in ("ga", "uga") else {}

    def searched(seed: int) -> Outcome:
        job = Anonymization(
            measures=attackers,
            budget=budget,
            time=seconds,
            seed=seed,
            threads=threads,
            algorithm=algorithm,
            settings=settings,
        )
        return finished(searching(network, job, Control(clock=clock)))

    if algorithm not in OVER_AT_ONCE:
        return searched(seed)
    end, found = clock() + seconds, [searched(10_000 * seed)]
    while clock() < end:
        found.append(searched(10_000 * seed + len(found)))
    return min(found, key=lambda outcome: outcome.at_risk_after)
