"""Pictures of the report, as SVG text that goes into the page.

Ink is the page's own text colour (`currentColor`), so that pictures fit a light and a dark page alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import cycle
from typing import TYPE_CHECKING, Any

from netveil.charts import AFTER, BEFORE, INK, RISK, bare, style, svg_for_page

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LINE_STYLES = (":", "--", "-.")  # of other algorithms, in turn
SVG_POINTS_LIMIT = 600  # more points than these are drawn as an image inside the SVG

RunRecord = dict[str, Any]


def class_sizes(run: RunRecord) -> str:
    """People by the size of their class, before and after."""
    bands = ((1, 1), (2, 2), (3, 4), (5, 9), (10, 49), (50, 10**12))
    names = ["1 (unique)", "2", "3–4", "5–9", "10–49", "50+"]
    sizes = run["report"]["class_sizes"]

    def people(when: str) -> list[int]:
        return [
            sum(nodes for size, nodes in sizes[when].items() if low <= int(size) <= high)
            for low, high in bands
        ]

    with _picture("class-sizes", 7, 2.8) as (svg, axes):
        _pairs_of_bars(axes, names, people("before"), people("after"))
        axes.set(xlabel="people who look alike", ylabel="people")
    return svg()


def risk_by_degree(run: RunRecord) -> str:
    """Where those at risk sit, by how many contacts they have."""
    rows = run["report"]["by_degree"]
    with _picture("by-degree", 7, 2.8) as (svg, axes):
        names = [row["degree"] for row in rows]
        _pairs_of_bars(axes, names, [row["before"] for row in rows], [row["after"] for row in rows])
        axes.set(xlabel="contacts in the original", ylabel="people at risk")
    return svg()


def trade_off(run: RunRecord) -> str:
    """Nodes at risk against edges deleted, with the baselines beside the search."""
    report = run["report"]
    edges = max(run["edges"], 1)
    with _picture("trade-off", 7, 3.2) as (svg, axes):
        _others(axes, report["baselines"], edges)
        curve = report["search_curve"]
        axes.plot([100 * x / edges for x, _ in curve], [y for _, y in curve], color=AFTER, lw=1, alpha=0.5)
        end = 100 * run["deleted"] / edges
        axes.plot([0], [run["at_risk_before"]], "o", color=BEFORE, label="original")
        axes.plot([end], [run["at_risk_after"]], "o", color=AFTER, label=f"this release ({run['algorithm']})")
        axes.set(xlabel="edges deleted (%)", ylabel="people at risk", ylim=(0, None))
        _legend(axes)
    return svg()


def curve(run: RunRecord) -> str | None:
    """Nodes at risk against edges deleted, by the points of the curve; None if there is no curve."""
    points = run["curve"]
    if not points:
        return None
    report = run["report"]
    edges = max(run["edges"], 1)
    with _picture("curve", 7, 3.6) as (svg, axes):
        _others(axes, {**report["baselines"], **report["rivals"]}, edges)
        axes.plot(
            [0, *(100 * point["deleted"] / edges for point in points)],
            [run["at_risk_before"], *(point["at_risk"] for point in points)],
            "o-",
            color=AFTER,
            markersize=3.5,
            label=run["algorithm"],
        )
        axes.plot([0], [run["at_risk_before"]], "o", color=BEFORE, label="original")
        end = 100 * run["deleted"] / edges
        axes.plot([end], [run["at_risk_after"]], "o", color=AFTER, markersize=8, label="this release")
        if run["target"] is not None:
            axes.axhline(run["enough"], color=RISK, lw=1, label=f"target {run['target']}")
        axes.set(xlabel="edges deleted (%)", ylabel="people at risk", ylim=(0, None))
        _legend(axes)
    return svg()


def convergence(run: RunRecord) -> str | None:
    """The best objective against time; None if the search took no step."""
    history = run["history"]
    if len(history) < 2:
        return None
    with _picture("convergence", 7, 2.8) as (svg, axes):
        seconds = [row["seconds"] for row in history]
        axes.step(seconds, [row["objective"] for row in history], where="post", color=AFTER)
        axes.set(xlabel="seconds", ylabel="best objective", ylim=(0, None))
    return svg()


def states(run: RunRecord) -> str:
    """Contacts of each person against the ties among them, before and after, with who is at risk."""
    from matplotlib.figure import Figure

    both = run["report"]["states"]
    with style("states"):
        figure = Figure(figsize=(7, 3.2), layout="constrained")
        first = figure.add_subplot(1, 2, 1)
        second = figure.add_subplot(1, 2, 2, sharex=first, sharey=first)
        for axes, when in ((first, "before"), (second, "after")):
            for flag, colour, name in ((0, AFTER, "has lookalikes"), (1, RISK, "at risk")):
                points = [(degree, triangles) for degree, triangles, risk in both[when] if risk == flag]
                axes.scatter(
                    [degree for degree, _ in points],
                    [triangles for _, triangles in points],
                    s=8,
                    color=colour,
                    label=name,
                    rasterized=len(points) > SVG_POINTS_LIMIT,
                )
            axes.set(title=when, xlabel="contacts (degree)", xscale="symlog", yscale="symlog")
            bare(axes)
        first.set_ylabel("ties among them (triangles)")
        _legend(second)
        return svg_for_page(figure)


def drawing(run: RunRecord) -> str | None:
    """The paper's Figure 1: nodes at risk red, deleted edges dotted; before and after."""
    from matplotlib.collections import LineCollection
    from matplotlib.figure import Figure

    drawn = run["report"]["drawing"]
    nodes, edges = drawn["nodes"], drawn["edges"]
    if not nodes:
        return None
    with style("drawing"):
        figure = Figure(figsize=(7, 3.6), layout="constrained")
        for number, (when, risk) in enumerate((("before", 2), ("after", 3)), start=1):
            axes = figure.add_subplot(1, 2, number)
            kept = [(nodes[u][:2], nodes[v][:2]) for u, v, gone in edges if not gone]
            gone = [(nodes[u][:2], nodes[v][:2]) for u, v, deleted in edges if deleted]
            axes.add_collection(LineCollection(kept, colors=BEFORE, linewidths=0.6, zorder=1))
            dots = ":" if when == "after" else "-"
            axes.add_collection(
                LineCollection(gone, colors=RISK, linewidths=1.2, linestyles=dots, alpha=0.9, zorder=1)
            )
            axes.scatter(
                [node[0] for node in nodes],
                [node[1] for node in nodes],
                s=22,
                c=[RISK if node[risk] else AFTER for node in nodes],
                zorder=2,
            )
            axes.set(title=when, xlim=(-0.04, 1.04), ylim=(-0.04, 1.04))
            axes.axis("off")
        return svg_for_page(figure)


