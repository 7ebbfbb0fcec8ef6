"""The study `simulated`, the paper's outlook: what clustering, density and size do to uniqueness, GA and UGA.

Rows of the plan simulated.toml, one a run → `Point`, one a network → a page of Markdown and a figure a series
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import as_file, files
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from netveil.charts import COLOURS, INK, bare, style, svg_file
from netveil.errors import SettingError
from netveil.files.storage import store
from netveil.formatting import counted
from netveil.studies.plan import Plan, read_plan
from netveil.studies.study import Conclusion, RunOptions, Spread, Study, StudyRuns, concluded

if TYPE_CHECKING:
    from matplotlib.axes import Axes


Row = Mapping[str, Any]

SERIES = {"clustering": "clustering coefficient", "density": "density", "size": "nodes"}
"""What changes in a series, by the first word of its networks' names; `base` belongs to each."""


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

    def position(self, series: str) -> float:
        """Value that changes in a series."""
        return {"clustering": self.clustering, "density": self.density, "size": float(self.nodes)}[series]


def summarize(rows: Sequence[Row], quick: bool = False) -> tuple[str, dict[str, bytes]]:
    """Page in Markdown and figures (SVG) by series, of runs on simulated networks.

    The page begins with what was run, so that nobody takes a `quick` one for the whole.
    """
    points = _points(rows)
    parts, figures, rest = [], {}, dict(points)
    for series in SERIES:
        members = _members(series, points)
        if len(members) < 2:
            continue
        parts.append(f"## {series.capitalize()}\n\n![{series}]({series}.svg)\n\n{_table(members)}")
        figures[series] = _figure(series, members)
        for member in members:
            rest.pop(member.network, None)
    if rest:
        parts.append(f"## Other kinds\n\n{_table(list(rest.values()))}")
    return "\n".join([f"# Simulated networks\n\n{_scope(rows, quick)}\n", *parts]), figures


def _scope(rows: Sequence[Row], quick: bool) -> str:
    """Sentence on what was run: seeds, runs, and versions of netveil."""
    seeds = len({row["seed"] for row in rows})
    versions = ", ".join(sorted({str(row["version"]) for row in rows}))
    counts = f"{counted(seeds, 'seed')}, {counted(len(rows), 'run')}"
    return f"{'QUICK: ' * quick}{counts} by netveil {versions}."


def _points(rows: Sequence[Row]) -> dict[str, Point]:
    """Networks in the order in which rows first name them."""
    algorithms = list(dict.fromkeys(str(row["algorithm"]) for row in rows))
    points = {}
    for name in dict.fromkeys(str(row["network"]) for row in rows):
        runs = [row for row in rows if row["network"] == name]
        first = runs[0]
        if first.get("clustering_before") is None:
            raise SettingError(
                f"network {name}: its clustering is not known. Add clustering to the plan's metrics."
            )
        points[name] = Point(
            network=name,
            nodes=int(first["nodes"]),
            edges=int(first["edges"]),
            clustering=float(first["clustering_before"]),
            uniqueness=int(first["at_risk_before"]) / int(first["nodes"]),
            achieved={
                algorithm: reached
                for algorithm in algorithms
                if (reached := Spread.of(_reduction(run) for run in runs if run["algorithm"] == algorithm))
            },
        )
    return points


def _members(series: str, points: Mapping[str, Point]) -> list[Point]:
    """Networks of a series, in the order of what changes."""
    found = [point for name, point in points.items() if name == "base" or name.startswith(f"{series}-")]
    return sorted(found, key=lambda point: point.position(series))


def _reduction(run: Row) -> float:
    """Share of the nodes at risk that no longer are."""
    return 1 - int(run["at_risk_after"]) / int(run["at_risk_before"]) if int(run["at_risk_before"]) else 0.0


def _table(points: Sequence[Point]) -> str:
    """A row a network; reductions as mean ± standard deviation over seeds, if there are several."""
    algorithms = _algorithms(points)
    heads = ["network", "nodes", "edges", "clustering", "density", "unique at first"]
    heads += [f"fewer by {name.upper()}" for name in algorithms]
    lines = [heads, ["---"] + ["---:"] * (len(heads) - 1)]
    for point in points:
        line = [
            point.network,
            f"{point.nodes:,}",
            f"{point.edges:,}",
            f"{point.clustering:.2f}",
            f"{point.density:.3f}",
            f"{point.uniqueness:.1%}",
        ]
        achieved = (point.achieved.get(name) for name in algorithms)
        lines.append(line + ["" if each is None else each.text(".1%") for each in achieved])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _figure(series: str, points: Sequence[Point]) -> bytes:
    """Draw uniqueness at first and the reduction by each algorithm, against what changes in the series."""
    from matplotlib.figure import Figure

    with style(series):
        figure = Figure(figsize=(5.5, 4.0), layout="constrained")
        _draw(figure.subplots(), series, points)
        return svg_file(figure)


def _algorithms(points: Sequence[Point]) -> list[str]:
    """Algorithms that were run on any of these networks, in their order."""
    return list(dict.fromkeys(name for point in points for name in point.achieved))


def _draw(axes: Axes, series: str, points: Sequence[Point]) -> None:
    positions = [point.position(series) for point in points]
    uniqueness = [100 * point.uniqueness for point in points]
    axes.plot(positions, uniqueness, "o-", color=INK, label="unique at first, % of nodes")
    for index, name in enumerate(_algorithms(points)):
        there = [point for point in points if name in point.achieved]
        spreads = [point.achieved[name] for point in there]
        axes.errorbar(
            [point.position(series) for point in there],
            [100 * spread.mean for spread in spreads],
            yerr=[nan if spread.deviation is None else 100 * spread.deviation for spread in spreads],
            fmt="s--",
            capsize=3,
            color=COLOURS[index % len(COLOURS)],
            label=f"fewer by {name.upper()}, % of the unique",
        )
    if series != "clustering":  # sizes and densities double from network to network
        form = "{:,.0f}" if series == "size" else "{:.3f}"
        axes.set_xscale("log")
        axes.set_xticks(positions, [form.format(position) for position in positions])
        axes.set_xticks([], minor=True)
    bare(axes)
    axes.set(xlabel=SERIES[series], ylabel="%", ylim=(0, 102))
    axes.legend(frameon=False, loc="lower left", bbox_to_anchor=(0, 1))


QUICK_SEEDS = 1


@dataclass(frozen=True)
class SimulatedNetworks:
    """The study with its plan read."""

    plan: Plan
    quick: bool
    announcement: str = ""

    def conclude(self, runs: StudyRuns, options: RunOptions) -> Conclusion:
        """Write the page and the figures once all runs are finished."""
        return concluded("simulated", runs, None if runs.missing else self._write(runs))

    def _write(self, runs: StudyRuns) -> Path:
        """Write the page and the figures beside the runs; returns the page."""
        markdown, figures = summarize(runs.rows, self.quick)
        for name, figure in figures.items():
            store(figure, str(runs.folder / f"{name}.svg"))
        page = runs.folder / "simulated.md"
        store(markdown.encode(), str(page))
        return page


def planned(seeds: int | None, quick: bool) -> SimulatedNetworks:
    """The plan that comes with netveil, with this many seeds."""
    with as_file(files("netveil").joinpath("studies", "simulated.toml")) as file:
        plan = read_plan(file, QUICK_SEEDS if quick and seeds is None else seeds)
    return SimulatedNetworks(replace(plan, name="simulated"), quick)


STUDY = Study("simulated", planned)
