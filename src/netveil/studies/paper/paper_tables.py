"""The paper's tables from finished runs, beside published figures.

`PaperRuns` → `Group` → `Spread`, `rank_sum_p` → `Table`: Table 1, Figures 2 and 3 in numbers, baselines,
configurations, and what the paper says in words
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from itertools import product
from math import comb, nan
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from netveil.anonymity import anonymity_of, attackers_of
from netveil.network import Network
from netveil.studies.paper.published import (
    BASELINES,
    CONFIGURATIONS,
    FAITHFUL,
    FINAL,
    GENETIC,
    OURS,
    PAIRS,
    PAPER_ALGORITHMS,
    PROPERTIES,
    PUBLISHED,
    REDUCTIONS,
    SOURCES,
    Properties,
    title_of,
)
from netveil.studies.study import NOTHING, Spread, existing, recorded, shown
from netveil.studies.tables import Cell, Table, cells, table

Row = dict[str, Any]
"""A row of `netveil.studies.results_table`."""

DEVIATIONS = 2  # a difference of more than so many standard deviations is worth a sentence
ABOUT_SOURCES = (
    "netveil: GA and UGA as netveil has them; faithful: without anything that is not in the paper, such as "
    "restoring needless deletions."
)


@dataclass(frozen=True)
class Group:
    """Runs of one algorithm, with one configuration, on one network."""

    network: str
    algorithm: str  # es, ua, ga or uga
    source: str  # netveil, or faithful to the paper
    configuration: str | None  # of ga and uga
    rows: tuple[Row, ...]

    @property
    def title(self) -> str:
        """Algorithm as a figure calls it: 'GA', or 'GA, faithful'."""
        return self.algorithm.upper() + (f", {FAITHFUL}" if self.source == FAITHFUL else "")

    @property
    def left(self) -> list[int]:
        """Unique nodes left by each run."""
        return [row["unique_after"] for row in self.rows]

    @property
    def reductions(self) -> list[int]:
        """Reduction of unique nodes by each run."""
        return [row["unique_before"] - row["unique_after"] for row in self.rows]

    def spread(self, value: Callable[[Row], float | None]) -> Spread | None:
        """Mean and deviation of a value of each run; None without runs."""
        return Spread.of(value(row) for row in self.rows)


@dataclass(frozen=True)
class PaperRuns:
    """Finished runs of the paper's plan, with GA and UGA of one source."""

    rows: Sequence[Row]
    networks: Sequence[str]
    configurations: Sequence[str]
    source: str = OURS

    @property
    def faithful(self) -> PaperRuns:
        """Runs with GA and UGA faithful to the paper."""
        return replace(self, source=FAITHFUL)

    def group(self, network: str, algorithm: str, configuration: str | None = None) -> Group:
        """Runs of this algorithm on this network; there may be none."""
        name = algorithm if configuration is None else f"{algorithm}-{SOURCES[self.source]}{configuration}"
        rows = (row for row in self.rows if row["network"] == network and row["algorithm"] == name)
        source = self.source if algorithm in GENETIC else OURS
        return Group(network, algorithm, source, configuration, tuple(rows))

    def best(self, network: str, algorithm: str) -> Group:
        """Runs that the paper's main part reports: of GA and UGA the configuration with the lowest mean."""
        if algorithm not in GENETIC:
            return self.group(network, algorithm)
        groups = [self.group(network, algorithm, each) for each in self.configurations]
        return min(groups, key=lambda group: fmean(group.left) if group.rows else float("inf"))

    def contenders(self, network: str) -> list[Group]:
        """What Figures 2 and 3 show of a network: the four algorithms, and both faithful GAs."""
        ours = [self.best(network, algorithm) for algorithm in PAPER_ALGORITHMS]
        return ours + [self.faithful.best(network, algorithm) for algorithm in GENETIC]


def lowest_average(folder: Path, group: Group) -> float | None:
    """Lowest mean of unique nodes over the steps of a baseline, averaged over runs first, as in the paper.

    Steps that not all runs took, because some had solved the problem before, are left out. None without runs,
    or where the trace of one of them is missing or damaged: the mean of the others would be another figure.
    """
    traces = [_at_risk_by_step(folder / "runs" / row["run"] / "trace.csv") for row in group.rows]
    shared = set.intersection(*(set(trace) for trace in traces)) if traces else set()
    return min((fmean(trace[step] for trace in traces) for step in shared), default=None)


def _at_risk_by_step(file: Path) -> dict[int, int]:
    """Nodes at risk after each step of a run; empty if the file cannot be read."""
    try:
        with file.open(encoding="utf-8", newline="") as stream:
            return {int(row["step"]): int(row["at_risk"]) for row in csv.DictReader(stream)}
    except (OSError, ValueError, KeyError, TypeError, csv.Error):  # not there, no number, no column, cut off
        return {}


