"""The paper's figure of successive halving: a line for each configuration, those that were left in colour."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from netveil.charts import BEFORE, COLOURS, bare, png_file, style, svg_file
from netveil.tuning.result import Curve, TuningResult, differing

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ELIMINATED, HALVING = BEFORE, "#c9d1d9"
SYMBOLS = {
    "population": "μ",
    "offspring": "λ",
    "initial_rate": "p",
    "tournament_size": "t",
    "crossover": "c",
    "mutation_rate": "α",
    "mutation_decay": "η",
    "parental_selection": "S_p",
    "environmental_selection": "S_e",
    "patience": "τ",
}
"""How the paper calls settings."""

MOST_NAMED = len(COLOURS)  # finalists in the legend


def halving_figure(result: TuningResult) -> dict[str, bytes]:
    """The figure by file type, `svg` and `png`: generations against nodes at risk."""
    from matplotlib.figure import Figure

    with style("halving"):
        figure = Figure(figsize=(9.0, 3.8), layout="constrained")
        halved, whole = figure.subplots(1, 2, width_ratios=(3, 4))
        draw_halving(halved, result, until=_end_of_halving(result))
        draw_halving(whole, result)
        halved.set_title(f"{result.algorithm.upper()}: the halving", fontsize=9)
        whole.set_title(f"{result.algorithm.upper()}: to the end", fontsize=9)
        handles, labels = whole.get_legend_handles_labels()
        whole.legend(handles[::-1], labels[::-1], frameon=False, fontsize=7)  # the best first
        return {"svg": svg_file(figure), "png": png_file(figure)}


def draw_halving(axes: Axes, result: TuningResult, until: int | None = None) -> None:
    """Draw the curves of one tournament, up to a generation if given; several make the paper's figure."""
    best_first = result.best_first
    finalists = [curve for curve in best_first if curve.eliminated_at is None]
    shown = None if until is None else until + 1
    for step in result.halvings:
        axes.axvline(step, color=HALVING, lw=0.8, ls=":", zorder=0)
    for curve in reversed(best_first):  # the best on top
        if curve.eliminated_at is not None:
            axes.plot(curve.objectives[:shown], color=ELIMINATED, lw=0.7, alpha=0.8, zorder=1)
            if until is None or curve.generations <= until:
                axes.plot([curve.generations], [curve.objective], ".", color=ELIMINATED, ms=3, zorder=1)
    names = _names(finalists)
    for place in range(len(finalists) - 1, -1, -1):
        curve, named = finalists[place], place < MOST_NAMED
        axes.plot(
            curve.objectives[:shown],
            color=COLOURS[place] if named else COLOURS[-1],
            lw=1.8 if place == 0 else 1.1,
            label=names[place] if named else None,
            zorder=3 if place == 0 else 2,
        )
    steps = "generations" if result.counts_generations else "steps"
    at_risk = "unique nodes" if result.k == 2 else "nodes at risk"
    axes.set(xlabel=f"number of {steps}", ylabel=f"number of {at_risk}", xlim=(0, until))
    if until is None:
        axes.set_ylim(0, None)
    bare(axes)


def _end_of_halving(result: TuningResult) -> int:
    """The last generation of the part that shows the halving: a little after it, or the end of all runs."""
    longest = max(max(curve.generations for curve in result.curves), 1)
    return min(result.halvings[-1] + result.every, longest) if result.halvings else longest


def _names(finalists: Sequence[Curve]) -> list[str]:
    """A line for the legend on each finalist: its nodes at risk, and in what it differs from the others."""
    varied = differing(finalists)
    names = []
    for curve in finalists:
        parts = [f"{SYMBOLS.get(name, name)}={_short(curve.settings[name])}" for name in varied]
        names.append(f"{curve.score:,.4g}: {', '.join(parts)}" if parts else f"{curve.score:,.4g}")
    return names


def _short(value: object) -> str:
    """A value of a setting, as the paper writes it."""
    shown = {"roulette": "RW", "tournament": "TS", "plus": "(μ+λ)"}
    if isinstance(value, float):
        return f"{100 * value:g}%" if value < 0.1 else f"{value:g}"
    return shown.get(str(value), str(value))
