"""Draws docs/search.svg: nodes at risk at each level while the annealing walks, on the built-in demo network.

python scripts/make_search_picture.py
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import netveil as nv
from netveil.anonymity import attackers_of
from netveil.kernels.annealing.walk_state import Walk
from netveil.search import Problem
from netveil.search.annealing.build_walk import levels_of
from netveil.search.annealing.chain import Chain
from netveil.search.annealing.schedule import Schedule
from netveil.search.edge_order import edge_order

PROPOSALS, LEGS = 1_000_000, 200


def main() -> None:
    """Walk once and draw."""
    network = nv.load("demo")
    budget = network.edge_count // 20
    problem = Problem(network, attackers_of("count"), 2, budget, edge_order(network))
    chain = Chain(problem, levels_of(problem), seed=1, picky=True)
    schedule = Schedule.fit_for(problem, budget)
    shares = np.linspace(0, 1, LEGS + 1)
    assert isinstance(chain.walk, Walk)
    at_risk = [chain.walk.counts.at_risk.copy()]
    for since, until in pairwise(shares):
        chain.advance(schedule, PROPOSALS // LEGS, float(since), float(until))
        at_risk.append(chain.walk.counts.at_risk.copy())

    figure, (above, below) = plt.subplots(2, 1, figsize=(7, 5), height_ratios=(3, 1), sharex=True)
    for level, row in enumerate(np.array(at_risk).T):
        label = "exact states" if level == 0 else f"coarser level {level}"
        above.plot(
            100 * shares, row, label=label, color=plt.cm.viridis(level / 6), lw=2.2 if level == 0 else 1
        )
    above.set_ylabel("nodes at risk")
    above.legend(frameon=False)
    below.plot(100 * shares, [schedule.temperature(share) for share in shares], label="temperature")
    below.plot(
        100 * shares, [schedule.smoothing_at(share) for share in shares], label="weight of coarser levels"
    )
    below.set_yscale("symlog", linthresh=0.1)
    below.set_xlabel("% of the walk done")
    below.legend(frameon=False)
    for axes in (above, below):
        axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(Path(__file__).parent.parent / "docs" / "search.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