# Is one algorithm better than another, or was it chance? The Wilcoxon rank-sum test, exact, ties included.
#
# The paper says "a Wilcoxon test" and no more. The signed-rank test of that name is for pairs, and runs of
# two algorithms are not paired: an equal seed makes them no more alike. With 5 pairs its two-sided p cannot
# be less than 1/16 either, so nothing could be significant at 5%. The rank-sum test (Mann and Whitney's U
# test) is the one for independent runs; with 5 against 5 its p can be as small as 2/252. scipy's exact test
# does not know ties.


LEVEL = 0.05
"""A p below this is called significant. It is not corrected for the number of comparisons."""


def rank_sum_p(first: Sequence[float], second: Sequence[float]) -> float:
    """The two-sided p of the Wilcoxon rank-sum test, from all ways to deal the values out to the two.

    >>> rank_sum_p([1, 2, 3, 4, 5], [6, 7, 8, 9, 10]) == 2 / 252
    True
    >>> rank_sum_p([4, 4], [4, 4])
    1.0
    """
    if not first or not second:
        raise ValueError("the test needs a value on both sides")
    values, size = [*first, *second], len(first)
    # Equal values share the mean of their ranks; twice a rank is whole.
    ranks = [sum((other < value) + (other <= value) for other in values) + 1 for value in values]
    ways: list[dict[int, int]] = [{0: 1}, *({} for _ in range(size))]  # by size of a choice: sum → ways to it
    for rank in ranks:
        for chosen in range(size, 0, -1):
            for total, count in ways[chosen - 1].items():
                ways[chosen][total + rank] = ways[chosen].get(total + rank, 0) + count
    found = sum(ranks[:size])
    lower = sum(count for total, count in ways[size].items() if total <= found)
    higher = sum(count for total, count in ways[size].items() if total >= found)
    return min(1.0, 2 * min(lower, higher) / comb(len(ranks), size))


def smallest_p(first: int, second: int) -> float:
    """Smallest p that the test can give: 10% with 3 against 3 runs, 0.8% with 5 against 5."""
    return min(1.0, 2 / comb(first + second, first))


# ES and UA, averaged in two ways.


class Baseline(NamedTuple):
    """Reduction of unique nodes by ES or UA on a network, averaged over the runs in two ways."""

    network: str
    algorithm: str  # es or ua
    mean_of_lowest: Spread | None  # each run's own lowest value, then the mean; None without runs
    lowest_of_means: float | None  # the mean at each step, then the lowest; None without all traces
    published: int | None  # probably of the second kind; None where the network is not the paper's


def baselines_of(runs: PaperRuns, folder: Path) -> list[Baseline]:
    """ES and UA on each network; the folder holds the runs' traces."""
    found = []
    for network, algorithm in product(runs.networks, BASELINES):
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
        records.append({**each._asdict(), "mean_of_lowest": None if own is None else own.mean})
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
        for source, found in _by_source(runs, algorithm, network).items():
            best = min((spread.mean for spread in existing(found.values())), default=0.0)
            row = [*cells(algorithm.upper(), title_of(network), source)]
            for configuration, spread in found.items():
                is_best = spread is not None and round(spread.mean - best, 9) == 0
                row.append(Cell(shown(spread), is_best))
                about = {"algorithm": algorithm, "network": network, "source": source}
                about |= {"configuration": configuration, **recorded(spread, "mean_unique")}
                records.append({**about, "scope": None if source == PUBLISHED else scope})
            rows.append(row)
    return table(
        "configurations",
        "Appendix: unique nodes left by the four configurations",
        f"Mean ± standard deviation; the best of each row in bold. {ABOUT_SOURCES} {NOTHING}: not run.",
        scope,
        ("algorithm", "network", "source", *CONFIGURATIONS),
        rows,
        records,
        labels=3,
    )


def _by_source(runs: PaperRuns, algorithm: str, network: str) -> dict[str, dict[str, Spread | None]]:
    """Figures of both our versions and the published ones, where there are any, by configuration."""
    found = {
        source.source: {
            each: Spread.of(source.group(network, algorithm, each).left) for each in CONFIGURATIONS
        }
        for source in (runs, runs.faithful)
    }
    if (algorithm, network) in FINAL:
        pairs = zip(CONFIGURATIONS, FINAL[algorithm, network], strict=True)
        found[PUBLISHED] = {each: Spread(mean, deviation, 5) for each, (mean, deviation) in pairs}
    return found


