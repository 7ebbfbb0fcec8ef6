"""People left at risk by the default search: one row a network, budget and k, and what unlike seeds leave.

    python benchmarks/left_at_risk.py ../shared/networks/*.txt --budgets 1%,5% --time 60 --threads 2

With `--cpu`, seconds are those of the processor, shared out among the threads, so that a busy machine prints
what an idle one would. Behind a mean stand the seeds; then deletions of the budget, and how many proposals.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import netveil as nv
from netveil.anonymity import Attackers
from netveil.search import Outcome
from timed_search import timed_search


def main() -> None:
    """Print the table."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("networks", nargs="*", default=["demo"], help="files, or names of built-in networks")
    parser.add_argument("--budgets", default="5%")
    parser.add_argument("--k", default="2", help="one or several, such as 2,3,5")
    parser.add_argument("--measure", default="count")
    parser.add_argument("--time", type=float, default=60.0, help="seconds of a search")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--cpu", action="store_true", help="count seconds of the processor")
    options = parser.parse_args()
    seeds = range(options.first_seed, options.first_seed + options.seeds)
    print("| network | budget | k | at risk before | left | deleted | million proposals/s |\n|" + "---|" * 7)
    for given in options.networks:
        network = nv.read(given) if Path(given).is_file() else nv.load(given)
        for budget in options.budgets.split(","):
            for k in map(int, options.k.split(",")):
                attackers = Attackers.of(options.measure, k=k)
                outcomes = [
                    timed_search(
                        network,
                        budget,
                        options.time,
                        seed,
                        attackers=attackers,
                        threads=options.threads,
                        cpu=options.cpu,
                    )
                    for seed in seeds
                ]
                print(row(network.name, budget, k, outcomes), flush=True)


def row(name: str, budget: str, k: int, outcomes: list[Outcome]) -> str:
    """A row of the table."""
    left = [outcome.at_risk_after for outcome in outcomes]
    cells = [
        name,
        budget,
        str(k),
        f"{outcomes[0].at_risk_before:,}",
        f"{np.mean(left):.1f} ({', '.join(map(str, left))})",
        f"{np.mean([len(outcome.deleted_edges) for outcome in outcomes]):,.0f} of {outcomes[0].budget:,}",
        f"{np.mean([outcome.evaluations / outcome.seconds for outcome in outcomes]) / 1e6:.2f}",
    ]
    return "| " + " | ".join(cells) + " |"


if __name__ == "__main__":
    main()
