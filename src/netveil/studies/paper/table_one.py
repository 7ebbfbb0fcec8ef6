"""Table 1: the networks (left half), and what the four algorithms achieve on them (right half)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, fields
from statistics import fmean
from typing import Any

from netveil.anonymity import anonymity_of, attackers_of
from netveil.experiments import NetworkSpec
from netveil.studies.paper.formats import OURS, PUBLISHED, Table, cells
from netveil.studies.paper.published import PAIRS, PAPER_ALGORITHMS, PROPERTIES, REDUCTIONS, Properties
from netveil.studies.paper.runs import Group, PaperRuns
from netveil.studies.paper.scope import title_of
from netveil.studies.paper.significance import LEVEL, rank_sum_p, smallest_p
from netveil.studies.spread import NOTHING, Spread

NOT_SIGNIFICANT = "†"

HEADINGS = {
    "nodes": "nodes",
    "edges": "edges",
    "average_degree": "average degree",
    "clustering": "clustering",
    "lcc": "largest component",
    "diameter": "diameter",
    "path_length": "average distance",
    "uniqueness": "uniqueness",
    "unique": "unique nodes",
}


def properties_of(network: NetworkSpec) -> Properties:
    """The left half of Table 1 for any network, in the definitions that give the paper's figures."""
    from netveil.utility import METRICS, MetricSettings, Side

    side = Side(network.network, MetricSettings())
    figures = {
        name: METRICS[name].compare(side, side).before
        for name in ("average_degree", "clustering", "lcc", "diameter", "path_length")
    }
    anonymity = anonymity_of(network.network, attackers_of("count"), 2)
    nodes = network.network.node_count
    # A network without edges has no distances; none of the paper's is like that.
    known: dict[str, Any] = {
        name: float("nan") if value is None else value for name, value in figures.items()
    }
    return Properties(
        nodes=nodes,
        edges=network.network.edge_count,
        uniqueness=anonymity.unique / nodes if nodes else 0.0,
        unique=anonymity.unique,
        **known,
    )


def properties_table(properties: dict[str, Properties], scope: str) -> Table:
    """The networks' properties as computed here, and below each as published."""
    rows, records = [], []
    for network, ours in properties.items():
        both = {OURS: ours, PUBLISHED: PROPERTIES.get(network)}
        for source, found in both.items():
            if found is not None:
                rows.append(cells(title_of(network), source, *printed(found).values()))
                records.append({"network": network, "source": source, **asdict(found), "scope": scope})
    return Table(
        name="table-1-networks",
        title="Table 1, left half: the networks",
        note=(
            "Clustering leaves out nodes with fewer than two neighbours, which gives the paper's figures; "
            "largest component: share of the nodes in it; uniqueness: share of unique nodes, by measure "
            f"count. {scope}"
        ),
        columns=("network", "source", *HEADINGS.values()),
        rows=tuple(rows),
        records=tuple(records),
        labels=2,
    )


def printed(properties: Properties) -> dict[str, str]:
    """Each property as the paper prints it: whole numbers in full, others to two digits."""
    whole = {"nodes", "edges", "diameter", "unique"}
    return {
        field.name: f"{getattr(properties, field.name):,.{0 if field.name in whole else 2}f}"
        for field in fields(properties)
    }


def factor(first: Sequence[float], second: Sequence[float]) -> float | None:
    """How many times the mean of the first the mean of the second is; None where the divisor is 0."""
    if not first or not second or fmean(first) == 0:
        return None
    return fmean(second) / fmean(first)


def reductions_table(runs: PaperRuns, seeds: int, scope: str) -> Table:
    """Unique nodes fewer by each algorithm, improvement factors and whether they are significant."""
    records: list[dict[str, Any]] = []
    for network in runs.networks:
        best = {algorithm: runs.best(network, algorithm) for algorithm in PAPER_ALGORITHMS}
        records.append(_record(network, best, scope))
        if network in REDUCTIONS:
            records.append(_published_record(network, records[-1]))
    headings = [algorithm.upper() for algorithm in PAPER_ALGORITHMS]
    pairs = [f"{first.upper()} vs. {second.upper()}" for first, second in PAIRS]
    return Table(
        name="table-1-results",
        title="Table 1, right half: reduction of unique nodes",
        note=(
            "Mean ± standard deviation of the runs; GA and UGA: the best of their configurations by mean, as "
            f"in the paper, named in brackets. Factor: ratio of the means, {NOTHING} where the divisor is 0. "
            f"{about_test(seeds)} {scope}"
        ),
        columns=("network", "source", *headings, *pairs),
        rows=tuple(
            cells(title_of(record["network"]), record["source"], *_texts(record)) for record in records
        ),
        records=tuple(records),
        labels=2,
    )


def about_test(seeds: int) -> str:
    """Which test is used, and what it can show with this many seeds."""
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


def p_value(first: Group, second: Group) -> float | None:
    """Of the test between two algorithms on a network; None where one of them has no run."""
    return rank_sum_p(first.left, second.left) if first.rows and second.rows else None


def _record(network: str, best: dict[str, Group], scope: str) -> dict[str, Any]:
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
        p = p_value(best[first], best[second])
        record |= {
            f"{first}_{second}_factor": factor(best[first].reductions, best[second].reductions),
            f"{first}_{second}_p": p,
            f"{first}_{second}_significant": None if p is None else p < LEVEL,
        }
    return {**record, "scope": scope}


def _published_record(network: str, like: dict[str, Any]) -> dict[str, Any]:
    """The published row, under the same keys; the paper has no deviations and no p there."""
    published = REDUCTIONS[network]
    record: dict[str, Any] = dict.fromkeys(like)
    record |= {"network": network, "source": PUBLISHED}
    record |= {f"{algorithm}_reduction": value for algorithm, value in published.by.items()}
    record |= {f"{algorithm}_runs": 5 for algorithm in PAPER_ALGORITHMS}
    for (first, second), times in zip(PAIRS, published.factors, strict=True):
        record[f"{first}_{second}_factor"] = times
        if times is not None:
            record[f"{first}_{second}_significant"] = (first, second) not in published.not_significant
    return record
