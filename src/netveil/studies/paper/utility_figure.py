"""Figure 2: what anonymization costs, six panels of mean ± standard deviation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from netveil.charts import INK, bare, style
from netveil.studies.paper.drawing import Picture, dots, legend_below, picture
from netveil.studies.paper.formats import Cell, Table, cells
from netveil.studies.paper.published import PAPER_ALGORITHMS
from netveil.studies.paper.runs import Group, PaperRuns, Row
from netveil.studies.paper.scope import title_of
from netveil.studies.spread import existing, recorded, shown


@dataclass(frozen=True)
class Panel:
    """One of the six: what it shows of a run."""

    name: str
    title: str
    value: Callable[[Row], float | None]
    unchanged: float  # the value of a network without any deletion
    form: str  # of its figures

    def distance(self, runs: Group) -> float | None:
        """How far the mean of some runs is from a network without any deletion; None without runs."""
        spread = runs.spread(self.value)
        return None if spread is None else abs(spread.mean - self.unchanged)


def _relative(metric: str) -> Callable[[Row], float | None]:
    """The change of a metric as a percentage of what it was."""

    def value(row: Row) -> float | None:
        before, change = row[f"{metric}_before"], row[f"{metric}_change"]
        return None if change is None or not before else 100 * change / before

    return value


def _percent(column: str) -> Callable[[Row], float | None]:
    return lambda row: None if row[column] is None else 100 * row[column]


PANELS = (
    Panel("edges_deleted", "edges deleted (%)", _percent("deleted_share"), 0.0, ",.2f"),
    Panel("clustering", "clustering coefficient, change (%)", _relative("clustering"), 0.0, ",.2f"),
    Panel("path_length", "average path length, change (%)", _relative("path_length"), 0.0, ",.2f"),
    Panel("lcc", "largest component, change (% of nodes)", _percent("lcc_change"), 0.0, ",.2f"),
    Panel("centrality", "most central nodes, share kept", lambda row: row["centrality_score"], 1.0, ",.3f"),
    Panel("communities", "communities, NMI", lambda row: row["communities_score"], 1.0, ",.3f"),
)
"""In the paper's order: three properties, three downstream tasks."""


def utility_figure(runs: PaperRuns, scope: str) -> Picture:
    """The six panels; the dashed line is a network without any deletion."""
    from matplotlib.figure import Figure

    with style("figure-2"):
        figure = Figure(figsize=(10.5, 5.6), layout="constrained")
        figure.suptitle(scope, fontsize=8)
        for number, panel in enumerate(PANELS, start=1):
            axes = figure.add_subplot(2, 3, number)
            bare(axes)
            axes.axhline(panel.unchanged, color=INK, lw=0.8, ls="--", alpha=0.6)
            dots(axes, runs, panel.value)
            axes.set_title(panel.title, fontsize=9)
        legend_below(figure, axes)
        return picture(
            figure,
            "figure-2-utility",
            "Figure 2: utility",
            "Mean ± one standard deviation of each algorithm on each network; GA and UGA with the "
            f"configuration of Table 1. Dashed: nothing deleted. {scope}",
        )


def utility_table(runs: PaperRuns, scope: str) -> Table:
    """The numbers of the figure; in each column the best algorithm of a network in bold."""
    rows, records = [], []
    for network in runs.networks:
        groups = [runs.best(network, algorithm) for algorithm in PAPER_ALGORITHMS]
        for group in groups:
            row = []
            for panel in PANELS:
                spread = group.spread(panel.value)
                distances = existing(panel.distance(other) for other in groups)
                closest = spread is not None and panel.distance(group) == min(distances)
                row.append(Cell(shown(spread, panel.form), bold=closest))
                records.append(
                    {
                        "network": network,
                        "algorithm": group.algorithm,
                        "configuration": group.configuration,
                        "metric": panel.name,
                        "meaning": panel.title,
                        **recorded(spread, "mean"),
                        "scope": scope,
                    }
                )
            rows.append((*cells(title_of(network), group.algorithm.upper()), *row))
    return Table(
        name="figure-2-utility",
        title="Figure 2 in numbers: utility",
        note=f"Mean ± standard deviation; in bold the algorithm that changes a network least. {scope}",
        columns=("network", "algorithm", *(panel.title for panel in PANELS)),
        rows=tuple(rows),
        records=tuple(records),
        labels=2,
    )
