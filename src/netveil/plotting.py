"""Results as charts: those of the report, drawn from the record of a run, and plots for notebooks.

`PICTURES` are in the report as SVG (charts.py), and on axes of matplotlib by `Release.plot`. Other results
hand over their numbers to functions here: `.plot(ax=None)` draws on the axes given, or on new ones, and
returns them. Figures of studies are saved as SVG or PNG with the same bytes every time.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import cycle
from typing import TYPE_CHECKING, Any

from netveil.charts import AFTER, BEFORE, COLOURS, INK, RISK, Band, Bars, Chart, Series, steps, svg
from netveil.errors import SettingError, needing, unknown_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DOTS_PER_INCH = 160

_INKED = ("text.color", "axes.labelcolor", "axes.edgecolor", "axes.titlecolor", "xtick.color", "ytick.color")
_NO_METADATA = {"Date": None, "Creator": None, "Format": None, "Type": None}


def check_figures() -> None:
    """Raise an error that tells what to install if figures of a study cannot be drawn and saved."""
    with needing("matplotlib", "a study, for its figures,", extra="plot"):
        import matplotlib  # noqa: F401


@contextmanager
def style(name: str) -> Iterator[None]:
    """Set up matplotlib for one figure; its name tells identifiers in SVGs apart."""
    from matplotlib import rc_context

    settings: dict[Any, Any] = {"svg.hashsalt": name, "svg.fonttype": "none", "font.size": 9}
    with rc_context(settings | dict.fromkeys(_INKED, INK)):
        yield


def bare(axes: Axes) -> None:
    """Draw a light grid, and no frame at the top and the right."""
    axes.grid(alpha=0.25, color=INK)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def svg_for_page(figure: Figure) -> str:
    """Save the figure as an SVG element without background, in the text colour of the page around it."""
    svg = _saved(figure, "svg", metadata=_NO_METADATA, transparent=True).decode()
    return svg[svg.index("<svg") :].replace(INK, "currentColor")


def svg_file(figure: Figure) -> bytes:
    """Save the figure as an SVG file, on white."""
    return _saved(figure, "svg", metadata=_NO_METADATA)


def png_file(figure: Figure) -> bytes:
    """Save the figure as a PNG file, on white."""
    return _saved(figure, "png", metadata={"Software": None}, facecolor="white")


def _saved(figure: Figure, kind: str, **options: Any) -> bytes:
    """Bytes of the file that matplotlib makes of a figure."""
    file = io.BytesIO()
    figure.savefig(file, format=kind, dpi=DOTS_PER_INCH, **options)
    return file.getvalue()


# Pictures of the report.


LINE_STYLES = (":", "--", "-.")  # of other algorithms, in turn

RunRecord = dict[str, Any]


@dataclass(frozen=True)
class Picture:
    """A picture of the report, from the record of a run alone."""

    charts: Callable[[RunRecord], list[Chart]]  # side by side
    height: float  # of 700 for its width
    is_shown: Callable[[RunRecord], bool] = lambda run: True

    def svg(self, run: RunRecord) -> str | None:
        """The picture as SVG text in the text colour of the page; None where there is nothing to show."""
        return svg(self.charts(run), self.height) if self.is_shown(run) else None


def class_sizes(run: RunRecord) -> list[Chart]:
    """People by the size of their class: for each label, class size → people in classes of that size."""
    bands = {"1 (unique)": (1, 1), "2": (2, 2), "3–4": (3, 4), "5–9": (5, 9), "10–49": (10, 49)}
    bands["50+"] = (50, 10**12)
    people = {
        label: [
            sum(each for size, each in found.items() if low <= int(size) <= high)
            for low, high in bands.values()
        ]
        for label, found in run["report"]["class_sizes"].items()
    }
    return [_bars(list(bands), people, "people who look alike", "people")]


def by_degree(run: RunRecord) -> list[Chart]:
    """People at risk by number of contacts, before and after."""
    rows = run["report"]["by_degree"]
    people = {when: [row[when] for row in rows] for when in ("before", "after")}
    return [_bars([row["degree"] for row in rows], people, "contacts in the original", "people at risk")]


def trade_off(run: RunRecord) -> list[Chart]:
    """Nodes at risk against edges deleted, with the baselines beside the search."""
    on_the_way = _by_share(run, run["report"]["search_curve"], width=1)
    ends = _ends(run, f"this release ({run['algorithm']})")
    return [_against_deletions([*_others(run, run["report"]["baselines"]), on_the_way, *ends])]


def curve(run: RunRecord) -> list[Chart]:
    """Nodes at risk against edges deleted, by the points of the curve."""
    points = [(0, run["at_risk_before"]), *((point["deleted"], point["at_risk"]) for point in run["curve"])]
    items = _others(run, run["report"]["baselines"] | run["report"]["rivals"])
    items += [_by_share(run, points, mark="o", label=run["algorithm"]), *_ends(run, "this release", size=9)]
    if run["target"] is not None:
        most = max(point[0] for item in items for point in item.points if point)
        target = [(0, run["enough"]), (most, run["enough"])]
        items.append(Series(target, RISK, f"target {run['target']}", width=1))
    return [_against_deletions(items)]


def convergence(run: RunRecord) -> list[Chart]:
    """The best objective against time, where the search took a step."""
    best = steps((row["seconds"], row["objective"]) for row in run["history"])
    return [Chart([Series(best)], "seconds", "best objective", y_limits=(0, None))]


def states(run: RunRecord) -> list[Chart]:
    """Degree of each node against its triangles, before and after; nodes at risk are red."""
    both = run["report"]["states"]
    most = [max((state[column] for when in both.values() for state in when), default=0) for column in (0, 1)]
    return [
        Chart(
            [
                Series([state[:2] for state in both[when] if state[2] == flag], colour, name, "", "o", size=4)
                for flag, colour, name in ((0, AFTER, "has lookalikes"), (1, RISK, "at risk"))
            ],
            "contacts (degree)",
            "ties among them (triangles)",
            title=when,
            x_limits=(0, 1.2 * most[0]),
            y_limits=(0, 1.2 * most[1]),
            is_log=True,
        )
        for when in ("before", "after")
    ]


def drawing(run: RunRecord) -> list[Chart]:
    """The paper's Figure 1: nodes at risk red, deleted edges dotted; before and after."""
    nodes, edges = run["report"]["drawing"]["nodes"], run["report"]["drawing"]["edges"]
    kept, gone = (
        [end for u, v, deleted in edges if deleted == flag for end in (nodes[u][:2], nodes[v][:2], None)]
        for flag in (0, 1)
    )
    return [
        Chart(
            [
                Series(kept, BEFORE, width=0.6),
                Series(gone, RISK, line=line, width=1.2),
                *(
                    Series([node[:2] for node in nodes if node[at_risk] == flag], colour, "", "", "o")
                    for flag, colour in ((0, AFTER), (1, RISK))
                ),
            ],
            title=when,
            x_limits=(-0.04, 1.04),
            y_limits=(-0.04, 1.04),
            has_axes=False,
        )
        for when, at_risk, line in (("before", 2, "-"), ("after", 3, ":"))
    ]


