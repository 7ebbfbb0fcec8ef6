"""What the paper says in its text about figures that it prints without numbers, and what comes out here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from statistics import fmean

from netveil.studies.paper.formats import Table, cells
from netveil.studies.paper.published import BASELINES, GENETIC, PAIRS, PAPER_ALGORITHMS, REDUCTIONS
from netveil.studies.paper.runs import PaperRuns
from netveil.studies.paper.runtime_figure import seconds_of
from netveil.studies.paper.scope import title_of
from netveil.studies.paper.table_one import factor
from netveil.studies.paper.utility_figure import PANELS
from netveil.studies.spread import NOTHING, Spread, existing

_PANELS = {panel.name: panel for panel in PANELS}
_TIMES, _SHARE, _DIGITS = "{:,.1f} times", "{:.2f}%", "{:.2f}"


def statements_table(runs: PaperRuns, scope: str) -> Table:
    """The paper's sentences with a number in them, and the same number from our runs."""
    found = [
        (what, published, NOTHING if ours is None else form.format(ours))
        for what, published, form, ours in _statements(runs)
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


def _statements(runs: PaperRuns) -> Iterator[tuple[str, str, str, float | None]]:
    """What is said, the paper's number, how to write ours, and ours."""
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
    """How many times as long the second takes, network by network."""
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