def differences(runs: PaperRuns, baselines: Sequence[Baseline]) -> list[str]:
    """A sentence on each figure that is further from the published one than two standard deviations.

    The larger deviation of both sides counts; for ES and UA, in either reading, that of our runs' own lowest
    values, as the paper prints none.
    """
    sentences = []
    compared = (each for each in FINAL if each[1] in runs.networks)
    for (algorithm, network), (source, prefix) in product(compared, SOURCES.items()):
        figures = _by_source(runs, algorithm, network)
        for name, ours in figures[source].items():
            theirs = figures[PUBLISHED][name]
            if ours is not None and theirs is not None:
                what = f"{algorithm.upper()} {prefix}{name} on {title_of(network)}, unique nodes left"
                widest = max(ours.deviation or 0.0, theirs.deviation or 0.0)
                sentences.append(_difference(what, ours.mean, theirs.mean, widest, fewer_is_better=True))
    for network, algorithm, own, lowest, published in baselines:
        if own is None or published is None:
            continue
        for reading, value in (("mean of each run's lowest", own.mean), ("lowest of the means", lowest)):
            what = f"{algorithm.upper()} on {title_of(network)}, reduction of unique nodes, {reading}"
            deviation = own.deviation or 0.0
            if value is not None:
                sentences.append(_difference(what, value, published, deviation, fewer_is_better=False))
    return existing(sentences)