def matching(run: RunRecord) -> list[Chart]:
    """People found by matching the whole network: by share of known ties, and by certainty."""
    rows = _without_seeds(run["report"]["audit"])
    sure = [
        Series(
            [(100 * share, 100 * right) for share, right in row["curve"]],
            colour,
            f"{100 * row['known']:g}% of the ties",
            mark="o",
            width=1,
            size=3.5,
        )
        for row, colour in zip(rows[::-1], COLOURS, strict=False)
        if row["curve"]
    ]
    axes = "people, the surest first (%)", "guesses that are right (%)"
    return [matching_chart(rows), Chart(sure, *axes, y_limits=(-3, 103))]


def matching_chart(rows: Sequence[Mapping[str, Any]]) -> Chart:
    """People found by matching the whole network, by the share of ties that the attacker knows."""
    items: list[Series | Bars | Band] = []

    def share(score: Mapping[str, Any], people: float) -> float:
        return 100 * people / max(int(score["people"]), 1)

    for which, colour, line, mark, label in MATCHED:
        scores = [(100 * row["known"], row if which is None else row[which]) for row in rows]
        if which is None:
            low, high = (
                [(known, share(score, score["found_range"][end])) for known, score in scores]
                for end in (0, 1)
            )
            items.append(Band(low, high, colour))
        found = [(known, share(score, score["found"])) for known, score in scores]
        items.append(Series(found, colour, label, line, mark))
    return Chart(items, "ties that are known (%)", "people found (%)", y_limits=(-3, 103))


