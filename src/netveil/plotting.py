"""Charts: their looks, and pictures of results, drawn on axes of matplotlib from the numbers that are shown.

Figures are saved as SVG or PNG with the same bytes every time.

`PICTURES` are drawn from the record of a run, in the report and by `Release.plot`. Other results hand over
their numbers to functions here: `.plot(ax=None)` draws on the axes given, or on new ones, and returns them.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import cycle
from typing import TYPE_CHECKING, Any

from netveil.errors import SettingError, needing, unknown_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK = "#010203"  # text and axes; in a page it becomes the page's own text colour
BEFORE, AFTER, RISK = "#9aa5b1", "#2a8fb0", "#d1462f"
COLOURS = (RISK, AFTER, "#5f8a3a", "#8a5fb0", "#b0842a", "#3a6b8a", "#b05f8a", "#6b6b6b")
"""Colours of lines in one chart, the most important first."""

DOTS_PER_INCH = 160

_INKED = ("text.color", "axes.labelcolor", "axes.edgecolor", "axes.titlecolor", "xtick.color", "ytick.color")
_NO_METADATA = {"Date": None, "Creator": None, "Format": None, "Type": None}


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
SVG_POINTS_LIMIT = 600  # more points than these are drawn as an image inside the SVG

RunRecord = dict[str, Any]


@dataclass(frozen=True)
class Picture:
    """A picture of the report, from the record of a run alone."""

    draw: Callable[..., None]  # given the record, and axes for each column
    height: float
    columns: int = 1
    is_shown: Callable[[RunRecord], bool] = lambda run: True

    def svg(self, run: RunRecord) -> str | None:
        """The picture as SVG text in the text colour of the page; None where there is nothing to show."""
        from matplotlib.figure import Figure

        if not self.is_shown(run):
            return None
        with style(self.draw.__name__):
            figure = Figure(figsize=(7, self.height), layout="constrained")
            all_axes = [figure.add_subplot(1, self.columns, 1 + column) for column in range(self.columns)]
            for axes in all_axes:
                bare(axes)
            self.draw(run, *all_axes)
            return svg_for_page(figure)


def class_sizes(run: RunRecord, axes: Axes) -> None:
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
    _bars(axes, list(bands), people)
    axes.set(xlabel="people who look alike", ylabel="people")


def by_degree(run: RunRecord, axes: Axes) -> None:
    """People at risk by number of contacts, before and after."""
    rows = run["report"]["by_degree"]
    people = {when: [row[when] for row in rows] for when in ("before", "after")}
    _bars(axes, [row["degree"] for row in rows], people)
    axes.set(xlabel="contacts in the original", ylabel="people at risk")


def trade_off(run: RunRecord, axes: Axes) -> None:
    """Nodes at risk against edges deleted, with the baselines beside the search."""
    _plot_others(axes, run, run["report"]["baselines"])
    _plot_curve(axes, run, run["report"]["search_curve"], color=AFTER, lw=1, alpha=0.5)
    _plot_ends(axes, run, label=f"this release ({run['algorithm']})")
    _legend(axes)


def curve(run: RunRecord, axes: Axes) -> None:
    """Nodes at risk against edges deleted, by the points of the curve."""
    _plot_others(axes, run, run["report"]["baselines"] | run["report"]["rivals"])
    points = [(point["deleted"], point["at_risk"]) for point in run["curve"]]
    points.insert(0, (0, run["at_risk_before"]))
    _plot_curve(axes, run, points, "o-", color=AFTER, markersize=3.5, label=run["algorithm"])
    _plot_ends(axes, run, label="this release", markersize=8)
    if run["target"] is not None:
        axes.axhline(run["enough"], color=RISK, lw=1, label=f"target {run['target']}")
    _legend(axes)


def convergence(run: RunRecord, axes: Axes) -> None:
    """The best objective against time, where the search took a step."""
    seconds = [row["seconds"] for row in run["history"]]
    axes.step(seconds, [row["objective"] for row in run["history"]], where="post", color=AFTER)
    axes.set(xlabel="seconds", ylabel="best objective", ylim=(0, None))


def states(run: RunRecord, first: Axes, second: Axes) -> None:
    """Contacts of each person against the ties among them, before and after, with who is at risk."""
    second.sharex(first)
    second.sharey(first)
    for axes, when in ((first, "before"), (second, "after")):
        for flag, colour, name in ((0, AFTER, "has lookalikes"), (1, RISK, "at risk")):
            chosen = [state for state in run["report"]["states"][when] if state[2] == flag]
            degrees, triangles = [state[0] for state in chosen], [state[1] for state in chosen]
            as_image = len(chosen) > SVG_POINTS_LIMIT
            axes.scatter(degrees, triangles, s=8, color=colour, label=name, rasterized=as_image)
        axes.set(title=when, xlabel="contacts (degree)", xscale="symlog", yscale="symlog")
    first.set_ylabel("ties among them (triangles)")
    _legend(second)


def drawing(run: RunRecord, *both: Axes) -> None:
    """The paper's Figure 1: nodes at risk red, deleted edges dotted; before and after."""
    from matplotlib.collections import LineCollection

    nodes, edges = run["report"]["drawing"]["nodes"], run["report"]["drawing"]["edges"]
    kept = [(nodes[u][:2], nodes[v][:2]) for u, v, deleted in edges if not deleted]
    gone = [(nodes[u][:2], nodes[v][:2]) for u, v, deleted in edges if deleted]
    for axes, when, risk, dots in zip(both, ("before", "after"), (2, 3), ("-", ":"), strict=True):
        axes.add_collection(LineCollection(kept, colors=BEFORE, linewidths=0.6, zorder=1))
        axes.add_collection(
            LineCollection(gone, colors=RISK, linewidths=1.2, linestyles=dots, alpha=0.9, zorder=1)
        )
        colours = [RISK if node[risk] else AFTER for node in nodes]
        axes.scatter([node[0] for node in nodes], [node[1] for node in nodes], s=22, c=colours, zorder=2)
        axes.set(title=when, xlim=(-0.04, 1.04), ylim=(-0.04, 1.04))
        axes.axis("off")