def _difference(
    what: str, ours: float, published: float, deviation: float, *, fewer_is_better: bool
) -> str | None:
    """Sentence on two figures; None if they are no further apart than two deviations.

    >>> _difference("ES on Blogs", 3, 11, 2.0, fewer_is_better=False)
    'ES on Blogs: 3.0 here, 11 published: worse by 8.0, 4.0 standard deviations.'
    >>> _difference("ES on Blogs", 2.0000000001, 2, 0.0, fewer_is_better=False)  # a mean of floats
    """
    gap = abs(ours - published)
    if gap <= DEVIATIONS * deviation or not round(gap, 1):
        return None
    word = "better" if (ours < published) == fewer_is_better else "worse"
    times = f", {gap / deviation:.1f} standard deviations" if deviation else ""
    return f"{what}: {ours:,.1f} here, {published:,} published: {word} by {gap:,.1f}{times}."


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
        for source in (runs, runs.faithful):
            best = {algorithm: source.best(network, algorithm) for algorithm in PAPER_ALGORITHMS}
            records.append(_record(network, source.source, best))
        if network in REDUCTIONS:
            records.append(_published_record(network, records[-1]))
    headings = [algorithm.upper() for algorithm in PAPER_ALGORITHMS]
    pairs = [f"{first.upper()} vs. {second.upper()}" for first, second in PAIRS]
    return table(
        "table-1-results",
        "Table 1, right half: reduction of unique nodes",
        "Mean ± standard deviation of the runs; GA and UGA: the best of their configurations by mean, as "
        f"in the paper, named in brackets. {ABOUT_SOURCES} Factor: ratio of the means, {NOTHING} where the "
        f"divisor is 0. {about_test(seeds)}",
        scope,
        ("network", "source", *headings, *pairs),
        (cells(title_of(record["network"]), record["source"], *_cells(record)) for record in records),
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


def _cells(record: dict[str, Any]) -> Iterator[str]:
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


def _record(network: str, source: str, best: dict[str, Group]) -> dict[str, Any]:
    """Reductions of a network, factors and p of the tests; None where an algorithm has no run."""
    record: dict[str, Any] = {"network": network, "source": source}
    for algorithm, group in best.items():
        figures = recorded(Spread.of(group.reductions), "reduction") | {"configuration": group.configuration}
        record |= {f"{algorithm}_{name}": value for name, value in figures.items()}
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


# Figures 2 and 3 in numbers: utility and runtime.


ABOUT = (
    "Wall-clock seconds of the search alone, on one thread, while other runs go on beside it and share "
    "memory and caches: a difference may be the machine's and not the algorithm's. For seconds to quote, run "
    "everything with --workers 1 on a machine that does nothing else. The paper has no numbers in its text, "
    "only that GA and UGA take substantially longer than the others, and UGA longer."
)


@dataclass(frozen=True)
class Panel:
    """One of the six panels of Figure 2."""

    name: str
    title: str
    value: Callable[[Row], float | None]
    unchanged: float  # the value of a network without any deletion
    form: str  # of its figures

    def distance(self, runs: Group) -> float | None:
        """Distance of the mean of some runs from a network without any deletion; None without runs."""
        spread = runs.spread(self.value)
        return None if spread is None else abs(spread.mean - self.unchanged)


def _relative(metric: str) -> Callable[[Row], float | None]:
    """The change of a metric as a percentage of what it was."""

    def value(row: Row) -> float | None:
        before, change = row[f"{metric}_before"], row[f"{metric}_change"]
        return None if change is None or not before else 100 * change / before

    return value


def _percent(column: str) -> Callable[[Row], float | None]:
    return lambda row: None if row[column] is None else 100 * row[column]


PANELS = (
    Panel("edges_deleted", "edges deleted (%)", _percent("deleted_share"), 0.0, ",.2f"),
    Panel("clustering", "clustering coefficient, change (%)", _relative("clustering"), 0.0, ",.2f"),
    Panel("path_length", "average path length, change (%)", _relative("path_length"), 0.0, ",.2f"),
    Panel("lcc", "largest component, change (% of nodes)", _percent("lcc_change"), 0.0, ",.2f"),
    Panel("centrality", "most central nodes, share kept", lambda row: row["centrality_score"], 1.0, ",.3f"),
    Panel("communities", "communities, NMI", lambda row: row["communities_score"], 1.0, ",.3f"),
)
"""In the paper's order: three properties, three downstream tasks."""


def seconds_of(row: Row) -> float:
    """Duration of the search, without reading, compiling and measuring utility."""
    return float(row["seconds"])


def runtime_table(runs: PaperRuns, scope: str) -> Table:
    """Numbers of the figure."""
    rows, records = [], []
    for network in runs.networks:
        groups = runs.contenders(network)
        spreads = [group.spread(seconds_of) for group in groups]
        rows.append(cells(title_of(network), *(shown(spread, ",.3f") for spread in spreads)))
        for group, spread in zip(groups, spreads, strict=True):
            records.append({**_place(group), **recorded(spread, "mean_seconds")})
    return table(
        "figure-3-runtime",
        "Figure 3 in numbers: runtime",
        f"Mean ± standard deviation. {ABOUT}",
        scope,
        ("network", *(f"{group.title}, seconds" for group in groups)),
        rows,
        records,
    )


def _place(group: Group) -> dict[str, Any]:
    """Network, algorithm, source and configuration of a record."""
    return {name: getattr(group, name) for name in ("network", "algorithm", "source", "configuration")}


def utility_table(runs: PaperRuns, scope: str) -> Table:
    """Numbers of the figure; in each column the best algorithm of a network in bold."""
    rows, records = [], []
    for network in runs.networks:
        groups = runs.contenders(network)
        least = [min(existing(panel.distance(group) for group in groups), default=None) for panel in PANELS]
        for group in groups:
            row = [*cells(title_of(network), group.title)]
            for panel, closest in zip(PANELS, least, strict=True):
                spread = group.spread(panel.value)
                is_closest = spread is not None and panel.distance(group) == closest
                row.append(Cell(shown(spread, panel.form), is_closest))
                about = {"metric": panel.name, "meaning": panel.title}
                records.append({**_place(group), **about, **recorded(spread, "mean")})
            rows.append(row)
    return table(
        "figure-2-utility",
        "Figure 2 in numbers: utility",
        f"Mean ± standard deviation; in bold the algorithm that changes a network least. {ABOUT_SOURCES}",
        scope,
        ("network", "algorithm", *(panel.title for panel in PANELS)),
        rows,
        records,
        labels=2,
    )


# What the paper says in its text about figures that it prints without numbers, and what comes out here.


_PANELS = {panel.name: panel for panel in PANELS}
WITHOUT_FACTOR = "grqc"  # there the paper's UA anonymizes nobody
_TIMES, _SHARE, _DIGITS = "{:,.1f} times", "{:.2f}%", "{:.2f}"


def statements_table(runs: PaperRuns, scope: str) -> Table:
    """The paper's sentences with a number in them, and the same number from our runs."""
    found = [
        (what, said, *(NOTHING if value is None else form.format(value) for value in (ours, faithful)))
        for (what, said, form, ours), (*_, faithful) in zip(
            _statements(runs), _statements(runs.faithful), strict=True
        )
    ]
    return table(
        "statements",
        "What the paper says in words",
        "Figures 2 and 3 of the paper have no numbers beside them; these are in its text. "
        "ES and UA: the mean of each run's lowest, as in Table 1.",
        scope,
        columns := ("statement", PUBLISHED, OURS, FAITHFUL),
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

    factors = [
        (network, factor(runs.group(network, "ua").reductions, runs.best(network, algorithm).reductions))
        for network, algorithm in product(runs.networks, GENETIC)
    ]
    more = "How many times more unique nodes the GAs anonymize than UA, on average"
    as_there = _mean(existing(times for network, times in factors if network != WITHOUT_FACTOR))
    yield f"{more}, without {title_of(WITHOUT_FACTOR)}, as in the paper", "over 14", _TIMES, as_there
    all_networks = _mean(existing(times for _, times in factors))
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
