"""What should (μ + λ)-selection do among equals? Unique nodes left by UGA under two rules.

    python benchmarks/equals.py ../shared/networks/college-msg.txt … --seeds 5

"chance" lets chance decide, as the paper's silence suggests; "more deletions" is netveil's rule. In both an
individual that repeats another one comes last, and needless deletions are restored at the end. Each cell has
the lowest and the highest mean over the four configurations, and the mean number of edges deleted.
"""

from __future__ import annotations

import argparse

import numpy as np

import netveil as nv
from netveil.kernels.arrays import Words
from netveil.search import genetic
from netveil.search.genetic import IntRow, fittest

PRESETS = ("conf1", "conf2", "conf3", "conf4")


def by_chance(
    objectives: IntRow, deleted: IntRow, words: Words, count: int, rng: np.random.Generator
) -> IntRow:
    """netveil's selection, blind to the number of deletions."""
    return fittest(objectives, np.zeros_like(deleted), words, count, rng)


RULES = {"chance": by_chance, "more deletions": fittest}


def main() -> None:
    """Print the table."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("networks", nargs="+")
    parser.add_argument("--seeds", type=int, default=5)
    arguments = parser.parse_args()
    print("| network | " + " | ".join(RULES) + " |\n|---|" + "---|" * len(RULES))
    for file in arguments.networks:
        network = nv.read(file)
        cells = [_cell(network, rule, arguments.seeds) for rule in RULES]
        print(f"| {network.name} | " + " | ".join(cells) + " |", flush=True)


def _cell(network: nv.Network, rule: str, seeds: int) -> str:
    setattr(genetic, "fittest", RULES[rule])  # noqa: B010  # stands in for the rule of the module
    means, deleted = [], []
    for preset in PRESETS:
        runs = [
            nv.anonymize(network, "5%", algorithm="uga", config=preset, seed=seed).outcome
            for seed in range(seeds)
        ]
        means.append(np.mean([run.unique_after for run in runs]))
        deleted += [len(run.deleted_edges) for run in runs]
    return f"{min(means):.0f}–{max(means):.0f}, {np.mean(deleted):.0f} edges"


if __name__ == "__main__":
    main()