MATCHED = (
    (None, RISK, "-", "o", "this release"),
    ("random_deletion", AFTER, "--", "x", "random deletion"),
    ("original", BEFORE, ":", "o", "original"),
)
"""Network that is attacked: its entry in the record, and its looks."""


def _without_seeds(audit: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    """Attacks by matching without seeds and with random ties: the best one for each share of known ties."""
    rows = sorted(audit["matching"] if audit else (), key=lambda row: float(row["found"]))
    best = {row["known"]: row for row in rows if not row["seeds"] and row["ties"] == "random"}
    return [best[known] for known in sorted(best)]


def _against_deletions(items: Sequence[Series]) -> Chart:
    return Chart(items, "edges deleted (%)", "people at risk", y_limits=(0, None))


def _by_share(run: RunRecord, points: Sequence[Sequence[int]], colour: str = AFTER, **looks: Any) -> Series:
    """People at risk against the share of edges deleted, from points (edges deleted, people at risk)."""
    edges = max(run["edges"], 1)
    return Series([(100 * deleted / edges, at_risk) for deleted, at_risk in points], colour, **looks)


def _others(run: RunRecord, others: dict[str, Any]) -> list[Series]:
    """The curves of other algorithms, and where they end."""
    items = []
    for (name, other), line in zip(others.items(), cycle(LINE_STYLES), strict=False):
        items.append(_by_share(run, other["curve"], INK, line=line, label=name.upper()))
        items.append(_by_share(run, [(other["deleted"], other["at_risk"])], INK, line="", mark="x"))
    return items


def _ends(run: RunRecord, label: str, size: float = 6.0) -> list[Series]:
    """The original and the release as points."""
    before, after = (0, run["at_risk_before"]), (run["deleted"], run["at_risk_after"])
    looks: dict[str, Any] = {"line": "", "mark": "o"}
    return [
        _by_share(run, [before], BEFORE, label="original", size=6.0, **looks),
        _by_share(run, [after], AFTER, label=label, size=size, **looks),
    ]


def _bars(names: list[str], heights: Mapping[str, list[int]], xlabel: str, ylabel: str) -> Chart:
    """Bars of one or two labels, two side by side."""
    bars = [
        Bars(each, colour, label)
        for (label, each), colour in zip(heights.items(), (BEFORE, AFTER), strict=False)
    ]
    return Chart(bars, xlabel, ylabel, names=names, y_limits=(0, None))


PICTURES = {
    "drawing": Picture(drawing, 360, is_shown=lambda run: bool(run["report"]["drawing"]["nodes"])),
    "class_sizes": Picture(class_sizes, 280),
    "by_degree": Picture(by_degree, 280),
    "states": Picture(states, 320),
    "trade_off": Picture(trade_off, 320),
    "curve": Picture(curve, 360, is_shown=lambda run: bool(run["curve"])),
    "matching": Picture(matching, 320, is_shown=lambda run: len(_without_seeds(run["report"]["audit"])) > 1),
    "convergence": Picture(convergence, 280, is_shown=lambda run: len(run["history"]) > 1),
}
"""Pictures by their names in the template."""


# Charts on axes of matplotlib.


def draw(chart: Chart, axes: Axes) -> None:
    """Draw a chart on axes."""
    scale = "symlog" if chart.is_log else "linear"
    for item in chart.items:
        if isinstance(item, Bars):
            places, width = chart.places(item)
            axes.bar(places, item.heights, width, color=item.colour, label=item.label)
        elif isinstance(item, Band):
            xs, lows = zip(*item.lows, strict=True)
            axes.fill_between(xs, lows, [high for _, high in item.highs], color=item.colour, alpha=0.2, lw=0)
        else:
            broken = [(float("nan"),) * 2 if point is None else point for point in item.points]
            axes.plot(
                [x for x, _ in broken],
                [y for _, y in broken],
                color=item.colour,
                label=item.label,
                linestyle=item.line,
                marker=item.mark,
                lw=item.width,
                markersize=item.size,
            )
    if chart.names:
        axes.set_xticks(range(len(chart.names)), chart.names)
    axes.set(xlabel=chart.xlabel, ylabel=chart.ylabel, xscale=scale, yscale=scale)
    if chart.title:
        axes.set_title(chart.title)
    axes.autoscale()  # to all that is on the axes: a plot before this one has set limits
    axes.set(xlim=chart.x_limits, ylim=chart.y_limits)
    if not chart.has_axes:
        axes.axis("off")
    if chart.labelled:
        axes.legend(frameon=False, fontsize=8)


def on_axes(draw: Callable[..., None], ax: Any = None, columns: int = 1) -> list[Axes]:
    """Draw on the axes that are given, or on new ones, and return them."""
    with needing("matplotlib", "a plot", extra="plot"):
        from matplotlib import pyplot
        from matplotlib.axes import Axes
    if ax is None:
        ax = pyplot.subplots(1, columns, figsize=(3.2 + 3 * columns, 3.2), layout="constrained")[1]
    given = [ax] if isinstance(ax, Axes) else list(ax) if isinstance(ax, Iterable) else []
    if len(given) != columns or not all(isinstance(each, Axes) for each in given):
        wanted = "axes of matplotlib" if columns == 1 else f"a list of {columns} axes of matplotlib"
        raise SettingError(f"ax: give {wanted}, or leave it out.")
    for axes in given:
        bare(axes)
    draw(*given)
    return given


def plotted(charts: Sequence[Chart], ax: Any = None) -> list[Axes]:
    """Draw charts on the axes that are given, one each, or on new ones, and return them."""

    def draw_all(*axes: Axes) -> None:
        for chart, each in zip(charts, axes, strict=True):
            draw(chart, each)

    return on_axes(draw_all, ax, len(charts))


# Plots of results, one after the other.


def plot_picture(name: str, run: RunRecord, ax: Any = None) -> Any:
    """Draw a picture of the report from the record of a run."""
    if not isinstance(name, str) or name not in PICTURES:
        raise unknown_name("picture", str(name), PICTURES)
    picture = PICTURES[name]
    if not picture.is_shown(run):
        raise SettingError(
            f"picture {name}: this release has no numbers for it; plot another of {', '.join(PICTURES)}."
        )
    drawn = plotted(picture.charts(run), ax)
    return drawn if len(drawn) > 1 else drawn[0]


def plot_class_sizes(sizes: Mapping[str, Mapping[Any, int]], ax: Any = None) -> Axes:
    """People by the size of their class."""
    return plotted(class_sizes({"report": {"class_sizes": sizes}}), ax)[0]


def plot_history(rows: Sequence[Mapping[str, Any]], ax: Any = None) -> Axes:
    """The best objective of a search against time."""
    return plotted(convergence({"history": rows}), ax)[0]


def plot_matching(audit: Mapping[str, Any], ax: Any = None) -> Axes:
    """People found by attackers who match the whole network."""
    rows = _without_seeds(audit)
    if not rows:
        raise SettingError(
            "this audit tried no attacker who matches the whole network; audit with matching='usual'."
        )
    return plotted([matching_chart(rows)], ax)[0]


def plot_changes(changes: Mapping[str, float | None], ax: Any = None) -> Axes:
    """Relative change of each metric, but for metrics without one."""
    known = {title: 100 * change for title, change in changes.items() if change is not None}

    def draw_bars(axes: Axes) -> None:
        axes.barh(range(len(known)), list(known.values()), color=AFTER)
        axes.set_yticks(range(len(known)), list(known))
        axes.invert_yaxis()
        axes.axvline(0, color=INK, lw=0.8)
        axes.set_xlabel("change (%)")

    return on_axes(draw_bars, ax)[0]


def plot_points(
    series: Mapping[str, Sequence[tuple[float, float]]],
    xlabel: str = "edges deleted (%)",
    ylabel: str = "people at risk",
    joined: bool = False,
    ax: Any = None,
) -> Axes:
    """Points (x, y) of each label, in colours of their own."""
    items = [
        Series(points, colour, label, "-" if joined else "", "o")
        for (label, points), colour in zip(series.items(), cycle((AFTER, RISK, *COLOURS[2:])), strict=False)
    ]
    return plotted([Chart(items, xlabel, ylabel, y_limits=(0, None))], ax)[0]
