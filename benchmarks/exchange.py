"""When does it show which chain will be ahead at the end, and what does it bring to go on from there?

    python benchmarks/exchange.py ../shared/networks/fb-reed98.txt --proposals 24_000_000 --chains 16
    python benchmarks/exchange.py ../shared/networks/fb-reed98.txt --proposals 16_000_000 --pairs 10

The first prints, for shares of the walk, how people at risk then and at the end go together over all chains.
The second walks pairs of chains with one exchange after the other, from the same seeds: people left at risk.
"""

from __future__ import annotations

import argparse
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np

import netveil as nv
from netveil.anonymity import attackers_of
from netveil.search import Control, Problem
from netveil.search.annealing.chains import Chain, Chains, Legs
from netveil.search.annealing.walk import Schedule

SHARES = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
LEGS, LEGS_OF_MEAN = 400, 8
EXCHANGES = {"none": (), "after a third": (1 / 3,), "from six tenths on": (0.6, 0.7, 0.8, 0.9)}


def main() -> None:
    """Print one of the tables, or both."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("file")
    parser.add_argument("--proposals", type=int, default=16_000_000, help="of each chain")
    parser.add_argument("--chains", type=int, default=0)
    parser.add_argument("--pairs", type=int, default=0)
    parser.add_argument("--first-seed", type=int, default=201)
    options = parser.parse_args()
    network = nv.read(options.file)
    problem = Problem(
        network,
        attackers_of("count"),
        k=2,
        budget=network.edge_count // 20,
        edge_order=np.arange(network.edge_count),
    )
    if options.chains:
        correlations(problem, options.proposals, options.chains, options.first_seed)
    if options.pairs:
        exchanges(problem, options.proposals, options.pairs, options.first_seed)


def correlations(problem: Problem, proposals: int, chains: int, first_seed: int) -> None:
    """How well people at risk on the way tell those at the end."""
    with ThreadPoolExecutor(2) as threads:
        seeds = range(first_seed, first_seed + chains)
        walks = np.array(list(threads.map(partial(walked, problem, proposals), seeds)))
    ends = walks[:, -1]
    print(f"at the end: {ends.mean():.1f}, standard deviation {ends.std(ddof=1):.1f}")
    print(
        "| share of the walk | at risk | standard deviation | correlation with the end |\n|---|---|---|---|"
    )
    for share in SHARES:
        until = int(share * LEGS)
        then = walks[:, until - LEGS_OF_MEAN : until].mean(axis=1)
        cells = (
            f"{share:g}",
            f"{then.mean():.1f}",
            f"{then.std(ddof=1):.1f}",
            f"{np.corrcoef(then, ends)[0, 1]:.2f}",
        )
        print("| " + " | ".join(cells) + " |")


def walked(problem: Problem, proposals: int, seed: int) -> list[int]:
    """People at risk after each leg of a chain, and of the best that it met."""
    chain, schedule = Chain(problem, seed), Schedule.fit_for(problem, problem.budget, 0)
    at_risk = []
    for leg in range(LEGS):
        chain.advance(schedule, proposals // LEGS, leg / LEGS, (leg + 1) / LEGS)
        at_risk.append(chain.walk.at_risk)
    return [*at_risk, chain.at_risk]


def exchanges(problem: Problem, proposals: int, pairs: int, first_seed: int) -> None:
    """What pairs of chains leave, with one way of exchange after the other."""
    print("| exchange | at risk | standard error | each pair |\n|---|---|---|---|")
    for name, shares in EXCHANGES.items():
        with ThreadPoolExecutor(2) as threads:
            seeds = range(first_seed, first_seed + pairs)
            left = list(threads.map(partial(left_by_pair, problem, proposals, shares), seeds))
        error = np.std(left, ddof=1) / len(left) ** 0.5
        print(f"| {name} | {np.mean(left):.1f} | {error:.1f} | {', '.join(map(str, left))} |", flush=True)


def left_by_pair(problem: Problem, proposals: int, shares: tuple[float, ...], seed: int) -> int:
    """People at risk in the best solution of two chains that exchange after these shares of their walk."""
    chains = Chains(problem, 2, np.random.default_rng(seed), 1, None)
    schedule, legs = Schedule.fit_for(problem, problem.budget, 0), Legs(proposals, Control())
    waiting = list(shares)
    while not legs.at_the_end:
        leg = legs.next_leg()
        for chain in chains.chains:
            chain.advance(schedule, *leg)
        while waiting and leg[2] >= waiting[0]:
            waiting.pop(0)
            chains.go_on_from_the_best()
    return chains.best.at_risk


if __name__ == "__main__":
    main()