def matching(run: RunRecord, known: Axes, sure: Axes) -> None:
    """People found by matching the whole network: by share of known ties, and by certainty."""
    rows = _without_seeds(run["report"]["audit"])
    draw_matching(known, rows)
    for row, colour in zip(rows[::-1], COLOURS, strict=False):
        if row["curve"]:
            points = [[100 * value for value in point] for point in row["curve"]]
            label = f"{100 * row['known']:g}% of the ties"
            sure.plot(*zip(*points, strict=True), ".-", color=colour, lw=1, label=label)
    sure.set(xlabel="people, the surest first (%)", ylabel="guesses that are right (%)", ylim=(-3, 103))
    _legend(sure)


def draw_matching(known: Axes, rows: Sequence[Mapping[str, Any]]) -> None:
    """People found by matching the whole network, by the share of ties that the attacker knows."""
    shares = [100 * row["known"] for row in rows]
    for which, colour, line, label in MATCHED:
        scores = [row if which is None else row[which] for row in rows]
        found = [100 * score["found"] / max(score["people"], 1) for score in scores]
        known.plot(shares, found, line, color=colour, markersize=4, label=label)
        if which is None:
            low, high = (
                [100 * s["found_range"][end] / max(s["people"], 1) for s in scores] for end in (0, 1)
            )
            known.fill_between(shares, low, high, color=colour, alpha=0.2, lw=0)
    known.set(xlabel="ties that are known (%)", ylabel="people found (%)", ylim=(-3, 103))
    _legend(known)


MATCHED = (
    (None, RISK, "o-", "this release"),
    ("random_deletion", AFTER, "x--", "random deletion"),
    ("original", BEFORE, ".:", "original"),
)
"""Network that is attacked: its entry in the record, and its looks."""


