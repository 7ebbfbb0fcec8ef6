"""The paper's tables beside published figures: Table 1, baselines, configurations, and what its text says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from itertools import product
from math import nan
from pathlib import Path
from statistics import fmean
from typing import Any

from netveil.anonymity import anonymity_of, attackers_of
from netveil.network import Network
from netveil.studies.paper.paper_figures import PANELS, seconds_of
from netveil.studies.paper.paper_runs import (
    DEVIATIONS,
    LEVEL,
    OURS,
    PUBLISHED,
    Cell,
    Group,
    PaperRuns,
    Table,
    cells,
    lowest_average,
    rank_sum_p,
    smallest_p,
    table,
)
from netveil.studies.paper.published import (
    BASELINES,
    CONFIGURATIONS,
    FINAL,
    GENETIC,
    PAIRS,
    PAPER_ALGORITHMS,
    PROPERTIES,
    REDUCTIONS,
    Properties,
    title_of,
)
from netveil.studies.study import NOTHING, Spread, existing, recorded, shown


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
    """Comparison of our reduction with the published one, in words.

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
        records.append({**asdict(each), "mean_of_lowest": None if own is None else own.mean})
    return table(
        "baselines",
        "ES and UA, averaged in two ways",
        "Reduction of unique nodes. Table 1 above takes the lowest value that each run met, and then the "
        "mean. The paper probably averages over the runs at each number of deletions, and then takes the "
        f"lowest, which never is a larger reduction. {NOTHING}: no run, a run's trace.csv is missing, or "
        "not a network of the paper.",
        scope,
        ("network", "algorithm", "mean of the lowest", "lowest of the means", "published"),
        rows,
        records,
        labels=2,
    )


# The appendix's table of the four final configurations, and what differs from the published figures.


def configurations_table(runs: PaperRuns, scope: str) -> Table:
    """Unique nodes left by GA and UGA with each configuration, the best of each row in bold."""
    rows, records = [], []
    for algorithm, network in product(GENETIC, runs.networks):
        for source, found in _of_both(runs, algorithm, network).items():
            best = min((spread.mean for spread in existing(found.values())), default=0.0)
            row = [*cells(algorithm.upper(), title_of(network), source)]
            for configuration, spread in found.items():
                is_best = spread is not None and round(spread.mean - best, 9) == 0
                row.append(Cell(shown(spread), is_best))
                about = {"algorithm": algorithm, "network": network, "source": source}
                about |= {"configuration": configuration, **recorded(spread, "mean_unique")}
                records.append({**about, "scope": scope if source == OURS else None})
            rows.append(row)
    return table(
        "configurations",
        "Appendix: unique nodes left by the four configurations",
        f"Mean ± standard deviation; the best of each row in bold. {NOTHING}: not run.",
        scope,
        ("algorithm", "network", "source", *CONFIGURATIONS),
        rows,
        records,
        labels=3,
    )


def _of_both(runs: PaperRuns, algorithm: str, network: str) -> dict[str, dict[str, Spread | None]]:
    """Our figures and the published ones, where there are any, by configuration."""
    ours = {each: Spread.of(runs.group(network, algorithm, each).left) for each in CONFIGURATIONS}
    if (algorithm, network) not in FINAL:
        return {OURS: ours}
    pairs = zip(CONFIGURATIONS, FINAL[algorithm, network], strict=True)
    return {OURS: ours, PUBLISHED: {each: Spread(mean, deviation, 5) for each, (mean, deviation) in pairs}}


@dataclass(frozen=True)
class Difference:
    """A configuration whose mean is far from the published one."""

    what: str  # the figure: 'GA conf1 on FB Reed98: unique nodes left'
    ours: Spread
    published: Spread

    @property
    def gap(self) -> float:
        """Difference of the means; above 0 where ours is better."""
        return self.published.mean - self.ours.mean

    @property
    def widest(self) -> float:
        """The larger of the two standard deviations."""
        return max(self.ours.deviation or 0.0, self.published.deviation or 0.0)

    @property
    def sentence(self) -> str:
        """The difference in words."""
        gap, verdict = abs(self.gap), "better" if self.gap > 0 else "worse"
        times = f", {gap / self.widest:.1f} times the larger standard deviation" if self.widest else ""
        return (
            f"{self.what}: {self.ours.text()} here against {self.published.text()} published: {verdict} by "
            f"{gap:,.0f}{times}."
        )


