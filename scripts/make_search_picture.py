"""Draws docs/search.svg: nodes at risk and their gaps while the annealing walks, on the demo network.

python scripts/make_search_picture.py
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import netveil as nv
from netveil.anonymity import attackers_of
from netveil.kernels.annealing.walk_state import CellColumn, NodeColumn, Walk, WalkCount
from netveil.search import Problem
from netveil.search.annealing.chains import Chain
from netveil.search.annealing.walk import FIRST_UNIT, Schedule, find_partners
from netveil.search.problem import edge_order

PROPOSALS, LEGS = 10_000_000, 200
GAPS = (1, 4, 16, 64)


def main() -> None:
    """Walk once and draw."""
    network = nv.load("demo")
    budget = network.edge_count // 20
    problem = Problem(network, attackers_of("count"), 2, budget, edge_order(network))
    chain = Chain(problem, seed=1)
    schedule = Schedule.fit_for(problem, budget, enough=0)
    shares = np.linspace(0, 1, LEGS + 1)
    assert isinstance(chain.walk, Walk)
    rows, deleted = [_farther_than(chain.walk)], [0]
    for since, until in pairwise(shares):
        chain.walk_along(schedule.leg(PROPOSALS // LEGS, float(since), float(until)))
        rows.append(_farther_than(chain.walk))
        deleted.append(int(chain.walk.edges.counts[WalkCount.DELETED]))

    figure, (above, below) = plt.subplots(2, 1, figsize=(7, 5), height_ratios=(3, 1), sharex=True)
    for number, (gap, row) in enumerate(zip(GAPS, np.array(rows).T, strict=True)):
        label = "at risk" if gap == 1 else f"at risk, gap of {gap} or more"
        above.plot(100 * shares, row, label=label, color=plt.cm.viridis(number / 4), lw=2.2 - 0.4 * number)
    above.set_yscale("symlog", linthresh=10)
    above.set_ylim(bottom=0)
    above.set_ylabel("nodes")
    above.legend(frameon=False)
    below.plot(100 * shares, [schedule.temperature(share) for share in shares], label="temperature")
    below.plot(100 * shares, np.array(deleted) / budget, label="deleted, share of the budget")
    below.set_ylim(bottom=0)
    below.set_xlabel("% of the walk done")
    below.legend(frameon=False)
    for axes in (above, below):
        axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(Path(__file__).parent.parent / "docs" / "search.svg", metadata={"Date": None})


def _farther_than(walk: Walk) -> list[int]:
    """How many nodes are at risk whose nearest is so far away or farther, for each of GAPS."""
    find_partners(walk.people, 2)
    nodes = walk.people.nodes
    partners = nodes[nodes[:, NodeColumn.PARTNER]]
    gaps = FIRST_UNIT * np.abs(nodes[:, NodeColumn.DEGREE] - partners[:, NodeColumn.DEGREE])
    gaps += np.abs(nodes[:, NodeColumn.TRIANGLES] - partners[:, NodeColumn.TRIANGLES])
    at_risk = walk.people.states.cells[nodes[:, NodeColumn.CELL], CellColumn.SIZE] < 2
    return [int((gaps[at_risk] >= gap).sum()) for gap in GAPS]


if __name__ == "__main__":
    main()
