"""Is each point of a curve as good as a search for that point alone, with the same share of the time?

    python benchmarks/curve_points.py ../shared/networks/fb-reed98.txt --time 60 --seeds 3

People left at risk, means of the seeds, one row a budget. Seconds are those of the processor, shared out
among the threads, so that a busy machine prints what an idle one would.
"""

from __future__ import annotations

import argparse

import numpy as np

import netveil as nv
from timed_search import timed_search


def main() -> None:
    """Print the table."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--time", type=float, default=60.0, help="seconds of the whole curve")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first-seed", type=int, default=1)
    options = parser.parse_args()
    seeds = range(options.first_seed, options.first_seed + options.seeds)
    print("| network | budget | seconds | point of the curve | search for it alone |\n|" + "---|" * 5)
    for file in options.files:
        network = nv.read(file)
        curves = [
            timed_search(network, "5%", options.time, seed, cpu=True, curve=True).curve for seed in seeds
        ]
        budgets = [point.budget for point in curves[0]]
        for place, budget in enumerate(budgets):
            seconds = options.time * budget / sum(budgets)
            alone = [timed_search(network, budget, seconds, seed, cpu=True).at_risk_after for seed in seeds]
            on_curve = [curve[place].at_risk for curve in curves]
            cells = (network.name, f"{budget:,}", f"{seconds:.1f}", told(on_curve), told(alone))
            print("| " + " | ".join(cells) + " |", flush=True)


def told(left: list[int]) -> str:
    """The mean, and all of them."""
    return f"{np.mean(left):.1f} ({', '.join(map(str, left))})"


if __name__ == "__main__":
    main()