def differences(runs: PaperRuns) -> list[Difference]:
    """Configurations that differ by more than two standard deviations, the larger of both sides."""
    compared = []
    for algorithm, network in FINAL:
        if network in runs.networks:
            found = _of_both(runs, algorithm, network)
            for configuration, published in found[PUBLISHED].items():
                ours = found[OURS][configuration]
                if ours is not None and published is not None:
                    what = f"{algorithm.upper()} {configuration} on {title_of(network)}, unique nodes left"
                    compared.append(Difference(what, ours, published))
    return [each for each in compared if abs(each.gap) > DEVIATIONS * each.widest]


# Table 1: the networks (left half), and what the four algorithms achieve on them (right half).


NOT_SIGNIFICANT = "†"

_OTHER_WORDS = {"lcc": "largest component", "path_length": "average distance", "unique": "unique nodes"}
HEADINGS = {
    field.name: _OTHER_WORDS.get(field.name, field.name.replace("_", " ")) for field in fields(Properties)
}


def properties_of(network: Network) -> Properties:
    """The left half of Table 1 for any network, in the definitions that give the paper's figures."""
    from netveil.utility import METRICS, MetricSettings, Side

    side = Side(network, MetricSettings())
    unique = anonymity_of(network, attackers_of("count"), 2).unique
    nodes = network.node_count
    uniqueness = unique / nodes if nodes else 0.0
    measured: dict[str, Any] = {}
    for name in ("average_degree", "clustering", "lcc", "diameter", "path_length"):
        value = METRICS[name].compare(side, side).before
        # A network without edges has no distances; none of the paper's is like that.
        measured[name] = nan if value is None else value
    edges = network.edge_count
    return Properties(nodes=nodes, edges=edges, uniqueness=uniqueness, unique=unique, **measured)


def properties_table(properties: dict[str, Properties], scope: str) -> Table:
    """The networks' properties as computed here, and below each as published."""
    rows, records = [], []
    for network, ours in properties.items():
        both = {OURS: ours, PUBLISHED: PROPERTIES.get(network)}
        for source, found in both.items():
            if found is not None:
                rows.append(cells(title_of(network), source, *printed(found).values()))
                records.append({"network": network, "source": source, **asdict(found)})
    return table(
        "table-1-networks",
        "Table 1, left half: the networks",
        "Clustering leaves out nodes with fewer than two neighbours, which gives the paper's figures; "
        "largest component: share of the nodes in it; uniqueness: share of unique nodes, by measure count.",
        scope,
        ("network", "source", *HEADINGS.values()),
        rows,
        records,
        labels=2,
    )


def printed(properties: Properties) -> dict[str, str]:
    """Properties as the paper prints them: whole numbers in full, others to two digits."""
    whole = {"nodes", "edges", "diameter", "unique"}
    return {
        field.name: f"{getattr(properties, field.name):,.{0 if field.name in whole else 2}f}"
        for field in fields(properties)
    }


