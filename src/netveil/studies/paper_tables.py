"""The paper's tables from finished runs, beside published figures.

`PaperRuns` → `Group` → `Spread`, `rank_sum_p` → `Table`: both halves of Table 1, configurations, and Figures
2 and 3 in numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from math import comb, inf
from statistics import fmean
from typing import Any, NamedTuple

from netveil.anonymity import anonymity_of, attackers_of
from netveil.formatting import MISSING
from netveil.network import Network
from netveil.studies.tables import Cell, Spread, Table, spread_cell

# Published figures (Bonello et al., Table 1 and appendix).
#
# Numbers are as printed, odd ones included (0.9 for what is 0.99 by its own columns); a test reads the
# paper's LaTeX and compares every one of them.


PAPER_ALGORITHMS = ("es", "ua", "ga", "uga")
GENETIC = ("ga", "uga")
PAIRS = (("es", "ga"), ("es", "uga"), ("ua", "ga"), ("ua", "uga"), ("ga", "uga"))
"""Algorithms that Table 1 compares, in the order of its columns: by how much the second is better."""

CONFIGURATIONS = ("conf1", "conf2", "conf3", "conf4")
TUNED_NETWORKS = ("grqc", "college-msg", "blogs")
"""Networks on which the paper tunes hyperparameters, in the order of its figure."""

TITLES = {
    "fb-reed98": "FB Reed98",
    "blogs": "Blogs",
    "fb-simmons": "FB Simmons",
    "college-msg": "College msg.",
    "grqc": "GRQC collab.",
}
"""The networks as the paper calls them, in its order, by the names that they have here."""

PROPERTY_NAMES = (
    *("nodes", "edges", "average degree", "clustering", "largest component", "diameter"),
    *("average distance", "uniqueness", "unique nodes"),
)
WHOLE = {"nodes", "edges", "diameter", "unique nodes"}  # properties that are whole numbers
PROPERTIES: dict[str, tuple[float, ...]] = {
    "fb-reed98": (962, 18_812, 39.11, 0.33, 1.00, 6, 2.46, 0.78, 748),
    "blogs": (1_224, 16_715, 27.31, 0.36, 1.00, 8, 2.74, 0.49, 598),
    "fb-simmons": (1_518, 32_988, 43.46, 0.33, 1.00, 7, 2.57, 0.79, 1_192),
    "college-msg": (1_899, 13_838, 14.57, 0.14, 1.00, 8, 3.06, 0.24, 454),
    "grqc": (5_242, 14_484, 5.53, 0.69, 0.79, 17, 6.05, 0.05, 285),
}
"""Table 1 (tab:combined), left half."""

REDUCTIONS = {
    "fb-reed98": (34, 38, 391, 391),
    "blogs": (11, 13, 313, 310),
    "fb-simmons": (26, 41, 585, 567),
    "college-msg": (31, 38, 308, 318),
    "grqc": (2, 0, 192, 204),
}
"""Table 1 (tab:combined), right half: fewer unique nodes by each algorithm, means of 5 runs."""

FACTORS: dict[str, tuple[float | None, ...]] = {
    "fb-reed98": (11.44, 11.42, 10.43, 10.41, 1.00),
    "blogs": (29.79, 29.50, 23.23, 23.01, 0.9),
    "fb-simmons": (22.35, 21.65, 14.15, 13.71, 0.97),
    "college-msg": (10.10, 10.43, 8.11, 8.38, 1.03),
    "grqc": (100.84, 107.16, None, None, 1.06),
}
"""Improvement factors for each of PAIRS; None where the divisor is 0."""

GA_EQUALS_UGA = ("fb-reed98", "blogs", "fb-simmons", "grqc")
"""Networks where † marks the last pair as not significant; no other pair is ever marked."""

FINAL = {
    ("ga", "fb-reed98"): ((398, 15), (357, 8), (386, 11), (359, 14)),
    ("ga", "blogs"): ((289, 6), (285, 6), (308, 15), (312, 6)),
    ("ga", "fb-simmons"): ((607, 15), (671, 19), (673, 17), (641, 29)),
    ("ga", "college-msg"): ((153, 6), (146, 3), (147, 3), (159, 7)),
    ("ga", "grqc"): ((93, 6), (94, 11), (94, 5), (96, 3)),
    ("uga", "fb-reed98"): ((359, 5), (357, 7), (382, 18), (395, 14)),
    ("uga", "blogs"): ((288, 8), (299, 6), (297, 11), (309, 11)),
    ("uga", "fb-simmons"): ((653, 17), (667, 16), (625, 31), (686, 166)),
    ("uga", "college-msg"): ((144, 4), (136, 7), (145, 12), (146, 12)),
    ("uga", "grqc"): ((88, 6), (88, 3), (86, 3), (81, 6)),
}
"""The appendix's last table (tab:top4): unique nodes left by conf1 to conf4, mean and standard deviation."""


