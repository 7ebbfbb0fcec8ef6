"""The paper's figures: utility (2), runtime (3), and successive halving (appendix)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from netveil.plotting import AFTER, INK, RISK, bare, png_file, style, svg_for_page
from netveil.studies.paper.paper_tables import (
    ABOUT_RUNTIME,
    CONTENDERS,
    FAITHFUL,
    RUNTIME,
    UTILITY,
    Panel,
    PaperRuns,
    title_of,
)
from netveil.studies.paper.published import GENETIC, PAPER_ALGORITHMS
from netveil.studies.tables import Spread
from netveil.studies.tuning import TuningResult
from netveil.studies.tuning_folder import draw_halving

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOURS = dict(zip(PAPER_ALGORITHMS, ("#7d8894", "#c98a1b", AFTER, RISK), strict=True))
MARKS = dict(zip(PAPER_ALGORITHMS, "osD^", strict=True))
BETWEEN_ALGORITHMS = 0.13  # networks are 1 apart
ROUNDS_AFTER = 4  # as many generations as lie between halvings, shown of the finalists' further way


@dataclass(frozen=True)
class PaperFigure:
    """A figure as SVG and PNG, with its title and caption."""

    name: str  # of its files
    title: str
    caption: str
    svg: str  # its ink is the page's text colour
    png: bytes

    def files(self) -> dict[str, bytes]:
        """Contents of its files, by suffix."""
        return {"svg": self.svg.encode(), "png": self.png}


def picture(
    name: str, title: str, caption: str, scope: str, size: tuple[float, float], draw: Callable[[Figure], None]
) -> PaperFigure:
    """Draw a figure that says what was run; the same bytes every time."""
    from matplotlib.figure import Figure

    with style(name):
        figure = Figure(figsize=size, layout="constrained")
        figure.suptitle(scope, fontsize=8)
        draw(figure)
        return PaperFigure(name, title, f"{caption} {scope}", svg_for_page(figure), png_file(figure))


def draw_panels(figure: Figure, runs: PaperRuns, panels: Sequence[Panel], columns: int) -> None:
    """Draw means ± standard deviations: algorithms side by side, faithful ones hollow, a legend for all."""
    titles = list(map(title_of, runs.networks))
    for number, panel in enumerate(panels, start=1):
        axes = figure.add_subplot(-(-len(panels) // columns), columns, number)
        bare(axes)
        axes.set_title(panel.title, fontsize=9)
        if panel.unchanged is None:
            axes.set_yscale("log", nonpositive="clip")
        else:
            axes.axhline(panel.unchanged, color=INK, lw=0.8, ls="--", alpha=0.6)
        for place, (algorithm, source) in enumerate(CONTENDERS):
            groups = [runs.best(network, algorithm, source) for network in runs.networks]
            spreads = [Spread.of(map(panel.value, group.rows)) for group in groups]
            shift = (place - (len(CONTENDERS) - 1) / 2) * BETWEEN_ALGORITHMS
            known = [(place + shift, each) for place, each in enumerate(spreads) if each is not None]
            axes.errorbar(
                [x for x, _ in known],
                [spread.mean for _, spread in known],
                yerr=[spread.deviation or 0.0 for _, spread in known],
                fmt=MARKS[algorithm],
                color=COLOURS[algorithm],
                markerfacecolor="none" if source == FAITHFUL else None,
                label=groups[0].title,
                markersize=4.5,
                capsize=2,
                elinewidth=1.2,
            )
        axes.set_xticks(range(len(titles)), titles, rotation=28, ha="right")
        axes.set_xlim(-0.5, len(titles) - 0.5)
        axes.grid(visible=False, axis="x")
    handles, names = axes.get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=len(names), frameon=False)


def utility_figure(runs: PaperRuns, scope: str) -> PaperFigure:
    """Figure 2: six panels; the dashed line is a network without any deletion."""
    caption = (
        "Mean ± one standard deviation of each algorithm on each network; GA and UGA with the "
        "configuration of Table 1. Dashed: nothing deleted."
    )
    size = (10.5, 5.6)
    return picture(
        *("figure-2-utility", "Figure 2: utility", caption, scope, size),
        lambda figure: draw_panels(figure, runs, UTILITY, columns=3),
    )


def runtime_figure(runs: PaperRuns, scope: str) -> PaperFigure:
    """Figure 3: seconds on a logarithmic scale."""
    caption = f"Mean ± one standard deviation, logarithmic scale. {ABOUT_RUNTIME}"
    return picture(
        *("figure-3-runtime", "Figure 3: runtime", caption, scope, (6.2, 3.6)),
        lambda figure: draw_panels(figure, runs, [RUNTIME], columns=1),
    )


def halving_figure(results: Sequence[TuningResult], scope: str) -> PaperFigure:
    """Networks in rows, GA at the left and UGA at the right; a line a configuration, finalists in colour."""
    networks = list(dict.fromkeys(result.network for result in results))

    def draw(figure: Figure) -> None:
        for result in results:
            row, column = networks.index(result.network), GENETIC.index(result.algorithm)
            axes = figure.add_subplot(len(networks), len(GENETIC), row * len(GENETIC) + column + 1)
            last = result.halvings[-1] if result.halvings else 0
            draw_halving(axes, result, until=last + ROUNDS_AFTER * result.every)
            axes.set_title(f"{result.algorithm.upper()}, {title_of(result.network)}", fontsize=9)
            axes.set_ylim(0, 1.15 * result.at_risk_before)

    caption = (
        f"Best objective (unique nodes, and a penalty over the budget; cut off above) of the "
        f"{len(results[0].curves)} configurations drawn from the {results[0].grid_size}. Dotted lines: "
        f"halvings; in colour those that ran to the end, which is further right."
    )
    size = (9, 2.6 * len(networks))
    return picture("figure-halving", "Appendix: successive halving", caption, scope, size, draw)