def factor(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Ratio of the mean of the second to that of the first; None where the divisor is 0."""
    if not first or not second or fmean(first) == 0:
        return None
    return fmean(second) / fmean(first)


def reductions_table(runs: PaperRuns, seeds: int, scope: str) -> Table:
    """Unique nodes fewer by each algorithm, improvement factors and whether they are significant."""
    records: list[dict[str, Any]] = []
    for network in runs.networks:
        best = {algorithm: runs.best(network, algorithm) for algorithm in PAPER_ALGORITHMS}
        records.append(_record(network, best))
        if network in REDUCTIONS:
            records.append(_published_record(network, records[-1]))
    headings = [algorithm.upper() for algorithm in PAPER_ALGORITHMS]
    pairs = [f"{first.upper()} vs. {second.upper()}" for first, second in PAIRS]
    return table(
        "table-1-results",
        "Table 1, right half: reduction of unique nodes",
        "Mean ± standard deviation of the runs; GA and UGA: the best of their configurations by mean, as "
        f"in the paper, named in brackets. Factor: ratio of the means, {NOTHING} where the divisor is 0. "
        f"{about_test(seeds)}",
        scope,
        ("network", "source", *headings, *pairs),
        (cells(title_of(record["network"]), record["source"], *_texts(record)) for record in records),
        records,
        labels=2,
    )


def about_test(seeds: int) -> str:
    """Sentence on the test, and on what it can show with this many seeds."""
    least = smallest_p(seeds, seeds)
    reach = (
        "With 1 run a side its p is always 1"
        if seeds == 1
        else f"With {seeds} runs a side its p cannot be less than {least:.2g}"
    )
    if least >= LEVEL:
        reach += ", so that nothing can be significant: ask for 4 seeds or more (--seeds)"
    return (
        f"{NOT_SIGNIFICANT} not significant at {LEVEL:.0%}: two-sided Wilcoxon rank-sum test (Mann–Whitney), "
        f"exact, for independent runs, not corrected for the number of comparisons. {reach}."
    )


def _texts(record: dict[str, Any]) -> Iterator[str]:
    """The reductions and factors of a record, as a row shows them."""
    for algorithm in PAPER_ALGORITHMS:
        mean, deviation, configuration = (
            record[f"{algorithm}_{figure}"] for figure in ("reduction", "deviation", "configuration")
        )
        name = "" if configuration is None else f" ({configuration})"
        yield NOTHING if mean is None else Spread(mean, deviation, record[f"{algorithm}_runs"]).text() + name
    for first, second in PAIRS:
        times = record[f"{first}_{second}_factor"]
        mark = f" {NOT_SIGNIFICANT}" if record[f"{first}_{second}_significant"] is False else ""
        yield (NOTHING if times is None else f"{times:,.2f}") + mark


def _record(network: str, best: dict[str, Group]) -> dict[str, Any]:
    """Reductions of a network, factors and p of the tests; None where an algorithm has no run."""
    record: dict[str, Any] = {"network": network, "source": OURS}
    for algorithm, group in best.items():
        spread = Spread.of(group.reductions)
        record |= {
            f"{algorithm}_reduction": None if spread is None else spread.mean,
            f"{algorithm}_deviation": None if spread is None else spread.deviation,
            f"{algorithm}_runs": len(group.rows),
            f"{algorithm}_configuration": group.configuration,
        }
    for first, second in PAIRS:
        both = best[first].left, best[second].left
        p = rank_sum_p(*both) if all(both) else None
        record |= {
            f"{first}_{second}_factor": factor(best[first].reductions, best[second].reductions),
            f"{first}_{second}_p": p,
            f"{first}_{second}_significant": None if p is None else p < LEVEL,
        }
    return record


def _published_record(network: str, like: dict[str, Any]) -> dict[str, Any]:
    """The published row, under the same keys; the paper has no deviations and no p there."""
    published = REDUCTIONS[network]
    record: dict[str, Any] = {**dict.fromkeys(like), "network": network, "source": PUBLISHED, "scope": None}
    record |= {f"{algorithm}_reduction": value for algorithm, value in published.by.items()}
    record |= {f"{algorithm}_runs": 5 for algorithm in PAPER_ALGORITHMS}
    for (first, second), times in zip(PAIRS, published.factors, strict=True):
        record[f"{first}_{second}_factor"] = times
        if times is not None:
            record[f"{first}_{second}_significant"] = (first, second) not in published.not_significant
    return record


# What the paper says in its text about figures that it prints without numbers, and what comes out here.


_PANELS = {panel.name: panel for panel in PANELS}
_TIMES, _SHARE, _DIGITS = "{:,.1f} times", "{:.2f}%", "{:.2f}"


def statements_table(runs: PaperRuns, scope: str) -> Table:
    """The paper's sentences with a number in them, and the same number from our runs."""
    found = [
        (what, published, NOTHING if ours is None else form.format(ours))
        for what, published, form, ours in _statements(runs)
    ]
    return table(
        "statements",
        "What the paper says in words",
        "Figures 2 and 3 of the paper have no numbers beside them; these are in its text. "
        "ES and UA: the mean of each run's lowest, as in Table 1.",
        scope,
        columns := ("statement", "published", "netveil"),
        (cells(*row) for row in found),
        (dict(zip(columns, row, strict=True)) for row in found),
    )


def _statements(runs: PaperRuns) -> Iterator[tuple[str, str, str, float | None]]:
    """Sentence, the paper's number, the form of ours, and ours."""
    by_baselines = (
        Spread.of(runs.group(name, each).reductions) for name in runs.networks for each in BASELINES
    )
    most = max((spread.mean for spread in existing(by_baselines)), default=None)
    yield "Most unique nodes that a baseline anonymizes, on any network", "41", "{:,.0f}", most

    more = "How many times more unique nodes the GAs anonymize than UA, on average"
    usual, all_networks = (_mean(_factors(runs, "ua", as_published=each)) for each in (True, False))
    yield f"{more}, without {_left_out('ua')}, as in the paper", "over 14", _TIMES, usual
    yield f"{more} over all networks where UA anonymizes any", NOTHING, _TIMES, all_networks

    deleted = _furthest(runs, "edges_deleted", GENETIC)
    yield "Edges that GA and UGA delete, at most", "always less than 5%", _SHARE, deleted
    clustering = "Change of the clustering coefficient, at most"
    yield f"{clustering} (all but UA)", "5.07%", _SHARE, _furthest(runs, "clustering", ("es", "ga", "uga"))
    yield f"{clustering} (UA)", "15.2%", _SHARE, _furthest(runs, "clustering", ("ua",))
    central = _furthest(runs, "centrality", PAPER_ALGORITHMS)
    yield "Share of the most central nodes that changes, at most", "0.07", _DIGITS, central

    for network in runs.networks:
        spreads = [runs.best(network, each).spread(_PANELS["communities"].value) for each in PAPER_ALGORITHMS]
        mean = _mean([spread.mean for spread in existing(spreads)])
        what = f"Communities before and after, NMI: mean of the four algorithms on {title_of(network)}"
        said = "about 0.7" if network == "college-msg" else "more than 0.9 for most networks"
        yield what, said, _DIGITS, mean

    for second, first, said in (("ga", "es", "substantially more"), ("uga", "ga", "more")):
        what = f"Runtime of {second.upper()} over that of {first.upper()}, on average over networks"
        yield what, said, _TIMES, _mean(_runtimes(runs, first, second))


def _factors(runs: PaperRuns, baseline: str, *, as_published: bool) -> list[float]:
    """The improvement factors of GA and UGA over a baseline, where they exist: here, or in the paper too."""
    return existing(
        factor(runs.group(network, baseline).reductions, runs.best(network, algorithm).reductions)
        for network in runs.networks
        for algorithm in GENETIC
        if not (as_published and _has_no_factor(network, baseline, algorithm))
    )


def _has_no_factor(network: str, baseline: str, algorithm: str) -> bool:
    """Whether the paper prints a dash for these two: the baseline anonymizes nobody there."""
    return network in REDUCTIONS and REDUCTIONS[network].factors[PAIRS.index((baseline, algorithm))] is None


def _left_out(baseline: str) -> str:
    """The networks that the paper's mean factor over a baseline leaves out, by their names there."""
    return ", ".join(
        title_of(network)
        for network in REDUCTIONS
        if any(_has_no_factor(network, baseline, algorithm) for algorithm in GENETIC)
    )


def _runtimes(runs: PaperRuns, first: str, second: str) -> list[float]:
    """Ratio of the runtime of the second to that of the first, by network."""
    spreads = (
        (runs.best(network, first).spread(seconds_of), runs.best(network, second).spread(seconds_of))
        for network in runs.networks
    )
    return [two.mean / one.mean for one, two in spreads if one is not None and two is not None and one.mean]


def _furthest(runs: PaperRuns, panel: str, algorithms: Iterable[str]) -> float | None:
    """The largest mean distance from an unchanged network, over networks and these algorithms."""
    groups = (runs.best(network, algorithm) for algorithm in algorithms for network in runs.networks)
    return max(existing(_PANELS[panel].distance(group) for group in groups), default=None)


def _mean(values: list[float]) -> float | None:
    return fmean(values) if values else None