@contextmanager
def _picture(name: str, width: float, height: float) -> Iterator[tuple[Callable[[], str], Axes]]:
    """Axes to draw on, and what to call afterwards for the SVG text."""
    from matplotlib.figure import Figure

    with style(name):
        figure = Figure(figsize=(width, height), layout="constrained")
        axes = figure.add_subplot()
        bare(axes)
        texts: list[str] = []
        yield (lambda: texts[0]), axes
        texts.append(svg_for_page(figure))


def _others(axes: Axes, others: dict[str, Any], edges: int) -> None:
    """The curves of other algorithms, and where they end."""
    for (name, other), line in zip(others.items(), cycle(LINE_STYLES), strict=False):
        points = other["curve"]
        axes.plot(
            [100 * x / edges for x, _ in points], [y for _, y in points], line, color=INK, label=name.upper()
        )
        axes.plot([100 * other["deleted"] / edges], [other["at_risk"]], "x", color=INK, markersize=5)


def _legend(axes: Axes) -> None:
    axes.legend(frameon=False, fontsize=8)


def _pairs_of_bars(axes: Axes, names: list[str], before: list[int], after: list[int]) -> None:
    places = range(len(names))
    axes.bar([place - 0.2 for place in places], before, 0.4, color=BEFORE, label="before")
    axes.bar([place + 0.2 for place in places], after, 0.4, color=AFTER, label="after")
    axes.set_xticks(list(places), names)
    _legend(axes)