# Runs, by algorithm and network.


Row = dict[str, Any]
"""A row of `netveil.studies.results_table`."""

OURS, FAITHFUL, PUBLISHED = "netveil", "faithful", "published"  # whose figures a row shows
SOURCES = {OURS: "", FAITHFUL: "faithful-"}
"""Versions of GA and UGA that are run, with what the names of their configurations begin with."""
CONTENDERS = (*((each, OURS) for each in PAPER_ALGORITHMS), *((each, FAITHFUL) for each in GENETIC))
"""What Figures 2 and 3 show of a network: the four algorithms, and both faithful GAs."""

ABOUT_SOURCES = (
    "netveil: GA and UGA as netveil has them; faithful: without anything that is not in the paper, such as "
    "restoring needless deletions."
)


def title_of(network: str) -> str:
    """The network as the paper calls it, or by its own name if it is not one of the paper's."""
    return TITLES.get(network, network)


@dataclass(frozen=True)
class Group:
    """Runs of one algorithm, with one configuration, on one network; there may be none."""

    algorithm: str  # es, ua, ga or uga
    source: str  # netveil, or faithful to the paper
    configuration: str | None  # of ga and uga
    rows: Sequence[Row]

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


@dataclass(frozen=True)
class PaperRuns:
    """Finished runs of the paper's plan."""

    rows: Sequence[Row]
    networks: Sequence[str]
    configurations: Sequence[str]

    def group(
        self, network: str, algorithm: str, source: str = OURS, configuration: str | None = None
    ) -> Group:
        """Runs of this algorithm on this network."""
        name = algorithm if configuration is None else f"{algorithm}-{SOURCES[source]}{configuration}"
        rows = [row for row in self.rows if (row["network"], row["algorithm"]) == (network, name)]
        return Group(algorithm, source, configuration, rows)

    def best(self, network: str, algorithm: str, source: str = OURS) -> Group:
        """Runs that the paper's main part reports: of GA and UGA the configuration with the lowest mean."""
        if algorithm not in GENETIC:
            return self.group(network, algorithm)
        groups = [self.group(network, algorithm, source, each) for each in self.configurations]
        return min(groups, key=lambda group: fmean(group.left) if group.rows else inf)


# Is one algorithm better than another, or was it chance? The Wilcoxon rank-sum test.
#
# The paper says "a Wilcoxon test" and no more. The signed-rank test of that name is for pairs, and runs of
# two algorithms are not paired: an equal seed makes them no more alike. With 5 pairs its two-sided p cannot
# be less than 1/16 either, so nothing could be significant at 5%. The rank-sum test (Mann and Whitney's U
# test) is the one for independent runs; with 5 against 5 its p can be as small as 2/252.


LEVEL = 0.05
"""A p below this is called significant. It is not corrected for the number of comparisons."""
NOT_SIGNIFICANT = "†"
MOST_WAYS = 20_000  # to deal values out to two groups, all of which are tried: 8 against 8 runs


def rank_sum_p(first: Sequence[float], second: Sequence[float]) -> float:
    """The two-sided p of the Wilcoxon rank-sum test: exact with ties too, approximate for many values.

    >>> rank_sum_p([1, 2, 3, 4, 5], [6, 7, 8, 9, 10]) == 2 / 252, rank_sum_p([4, 4], [4, 4])
    (True, 1.0)
    """
    from scipy.stats import PermutationMethod, mannwhitneyu

    if min(len(first), len(second)) < 2:
        return 1.0  # a single run shows nothing
    is_small = comb(len(first) + len(second), len(first)) <= MOST_WAYS
    method: Any = PermutationMethod(n_resamples=MOST_WAYS) if is_small else "asymptotic"
    return float(mannwhitneyu(first, second, method=method).pvalue)


