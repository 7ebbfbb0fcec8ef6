"""The appendix's table of the four final configurations, and what differs from the published figures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from netveil.studies.paper.formats import OURS, PUBLISHED, Cell, Table, cells
from netveil.studies.paper.published import CONFIGURATIONS, FINAL, GENETIC
from netveil.studies.paper.runs import DEVIATIONS, PaperRuns
from netveil.studies.paper.scope import title_of
from netveil.studies.spread import NOTHING, Spread, existing, recorded, shown


def configurations_table(runs: PaperRuns, scope: str) -> Table:
    """Unique nodes left by GA and UGA with each configuration, the best of each row in bold."""
    rows, records = [], []
    for algorithm in GENETIC:
        for network in runs.networks:
            for source, found in _of_both(runs, algorithm, network).items():
                best = min((spread.mean for spread in existing(found.values())), default=0.0)
                label = cells(algorithm.upper(), title_of(network), source)
                rows.append((*label, *(_cell(spread, best) for spread in found.values())))
                for configuration, spread in found.items():
                    records.append(
                        {
                            "algorithm": algorithm,
                            "network": network,
                            "source": source,
                            "configuration": configuration,
                            **recorded(spread, "mean_unique"),
                            "scope": scope if source == OURS else None,
                        }
                    )
    return Table(
        name="configurations",
        title="Appendix: unique nodes left by the four configurations",
        note=f"Mean ± standard deviation; the best of each row in bold. {NOTHING}: not run. {scope}",
        columns=("algorithm", "network", "source", *CONFIGURATIONS),
        rows=tuple(rows),
        records=tuple(records),
        labels=3,
    )


def _of_both(runs: PaperRuns, algorithm: str, network: str) -> dict[str, dict[str, Spread | None]]:
    """Our figures and the published ones, where there are any, by configuration."""
    ours = {each: Spread.of(runs.group(network, algorithm, each).left) for each in CONFIGURATIONS}
    if (algorithm, network) not in FINAL:
        return {OURS: ours}
    pairs = zip(CONFIGURATIONS, FINAL[algorithm, network], strict=True)
    return {OURS: ours, PUBLISHED: {each: Spread(mean, deviation, 5) for each, (mean, deviation) in pairs}}


def _cell(spread: Spread | None, best: float) -> Cell:
    return Cell(shown(spread), bold=spread is not None and round(spread.mean - best, 9) == 0)


@dataclass(frozen=True)
class Difference:
    """A configuration whose mean is far from the published one."""

    what: str  # the figure: 'GA conf1 on FB Reed98: unique nodes left'
    ours: Spread
    published: Spread

    @property
    def gap(self) -> float:
        """Of the means; above 0 where ours is better."""
        return self.published.mean - self.ours.mean

    @property
    def widest(self) -> float:
        """The larger of the two standard deviations."""
        return max(self.ours.deviation or 0.0, self.published.deviation or 0.0)

    @property
    def sentence(self) -> str:
        """For people; the reason is theirs to find."""
        gap, verdict = abs(self.gap), "better" if self.gap > 0 else "worse"
        times = f", {gap / self.widest:.1f} times the larger standard deviation" if self.widest else ""
        return (
            f"{self.what}: {self.ours.text()} here against {self.published.text()} published: {verdict} by "
            f"{gap:,.0f}{times}."
        )


def differences(runs: PaperRuns) -> list[Difference]:
    """Configurations that differ by more than two standard deviations, the larger of both sides."""
    return [found for found in _compared(runs) if abs(found.gap) > DEVIATIONS * found.widest]


def _compared(runs: PaperRuns) -> Iterator[Difference]:
    for algorithm, network in FINAL:
        if network in runs.networks:
            found = _of_both(runs, algorithm, network)
            for configuration, published in found[PUBLISHED].items():
                ours = found[OURS][configuration]
                if ours is not None and published is not None:
                    what = f"{algorithm.upper()} {configuration} on {title_of(network)}, unique nodes left"
                    yield Difference(what, ours, published)
