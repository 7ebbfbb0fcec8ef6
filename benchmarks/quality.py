"""Unique nodes left by the paper's algorithms, beside the published figures.

    python benchmarks/quality.py ../shared/networks --seeds 5

Budget 5% of the edges, measure count, k = 2. First GA and UGA under the four configurations: "no worse"
compares the best configuration of each row with the best published one, and says yes when the mean is at most
the published mean plus one standard deviation. Then the baselines, as the mean reduction of unique nodes.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import netveil as nv

PUBLISHED = {
    "ga": {
        "fb-reed98": (357, 8),
        "blogs": (285, 6),
        "fb-simmons": (607, 15),
        "college-msg": (146, 3),
        "grqc": (93, 6),
    },
    "uga": {
        "fb-reed98": (357, 7),
        "blogs": (288, 8),
        "fb-simmons": (625, 31),
        "college-msg": (136, 7),
        "grqc": (81, 6),
    },
}
"""Mean and standard deviation of the best configuration in the paper's appendix, by algorithm and network."""

PUBLISHED_REDUCTIONS = {
    "es": {"fb-reed98": 34, "blogs": 11, "fb-simmons": 26, "college-msg": 31, "grqc": 2},
    "ua": {"fb-reed98": 38, "blogs": 13, "fb-simmons": 41, "college-msg": 38, "grqc": 0},
}
"""Mean reduction of unique nodes in the paper's Table 2."""

PRESETS = ("conf1", "conf2", "conf3", "conf4")


def main() -> None:
    """Print both tables."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seeds", type=int, default=5)
    arguments = parser.parse_args()
    genetic_table(arguments.folder, arguments.seeds)
    print()
    baseline_table(arguments.folder, arguments.seeds)


def genetic_table(folder: Path, seeds: int) -> None:
    """GA and UGA under each configuration."""
    print("| | " + " | ".join(PRESETS) + " | published best | no worse | seconds a run | edges deleted |")
    print("|---|" + "---|" * (len(PRESETS) + 4))
    for algorithm, networks in PUBLISHED.items():
        for name, (mean, deviation) in networks.items():
            network = nv.read(folder / f"{name}.txt")
            left: dict[str, list[int]] = {preset: [] for preset in PRESETS}
            seconds, deleted = [], []
            for preset in PRESETS:
                for seed in range(seeds):
                    release = nv.anonymize(network, "5%", algorithm=algorithm, config=preset, seed=seed)
                    outcome = release.outcome
                    left[preset].append(outcome.unique_after)
                    seconds.append(outcome.seconds)
                    deleted.append(len(outcome.deleted_edges) / network.edge_count)
            best = min(float(np.mean(runs)) for runs in left.values())
            cells = [f"{np.mean(runs):.0f} ± {np.std(runs, ddof=1):.0f}" for runs in left.values()]
            verdict = "yes" if best <= mean + deviation else "no"
            print(
                f"| {algorithm} {name} | " + " | ".join(cells) + f" | {mean} ± {deviation} | {verdict} "
                f"| {np.mean(seconds):.1f} | {np.mean(deleted):.1%} |",
                flush=True,
            )


def baseline_table(folder: Path, seeds: int) -> None:
    """ES and UA: by how many unique nodes the best prefix reduces their number."""
    print("| | reduction | published |\n|---|---|---|")
    for algorithm, networks in PUBLISHED_REDUCTIONS.items():
        for name, published in networks.items():
            network = nv.read(folder / f"{name}.txt")
            runs = [
                nv.anonymize(network, "5%", algorithm=algorithm, seed=seed).outcome for seed in range(seeds)
            ]
            reductions = [run.unique_before - run.unique_after for run in runs]
            mean, deviation = np.mean(reductions), np.std(reductions, ddof=1)
            print(f"| {algorithm} {name} | {mean:.0f} ± {deviation:.0f} | {published} |", flush=True)


if __name__ == "__main__":
    main()
