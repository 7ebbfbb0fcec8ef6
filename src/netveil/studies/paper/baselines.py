"""ES and UA, averaged in the two ways in which the paper can be read, beside its figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from netveil.studies.paper.formats import Table, cells
from netveil.studies.paper.published import BASELINES, REDUCTIONS
from netveil.studies.paper.runs import DEVIATIONS, PaperRuns, lowest_average
from netveil.studies.paper.scope import title_of
from netveil.studies.spread import NOTHING, Spread, existing, shown


@dataclass(frozen=True)
class Baseline:
    """By how many unique nodes fewer a baseline leaves on a network, in both readings."""

    network: str
    algorithm: str  # es or ua
    mean_of_lowest: Spread | None  # each run's own lowest value, then the mean; None without runs
    lowest_of_means: float | None  # the mean at each step, then the lowest; None without all traces
    published: int | None  # None where the network is not the paper's

    @property
    def is_far(self) -> bool:
        """Whether the published figure is further from one of the readings than two standard deviations.

        The deviation is that of the runs' own lowest values: the paper prints none for the baselines.
        """
        if self.published is None or self.mean_of_lowest is None:
            return False
        readings = existing((self.mean_of_lowest.mean, self.lowest_of_means))
        furthest = max(abs(reading - self.published) for reading in readings)
        return furthest > DEVIATIONS * (self.mean_of_lowest.deviation or 0.0)

    @property
    def sentence(self) -> str:
        """Both readings against the published figure, which probably is of the second kind."""
        assert self.published is not None and self.mean_of_lowest is not None, "there is nothing to compare"
        first, second = self.mean_of_lowest, self.lowest_of_means
        other = (
            "the lowest of the means is not known, as a trace.csv is missing"
            if second is None
            else f"{second:,.1f} as the lowest of the means, {_verdict(second, self.published)}"
        )
        return (
            f"{self.algorithm.upper()} on {title_of(self.network)}, reduction of unique nodes: "
            f"{self.published:,} published, probably as the lowest of the means over runs. Here "
            f"{first.text(',.1f')} as the mean of each run's lowest, {_verdict(first.mean, self.published)}; "
            f"{other}."
        )


def _verdict(ours: float, published: int) -> str:
    """Which way and how far ours lies from the published reduction.

    >>> _verdict(39.8, 34), _verdict(3, 11), _verdict(2.0000000001, 2)
    ('better by 5.8', 'worse by 8.0', 'the same')
    """
    gap = round(abs(ours - published), 1)  # a mean of floats may miss a whole number by a hair
    return f"{'better' if ours > published else 'worse'} by {gap:,.1f}" if gap else "the same"


def baselines_of(runs: PaperRuns, folder: Path) -> list[Baseline]:
    """ES and UA on each network; the folder holds the runs' traces."""
    found = []
    for network in runs.networks:
        for algorithm in BASELINES:
            group = runs.group(network, algorithm)
            lowest = lowest_average(folder, group)
            fewer = None if lowest is None else group.rows[0]["unique_before"] - lowest
            published = REDUCTIONS[network].by[algorithm] if network in REDUCTIONS else None
            found.append(Baseline(network, algorithm, Spread.of(group.reductions), fewer, published))
    return found


def baselines_table(baselines: Sequence[Baseline], scope: str) -> Table:
    """Both readings and the published figure, a row a network and algorithm."""
    rows, records = [], []
    for each in baselines:
        own, fewer, published = each.mean_of_lowest, each.lowest_of_means, each.published
        second = NOTHING if fewer is None else f"{fewer:,.1f}"
        theirs = NOTHING if published is None else f"{published:,}"
        label = (title_of(each.network), each.algorithm.upper())
        rows.append(cells(*label, shown(own, ",.1f"), second, theirs))
        records.append(
            {
                "network": each.network,
                "algorithm": each.algorithm,
                "mean_of_lowest": None if own is None else own.mean,
                "lowest_of_means": fewer,
                "published": published,
                "scope": scope,
            }
        )
    return Table(
        name="baselines",
        title="ES and UA, averaged in two ways",
        note=(
            "Reduction of unique nodes. Table 1 above takes the lowest value that each run met, and then the "
            "mean. The paper probably averages over the runs at each number of deletions, and then takes the "
            f"lowest, which never is a larger reduction. {NOTHING}: no run, a run's trace.csv is missing, or "
            f"not a network of the paper. {scope}"
        ),
        columns=("network", "algorithm", "mean of the lowest", "lowest of the means", "published"),
        rows=tuple(rows),
        records=tuple(records),
        labels=2,
    )
