"""What the paper's figures have in common: a colour and a mark for each algorithm, files, legends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from netveil.charts import AFTER, RISK, png_file, svg_for_page
from netveil.studies.paper.published import PAPER_ALGORITHMS
from netveil.studies.paper.runs import PaperRuns, Row
from netveil.studies.paper.scope import title_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = dict(zip(PAPER_ALGORITHMS, ("#7d8894", "#c98a1b", AFTER, RISK), strict=True))
MARKS = dict(zip(PAPER_ALGORITHMS, "osD^", strict=True))
BETWEEN_ALGORITHMS = 0.17  # networks are 1 apart


@dataclass(frozen=True)
class Picture:
    """A figure as both files, and what is to be said about it."""

    name: str  # of its files
    title: str
    caption: str
    svg: str  # its ink is the page's text colour
    png: bytes


def picture(figure: Figure, name: str, title: str, caption: str) -> Picture:
    """The figure, drawn; the same bytes every time."""
    return Picture(name, title, caption, svg_for_page(figure), png_file(figure))


def dots(axes: Axes, runs: PaperRuns, value: Callable[[Row], float | None]) -> None:
    """Mean ± standard deviation of something about each run: algorithms side by side over each network."""
    for number, algorithm in enumerate(PAPER_ALGORITHMS):
        shift = (number - (len(PAPER_ALGORITHMS) - 1) / 2) * BETWEEN_ALGORITHMS
        drawn = [
            (place + shift, spread.mean, spread.deviation or 0.0)
            for place, network in enumerate(runs.networks)
            if (spread := runs.best(network, algorithm).spread(value)) is not None
        ]
        axes.errorbar(
            [place for place, _, _ in drawn],
            [mean for _, mean, _ in drawn],
            yerr=[deviation for _, _, deviation in drawn],
            fmt=MARKS[algorithm],
            color=COLOURS[algorithm],
            markersize=4.5,
            capsize=2,
            elinewidth=1.2,
            label=algorithm.upper(),
        )
    titles = list(map(title_of, runs.networks))
    axes.set_xticks(range(len(titles)), titles, rotation=28, ha="right")
    axes.set_xlim(-0.5, len(titles) - 0.5)
    axes.grid(visible=False, axis="x")


def legend_below(figure: Figure, axes: Axes) -> None:
    """One legend for all panels."""
    handles, names = axes.get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=len(names), frameon=False)