def about_test(seeds: int) -> str:
    """Sentence on the test, and on what it can show with this many seeds."""
    least = min(1.0, 2 / comb(2 * seeds, seeds))
    reach = f"With {seeds} against {seeds} its p cannot be less than {least:.2g}"
    if least >= LEVEL:
        reach += ", so that nothing can be significant: ask for 4 seeds or more (--seeds)"
    return (
        f"{NOT_SIGNIFICANT} not significant at {LEVEL:.0%}: two-sided Wilcoxon rank-sum test (Mann–Whitney) "
        f"for independent runs, exact up to 8 against 8, not corrected for the number of comparisons. "
        f"{reach}."
    )


# Table 1: the networks (left half), and what the four algorithms achieve on them (right half).


def properties_of(network: Network) -> tuple[float, ...]:
    """The left half of Table 1 for any network, in the definitions that give the paper's figures."""
    from netveil.utility import METRICS, MetricSettings, Side

    side = Side(network, MetricSettings())
    names = ("average_degree", "clustering", "lcc", "diameter", "path_length")
    measured = (METRICS[name].compare(side, side).before for name in names)
    unique = anonymity_of(network, attackers_of("count"), 2).unique
    known = (0.0 if value is None else value for value in measured)  # None without any edge
    return (network.node_count, network.edge_count, *known, unique / network.node_count, unique)


def properties_table(networks: Sequence[Network], scope: str) -> Table:
    """The networks' properties as computed here, and below each as published."""
    rows = []
    for network in networks:
        found = {OURS: properties_of(network), PUBLISHED: PROPERTIES.get(network.name, ())}
        for source, values in found.items():
            cells = [
                Cell(f"{value:,.{0 if name in WHOLE else 2}f}", {"": value})
                for name, value in zip(PROPERTY_NAMES, values, strict=False)
            ]
            if cells:
                rows.append([Cell(title_of(network.name)), Cell(source), *cells])
    return Table(
        "table-1-networks",
        "Table 1, left half: the networks",
        "Clustering leaves out nodes with fewer than two neighbours, which gives the paper's figures; "
        "largest component: share of the nodes in it; uniqueness: share of unique nodes, by measure count.",
        scope,
        ("network", "source", *PROPERTY_NAMES),
        rows,
    )


def factor_cell(times: float | None, p: float | None, marked: bool) -> Cell:
    """An improvement factor, with † where the two algorithms do not differ."""
    text = MISSING if times is None else f"{times:,.2f}"
    return Cell(text + f" {NOT_SIGNIFICANT}" * marked, {"": times, " p": p})


def reductions_table(runs: PaperRuns, seeds: int, scope: str) -> Table:
    """Unique nodes fewer by each algorithm, improvement factors and whether they are significant."""
    rows = []
    for network in runs.networks:
        for source in SOURCES:
            best = {each: runs.best(network, each, source) for each in PAPER_ALGORITHMS}
            row = [Cell(title_of(network)), Cell(source)]
            for group in best.values():
                named = f" ({group.configuration})" if group.configuration and group.rows else ""
                row.append(spread_cell(Spread.of(group.reductions), more=named))
            for first, second in PAIRS:
                one, two = best[first], best[second]
                p = rank_sum_p(one.left, two.left) if one.rows and two.rows else None
                times = fmean(two.reductions) / fmean(one.reductions) if p and sum(one.reductions) else None
                row.append(factor_cell(times, p, p is not None and p >= LEVEL))
            rows.append(row)
        if network in REDUCTIONS:
            row = [Cell(title_of(network)), Cell(PUBLISHED)]
            row += [spread_cell(Spread(value, None, 5)) for value in REDUCTIONS[network]]
            for pair, times in zip(PAIRS, FACTORS[network], strict=True):
                row.append(factor_cell(times, None, pair == PAIRS[-1] and network in GA_EQUALS_UGA))
            rows.append(row)
    pairs = [f"{first.upper()} vs. {second.upper()}" for first, second in PAIRS]
    return Table(
        "table-1-results",
        "Table 1, right half: reduction of unique nodes",
        "Mean ± standard deviation of the runs; GA and UGA: the best of their configurations by mean, as "
        f"in the paper, named in brackets. {ABOUT_SOURCES} Factor: ratio of the means, {MISSING} where the "
        f"divisor is 0. {about_test(seeds)}",
        scope,
        ("network", "source", *map(str.upper, PAPER_ALGORITHMS), *pairs),
        rows,
    )


