"""Made-up runs, as rows of a results table, for the paper's tables and figures."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from netveil.studies.paper_tables import (
    CONFIGURATIONS,
    GENETIC,
    PAPER_ALGORITHMS,
    PROPERTIES,
    SOURCES,
    PaperRuns,
)

Row = dict[str, Any]
NETWORKS = tuple(PROPERTIES)
SHARED_PAPER = Path(__file__).resolve().parents[3] / "shared" / "paper"


def made_up_rows(seeds: int = 5, networks: tuple[str, ...] = NETWORKS) -> list[Row]:
    """Runs of every algorithm on every network, with numbers that look like those of runs."""
    rng = random.Random(7)
    rows = []
    for network in networks:
        for algorithm in PAPER_ALGORITHMS:
            genetic = [prefix + each for prefix in SOURCES.values() for each in CONFIGURATIONS]
            for configuration in genetic if algorithm in GENETIC else (None,):
                rows += [_row(rng, network, algorithm, configuration, seed) for seed in range(1, seeds + 1)]
    return rows


def made_up_runs(seeds: int = 5, networks: tuple[str, ...] = NETWORKS) -> PaperRuns:
    """The same, as tables take them."""
    return PaperRuns(made_up_rows(seeds, networks), networks, CONFIGURATIONS)


def _row(rng: random.Random, network: str, algorithm: str, configuration: str | None, seed: int) -> Row:
    before = int(PROPERTIES[network][-1])
    left = rng.uniform(0.3, 0.6) if algorithm in GENETIC else rng.uniform(0.93, 1.0)
    name = algorithm if configuration is None else f"{algorithm}-{configuration}"
    row: Row = {
        "network": network,
        "algorithm": name,
        "seed": seed,
        "unique_before": before,
        "unique_after": round(before * left),
        "deleted_share": rng.uniform(0.01, 0.05),
        "seconds": rng.uniform(0.5, 9.0) if algorithm in GENETIC else rng.uniform(0.01, 0.02),
        "run": f"{network}_{name}_{seed}",
        "version": "1.2.3",
    }
    for metric in ("clustering", "path_length", "lcc"):
        old = rng.uniform(0.5, 4)
        change = rng.uniform(-0.1, 0.1)
        row |= {f"{metric}_before": old, f"{metric}_change": change, f"{metric}_score": None}
    for metric in ("centrality", "communities"):
        row |= {f"{metric}_score": rng.uniform(0.6, 1.0)}
    return row
