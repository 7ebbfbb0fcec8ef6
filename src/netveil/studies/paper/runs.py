"""The finished runs of the paper's experiment, by network and algorithm, and what they come to."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from netveil.studies.paper.published import GENETIC
from netveil.studies.spread import Spread

Row = dict[str, Any]
"""A row of `netveil.experiments.results_table`."""

DEVIATIONS = 2  # a difference of more than so many standard deviations is worth a sentence


@dataclass(frozen=True)
class Group:
    """The runs of one algorithm, with one configuration, on one network."""

    network: str
    algorithm: str  # es, ua, ga or uga
    configuration: str | None  # of ga and uga
    rows: tuple[Row, ...]

    @property
    def left(self) -> list[int]:
        """Unique nodes left by each run."""
        return [row["unique_after"] for row in self.rows]

    @property
    def reductions(self) -> list[int]:
        """By how many unique nodes fewer each run has."""
        return [row["unique_before"] - row["unique_after"] for row in self.rows]

    def spread(self, value: Callable[[Row], float | None]) -> Spread | None:
        """Mean and deviation of something about each run; None without any."""
        return Spread.of(value(row) for row in self.rows)


class PaperRuns:
    """The runs that a plan asked for, as far as they are finished."""

    def __init__(self, rows: Sequence[Row], networks: Sequence[str], configurations: Sequence[str]) -> None:
        self.rows = tuple(rows)
        self.networks = tuple(networks)
        self.configurations = tuple(configurations)

    def group(self, network: str, algorithm: str, configuration: str | None = None) -> Group:
        """The runs of this algorithm on this network; it may hold none."""
        name = algorithm if configuration is None else f"{algorithm}-{configuration}"
        rows = (row for row in self.rows if row["network"] == network and row["algorithm"] == name)
        return Group(network, algorithm, configuration, tuple(rows))

    def best(self, network: str, algorithm: str) -> Group:
        """What the paper's main part reports: of GA and UGA the configuration with the lowest mean."""
        if algorithm not in GENETIC:
            return self.group(network, algorithm)
        groups = [self.group(network, algorithm, each) for each in self.configurations]
        return min(groups, key=lambda group: fmean(group.left) if group.rows else float("inf"))


def lowest_average(folder: Path, group: Group) -> float | None:
    """The lowest mean of unique nodes over the steps of a baseline: averaged over runs first, as there.

    Steps that not all runs took, because some had solved the problem before, are left out. None without runs,
    or where the trace of one of them is missing or damaged: the mean of the others would be another figure.
    """
    traces = [_at_risk_by_step(folder / "runs" / row["run"] / "trace.csv") for row in group.rows]
    shared = set.intersection(*(set(trace) for trace in traces)) if traces else set()
    return min((fmean(trace[step] for trace in traces) for step in shared), default=None)


def _at_risk_by_step(file: Path) -> dict[int, int]:
    """The nodes at risk after each step of a run; none if the file cannot be read."""
    try:
        with file.open(encoding="utf-8", newline="") as stream:
            return {int(row["step"]): int(row["at_risk"]) for row in csv.DictReader(stream)}
    except (OSError, ValueError, KeyError, TypeError, csv.Error):  # not there, no number, no column, cut off
        return {}
