"""The study `simulated`, the paper's outlook: what clustering, density and size do to uniqueness, GA and UGA.

Rows of the plan simulated.toml, one a run → `Point`, one a network → a page of Markdown and a figure a series
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.resources import as_file, files
from math import nan
from typing import TYPE_CHECKING

from netveil.formatting import counted
from netveil.plotting import COLOURS, INK, bare, style, svg_file
from netveil.studies.plan import read_plan
from netveil.studies.study import PageStudy, Row, StudyPage
from netveil.studies.tables import Spread, markdown_table, shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes


QUICK_SEEDS = 1


@dataclass(frozen=True)
class Point:
    """A network with its properties and results."""

    network: str
    nodes: int
    edges: int
    clustering: float
    uniqueness: float  # share of nodes at risk at first
    achieved: dict[str, Spread]  # by algorithm: share of the nodes at risk that no longer are, over seeds

    @property
    def density(self) -> float:
        """Share of pairs that are joined."""
        return 2 * self.edges / (self.nodes * (self.nodes - 1))


SERIES: dict[str, tuple[str, Callable[[Point], float], str | None]] = {
    "clustering": ("clustering coefficient", lambda point: point.clustering, None),
    "density": ("density", lambda point: point.density, ".3f"),
    "size": ("nodes", lambda point: point.nodes, ",.0f"),
}
"""What changes in a series, by the first word of its networks' names; `base` belongs to each.

Its name on an axis, its value, and the form of numbers where networks double it from one to the next.
"""


def summarize(rows: Sequence[Row], quick: bool = False) -> StudyPage:
    """Page in Markdown and figures by series, of runs on simulated networks.

    The page begins with what was run, so that nobody takes a `quick` one for the whole.
    """
    points = [_point(name, rows) for name in dict.fromkeys(str(row["network"]) for row in rows)]
    versions = ", ".join(sorted({str(row["version"]) for row in rows}))
    counts = f"{counted(len({row['seed'] for row in rows}), 'seed')}, {counted(len(rows), 'run')}"
    parts = [f"# Simulated networks\n\n{'QUICK: ' * quick}{counts} by netveil {versions}.\n"]
    figures, rest = {}, points
    for series, (_, value, _) in SERIES.items():
        members = [each for each in points if each.network == "base" or each.network.startswith(f"{series}-")]
        if len(members) > 1:
            members.sort(key=value)
            parts.append(f"## {series.capitalize()}\n\n![{series}]({series}.svg)\n\n{_table(members)}")
            figures[f"{series}.svg"] = _figure(series, members)
            rest = [point for point in rest if point not in members]
    if rest:
        parts.append(f"## Other kinds\n\n{_table(rest)}")
    return StudyPage("\n".join(parts), figures)


def _point(name: str, rows: Sequence[Row]) -> Point:
    """A network from its runs."""
    runs = [row for row in rows if row["network"] == name]
    first, achieved = runs[0], {}
    for algorithm in dict.fromkeys(str(run["algorithm"]) for run in runs):
        reached = Spread.of(run["reduction"] or 0.0 for run in runs if run["algorithm"] == algorithm)
        if reached is not None:
            achieved[algorithm] = reached
    nodes, at_risk = first["nodes"], first["at_risk_before"]
    return Point(name, nodes, first["edges"], first["clustering_before"], at_risk / nodes, achieved)


def _table(points: Sequence[Point]) -> str:
    """A row a network; reductions as mean ± standard deviation over seeds, if there are several."""
    algorithms = _algorithms(points)
    rows = []
    for point in points:
        size = f"{point.nodes:,}", f"{point.edges:,}"
        shares = f"{point.clustering:.2f}", f"{point.density:.3f}", f"{point.uniqueness:.1%}"
        reached = (shown(point.achieved.get(name), ".1%") for name in algorithms)
        rows.append([point.network, *size, *shares, *reached])
    heads = ["network", "nodes", "edges", "clustering", "density", "unique at first"]
    return markdown_table([*heads, *(f"fewer by {name.upper()}" for name in algorithms)], rows)


def _algorithms(points: Sequence[Point]) -> list[str]:
    """Algorithms that were run on any of these networks, in their order."""
    return list(dict.fromkeys(name for point in points for name in point.achieved))


def _figure(series: str, points: Sequence[Point]) -> bytes:
    """Draw uniqueness at first and the reduction by each algorithm, against what changes in the series."""
    from matplotlib.figure import Figure

    with style(series):
        figure = Figure(figsize=(5.5, 4.0), layout="constrained")
        _draw(figure.subplots(), series, points)
        return svg_file(figure)


def _draw(axes: Axes, series: str, points: Sequence[Point]) -> None:
    title, value, form = SERIES[series]
    positions = list(map(value, points))
    uniqueness = [100 * point.uniqueness for point in points]
    axes.plot(positions, uniqueness, "o-", color=INK, label="unique at first, % of nodes")
    for index, name in enumerate(_algorithms(points)):
        there = [point for point in points if name in point.achieved]
        spreads = [point.achieved[name] for point in there]
        axes.errorbar(
            list(map(value, there)),
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


def planned(seeds: int | None, quick: bool) -> PageStudy:
    """The plan that comes with netveil, with this many seeds."""
    with as_file(files("netveil").joinpath("studies", "simulated.toml")) as file:
        plan = read_plan(file, QUICK_SEEDS if quick and seeds is None else seeds)
    return PageStudy(replace(plan, name="simulated"), partial(summarize, quick=quick))
