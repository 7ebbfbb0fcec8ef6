"""The study `simulated`, the paper's outlook: what clustering, density and size do to uniqueness, GA and UGA.

Rows of the plan simulated.toml, one a run → those of each network → a page of Markdown and a figure a series
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib.resources import as_file, files
from itertools import chain
from math import nan
from operator import itemgetter

from netveil.charts import COLOURS, INK
from netveil.formatting import counted
from netveil.plotting import bare, style, svg_file
from netveil.studies.plan import read_plan
from netveil.studies.study import PageStudy, Row, StudyPage
from netveil.studies.tables import Spread, markdown_table, shown, versions_of

QUICK_SEEDS = 1

Networks = Mapping[str, Sequence[Row]]
"""Runs of each network, by its name; the first run says what all say of the network."""


def _density(run: Row) -> float:
    """Share of pairs that are joined."""
    return float(2 * run["edges"] / (run["nodes"] * (run["nodes"] - 1)))


SERIES: dict[str, tuple[str, Callable[[Row], float], str | None]] = {
    "clustering": ("clustering coefficient", itemgetter("clustering_before"), None),
    "density": ("density", _density, ".3f"),
    "size": ("nodes", itemgetter("nodes"), ",.0f"),
}
"""What changes in a series, by the first word of its networks' names; `base` belongs to each.

Its name on an axis, its value, and the form of numbers where networks double it from one to the next.
"""


def summarize(rows: Sequence[Row], quick: bool = False) -> StudyPage:
    """Page in Markdown and figures by series, of runs on simulated networks.

    The page begins with what was run, so that nobody takes a `quick` one for the whole.
    """
    networks: dict[str, list[Row]] = {}
    for row in rows:
        networks.setdefault(str(row["network"]), []).append(row)
    counts = f"{counted(len({row['seed'] for row in rows}), 'seed')}, {counted(len(rows), 'run')}"
    parts = [f"# Simulated networks\n\n{'QUICK: ' * quick}{counts} by netveil {versions_of(rows)}.\n"]
    figures, rest = {}, dict(networks)
    for series, (_, value, _) in SERIES.items():
        names = [name for name in networks if name == "base" or name.startswith(f"{series}-")]
        if len(names) > 1:
            names.sort(key=lambda name: value(networks[name][0]))
            members = {name: networks[name] for name in names}
            parts.append(f"## {series.capitalize()}\n\n![{series}]({series}.svg)\n\n{_table(members)}")
            figures[f"{series}.svg"] = _figure(series, members)
            rest = {name: runs for name, runs in rest.items() if name not in members}
    if rest:
        parts.append(f"## Other kinds\n\n{_table(rest)}")
    return StudyPage("\n".join(parts), figures)


def _table(networks: Networks) -> str:
    """A row a network; reductions as mean ± standard deviation over seeds, if there are several."""
    algorithms, rows = _algorithms(networks), []
    for name, runs in networks.items():
        first = runs[0]
        uniqueness = f"{first['at_risk_before'] / first['nodes']:.1%}"
        shares = f"{first['clustering_before']:.2f}", f"{_density(first):.3f}", uniqueness
        reached = (shown(_reached(runs, algorithm), ".1%") for algorithm in algorithms)
        rows.append([name, f"{first['nodes']:,}", f"{first['edges']:,}", *shares, *reached])
    heads = ["network", "nodes", "edges", "clustering", "density", "unique at first"]
    return markdown_table([*heads, *(f"fewer by {each.upper()}" for each in algorithms)], rows)


def _algorithms(networks: Networks) -> list[str]:
    """Algorithms that were run on any of these networks, in their order."""
    return list(dict.fromkeys(str(run["algorithm"]) for run in chain(*networks.values())))


def _reached(runs: Sequence[Row], algorithm: str) -> Spread | None:
    """Share of the nodes at risk that no longer are, over seeds; None if the algorithm was not run."""
    return Spread.of(run["reduction"] or 0.0 for run in runs if run["algorithm"] == algorithm)


def _figure(series: str, networks: Networks) -> bytes:
    """Draw uniqueness at first and the reduction by each algorithm, against what changes in the series."""
    from matplotlib.figure import Figure

    title, value, form = SERIES[series]
    first = [runs[0] for runs in networks.values()]
    positions = list(map(value, first))
    with style(series):
        figure = Figure(figsize=(5.5, 4.0), layout="constrained")
        axes = figure.subplots()
        uniqueness = [100 * run["at_risk_before"] / run["nodes"] for run in first]
        axes.plot(positions, uniqueness, "o-", color=INK, label="unique at first, % of nodes")
        for index, name in enumerate(_algorithms(networks)):
            spreads = [_reached(runs, name) or Spread(nan, nan, 0) for runs in networks.values()]
            axes.errorbar(
                positions,
                [100 * spread.mean for spread in spreads],
                yerr=[nan if spread.deviation is None else 100 * spread.deviation for spread in spreads],
                fmt="s--",
                capsize=3,
                color=COLOURS[index % len(COLOURS)],
                label=f"fewer by {name.upper()}, % of the unique",
            )
        if form is not None:
            axes.set_xscale("log")
            axes.set_xticks(positions, [format(position, form) for position in positions])
            axes.set_xticks([], minor=True)
        bare(axes)
        axes.set(xlabel=title, ylabel="%", ylim=(0, 102))
        axes.legend(frameon=False, loc="lower left", bbox_to_anchor=(0, 1))
        return svg_file(figure)


def planned(seeds: int | None, quick: bool) -> PageStudy:
    """The plan that comes with netveil, with this many seeds."""
    with as_file(files("netveil").joinpath("studies", "simulated.toml")) as file:
        plan = read_plan(file, QUICK_SEEDS if quick and seeds is None else seeds)
    return PageStudy(replace(plan, name="simulated"), partial(summarize, quick=quick))
