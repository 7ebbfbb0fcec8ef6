"""Figure 3: how long the algorithms take, mean ± standard deviation."""

from __future__ import annotations

from netveil.charts import bare, style
from netveil.studies.paper.drawing import Picture, dots, legend_below, picture
from netveil.studies.paper.formats import Cell, Table, cells
from netveil.studies.paper.published import PAPER_ALGORITHMS
from netveil.studies.paper.runs import PaperRuns, Row
from netveil.studies.paper.scope import title_of
from netveil.studies.spread import recorded, shown

ABOUT = (
    "Wall-clock seconds of the search alone, on one thread, while other runs of the experiment go on beside "
    "it. The paper has no numbers in its text, only that GA and UGA take substantially longer than the "
    "others, and UGA longer."
)


def about_times(workers: int | None) -> str:
    """What the seconds depend on; `workers` is how many runs were side by side in this call, if any ran."""
    asked = "as many as there were workers (all cores by default)"
    beside = asked if workers is None else f"{workers:,} at a time in the last call"
    return (
        "Figure 3 shows wall-clock seconds, with runs side by side on the machine that ran them, "
        f"{beside}. They share its memory and caches, and whatever else it did meanwhile made them longer; "
        "runs done at different times may not be comparable, and a difference may be the machine's and not "
        "the algorithm's. For seconds to quote, run everything with --workers 1 on a machine that does "
        "nothing else."
    )


def seconds_of(row: Row) -> float:
    """Of the search, without reading, compiling and measuring utility."""
    return float(row["seconds"])


def runtime_figure(runs: PaperRuns, scope: str) -> Picture:
    """Seconds on a logarithmic scale."""
    from matplotlib.figure import Figure

    with style("figure-3"):
        figure = Figure(figsize=(6.2, 3.6), layout="constrained")
        figure.suptitle(scope, fontsize=8)
        axes = figure.add_subplot()
        bare(axes)
        axes.set_yscale("log", nonpositive="clip")
        dots(axes, runs, seconds_of)
        axes.set_ylabel("seconds a run")
        legend_below(figure, axes)
        caption = f"Mean ± one standard deviation, logarithmic scale. {ABOUT} {scope}"
        return picture(figure, "figure-3-runtime", "Figure 3: runtime", caption)


def runtime_table(runs: PaperRuns, scope: str) -> Table:
    """The numbers of the figure."""
    rows, records = [], []
    for network in runs.networks:
        row = []
        for algorithm in PAPER_ALGORITHMS:
            group = runs.best(network, algorithm)
            spread = group.spread(seconds_of)
            row.append(Cell(shown(spread, ",.3f")))
            records.append(
                {
                    "network": network,
                    "algorithm": algorithm,
                    "configuration": group.configuration,
                    **recorded(spread, "mean_seconds"),
                    "scope": scope,
                }
            )
        rows.append((*cells(title_of(network)), *row))
    return Table(
        name="figure-3-runtime",
        title="Figure 3 in numbers: runtime",
        note=f"Mean ± standard deviation. {ABOUT} {scope}",
        columns=("network", *(f"{algorithm.upper()}, seconds" for algorithm in PAPER_ALGORITHMS)),
        rows=tuple(rows),
        records=tuple(records),
    )
