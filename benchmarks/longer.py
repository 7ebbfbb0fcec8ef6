"""What a longer search brings: people left at risk after several times, and what ten times the time leaves.

    python -m benchmarks longer ../shared/networks/*.txt --times 6,60,600 --budgets 1%,5% --seeds 3

Measure count, k = 2. Each cell is the mean over the seeds, with each of them in brackets, and how many
solutions are tried for each edge. A factor compares two searches of one seed, one at least five times as long
as the other; where it is not ten times, it is what ten would make of it: the power 1 / log10(ratio). Searches
too short for a forecast, and those that leave too few, are left out, as the report leaves them out. The rows
at the end are those of `TENFOLD` in src/netveil/search/annealing/annealing.py: of all networks, budgets and
seeds together the first tenth, the middle and the last tenth, by how many deletions the budget has for each
node at risk.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations
from math import log10
from typing import NamedTuple

import numpy as np

import netveil as nv
from benchmarks import header, listed, opened, parser_of, row
from benchmarks.search import timed_search
from netveil.report.summary import FEW, PROPOSALS_AN_EDGE
from netveil.search.annealing.annealing import TENFOLD

LEAST_RATIO = 5.0  # of two times: below, the seeds' noise is most of the factor


class Run(NamedTuple):
    """A search of one seed."""

    time: float
    at_risk: int
    proposals_an_edge: float


def main(argv: list[str]) -> None:
    """Print the table, and the rows."""
    parser = parser_of(__name__, __doc__)
    parser.add_argument("networks", nargs="*", default=["demo"], help="files, or names of built-in networks")
    parser.add_argument("--times", type=listed, default=["6", "60", "600"], help="seconds")
    parser.add_argument("--budgets", type=listed, default=["1%", "5%"])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--cpu", action="store_true", help="count seconds of the processor")
    asked = parser.parse_args(argv)
    times = sorted(map(float, asked.times))
    seeds = range(asked.first_seed, asked.first_seed + asked.seeds)
    by_deletions: dict[float, list[float]] = defaultdict(list)

    header("network", "budget", "deletions a node at risk", *(f"{time:g} s" for time in times))
    for given in asked.networks:
        network = opened(given)
        for budget in asked.budgets:
            runs, deletions = searched(network, budget, times, seeds, asked)
            row(network.name, budget, f"{deletions:.2f}", *map(told, zip(*runs, strict=True)))
            from_here = max(each.deletions for each in TENFOLD if each.deletions <= deletions)
            for of_one_seed in runs:
                by_deletions[from_here] += factors(of_one_seed)

    print()
    header("deletions a node at risk, from", "pairs", "low", "likely", "high")
    for deletions, found in sorted(by_deletions.items()):
        if found:
            low, likely, high = np.quantile(found, (0.1, 0.5, 0.9))
            row(f"{deletions:g}", len(found), f"{low:.2f}", f"{likely:.2f}", f"{min(high, 1):.2f}")


def searched(
    network: nv.Network, budget: str, times: list[float], seeds: range, options: argparse.Namespace
) -> tuple[list[list[Run]], float]:
    """The runs of each seed by time, and how many deletions the budget has for each node at risk."""
    runs = []
    for seed in seeds:
        of_one_seed = []
        for time in times:
            outcome = timed_search(network, budget, time, seed, threads=options.threads, cpu=options.cpu)
            of_one_seed.append(Run(time, outcome.at_risk_after, outcome.evaluations / network.edge_count))
        runs.append(of_one_seed)
    return runs, outcome.budget / max(outcome.at_risk_before, 1)


def told(runs: tuple[Run, ...]) -> str:
    """What searches of one time left, the mean and each, and how many solutions they tried for each edge."""
    mean, proposals = np.mean([run[1:] for run in runs], axis=0)
    return f"{mean:.1f} ({', '.join(str(run.at_risk) for run in runs)}); {proposals:,.0f}"


def factors(runs: list[Run]) -> Iterator[float]:
    """What ten times the time leaves, from each two runs that are far enough apart."""
    for short, long in combinations(runs, 2):
        told = short.proposals_an_edge >= PROPOSALS_AN_EDGE and short.at_risk >= FEW
        if told and long.time >= LEAST_RATIO * short.time:
            yield float((long.at_risk / short.at_risk) ** (1 / log10(long.time / short.time)))