def configurations_table(runs: PaperRuns, scope: str) -> Table:
    """The appendix's table: unique nodes left by GA and UGA with each configuration, the best in bold."""
    rows = []
    for algorithm, network in product(GENETIC, runs.networks):
        found = {
            source: [Spread.of(runs.group(network, algorithm, source, each).left) for each in CONFIGURATIONS]
            for source in SOURCES
        }
        if (algorithm, network) in FINAL:
            found[PUBLISHED] = [Spread(mean, deviation, 5) for mean, deviation in FINAL[algorithm, network]]
        for source, spreads in found.items():
            best = min((each.mean for each in spreads if each is not None), default=None)
            left = [spread_cell(each, bold=each is not None and each.mean == best) for each in spreads]
            rows.append([Cell(algorithm.upper()), Cell(title_of(network)), Cell(source), *left])
    return Table(
        "configurations",
        "Appendix: unique nodes left by the four configurations",
        f"Mean ± standard deviation; the best of each row in bold. {ABOUT_SOURCES} {MISSING}: not run.",
        scope,
        ("algorithm", "network", "source", *CONFIGURATIONS),
        rows,
        labels=3,
    )


# Figures 2 and 3 in numbers: utility and runtime.


class Panel(NamedTuple):
    """A panel of a figure: a value of each run."""

    title: str
    value: Callable[[Row], float | None]
    form: str = ",.2f"  # of its figures
    unchanged: float | None = 0.0  # the value of a network without any deletion, if there is one


def _relative(metric: str) -> Callable[[Row], float | None]:
    """The change of a metric as a percentage of what it was."""

    def value(row: Row) -> float | None:
        before, change = row[f"{metric}_before"], row[f"{metric}_change"]
        return None if change is None or not before else 100 * change / before

    return value


UTILITY = (
    Panel("edges deleted (%)", lambda row: 100 * row["deleted_share"]),
    Panel("clustering coefficient, change (%)", _relative("clustering")),
    Panel("average path length, change (%)", _relative("path_length")),
    Panel("largest component, change (% of nodes)", lambda row: 100 * row["lcc_change"]),
    Panel("most central nodes, share kept", lambda row: row["centrality_score"], ",.3f", 1.0),
    Panel("communities, NMI", lambda row: row["communities_score"], ",.3f", 1.0),
)
"""Figure 2, in the paper's order: three properties, three downstream tasks."""
RUNTIME = Panel("seconds a run", lambda row: row["seconds"], ",.3f", None)
ABOUT_RUNTIME = (
    "Wall-clock seconds of the search alone, on one thread, while other runs go on beside it and share "
    "memory and caches: a difference may be the machine's and not the algorithm's. For seconds to quote, run "
    "everything with --workers 1 on a machine that does nothing else."
)


def numbers_table(runs: PaperRuns, scope: str) -> Table:
    """Numbers of Figures 2 and 3."""
    rows = []
    for network, (algorithm, source) in product(runs.networks, CONTENDERS):
        group = runs.best(network, algorithm, source)
        figures = [spread_cell(Spread.of(map(each.value, group.rows)), each.form) for each in PANELS]
        rows.append([Cell(title_of(network)), Cell(group.title), *figures])
    return Table(
        "figures-2-3",
        "Figures 2 and 3 in numbers: utility and runtime",
        f"Mean ± standard deviation of the runs of Table 1. {ABOUT_SOURCES} {ABOUT_RUNTIME}",
        scope,
        ("network", "algorithm", *(panel.title for panel in PANELS)),
        rows,
    )


PANELS = (*UTILITY, RUNTIME)