def _without_seeds(audit: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    """Attacks by matching without seeds, with random ties, by what is known."""
    rows = audit["matching"] if audit else ()
    alike = [row for row in rows if not row["seeds"] and row["ties"] == "random"]
    return sorted(alike, key=lambda row: float(row["known"]))


def _plot_curve(
    axes: Axes, run: RunRecord, points: Sequence[Sequence[int]], *marks: str, **looks: Any
) -> None:
    """People at risk against the share of edges deleted, from points (edges deleted, people at risk)."""
    shares = [100 * deleted / max(run["edges"], 1) for deleted, _ in points]
    axes.plot(shares, [at_risk for _, at_risk in points], *marks, **looks)


def _plot_others(axes: Axes, run: RunRecord, others: dict[str, Any]) -> None:
    """The curves of other algorithms, and where they end."""
    for (name, other), line in zip(others.items(), cycle(LINE_STYLES), strict=False):
        _plot_curve(axes, run, other["curve"], line, color=INK, label=name.upper())
        _plot_curve(axes, run, [(other["deleted"], other["at_risk"])], "x", color=INK, markersize=5)


def _plot_ends(axes: Axes, run: RunRecord, **release: Any) -> None:
    """Draw the original and the release as points, and label the axes."""
    _plot_curve(axes, run, [(0, run["at_risk_before"])], "o", color=BEFORE, label="original")
    _plot_curve(axes, run, [(run["deleted"], run["at_risk_after"])], "o", color=AFTER, **release)
    axes.set(xlabel="edges deleted (%)", ylabel="people at risk", ylim=(0, None))


def _legend(axes: Axes) -> None:
    axes.legend(frameon=False, fontsize=8)


def _bars(axes: Axes, names: list[str], heights: Mapping[str, list[int]]) -> None:
    """Bars of one or two labels, two side by side."""
    width = 0.8 / len(heights)
    for number, ((label, each), colour) in enumerate(zip(heights.items(), (BEFORE, AFTER), strict=False)):
        shift = (number - (len(heights) - 1) / 2) * width
        axes.bar([place + shift for place in range(len(names))], each, width, color=colour, label=label)
    axes.set_xticks(range(len(names)), names)
    if len(heights) > 1:
        _legend(axes)


PICTURES = {
    "drawing": Picture(drawing, 3.6, columns=2, is_shown=lambda run: bool(run["report"]["drawing"]["nodes"])),
    "class_sizes": Picture(class_sizes, 2.8),
    "by_degree": Picture(by_degree, 2.8),
    "states": Picture(states, 3.2, columns=2),
    "trade_off": Picture(trade_off, 3.2),
    "curve": Picture(curve, 3.6, is_shown=lambda run: bool(run["curve"])),
    "matching": Picture(
        matching, 3.2, columns=2, is_shown=lambda run: len(_without_seeds(run["report"]["audit"])) > 1
    ),
    "convergence": Picture(convergence, 2.8, is_shown=lambda run: len(run["history"]) > 1),
}
"""Pictures by their names in the template."""


# Plots of results, one after the other.


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


def plot_picture(name: str, run: RunRecord, ax: Any = None) -> Any:
    """Draw a picture of the report from the record of a run."""
    if not isinstance(name, str) or name not in PICTURES:
        raise unknown_name("picture", str(name), PICTURES)
    picture = PICTURES[name]
    if not picture.is_shown(run):
        raise SettingError(
            f"picture {name}: this release has no numbers for it; plot another of {', '.join(PICTURES)}."
        )
    drawn = on_axes(lambda *axes: picture.draw(run, *axes), ax, picture.columns)
    return drawn if picture.columns > 1 else drawn[0]


def plot_class_sizes(sizes: Mapping[str, Mapping[Any, int]], ax: Any = None) -> Axes:
    """People by the size of their class."""
    return on_axes(lambda axes: class_sizes({"report": {"class_sizes": sizes}}, axes), ax)[0]


def plot_history(rows: Sequence[Mapping[str, Any]], ax: Any = None) -> Axes:
    """The best objective of a search against time."""
    return on_axes(lambda axes: convergence({"history": rows}, axes), ax)[0]


def plot_matching(audit: Mapping[str, Any], ax: Any = None) -> Axes:
    """People found by attackers who match the whole network."""
    rows = _without_seeds(audit)
    if not rows:
        raise SettingError(
            "this audit tried no attacker who matches the whole network; audit with matching='usual'."
        )
    return on_axes(lambda axes: draw_matching(axes, rows), ax)[0]


def plot_changes(changes: Mapping[str, float | None], ax: Any = None) -> Axes:
    """Change of each metric as a share of itself; what has none is left out."""
    known = {title: 100 * change for title, change in changes.items() if change is not None}

    def draw(axes: Axes) -> None:
        axes.barh(range(len(known)), list(known.values()), color=AFTER)
        axes.set_yticks(range(len(known)), list(known))
        axes.invert_yaxis()
        axes.axvline(0, color=INK, lw=0.8)
        axes.set_xlabel("change (%)")

    return on_axes(draw, ax)[0]


def plot_points(
    series: Mapping[str, Sequence[tuple[float, float]]],
    xlabel: str = "edges deleted (%)",
    ylabel: str = "people at risk",
    joined: bool = False,
    ax: Any = None,
) -> Axes:
    """Points (x, y) of each label, in colours of their own."""

    def draw(axes: Axes) -> None:
        for (label, points), colour in zip(
            series.items(), cycle((AFTER, *COLOURS[:1], *COLOURS[2:])), strict=False
        ):
            xs, ys = [point[0] for point in points], [point[1] for point in points]
            axes.plot(xs, ys, "o-" if joined else "o", color=colour, markersize=4, alpha=0.8, label=label)
        axes.set(xlabel=xlabel, ylabel=ylabel, ylim=(0, None))
        if len(series) > 1:
            _legend(axes)

    return on_axes(draw, ax)[0]
