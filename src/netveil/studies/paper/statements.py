"""What the paper says in its text about figures that it prints without numbers, and what comes out here."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import fmean

from netveil.studies.paper.formats import NOTHING, Table, cells
from netveil.studies.paper.published import BASELINES, GENETIC, PAIRS, PAPER_ALGORITHMS, REDUCTIONS
from netveil.studies.paper.runs import PaperRuns, Spread
from netveil.studies.paper.runtime_figure import seconds_of
from netveil.studies.paper.scope import title_of
from netveil.studies.paper.table_one import factor
from netveil.studies.paper.utility_figure import PANELS

_PANELS = {panel.name: panel for panel in PANELS}


def statements_table(runs: PaperRuns, scope: str) -> Table:
    """The paper's sentences with a number in them, and the same number from our runs."""
    found = [
        (
            "Most unique nodes that a baseline anonymizes, on any network",
            "41",
            _whole(
                _largest(Spread.of(runs.group(n, a).reductions) for n in runs.networks for a in BASELINES)
            ),
        ),
        (
            "How many times more unique nodes the GAs anonymize than UA, on average, without "
            f"{_left_out('ua')}, as in the paper",
            "over 14",
            _times(_mean(_factors(runs, "ua", as_published=True))),
        ),
        (
            "How many times more unique nodes the GAs anonymize than UA, on average over all networks where "
            "UA anonymizes any",
            NOTHING,
            _times(_mean(_factors(runs, "ua", as_published=False))),
        ),
        (
            "Edges that GA and UGA delete, at most",
            "always less than 5%",
            _share(_furthest(runs, "edges_deleted", GENETIC)),
        ),
        (
            "Change of the clustering coefficient, at most (all but UA)",
            "5.07%",
            _share(_furthest(runs, "clustering", ("es", "ga", "uga"))),
        ),
        (
            "Change of the clustering coefficient, at most (UA)",
            "15.2%",
            _share(_furthest(runs, "clustering", ("ua",))),
        ),
        (
            "Share of the most central nodes that changes, at most",
            "0.07",
            _digits(_furthest(runs, "centrality", PAPER_ALGORITHMS)),
        ),
        *(
            (
                f"Communities before and after, NMI: mean of the four algorithms on {title_of(network)}",
                said,
                value,
            )
            for network, said, value in _communities(runs)
        ),
        (
            "Runtime of GA over that of ES, on average over networks",
            "substantially more",
            _times(_mean(_runtimes(runs, "es", "ga"))),
        ),
        (
            "Runtime of UGA over that of GA, on average over networks",
            "more",
            _times(_mean(_runtimes(runs, "ga", "uga"))),
        ),
    ]
    return Table(
        name="statements",
        title="What the paper says in words",
        note=f"Figures 2 and 3 of the paper have no numbers beside them; these are in its text. "
        f"ES and UA: the mean of each run's lowest, as in Table 1. {scope}",
        columns=("statement", "published", "netveil"),
        rows=tuple(cells(*row) for row in found),
        records=tuple(
            {"statement": what, "published": said, "netveil": ours, "scope": scope}
            for what, said, ours in found
        ),
    )


def _factors(runs: PaperRuns, baseline: str, *, as_published: bool) -> list[float]:
    """The improvement factors of GA and UGA over a baseline, where they exist: here, or in the paper too."""
    times = (
        factor(runs.group(network, baseline).reductions, runs.best(network, algorithm).reductions)
        for network in runs.networks
        for algorithm in GENETIC
        if not (as_published and _has_no_factor(network, baseline, algorithm))
    )
    return [each for each in times if each is not None]


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
    """How many times as long the second takes, network by network."""
    spreads = (
        (runs.best(network, first).spread(seconds_of), runs.best(network, second).spread(seconds_of))
        for network in runs.networks
    )
    return [two.mean / one.mean for one, two in spreads if one is not None and two is not None and one.mean]


def _communities(runs: PaperRuns) -> list[tuple[str, str, str]]:
    rows = []
    for network in runs.networks:
        spreads = [runs.best(network, each).spread(_PANELS["communities"].value) for each in PAPER_ALGORITHMS]
        means = [spread.mean for spread in spreads if spread is not None]
        said = "about 0.7" if network == "college-msg" else "more than 0.9 for most networks"
        rows.append((network, said, _digits(_mean(means))))
    return rows


def _furthest(runs: PaperRuns, panel: str, algorithms: Iterable[str]) -> float | None:
    """The largest mean distance from an unchanged network, over networks and these algorithms."""
    shown = _PANELS[panel]
    spreads = (
        runs.best(network, algorithm).spread(shown.value)
        for algorithm in algorithms
        for network in runs.networks
    )
    return max((abs(each.mean - shown.unchanged) for each in spreads if each is not None), default=None)


def _largest(spreads: Iterable[Spread | None]) -> float | None:
    return max((spread.mean for spread in spreads if spread is not None), default=None)


def _mean(values: list[float]) -> float | None:
    return fmean(values) if values else None


def _whole(value: float | None) -> str:
    return NOTHING if value is None else f"{value:,.0f}"


def _times(value: float | None) -> str:
    return NOTHING if value is None else f"{value:,.1f} times"


def _share(value: float | None) -> str:
    return NOTHING if value is None else f"{value:.2f}%"


def _digits(value: float | None) -> str:
    return NOTHING if value is None else f"{value:.2f}"
